"""The rows of several tables as arrays: columns as codes or numbers, relationships as lists of rows both ways."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined_reader
from .schema import Schema

MISSING = -1  # as a code, and as the row of a parent that does not exist
_MOST_DECIMALS = 15


@inlined_reader
def decimal_of(value: float) -> float:
    """Return the number of fewest decimals that has this single precision: what sums add.

    The charges of a molecule are decimals with a sum of 0. Rounded to single precision, they have a sum of some 10⁻⁸,
    another one for each molecule, on which trees would split.
    """
    power = 1.0
    for _ in range(_MOST_DECIMALS):
        decimal: float = np.rint(value * power) / power
        if np.float32(decimal) == np.float32(value):
            return decimal
        power *= 10.0
    return value


@compiled
def decimals_of(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the decimals of numbers; NaN of NaN."""
    decimals = np.empty(len(values))
    for row in range(len(values)):
        decimals[row] = decimal_of(np.float64(values[row]))
    return decimals


@dataclass(frozen=True, slots=True)
class Relationship:
    """The rows that belong together.

    A row's children are ``child_rows[starts[row] : starts[row + 1]]``: in ascending order of their time where the
    child's table has one (rows without a time last), and of their row where times are equal or there are none.
    """

    parents: NDArray[np.int32]  # (n_child_rows,) row of the parent; MISSING where there is none
    starts: NDArray[np.int64]  # (n_parent_rows + 1,)
    child_rows: NDArray[np.int32]  # (number of child rows that have a parent,)

    @classmethod
    def of(
        cls, parents: NDArray[np.int32], n_parent_rows: int, child_times: NDArray[np.float64] | None = None
    ) -> "Relationship":
        """Return the relationship in which each child row has this parent."""
        by = (parents,) if child_times is None else (child_times, parents)  # lexsort is stable, and puts NaN last
        order = np.lexsort(by)
        child_rows = order[np.searchsorted(parents[order], 0) :]
        counts = np.bincount(parents[child_rows], minlength=n_parent_rows)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return cls(parents.astype(np.int32), starts.astype(np.int64), child_rows.astype(np.int32))


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one table.

    ``columns`` has those that may be tested, by name: int32 codes of levels (categories), 0 and 1 (booleans), MISSING
    for none; or float32 numbers, NaN for none.
    """

    n_rows: int
    columns: Mapping[str, NDArray[np.int32] | NDArray[np.float32]]
    times: NDArray[np.float64] | None = None  # (n_rows,) in the unit of the cutoffs; NaN: never seen under a cutoff


@dataclass(frozen=True, slots=True)
class RelationalRows:
    """All rows: an example is a row of the examples' table."""

    schema: Schema
    tables: Mapping[str, Table]
    relationships: Mapping[str, Relationship]
    cutoffs: NDArray[np.float64] | None = None  # (n_examples,) only earlier rows are seen; NaN: none with a time
    labels: NDArray[np.int64] | None = None  # (n_examples,) index of the class; MISSING without a label
    classes: tuple[str, ...] = ()
    values: NDArray[np.float64] | None = None  # (n_examples,) the target of regression; NaN without one

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return self.tables[self.schema.examples].n_rows
