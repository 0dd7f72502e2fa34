"""NearestCases: the reference case that each row is compared with, the nearest of those that its kind allows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NearestCases:
    """The cases that rows of each kind may be compared with; nothing in it changes: threads may share it."""

    starts: Ints  # (n_kinds + 1,) where those of each kind begin
    cases: Ints  # (n_allowed,)

    @classmethod
    def of(cls, allowed: Iterable[Ints]) -> Self:
        """Return the cases by kind, in the order of the kinds; of equally near ones the first is taken."""
        lists = list(allowed)
        return cls(np.cumsum([0, *map(len, lists)], dtype=np.int64), np.concatenate(lists).astype(np.int64))

    def of_rows(self, proximities: Ints, kinds: Ints) -> Ints:
        """Return the nearest case of each row, (n_rows,); -1 where none is allowed.

        Parameters
        ----------
        proximities : (n_rows, n_cases)
            Of the rows to all cases; 0 or more.
        kinds : (n_rows,)
            Of the rows.
        """
        return _nearest(proximities, kinds, self.starts, self.cases)


def _types(n: Any) -> list[Any]:
    integers = n.int64[::1]
    return [integers(n.int64[:, ::1], integers, integers, integers)]


@compiled_ahead(_types)
def _nearest(proximities: Ints, kinds: Ints, starts: Ints, cases: Ints) -> Ints:
    nearest = np.full(len(kinds), -1, np.int64)
    for row in range(len(kinds)):
        largest = np.int64(-1)
        for at in range(starts[kinds[row]], starts[kinds[row] + 1]):
            if proximities[row, cases[at]] > largest:
                nearest[row], largest = cases[at], proximities[row, cases[at]]
    return nearest
