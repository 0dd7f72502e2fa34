"""The values of the columns that tests may use, row by row; columns of many-to-one parents count as the row's own."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .language import MOST_SELECTED_LEVELS, Language, column_terms
from .queries import ColumnTerm, Value
from .schema import Step
from .tables import MISSING, RelationalRows

Rows = NDArray[np.int32]
Values = NDArray[Any]  # int32 codes or float32 numbers

_ALWAYS = np.empty(0)  # times or cutoffs that do not restrict what is seen
_ITSELF = np.empty(0, np.int32)  # the rows that a chain of no parents leads to


@dataclass(frozen=True)
class ColumnValues:
    """One column that tests of a row may use.

    A value is seen by an example whose cutoff is after ``known_at`` of the row: the latest time among the parents.
    """

    term: ColumnTerm
    values: Values  # of the table that holds the column
    via: Rows  # (n_rows,) the row of that table; MISSING: none; empty: the row itself
    known_at: NDArray[np.float64]  # (n_rows,) or empty: always seen
    cutoffs: NDArray[np.float64]  # (n_examples,) or empty, as ``known_at``
    levels: tuple[Value, ...]  # of a category or boolean; () of a number
    n_bins: int | None  # of equal frequency, between which alone numbers are cut; None: all cuts

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.values.dtype == np.float32

    @property
    def may_select(self) -> bool:
        """Whether rows may be selected by this column for an aggregate."""
        return not self.is_number and len(self.levels) <= MOST_SELECTED_LEVELS

    @cached_property
    def may_miss(self) -> bool:
        """Whether some row of the table has no value, or might be tested before it is known."""
        if len(self.known_at) > 0 or bool(np.any(self.via == MISSING)):
            return True
        return bool(np.isnan(self.values).any() if self.is_number else np.any(self.values == MISSING))

    @cached_property
    def grid(self) -> NDArray[np.float32]:
        """The cuts between the bins of a number; none: every cut is a candidate."""
        present = self.values[~np.isnan(self.values)] if self.n_bins is not None else np.empty(0, np.float32)
        if self.n_bins is None or len(present) == 0:
            return np.empty(0, np.float32)
        return np.unique(np.quantile(present, np.arange(1, self.n_bins) / self.n_bins).astype(np.float32))

    def of(self, examples: Rows, rows: Rows) -> Values:
        """Return the values of rows, (n,), each as its example sees it."""
        if len(self.via) == 0:
            return self.values[rows]
        seen = np.full(len(rows), np.nan if self.is_number else MISSING, self.values.dtype)
        _look_up(self.values, self.via, (self.known_at, self.cutoffs), examples, rows, seen)
        return seen


@compiled
def _look_up(
    values: Values,
    via: Rows,
    clock: tuple[NDArray[np.float64], NDArray[np.float64]],
    examples: Rows,
    rows: Rows,
    seen: Values,
) -> None:
    """Write the values that are seen where they are."""
    known_at, cutoffs = clock
    for index in range(len(rows)):
        row = rows[index]
        if via[row] >= 0 and (len(known_at) == 0 or known_at[row] < cutoffs[examples[index]]):
            seen[index] = values[via[row]]


class TableColumns:
    """The columns that tests of each table's rows may use, found once for each path to it."""

    def __init__(self, rows: RelationalRows, language: Language, n_bins: int | None = None) -> None:
        self._rows = rows
        self._n_bins = n_bins
        self._language = language
        self._values: dict[tuple[str, Step | None], list[ColumnValues]] = {}
        self._chains: dict[tuple[str, tuple[str, ...]], tuple[Rows, NDArray[np.float64]]] = {}

    def of(self, table: str, came_by: Step | None) -> list[ColumnValues]:
        """Return the columns that tests may use of a table's rows to which a step led, as in ``column_terms``."""
        if (table, came_by) not in self._values:
            terms = column_terms(self._rows.schema, self._language, table, came_by)
            present = ((term, holder) for term, holder in terms if term.column in self._rows.tables[holder].columns)
            self._values[table, came_by] = [self._column(table, term, holder) for term, holder in present]
        return self._values[table, came_by]

    def find(self, table: str, came_by: Step | None, term: ColumnTerm) -> ColumnValues:
        """Return one of them."""
        return next(column for column in self.of(table, came_by) if column.term == term)

    def _column(self, table: str, term: ColumnTerm, holder: str) -> ColumnValues:
        if (table, term.parents) not in self._chains:
            self._chains[table, term.parents] = chain_of_parents(self._rows, term.parents)
        via, known_at = self._chains[table, term.parents]
        cutoffs = self._rows.cutoffs if self._rows.cutoffs is not None and len(known_at) > 0 else _ALWAYS
        described = self._rows.schema.tables[holder].columns[term.column]
        levels: tuple[Value, ...] = (False, True) if described.kind == "boolean" else described.levels
        values = self._rows.tables[holder].columns[term.column]
        return ColumnValues(term, values, via, known_at, cutoffs, levels, self._n_bins)


def chain_of_parents(rows: RelationalRows, relationships: tuple[str, ...]) -> tuple[Rows, NDArray[np.float64]]:
    """Return the row that parents of parents lead to from each row of a table, and the time at which it is known.

    The rows are (n_rows,), MISSING where there is none. The times are (n_rows,), infinite where a row is never seen
    under a cutoff, or empty where no cutoff restricts the parents.
    """
    via, known_at = _ITSELF, _ALWAYS
    for name in relationships:
        parents = rows.relationships[name].parents
        via = parents if name == relationships[0] else _followed(parents, via, MISSING)
        times = rows.tables[rows.schema.relationships[name].parent].times
        if rows.cutoffs is not None and times is not None:
            known = _followed(np.where(np.isnan(times), np.inf, times), via, np.inf)
            known_at = known if len(known_at) == 0 else np.maximum(known_at, known)
    return via, known_at


def _followed(values: NDArray[np.generic], via: Rows, missing: float) -> NDArray[Any]:
    """Return the value of each row that ``via`` leads to, and ``missing`` where it leads to none."""
    followed = np.full(len(via), missing, values.dtype)
    there = via >= 0
    followed[there] = values[via[there]]
    return followed
