"""Generators of pseudo rows: rows like the training rows that reach a node, inside the node's box.

The paper smooths (``Smoother``): by ranks, or by a Gaussian kernel. It names two others, which rearrange what is
there: the bootstrap, and the permutation of residuals. Rows that the caller has, without labels, are the fifth way.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..rows import Rows
from .node_boxes import NodeBox, ValueRange
from .smoothing import SmoothedColumn, SmoothedNumber, by_kernel, by_ranks

RANK_BANDWIDTH = 0.1  # share of the rows that noise moves a value past, at most
KERNEL_BANDWIDTH = 0.1  # of the Gaussian noise, in standard deviations of the feature over all training rows
NEIGHBOR_PROBABILITY = 0.1  # that a discrete value becomes one of its neighbours, a category another one
_RIDGE = 1e-3  # added to the correlation of each column with itself: columns may determine each other

Floats = NDArray[np.float64]
GeneratorMethod = Literal["ranks", "kernel", "bootstrap", "residual_permutation", "dataset"]
Draw = Callable[[int, np.random.Generator], Rows]
"""Draws a number of pseudo rows."""


class RowGenerator(Protocol):
    """Draws pseudo rows."""

    def at_node(self, rows_at_node: Rows, box: NodeBox) -> Draw:
        """Return what draws pseudo rows at a node, all inside its box.

        Parameters
        ----------
        rows_at_node
            The training rows that reach the node, at least one, all inside the box.
        box
            The node's box.
        """


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """How pseudo rows are drawn; see ``row_generator``."""

    method: GeneratorMethod = "ranks"
    bandwidth: float | None = None  # of ``ranks`` (in (0, 1]) and ``kernel`` (above 0); None: that of the method
    neighbor_probability: float = NEIGHBOR_PROBABILITY  # in [0, 1]
    rows: Rows | None = None  # of ``dataset``: the caller's own


def row_generator(
    rows: Rows,
    missing_texts: Mapping[str, str],
    settings: GeneratorSettings = GeneratorSettings(),  # frozen
    report: ReportProgress = ignore_progress,
) -> RowGenerator:
    """Return the generator of pseudo rows near training rows.

    ``ranks`` and ``kernel`` are a ``Smoother``; ``bootstrap`` draws training rows of the node as they are;
    ``residual_permutation`` see ``ResidualPermutation``; ``dataset`` draws rows of ``settings.rows`` that lie in the
    node's box, and training rows of the node as they are where none does.

    Parameters
    ----------
    rows
        All training rows.
    missing_texts
        By column: a text that represents a missing category.
    settings
        The method and its numbers.
    report
        Called while columns are prepared; may raise to stop.
    """
    if settings.method == "bootstrap":
        return GivenRows(None)
    if settings.method == "dataset":
        assert settings.rows is not None  # for the type checker: the method has rows
        return GivenRows(settings.rows.select(rows.names))
    smoother = Smoother.of(rows, missing_texts, settings, report)
    return ResidualPermutation.of(rows, smoother) if settings.method == "residual_permutation" else smoother


@dataclass(frozen=True, slots=True)
class Smoother:
    """The smoothed distribution of training rows.

    A pseudo row is a training row, drawn uniformly, whose values are smoothed independently:

    - ``ranks``: a number becomes one of nearly the same rank (``SmoothedRanks``), its noise at most ``bandwidth``
      (0.1), a share of the training rows; if it has at most ``MOST_FEW`` (10) distinct training values (booleans, too),
      it is redrawn with ``neighbor_probability`` (0.1) from itself and its neighbours, by their frequency;
    - ``kernel``: a continuous number by Gaussian noise with a standard deviation of ``bandwidth`` (0.1) times the
      feature's own over all training rows; a number of few or whole values becomes with ``neighbor_probability`` (0.1)
      the next smaller or the next larger training value, with equal probability;
    - with both, a category becomes with ``neighbor_probability`` another one, drawn by its frequency in the training
      rows; a missing value remains missing.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 3.1: the kernel, whose numbers it
    leaves open. Ranks are ours: where a column has a heavy tail, its standard deviation is no measure of what is near.
    """

    names: tuple[str, ...]
    columns: tuple[SmoothedColumn, ...]  # in the order of ``names``

    @classmethod
    def of(
        cls,
        rows: Rows,
        missing_texts: Mapping[str, str],
        settings: GeneratorSettings = GeneratorSettings(),  # frozen
        report: ReportProgress = ignore_progress,
    ) -> "Smoother":
        """Return the smoother of training rows; see ``row_generator``."""
        is_by_ranks = settings.method == "ranks"
        smooth, default = (by_ranks, RANK_BANDWIDTH) if is_by_ranks else (by_kernel, KERNEL_BANDWIDTH)
        bandwidth = default if settings.bandwidth is None else settings.bandwidth
        columns: list[SmoothedColumn] = []
        for name, column in zip(rows.names, rows.columns, strict=True):
            report(len(columns) / len(rows.names), "fitting the smoother")
            columns.append(smooth(column, missing_texts.get(name), bandwidth, settings.neighbor_probability))
        return cls(rows.names, tuple(columns))

    def at_node(self, rows_at_node: Rows, box: NodeBox) -> Draw:
        """Return what draws pseudo rows near the training rows that reach a node; see ``RowGenerator.at_node``.

        The distribution is that of drawing whole rows until they lie in the box; nothing is clamped to its border. It
        is sampled directly: a training row by the probability that its smoothed values stay inside, then each value
        from its distribution truncated to the box. So the time does not depend on the box.
        """
        weights = np.ones(len(rows_at_node))
        for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True):
            if box.range_of(name).is_narrowed:
                weights *= smoothed.acceptance(values, box.range_of(name))
        pick = _picker(weights)

        def draw(n: int, rng: np.random.Generator) -> Rows:
            picked = pick(n, rng)
            columns = (
                smoothed.draw(values[picked], box.range_of(name), rng)
                for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True)
            )
            return Rows(self.names, tuple(columns))

        return draw

    def draw(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> Rows:
        """Draw ``n`` rows at a node."""
        return self.at_node(rows_at_node, box)(n, rng)


def _picker(weights: Floats) -> Callable[[int, np.random.Generator], NDArray[np.int64]]:
    """Return what draws rows by their weights; all alike where ranges are too narrow for a double."""
    ends = np.cumsum(weights)
    if not ends[-1] > 0 or (weights == 1).all():
        return lambda n, rng: np.asarray(rng.integers(len(weights), size=n), np.int64)

    def pick(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        picked = np.searchsorted(ends, rng.random(n) * ends[-1], side="right")
        return np.asarray(np.minimum(picked, len(weights) - 1), np.int64)

    return pick


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows as they are, drawn uniformly with replacement: the caller's own in the node's box, or its training rows."""

    rows: Rows | None  # None: the training rows

    def at_node(self, rows_at_node: Rows, box: NodeBox) -> Draw:
        """See ``RowGenerator.at_node``."""
        inside = np.empty(0, np.int64) if self.rows is None else np.flatnonzero(box.contains(self.rows))
        source = self.rows if self.rows is not None and len(inside) else rows_at_node
        positions = inside if len(inside) else np.arange(len(rows_at_node))
        return lambda n, rng: source.take(positions[rng.integers(len(positions), size=n)])


@dataclass(frozen=True, slots=True)
class ResidualPermutation:
    """Training rows whose continuous numbers are what the other numbers predict, and another row's residual.

    The prediction is linear, by least squares with a ridge of 0.001 on the scale of correlations; missing numbers count
    as the mean. Other columns are smoothed as by the kernel. Values are drawn independently, given the training row,
    as if rows outside the box were rejected and drawn again.

    References
    ----------
    Zhou, Hooker (2016), section 3.1, names the permutation of residuals without a definition; this one is ours.
    """

    others: Smoother  # by which columns without residuals are smoothed
    residuals: Mapping[str, Floats]  # by column of continuous numbers: those of all training rows, ascending
    numbers: tuple[str, ...]  # all columns of numbers
    means: Floats  # (n_numbers,)
    residual_of: Floats  # (n_numbers, n_numbers) takes centred numbers to residuals

    @classmethod
    def of(cls, rows: Rows, others: Smoother) -> "ResidualPermutation":
        """Return the generator for training rows, of which those without residuals are smoothed by the kernel."""
        numbers = tuple(name for name, column in zip(rows.names, rows.columns, strict=True) if column.dtype != object)
        matrix = _matrix(rows, numbers)
        n_known = np.maximum(1, (~np.isnan(matrix)).sum(axis=0))
        means = np.nansum(matrix, axis=0) / n_known
        centred = np.nan_to_num(matrix - means)
        spread = centred.std(axis=0)
        spread[spread == 0] = 1
        scaled = centred / spread
        precision = np.linalg.inv(scaled.T @ scaled / len(rows) + _RIDGE * np.eye(len(numbers)))
        residual_of = precision / np.diag(precision) / spread[:, None] * spread
        residuals = centred @ residual_of
        by_name = {
            name: np.sort(residuals[~np.isnan(matrix[:, index]), index])
            for index, name in enumerate(numbers)
            if isinstance(others.columns[rows.names.index(name)], SmoothedNumber)
        }
        return cls(others, by_name, numbers, means, residual_of)

    def at_node(self, rows_at_node: Rows, box: NodeBox) -> Draw:
        """See ``RowGenerator.at_node``."""
        weights = np.ones(len(rows_at_node))
        by_name = dict(zip(rows_at_node.names, self._columns(rows_at_node), strict=True))
        for name in box.ranges:
            values = rows_at_node.select([name]).columns[0]
            weights *= by_name[name].acceptance(values, box.range_of(name))
        pick = _picker(weights)

        def draw(n: int, rng: np.random.Generator) -> Rows:
            picked = rows_at_node.take(pick(n, rng))
            columns = (
                column.draw(values, box.range_of(name), rng)
                for name, column, values in zip(picked.names, self._columns(picked), picked.columns, strict=True)
            )
            return Rows(picked.names, tuple(columns))

        return draw

    def _columns(self, rows: Rows) -> Iterable[SmoothedColumn]:
        """Return what draws the values of each column of some rows."""
        matrix = _matrix(rows, self.numbers)
        predicted = matrix - np.nan_to_num(matrix - self.means) @ self.residual_of
        position = {name: index for index, name in enumerate(self.numbers)}
        for name, smoothed in zip(rows.names, self.others.columns, strict=True):
            residuals = self.residuals.get(name)
            yield smoothed if residuals is None else ExchangedResiduals(predicted[:, position[name]], residuals)


@dataclass(frozen=True, slots=True)
class ExchangedResiduals:
    """Numbers of certain rows, which the other columns predict; see ``ResidualPermutation``."""

    predicted: Floats  # (n_values,) NaN where the number is missing
    residuals: Floats  # (n_rows,) of all training rows, ascending

    def acceptance(self, values: Floats, within: ValueRange) -> Floats:
        """See ``SmoothedColumn.acceptance``."""
        first, end = self._allowed(within)
        return np.where(np.isnan(values), 1.0, (end - first) / len(self.residuals))

    def draw(self, values: Floats, within: ValueRange, rng: np.random.Generator) -> Floats:
        """See ``SmoothedColumn.draw``; where rounding leaves nothing in the range, the value itself."""
        first, end = self._allowed(within)
        index = first + (rng.random(len(values)) * (end - first)).astype(np.int64)
        drawn = self.predicted + self.residuals[np.minimum(index, len(self.residuals) - 1)]
        return np.where((first < end) & (drawn > within.low) & (drawn <= within.high), drawn, values)

    def _allowed(self, within: ValueRange) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return between which of the ordered residuals those are that lead into a range."""
        low, high = within.low - self.predicted, within.high - self.predicted
        return np.searchsorted(self.residuals, low, "right"), np.searchsorted(self.residuals, high, "right")


def _matrix(rows: Rows, names: tuple[str, ...]) -> Floats:
    chosen = rows.select(names).columns
    return np.column_stack(chosen).astype(np.float64) if chosen else np.empty((len(rows), 0))
