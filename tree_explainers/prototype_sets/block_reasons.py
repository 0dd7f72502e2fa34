"""Why many rows are like their prototypes: the reasons of a block of pairs, found faster than pair by pair.

A feature that is a single number needs no intersection: the ends of its intervals are kept in order, and the end that
counts is the first whose tree the pair shares. Most pairs share most trees, so it is among the first. Which trees test
the feature, and what they do with missing values, is found 64 trees at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .feature_reasons import FeatureReason
from .leaf_boxes import LeafBoxes, Side
from .nearest import NearPairs
from .raw_units import RawReasons, RawSide, group_by_feature, raw_interval
from .readable import ReasonReader, feature_numbers
from .reasons import Reasons

_OF_REASONS = ("column", "low", "high", "side", "share_of_trees", "other")  # arrays of ``PairReasons``, (n_reasons,)
_WORD = 64  # bits, one for each tree
_ONE = np.uint64(1)
_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS, _INCOMPLETE = int(Side.MISSING_STAYS), int(Side.INCOMPLETE)
_Units = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]  # scale, offset, imputed


class PairReasons(NamedTuple):
    """One reason a feature: those of pair ``p`` are ``bounds[p]`` to ``bounds[p + 1]``.

    They come by descending ``share_of_trees`` (ties: in the order of the model), as ``ReasonReader.read`` sorts them.
    """

    bounds: NDArray[np.int64]  # (n_pairs + 1,)
    column: NDArray[np.int64]  # (n_reasons,) the feature's first
    low: NDArray[np.float64]  # in raw units; infinite where there is no end
    high: NDArray[np.float64]
    side: NDArray[np.int64]  # RawSide
    share_of_trees: NDArray[np.float64]
    other: NDArray[np.int64]  # index into ``others``; -1: a single number, whose reason is in the arrays
    others: tuple[FeatureReason, ...] = ()  # no two alike; their own ``share_of_trees`` has no meaning

    def take(self, order: NDArray[np.int64]) -> "PairReasons":
        """Return the reasons in another order."""
        return self._replace(**{name: getattr(self, name)[order] for name in _OF_REASONS})


@dataclass(frozen=True, slots=True)
class BlockReasons:
    """The prototypes' leaf boxes, made ready for blocks of rows; several threads may use it at once."""

    ends: "_Ends"  # of features that are single numbers
    rest: Reasons  # of the others, and of numbers from which single values are excluded
    reader: ReasonReader
    features: NDArray[np.int64]  # (n_columns,) number of the feature that each column belongs to

    @staticmethod
    def build(boxes: LeafBoxes, reader: ReasonReader, is_shown: NDArray[np.bool_]) -> "BlockReasons":
        """Prepare; ``is_shown``, (n_columns,), marks the columns whose reasons are wanted."""
        shown = _only(boxes, is_shown[boxes.entries["column"]])
        is_plain = _is_plain(shown, reader.units.is_alone)
        rest = Reasons.build(_only(shown, ~is_plain))
        return BlockReasons(_ends(_only(shown, is_plain)), rest, reader, feature_numbers(reader.columns).astype(int))

    def of(self, pairs: NearPairs, is_missing: NDArray[np.bool_] | None = None) -> PairReasons:
        """Return the reasons of a block of pairs: the same as ``Reasons`` and ``ReasonReader`` give.

        Parameters
        ----------
        pairs
            Rows and prototypes near them.
        is_missing : (n_rows, n_columns) bool, optional
            Of which columns each row misses the raw value; see ``ReasonReader.translate``.
        """
        units = self.reader.units
        arrays = (units.scale, units.offset, units.imputed)
        words = _words(pairs.shared)
        found = _numbers(self.ends, pairs.prototypes, pairs.shared, words, arrays, units.is_single)
        bounds, column, low, high, side, share_of_trees = found
        numbers = PairReasons(bounds, column, low, high, side, share_of_trees, np.full(len(column), -1))
        numbers.side[~units.is_exact[numbers.column]] &= ~int(RawSide.EXACT)
        nullable = _Nullable(
            units.is_nullable, is_missing, np.repeat(np.arange(len(pairs.bounds) - 1), np.diff(pairs.bounds))
        )
        numbers.side[~nullable.of(numbers.bounds, numbers.column)] &= ~int(RawSide.OR_MISSING)
        reasons = self.rest.of(pairs.prototypes, pairs.shared)
        if len(reasons):
            raw = group_by_feature(reasons, len(pairs.prototypes), units, np.ones(len(units.is_nullable), np.bool_))
            raw.side[~nullable.of(raw.bounds, raw.column)] &= ~int(RawSide.OR_MISSING)
            numbers = _joined(numbers, self._combined(reasons, raw, nullable))
        return numbers.take(_order(numbers.bounds, self.features[numbers.column], numbers.share_of_trees))

    def _combined(self, reasons: NDArray[Any], raw: RawReasons, nullable: "_Nullable") -> PairReasons:
        """Combine the columns of one feature; equal intervals are combined once."""
        pairs = reasons["pair"].copy()
        reasons["pair"], reasons["share_of_trees"] = 0, 1
        known: dict[tuple[bytes, bytes], int] = {}
        others: list[FeatureReason] = []
        other = np.full(len(raw.column), -1)
        for place in np.flatnonzero(raw.is_other).tolist():
            span = slice(raw.first[place], raw.first[place] + raw.n_own[place])
            own, columns = reasons[span], nullable.of_pair(pairs[span.start])
            key = own.tobytes(), columns[own["column"]].tobytes()
            if key not in known:
                known[key] = len(others)
                others.append(self.reader.combine(own, columns))
            other[place] = known[key]
        combined = PairReasons(
            raw.bounds, raw.column, raw.low, raw.high, raw.side, raw.share_of_trees, other, tuple(others)
        )
        _fill_in_others(combined)
        return combined


class _Nullable(NamedTuple):
    """Whose reasons mention that a missing value is allowed, pair by pair and column by column."""

    always: NDArray[np.bool_]  # (n_columns,) the reference rows miss some
    is_missing: NDArray[np.bool_] | None  # (n_rows, n_columns) the row itself misses it
    row: NDArray[np.int64]  # (n_pairs,)

    def of(self, bounds: NDArray[np.int64], column: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return it for reasons of these columns, which come pair by pair."""
        is_nullable: NDArray[np.bool_] = self.always[column]
        if self.is_missing is not None:
            is_nullable |= self.is_missing[np.repeat(self.row, np.diff(bounds)), column]
        return is_nullable

    def of_pair(self, pair: int) -> NDArray[np.bool_]:
        """Return it for all columns, (n_columns,)."""
        return self.always if self.is_missing is None else self.always | self.is_missing[self.row[pair]]


def _fill_in_others(combined: PairReasons) -> None:
    """Fill in the arrays for other features, as far as arrays can hold their reasons."""
    is_other = combined.other >= 0
    own = combined.other[is_other]
    combined.low[is_other] = np.array([_number(reason["low"], -np.inf) for reason in combined.others])[own]
    combined.high[is_other] = np.array([_number(reason["high"], np.inf) for reason in combined.others])[own]
    combined.side[is_other] = np.array([_side(reason) for reason in combined.others], dtype=np.int64)[own]


def _number(end: float | None, where_there_is_none: float) -> float:
    return where_there_is_none if end is None else end


def _side(reason: FeatureReason) -> int:
    side = RawSide.LOW_INCLUSIVE if reason["low_inclusive"] else RawSide(0)
    side |= RawSide.HIGH_INCLUSIVE if reason["high_inclusive"] else RawSide(0)
    side |= RawSide.OR_MISSING if reason["or_missing"] else RawSide(0)
    side |= RawSide.IS_MISSING if reason["is_missing"] else RawSide(0)
    return int(side | (RawSide.EXACT if reason["exact"] else RawSide(0)))


def _joined(numbers: PairReasons, combined: PairReasons) -> PairReasons:
    """Return the reasons of both, pair by pair."""
    parts = (numbers, combined)
    pair = np.concatenate([np.repeat(np.arange(len(part.bounds) - 1), np.diff(part.bounds)) for part in parts])
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _OF_REASONS}
    joined = combined._replace(bounds=numbers.bounds + combined.bounds, **arrays)
    return joined.take(np.argsort(pair, kind="stable"))


def _only(boxes: LeafBoxes, is_wanted: NDArray[np.bool_]) -> LeafBoxes:
    n_wanted_before = np.concatenate(([0], np.cumsum(is_wanted)))
    return LeafBoxes(n_wanted_before[boxes.starts], boxes.entries[is_wanted], boxes.sets)


def _is_plain(boxes: LeafBoxes, is_alone: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for which entries the feature is a single number, without holes and sets in the prototype's own."""
    n_columns = len(is_alone)
    column, is_hole = boxes.entries["column"], (boxes.entries["side"] & Side.HOLE) != 0
    own = np.repeat(np.arange(len(boxes.starts) - 1), np.diff(boxes.starts)) * n_columns + column
    is_plain: NDArray[np.bool_] = is_alone[column] & ~np.isin(own, own[is_hole])
    return is_plain


class _Ends(NamedTuple):
    """The intervals of a prototype in a column are a list; lists are in the order of prototypes, then features."""

    starts: NDArray[np.int64]  # (n_prototypes + 1,) where each prototype's lists begin
    column: NDArray[np.int64]  # (n_lists,)
    first: NDArray[np.int64]  # (n_lists,) where each list begins among the entries
    testing: NDArray[np.uint64]  # (n_lists, n_words) the trees of its intervals, a bit for each
    losing: NDArray[np.uint64]  # those in which a missing value would not stay
    incomplete: NDArray[np.uint64]  # those that test sets
    low_tree: NDArray[np.int32]  # (n_entries,) trees by falling lower end, excluded ends first
    low: NDArray[np.float64]
    low_side: NDArray[np.int32]
    high_tree: NDArray[np.int32]  # (n_entries,) trees by rising upper end, excluded ends first
    high: NDArray[np.float64]
    high_side: NDArray[np.int32]


def _ends(boxes: LeafBoxes) -> _Ends:
    entries, sides = boxes.entries, boxes.entries["side"]
    opens = np.ones(len(entries), dtype=np.bool_)
    opens[1:] = entries["column"][1:] != entries["column"][:-1]
    opens[boxes.starts[:-1][boxes.starts[:-1] < len(entries)]] = True
    list_of = np.cumsum(opens)
    n_lists = int(list_of.max(initial=0))
    by_low = entries[np.lexsort((sides & Side.LOW_INCLUSIVE, -entries["low"], list_of))]
    by_high = entries[np.lexsort((sides & Side.HIGH_INCLUSIVE, entries["high"], list_of))]
    return _Ends(
        np.concatenate(([0], list_of))[boxes.starts],
        entries["column"][opens].astype(np.int64),
        np.flatnonzero(opens),
        _bits(n_lists, list_of - 1, entries["tree"], np.ones(len(entries), dtype=np.bool_)),
        _bits(n_lists, list_of - 1, entries["tree"], (sides & Side.MISSING_STAYS) == 0),
        _bits(n_lists, list_of - 1, entries["tree"], (sides & Side.INCOMPLETE) != 0),
        *_contiguous(by_low, "tree", "low", "side"),
        *_contiguous(by_high, "tree", "high", "side"),
    )


def _bits(
    n_lists: int, list_of: NDArray[np.int64], tree: NDArray[np.int32], is_set: NDArray[np.bool_]
) -> NDArray[np.uint64]:
    """Return a line for each list, with the bits of those trees set for which ``is_set`` holds."""
    n_words = int(tree.max(initial=0)) // _WORD + 1  # trees after the last one that tests the column do not matter
    bits = np.zeros((n_lists, n_words), dtype=np.uint64)
    bit = np.left_shift(np.uint64(1), (tree % _WORD).astype(np.uint64))
    np.bitwise_or.at(bits, (list_of[is_set], tree[is_set] // _WORD), bit[is_set])
    return bits


def _words(shared: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return lines of bits, (n_pairs, n_words), a bit for each tree."""
    n_pairs, n_trees = shared.shape
    padded = np.zeros((n_pairs, -(-n_trees // _WORD) * _WORD), dtype=np.bool_)
    padded[:, :n_trees] = shared
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def _contiguous(entries: NDArray[Any], *names: str) -> Sequence[NDArray[Any]]:
    return [np.ascontiguousarray(entries[name]) for name in names]


@compiled
def _numbers(
    ends: _Ends,
    prototypes: NDArray[np.int64],
    shared: NDArray[np.bool_],
    words: NDArray[np.uint64],
    units: _Units,
    is_single: bool,  # noqa: FBT001  # compiled
) -> tuple[NDArray[Any], ...]:
    """Return bounds, column, low, high, side and share of trees of the features that are single numbers.

    ``raw_interval`` becomes part of what is compiled and kept: see ``code_cache``.
    """
    room = 0
    for prototype in prototypes:
        room += ends.starts[prototype + 1] - ends.starts[prototype]
    bounds = np.zeros(len(prototypes) + 1, dtype=np.int64)
    column, side = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    low, high, share_of_trees = np.empty(room), np.empty(room), np.empty(room)
    end = 0
    for pair in range(len(prototypes)):
        own = shared[pair]
        n_shared = own.sum()
        for place in range(ends.starts[prototypes[pair]], ends.starts[prototypes[pair] + 1]):
            n_testing = _n_common(ends.testing[place], words[pair])
            if n_testing == 0:
                continue
            own_low, own_high, own_side = _intersection(ends, place, own, words[pair])
            of = ends.column[place]
            low[end], high[end], side[end] = raw_interval(
                own_low, own_high, own_side, units[0][of], units[1][of], units[2][of], is_single
            )
            column[end], share_of_trees[end] = of, n_testing / n_shared
            end += 1
        bounds[pair + 1] = end
    numbers = low[:end].copy(), high[:end].copy(), side[:end].copy(), share_of_trees[:end].copy()
    return bounds, column[:end].copy(), *numbers


@inlined
def _intersection(
    ends: _Ends, place: int, shared: NDArray[np.bool_], words: NDArray[np.uint64]
) -> tuple[float, float, int]:
    """Return the lower and upper end and the ``Side`` of the intersection of a list's intervals in the shared trees."""
    side = 0 if _n_common(ends.losing[place], words) else _MISSING_STAYS
    side |= _INCOMPLETE if _n_common(ends.incomplete[place], words) else 0
    low_at, high_at = ends.first[place], ends.first[place]
    while not shared[ends.low_tree[low_at]]:
        low_at += 1
    while not shared[ends.high_tree[high_at]]:
        high_at += 1
    side |= (ends.low_side[low_at] & _LOW_INCLUSIVE) | (ends.high_side[high_at] & _HIGH_INCLUSIVE)
    return ends.low[low_at], ends.high[high_at], side


@compiled
def _n_common(bits: NDArray[np.uint64], others: NDArray[np.uint64]) -> int:
    """Count the bits that are set in both."""
    n_common = 0
    for word in range(len(bits)):
        common = bits[word] & others[word]
        while common:  # compilers know this loop as one instruction
            common &= common - _ONE
            n_common += 1
    return n_common


@compiled
def _order(
    bounds: NDArray[np.int64], feature: NDArray[np.int64], share_of_trees: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Sort each pair's reasons by falling share of trees, then by feature."""
    order = np.empty(len(feature), dtype=np.int64)
    for pair in range(len(bounds) - 1):
        start, end = bounds[pair], bounds[pair + 1]
        by_feature = np.argsort(feature[start:end], kind="mergesort")
        by_share = np.argsort(-share_of_trees[start:end][by_feature], kind="mergesort")
        order[start:end] = start + by_feature[by_share]
    return order
