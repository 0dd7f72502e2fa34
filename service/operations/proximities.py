"""Request the nearest rows of every row and read them page by page; compare a few rows with a few others at once.

Blocks of proximities are answered while the caller waits: built as plain values and written as JSON line by line; a
test holds them against the contract.
"""

import asyncio
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from explanations.instances import Features, ReadInstances, read_instances, row_ids_of, run_readable
from schemas.models import Model
from schemas.nouns import NOUNS
from schemas.problems import problem_for, problem_json
from schemas.proximities import PROXIMITIES, Proximities, ProximitiesRequest, ProximityBlockRequest
from storage.array_files import read_archive
from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from storage.errors import NotFound, StorageError
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.compute.progress import Tick
from tree_explainers.errors import RowRefused
from tree_explainers.leaf_space.coarser_leaves import map_leaves
from tree_explainers.leaf_space.cost import (
    counted_bytes,
    counted_seconds,
    distance_seconds,
    graded_bytes,
    graded_seconds,
    list_bytes,
    neighbor_bytes,
    neighbor_seconds,
    position_bytes,
)
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.leaf_space.proximity import proximity_block
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prototype_sets.euclidean_sweep import n_steps

from ..admission.batches import Cost
from ..app_context import AppContext
from .artefact_tables import StoredTable, open_table
from .artefacts import MadeFrom, request_artefact
from .job_estimates import KindEstimate, Need, Request, leaf_need
from .json_pages import MAX_PAGE_BYTES, PARQUET_ADVICE, Rows, first_row_of, page_blocks
from .plain_distances import check_distances, refusal_of_distances
from .prediction_costs import prediction_seconds
from .request_checks import check_neighbors, known_kind
from .row_kinds import check_row_kind, is_row_kind, refusal_of_row_kind

# Of a pair of rows and a tree of a pair, on one processor; of JSON.
_SECONDS_PER_PAIR, _SECONDS_PER_TREE = 1e-7, 1e-9
_BYTES_PER_ROW, _BYTES_PER_PAIR = 256, 24
_ROWS_PER_BLOCK = 64  # between which the caller may leave
_NEIGHBOR_BYTES = 52  # as JSON, at least
_NOUNS_WITH_WEIGHTS = tuple(noun for noun in NOUNS.made_by_jobs if "weights" in noun.arrays)


def request_proximities(context: AppContext, request: ProximitiesRequest) -> Proximities:
    """Return the proximities if they are made or being made; otherwise begin to make them.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    check_distances(request)
    complete, model, dataset = check_neighbors(context, request)
    check_row_kind(complete, model, dataset.view.n_rows)
    n_rows = dataset.view.n_rows
    refusal = refusal_of_distances(complete, model, n_rows) or refusal_of_row_kind(complete, model, n_rows)
    return request_artefact(context, PROXIMITIES, complete, MadeFrom(model, dataset), refusal)


def _needs(sizes: JobSizes, request: Request) -> tuple[Need, ...]:
    kind = request["proximity_kind"]
    by_distance = kind == "euclidean"
    n_bytes = neighbor_bytes(sizes, request["n_neighbors"], by_distance=by_distance)
    if by_distance:
        rows = Need(position_bytes(sizes))
    else:
        of_rows = list_bytes(sizes)
        if is_row_kind(kind):
            of_rows = graded_bytes(sizes) if kind == "graded" else counted_bytes(sizes)
        rows = leaf_need(sizes, request, of_rows)
    return rows, Need(n_bytes, "request fewer neighbours", "/n_neighbors")


def _seconds(sizes: JobSizes, request: Request) -> float:
    kind = request["proximity_kind"]
    if kind == "euclidean":
        return distance_seconds(n_steps(sizes.n_rows, sizes.n_rows, sizes.n_features))
    if is_row_kind(kind):
        return graded_seconds(sizes) if kind == "graded" else counted_seconds(sizes)
    return neighbor_seconds(sizes)


ESTIMATE = KindEstimate(_needs, _seconds)


def list_neighbors(context: AppContext, proximities_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of rows with their neighbours as JSON: a ``Page`` of ``NeighborsOfRow``.

    The cursor is the index of the next row; a page holds fewer than ``limit`` rows where they have many neighbours.
    """
    start = first_row_of(cursor)
    artefact, table = open_table(context, PROXIMITIES, proximities_id)
    n_wanted = min(limit, max(1, MAX_PAGE_BYTES // (_NEIGHBOR_BYTES * artefact.request["n_neighbors"])))
    content = context.datasets.content(artefact.request["dataset"])
    with table, open_rows(context.objects, content, pages=True) as file:
        rows = range(min(start, file.n_rows), min(start + n_wanted, file.n_rows))
        row_ids = _row_ids(file, rows)
        return page_blocks(Rows(neighbors_of(table, rows, row_ids), start, file.n_rows, PARQUET_ADVICE))


def neighbors_of(table: StoredTable, rows: range, row_ids: list[str]) -> Iterator[bytes]:
    """Return rows with their neighbours as JSON, for each row that has an id here: each a ``NeighborsOfRow``."""
    columns = ["row", "neighbor_row", "neighbor_row_id", "proximity"]
    lines = table.read_where("row", rows.start, rows.stop, columns)
    return _encoded(lines.select(columns), rows, row_ids)


def _row_ids(file: DatasetFile, rows: range) -> list[str]:
    """Return the ids of rows: of those of them, from the first on, whose ids a page can hold."""
    if file.row_id_column is None:
        return list(map(str, rows))
    row_ids: list[str] = []
    while len(row_ids) < len(rows):
        page = file.page([file.row_id_column], rows.start + len(row_ids), len(rows) - len(row_ids), MAX_PAGE_BYTES)
        if not page.n_rows:
            break
        row_ids += page.columns[0].to_pylist()
    return row_ids


def _encoded(lines: pa.Table, rows: range, row_ids: list[str]) -> Iterator[bytes]:
    of_row = lines.column("row").to_numpy()
    starts, stops = (np.searchsorted(of_row, rows, side=side) for side in ("left", "right"))
    for row, row_id, start, stop in zip(rows, row_ids, starts.tolist(), stops.tolist(), strict=False):
        neighbor_lines = lines.slice(start, stop - start)
        columns = [column.to_pylist() for column in neighbor_lines.columns]
        neighbors = [
            {"row": neighbor, "row_id": name, "proximity": proximity, "distance": 1 - proximity}
            for neighbor, name, proximity in zip(*columns[1:], strict=True)
        ]
        yield orjson.dumps({"row": row, "row_id": row_id, "neighbors": neighbors})


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A model with the weights of its trees, to compare rows by."""

    model: Model
    session: ModelSession
    kind: ProximityKind
    weights: NDArray[np.int64] | None  # (n_trees,); None: the rows themselves weigh the trees, by these values
    coarser: Mapping[str, NDArray[Any]]  # coarser_leaves and leaf_offsets; empty: by the trees' own leaves
    values: dict[str, NDArray[Any]]  # leaf_values, (n_leaves, n_outputs), and leaf_offsets, (n_trees + 1,)

    def leaves(self, rows: "_RowLeaves") -> NDArray[np.int32]:
        """Return the leaves to compare rows by, (n_readable, n_trees)."""
        if not self.coarser:
            return rows.leaves
        return map_leaves(self.coarser["coarser_leaves"], self.coarser["leaf_offsets"], rows.leaves)


@dataclass(frozen=True, slots=True)
class _RowLeaves:
    """Rows with the leaves that they reach."""

    row_ids: Sequence[str]  # of all that were sent
    leaves: NDArray[np.int32]  # (n_readable, n_trees)
    indices: list[int]  # of those that can be read, among those sent
    refused: dict[int, RowRefused]


async def compare_rows(context: AppContext, model_id: str, request: ProximityBlockRequest) -> bytes:
    """Return the proximity of each instance to each of the others, as JSON.

    Raises
    ------
    NotFound
        If there is no such model, or no artefact with the requested weights.
    StorageError
        ``too_many_rows``, ``validation_failed`` for two equal ids, ``conflict`` for weights of
        another model or kind, or ``unavailable`` where too many rows wait already.
    """
    comparison = await asyncio.to_thread(_prepare, context, model_id, request)
    n_rows = len(request.instances) + len(request.others)
    n_pairs = len(request.instances) * len(request.others)
    n_trees = comparison.model.n_trees
    seconds = prediction_seconds(comparison.model, n_rows) + n_pairs * (_SECONDS_PER_PAIR + _SECONDS_PER_TREE * n_trees)
    cost = Cost(seconds, _BYTES_PER_ROW * n_rows + _BYTES_PER_PAIR * n_pairs)
    return await context.batches.run(cost, lambda tick: _compare(comparison, request, tick))


def _prepare(context: AppContext, model_id: str, request: ProximityBlockRequest) -> _Comparison:
    stored = context.models.get(model_id)
    kind = known_kind(request.proximity_kind, stored.view)
    weights, values = None, {}
    coarser: Mapping[str, NDArray[Any]] = {}
    if request.weights_of is not None:
        kind, weights, coarser = _weights_of(context, stored.view, request)
    elif kind == "random_forest":
        weights = np.ones(stored.view.n_trees, dtype=np.int64)
    else:
        values = read_archive(context.objects.path(stored.ensemble), "leaf_values", "leaf_offsets")
    return _Comparison(stored.view, context.sessions.get(model_id), kind, weights, coarser, values)


def _weights_of(
    context: AppContext, model: Model, request: ProximityBlockRequest
) -> tuple[ProximityKind, NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Return an artefact's tree weights with their kind, and how its coarser leaves are found where it has such."""
    artefact_id, kind = str(request.weights_of), known_kind(request.proximity_kind, model)
    noun = next((noun for noun in _NOUNS_WITH_WEIGHTS if artefact_id.startswith(noun.id_prefix)), None)
    if noun is None:
        raise NotFound("artefact", artefact_id, "take the id of proximities, a label audit or a prototype set")
    artefact = context.artefacts.get(noun.name, artefact_id)
    result, used = artefact.ready_result(), artefact.request["proximity_kind"]
    if used == "auto":  # the job found it
        used = orjson.loads(context.objects.get(result))["proximity_kind"]
        kind = used if request.proximity_kind == "auto" else kind
    if artefact.model != model.id or used != kind:
        mismatch = f"{artefact_id!r} is of model {artefact.model!r} and kind {used!r}"
        raise StorageError("conflict", f"{mismatch}, but the request is for {kind!r} of {model.id!r}", "/weights_of")
    path = context.objects.path(artefact.arrays or "")
    arrays = read_archive(path, "weights", "coarser_leaves", "leaf_offsets")
    return kind, arrays.pop("weights"), arrays


def _compare(comparison: _Comparison, request: ProximityBlockRequest, tick: Tick) -> bytes:
    features = Features.of(comparison.model)
    # Ids are checked before the rows are read.
    instance_ids = row_ids_of(request.row_ids, len(request.instances))
    other_ids = row_ids_of(request.other_row_ids, len(request.others), "/other_row_ids")
    instances = _apply_model(comparison.session, read_instances(request.instances, features, tick), instance_ids)
    others = _apply_model(comparison.session, read_instances(request.others, features, tick), other_ids)
    document = {
        "object": "proximity_block",
        "model": comparison.model.id,
        "proximity_kind": comparison.kind,
        "n_trees": comparison.model.n_trees,
        "weights_of": request.weights_of,
        "instances": _statuses(instances),
        "others": _statuses(others),
        "proximities": _proximity_lines(comparison, instances, others, tick),
    }
    return orjson.dumps(document)


def _apply_model(session: ModelSession, read: ReadInstances, row_ids: Sequence[str]) -> _RowLeaves:
    outcome, indices, refused = run_readable(session, read)
    return _RowLeaves(row_ids, outcome.leaves, indices, refused)


def _proximity_lines(
    comparison: _Comparison, instances: _RowLeaves, others: _RowLeaves, tick: Tick
) -> list[orjson.Fragment | None]:
    """Return a line for each instance; NaN is written as null."""
    lines: list[orjson.Fragment | None] = [None] * len(instances.row_ids)
    weights = _weights(comparison, np.concatenate([instances.leaves, others.leaves]))
    leaves, compared = comparison.leaves(instances), comparison.leaves(others)
    line = np.full(len(others.row_ids), np.nan)
    for start in range(0, len(leaves), _ROWS_PER_BLOCK):
        tick()
        rows = slice(start, start + _ROWS_PER_BLOCK)
        shared = proximity_block(leaves[rows], compared, weights)
        for index, of_row in zip(instances.indices[rows], shared / weights.sum(), strict=True):
            line[others.indices] = of_row
            # One line at a time: the interpreter's lock is released in between.
            lines[index] = orjson.Fragment(orjson.dumps(line, option=orjson.OPT_SERIALIZE_NUMPY))
    return lines


def _weights(comparison: _Comparison, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
    if comparison.weights is not None:
        return comparison.weights
    if len(leaves) == 0:
        return np.ones(leaves.shape[1], dtype=np.int64)  # there is nothing to compare
    table = LeafTable.from_leaves(leaves, np.diff(comparison.values["leaf_offsets"]))
    return tree_weights(comparison.kind, table, comparison.values["leaf_values"])


def _statuses(rows: _RowLeaves) -> list[dict[str, Any]]:
    statuses: list[dict[str, Any]] = [{"row_id": row_id, "status": "ok", "problem": None} for row_id in rows.row_ids]
    for index, error in rows.refused.items():
        problem = problem_json(problem_for(error.code, error.detail))
        statuses[index] = {"row_id": rows.row_ids[index], "status": "error", "problem": problem}
    return statuses
