"""What it costs to grow an approximation tree of each method: bytes held at once, and seconds on a slow core."""

from collections.abc import Callable, Mapping
from typing import Literal

from ..compute.job_sizes import MIB, JobSizes, n_processes
from ..compute.partitions import BLOCK_ROWS
from ..leaf_space.neighborhoods import BLOCK_CELLS
from .partitioned_ism import MOST_CELLS
from .pseudo_samples import MOST_HELD_BYTES

TreeMethod = Literal["sta", "cart", "born_again", "ism"]

_PARTITIONS_AT_ONCE = 20  # whose sums are held together
_SECONDS_PER_COLUMN: Mapping[TreeMethod, float] = {"sta": 1.5e-5, "cart": 8e-7, "born_again": 2e-6, "ism": 3e-7}
"""Seconds of a pseudo row for each feature and each class."""
_SECONDS_PER_TREE: Mapping[TreeMethod, float] = {"sta": 2e-6, "cart": 1e-7, "born_again": 1e-7, "ism": 1e-7}
"""Seconds in which a tree labels a pseudo row."""
_NODES_LABELLED: Mapping[TreeMethod, int] = {"sta": 20, "cart": 1, "born_again": 1, "ism": 0}
"""Nodes with pseudo rows of their own, which the model labels."""


def held_row_bytes(sizes: JobSizes, *, are_bins_counted: bool) -> float:
    """Return the bytes of the rows in the job's process, and of sums over those that stay in partitions.

    Parameters
    ----------
    sizes
        Sizes of the model and of all rows.
    are_bins_counted
        Whether the tree is grown on the rows themselves, by counts of their bins.
    """
    return 40 * MIB + 20 * sizes.sampled().n_cells + _partition_bytes(sizes, are_bins_counted)


def _partition_bytes(sizes: JobSizes, are_bins_counted: bool) -> float:
    n_rows = sizes.n_rows - sizes.sampled().n_rows
    if not n_rows:
        return 0
    cells = min((2 + sizes.n_outputs) * sizes.n_nodes, 2 * MOST_CELLS)
    sums = 8 * _PARTITIONS_AT_ONCE * cells if are_bins_counted else 0
    if not sizes.is_local:
        return sums
    counted_bytes = 2 * sizes.n_features + 8 * sizes.n_outputs + 8 if are_bins_counted else 0
    block = BLOCK_ROWS * (24 * sizes.n_features + 24 * sizes.n_outputs)
    return sums + (8 * sizes.n_outputs + 24 + counted_bytes) * n_rows + n_processes() * block


def dataset_tree_bytes(sizes: JobSizes, method: TreeMethod) -> float:
    """Return the bytes of growing a tree on rows of the dataset alone: their values, and their leaves."""
    held = sizes.sampled()
    return (36 if method == "cart" else 0) * held.n_cells + 16 * held.n_paths


def pseudo_row_bytes(sizes: JobSizes, method: TreeMethod, n_pseudo_rows: int) -> float:
    """Return the bytes of pseudo rows, and of what the method counts of them."""
    return _BYTES[method](sizes.sampled(), n_pseudo_rows)


def tree_seconds(sizes: JobSizes, method: TreeMethod, n_labelled: int) -> float:
    """Return the seconds in which a tree is grown on pseudo rows, and these are labelled.

    Parameters
    ----------
    sizes
        Sizes of the model and the rows.
    method
        The tree's method.
    n_labelled
        Pseudo rows of all repeats.
    """
    of_columns = _SECONDS_PER_COLUMN[method] * (sizes.n_features + sizes.n_outputs)
    labelling = _SECONDS_PER_TREE[method] * sizes.n_trees + _NODES_LABELLED[method] * sizes.oracle_seconds / 1_000
    return n_labelled * (of_columns + labelling)


def _sta_bytes(sizes: JobSizes, n_pseudo_rows: int) -> float:
    sums = min(MOST_HELD_BYTES, 200 * sizes.n_cells * sizes.n_outputs)
    return sums + min(MOST_HELD_BYTES, 2 * n_pseudo_rows * (2 * sizes.n_features + 8 * sizes.n_outputs))


def _cart_bytes(sizes: JobSizes, n_pseudo_rows: int) -> float:
    return n_pseudo_rows * (36 * sizes.n_features + 24 * sizes.n_outputs)


def _born_again_bytes(sizes: JobSizes, n_pseudo_rows: int) -> float:
    return n_pseudo_rows * (46 * sizes.n_features + 24 * sizes.n_outputs)


def _ism_bytes(sizes: JobSizes, n_pseudo_rows: int) -> float:
    return _cart_bytes(sizes, n_pseudo_rows) + 16 * min(sizes.n_paths, BLOCK_CELLS * sizes.n_trees)


_BYTES: Mapping[TreeMethod, Callable[[JobSizes, int], float]] = {
    "sta": _sta_bytes,
    "cart": _cart_bytes,
    "born_again": _born_again_bytes,
    "ism": _ism_bytes,
}
