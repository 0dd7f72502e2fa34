"""Slow, obvious twin of smallest changes: the model predicts every value that a column can hold, and every pair."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.naive_curves import scores_with
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

CATEGORY = 0.5


def quantile(column: NDArray[np.float64], number: float) -> float:
    """The share of values below, and half of the share that is equal; linear between two values."""
    values = sorted(set(column.tolist()))
    shares = [float((column < value).mean() + (column == value).mean() / 2) for value in values]
    return float(np.interp(number, values, shares))


def all_values(column: NDArray[Any]) -> list[Any]:
    """All whole numbers of the column's range, or all of its categories."""
    if column.dtype == object:
        return sorted({value for value in column.tolist() if value is not None})
    return [float(value) for value in np.arange(np.nanmin(column), np.nanmax(column) + 1)]


class NaiveSearch:
    """All changes of a row that have a score in a band."""

    def __init__(
        self,
        session: ModelSession,
        rows: Rows,
        row: int,
        band: tuple[int, float, float],
        constraints: Mapping[str, str] | None = None,
    ) -> None:
        self.session, self.rows = session, rows
        self.constraints = constraints or {}
        self.row = rows.take(slice(row, row + 1))
        self.band = band
        self.columns = dict(zip(rows.names, rows.columns, strict=True))
        self.own = {name: column[row] for name, column in self.columns.items()}

    def holds(self, changes: Sequence[Mapping[str, Any]]) -> NDArray[np.bool_]:
        column, low, high = self.band
        score = scores_with(self.session, self.row, changes)[:, column]
        return np.asarray((score >= low) & (score < high))

    def size(self, name: str, value: Any) -> float:
        if isinstance(value, str):
            return CATEGORY
        column = self.columns[name]
        return abs(quantile(column, value) - quantile(column, self.own[name]))

    def values(self, name: str) -> list[Any]:
        own, constraint = self.own[name], self.constraints.get(name)
        others = [value for value in all_values(self.columns[name]) if value != own]
        if constraint is None:
            return others
        return [value for value in others if constraint != "fixed" and (value > own) == (constraint == "only_up")]

    def singles(self) -> dict[tuple[str, Any], float]:
        """The smallest size of each feature and side; each category is a side."""
        best: dict[tuple[str, Any], float] = {}
        for name in self.rows.names:
            values = self.values(name)
            for value, holds in zip(values, self.holds([{name: value} for value in values]), strict=True):
                side = value if isinstance(value, str) else value > self.own[name]
                if holds:
                    best[name, side] = min(best.get((name, side), np.inf), self.size(name, value))
        return best

    def pairs(self) -> dict[tuple[str, ...], float]:
        """The smallest size of each pair of features neither of whose changes suffices."""
        best: dict[tuple[str, ...], float] = {}
        alone = {name: self._that_do_not(name) for name in self.rows.names}
        for first, second in combinations(self.rows.names, 2):
            cells = list(product(alone[first], alone[second]))
            holds = self.holds([{first: one, second: two} for one, two in cells])
            sizes = [
                self.size(first, one) + self.size(second, two)
                for (one, two), is_one in zip(cells, holds, strict=True)
                if is_one
            ]
            if sizes:
                best[first, second] = min(sizes)
        return best

    def _that_do_not(self, name: str) -> list[Any]:
        values = self.values(name)
        holds = self.holds([{name: value} for value in values])
        return [value for value, is_one in zip(values, holds, strict=True) if not is_one]
