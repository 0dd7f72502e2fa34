"""What it costs to find a few rules of each method: bytes held at once, and seconds on a slow core.

The options of ``in_trees`` and ``node_harvest`` are those of their requests; one that is absent has its default.
"""

from collections.abc import Mapping
from typing import Any

from ..compute.job_sizes import MIB, JobSizes, n_processes
from ..compute.partitions import BLOCK_ROWS
from .pseudo_rows import n_pseudo_rows
from .rule_counts import MOST_CELLS
from .rule_search import RESTARTS_PER_FIT

COMPILING_BYTES = 64 * MIB
"""Bytes that a machine's first job of rules takes to compile its loops."""

_PARTITIONS_AT_ONCE = 20  # whose sums are held together
_SECONDS_PER_CELL_AND_RESTART = 2.5e-5


def searched_row_bytes(sizes: JobSizes) -> int:
    """Return the bytes of the rows that rules are searched on: their bins, and what each row has reached."""
    return 3 * sizes.n_cells + 60 * sizes.n_rows


def pseudo_row_bytes(sizes: JobSizes) -> int:
    """Return the bytes of the pseudo rows that rule lists are found on, and of the rows that these are drawn from."""
    n_sampled = min(sizes.n_rows, BLOCK_ROWS)
    n_drawn = 2 * n_pseudo_rows(sizes.n_rows, sizes.n_features)
    return (60 * n_sampled + 80 * n_drawn) * sizes.n_features


def search_bytes(sizes: JobSizes, max_rules: int, n_fits: int) -> float:
    """Return the bytes of the candidates' statements, and of what fits that run at once hold of regions."""
    statements = 80 * sizes.n_nodes * max(20, max_rules)
    if sizes.is_local:
        return statements + 24.0 * min(n_fits, n_processes()) * sizes.n_rows * max(10, max_rules)
    n_cells = sizes.n_nodes * max(2, sizes.n_outputs) * max_rules  # of one candidate's tallies
    return statements + 8.0 * _PARTITIONS_AT_ONCE * max(n_cells, min(MOST_CELLS, 2 * max_rules * n_cells))


def n_fits(n_restarts: int, *, is_list: bool) -> int:
    """Return how many fits a search begins."""
    return max(1, n_restarts // RESTARTS_PER_FIT if is_list else n_restarts)


def search_seconds(sizes: JobSizes, n_restarts: int) -> float:
    """Return the seconds of a search."""
    return _SECONDS_PER_CELL_AND_RESTART * sizes.n_cells * n_restarts


def binned_row_bytes(sizes: JobSizes) -> int:
    """Return the bytes of rows that the methods on nodes and trees hold in one piece."""
    return 40 * sizes.n_cells + 16 * sizes.n_rows * sizes.n_outputs


def in_trees_bytes(sizes: JobSizes, options: Mapping[str, Any]) -> float:
    """Return the bytes of a bit for each row, of splits and of rules."""
    return _n_paths(sizes, options) * sizes.n_rows / 4


def in_trees_seconds(sizes: JobSizes, options: Mapping[str, Any]) -> float:
    """Return the seconds in which the paths of trees are pruned and chosen."""
    return 2e-8 * sizes.n_rows * _n_paths(sizes, options)


def _n_paths(sizes: JobSizes, options: Mapping[str, Any]) -> float:
    n_trees = min(options.get("n_trees", 100), sizes.n_trees)
    return float(min(sizes.n_nodes, n_trees * 2 ** options.get("max_depth", 6)))


def node_harvest_bytes(sizes: JobSizes, options: Mapping[str, Any]) -> float:
    """Return the bytes of the drawn nodes: the rows in each, and what each pair of nodes has in common."""
    n_drawn = min(options.get("n_nodes", 1000), sizes.n_nodes, sizes.n_trees * 2 ** (options.get("max_depth", 2) + 1))
    return float(n_drawn * (sizes.n_rows / 8 + 5 * min(sizes.n_rows, BLOCK_ROWS) + 64 * n_drawn))


def decision_tree_bytes(sizes: JobSizes) -> float:
    """Return the bytes of the tree that is grown on the rows, beside these."""
    return 16.0 * sizes.n_rows


def tree_method_seconds(sizes: JobSizes) -> float:
    """Return the seconds of ``node_harvest`` and ``decision_tree``."""
    return 2e-7 * sizes.n_cells
