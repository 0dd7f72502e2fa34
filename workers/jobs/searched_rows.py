"""The file of all reference rows, by which explanations name the nearest of them and count what became of them.

Rows are searched in leaves of their own, the trees' own as a rule: the coarser leaves in which prototypes reach nearly
all rows make rows alike that the model tells apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explanations.nearest_rows import MAX_GROUP_COLUMNS
from explanations.reference_file import Outcomes, ReferenceLeaves, is_small_enough, write_reference_file
from schemas.artefacts import SearchedRows
from schemas.prototype_sets import PrototypeSetRequest
from storage.dataset_rows import open_rows
from storage.object_store import PreparedFile
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.prototype_sets.leaf_paths import path_arrays

from ..runtime.context import JobContext
from .inputs import OpenModel, ScoredDataset
from .kept_reference import kept_reference
from .row_targets import fitting_targets
from .spaces import LeafSpace, proximity_kind

_FILE = "reference_rows"
_HELD_BYTES = 8 + 4 * MAX_GROUP_COLUMNS  # of a row: its sum and whether it is allowed, and its groups


@dataclass(frozen=True, slots=True)
class Reference:
    """The file of all reference rows, if there is one, and the result's part about it."""

    files: Mapping[str, PreparedFile] = field(default_factory=dict)
    view: SearchedRows | None = None


def searched_space(model: OpenModel, dataset: ScoredDataset, request: PrototypeSetRequest) -> LeafSpace | None:
    """Return the space in which rows, which come with the trees' own leaves, are searched; ``None`` without leaves."""
    requested = request.nearest_rows
    if request.proximity_kind == "euclidean":
        return None
    leaves = coarser_leaves(model.ensemble, dataset.table, requested.min_leaf_rows)
    return LeafSpace.of(model, dataset, proximity_kind(requested.proximity_kind), leaves)


def write_reference(
    context: JobContext,
    searched: LeafSpace,
    prototypes: LeafSpace,
    truth: NDArray[Any] | None,
    in_bag: Callable[[], NDArray[np.uint8] | None],
) -> Reference:
    """Write the file, unless an earlier prototype set keeps it, or it would be too large.

    Parameters
    ----------
    context
        The job, into whose workspace it is written.
    searched
        The space in which rows are searched.
    prototypes
        The space in which rows are compared with prototypes.
    truth : (n_rows,), optional
        Targets of the rows, if they are known already: classes or values.
    in_bag
        Returns which trees learned from which rows, (n_rows, n_bytes), if that is known: see ``ScoredDataset.in_bag``.
    """
    dataset = searched.dataset
    if not is_small_enough(dataset.n_rows, dataset.table.n_trees, len(dataset.columns)):
        return Reference()
    path = context.workspace / _FILE
    prepared = kept_reference(context, _FILE, prototypes.min_leaf_rows, path)
    if prepared is None:
        leaves = _searched_leaves(searched, prototypes, in_bag())
        with open_rows(context.objects, dataset.stored.content) as file:
            write_reference_file(path, leaves, _outcomes(context, searched, truth), file, dataset.columns)
        prepared = context.objects.prepare(path)
    view = SearchedRows(
        n_rows=dataset.n_rows,
        min_leaf_rows=searched.min_leaf_rows,
        proximity_kind=searched.kind,
        mapped_bytes=path.stat().st_size,
        held_bytes=_HELD_BYTES * dataset.n_rows,
    )
    return Reference({_FILE: prepared}, view)


def _searched_leaves(searched: LeafSpace, prototypes: LeafSpace, in_bag: NDArray[np.uint8] | None) -> ReferenceLeaves:
    table, are_alike = searched.dataset.table, searched.min_leaf_rows == prototypes.min_leaf_rows
    return ReferenceLeaves(
        table.here() if isinstance(table, PartitionedTable) else table,
        searched.weights,
        _paths(searched),
        {name: array for name, array in searched.arrays().items() if name != "weights"},
        {} if are_alike else _paths(prototypes),
        in_bag,
    )


def _paths(space: LeafSpace) -> dict[str, NDArray[Any]]:
    return path_arrays(space.model.ensemble, space.leaves.nodes, space.leaves.node_offsets)


def _outcomes(context: JobContext, searched: LeafSpace, truth: NDArray[Any] | None) -> Outcomes:
    model, dataset = searched.model, searched.dataset
    if truth is None:
        targets = fitting_targets(context.objects, model, dataset)
        truth = None if targets is None else targets.classes_or_values
    is_class = dataset.labels is not None
    return Outcomes(
        np.asarray(dataset.labels, np.int32) if is_class else np.ascontiguousarray(dataset.scores[:, 0]),
        None if truth is None else truth.astype(np.int32 if model.description.classes else np.float64),
        are_alike=not model.by_outcome,
    )
