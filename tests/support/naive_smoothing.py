"""Pseudo rows one by one: a training row is smoothed, and another one drawn where it leaves the box."""

import math

import numpy as np

from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.rows import Rows

BANDWIDTH, MOVE_PROBABILITY, MOST_FEW = 0.1, 0.1, 10

Value = float | str | None


class NaiveSmoother:
    """Smooths rows whose missing values are NaN or None."""

    def __init__(self, rows: Rows) -> None:
        self.names = rows.names
        self.training = [[value for value in column.tolist() if _is_known(value)] for column in rows.columns]

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
        if isinstance(value, str):
            others = [each for each in training if each != value]
            return str(rng.choice(others)) if others and rng.random() < MOVE_PROBABILITY else value
        distinct = sorted(set(training))
        if len(distinct) > MOST_FEW and any(each != int(each) for each in distinct):
            return float(value + BANDWIDTH * np.std(training) * rng.normal())
        at = distinct.index(value)
        neighbours = [distinct[each] for each in (at - 1, at + 1) if 0 <= each < len(distinct)]
        return float(rng.choice(neighbours)) if neighbours and rng.random() < MOVE_PROBABILITY else float(value)


def _is_known(value: Value) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _rows(names: tuple[str, ...], rows: list[list[Value]], like: Rows) -> Rows:
    columns = zip(zip(*rows, strict=True), like.columns, strict=True)
    return Rows(names, tuple(np.array(values, column.dtype) for values, column in columns))
