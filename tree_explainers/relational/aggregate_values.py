"""Aggregates of the rows that a step leads to, for all levels by which these rows may be selected, in one pass."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .queries import AggregateFunction
from .tables import decimal_of

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

SUM_UNIT = 1e-9  # sums are rounded to this share of the sum of sizes, so that a sum that is 0 is 0

COUNTED: tuple[AggregateFunction, ...] = ("count", "share")
OF_NUMBERS: tuple[AggregateFunction, ...] = ("mean", "sum", "min", "max")
OF_LEVELS: tuple[AggregateFunction, ...] = ("mode", "n_distinct")
FUNCTIONS: tuple[AggregateFunction, ...] = (*COUNTED, *OF_NUMBERS, *OF_LEVELS)  # in the order of candidates

_MOST_CELLS = 1_000_000  # of owners and selections that are worked on at once


@dataclass(frozen=True, slots=True)
class AggregatedRows:
    """Rows that belong to owners, in the owners' order, and what each is selected by.

    ``groups`` are (n,) the one selection, from 0 to n_groups - 1, that a row belongs to, or a negative number where it
    belongs to none.
    """

    owners: Ints  # (n,)
    groups: Ints  # (n,)
    n_owners: int
    n_groups: int

    def pieces(self) -> list[range]:
        """Return the selections in pieces that fit into memory together."""
        step = max(1, _MOST_CELLS // max(1, self.n_owners))
        return [range(first, min(first + step, self.n_groups)) for first in range(0, self.n_groups, step)]

    def counts(self, groups: range) -> Singles:
        """Return how many rows of each selection each owner has, (len(groups), n_owners)."""
        counts = np.zeros((len(groups), self.n_owners), np.float32)
        _count(self.owners, self.groups, groups.start, counts)
        return counts

    def shares(self, groups: range) -> Singles:
        """Return which share of an owner's rows is of each selection; NaN of no rows."""
        all_rows = np.bincount(self.owners, minlength=self.n_owners)
        with np.errstate(invalid="ignore"):
            shares: Floats = self.counts(groups) / all_rows.astype(np.float64)
            return shares.astype(np.float32)

    def of_numbers(self, function: AggregateFunction, values: Singles, groups: range) -> Singles:
        """Return the sum, mean, smallest or largest of the rows' values, (len(groups), n_owners)."""
        if function in ("min", "max"):
            results = np.full((len(groups), self.n_owners), np.nan, np.float32)
            _keep_extremes(self.owners, self.groups, values, groups.start, 1 if function == "max" else -1, results)
            return results
        sums = np.zeros((3, len(groups), self.n_owners))
        _add(self.owners, self.groups, values, groups.start, sums)
        numbers = np.empty((len(groups), self.n_owners), np.float32)
        _round(sums, 1 if function == "sum" else 0, numbers)
        return numbers

    def n_distinct(self, codes: Ints, n_levels: int, groups: range) -> Singles:
        """Return how many levels the rows have, (len(groups), n_owners)."""
        return self._by_level(codes, n_levels, groups)[1]

    def modes(self, codes: Ints, n_levels: int, groups: range) -> Ints:
        """Return the most frequent level, the first of equally frequent ones; MISSING of no rows with a level."""
        return self._by_level(codes, n_levels, groups)[0]

    def _by_level(self, codes: Ints, n_levels: int, groups: range) -> tuple[Ints, Singles]:
        modes = np.full((len(groups), self.n_owners), -1, np.int32)
        n_distinct = np.zeros((len(groups), self.n_owners), np.float32)
        _count_levels(self.owners, self.groups - np.int32(groups.start), codes, n_levels, modes, n_distinct)
        return modes, n_distinct


@inlined
def _is_of(group: int, first: int, n_groups: int) -> bool:
    return first <= group < first + n_groups


@compiled
def _count(owners: Ints, groups: Ints, first: int, counts: Singles) -> None:
    for row in range(len(owners)):
        if _is_of(groups[row], first, len(counts)):
            counts[groups[row] - first, owners[row]] += 1


@compiled
def _keep_extremes(owners: Ints, groups: Ints, values: Singles, first: int, sign: int, extremes: Singles) -> None:
    for row in range(len(owners)):
        value = values[row]
        if not np.isnan(value) and _is_of(groups[row], first, len(extremes)):
            so_far = extremes[groups[row] - first, owners[row]]
            if np.isnan(so_far) or sign * value > sign * so_far:
                extremes[groups[row] - first, owners[row]] = value


@compiled
def _add(owners: Ints, groups: Ints, values: Singles, first: int, sums: Floats) -> None:
    """Add values as decimals, their sizes, and their number."""
    for row in range(len(owners)):
        if not np.isnan(values[row]) and _is_of(groups[row], first, sums.shape[1]):
            value, group, owner = decimal_of(np.float64(values[row])), groups[row] - first, owners[row]
            sums[0, group, owner] += value
            sums[1, group, owner] += abs(value)
            sums[2, group, owner] += 1


@compiled
def _round(sums: Floats, is_sum: int, numbers: Singles) -> None:
    """Round sums to a share of the sum of sizes; divide them by the number of values where means are wanted."""
    for group in range(sums.shape[1]):
        for owner in range(sums.shape[2]):
            total, unit, n = sums[0, group, owner], sums[1, group, owner] * SUM_UNIT, sums[2, group, owner]
            if unit > 0:
                total = np.rint(total / unit) * unit
            if is_sum == 0:
                total = total / n if n > 0 else np.nan
            numbers[group, owner] = np.float32(total)


@compiled
def _count_levels(owners: Ints, groups: Ints, codes: Ints, n_levels: int, modes: Ints, n_distinct: Singles) -> None:
    """Count levels owner by owner; counts whose stamp is not the owner's are left from another and count as 0."""
    n_groups = len(modes)
    stamps = np.full((n_groups, n_levels), -1, np.int32)
    counts = np.zeros((n_groups, n_levels), np.int32)
    for row in range(len(owners)):
        level, owner, group = codes[row], owners[row], groups[row]
        if level < 0 or not _is_of(group, 0, n_groups):
            continue
        if stamps[group, level] != owner:
            stamps[group, level], counts[group, level] = owner, 0
            n_distinct[group, owner] += 1
        counts[group, level] += 1
        best = modes[group, owner]
        if (
            best < 0
            or counts[group, level] > counts[group, best]
            or (counts[group, level] == counts[group, best] and level < best)
        ):
            modes[group, owner] = level
