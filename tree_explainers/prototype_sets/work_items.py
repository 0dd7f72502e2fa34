"""Comparisons of candidates with many rows, cut into pieces for threads and counted for progress."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TypeVar

from ..compute.progress import Tick
from ..compute.threads import in_order, n_cores
from .pair_lists import blocks

Result = TypeVar("Result")

NANOSECONDS_PER_PIECE = 1e8
_PIECES_WORTH_THREADS = (
    100  # as many short ones take as long: a millisecond each, a few times what starting threads takes
)


@dataclass(slots=True)
class Count:
    """How much has been done so far, such as pairs that were compared, by all that share the count.

    It is an object of its own, so that a progress callback holds it rather than a sweep, which holds the callback:
    in such a cycle tables, columns and pairs would stay until garbage is looked for.
    """

    n: int = 0


class Pieces:
    """Cuts work into pieces and counts what has been done.

    Parameters
    ----------
    tick
        Called after each piece; may raise to stop.
    compared
        What pairs are counted in.
    """

    def __init__(self, tick: Tick, compared: Count | None = None) -> None:
        self.tick = tick
        self._compared = compared or Count()

    def __call__(
        self, work: Callable[[slice], Result], n_items: int, longest: int, n_pairs_per_item: int
    ) -> Iterator[Result]:
        """Yield what threads make of pieces of ``range(n_items)``, in their order.

        ``longest`` is how many items take ``NANOSECONDS_PER_PIECE``.
        """
        is_worth_threads = n_items * _PIECES_WORTH_THREADS > longest
        pieces = blocks(n_items, max(1, min(longest, -(-n_items // n_cores())) if is_worth_threads else n_items))
        with closing(in_order(work, pieces)) as done:  # whatever happens, no thread is left running
            for piece, result in done:
                yield result
                self._compared.n += (piece.stop - piece.start) * n_pairs_per_item
                self.tick()
