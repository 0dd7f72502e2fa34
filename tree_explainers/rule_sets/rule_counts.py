"""What rules do to rows, counted where the rows lie: which rule decides each row, and what a changed rule would decide.

A tally is the number of rows of each class, or (number, sum) of values less a center. Rules come as boxes of bins.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.block_sums import BlockSum
from ..compute.compiled import compiled, inlined
from ..questions.binned_rows import Bins
from .row_parts import RowParts, RowsPart
from .rule_lists import Box, RuleList

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_CELLS = 8_000_000  # of tallies that a partition is asked for at once


class PackedLists(NamedTuple):
    """Lists of rules, for compiled loops: arrays alone."""

    rule_starts: Ints  # (n_lists + 1,) the first rule of each list
    condition_starts: Ints  # (n_rules + 1,) the first condition of each rule
    features: Ints  # (n_conditions,)
    bin_starts: Ints  # (n_conditions,) where the feature's bins begin in ``admitted``
    admitted: NDArray[np.bool_]

    @staticmethod
    def of(lists: Sequence[Sequence[Box]]) -> "PackedLists":
        """Return lists of boxes."""
        rules = [box for each in lists for box in each]
        admitted = [bins for box in rules for bins in box.admitted]
        return PackedLists(
            np.cumsum([0, *map(len, lists)], dtype=np.int64),
            np.cumsum([0, *(len(box.features) for box in rules)], dtype=np.int64),
            np.array([feature for box in rules for feature in box.features], dtype=np.int64),
            np.cumsum([0, *map(len, admitted)], dtype=np.int64)[:-1],
            np.concatenate([np.empty(0, np.bool_), *admitted]),
        )


class _Block(NamedTuple):
    """Rows of a part, for compiled loops."""

    bins: Bins  # (n_features, n_rows) of the part
    bin_starts: Ints  # (n_features + 1,) of all bins
    first: int
    end: int


class Swept(NamedTuple):
    """What a rule would decide among others if it admitted each bin, which is what a sweep over its ends reads."""

    tallies: Floats  # (n_others + 1, n_tallied) of the others and the default, without the rule
    moving: Floats  # (n_bins, n_others + 1 - before, n_tallied) rows of each bin, by what decides them without the rule


class Candidate(NamedTuple):
    """A rule that may change, among others."""

    rule: Box
    others: tuple[Box, ...]
    before: int  # index of the other rule that it comes before; their number: before the default


def tallies_of(rows: RowParts, lists: Sequence[Sequence[Box]], center: float = 0.0) -> list[Floats]:
    """Return the tally of each rule of each list, and of its default, (n_rules + 1, n_tallied)."""
    ends = np.cumsum([len(each) + 1 for each in lists])
    packed = PackedLists.of(lists)
    if rows.is_regression:
        found = rows.sums(_tally_values_of_part, packed, center).reshape(-1, 2)
    else:
        found = rows.counts(_tally_classes_of_part, packed).reshape(-1, rows.n_classes).astype(np.float64)
    return np.split(found, ends[:-1])


def sweeps_of(rows: RowParts, candidates: Sequence[Candidate], center: float = 0.0) -> Iterator[Swept]:
    """Yield what each candidate would decide; several are counted at once, as many as memory allows."""
    n_bins, n_tallied = int(rows.statements.bin_starts[-1]), 2 if rows.is_regression else rows.n_classes
    waiting = list(candidates)
    while waiting:
        n_cells = np.cumsum([n_bins * n_tallied * (len(each.others) + 1) for each in waiting])
        n_taken = max(1, int((n_cells <= _MOST_CELLS).sum()))
        some, waiting = waiting[:n_taken], waiting[n_taken:]
        packed = PackedLists.of([boxes for each in some for boxes in (each.others, (each.rule,))])
        given = packed, np.array([each.before for each in some])
        if rows.is_regression:
            flat = rows.sums(_sweep_values_of_part, *given, center)
        else:
            flat = rows.counts(_sweep_classes_of_part, *given).astype(np.float64)
        for each in some:
            n_others = (len(each.others) + 1) * n_tallied
            shape = (n_bins, len(each.others) + 1 - each.before, n_tallied)
            tallies, moving, flat = np.split(flat, [n_others, n_others + int(np.prod(shape))])
            yield Swept(tallies.reshape(-1, n_tallied), moving.reshape(shape))


def coverage_of(rows: RowParts, rules: Sequence[Box]) -> tuple[Ints, Ints]:
    """Return how many rows rules cover, and how many they would cover besides without one condition.

    Returns
    -------
    (n_rules,) int64
        Rows that each rule covers.
    (n_rules, n_bins) int64
        Rows in each bin that break the condition on its feature, and no other condition of the rule.
    """
    found = rows.counts(_coverage_of_part, PackedLists.of([rules]))
    by_rule = found.reshape(len(rules), -1)
    return by_rule[:, 0], by_rule[:, 1:]


def fit_rule_list(boxes: Sequence[Box], rows: RowParts) -> RuleList:
    """Return the list in which each rule, and the default, predicts the commonest class or mean of the rows it decides.

    Ties go to the lower class. A rule that decides no row predicts what fits all rows best.
    """
    (own,) = tallies_of(rows, [boxes])
    if rows.is_regression:
        n_decided, sums = own.T
        means = np.where(n_decided > 0, sums / np.maximum(n_decided, 1), rows.mean)
        return RuleList(tuple(boxes), means, None, n_decided.astype(np.int64))
    n_decided = own.sum(axis=1).astype(np.int64)
    own[n_decided == 0] = own.sum(axis=0)
    scores = own / own.sum(axis=1, keepdims=True)
    return RuleList(tuple(boxes), own.argmax(axis=1), scores, n_decided)


# What is done in each partition.


def _blocks(part: RowsPart) -> Iterator[_Block]:
    return (_block(part, rows) for rows in part.blocks())


def _block(part: RowsPart, rows: slice) -> _Block:
    return _Block(part.binned.bins, part.binned.statements.bin_starts, rows.start, rows.stop)


def _tally_classes_of_part(part: RowsPart, lists: PackedLists) -> Ints:
    tallies = np.zeros((_n_slots(lists), part.targets.n_classes), np.int64)
    for block in _blocks(part):
        _tally_classes(block, lists, part.classes, tallies)
    return tallies.ravel()


def _tally_values_of_part(part: RowsPart, lists: PackedLists, center: float) -> list[BlockSum]:
    def of_block(rows: slice) -> Floats:
        tallies = np.zeros((_n_slots(lists), 2))
        _tally_values(_block(part, rows), lists, part.values, center, tallies)
        return tallies.ravel()

    return part.sums(of_block)


def _n_slots(lists: PackedLists) -> int:
    """Return the number of rules and defaults of all lists."""
    return len(lists.condition_starts) - 1 + len(lists.rule_starts) - 1


def _sweep_classes_of_part(part: RowsPart, lists: PackedLists, indices: Ints) -> NDArray[np.int32]:
    n_bins = int(part.binned.statements.bin_starts[-1])
    found = _empty_sweeps(lists, indices, (n_bins, part.targets.n_classes), np.int32)
    for block in _blocks(part):
        for at, own in enumerate(found):
            _sweep_classes(block, lists, (2 * at, indices[at]), part.classes, own)
    return _side_by_side(found)


def _sweep_values_of_part(part: RowsPart, lists: PackedLists, indices: Ints, center: float) -> list[BlockSum]:
    n_bins = int(part.binned.statements.bin_starts[-1])

    def of_block(rows: slice) -> Floats:
        found = _empty_sweeps(lists, indices, (n_bins, 2), np.float64)
        for at, own in enumerate(found):
            _sweep_values(_block(part, rows), lists, (2 * at, indices[at]), part.values, center, own)
        return _side_by_side(found)

    return part.sums(of_block)


def _empty_sweeps(lists: PackedLists, indices: Ints, shape: tuple[int, int], dtype: type) -> list[Swept]:
    n_bins, n_tallied = shape
    n_slots = (np.diff(lists.rule_starts)[::2] + 1).tolist()
    return [
        Swept(np.zeros((n_own, n_tallied), dtype), np.zeros((n_bins, n_own - index, n_tallied), dtype))
        for n_own, index in zip(n_slots, indices.tolist(), strict=True)
    ]


def _side_by_side(found: Sequence[Swept]) -> NDArray[Any]:
    return np.concatenate([each.ravel() for own in found for each in own])


def _coverage_of_part(part: RowsPart, lists: PackedLists) -> NDArray[np.int32]:
    n_bins = int(part.binned.statements.bin_starts[-1])
    found = np.zeros((len(lists.condition_starts) - 1, 1 + n_bins), np.int32)
    for block in _blocks(part):
        _cover(block, lists, found)
    return found.ravel()


@inlined
def _n_broken(bins: Bins, row: int, lists: PackedLists, rule: int) -> tuple[int, int]:
    """Return how many features break their condition, no more than 2, and the last that does."""
    n_broken, last = 0, -1
    for condition in range(lists.condition_starts[rule], lists.condition_starts[rule + 1]):
        feature = lists.features[condition]
        if not lists.admitted[lists.bin_starts[condition] + bins[feature, row]]:
            n_broken += 1
            last = feature
            if n_broken > 1:
                break
    return n_broken, last


@inlined
def _deciding(bins: Bins, row: int, lists: PackedLists, which: int) -> int:
    """Return the first rule of a list that covers a row; the number of rules where none does."""
    first, end = int(lists.rule_starts[which]), int(lists.rule_starts[which + 1])
    for rule in range(first, end):
        if _n_broken(bins, row, lists, rule)[0] == 0:
            return rule - first
    return end - first


@compiled
def _tally_classes(block: _Block, lists: PackedLists, classes: Ints, tallies: Ints) -> None:
    for which in range(len(lists.rule_starts) - 1):
        offset = lists.rule_starts[which] + which
        for row in range(block.first, block.end):
            tallies[offset + _deciding(block.bins, row, lists, which), classes[row]] += 1


@compiled
def _tally_values(block: _Block, lists: PackedLists, values: Floats, center: float, tallies: Floats) -> None:
    for which in range(len(lists.rule_starts) - 1):
        offset = lists.rule_starts[which] + which
        for row in range(block.first, block.end):
            slot = offset + _deciding(block.bins, row, lists, which)
            tallies[slot, 0] += 1
            tallies[slot, 1] += values[row] - center


@compiled
def _sweep_classes(block: _Block, lists: PackedLists, place: tuple[int, int], classes: Ints, found: Swept) -> None:
    """Count the rows that the only rule of the list after ``which`` would decide, in front of a rule of that."""
    which, index = place
    bins, starts, rule = block.bins, block.bin_starts, lists.rule_starts[which + 1]
    for row in range(block.first, block.end):
        slot, label = _deciding(bins, row, lists, which), classes[row]
        found.tallies[slot, label] += 1
        if slot < index:
            continue
        n_broken, broken = _n_broken(bins, row, lists, rule)
        if n_broken == 0:
            for feature in range(bins.shape[0]):
                found.moving[starts[feature] + bins[feature, row], slot - index, label] += 1
        elif n_broken == 1:
            found.moving[starts[broken] + bins[broken, row], slot - index, label] += 1


@compiled
def _sweep_values(  # as for classes, and a center
    block: _Block, lists: PackedLists, place: tuple[int, int], values: Floats, center: float, found: Swept
) -> None:
    """Add up the rows that the only rule of the list after ``which`` would decide, in front of a rule of that."""
    which, index = place
    bins, starts, rule = block.bins, block.bin_starts, lists.rule_starts[which + 1]
    for row in range(block.first, block.end):
        slot, value = _deciding(bins, row, lists, which), values[row] - center
        found.tallies[slot, 0] += 1
        found.tallies[slot, 1] += value
        if slot < index:
            continue
        n_broken, broken = _n_broken(bins, row, lists, rule)
        if n_broken == 0:
            for feature in range(bins.shape[0]):
                own = starts[feature] + bins[feature, row]
                found.moving[own, slot - index, 0] += 1
                found.moving[own, slot - index, 1] += value
        elif n_broken == 1:
            own = starts[broken] + bins[broken, row]
            found.moving[own, slot - index, 0] += 1
            found.moving[own, slot - index, 1] += value


@compiled
def _cover(block: _Block, lists: PackedLists, found: NDArray[np.int32]) -> None:
    """Count the rows that each rule covers, and, by their bin, those that break only one condition."""
    for rule in range(len(lists.condition_starts) - 1):
        for row in range(block.first, block.end):
            n_broken, feature = _n_broken(block.bins, row, lists, rule)
            if n_broken == 0:
                found[rule, 0] += 1
            elif n_broken == 1:
                found[rule, 1 + block.bin_starts[feature] + block.bins[feature, row]] += 1
