"""Explanation sets: every row of a dataset explained."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from .artefacts import ArtefactView, AwaitableArtefact, BlockingArtefact, Content, download, every_item
from .calls import Program, awaitable, blocking, create, fetch, transport_of
from .contract.explanation_sets import (
    create_explanation_set,
    delete_explanation_set,
    get_explanation_set,
    get_explanation_set_content,
    list_explanation_sets,
)
from .explanations import Explanation, Explanations, SearchedRows, WishedChanges, parts_of
from .labels import Label
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, unless_none
from .types import Detail, ExplanationSetRequest, Include, NumberOfReasons, RunOn
from .types import ExplanationSet as Details

EXPLANATION_SETS: Noun[Details] = Noun(get_explanation_set, list_explanation_sets, delete_explanation_set)
ExplanationFile = Literal["jsonl", "zstd", "parquet"]
_MEDIA_TYPES = {
    "jsonl": "application/x-ndjson",
    "zstd": "application/zstd",
    "parquet": "application/vnd.apache.parquet",
}
Kept = TypeVar("Kept")


class ExplanationSetView(ArtefactView[Details]):
    """An explanation set as it was when it was last fetched; ``details`` has the figures of all rows."""

    noun = EXPLANATION_SETS
    _figures: ClassVar[Mapping[str, str]] = {
        "n_rows": "rows",
        "n_explained": "explained",
        "n_abstained": "abstained",
        "n_refused": "refused",
        "agreement": "agreement of model and nearest prototype",
        "mean_proximity": "mean proximity",
        "mean_absolute_effects": "largest mean effects",
    }
    contents = Content(get_explanation_set_content, {**_MEDIA_TYPES, "json": "application/json"})


def _explanations(self: ExplanationSetView) -> Program[Explanations]:
    """Return the explanation of every row; for very many rows, ``download`` them."""
    answers = yield from every_item(self)
    own = yield from fetch(get_explanation_set(self.id))
    labels = transport_of(self).labels.of(own.result.model if own.result else "")
    return Explanations([Explanation(answer, labels) for answer in answers], None)


def _download(self: ExplanationSetView, path: str | Path, form: ExplanationFile = "jsonl") -> Program[Path]:
    """Write all explanations to a file and return its path.

    Parameters
    ----------
    path
        Where to; what is there is replaced when all has come.
    form
        ``jsonl``: one explanation a line; ``zstd``: the same, compressed; ``parquet``: a table, with a flat
        row for each: prediction, nearest prototype, its reasons, summary.
    """
    return (yield from download(self, path, form))


def _create(  # what explanations may have
    self: Collection[Details, Kept],
    explainer: Identified,
    dataset: Identified,
    *,
    n_prototypes: int = 3,
    n_reasons: NumberOfReasons = 5,
    include: Sequence[Include] = (),
    n_contrasts: int = 1,
    nearest_rows: SearchedRows | None = None,
    changes: WishedChanges | None = None,
    reference: str | None = None,
    outcome: Label | None = None,
    detail: Detail = "short",
    settings: Settings | None = None,
    run_on: RunOn = "auto",
) -> Program[Kept]:
    """Request an explanation of every row of a dataset; call ``wait()`` on what is returned.

    Parameters
    ----------
    explainer
        A registered explainer, or its id.
    settings : none
    """
    request = ExplanationSetRequest(
        explainer=id_of(explainer),
        dataset=id_of(dataset),
        n_prototypes=n_prototypes,
        n_reasons=n_reasons,
        n_contrasts=n_contrasts,
        detail=detail,
        settings=unless_none(settings),
        run_on=run_on,
        **parts_of(include, nearest_rows, changes, reference, outcome),
    )
    return self._wrapped((yield from create(create_explanation_set(body=request))))


class ExplanationSet(ExplanationSetView, BlockingArtefact):
    """An explanation set, for the blocking client."""

    explanations = blocking(_explanations)
    download = blocking(_download)


class AsyncExplanationSet(ExplanationSetView, AwaitableArtefact):
    """An explanation set, for the async client."""

    explanations = awaitable(_explanations)
    download = awaitable(_download)


class ExplanationSets(SyncDeletable[Details, ExplanationSet, ExplanationSet]):
    """All explanation sets, newest first."""

    noun = EXPLANATION_SETS
    view = ExplanationSet
    create = blocking(_create)


class AsyncExplanationSets(AsyncDeletable[Details, AsyncExplanationSet, AsyncExplanationSet]):
    """All explanation sets, newest first."""

    noun = EXPLANATION_SETS
    view = AsyncExplanationSet
    create = awaitable(_create)
