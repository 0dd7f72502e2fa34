"""Request explanation sets, and read them.

A set is kept as JSON lines, compressed frame by frame: they are read as a whole, or one page of them.
"""

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from explanations.change_options import changes_options
from explanations.changes import search_seconds
from explanations.effect_references import reference_of, refuse_without_prototypes, refuse_without_rows
from explanations.effects import unknown_outcome
from explanations.included_parts import (
    n_rows_listed,
    n_steps_listed,
    n_values_shown,
    refuse_evidence,
    refuse_to_include,
)
from explanations.training_rows import refuse_many_weights, refuse_training_rows
from schemas.dictionaries import DictionaryUsed
from schemas.explainers import Explainer
from schemas.explanation_parts import PARTS
from schemas.explanation_sets import ExplanationSet, ExplanationSetRequest
from schemas.explanations import EXPLANATION_SETS
from schemas.models import Model
from schemas.prototype_sets import MAX_PROTOTYPES_BY_COVERAGE, PROTOTYPE_SETS
from storage.array_files import read_arrays
from storage.artefacts import Artefact
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from tree_explainers.compute.job_sizes import MIB, JobSizes, n_processes

from ..app_context import AppContext
from .artefact_tables import StoredTable, open_table
from .artefacts import MadeFrom, request_artefact
from .dictionaries import refuse_hidden
from .explainers import get_explainer
from .job_estimates import KindEstimate, Need, Request
from .json_pages import MAX_PAGE_BYTES, Rows, first_row_of, page_blocks

_SOME_PROTOTYPES = 100
_NEEDED = {part.needs for part in PARTS if part.needs is not None}
EXPLAINED_BLOCK_BYTES = 80 * MIB
"""Bytes of a process that explains blocks of rows."""
SECONDS_PER_EXPLAINED_ROW = 1e-4
_SECONDS_PER_EVIDENCE = 1e-3  # of a row
_SECONDS_PER_MEAN = 0.2  # of a row whose effects are means over many; at most one
_COMPRESSION = "zstd"
_BLOCK_BYTES = 1 << 20
_LARGE_LINE = (
    "download all explanations as JSON lines (`Accept: application/x-ndjson`) or Parquet "
    "(`Accept: application/vnd.apache.parquet`)"
)


def request_explanation_set(context: AppContext, request: ExplanationSetRequest) -> ExplanationSet:
    """Return the explanation set if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    explainer = get_explainer(context, request.explainer)
    model = context.models.get(explainer.model).view
    dataset = context.datasets.get(request.dataset)
    match_features(model, dataset.view)
    n_features = model.n_features if explainer.shown_features == "all" else len(explainer.shown_features)
    lacks = {name for name in _NEEDED if getattr(explainer, name) is None}
    refuse_to_include(request.include, lacks, explainer.id)
    changes_options(request, model)
    refuse_evidence(request, model)
    refuse_training_rows(request.include, model)
    n_reference = 0 if explainer.nearest_rows is None else explainer.nearest_rows.n_rows
    refuse_many_weights(request.include, model, dataset.view.n_rows, n_reference)
    _refuse_effects(context, request, model, explainer)
    _check_size(context.settings.max_explanation_set_values, request, dataset, n_features)
    complete = request.model_copy(update={"include": sorted(set(request.include))})
    n_prototypes = _n_prototypes(context, explainer.prototype_set)
    words = dictionary_used(context, explainer.prototype_set)
    made_from = MadeFrom(model, dataset, n_prototypes=n_prototypes)
    return request_artefact(context, EXPLANATION_SETS, complete, made_from, words=[words])


def _refuse_effects(context: AppContext, request: ExplanationSetRequest, model: Model, explainer: Explainer) -> None:
    """Refuse a reference or an outcome that the explainer does not have, before a job finds out."""
    prototype_set = context.artefacts.get(PROTOTYPE_SETS.name, explainer.prototype_set)
    decides_apart = model.decision is not None and not model.decision.labels_decide
    by_outcome = decides_apart and prototype_set.request["labels"] == "predicted"
    reference = reference_of(request.reference, model.outcomes if by_outcome else model.classes)
    refuse_without_rows(reference, are_kept=explainer.nearest_rows is not None)
    if reference.kind == "prototypes":
        result = json.loads(context.objects.get(prototype_set.result or ""))
        refuse_without_prototypes(reference, [prototype["label"] for prototype in result["prototypes"]])
    if request.outcome is not None and request.outcome not in {*model.outcomes, *model.classes}:
        raise unknown_outcome(request.outcome, model.outcomes)


def dictionary_used(context: AppContext, prototype_set: str) -> DictionaryUsed:
    """Return the present dictionary of the dataset of an explainer with this prototype set."""
    dataset = context.artefacts.get(PROTOTYPE_SETS.name, prototype_set).request["dataset"]
    return DictionaryUsed(dataset=dataset, revision=context.dictionaries.get(dataset).revision)


def _needs(sizes: JobSizes, _request: Request) -> tuple[Need, ...]:
    # Blocks are cut to one size of text, whatever is included; a prototype is stored as the splits on its paths.
    blocks = Need(240 * MIB + EXPLAINED_BLOCK_BYTES * n_processes())
    return blocks, Need(640 * sizes.n_prototypes * sizes.n_trees, "take a smaller explainer", "/explainer")


def _seconds(sizes: JobSizes, request: Request) -> float:
    max_features = request["max_changed_features"]
    searches = search_seconds(request["include"], max_features, sizes.n_features, sizes.n_trees)
    searches += _SECONDS_PER_EVIDENCE * len({"evidence", "training_rows"}.intersection(request["include"]))
    searches += _SECONDS_PER_MEAN * (request.get("reference") or "").startswith(("rows:", "all"))
    return (SECONDS_PER_EXPLAINED_ROW + searches) * sizes.n_rows


ESTIMATE = KindEstimate(_needs, _seconds)


def _n_prototypes(context: AppContext, prototype_set: str) -> int:
    """Return how many prototypes an explainer has; some methods find their number themselves."""
    request = context.artefacts.get(PROTOTYPE_SETS.name, prototype_set).request
    if request.get("coverage") is not None:
        return MAX_PROTOTYPES_BY_COVERAGE
    requested: int | str | None = request["n_prototypes"]
    return requested if isinstance(requested, int) else _SOME_PROTOTYPES


def _check_size(limit: int, request: ExplanationSetRequest, dataset: StoredDataset, n_features: int) -> None:
    n_rows, n_values = dataset.view.n_rows, n_values_shown(request, n_features)
    n_others = request.n_prototypes + n_rows_listed(request)
    if n_rows * (n_others * n_values + n_steps_listed(request, n_features)) > limit:
        detail = (
            f"{n_rows} rows with {n_others} prototypes or reference rows and {n_values} reasons or values of each "
            f"are more than the {limit} values of one set; explain fewer rows, request fewer of these, or show fewer "
            "features"
        )
        raise StorageError(code="resource_estimate_exceeds_limit", detail=detail)


@dataclass(frozen=True, slots=True)
class StoredLines:
    """The lines of one set."""

    path: Path
    rows: NDArray[np.int64]  # (n_frames + 1,) where each frame begins, and the last one ends
    offsets: NDArray[np.int64]  # (n_frames + 1,) the same in bytes of the file

    @property
    def size_bytes(self) -> int:
        """Bytes of the file."""
        return int(self.offsets[-1])

    def stored_blocks(self) -> Generator[bytes]:
        """Yield the file as it is kept."""
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                yield block

    def blocks(self) -> Generator[bytes]:
        """Yield the lines; no block of them is larger than a megabyte."""
        with pa.OSFile(str(self.path)) as file, pa.CompressedInputStream(file, _COMPRESSION) as lines:
            while block := lines.read(_BLOCK_BYTES):
                yield block

    def read(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield lines ``start`` up to, not including, ``stop``, or as many of them as are in one frame."""
        if start >= self.rows[-1]:
            return
        frame = int(np.searchsorted(self.rows, start, side="right")) - 1
        first, last = self.offsets[frame : frame + 2].tolist()
        skipped, wanted = start - int(self.rows[frame]), stop - int(self.rows[frame])
        with self.path.open("rb") as file:
            file.seek(first)
            compressed = pa.BufferReader(file.read(last - first))
        with pa.CompressedInputStream(compressed, _COMPRESSION) as lines:
            yield from islice(_split(lines), skipped, wanted)


def _split(lines: pa.NativeFile) -> Iterator[bytes]:
    """Yield lines one by one; a line that no page can hold is cut off at that size, and is the last."""
    pending = bytearray()
    while block := lines.read(_BLOCK_BYTES):
        *whole, rest = (bytes(pending) + block).split(b"\n")
        pending[:] = rest
        yield from whole
        if len(pending) > MAX_PAGE_BYTES:
            break
    if pending:
        yield bytes(pending)


def open_lines(context: AppContext, explanation_set_id: str) -> StoredLines:
    """Return the lines of a set; refuse one that is not ready, or may show what is hidden by now."""
    artefact = context.artefacts.get(EXPLANATION_SETS.name, explanation_set_id)
    _refuse_hidden(context, artefact)
    index = read_arrays(context.objects.get(artefact.arrays or ""))
    return StoredLines(context.objects.path_of_pages(artefact.files["lines"]), index["rows"], index["bytes"])


def open_set_table(context: AppContext, explanation_set_id: str) -> StoredTable:
    """Return the table of a set, opened; the refusals are those of ``open_lines``."""
    artefact, table = open_table(context, EXPLANATION_SETS, explanation_set_id)
    try:
        _refuse_hidden(context, artefact)
    except StorageError:
        table.close()
        raise
    return table


def _refuse_hidden(context: AppContext, artefact: Artefact) -> None:
    used = DictionaryUsed(**json.loads(context.objects.get(artefact.ready_result()))["dictionary"])
    refuse_hidden(context, f"explanation set {artefact.id!r}", used)


def list_explanations(context: AppContext, explanation_set_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of explanations as JSON: a ``Page`` of ``Explanation``.

    The cursor is the index of the next row; a page holds fewer than ``limit`` rows where a frame of them ends.
    """
    start = first_row_of(cursor)
    lines = open_lines(context, explanation_set_id)
    return page_blocks(Rows(lines.read(start, start + limit), start, int(lines.rows[-1]), _LARGE_LINE))
