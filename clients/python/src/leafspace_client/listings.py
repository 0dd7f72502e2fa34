"""Listings: what a collection holds, fetched page by page as far as it is looked at."""

from collections.abc import Iterator
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")

_SHOWN = 10


class Listing(Iterator[T], Generic[T]):
    """The things of a kind, newest first: an iterator, of which any place can be asked, too.

    Pages are fetched when they are needed, and what was fetched is kept: ``listing[0]`` fetches one page,
    ``list(listing)`` all.
    """

    def __init__(self, things: Iterator[T]) -> None:
        self._following = things
        self._fetched: list[T] = []
        self._n_taken = 0

    def __next__(self) -> T:
        """Return the next thing."""
        if not self._has(self._n_taken):
            raise StopIteration
        self._n_taken += 1
        return self._fetched[self._n_taken - 1]

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> list[T]: ...

    def __getitem__(self, place: int | slice) -> T | list[T]:
        """Return the thing at this place, 0 being the newest, or the things of a slice; negative ones fetch all.

        Raises
        ------
        IndexError
            If there are fewer.
        """
        last = place if isinstance(place, int) else -1 if place.stop is None else place.stop - 1
        starts_at_the_end = isinstance(place, slice) and (place.start or 0) < 0
        self._has(None if last < 0 or starts_at_the_end else last)
        return self._fetched[place]

    def __repr__(self) -> str:
        """Return a line for each of the first things."""
        has_more = self._has(_SHOWN)
        if not self._fetched:
            return "nothing"
        shown = [*map(repr, self._fetched[:_SHOWN]), *(["… and more"] if has_more else [])]
        return "\n".join(shown)

    def _has(self, place: int | None) -> bool:
        """Fetch up to this place, or all; whether there is something at it."""
        missing = None if place is None else max(0, place + 1 - len(self._fetched))
        self._fetched.extend(islice(self._following, missing))
        return place is not None and place < len(self._fetched)
