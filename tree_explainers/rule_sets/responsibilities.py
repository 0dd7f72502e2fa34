"""Responsibilities: the share of each region in each row, as partitions compute those of their own rows.

What is sent to a partition is what they follow from: how a start is drawn, or a model and the penalties of its regions.
"""

from dataclasses import dataclass
from itertools import count
from sys import getsizeof
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..questions.binned_rows import Layout
from .regions import FLOOR, BinTables, RegionModel, log_joint
from .row_parts import RowsPart

Floats = NDArray[np.float64]

_LEAST_OF_RANDOM_ETA = 1e-12  # responsibility, so that no region loses its rows to rounding before it begins
_LOG_OF_ZERO = -745.2  # its exponential is 0 in float64

_fits = count()  # numbered, so that partitions know whose likelihoods they keep


class Responsibilities(Protocol):
    """The share of each region in each row, q in the paper."""

    def of_rows(self, part: RowsPart, rows: slice) -> Floats:
        """Return those of some rows of a part, (n_rows, n_regions); each row sums to 1."""

    @property
    def n_regions(self) -> int:
        """Number of regions."""


@dataclass(frozen=True, slots=True)
class GivenStart:
    """Responsibilities that the caller has, (n_rows, n_regions), not negative; each row is divided by its sum."""

    start: Floats

    def of_rows(self, part: RowsPart, rows: slice) -> Floats:
        """Return those of some rows of a part."""
        shares = self.start[part.first_row + rows.start : part.first_row + rows.stop]
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return int(self.start.shape[1])

    def __sizeof__(self) -> int:
        """Return the bytes that are sent to partitions, as do the other responsibilities."""
        return self.start.nbytes


@dataclass(frozen=True, slots=True)
class DrawnStart:
    """Random responsibilities: uniform in [0, 1], each row divided by its sum; drawn block by block where rows lie."""

    state: Any  # of the generator (PCG64) before the first row is drawn
    n_regions: int

    @staticmethod
    def of(n_rows: int, n_regions: int, rng: np.random.Generator) -> "DrawnStart":
        """Return the start that drawing all rows in turn gives, and leave the generator as that does."""
        start = DrawnStart(rng.bit_generator.state, n_regions)
        rng.bit_generator.state = start.generator_at(n_rows).bit_generator.state
        return start

    def of_rows(self, part: RowsPart, rows: slice) -> Floats:
        """Return those of some rows of a part."""
        start = self.generator_at(part.first_row + rows.start).random((rows.stop - rows.start, self.n_regions))
        start /= start.sum(axis=1, keepdims=True)  # and again, as a start that the caller has is: to the same digits
        return np.asarray(start / start.sum(axis=1, keepdims=True))

    def generator_at(self, row: int) -> np.random.Generator:
        """Return the generator when all rows before this one are drawn: each value takes one of its steps."""
        bits = np.random.PCG64()
        bits.state = self.state
        bits.advance(row * self.n_regions)
        # Half of a step that was left over stays for whoever draws small integers next.
        state: Any = bits.state
        bits.state = state | {name: self.state[name] for name in ("has_uint32", "uinteger")}
        return np.random.Generator(bits)


@dataclass(frozen=True, slots=True)
class EtaStart:
    """The responsibilities of regions that are alike in all but eta."""

    tables: BinTables

    def of_rows(self, part: RowsPart, rows: slice) -> Floats:
        """Return those of some rows of a part."""
        start = log_joint(self.tables, part.binned.bins, rows)
        update_responsibilities(start, np.zeros(self.n_regions), start)
        start += _LEAST_OF_RANDOM_ETA
        return np.asarray(start / start.sum(axis=1, keepdims=True))

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return self.tables.n_regions

    def __sizeof__(self) -> int:
        return getsizeof(self.tables)


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """What a model says of rows and their targets: log p(y | k) p(s | k) alpha_k, log f in the paper."""

    of_fit: tuple[int, int]  # the fit, and its iteration
    tables: BinTables
    by_class: Floats | None = None  # (n_classes, n_regions)
    normal: tuple[Floats, Floats, Floats] | None = None  # of values: log of the height, mean, precision; (n_regions,)

    @staticmethod
    def of(model: RegionModel, layout: Layout, after: "Likelihoods | None" = None) -> "Likelihoods":
        """Return those of a model: the next of a fit after others, or the first of a new one."""
        of_fit = (next(_fits), 0) if after is None else (after.of_fit[0], after.of_fit[1] + 1)
        tables = BinTables.of(model, layout)
        if model.scores is None:
            means, precisions = cast("Floats", model.means), cast("Floats", model.precisions)
            return Likelihoods(of_fit, tables, normal=(np.log(precisions / (2 * np.pi)), means, precisions))
        return Likelihoods(of_fit, tables, np.log(np.maximum(model.scores.T, FLOOR)))

    def __sizeof__(self) -> int:
        return getsizeof(self.tables)

    def of_part(self, part: RowsPart) -> Floats:
        """Return them for the rows of a part, (n_rows, n_regions), which keeps them until it has others of the fit."""
        likelihoods = part.recall(self.of_fit)
        if likelihoods is None:
            likelihoods = np.empty((part.n_rows, self.tables.n_regions))
            for rows in part.blocks():
                self.write(part, rows, likelihoods)
            part.remember(self.of_fit, likelihoods)
        return likelihoods

    def write(self, part: RowsPart, rows: slice, likelihoods: Floats) -> None:
        """Compute them for some rows of a part."""
        logs = log_joint(self.tables, part.binned.bins, rows)
        targets = part.targets
        if self.by_class is not None and targets.classes is not None:
            logs += self.by_class[targets.classes[rows]]
        elif self.normal is not None and targets.values is not None:
            heights, means, precisions = self.normal
            logs += 0.5 * (heights - precisions * (targets.values[rows, None] - means) ** 2)
        likelihoods[rows] = logs


@dataclass(frozen=True, slots=True)
class Step:
    """The responsibilities that likelihoods and penalties of regions give, equation (13)."""

    likelihoods: Likelihoods
    penalties: Floats  # (n_regions,)

    def of_rows(self, part: RowsPart, rows: slice) -> Floats:
        """Return those of some rows of a part."""
        likelihoods = self.likelihoods.of_part(part)[rows]
        responsibilities = np.empty_like(likelihoods)
        update_responsibilities(likelihoods, self.penalties, responsibilities)
        return responsibilities

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return len(self.penalties)

    def __sizeof__(self) -> int:
        return getsizeof(self.likelihoods)


@dataclass(frozen=True, slots=True)
class _Among:
    """Responsibilities without some regions; what is left of each row is divided by its sum."""

    every: Responsibilities
    kept: NDArray[np.bool_]

    def of_rows(self, part: RowsPart, rows: slice) -> Floats:
        remaining = np.ascontiguousarray(self.every.of_rows(part, rows)[:, self.kept])
        remaining /= remaining.sum(axis=1, keepdims=True)
        return remaining

    @property
    def n_regions(self) -> int:
        return int(self.kept.sum())

    def __sizeof__(self) -> int:
        return getsizeof(self.every)


def without_regions(responsibilities: Responsibilities, is_kept: NDArray[np.bool_]) -> Responsibilities:
    """Return the responsibilities of the regions that are kept, (n_regions,); each row sums to 1 again."""
    return responsibilities if is_kept.all() else _Among(responsibilities, is_kept)


@compiled
def update_responsibilities(log_likelihoods: Floats, penalties: Floats, responsibilities: Floats) -> Floats:
    """Write each row's responsibilities for these penalties; return their sums by region."""
    n_rows, n_regions = log_likelihoods.shape
    weights = np.zeros(n_regions)
    for row in range(n_rows):
        best = -np.inf
        for region in range(n_regions):
            best = max(best, log_likelihoods[row, region] - penalties[region])
        total = 0.0
        for region in range(n_regions):
            difference = log_likelihoods[row, region] - penalties[region] - best
            value = np.exp(difference) if difference > _LOG_OF_ZERO else 0.0
            responsibilities[row, region] = value
            total += value
        for region in range(n_regions):
            responsibilities[row, region] /= total
            weights[region] += responsibilities[row, region]
    return weights
