"""Pseudo rows one by one: a training row is smoothed, and another one drawn where it leaves the box."""

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.rows import Rows

BANDWIDTH, RANK_BANDWIDTH, MOVE_PROBABILITY, MOST_FEW = 0.1, 0.1, 0.1, 10

Value = float | str | None


class NaiveSmoother:
    """Smooths rows whose missing values are NaN or None."""

    def __init__(self, rows: Rows, method: str) -> None:
        self.names, self.method = rows.names, method
        self.training: list[Any] = [
            sorted(value for value in column.tolist() if _is_known(value)) for column in rows.columns
        ]
        self.distinct = [sorted(set(values)) for values in self.training]
        self.spreads = [_spread(values) for values in self.training]

    def draw(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> Rows:
        """Draw rows in the box by drawing rows until enough are in it."""
        accepted: list[list[Value]] = []
        while len(accepted) < n:
            at = int(rng.integers(len(rows_at_node)))
            row = [self._smoothed(place, column[at], rng) for place, column in enumerate(rows_at_node.columns)]
            if box.contains(_rows(self.names, [row], rows_at_node))[0]:
                accepted.append(row)
        return _rows(self.names, accepted, rows_at_node)

    def _smoothed(self, place: int, value: Value, rng: np.random.Generator) -> Value:
        training = self.training[place]
        if value is None or not _is_known(value):
            return value
        distinct, spread = self.distinct[place], self.spreads[place]
        if isinstance(value, str):
            if len(distinct) == 1 or rng.random() >= MOVE_PROBABILITY:
                return value
            while (other := training[rng.integers(len(training))]) == value:
                pass
            return str(other)
        if len(distinct) > MOST_FEW and self.method == "ranks":
            return _of_near_rank(value, training, rng, is_whole=spread == 0)
        if len(distinct) > MOST_FEW and spread:
            return float(value + BANDWIDTH * spread * rng.normal())
        at = distinct.index(value)
        near = distinct[max(0, at - 1) : at + 2]
        if self.method == "kernel":
            near = [each for each in near if each != value]
        counts = [training.count(each) if self.method == "ranks" else 1 for each in near]
        moves = bool(near) and rng.random() < MOVE_PROBABILITY
        return float(rng.choice(near, p=np.array(counts) / sum(counts))) if moves else float(value)


def _of_near_rank(value: float, training: list[float], rng: np.random.Generator, *, is_whole: bool) -> float:
    """Return the number at a rank near a value's own, given all training values in order."""
    n = len(training)
    low, high = bisect_left(training, value) / n - RANK_BANDWIDTH, bisect_right(training, value) / n + RANK_BANDWIDTH
    rank = rng.uniform(max(0, low), min(1, high))
    if is_whole:
        return training[min(n - 1, int(rank * n))]
    return float(np.interp(rank, (np.arange(n) + 0.5) / n, training))


def _spread(training: list[Value]) -> float:
    """Return the standard deviation of numbers; 0 of whole ones, and of categories."""
    numbers = [value for value in training if isinstance(value, float)]
    return float(np.std(numbers)) if any(value != int(value) for value in numbers) else 0.0


def _is_known(value: Value) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _rows(names: tuple[str, ...], rows: list[list[Value]], like: Rows) -> Rows:
    columns = zip(zip(*rows, strict=True), like.columns, strict=True)
    return Rows(names, tuple(np.array(values, column.dtype) for values, column in columns))
