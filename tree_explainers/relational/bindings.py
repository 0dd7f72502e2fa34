"""Bindings of queries: for each example, the rows with which the query's variables satisfy it.

A node of a tree holds, for each component of its query, the table of the component's bindings. Components share no
variable and are never multiplied with each other.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .queries import EXAMPLE, Query
from .schema import Schema, Step
from .tables import RelationalRows

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

_ALWAYS = np.empty(0)  # times or cutoffs that do not restrict what is seen


@dataclass(frozen=True, slots=True)
class Bindings:
    """Bindings, those of one example together, in ascending order of the examples."""

    examples: Ints  # (n_bindings,)
    rows: tuple[Ints, ...] = ()  # of each variable, (n_bindings,)

    def __len__(self) -> int:
        """Return the number of bindings."""
        return len(self.examples)

    def of(self, variable: int) -> Ints:
        """Return the row of a variable in each binding; of ``EXAMPLE``, the example's."""
        return self.examples if variable == EXAMPLE else self.rows[variable]

    def where(self, chosen: NDArray[np.bool_]) -> "Bindings":
        """Return the bindings that are chosen, (n_bindings,)."""
        return Bindings(self.examples[chosen], tuple(rows[chosen] for rows in self.rows))


@dataclass(frozen=True, slots=True)
class Component:
    """Conditions of a node's query that share variables, and all bindings that satisfy them."""

    query: Query
    bindings: Bindings

    def table_of(self, schema: Schema, variable: int) -> str:
        """Return the table whose rows a variable is bound to."""
        step = self.came_by(variable)
        return schema.examples if step is None else schema.reached(step)

    def came_by(self, variable: int) -> Step | None:
        """Return the step that leads to a variable; None of the example."""
        return None if variable == EXAMPLE else self.query.variables[variable].by

    def among(self, chosen: NDArray[np.bool_]) -> "Component":
        """Return the component with the bindings of those examples alone, (n_examples,)."""
        return replace(self, bindings=self.bindings.where(chosen[self.bindings.examples]))


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows that steps lead to, and for each of them the row from which the step led."""

    owners: Ints  # (n,) indices among the rows from which the steps lead, ascending
    rows: Ints  # (n,)


class TooManyRows(Exception):
    """A step leads to more rows than may be bound at once: ``args`` has their number."""


class Joins:
    """Follows steps from rows to those that each example sees before its cutoff."""

    def __init__(self, rows: RelationalRows) -> None:
        self._rows = rows

    def follow(self, examples: Ints, rows: Ints, way: tuple[Step, ...], limit: int | None = None) -> Joined:
        """Return the rows that steps lead to: children in order of time, or the parent, each as its example sees it.

        Raises
        ------
        TooManyRows
            A step leads to more rows than the limit.
        """
        joined = self._follow(examples, rows, way[0], limit)
        for step in way[1:]:
            further = self._follow(examples[joined.owners], joined.rows, step, limit)
            joined = Joined(joined.owners[further.owners], further.rows)
        return joined

    def _follow(self, examples: Ints, rows: Ints, step: Step, limit: int | None) -> Joined:
        ends, n_reached = self._ends(examples, rows, step)
        if limit is not None and n_reached > limit:
            raise TooManyRows(n_reached)
        owners, reached = np.empty(n_reached, np.int32), np.empty(n_reached, np.int32)
        relationship = self._rows.relationships[step.relationship]
        if step.to == "parent":
            _list_parents(relationship.parents, rows, ends, owners, reached)
        else:
            _list_children(relationship.starts, relationship.child_rows, rows, ends, owners, reached)
        return Joined(owners, reached)

    def _ends(self, examples: Ints, rows: Ints, step: Step) -> tuple[NDArray[np.int64], int]:
        """Return where the seen part of each row's list ends (of a parent: 0 or 1), and the length of all parts."""
        relationship = self._rows.relationships[step.relationship]
        times, cutoffs = self._clock(step)
        ends = np.empty(len(rows), np.int64)
        if step.to == "parent":
            return ends, _seen_parents(relationship.parents, times, cutoffs, examples, rows, ends)
        lists = (relationship.starts, relationship.child_rows)
        return ends, _seen_children(lists, times, cutoffs, examples, rows, ends)

    def _clock(self, step: Step) -> tuple[Floats, Floats]:
        times = self._rows.tables[self._rows.schema.reached(step)].times
        return (_ALWAYS, _ALWAYS) if self._rows.cutoffs is None or times is None else (times, self._rows.cutoffs)


@compiled
def _seen_parents(
    parents: Ints, times: Floats, cutoffs: Floats, examples: Ints, rows: Ints, ends: NDArray[np.int64]
) -> int:
    n_seen = 0
    for index in range(len(rows)):
        parent = parents[rows[index]]
        seen = parent >= 0 and (len(times) == 0 or times[parent] < cutoffs[examples[index]])
        ends[index] = 1 if seen else 0
        n_seen += 1 if seen else 0
    return n_seen


@compiled
def _seen_children(
    lists: tuple[NDArray[np.int64], Ints],
    times: Floats,
    cutoffs: Floats,
    examples: Ints,
    rows: Ints,
    ends: NDArray[np.int64],
) -> int:
    starts, children = lists
    n_seen = 0
    for index in range(len(rows)):
        start, stop = starts[rows[index]], starts[rows[index] + 1]
        if len(times) > 0:
            stop = _first_unseen(children, times, start, stop, cutoffs[examples[index]])
        ends[index] = stop
        n_seen += stop - start
    return n_seen


@inlined
def _first_unseen(children: Ints, times: Floats, start: int, stop: int, cutoff: float) -> int:
    """Bisect a list in order of time, rows without a time last, for the first row not before the cutoff."""
    while start < stop:
        middle = (start + stop) // 2
        if times[children[middle]] < cutoff:
            start = middle + 1
        else:
            stop = middle
    return start


@compiled
def _list_parents(parents: Ints, rows: Ints, ends: NDArray[np.int64], owners: Ints, reached: Ints) -> None:
    n_listed = 0
    for index in range(len(rows)):
        if ends[index] == 1:
            owners[n_listed], reached[n_listed] = index, parents[rows[index]]
            n_listed += 1


@compiled
def _list_children(
    starts: NDArray[np.int64], children: Ints, rows: Ints, ends: NDArray[np.int64], owners: Ints, reached: Ints
) -> None:
    n_listed = 0
    for index in range(len(rows)):
        for child in range(starts[rows[index]], ends[index]):
            owners[n_listed], reached[n_listed] = index, children[child]
            n_listed += 1
