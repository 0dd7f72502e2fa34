"""Work on many items cut into pieces: a moment's work each, shared among threads, with a word in between."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeVar

from ..compute.threads import in_order, n_cores

Result = TypeVar("Result")


class Pieces:
    """Cuts work into pieces and counts what has been done.

    Parameters
    ----------
    progressed
        Called after each piece; may raise to stop.
    """

    def __init__(self, progressed: Callable[[], None]) -> None:
        self.n_compared = 0  # pairs, over all work so far
        self._progressed = progressed

    def __call__(
        self, work: Callable[[slice], Result], n_items: int, longest: int, n_pairs_per_item: int
    ) -> Iterator[Result]:
        """Yield what threads make of pieces of ``range(n_items)``, in their order."""
        pieces = blocks(n_items, max(1, min(longest, -(-n_items // n_cores()))))
        with closing(in_order(work, pieces)) as done:  # whatever happens, no thread is left running
            for piece, result in done:
                yield result
                self.n_compared += (piece.stop - piece.start) * n_pairs_per_item
                self._progressed()


def blocks(n_items: int, length: int) -> list[slice]:
    """Return the parts of ``range(n_items)`` of some length, the last of which may be shorter."""
    return [slice(start, min(start + length, n_items)) for start in range(0, n_items, length)]
