"""Candidate tests of a node, in their order: tests of the example, then of each variable that is bound.

Of each: its columns; aggregates of the rows that each relationship leads to (of the example also along two); new
variables by each relationship, bare, then with one condition on each column, or on a count of the new row's own rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .aggregate_values import COUNTED, FUNCTIONS, OF_NUMBERS
from .bindings import Bindings, Component, Joined, TooManyRows
from .candidate_families import Aggregate, BoundRows, Candidate, Families, Reached
from .column_values import ColumnValues
from .language import open_steps
from .node_goals import NodeGoal
from .queries import EXAMPLE, AggregateFunction, AggregateTerm, Query
from .schema import Step
from .tilde_trees import SkippedTest

Ints = NDArray[np.int32]
Way = tuple[Step, ...]  # steps from a variable, one after the other, to the rows of an aggregate

_AT_ONCE: tuple[AggregateFunction, ...] = ("count",)  # of a new variable's rows, as its one condition


@dataclass(frozen=True, slots=True)
class Node:
    """Examples that reach a node, and what its query has bound for them."""

    examples: Ints  # ascending
    components: tuple[Component, ...]  # in the order of their creation
    aggregates: tuple[tuple[Way, AggregateTerm], ...]  # of the example, in tests that succeeded, with one selection
    key: int  # made of the tree's key and the path
    depth: int

    def component(self, index: int) -> Component:
        """Return a component; of ``EXAMPLE``, the one without variables."""
        return Component(Query(), Bindings(self.examples)) if index == EXAMPLE else self.components[index]


Question = Callable[[NodeGoal], Candidate | None]  # the best test of one family


@dataclass(frozen=True)
class Candidates:
    """The candidates of nodes."""

    families: Families
    skipped: dict[Way, SkippedTest] = field(default_factory=dict)

    def of(self, node: Node) -> Iterator[Question]:
        """Yield the families of candidates of a node, in their order."""
        yield from self._of_variable(node, EXAMPLE, EXAMPLE)
        for index, component in enumerate(node.components):
            for variable in range(len(component.query.variables)):
                yield from self._of_variable(node, index, variable)

    def _of_variable(self, node: Node, index: int, variable: int) -> Iterator[Question]:
        settings, schema, component = self.families.settings, self.families.rows.schema, node.component(index)
        table, came_by = component.table_of(schema, variable), component.came_by(variable)
        bound = BoundRows(index, variable, None, component.bindings.examples, component.bindings.of(variable))
        for column in self.families.columns.of(table, came_by):
            yield partial(self.families.best_of_column, bound, column)
        if settings.aggregates:
            selected = tuple(((), term) for term in _selected_aggregates(component.query, variable))
            known = node.aggregates if index == EXAMPLE else selected
            for way in self._ways(table, came_by, 2 if index == EXAMPLE and settings.language.max_variables > 1 else 1):
                yield from self._aggregates(bound, way, FUNCTIONS, known)
        if len(component.query.variables) < settings.language.max_variables:
            for step, reached in open_steps(schema, settings.language, table, came_by):
                yield from self._new_variable(bound, step, reached)

    def _ways(self, table: str, came_by: Step | None, most_steps: int) -> list[Way]:
        """Return the ways to rows that aggregates may be made of, the shorter first."""
        schema, language = self.families.rows.schema, self.families.settings.language
        steps = [(step, to) for step, to in open_steps(schema, language, table, came_by) if step.to == "children"]
        ways: list[Way] = [(step,) for step, _ in steps]
        if most_steps > 1:
            ways += [(step, *further) for step, to in steps for further in self._ways(to, step, most_steps - 1)]
        return ways

    def _new_variable(self, bound: BoundRows, step: Step, table: str) -> Iterator[Question]:
        settings = self.families.settings
        language = settings.language.of_table(table)
        joined = self._join(bound, (step,))
        if joined is None:
            return
        of_new = BoundRows(bound.component, bound.variable, step, bound.examples[joined.owners], joined.rows)
        if language.bare:
            yield partial(self.families.best_bare, of_new)
        introducing = language.introduced_with
        for column in self.families.columns.of(table, step):
            named = introducing is not None and not column.term.parents and column.term.column in introducing
            if named or (introducing is None and settings.look_ahead):
                yield partial(self.families.best_of_column, of_new, column)
        if introducing is None and settings.look_ahead and settings.aggregates:
            for way in self._ways(table, step, 1):
                yield from self._aggregates(of_new, way, _AT_ONCE, ())

    def _aggregates(
        self,
        bound: BoundRows,
        way: Way,
        functions: tuple[AggregateFunction, ...],
        known: tuple[tuple[Way, AggregateTerm], ...],
    ) -> Iterator[Question]:
        table = self.families.rows.schema.reached(way[-1])
        allowed = self.families.settings.language.of_table(table).aggregates
        joined = self._join(bound, way)
        if joined is None:
            return
        reached = Reached(joined.owners, joined.rows, bound.examples[joined.owners])
        columns = self.families.columns.of(table, way[-1])
        for aggregate in (*_aggregates(way, columns, functions), *_refined(way, columns, known)):
            if allowed is None or aggregate.function in allowed:
                yield partial(self.families.best_aggregate, bound, reached, aggregate)

    def _join(self, bound: BoundRows, way: Way) -> Joined | None:
        """Return the rows that a way leads to; None, and a note, where there are too many."""
        limit = self.families.settings.max_bindings
        try:
            return self.families.joins.follow(bound.examples, bound.rows, way, limit)
        except TooManyRows as many:
            steps = ", then by ".join(step.relationship for step in way)
            words = f"rows of {self.families.rows.schema.reached(way[-1])} by {steps}"
            reason = f"It would bind {many.args[0]:,} rows at once; at most {limit:,} are bound."
            self.skipped.setdefault(way, SkippedTest(words, reason))
            return None


def _selected_aggregates(query: Query, variable: int) -> tuple[AggregateTerm, ...]:
    """Return the aggregates of a variable with one selection, each once."""
    terms = (condition.term for condition in query.conditions if condition.variable == variable)
    return tuple(dict.fromkeys(term for term in terms if isinstance(term, AggregateTerm) and len(term.where) == 1))


def _aggregates(way: Way, columns: list[ColumnValues], functions: tuple[AggregateFunction, ...]) -> Iterator[Aggregate]:
    """Yield the aggregates of the rows that a way leads to: function by function, of all, then with each selection."""
    selecting = [column for column in columns if column.may_select]
    for function in functions:
        if function == "mode" and len(way) > 1:
            continue  # a feature of several variables is no level
        for measured in _measured(function, columns):
            if function != "share":  # of all rows, it is 1
                yield Aggregate(function, way[-1], measured, None, (), way[:-1])
            for selected in selecting:
                if selected is not measured:
                    yield Aggregate(function, way[-1], measured, selected, (), way[:-1])


def _measured(function: AggregateFunction, columns: list[ColumnValues]) -> list[ColumnValues | None]:
    if function in COUNTED:
        return [None]
    return [column for column in columns if column.is_number == (function in OF_NUMBERS)]


def _refined(
    way: Way, columns: list[ColumnValues], known: tuple[tuple[Way, AggregateTerm], ...]
) -> Iterator[Aggregate]:
    """Yield known aggregates with a second selection."""
    for via, term in known:
        if (*via, term.by) != way:
            continue
        measured = next((column for column in columns if column.term == term.column), None)
        for selected in columns:
            if selected.may_select and selected.term not in {term.where[0].term, term.column}:
                yield Aggregate(term.function, term.by, measured, selected, term.where, via)
