"""The file of all reference rows that a prototype set keeps, unless it would be too large."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explanations.nearest_rows import MAX_GROUP_COLUMNS
from explanations.reference_file import Outcomes, ReferenceLeaves, is_small_enough, write_reference_file
from schemas.artefacts import SearchedRows
from storage.dataset_rows import open_rows
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.prototype_sets.leaf_paths import path_arrays

from ..runtime.context import JobContext
from .inputs import LeafSpace
from .row_targets import fitting_targets

_FILE = "reference_rows"
_HELD_BYTES = 8 + 4 * MAX_GROUP_COLUMNS  # of a row: its sum and whether it is allowed, and its groups


@dataclass(frozen=True, slots=True)
class Reference:
    """The file, if there is one, and the result's part about it."""

    files: Mapping[str, Path] = field(default_factory=dict)
    view: SearchedRows | None = None


def write_reference(context: JobContext, space: LeafSpace, truth: NDArray[Any] | None) -> Reference:
    """Write the file.

    Parameters
    ----------
    space
        The leaves by which prototypes were chosen.
    truth
        Targets of the rows, if they are known already: classes or values.
    """
    dataset, ensemble = space.dataset, space.model.ensemble
    if not is_small_enough(dataset.n_rows, dataset.table.n_trees, len(dataset.columns)):
        return Reference()
    if truth is None:
        targets_of_rows = fitting_targets(context.objects, space.model, dataset)
        truth = None if targets_of_rows is None else targets_of_rows.classes_or_values
    is_class = dataset.labels is not None
    outcomes = Outcomes(
        np.asarray(dataset.labels, np.int32) if is_class else np.ascontiguousarray(dataset.scores[:, 0]),
        None if truth is None else truth.astype(np.int32 if is_class else np.float64),
    )
    paths = path_arrays(ensemble, space.leaves.nodes, space.leaves.node_offsets)
    path = context.workspace / _FILE
    with open_rows(context.objects, dataset.stored.content) as file:
        table = dataset.table.here() if isinstance(dataset.table, PartitionedTable) else dataset.table
        leaves = ReferenceLeaves(table, space.weights, paths)
        write_reference_file(path, leaves, outcomes, file, dataset.columns)
    size = path.stat().st_size
    held = _HELD_BYTES * dataset.n_rows
    return Reference({_FILE: path}, SearchedRows(n_rows=dataset.n_rows, mapped_bytes=size, held_bytes=held))
