"""Candidate tests of a node, in their order: what may be asked of the example, then of each variable that is bound.

Of each: its columns; aggregates of the rows that each relationship leads to; new variables by each relationship, bare,
then with one condition on each column. Each family of candidates is scored at once, for all constants.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .aggregate_values import COUNTED, FUNCTIONS, OF_NUMBERS, AggregatedRows
from .bindings import Bindings, Component, Joined, Joins
from .candidate_scores import TIE, Best, NodeGoal, mixed
from .column_values import AskedColumn, AskedColumns
from .language import open_steps
from .queries import (
    EXAMPLE,
    AggregateFunction,
    AggregateTerm,
    ColumnTerm,
    Operator,
    Query,
    Selection,
    Term,
    Value,
)
from .schema import Step
from .tables import RelationalRows
from .tilde_trees import SkippedTest, TildeSettings

Ints = NDArray[np.int32]
Singles = NDArray[np.float32]

_NO_GRID = np.empty(0, np.float32)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One test: a condition on a variable of a component, or on a new variable that a step leads to from it."""

    score: float
    component: int  # its place among the node's; EXAMPLE: none, the test is of the example itself
    variable: int  # of the component, or EXAMPLE
    step: Step | None  # to a new variable
    term: Term | None  # None: that there is such a row at all
    operator: Operator | None
    value: Value


@dataclass(frozen=True, slots=True)
class Node:
    """Examples that reach a node, and what its query has bound for them."""

    examples: Ints  # ascending
    components: tuple[Component, ...]  # in the order of their creation
    aggregates: tuple[AggregateTerm, ...]  # of the example, in tests that succeeded, with one selection
    key: int  # made of the tree's key and the path
    depth: int

    def component(self, place: int) -> Component:
        """Return a component; of ``EXAMPLE``, the one without variables."""
        return Component(Query(), Bindings(self.examples)) if place == EXAMPLE else self.components[place]


Question = Callable[[NodeGoal], Candidate | None]  # the best test of one family


@dataclass(frozen=True, slots=True)
class Asked:
    """The rows of one variable, of which columns are asked."""

    component: int
    variable: int
    step: Step | None
    examples: Ints  # (n,) ascending
    rows: Ints  # (n,)

    def candidate(self, found: Best, term: Term | None, levels: tuple[Value, ...]) -> Candidate:
        """Return the best test of a family as a candidate."""
        constants: dict[Operator | None, Value] = {None: None, "is_missing": None}
        value = levels[int(found.constant)] if found.operator == "=" else constants.get(found.operator, found.constant)
        return Candidate(found.score, self.component, self.variable, self.step, term, found.operator, value)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of the rows that a step leads to: of all that satisfy ``where``, or of those with each level."""

    function: AggregateFunction
    step: Step
    measured: AskedColumn | None  # None for count and share
    selected: AskedColumn | None  # whose levels each select rows; None: all rows
    where: tuple[Selection, ...] = ()

    def term(self, group: int) -> AggregateTerm:
        """Return the aggregate of the rows that have one level."""
        chosen = () if self.selected is None else (Selection(self.selected.term, "=", self.selected.levels[group]),)
        return AggregateTerm(self.function, self.step, self._column(), (*self.where, *chosen))

    def name(self) -> tuple[object, ...]:
        """Return what tells it from others."""
        return (
            self.function,
            self.step,
            self._column(),
            None if self.selected is None else self.selected.term,
            self.where,
        )

    def _column(self) -> ColumnTerm | None:
        return None if self.measured is None else self.measured.term


@dataclass(frozen=True)
class Refinement:
    """Everything from which the candidates of a node are made."""

    rows: RelationalRows
    settings: TildeSettings
    columns: AskedColumns
    joins: Joins
    skipped: dict[tuple[str, Step], SkippedTest] = field(default_factory=dict)
    keys: dict[object, int] = field(default_factory=dict)

    def questions(self, node: Node) -> Iterator[Question]:
        """Yield the families of candidates of a node, in their order."""
        yield from self._of_variable(node, EXAMPLE, EXAMPLE)
        for place, component in enumerate(node.components):
            for variable in range(len(component.query.variables)):
                yield from self._of_variable(node, place, variable)

    def _of_variable(self, node: Node, place: int, variable: int) -> Iterator[Question]:
        component = node.component(place)
        table, came_by = component.table_of(self.rows.schema, variable), component.came_by(variable)
        asked = Asked(place, variable, None, component.bindings.examples, component.bindings.of(variable))
        for column in self.columns.of(table, came_by):
            yield partial(self._best_of_column, asked, column)
        steps = list(open_steps(self.rows.schema, self.settings.language, table, came_by))
        if self.settings.aggregates:
            known = node.aggregates if place == EXAMPLE else _selected_aggregates(component.query, variable)
            for step, reached in steps:
                if step.to == "children":
                    yield from self._aggregates(asked, step, reached, known)
        if len(component.query.variables) < self.settings.language.max_variables:
            for step, reached in steps:
                yield from self._new_variable(asked, step, reached)

    def _new_variable(self, asked: Asked, step: Step, table: str) -> Iterator[Question]:
        language = self.settings.language.of_table(table)
        joined = self._join(asked, step, table)
        if joined is None:
            return
        of_new = Asked(asked.component, asked.variable, step, asked.examples[joined.owners], joined.rows)
        if language.bare:
            yield partial(self._best_bare, of_new)
        introducing = language.introduced_with
        for column in self.columns.of(table, step):
            in_language = introducing is None or (not column.term.parents and column.term.column in introducing)
            if in_language and (self.settings.look_ahead or introducing is not None):
                yield partial(self._best_of_column, of_new, column)

    def _aggregates(self, asked: Asked, step: Step, table: str, known: tuple[AggregateTerm, ...]) -> Iterator[Question]:
        allowed = self.settings.language.of_table(table).aggregates
        joined = self._join(asked, step, table)
        if joined is None:
            return
        columns = self.columns.of(table, step)
        for aggregate in (*_aggregates(step, columns), *_refined(step, columns, known)):
            if allowed is None or aggregate.function in allowed:
                yield partial(self._best_aggregate, asked, joined, aggregate)

    def _join(self, asked: Asked, step: Step, table: str) -> Joined | None:
        """Return the rows that a step leads to; None, and a note, where there are too many."""
        n_reached = self.joins.count(asked.examples, asked.rows, step)
        if n_reached <= self.settings.max_bindings:
            return self.joins.follow(asked.examples, asked.rows, step)
        reason = f"It would bind {n_reached} rows at once, more than {self.settings.max_bindings}."
        self.skipped.setdefault((table, step), SkippedTest(f"rows of {table} by {step.relationship}", reason))
        return None

    def _best_bare(self, asked: Asked, goal: NodeGoal) -> Candidate | None:
        found = goal.best_bare(asked.examples, self._key(asked, None))
        return None if found is None else asked.candidate(found, None, ())

    def _best_of_column(self, asked: Asked, column: AskedColumn, goal: NodeGoal) -> Candidate | None:
        values = column.of(asked.examples, asked.rows)
        key = self._key(asked, column.term)
        if column.is_number:
            grid = column.grid(self.settings.n_bins)
            found = goal.best_cut(asked.examples, values, grid, key, may_miss=column.may_miss)
        else:
            found = goal.best_level(asked.examples, values, len(column.levels), key, may_miss=column.may_miss)
        return None if found is None else asked.candidate(found, column.term, column.levels)

    def _best_aggregate(self, asked: Asked, joined: Joined, aggregate: Aggregate, goal: NodeGoal) -> Candidate | None:
        """Return the best test of one aggregate, of all rows or with each level that may select them."""
        examples = asked.examples[joined.owners]
        selected, measured = aggregate.selected, aggregate.measured
        groups = np.zeros(len(examples), np.int32) if selected is None else selected.of(examples, joined.rows)
        groups = self._only(groups, aggregate.where, aggregate.step, examples, joined.rows)
        n_groups = 1 if selected is None else len(selected.levels)
        rows = AggregatedRows(joined.owners, groups, len(asked.examples), n_groups)
        values = None if measured is None else measured.of(examples, joined.rows)
        best: Candidate | None = None
        for piece in rows.pieces():
            of_groups = _aggregated(rows, aggregate.function, measured, values, piece)
            for group, found in self._best_of_groups(asked, aggregate, of_groups, goal):
                if best is None or found.score > best.score + TIE:
                    levels = measured.levels if found.operator == "=" and measured is not None else ()
                    best = asked.candidate(found, aggregate.term(piece.start + group), levels)
        return best

    def _best_of_groups(
        self, asked: Asked, aggregate: Aggregate, values: NDArray[Any], goal: NodeGoal
    ) -> Iterator[tuple[int, Best]]:
        """Yield the best test of an aggregate's values, (n_groups, n_asked), with its group; of modes, each group's."""
        key = self._key(asked, aggregate.name())
        if aggregate.function != "mode" or aggregate.measured is None:
            cut = goal.best_group(asked.examples, values, _NO_GRID, key)
            if cut is not None:
                yield cut
            return
        n_levels = len(aggregate.measured.levels)
        for group, codes in enumerate(values):
            found = goal.best_level(asked.examples, codes, n_levels, mixed(key, group), may_miss=False)
            if found is not None:
                yield group, found

    def _only(self, groups: Ints, where: tuple[Selection, ...], step: Step, examples: Ints, rows: Ints) -> Ints:
        """Return the groups of the rows that satisfy selections, and a negative number of others."""
        table = self.rows.schema.reached(step)
        for selection in where:
            column = self.columns.find(table, step, selection.term)
            values = column.of(examples, rows)
            groups = np.where(satisfying(values, column.levels, selection.operator, selection.value), groups, -1)
        return groups.astype(np.int32)

    def values_of(self, component: Component, variable: int, term: Term) -> tuple[NDArray[Any], tuple[Value, ...]]:
        """Return the values of a term in each binding, (n_bindings,), and the levels that codes stand for."""
        bindings = component.bindings
        table, came_by = component.table_of(self.rows.schema, variable), component.came_by(variable)
        examples, rows = bindings.examples, bindings.of(variable)
        if not isinstance(term, AggregateTerm):
            column = self.columns.find(table, came_by, term)
            return column.of(examples, rows), column.levels
        joined = self.joins.follow(examples, rows, term.by)
        seen_by = examples[joined.owners]
        groups = self._only(np.zeros(len(seen_by), np.int32), term.where, term.by, seen_by, joined.rows)
        reached = self.rows.schema.reached(term.by)
        measured = None if term.column is None else self.columns.find(reached, term.by, term.column)
        values = None if measured is None else measured.of(seen_by, joined.rows)
        grouped = AggregatedRows(joined.owners, groups, len(examples), 1)
        levels = measured.levels if term.function == "mode" and measured is not None else ()
        return _aggregated(grouped, term.function, measured, values, range(1))[0], levels

    def _key(self, asked: Asked, name: object) -> int:
        """Return the key of a family, made of names alone."""
        if self.settings.test_share >= 1:
            return 0  # every test is a candidate
        family = (asked.component, asked.variable, asked.step, name)
        if family not in self.keys:
            self.keys[family] = int.from_bytes(blake2b(repr(family).encode(), digest_size=8).digest())
        return self.keys[family]


def satisfying(
    values: NDArray[Any], levels: tuple[Value, ...], operator: Operator, constant: Value
) -> NDArray[np.bool_]:
    """Return which values satisfy a condition; a missing one satisfies ``is_missing`` alone."""
    if operator == "is_missing":
        satisfied = np.isnan(values) if values.dtype == np.float32 else values < 0
    elif operator == "=":
        satisfied = values == (levels.index(constant) if constant in levels else len(levels))
    else:
        satisfied = values > np.float32(constant) if operator == ">" else values <= np.float32(constant)
    return np.asarray(satisfied, np.bool_)


def _selected_aggregates(query: Query, variable: int) -> tuple[AggregateTerm, ...]:
    """Return the aggregates of a variable with one selection, each once."""
    terms = (condition.term for condition in query.conditions if condition.variable == variable)
    return tuple(dict.fromkeys(term for term in terms if isinstance(term, AggregateTerm) and len(term.where) == 1))


def _aggregates(step: Step, columns: list[AskedColumn]) -> Iterator[Aggregate]:
    """Yield the aggregates of the rows that a step leads to: function by function, of all, then with each selection."""
    selecting = [column for column in columns if column.may_select]
    for function in FUNCTIONS:
        for measured in _measured(function, columns):
            if function != "share":  # of all rows, it is 1
                yield Aggregate(function, step, measured, None)
            for selected in selecting:
                if selected is not measured:
                    yield Aggregate(function, step, measured, selected)


def _measured(function: AggregateFunction, columns: list[AskedColumn]) -> list[AskedColumn | None]:
    if function in COUNTED:
        return [None]
    return [column for column in columns if column.is_number == (function in OF_NUMBERS)]


def _refined(step: Step, columns: list[AskedColumn], known: tuple[AggregateTerm, ...]) -> Iterator[Aggregate]:
    """Yield known aggregates with a second selection."""
    for term in known:
        if term.by != step:
            continue
        measured = next((column for column in columns if column.term == term.column), None)
        for selected in columns:
            if selected.may_select and selected.term not in {term.where[0].term, term.column}:
                yield Aggregate(term.function, step, measured, selected, term.where)


def _aggregated(
    rows: AggregatedRows,
    function: AggregateFunction,
    measured: AskedColumn | None,
    values: NDArray[Any] | None,
    groups: range,
) -> NDArray[Any]:
    """Return one aggregate of the rows of each group, (len(groups), n_owners)."""
    if measured is None or values is None:
        return rows.counts(groups) if function == "count" else rows.shares(groups)
    if function in OF_NUMBERS:
        return rows.of_numbers(function, values, groups)
    of_levels = rows.modes if function == "mode" else rows.n_distinct
    return of_levels(values, len(measured.levels), groups)
