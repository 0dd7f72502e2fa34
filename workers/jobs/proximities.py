"""Make proximities: the nearest rows of every row, found and written block by block, so that memory holds one block.

Rows are compared in the spaces of prototypes, and in those in which rows count.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.artefacts import KindOrDistance, RowKind
from schemas.proximities import ProximitiesRequest, ProximitiesResult, ReadOff
from storage.array_files import write_arrays
from storage.errors import StorageError
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.counted_table import TOTAL, BagKind, CountedTable
from tree_explainers.leaf_space.graded_table import GradedTable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.neighbor_predictions import fidelity, labels_of_neighbors, r2, values_of_neighbors
from tree_explainers.leaf_space.neighborhoods import Neighborhoods, each_neighborhood
from tree_explainers.leaf_space.partitioned_table import PartitionedTable

from ..runtime.context import JobContext, Produced
from .inputs import OpenModel, ScoredDataset, row_names
from .spaces import SPACE_LOADED, EuclideanSpace, Space, compare_by_distance, load_leaf_space, load_rows

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("rank", pa.int32()),
        ("neighbor_row", pa.int64()),
        ("neighbor_row_id", pa.string()),
        ("proximity", pa.float64()),
    ]
)
_GROUP_LINES = 131_072  # what a reader of one page has to decode
_GROUP_BYTES = 1 << 28  # of names: fewer lines where these are long


@dataclass(frozen=True, slots=True)
class _NeighborSpace:
    """A dataset's rows as they are compared to find the nearest of each."""

    model: OpenModel
    dataset: ScoredDataset
    kind: KindOrDistance | RowKind
    weights: NDArray[np.int64]  # as the dataset's table takes them
    min_leaf_rows: int | None  # None: without leaves
    n_trees_used: int | None
    arrays: dict[str, NDArray[Any]] | None = None  # kept to compare other rows in the same space; None: none will be

    @property
    def total_weight(self) -> int:
        """The integer proximity of rows that are alike in all that counts."""
        return int(self.weights.sum())


def make_proximities(context: JobContext) -> Produced:
    """Make the artefact that a ``ProximitiesRequest`` describes."""
    request = ProximitiesRequest(**context.request)
    space = _load_space(context, request)
    table = context.workspace / "neighbors.parquet"
    report = part_of(context.report, SPACE_LOADED, 1)
    names = row_names(context.objects, space.dataset.stored)
    totals, read = _write_neighbors(table, space, names, request.n_neighbors, report)
    content = ProximitiesResult(
        proximity_kind=space.kind,
        n_rows=space.dataset.n_rows,
        n_trees=space.model.view.n_trees,
        min_leaf_rows=space.min_leaf_rows,
        n_trees_used=space.n_trees_used,
        n_neighbors=request.n_neighbors,
        n_pairs=totals.n_pairs,
        mean_nearest_proximity=totals.nearest / space.total_weight / space.dataset.n_rows,
        share_without_neighbors=totals.n_alone / space.dataset.n_rows,
        read_off=_scored(space.dataset, *read),
    )
    arrays = None if space.arrays is None else write_arrays(space.arrays)
    return Produced(content.model_dump_json().encode(), arrays, files={"table": table})


def _load_space(context: JobContext, request: ProximitiesRequest) -> _NeighborSpace:
    """Return the space that a request names: by leaves, by what rows count in leaves, or by plain distance.

    Raises
    ------
    StorageError
        ``method_not_applicable`` for a kind that needs the rows of training, where these are others.
    """
    if request.proximity_kind in get_args(RowKind):
        return _load_by_rows(context, request)
    if request.proximity_kind != "euclidean":
        return _of_space(load_leaf_space(context, request))
    model, dataset = load_rows(context, request)
    report = part_of(context.report, SPACE_LOADED, SPACE_LOADED)
    return _of_space(EuclideanSpace.of(model, compare_by_distance(context.objects, dataset, dataset, report)[0]))


def _of_space(space: Space) -> _NeighborSpace:
    return _NeighborSpace(
        space.model,
        space.dataset,
        space.kind,
        space.weights,
        space.min_leaf_rows,
        space.n_trees_used,
        space.arrays(),
    )


def _load_by_rows(context: JobContext, request: ProximitiesRequest) -> _NeighborSpace:
    model, scored = load_rows(context, request)
    table = scored.table.here() if isinstance(scored.table, PartitionedTable) else scored.table
    is_by_bags = request.proximity_kind in get_args(BagKind)
    compared, n_trees_used = (_by_bags if is_by_bags else _weighted)(model, table, request)
    kind = cast("RowKind", request.proximity_kind)
    dataset, total = replace(scored, table=compared), np.array([TOTAL])
    return _NeighborSpace(model, dataset, kind, total, request.min_leaf_rows, n_trees_used)


def _weighted(model: OpenModel, table: LeafTable, request: ProximitiesRequest) -> tuple[LeafTable, int]:
    """Return the table of ``kernel`` or ``graded``, and how many trees count: by weights that make nearness predict."""
    leaves = coarser_leaves(model.ensemble, table, request.min_leaf_rows)
    kind: ProximityKind = "boosting_sd" if model.view.ensemble == "boosting" else "random_forest"
    weights = leaves.weights(kind, table, model.ensemble.leaf_values)
    n_trees_used = int(np.count_nonzero(weights))
    if request.proximity_kind == "kernel":
        return CountedTable.by_sizes(leaves.table(table), weights), n_trees_used
    ensemble = model.ensemble if leaves.min_leaf_rows == 1 else leaves.cut(model.ensemble)
    return GradedTable.of(ensemble, leaves.table(table), weights), n_trees_used


def _by_bags(model: OpenModel, table: LeafTable, request: ProximitiesRequest) -> tuple[LeafTable, int]:
    """Return the table of ``gap`` or ``oob``, in which all trees count."""
    bags = model.description.bags
    assert bags is not None  # without which the request is refused
    kind: BagKind = "gap" if request.proximity_kind == "gap" else "oob"
    try:
        return CountedTable.by_bags(kind, table, bags), table.n_trees
    except InvalidInput as error:
        detail = (
            f"proximity_kind `{kind}` looks at which trees learned from which rows, and those of dataset "
            f"{request.dataset!r} are not the rows that the forest was trained on, or not in their order: send these, "
            "or take proximity_kind `kernel`"
        )
        raise StorageError("method_not_applicable", detail, "/dataset") from error


_Read = tuple[NDArray[Any], NDArray[Any]]  # (n_rows,) labels or values: off the nearest row, off all neighbours


@dataclass(slots=True)
class _Totals:
    """Sums over the rows that are written so far."""

    n_pairs: int = 0
    n_alone: int = 0  # rows without neighbours
    nearest: int = 0  # integer proximity to the nearest row

    def add(self, block: Neighborhoods) -> None:
        self.n_pairs += int((block.proximities > 0).sum())
        self.n_alone += int((block.proximities[:, 0] == 0).sum())
        self.nearest += int(block.proximities[:, 0].sum())


def _write_neighbors(
    path: Path, space: _NeighborSpace, names: pa.Array, n_neighbors: int, report: ReportProgress
) -> tuple[_Totals, _Read]:
    """Write the nearest ``n_neighbors`` of every row, leaving out rows that share no leaf with it.

    What the model says of each row is read off meanwhile, off the nearest other row and off all neighbours.
    """
    totals, read, n_classes = _Totals(), [], len(space.model.view.classes)
    longest = pc.max(pc.binary_length(names)).as_py() or 1
    n_group_lines = max(1, min(_GROUP_LINES, _GROUP_BYTES // (2 * longest)))
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for block in each_neighborhood(space.dataset.table, space.weights, n_neighbors, report, n_classes):
            for lines in _row_groups(block, names, space.total_weight, n_group_lines):
                writer.write_table(lines)
            totals.add(block)
            read.append(_read(space.dataset, block, n_classes))
    nearest, of_all = (np.concatenate(of_blocks) for of_blocks in zip(*read, strict=True))
    return totals, (nearest, of_all)


def _read(dataset: ScoredDataset, block: Neighborhoods, n_classes: int) -> _Read:
    if dataset.labels is None:
        return values_of_neighbors(block, dataset.scores[:, 0].astype(np.float64))
    return labels_of_neighbors(block, dataset.labels, n_classes)


def _scored(dataset: ScoredDataset, nearest: NDArray[Any], neighbors: NDArray[Any]) -> ReadOff | None:
    """Return how well labels or values, (n_rows,), were read off; ``None`` where all rows have the same."""
    if dataset.labels is None:
        values = dataset.scores[:, 0].astype(np.float64)
        of_nearest, of_all = r2(values, nearest), r2(values, neighbors)
        if of_nearest is None or of_all is None:
            return None
        return ReadOff(measure="r2_of_model", nearest=of_nearest, neighbors=of_all, constant=0.0)
    labels, n_of_class = dataset.labels, np.bincount(dataset.labels)
    if n_of_class.max() == len(labels):
        return None
    return ReadOff(
        measure="fidelity",
        nearest=fidelity(labels, nearest),
        neighbors=fidelity(labels, neighbors),
        constant=float(n_of_class.max() / len(labels)),
    )


def _row_groups(block: Neighborhoods, names: pa.Array, total_weight: int, n_group_lines: int) -> Iterator[pa.Table]:
    """Yield a line for each row and each of its neighbours, nearest first."""
    all_rows, all_ranks = np.nonzero(block.proximities)  # indices within the block
    for start in range(0, len(all_rows), n_group_lines):
        row, rank = (indices[start : start + n_group_lines] for indices in (all_rows, all_ranks))
        rows, neighbors = block.rows[row], block.neighbors[row, rank]
        proximities = block.proximities[row, rank] / total_weight
        columns = [rows, names.take(rows), rank + 1, neighbors, names.take(neighbors), proximities]
        yield pa.table(dict(zip(SCHEMA.names, columns, strict=True))).cast(SCHEMA)
