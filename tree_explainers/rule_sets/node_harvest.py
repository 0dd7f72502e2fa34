"""Node Harvest: nodes of an ensemble's trees, weighted by a quadratic programme so that they fit the training rows.

References
----------
Meinshausen (2010), "Node harvest", The Annals of Applied Statistics 4(4), 2049-2072.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.progress import ReportProgress, ignore_progress
from ..errors import MethodNotApplicable
from ..prediction_scores import Targets
from ..questions.binned_rows import BinnedRows
from .quadratic_programme import Programme, solve
from .rule_lists import Box
from .tree_paths import TreePaths
from .weighted_rules import WEIGHT_UNIT, WeightedRules

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_COLLECTING, _WEIGHTING = "collecting nodes", "weighting nodes"  # stages that progress reports name
_ROOT_WEIGHT = 0.001  # at least, so that every row is in some node; the paper's
_LEAST_WEIGHT = 0.001  # nodes of less weight are left out, as in the author's program
_TWO = 2  # classes, at most
_ROWS_AT_ONCE = 65_536
_NODES_PER_REPORT = 100
_ROUNDING = 1e-9  # pivots below this share of the largest are rounding errors


@dataclass(frozen=True, slots=True)
class NodeHarvestSettings:
    """Which nodes are weighted; the defaults are those of the author's program."""

    max_depth: int = 2  # of nodes: interactions of two features
    n_nodes: int = 1000  # at most, from the first trees on
    min_rows: int = 10  # inside each node, and outside
    max_total_weight: float | None = None  # the paper's lambda, 1 or more; ``None``: no bound


@dataclass(frozen=True, slots=True)
class Nodes:
    """Distinct nodes, the first of which holds all rows."""

    boxes: tuple[Box, ...]
    n_shared: NDArray[np.int64]  # (n_nodes, n_nodes) rows that two nodes have in common
    sums: Floats  # (n_nodes,) of the targets of each node's rows

    @property
    def n_covered(self) -> NDArray[np.int64]:
        """Number of each node's rows, (n_nodes,)."""
        return np.diagonal(self.n_shared)


def harvest(
    paths: TreePaths,
    binned: BinnedRows,
    targets: Targets,
    settings: NodeHarvestSettings,
    report: ReportProgress = ignore_progress,
) -> WeightedRules:
    """Return the nodes of positive weight, as rules.

    The weights w of the nodes minimise the squared error of the training rows' weighted means, where w >= 0, the
    weights of each training row's nodes sum to 1, and the node of all rows weighs at least 0.001 (the paper's (6)).

    Parameters
    ----------
    paths
        The trees' paths down to ``settings.max_depth``.
    binned, targets
        The training rows: values, or two classes, which count as 0 and 1.
    settings
        Which nodes are weighted.
    report
        Called between pieces of work; may raise to stop.

    Raises
    ------
    MethodNotApplicable
        For more than two classes.
    """
    values = as_values(targets)
    nodes = collect_nodes(paths, binned, values, settings, report)
    report(0.5, _WEIGHTING)
    means = nodes.sums / nodes.n_covered
    weights = node_weights(nodes, values, settings.max_total_weight)
    report(1.0, _WEIGHTING)
    units = np.where(weights >= _LEAST_WEIGHT, np.rint(weights / WEIGHT_UNIT), 0)
    units[0] = max(units[0], round(_ROOT_WEIGHT / WEIGHT_UNIT))
    order = np.lexsort((-nodes.n_covered, -units))[: np.count_nonzero(units)]
    boxes = tuple(nodes.boxes[index] for index in order)
    rounded = np.round(units[order] * WEIGHT_UNIT, 6)
    return WeightedRules(boxes, rounded, means[order], nodes.n_covered[order], targets.is_regression)


def as_values(targets: Targets) -> Floats:
    """Return the values, or 0 and 1 for two classes, (n_rows,)."""
    if targets.values is not None:
        return targets.values
    if targets.n_classes != _TWO:
        msg = (
            f"Node Harvest predicts values or one of two classes; the model has {targets.n_classes} classes. "
            "Take another method of rule sets."
        )
        raise MethodNotApplicable(msg)
    assert targets.classes is not None  # for the type checker: there is one of the two
    return targets.classes.astype(np.float64)


def collect_nodes(
    paths: TreePaths,
    binned: BinnedRows,
    values: Floats,
    settings: NodeHarvestSettings,
    report: ReportProgress = ignore_progress,
) -> Nodes:
    """Return the nodes that hold enough rows, and leave enough out, of which no two hold the same rows."""
    n_rows, seen = binned.n_rows, set[bytes]()
    boxes: list[Box] = []
    members: list[NDArray[np.uint8]] = []
    least = min(settings.min_rows, max(1, n_rows // 20))
    for index, box in enumerate(_all_boxes(paths)):
        if index % _NODES_PER_REPORT == 0:
            report(min(0.4, 0.4 * len(boxes) / settings.n_nodes), _COLLECTING)
        flags = box.covers(binned)
        inside = int(flags.sum())
        bits = np.packbits(flags)
        if (least <= inside <= n_rows - least or not boxes) and bits.tobytes() not in seen:
            seen.add(bits.tobytes())
            boxes.append(box)
            members.append(bits)
        if len(boxes) == settings.n_nodes:
            break
    n_shared = np.zeros((len(boxes), len(boxes)), np.int64)
    sums = np.zeros(len(boxes))
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        report(0.4, _COLLECTING)
        byte_slice = slice(first // 8, (first + _ROWS_AT_ONCE) // 8)
        count = min(_ROWS_AT_ONCE, n_rows - first)
        block = np.array([np.unpackbits(bits[byte_slice], count=count) for bits in members])
        in_single = block.astype(np.float32)  # whole numbers up to 2^24: exact, and quick
        n_shared += (in_single @ in_single.T).astype(np.int64)
        sums += np.array([values[first : first + count][each > 0].sum() for each in block])
    return Nodes(tuple(boxes), n_shared, sums)


def _all_boxes(paths: TreePaths) -> Iterator[Box]:
    """Yield the box of all rows, then those of the trees' nodes in their order."""
    yield Box((), ())
    yield from map(paths.box, paths.nodes())


def node_weights(nodes: Nodes, values: Floats, max_total_weight: float | None = None) -> Floats:
    """Return the weights that minimise the squared error of the training rows, (n_nodes,).

    A row's weights sum to 1 for all rows alike where the rows that nodes share, times the weights, are as for all
    weight at the first node. Weights of some nodes determine those of the others: the programme is about the former,
    from which all weights follow (``start`` plus ``directions`` times theirs).
    """
    n_shared = nodes.n_shared / nodes.n_shared[0, 0]
    spread = values.std() or 1.0
    steps = (nodes.sums / nodes.n_covered - values.mean()) / spread
    quadratic = steps[:, None] * n_shared * steps
    linear = -np.diagonal(n_shared) * steps * steps
    table, pivots, free = _determined(n_shared.copy())
    directions = np.zeros((len(steps), len(free)))
    directions[free, np.arange(len(free))] = 1.0
    directions[pivots] = -table
    directions[abs(directions) < _ROUNDING] = 0.0
    start = np.zeros(len(steps))
    start[0] = 1.0
    start -= directions @ start[free]
    lower = np.zeros(len(steps))
    lower[0] = _ROOT_WEIGHT
    rows, bounds = directions, lower - start
    if max_total_weight is not None:
        rows = np.vstack([rows, -directions.sum(axis=0)])
        bounds = np.append(bounds, start.sum() - max(1.0, max_total_weight))
    programme = Programme(
        directions.T @ quadratic @ directions, directions.T @ (quadratic @ start + linear), rows, bounds
    )
    return np.maximum(start + directions @ solve(programme), lower)


@compiled
def _determined(symmetric: Floats) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Eliminate by pivots on the diagonal, the largest first (ties: the lower index), as far as the rank goes.

    Parameters
    ----------
    symmetric : (n, n), positive semi-definite
        Overwritten.

    Returns
    -------
    (rank, n - rank), (rank,), (n - rank,)
        ``x[pivots] = -table @ x[free]`` wherever ``symmetric @ x = 0``; the indices of pivots and of the others.
    """
    n = len(symmetric)
    diagonal, pivots = np.diag(symmetric).copy(), np.empty(n, np.int64)
    rank, least = 0, _ROUNDING * diagonal.max()
    while rank < n and diagonal.max() > least:
        best = int(diagonal.argmax())
        _eliminate(symmetric, best)
        pivots[rank] = best
        rank += 1
        diagonal = np.diag(symmetric).copy()
        diagonal[pivots[:rank]] = -1.0
    free = np.flatnonzero(diagonal != -1.0)
    return symmetric[pivots[:rank]][:, free], pivots[:rank].copy(), free


@compiled_for_loops
def _eliminate(symmetric: Floats, pivot: int) -> None:
    symmetric[pivot] /= symmetric[pivot, pivot]
    for row in range(len(symmetric)):
        factor = symmetric[row, pivot]
        if row != pivot and factor != 0.0:
            for column in range(len(symmetric)):
                symmetric[row, column] -= factor * symmetric[pivot, column]
