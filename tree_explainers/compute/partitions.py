"""Work on all rows, written once as a map over partitions and an exact reduction, wherever it runs.

``LocalPartitions`` runs the map in the threads of this process; on a cluster, ``workers.cluster`` does. Rows form fixed
blocks in their order, and a partition is a whole number of blocks. Results come back in the order of the partitions,
and what reduces them is a sum of integers, a concatenation or a merge with declared ties: so the same bytes come out
for any number of partitions, whatever process worked on them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from contextvars import ContextVar
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .progress import Tick, no_tick
from .threads import in_order, n_cores

Result = TypeVar("Result")

BLOCK_ROWS = 65_536
"""Rows of a block: partitions are cut only between blocks."""


cancellation_check: ContextVar[Tick] = ContextVar("cancellation_check", default=no_tick)
"""Raises where nobody waits for the result any more."""


def check_cancelled() -> None:
    """Raise where nobody waits for the result any more; long work on a part calls this every now and then."""
    cancellation_check.get()()


class Partitions(Protocol):
    """Parts of something that lies in an order, each kept where it is worked on.

    Functions that are mapped are found by their module and name, take the part first, change nothing but what the part
    remembers, and give the same result whenever they are called: a part that is lost is made again, and what it
    remembered with it.
    """

    n_threads: int
    """How many parts are worked on at once, at most."""

    def __len__(self) -> int:
        """Return how many parts there are."""

    def map(self, function: Callable[..., Result], *broadcast: Any) -> Iterator[Result]:
        """Yield ``function(*part, *broadcast)`` of each part, in their order."""

    def keep(self, function: Callable[..., Any], *broadcast: Any) -> "Partitions":
        """Return what ``function(*part, *broadcast)`` makes of each part, which stays where it was made."""

    def beside(self, other: "Partitions") -> "Partitions":
        """Return parts that are the parts of both: a function takes first these, then the other's."""

    def beside_values(self, values: Sequence[Any]) -> "Partitions":
        """Return parts that have one more value each, sent from here."""

    def followed_by(self, other: "Partitions") -> "Partitions":
        """Return these parts, and then the other's."""

    def some(self, indices: Sequence[int]) -> "Partitions":
        """Return some of the parts, ascending."""

    def regrouped(self, function: Callable[..., Any], groups: Sequence[Any]) -> "Partitions":
        """Return parts that are the groups: each with the list of ``function(*part, group)`` of all these parts."""


Spread: TypeAlias = Callable[[Sequence[tuple[Any, ...]]], Partitions]
"""Makes partitions of what each of them is to begin with."""


class LocalPartitions:
    """Parts in the memory of this process; as many as there are cores are worked on at once.

    Parameters
    ----------
    parts
        What a mapped function takes of each part: one value, as a rule.
    n_threads
        By default one for each core.
    tick
        Called after each part that was worked on; may raise to stop.
    """

    def __init__(self, parts: Sequence[tuple[Any, ...]], n_threads: int | None = None, tick: Tick = no_tick) -> None:
        self._parts, self.n_threads, self._tick = list(parts), n_threads or n_cores(), tick

    def __len__(self) -> int:
        """Return how many parts there are."""
        return len(self._parts)

    def map(self, function: Callable[..., Result], *broadcast: Any) -> Iterator[Result]:
        """Yield what the function makes of each part, in their order."""
        with closing(in_order(lambda part: function(*part, *broadcast), self._parts, self.n_threads)) as done:
            for _, result in done:
                yield result
                self._tick()

    def keep(self, function: Callable[..., Any], *broadcast: Any) -> "LocalPartitions":
        """Return what the function makes of each part, as parts."""
        return self._of([(result,) for result in self.map(function, *broadcast)])

    def beside(self, other: "Partitions") -> "LocalPartitions":
        """Return parts that are the parts of both."""
        assert isinstance(other, LocalPartitions)  # one executor has them all
        pairs = zip(self._parts, other._parts, strict=True)  # noqa: SLF001  # its own kind
        return self._of([(*values, *others) for values, others in pairs])

    def beside_values(self, values: Sequence[Any]) -> "LocalPartitions":
        """Return parts that have one more value each."""
        pairs = zip(self._parts, values, strict=True)
        return self._of([(*of_part, value) for of_part, value in pairs])

    def followed_by(self, other: "Partitions") -> "LocalPartitions":
        """Return these parts, and then the other's."""
        assert isinstance(other, LocalPartitions)  # one executor has them all
        return self._of(self._parts + other._parts)  # noqa: SLF001  # its own kind

    def some(self, indices: Sequence[int]) -> "LocalPartitions":
        """Return some of the parts."""
        return self._of([self._parts[index] for index in indices])

    def regrouped(self, function: Callable[..., Any], groups: Sequence[Any]) -> "LocalPartitions":
        """Return parts that are the groups, with what the function makes of all these parts for each."""
        return self._of([(group, list(self.map(function, group))) for group in groups])

    def _of(self, parts: Sequence[tuple[Any, ...]]) -> "LocalPartitions":
        return LocalPartitions(parts, self.n_threads, self._tick)


def bounds_of_partitions(n_rows: int, most_rows: int) -> NDArray[np.int64]:
    """Return where partitions begin, and where the last one ends, (n_partitions + 1,).

    Parameters
    ----------
    n_rows
        1 or more.
    most_rows
        How many a partition may have; a whole number of blocks, at least one, is what it gets.
    """
    length = max(1, most_rows // BLOCK_ROWS) * BLOCK_ROWS
    return np.append(np.arange(0, n_rows, length), n_rows).astype(np.int64)
