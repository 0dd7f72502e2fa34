"""The spaces in which the nearest rows of every row are found: those of prototypes, and those in which rows count."""

from dataclasses import dataclass, replace
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from schemas.artefacts import KindOrDistance, RowKind
from schemas.proximities import ProximitiesRequest
from storage.errors import StorageError
from tree_explainers.compute.progress import part_of
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.counted_table import TOTAL, BagKind, CountedTable
from tree_explainers.leaf_space.graded_table import GradedTable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.partitioned_table import PartitionedTable

from ..runtime.context import JobContext
from .inputs import OpenModel, ScoredDataset
from .spaces import SPACE_LOADED, EuclideanSpace, Space, compare_by_distance, load_leaf_space, load_rows


@dataclass(frozen=True, slots=True)
class NeighborSpace:
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


def load_neighbor_space(context: JobContext, request: ProximitiesRequest) -> NeighborSpace:
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


def _of_space(space: Space) -> NeighborSpace:
    return NeighborSpace(
        space.model,
        space.dataset,
        space.kind,
        space.weights,
        space.min_leaf_rows,
        space.n_trees_used,
        space.arrays(),
    )


def _load_by_rows(context: JobContext, request: ProximitiesRequest) -> NeighborSpace:
    model, scored = load_rows(context, request)
    table = scored.table.here() if isinstance(scored.table, PartitionedTable) else scored.table
    is_by_bags = request.proximity_kind in get_args(BagKind)
    compared, n_trees_used = (_by_bags if is_by_bags else _weighted)(model, table, request)
    kind = cast("RowKind", request.proximity_kind)
    dataset, total = replace(scored, table=compared), np.array([TOTAL])
    return NeighborSpace(model, dataset, kind, total, request.min_leaf_rows, n_trees_used)


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
