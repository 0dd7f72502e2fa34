"""The rows that rules are found on, in partitions: this process asks for what they add up to, and holds none of them.

Counts are sums of integers. Sums of floats are taken within blocks of rows by compiled loops, and added pairwise in the
order of blocks, so that neither depends on how blocks are shared out.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.pairwise_sums import BlockSum, add_blocks, total_of
from ..compute.partitions import BLOCK_ROWS, LocalPartitions, Partitions, cancellation_check, check_cancelled
from ..compute.progress import ReportProgress
from ..errors import InvalidInput
from ..prediction_scores import Targets
from ..questions.binned_rows import BinnedRows
from ..questions.statements import Statements
from ..rows import Rows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Result = TypeVar("Result")

SAMPLED_ROWS = 65_536
"""Rows that are drawn where a method needs rows in one piece, as CART does; as many rows or fewer are all taken."""


class RawRows(Protocol):
    """The raw values of a part's rows, read when they are needed."""

    def read(self, names: Sequence[str], rows: slice) -> Rows:
        """Return the columns of these names for some rows of the part; of any where none is named."""


class RowsPart:
    """The rows of one partition: their bins and targets, and what else is known of them.

    Parameters
    ----------
    binned, targets
        As rules are found on them.
    first_row
        The first of them among all rows: the first of a block.
    block_rows
        Rows of a block.
    raw
        Their raw values, for those who print or evaluate rules.
    predicted, truth
        What the model predicts for them, and their true targets, for those who evaluate rules.

    Raises
    ------
    InvalidInput
        If the number of targets differs.
    """

    def __init__(  # what is known of rows
        self,
        binned: BinnedRows,
        targets: Targets,
        first_row: int = 0,
        block_rows: int = BLOCK_ROWS,
        *,
        raw: RawRows | None = None,
        predicted: Targets | None = None,
        truth: Targets | None = None,
    ) -> None:
        if binned.n_rows != targets.n_rows:
            msg = f"there must be as many targets as rows, got {targets.n_rows} for {binned.n_rows}"
            raise InvalidInput(msg)
        self.binned, self.targets, self.first_row, self.block_rows = binned, targets, first_row, block_rows
        self.raw, self.predicted, self.truth = raw, predicted, truth
        self._remembered: dict[int, tuple[int, Floats]] = {}  # by fit: the iteration, and its array

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.binned.n_rows

    @property
    def classes(self) -> Ints:
        """The class of each row, where rules are to predict one."""
        assert self.targets.classes is not None  # for the type checker
        return self.targets.classes

    @property
    def values(self) -> Floats:
        """The value of each row, where rules are to predict one."""
        assert self.targets.values is not None  # for the type checker
        return self.targets.values

    def raw_values(self, names: Sequence[str], rows: slice) -> Rows:
        """Return the raw values of some rows in some columns, see ``RawRows``."""
        assert self.raw is not None  # those who ask for raw values have given them
        return self.raw.read(names, rows)

    def with_targets(self, targets: Targets) -> "RowsPart":
        """Return the same rows, of which something else is to be predicted."""
        return self._with(self.binned, targets)

    def with_bins(self, binned: BinnedRows) -> "RowsPart":
        """Return the same rows in other bins."""
        return self._with(binned, self.targets)

    def bare(self) -> "RowsPart":
        """Return the rows as rules are found on them, without what else is known."""
        return RowsPart(self.binned, self.targets, self.first_row, self.block_rows)

    def _with(self, binned: BinnedRows, targets: Targets) -> "RowsPart":
        known = {"raw": self.raw, "predicted": self.predicted, "truth": self.truth}
        return RowsPart(binned, targets, self.first_row, self.block_rows, **known)  # type: ignore[arg-type]

    def blocks(self) -> Iterator[slice]:
        """Yield the rows of each block, numbered in the part; raise where nobody wants the result any more."""
        for start in range(0, self.n_rows, self.block_rows):
            check_cancelled()
            yield slice(start, min(start + self.block_rows, self.n_rows))

    def sums(self, of_block: Callable[[slice], Floats]) -> list[BlockSum]:
        """Return the sums over blocks of what a function makes of the rows of each."""
        first = self.first_row // self.block_rows
        return add_blocks(BlockSum(0, first + at, of_block(rows)) for at, rows in enumerate(self.blocks()))

    def remember(self, of_fit: tuple[int, int], by_row: Floats) -> None:
        """Keep the array of a fit's iteration instead of that of any other; lost with the part, it is made again."""
        fit, iteration = of_fit
        self._remembered[fit] = iteration, by_row

    def recall(self, of_fit: tuple[int, int]) -> Floats | None:
        """Return the array of a fit's iteration, if it is kept."""
        iteration, by_row = self._remembered.get(of_fit[0], (-1, None))
        return by_row if iteration == of_fit[1] else None

    def forget(self, fit: int) -> None:
        """Keep nothing of a fit any more."""
        self._remembered.pop(fit, None)

    def __sizeof__(self) -> int:
        """Return the bytes of the rows, and of what is remembered of them: whoever keeps parts reckons with these."""
        by_row = self.targets.classes_or_values.nbytes * 3  # beside what the model predicts, and the truth
        return self.binned.bins.nbytes + by_row + sum(each.nbytes for _, each in list(self._remembered.values()))

    def __getstate__(self) -> dict[str, Any]:
        """Send what cannot be computed."""
        return self.__dict__ | {"_remembered": {}}


@contextmanager
def reporting(report: ReportProgress, stage: str) -> Iterator[None]:
    """Have parts of this process report between blocks, so that what this raises stops the work soon."""

    def tick() -> None:
        report(0.0, stage)

    token = cancellation_check.set(tick)
    try:
        yield
    finally:
        cancellation_check.reset(token)


class RowParts:
    """Rows in partitions, each a ``RowsPart``.

    Parameters
    ----------
    statements
        Of the bins.
    parts
        Partitions that follow each other; sums of floats are taken over each, and added in this order.
    bounds : (n_parts + 1,) of each
        The first row of each part, and the number of rows.
    n_classes
        Of the targets; 0 for values.
    """

    def __init__(
        self, statements: Statements, parts: Sequence[Partitions], bounds: Sequence[Ints], n_classes: int
    ) -> None:
        self.statements, self.n_classes = statements, n_classes
        self._parts, self._bounds = tuple(parts), tuple(bounds)

    @staticmethod
    def here(binned: BinnedRows, targets: Targets) -> "RowParts":
        """Return rows of this process, in one part."""
        return RowParts.of_parts([RowsPart(binned, targets)])

    @staticmethod
    def of_parts(parts: Sequence[RowsPart]) -> "RowParts":
        """Return the rows of parts of this process that follow each other."""
        bounds = np.array([part.first_row for part in parts] + [sum(part.n_rows for part in parts)])
        local = LocalPartitions([(part,) for part in parts])
        return RowParts(parts[0].binned.statements, [local], [bounds], parts[0].targets.n_classes)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(int(bounds[-1]) for bounds in self._bounds)

    @property
    def is_regression(self) -> bool:
        """Whether the targets are values."""
        return not self.n_classes

    def followed_by(self, others: "RowParts") -> "RowParts":
        """Return these rows and then others, of the same statements."""
        parts, bounds = (*self._parts, *others._parts), (*self._bounds, *others._bounds)  # noqa: SLF001  # its own kind
        return RowParts(self.statements, parts, bounds, self.n_classes)

    def map(self, function: Callable[..., Result], *broadcast: Any) -> Iterator[Result]:
        """Yield ``function(part, *broadcast)`` of each part, in the order of rows."""
        return chain.from_iterable(parts.map(function, *broadcast) for parts in self._parts)

    def counts(self, function: Callable[..., NDArray[Any]], *broadcast: Any) -> Ints:
        """Return the sum of the integers that a function makes of each part."""
        total: Ints | None = None
        for of_part in self.map(function, *broadcast):
            total = of_part.astype(np.int64) if total is None else np.add(total, of_part, out=total)
        assert total is not None  # for the type checker: there is at least one part
        return total

    def sums(self, function: Callable[..., list[BlockSum]], *broadcast: Any) -> Floats:
        """Return the sum of the floats that a function makes of each block (``RowsPart.sums``)."""
        of_each = (total_of(chain.from_iterable(parts.map(function, *broadcast))) for parts in self._parts)
        total: Floats = next(of_each)
        for other in of_each:
            total = total + other
        return total

    def relabelled(self, function: Callable[..., RowsPart], n_classes: int, *broadcast: Any) -> "RowParts":
        """Return the same rows with the targets that a function gives to each part, which stay where it is."""
        kept = [parts.keep(function, *broadcast) for parts in self._parts]
        return RowParts(self.statements, kept, self._bounds, n_classes)

    def some_rows(self, most: int = SAMPLED_ROWS) -> "SomeRows":
        """Return the rows in one piece, or, if they are more than ``most``, as many that are drawn by a fixed seed."""
        drawn = [_drawn(int(bounds[-1]), most) for bounds in self._bounds]
        pieces = []
        for parts, bounds, rows in zip(self._parts, self._bounds, drawn, strict=True):
            pieces += list(_beside(parts, bounds, rows).map(_rows_of_part))
        bins = np.concatenate([bins for bins, _ in pieces], axis=1)
        each = [targets.classes_or_values for _, targets in pieces]
        weights = [np.full(len(rows), bounds[-1] / len(rows)) for rows, bounds in zip(drawn, self._bounds, strict=True)]
        return SomeRows(BinnedRows(self.statements, bins), np.concatenate(each), np.concatenate(weights))

    def sample(self, names: Sequence[str], most: int = SAMPLED_ROWS) -> Rows:
        """Return the raw values of the rows that ``some_rows`` draws."""
        (parts,), (bounds,) = self._parts, self._bounds
        rows = _drawn(int(bounds[-1]), most)
        pieces = list(_beside(parts, bounds, rows).map(_values_of_part, tuple(names)))
        columns = (np.concatenate([of_part.columns[at] for of_part in pieces]) for at in range(len(names)))
        return Rows(tuple(names), tuple(columns))

    def targets_of(self, rows: Ints) -> NDArray[Any]:
        """Return the classes or values of these rows, in their order."""
        (parts,), (bounds,) = self._parts, self._bounds
        order = np.argsort(rows, kind="stable")
        targets = np.concatenate(list(_beside(parts, bounds, rows[order]).map(_targets_of_part)))
        by_row = np.empty_like(targets)
        by_row[order] = targets
        return by_row

    @cached_property
    def bin_counts(self) -> Ints:
        """How many rows are in each bin of each feature, (n_bins,), feature by feature."""
        return self.counts(_count_bins)

    @cached_property
    def mean(self) -> float:
        """The mean of the values."""
        return float(self.sums(_sum_of_values)[0]) / self.n_rows

    @cached_property
    def squares(self) -> float:
        """The sum of the values' squared distances from their mean."""
        return float(self.sums(_sum_of_squares, self.mean)[0])


class SomeRows:
    """Rows in one piece: their bins, their classes or values, and how many rows each of them represents."""

    def __init__(self, binned: BinnedRows, labels: NDArray[Any], weights: Floats) -> None:
        self.binned, self.labels, self.weights = binned, labels, weights


def _drawn(n_rows: int, most: int) -> Ints:
    """Return which of all rows are taken, ascending."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False, shuffle=False))


def _beside(parts: Partitions, bounds: Ints, rows: Ints) -> Partitions:
    """Return parts with those of some ascending rows that lie there, numbered in the part."""
    cuts = pairwise(np.searchsorted(rows, bounds).tolist())
    return parts.beside_values([rows[start:stop] - first for first, (start, stop) in zip(bounds, cuts, strict=False)])


def _targets_of_part(part: RowsPart, rows: Ints) -> NDArray[Any]:
    return part.targets.classes_or_values[rows]


def _rows_of_part(part: RowsPart, rows: Ints) -> tuple[NDArray[Any], Targets]:
    return part.binned.take(rows).bins, part.targets.take(rows)


def _values_of_part(part: RowsPart, rows: Ints, names: tuple[str, ...]) -> Rows:
    pieces: list[Rows] = []
    for block in part.blocks():
        in_block = rows[(rows >= block.start) & (rows < block.stop)]
        pieces.append(part.raw_values(names, block).take(in_block - block.start))
    columns = (np.concatenate([each.columns[at] for each in pieces]) for at in range(len(names)))
    return Rows(names, tuple(columns))


def _count_bins(part: RowsPart) -> Ints:
    features = part.binned.statements.features
    counts = [
        np.bincount(feature_bins, minlength=each.n_bins)
        for each, feature_bins in zip(features, part.binned.bins, strict=True)
    ]
    return np.concatenate([np.empty(0, np.int64), *counts])


def _sum_of_values(part: RowsPart) -> list[BlockSum]:
    return part.sums(lambda rows: np.array([sum_of_values(part.values[rows])]))


def _sum_of_squares(part: RowsPart, center: float) -> list[BlockSum]:
    return part.sums(lambda rows: np.array([sum_of_squares(part.values[rows], center)]))


@compiled
def sum_of_values(values: Floats) -> float:
    """Return the sum of values, (n,), in their order."""
    total = 0.0
    for value in values:
        total += value
    return total


@compiled
def sum_of_squares(values: Floats, center: float) -> float:
    """Return the sum of squared distances from a number, (n,) in their order."""
    total = 0.0
    for value in values:
        total += (value - center) * (value - center)
    return total
