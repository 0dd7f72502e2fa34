"""Pairs of a candidate and a row that are close, found a roomful at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROOM = 1 << 18

Found = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]]


@dataclass(frozen=True, slots=True)
class ClosePairs:
    """For some candidates, the targets that are closer than their thresholds, in no particular order.

    Those of candidate ``i`` are ``targets[starts[i] : starts[i + 1]]``.
    """

    candidates: NDArray[np.int64]  # (n_candidates,) rows
    starts: NDArray[np.int64]  # (n_candidates + 1,)
    targets: NDArray[np.int32]  # (n_pairs,) positions among the targets
    proximities: NDArray[np.uint32]  # (n_pairs,)


class FoundPairs(NamedTuple):
    """Some pairs, as they were found."""

    candidates: NDArray[np.int32]  # (n_pairs,) positions in the block
    targets: NDArray[np.int32]  # (n_pairs,) positions among the targets
    proximities: NDArray[np.uint32]


def drain(find: Callable[[int, Found], tuple[int, int]], n_items: int, most_for_one: int) -> Iterator[Found]:
    """Yield what is found for items 0, 1, …, as much at a time as there is room for."""
    n_room = max(_ROOM, most_for_one)
    room = np.empty(n_room, np.int32), np.empty(n_room, np.int32), np.empty(n_room, np.uint32)
    following = 0
    while following < n_items:
        n_found, following = find(following, room)
        yield room[0][:n_found].copy(), room[1][:n_found].copy(), room[2][:n_found].copy()


def by_candidate(candidates: NDArray[np.int64], found: list[FoundPairs]) -> ClosePairs:
    """Put pairs in the order of their candidates."""
    nothing = FoundPairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint32))
    positions, targets, proximities = (np.concatenate(part) for part in zip(nothing, *found, strict=True))
    order = np.argsort(positions, kind="stable")
    starts = np.cumsum(np.bincount(positions + 1, minlength=len(candidates) + 1)).astype(np.int64)
    return ClosePairs(candidates, starts, targets[order], proximities[order])
