"""Close pairs of candidates and targets, as they are found and in the order of their candidates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..leaf_space.binary_sums import PairArrays
from ..leaf_space.leaf_masks import BLOCK

_ROOM = 1 << 16  # pairs that are found at once: both kinds of them take 1.5 MB of each thread


def blocks(n_items: int, length: int) -> list[slice]:
    """Return the parts of ``range(n_items)`` of some length, the last of which may be shorter."""
    return [slice(start, min(start + length, n_items)) for start in range(0, n_items, length)]


@dataclass(frozen=True, slots=True)
class ClosePairs:
    """For some candidates, the targets that are closer than their thresholds, in no particular order.

    Those of candidate ``i`` are ``targets[starts[i] : starts[i + 1]]``.
    """

    candidates: NDArray[np.int64]  # (n_candidates,) rows
    starts: NDArray[np.int64]  # (n_candidates + 1,)
    targets: NDArray[Any]  # (n_pairs,) int32, or uint16 with the next: positions among the targets
    proximities: NDArray[Any]  # (n_pairs,) uint32, or uint16


class FoundPairs(NamedTuple):
    """Some pairs, as they were found; (n_pairs,) each, all in 16 bits without a sign where these hold them."""

    candidates: NDArray[Any]  # int32: positions in the block
    targets: NDArray[Any]  # int32: positions among the targets
    proximities: NDArray[Any]  # uint32


def drain(find: Callable[[int, PairArrays], tuple[int, int]], n_items: int, most_for_one: int) -> Iterator[PairArrays]:
    """Yield what is found for items 0, 1, …, as much at a time as there is room for."""
    n_room = max(_ROOM, most_for_one)
    buffers = np.empty(n_room, np.int32), np.empty(n_room, np.int32), np.empty(n_room, np.uint32)
    following = 0
    while following < n_items:
        n_found, following = find(following, buffers)
        yield buffers[0][:n_found].copy(), buffers[1][:n_found].copy(), buffers[2][:n_found].copy()


def drain_both(
    find: Callable[[int, tuple[PairArrays, PairArrays]], tuple[int, int, int]],
    n_items: int,
    most_for_one: int,
    *,
    are_short: bool,
) -> Iterator[tuple[FoundPairs, FoundPairs]]:
    """Yield what ``find`` finds in two ways, likewise; ``are_short`` says whether 16 bits hold it."""
    n_room = max(_ROOM, most_for_one)
    rooms = [(np.empty(n_room, np.int32), np.empty(n_room, np.int32), np.empty(n_room, np.uint32)) for _ in range(2)]
    following = 0
    while following < n_items:
        n_first, n_second, following = find(following, (rooms[0], rooms[1]))
        yield _copied(rooms[0], n_first, are_short=are_short), _copied(rooms[1], n_second, are_short=are_short)


def _copied(buffers: PairArrays, n_found: int, *, are_short: bool) -> FoundPairs:
    return FoundPairs._make(each[:n_found].astype(np.uint16 if are_short else each.dtype) for each in buffers)


def by_candidate(candidates: NDArray[np.int64], pairs: list[FoundPairs]) -> ClosePairs:
    """Put pairs in the order of their candidates."""
    counts = np.zeros(len(candidates), dtype=np.int64)
    for some in pairs:
        counts += np.bincount(some.candidates, minlength=len(candidates))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    following = starts[:-1].copy()
    are_short = bool(pairs) and all(some.targets.dtype == np.uint16 for some in pairs)
    types = (np.uint16, np.uint16) if are_short else (np.int32, np.uint32)
    ordered = np.empty(starts[-1], types[0]), np.empty(starts[-1], types[1])
    for some in pairs:
        _put_in_order(some, following, *ordered)
    return ClosePairs(candidates, starts, *ordered)


@compiled
def _put_in_order(
    pairs: FoundPairs, following: NDArray[np.int64], targets: NDArray[Any], proximities: NDArray[Any]
) -> None:
    for pair in range(len(pairs.candidates)):
        candidate = pairs.candidates[pair]
        index = following[candidate]
        following[candidate] = index + 1
        targets[index], proximities[index] = pairs.targets[pair], pairs.proximities[pair]


class PairsBothWays(Protocol):
    """Finds pairs of some rows, each of which may be a candidate or a target."""

    def pairs_both_ways(
        self, rows: NDArray[np.int64], block: slice, thresholds: NDArray[np.int64]
    ) -> Iterator[tuple[FoundPairs, FoundPairs]]:
        """Yield the close pairs of a block of rows, as candidates, with these and all later ones, as targets.

        The second ones are those with later rows seen from the other side: later rows are the candidates, by their
        position among all rows, and rows of the block the targets. ``thresholds`` are (n_rows,).
        """


class MirroredPairs:
    """The close pairs of some rows with each other, where each pair is compared once.

    Those of a block of 512 candidates follow those of the one before. What is found of later blocks meanwhile is held.

    Parameters
    ----------
    masks
        Compares the rows.
    rows : (n_rows,) int64
        Candidates and targets.
    thresholds : (n_rows,) int64
        Of each row as a target; not negative.
    """

    def __init__(self, masks: PairsBothWays, rows: NDArray[np.int64], thresholds: NDArray[np.int64]) -> None:
        self._masks, self._rows, self._thresholds = masks, rows, thresholds
        self._held: list[list[FoundPairs]] = [[] for _ in blocks(len(rows), BLOCK)]

    @property
    def n_held(self) -> int:
        """How many pairs of later candidates are held."""
        return sum(len(some.targets) for of_block in self._held for some in of_block)

    def drop(self, thresholds: NDArray[np.int64]) -> None:
        """Raise thresholds: pairs that are not above them are dropped, and no more are found."""
        self._thresholds = thresholds
        for of_block in self._held:
            of_block[:] = [_some(some, some.proximities > thresholds[some.targets]) for some in of_block]

    def __iter__(self) -> Iterator[ClosePairs]:
        """Yield the pairs of one block of candidates after the other."""
        for index, block in enumerate(blocks(len(self._rows), BLOCK)):
            held, self._held[index] = self._held[index], []
            pairs = [_of_one_type(some) for some in held]
            del held
            for of_block, mirrored in self._masks.pairs_both_ways(self._rows, block, self._thresholds):
                pairs.append(of_block)
                self._hold(mirrored)
                del of_block, mirrored
            found = by_candidate(self._rows[block], pairs)
            pairs.clear()  # a caller takes its time
            yield found

    def _hold(self, pairs: FoundPairs) -> None:
        number = pairs.candidates.dtype.type
        starts = np.arange(0, len(self._rows), BLOCK, dtype=number)
        cuts = [*np.searchsorted(pairs.candidates, starts).tolist(), len(pairs.candidates)]
        for index, (start, stop) in enumerate(pairwise(cuts)):
            if stop > start:
                of_block = _some(pairs, slice(start, stop))
                of_block = of_block._replace(candidates=of_block.candidates - number(index * BLOCK))
                # Views would keep what was found of all blocks until the last of them is yielded.
                self._held[index].append(FoundPairs._make(map(_short_copy, of_block)))


def _short_copy(numbers: NDArray[Any]) -> NDArray[Any]:
    return numbers.astype(np.uint16 if numbers.max() <= np.iinfo(np.uint16).max else numbers.dtype)


def _of_one_type(pairs: FoundPairs) -> FoundPairs:
    """Return pairs that were held, of which each number was shortened, in one of the types in which they are found."""
    if all(numbers.dtype == np.uint16 for numbers in pairs):
        return pairs
    return FoundPairs(pairs[0].astype(np.int32), pairs[1].astype(np.int32), pairs[2].astype(np.uint32))


def _some(pairs: FoundPairs, which: slice | NDArray[np.bool_]) -> FoundPairs:
    return FoundPairs(pairs.candidates[which], pairs.targets[which], pairs.proximities[which])
