"""What rules do to rows, counted where the rows lie: which rule decides each row, and what a changed rule would decide.

A tally is the number of rows of each class, or (number, sum) of values less a center. Rules come as boxes of bins.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.pairwise_sums import BlockSum
from ..questions.binned_rows import Bins
from .row_parts import RowParts, RowsPart
from .rule_lists import Box, RuleList

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Covers = NDArray[np.bool_]
Slots = NDArray[np.int32]

MOST_CELLS = 1 << 20  # of tallies that a partition is asked for at once
_ROWS_AT_ONCE = 16_384  # of which it is remembered which rules cover them, in a processor's cache


class PackedLists(NamedTuple):
    """Lists of rules, for compiled loops: arrays alone. A rule that is in several lists is there once."""

    list_starts: Ints  # (n_lists + 1,) where each list begins in ``rules``
    rules: Ints  # (n_listed,) the rules of each list
    condition_starts: Ints  # (n_rules + 1,) the first condition of each rule
    features: Ints  # (n_conditions,)
    bin_starts: Ints  # (n_conditions,) where the feature's bins begin in ``admitted``
    admitted: NDArray[np.bool_]

    @staticmethod
    def of(lists: Sequence[Sequence[Box]]) -> "PackedLists":
        """Return lists of boxes."""
        numbers: dict[object, int] = {}
        listed = [box for each in lists for box in each]
        rules = [numbers.setdefault(_content(box), len(numbers)) for box in listed]
        boxes = [listed[at] for at in np.unique(rules, return_index=True)[1]]
        admitted = [bins for box in boxes for bins in box.admitted]
        return PackedLists(
            np.cumsum([0, *map(len, lists)], dtype=np.int64),
            np.array(rules, dtype=np.int64),
            np.cumsum([0, *(len(box.features) for box in boxes)], dtype=np.int64),
            np.array([feature for box in boxes for feature in box.features], dtype=np.int64),
            np.cumsum([0, *map(len, admitted)], dtype=np.int64)[:-1],
            np.concatenate([np.empty(0, np.bool_), *admitted]),
        )


def _content(box: Box) -> object:
    """Return what no other box has."""
    return box.features, tuple(bins.tobytes() for bins in box.admitted)


class _Block(NamedTuple):
    """Some rows of a part, for compiled loops."""

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


class _PackedCandidates(NamedTuple):
    """Candidates, for compiled loops."""

    others: PackedLists  # of each
    rules: PackedLists  # a list of one rule for each
    before: Ints  # (n_candidates,)

    @staticmethod
    def of(candidates: Sequence[Candidate]) -> "_PackedCandidates":
        others, rules = [each.others for each in candidates], [[each.rule] for each in candidates]
        return _PackedCandidates(
            PackedLists.of(others), PackedLists.of(rules), np.array([each.before for each in candidates], np.int64)
        )


def tallies_of(rows: RowParts, lists: Sequence[Sequence[Box]], center: float = 0.0) -> list[Floats]:
    """Return the tally of each rule of each list, and of its default, (n_rules + 1, n_tallied)."""
    ends = np.cumsum([len(each) + 1 for each in lists])
    packed = PackedLists.of(lists)
    if rows.is_regression:
        tallies = rows.sums(_tally_values_of_part, packed, center).reshape(-1, 2)
    else:
        tallies = rows.counts(_tally_classes_of_part, packed).reshape(-1, rows.n_classes).astype(np.float64)
    return np.split(tallies, ends[:-1])


def sweeps_of(rows: RowParts, candidates: Sequence[Candidate], center: float = 0.0) -> Iterator[Swept]:
    """Yield what each candidate would decide; several are counted at once, as many as memory allows."""
    n_bins, n_tallied = int(rows.statements.bin_starts[-1]), 2 if rows.is_regression else rows.n_classes
    waiting = list(candidates)
    while waiting:
        n_cells = np.cumsum([n_bins * n_tallied * (len(each.others) + 1) for each in waiting])
        n_taken = max(1, int((n_cells <= MOST_CELLS).sum()))
        some, waiting = waiting[:n_taken], waiting[n_taken:]
        packed = _PackedCandidates.of(some)
        if rows.is_regression:
            flat = rows.sums(_sweep_values_of_part, packed, center)
        else:
            flat = rows.counts(_sweep_classes_of_part, packed).astype(np.float64)
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
    counts = rows.counts(_coverage_of_part, PackedLists.of([rules]))
    by_rule = counts.reshape(len(rules), -1)
    return by_rule[:, 0], by_rule[:, 1:]


def fit_rule_list(boxes: Sequence[Box], rows: RowParts) -> RuleList:
    """Return the list in which each rule, and the default, predicts the commonest class or mean of the rows it decides.

    Ties go to the lower class. A rule that decides no row predicts what fits all rows best.
    """
    (tally,) = tallies_of(rows, [boxes])
    if rows.is_regression:
        n_decided, sums = tally.T
        means = np.where(n_decided > 0, sums / np.maximum(n_decided, 1), rows.mean)
        return RuleList(tuple(boxes), means, None, n_decided.astype(np.int64))
    n_decided = tally.sum(axis=1).astype(np.int64)
    tally[n_decided == 0] = tally.sum(axis=0)
    scores = tally / tally.sum(axis=1, keepdims=True)
    return RuleList(tuple(boxes), tally.argmax(axis=1), scores, n_decided)


# What is done in each partition.


def _blocks(part: RowsPart) -> Iterator[_Block]:
    return (block for rows in part.blocks() for block in _blocks_of(part, rows))


def _blocks_of(part: RowsPart, rows: slice) -> Iterator[_Block]:
    for first in range(rows.start, rows.stop, _ROWS_AT_ONCE):
        end = min(first + _ROWS_AT_ONCE, rows.stop)
        yield _Block(part.binned.bins, part.binned.statements.bin_starts, first, end)


def _tally_classes_of_part(part: RowsPart, lists: PackedLists) -> Ints:
    tallies = np.zeros((_n_slots(lists), part.targets.n_classes), np.int64)
    for block in _blocks(part):
        _tally_classes(block, lists, part.classes, tallies)
    return tallies.ravel()


def _tally_values_of_part(part: RowsPart, lists: PackedLists, center: float) -> list[BlockSum]:
    def of_block(rows: slice) -> Floats:
        tallies = np.zeros((_n_slots(lists), 2))
        for block in _blocks_of(part, rows):
            _tally_values(block, lists, part.values, center, tallies)
        return tallies.ravel()

    return part.sums(of_block)


def _n_slots(lists: PackedLists) -> int:
    """Return the number of rules and defaults of all lists."""
    return len(lists.rules) + len(lists.list_starts) - 1


def _sweep_classes_of_part(part: RowsPart, swept: _PackedCandidates) -> NDArray[np.int32]:
    n_bins = int(part.binned.statements.bin_starts[-1])
    sweeps = _empty_sweeps(swept, (n_bins, part.targets.n_classes), np.int32)
    for block in _blocks(part):
        covers = _covers(block, swept.others)
        for which, of_candidate in enumerate(sweeps):
            _sweep_classes(block, swept, (which, covers), part.classes, of_candidate)
    return _side_by_side(sweeps)


def _sweep_values_of_part(part: RowsPart, swept: _PackedCandidates, center: float) -> list[BlockSum]:
    n_bins = int(part.binned.statements.bin_starts[-1])

    def of_block(rows: slice) -> Floats:
        sweeps = _empty_sweeps(swept, (n_bins, 2), np.float64)
        for block in _blocks_of(part, rows):
            covers = _covers(block, swept.others)
            for which, of_candidate in enumerate(sweeps):
                _sweep_values(block, swept, (which, covers), part.values, center, of_candidate)
        return _side_by_side(sweeps)

    return part.sums(of_block)


def _empty_sweeps(swept: _PackedCandidates, shape: tuple[int, int], dtype: type) -> list[Swept]:
    n_bins, n_tallied = shape
    n_slots = (np.diff(swept.others.list_starts) + 1).tolist()
    return [
        Swept(np.zeros((n_own, n_tallied), dtype), np.zeros((n_bins, n_own - before, n_tallied), dtype))
        for n_own, before in zip(n_slots, swept.before.tolist(), strict=True)
    ]


def _side_by_side(sweeps: Sequence[Swept]) -> NDArray[Any]:
    return np.concatenate([each.ravel() for of_candidate in sweeps for each in of_candidate])


def _coverage_of_part(part: RowsPart, lists: PackedLists) -> NDArray[np.int32]:
    n_bins = int(part.binned.statements.bin_starts[-1])
    counts = np.zeros((len(lists.rules), 1 + n_bins), np.int32)
    for block in _blocks(part):
        _cover(block, lists, counts)
    return counts.ravel()


@compiled
def _covers(block: _Block, lists: PackedLists) -> Covers:
    """Return which rules cover each row of a block, each rule being looked at once, (n_rules, n_rows of the block)."""
    n_rules, n_rows = len(lists.condition_starts) - 1, block.end - block.first
    covers = np.ones((n_rules, n_rows), np.bool_)
    for rule in range(n_rules):
        of_rule = covers[rule]
        for condition in range(lists.condition_starts[rule], lists.condition_starts[rule + 1]):
            admitted, bins = lists.admitted[lists.bin_starts[condition] :], block.bins[lists.features[condition]]
            for at in range(n_rows):
                of_rule[at] &= admitted[bins[block.first + at]]
    return covers


@inlined
def _deciding(covers: Covers, lists: PackedLists, which: int) -> Slots:
    """Return the first rule of a list that covers each row, (n_rows of the block,); their number where none does."""
    first, end = int(lists.list_starts[which]), int(lists.list_starts[which + 1])
    slots = np.full(covers.shape[1], end - first, np.int32)
    for listed in range(end - 1, first - 1, -1):
        is_covered, slot = covers[lists.rules[listed]], np.int32(listed - first)
        for at in range(len(slots)):
            slots[at] = slot if is_covered[at] else slots[at]
    return slots


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


@compiled
def _tally_classes(block: _Block, lists: PackedLists, classes: Ints, tallies: Ints) -> None:
    covers = _covers(block, lists)
    for which in range(len(lists.list_starts) - 1):
        slots, offset = _deciding(covers, lists, which), lists.list_starts[which] + which
        for at in range(len(slots)):
            tallies[offset + slots[at], classes[block.first + at]] += 1


@compiled
def _tally_values(block: _Block, lists: PackedLists, values: Floats, center: float, tallies: Floats) -> None:
    covers = _covers(block, lists)
    for which in range(len(lists.list_starts) - 1):
        slots, offset = _deciding(covers, lists, which), lists.list_starts[which] + which
        for at in range(len(slots)):
            tallies[offset + slots[at], 0] += 1
            tallies[offset + slots[at], 1] += values[block.first + at] - center


@compiled
def _sweep_classes(
    block: _Block, swept: _PackedCandidates, among: tuple[int, Covers], classes: Ints, sums: Swept
) -> None:
    """Count the rows that a candidate would decide."""
    which, covers = among
    bins, starts, before, rule = block.bins, block.bin_starts, swept.before[which], swept.rules.rules[which]
    slots = _deciding(covers, swept.others, which)
    for at in range(len(slots)):
        row, slot = block.first + at, slots[at]
        label = classes[row]
        sums.tallies[slot, label] += 1
        if slot < before:
            continue
        n_broken, broken = _n_broken(bins, row, swept.rules, rule)
        if n_broken == 0:
            for feature in range(bins.shape[0]):
                sums.moving[starts[feature] + bins[feature, row], slot - before, label] += 1
        elif n_broken == 1:
            sums.moving[starts[broken] + bins[broken, row], slot - before, label] += 1


@compiled
def _sweep_values(  # as for classes, and a center
    block: _Block, swept: _PackedCandidates, among: tuple[int, Covers], values: Floats, center: float, sums: Swept
) -> None:
    """Add up the rows that a candidate would decide."""
    which, covers = among
    bins, starts, before, rule = block.bins, block.bin_starts, swept.before[which], swept.rules.rules[which]
    slots = _deciding(covers, swept.others, which)
    for at in range(len(slots)):
        row, slot = block.first + at, slots[at]
        value = values[row] - center
        sums.tallies[slot, 0] += 1
        sums.tallies[slot, 1] += value
        if slot < before:
            continue
        n_broken, broken = _n_broken(bins, row, swept.rules, rule)
        if n_broken == 0:
            for feature in range(bins.shape[0]):
                bin_ = starts[feature] + bins[feature, row]
                sums.moving[bin_, slot - before, 0] += 1
                sums.moving[bin_, slot - before, 1] += value
        elif n_broken == 1:
            bin_ = starts[broken] + bins[broken, row]
            sums.moving[bin_, slot - before, 0] += 1
            sums.moving[bin_, slot - before, 1] += value


@compiled
def _cover(block: _Block, lists: PackedLists, counts: NDArray[np.int32]) -> None:
    """Count the rows that each rule covers, and, by their bin, those that break only one condition."""
    for listed in range(len(lists.rules)):
        for row in range(block.first, block.end):
            n_broken, feature = _n_broken(block.bins, row, lists, lists.rules[listed])
            if n_broken == 0:
                counts[listed, 0] += 1
            elif n_broken == 1:
                counts[listed, 1 + block.bin_starts[feature] + block.bins[feature, row]] += 1
