"""Comparisons: two models on the same rows, or one model on two datasets (drift)."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from .artefacts import ArtefactView, AwaitableArtefact, BlockingArtefact, Content
from .calls import Program, Work, awaitable, blocking, create
from .contract.comparisons import (
    create_comparison,
    delete_comparison,
    get_comparison,
    get_comparison_content,
    list_comparisons,
)
from .errors import WrongArgument
from .frames import records_frame
from .model_ids import model_of
from .nouns import AsyncDeletable, Collection, Identified, Noun, SyncDeletable, id_of, id_or_none
from .records import Records
from .texts import number, tenths
from .types import (
    ChangedPrototype,
    ChangedRegion,
    ChangedRow,
    ComparisonRequest,
    ComparisonResult,
    EffectChange,
)
from .types import Comparison as Details

COMPARISONS: Noun[Details] = Noun(get_comparison, list_comparisons, delete_comparison)
Kept = TypeVar("Kept")
ComparisonFrame: TypeAlias = Literal["effects", "regions", "rows"]


class ComparisonView(ArtefactView[Details]):
    """A comparison as it was when it was last fetched; ``details`` has all fields that the service sends."""

    noun = COMPARISONS
    contents = Content(get_comparison_content, {"json": "application/json"})

    @property
    def summary(self) -> str:
        """What was found, in words."""
        summary: str = self._part("summary")
        return summary

    @property
    def effects(self) -> Sequence[EffectChange]:
        """Effects of features that moved, the largest move first."""
        effects: Sequence[EffectChange] = self._part("effects")
        return effects

    @property
    def regions(self) -> Sequence[ChangedRegion]:
        """Where two models differ more than elsewhere, as rules; none of two datasets."""
        regions: Sequence[ChangedRegion] = self._of_models("regions")
        return regions

    @property
    def rows(self) -> Sequence[ChangedRow]:
        """The rows for which two models differ most; none of two datasets."""
        rows: Sequence[ChangedRow] = self._of_models("rows")
        return rows

    @property
    def prototypes(self) -> Sequence[ChangedPrototype]:
        """Rows that represent those that changed; none of two datasets."""
        prototypes: Sequence[ChangedPrototype] = self._of_models("prototypes")
        return prototypes

    def _of_models(self, field: str) -> Any:  # of each field its own
        models = self.result.models
        return Records([] if models is None else getattr(models, field))

    def __str__(self) -> str:
        return self.summary if self._has_result() else repr(self)

    def _contents(self, result: ComparisonResult) -> str:
        drift, changed = result.datasets, result.models
        if drift is not None:
            return f"two datasets, {drift.conclusion.replace('_', ' ')}"
        if changed is None:
            return ""
        if changed.share_changed is None:
            return f"two models, values differ by {number(changed.mean_absolute_difference)} on average"
        return f"two models, {tenths(changed.share_changed)} of {result.n_rows:,} rows have another outcome"


def _to_frame(self: ComparisonView, rows: ComparisonFrame = "effects") -> Program[Any]:
    """Return effects that moved, or, of two models, regions or rows that changed, as a DataFrame; needs pandas.

    Parameters
    ----------
    rows
        ``"effects"``, ``"regions"`` or ``"rows"``; two datasets have effects alone.

    Returns
    -------
    pandas.DataFrame
        Of effects ``feature``, ``mean_effect``, ``other_mean_effect``, ``moved``, ``distance`` (0 to 1) and
        ``p_value``; of rows ``row``, ``row_id``, ``outcome``, ``other_outcome``, ``value``, ``other_value`` and
        ``difference``; of regions the fields of ``ChangedRegion``.

    Raises
    ------
    MissingExtra
        Without pandas.
    """
    result = self.result
    listed = result.effects if rows == "effects" else getattr(self, rows)
    return (yield Work(lambda: records_frame(listed)))


def _create(
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    other_model: Identified | None = None,
    other_dataset: Identified | None = None,
    max_regions: int = 5,
    seed: int = 0,
) -> Program[Kept]:
    """Request a comparison with another model or another dataset; call ``wait()`` on what is returned.

    Parameters
    ----------
    model : by explainer
    dataset
        The rows on which two models are compared, or the reference rows; best such that no model was trained on them.
    other_model
        As ``model``: what is compared with it, of the same task.
    other_dataset
        What is compared with the dataset, such as newer rows.
    seed : of the comparison
    """
    request = ComparisonRequest(
        model=(yield from model_of(model)),
        dataset=id_of(dataset),
        other_model=None if other_model is None else (yield from model_of(other_model)),
        other_dataset=id_or_none(other_dataset),
        max_regions=max_regions,
        seed=seed,
    )
    return self._wrapped((yield from create(create_comparison(body=request))))


def _between(
    self: Collection[Details, Kept],
    one: Identified,
    other: Identified,
    *,
    on: Identified | None = None,
    by: Identified | None = None,
    max_regions: int = 5,
    seed: int = 0,
) -> Program[Kept]:
    """Request a comparison of two models ``on`` a dataset, or of two datasets ``by`` a model.

    Parameters
    ----------
    seed : of the comparison

    Raises
    ------
    WrongArgument
        If neither ``on`` nor ``by`` is given, or both are.
    """
    if (on is None) == (by is None):
        message = "compare takes either `on`, the dataset for two models, or `by`, the model for two datasets"
        raise WrongArgument("validation_failed", message)
    if on is not None:
        return (yield from _create(self, one, on, other_model=other, max_regions=max_regions, seed=seed))
    return (yield from _create(self, by, one, other_dataset=other, max_regions=max_regions, seed=seed))


class Comparison(ComparisonView, BlockingArtefact):
    """A comparison, for the blocking client."""

    to_frame = blocking(_to_frame)


class AsyncComparison(ComparisonView, AwaitableArtefact):
    """A comparison, for the async client."""

    to_frame = awaitable(_to_frame)


class Comparisons(SyncDeletable[Details, Comparison, Comparison]):
    """All comparisons, newest first."""

    noun = COMPARISONS
    view = Comparison
    create = blocking(_create)
    between = blocking(_between)


class AsyncComparisons(AsyncDeletable[Details, AsyncComparison, AsyncComparison]):
    """All comparisons, newest first."""

    noun = COMPARISONS
    view = AsyncComparison
    create = awaitable(_create)
    between = awaitable(_between)
