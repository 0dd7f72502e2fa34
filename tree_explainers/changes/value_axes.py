"""Value axes: for each feature the values that trees tell apart, in order, with what the trees compare for each."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..walker.node_conditions import NodeTests
from .number_grid import NumberGrid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AxisKind = Literal["number", "category", "one_hot"]
RawValue = float | str | None


@dataclass(frozen=True)
class ValueAxis:
    """The values of one feature in bins: all trees treat the values of a bin alike.

    **A number**: bin ``b`` has the numbers from ``lows[b]`` to ``highs[b]``, both included; no number that the model
    reads lies between ``highs[b]`` and ``lows[b + 1]``, unless the model refuses it. **A category**: bin ``b`` has the
    text ``categories[b]``; ``None`` is any text that the model does not know. **A one-hot group**: bin ``b`` is a 1 in
    the raw column of ``categories[b]`` and 0 in the others; ``None`` is 0 in all of them. Behind these comes the bin of
    the missing value, if the model takes one.
    """

    feature: str
    kind: AxisKind
    raw_indices: tuple[int, ...]  # of the raw columns that hold it: several in a one-hot group
    columns: Ints  # (n_columns,) model-side columns that are made of it, and that some tree tests
    compared: Floats  # (n_bins, n_columns) what the trees compare; NaN: a missing value
    has_missing: bool
    lows: Floats  # (n_values,) of a number
    highs: Floats  # (n_values,)
    grid: NumberGrid | None = None  # of a number
    categories: tuple[str | None, ...] = ()  # (n_values,) of all others

    @property
    def n_bins(self) -> int:
        """Number of bins, that of the missing value included."""
        return len(self.compared)

    @property
    def n_values(self) -> int:
        """Number of bins without that of the missing value."""
        return self.n_bins - self.has_missing

    def bin_of(self, values: tuple[RawValue, ...]) -> int | None:
        """Return the bin of a row's values in ``raw_indices``; ``None`` where they are in none.

        Numbers are rounded to the precision that the model reads first.
        """
        if self.kind == "one_hot":
            hot = [at for at, value in enumerate(values) if value != 0]
            if not hot:
                return self._bin_of_category[None]
            return hot[0] if len(hot) == 1 and values[hot[0]] == 1 else None
        (value,) = values
        if value is None or value != value:
            return self.n_values if self.has_missing else None
        if self.grid is not None:
            (index,) = self.grid.index_of(np.array([value], np.float64)).tolist()
            bin_index = int(np.searchsorted(self._last_indices, index))
            return bin_index if bin_index < self.n_values else None
        return self._bin_of_category.get(str(value), self._bin_of_category.get(None))

    def raw_values(self, bin_index: int) -> tuple[RawValue, ...]:
        """Return values of ``raw_indices`` that are in a bin: of numbers the one that is nearest to zero."""
        if bin_index == self.n_values:
            return (None if self.kind == "category" else float("nan"),)
        if self.kind == "number":
            return (float(np.clip(0.0, self.lows[bin_index], self.highs[bin_index])),)
        category = self.categories[bin_index]
        if self.kind == "one_hot":
            return tuple(float(at == bin_index and category is not None) for at in range(len(self.raw_indices)))
        return (self.unknown_text if category is None else category,)

    @property
    def is_unbounded(self) -> bool:
        """Whether any number has a bin."""
        return self.grid is not None and (self.lows[0], self.highs[-1]) == self.grid.ends

    @property
    def unknown_text(self) -> str:
        """A text that is none of the categories."""
        return max((each for each in self.categories if each is not None), key=len, default="") + "?"

    @cached_property
    def _bin_of_category(self) -> dict[str | None, int]:
        return {category: at for at, category in enumerate(self.categories)}

    @cached_property
    def _last_indices(self) -> Ints:
        assert self.grid is not None
        return self.grid.index_of(self.highs)


class AxisArrays(NamedTuple):
    """The axes of a model, for compiled loops."""

    axis: Ints  # (n_columns,) of each model-side column; -1: of none
    n_values: Ints  # (n_axes,)
    n_bins: Ints  # (n_axes,)
    order: Ints  # (n_columns,) 1: what is compared rises from bin to bin; -1: it falls; 0: neither
    starts: Ints  # (n_columns,) where a column begins in ``compared``
    compared: Floats  # bin by bin, column by column
    n_first: Ints  # (n_tests,) of tests of rising or falling columns: bins before the answer turns


@dataclass(frozen=True)
class ValueAxes:
    """The axes of all features that trees test and whose values are known to decide by themselves."""

    axes: tuple[ValueAxis, ...]
    obscure: tuple[str, ...]  # features from which columns are computed in a way that is not known: they have no axis

    def arrays(self, tests: NodeTests, n_columns: int) -> AxisArrays:
        """Return what compiled loops take, for the tests of the same model and its number of model-side columns."""
        axis, order, starts = np.full(n_columns, -1), np.zeros(n_columns, np.int64), np.zeros(n_columns, np.int64)
        compared, n_first, end = [np.empty(0)], np.zeros(len(tests.cut), np.int64), 0
        by_column = np.argsort(tests.column, kind="stable")
        bounds = np.searchsorted(tests.column[by_column], np.arange(n_columns + 1))
        for at, each in enumerate(self.axes):
            for column, values in zip(each.columns.tolist(), each.compared.T, strict=True):
                axis[column], starts[column], end = at, end, end + len(values)
                compared.append(values)
                order[column] = _order_of(values[: each.n_values])
                nodes = by_column[bounds[column] : bounds[column + 1]]
                n_first[nodes] = _n_first(values[: each.n_values], order[column], tests.cut[nodes])
        n_values = np.array([each.n_values for each in self.axes], np.int64)
        n_bins = np.array([each.n_bins for each in self.axes], np.int64)
        return AxisArrays(axis, n_values, n_bins, order, starts, np.concatenate(compared), n_first)


def _order_of(values: Floats) -> int:
    if np.isnan(values).any():
        return 0
    steps = np.diff(values)
    return 1 if (steps >= 0).all() else -1 if (steps <= 0).all() else 0


def _n_first(values: Floats, order: Any, cuts: Floats) -> Ints:
    if order == 0:
        return np.zeros(len(cuts), np.int64)
    if order > 0:
        return np.searchsorted(values, cuts, side="right").astype(np.int64)
    return len(values) - np.searchsorted(values[::-1], cuts, side="right").astype(np.int64)
