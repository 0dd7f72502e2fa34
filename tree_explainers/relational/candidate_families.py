"""Families of candidate tests: all constants of one column or aggregate, scored at once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .aggregate_values import OF_NUMBERS, AggregatedRows
from .bindings import Component, Joins
from .candidate_scores import TIE, mixed
from .column_values import ColumnValues, TableColumns
from .node_goals import Best, NodeGoal
from .queries import (
    AggregateFunction,
    AggregateTerm,
    ColumnTerm,
    Operator,
    Selection,
    Term,
    Value,
)
from .schema import Step
from .tables import RelationalRows
from .tilde_trees import TildeSettings

Ints = NDArray[np.int32]

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
    via: tuple[Step, ...] = ()  # steps from the example before those of an aggregate


@dataclass(frozen=True, slots=True)
class BoundRows:
    """The rows that one variable is bound to."""

    component: int
    variable: int
    step: Step | None
    examples: Ints  # (n,) ascending
    rows: Ints  # (n,)

    def candidate(
        self, best: Best, term: Term | None, levels: tuple[Value, ...], via: tuple[Step, ...] = ()
    ) -> Candidate:
        """Return the best test of a family as a candidate."""
        constants: dict[Operator | None, Value] = {None: None, "is_missing": None}
        value = levels[int(best.constant)] if best.operator == "=" else constants.get(best.operator, best.constant)
        return Candidate(best.score, self.component, self.variable, self.step, term, best.operator, value, via)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of the rows that a step leads to: of all that satisfy ``where``, or of those with each level."""

    function: AggregateFunction
    step: Step
    measured: ColumnValues | None  # None for count and share
    selected: ColumnValues | None  # whose levels each select rows; None: all rows
    where: tuple[Selection, ...] = ()
    via: tuple[Step, ...] = ()  # steps from the example before this one

    def term(self, group: int) -> AggregateTerm:
        """Return the aggregate of the rows that have one level."""
        chosen = () if self.selected is None else (Selection(self.selected.term, "=", self.selected.levels[group]),)
        return AggregateTerm(self.function, self.step, self._column(), (*self.where, *chosen))

    def name(self) -> tuple[object, ...]:
        """Return what distinguishes it from others."""
        return (
            self.function,
            self.step,
            self._column(),
            None if self.selected is None else self.selected.term,
            self.where,
            self.via,
        )

    def _column(self) -> ColumnTerm | None:
        return None if self.measured is None else self.measured.term


@dataclass(frozen=True, slots=True)
class Reached:
    """The rows that steps lead to from those of a variable, and the values of their columns, looked up once."""

    owners: Ints  # (n,) places among the variable's rows, ascending
    rows: Ints  # (n,)
    examples: Ints  # (n,) that see them
    by_term: dict[ColumnTerm, NDArray[Any]] = field(default_factory=dict)

    def values(self, column: ColumnValues) -> NDArray[Any]:
        """Return the values of a column, (n,)."""
        if column.term not in self.by_term:
            self.by_term[column.term] = column.of(self.examples, self.rows)
        return self.by_term[column.term]


@dataclass(frozen=True)
class Families:
    """Scores families of candidates, and computes the values that they compare."""

    rows: RelationalRows
    settings: TildeSettings
    columns: TableColumns
    joins: Joins
    keys: dict[object, int] = field(default_factory=dict)

    def best_bare(self, bound: BoundRows, goal: NodeGoal) -> Candidate | None:
        """Return the test whether there is such a row at all; ``None`` where all or no examples have one."""
        best = goal.best_bare(bound.examples, self._key(bound, None))
        return None if best is None else bound.candidate(best, None, ())

    def best_of_column(self, bound: BoundRows, column: ColumnValues, goal: NodeGoal) -> Candidate | None:
        """Return the best condition on a column."""
        values = column.of(bound.examples, bound.rows)
        key = self._key(bound, column.term)
        if column.is_number:
            best = goal.best_cut(bound.examples, values, column.grid, key, may_miss=column.may_miss)
        else:
            best = goal.best_level(bound.examples, values, len(column.levels), key, may_miss=column.may_miss)
        return None if best is None else bound.candidate(best, column.term, column.levels)

    def best_aggregate(
        self, bound: BoundRows, reached: Reached, aggregate: Aggregate, goal: NodeGoal
    ) -> Candidate | None:
        """Return the best test of one aggregate, of all rows or with each level that may select them."""
        selected, measured = aggregate.selected, aggregate.measured
        groups = np.zeros(len(reached.rows), np.int32) if selected is None else reached.values(selected)
        groups = self._only(groups, aggregate.where, aggregate.step, reached)
        n_groups = 1 if selected is None else len(selected.levels)
        rows = AggregatedRows(reached.owners, groups, len(bound.examples), n_groups)
        values = None if measured is None else reached.values(measured)
        best: Candidate | None = None
        for piece in rows.pieces():
            of_groups = _aggregated(rows, aggregate.function, measured, values, piece)
            for group, test in self._best_of_groups(bound, aggregate, of_groups, goal):
                if best is None or test.score > best.score + TIE:
                    levels = measured.levels if test.operator == "=" and measured is not None else ()
                    term = aggregate.term(piece.start + group)
                    best = bound.candidate(test, term, levels, aggregate.via)
        return best

    def _best_of_groups(
        self, bound: BoundRows, aggregate: Aggregate, values: NDArray[Any], goal: NodeGoal
    ) -> Iterator[tuple[int, Best]]:
        """Yield the best test of an aggregate's values, (n_groups, n_rows), with its group; of modes, each group's."""
        key = self._key(bound, aggregate.name())
        if aggregate.function != "mode" or aggregate.measured is None:
            cut = goal.best_group(bound.examples, values, _NO_GRID, key)
            if cut is not None:
                yield cut
            return
        n_levels = len(aggregate.measured.levels)
        for group, codes in enumerate(values):
            best = goal.best_level(bound.examples, codes, n_levels, mixed(key, group), may_miss=False)
            if best is not None:
                yield group, best

    def _only(self, groups: Ints, where: tuple[Selection, ...], step: Step, reached: Reached) -> Ints:
        """Return the groups of the rows that satisfy selections, and a negative number of others."""
        table = self.rows.schema.reached(step)
        for selection in where:
            column = self.columns.find(table, step, selection.term)
            satisfied = satisfying(reached.values(column), column.levels, selection.operator, selection.value)
            groups = np.where(satisfied, groups, np.int32(-1))
        return groups

    def values_of(
        self, component: Component, variable: int, term: Term, via: tuple[Step, ...]
    ) -> tuple[NDArray[Any], tuple[Value, ...]]:
        """Return the values of a term in each binding, (n_bindings,), and the levels of its codes."""
        bindings = component.bindings
        table, came_by = component.table_of(self.rows.schema, variable), component.came_by(variable)
        examples, rows = bindings.examples, bindings.of(variable)
        if not isinstance(term, AggregateTerm):
            column = self.columns.find(table, came_by, term)
            return column.of(examples, rows), column.levels
        joined = self.joins.follow(examples, rows, (*via, term.by))
        reached = Reached(joined.owners, joined.rows, examples[joined.owners])
        groups = self._only(np.zeros(len(joined.rows), np.int32), term.where, term.by, reached)
        of_table = self.rows.schema.reached(term.by)
        measured = None if term.column is None else self.columns.find(of_table, term.by, term.column)
        values = None if measured is None else reached.values(measured)
        grouped = AggregatedRows(joined.owners, groups, len(examples), 1)
        levels = measured.levels if term.function == "mode" and measured is not None else ()
        return _aggregated(grouped, term.function, measured, values, range(1))[0], levels

    def _key(self, bound: BoundRows, name: object) -> int:
        """Return the key of a family, made of names alone."""
        if self.settings.test_share >= 1:
            return 0  # every test is a candidate
        family = (bound.component, bound.variable, bound.step, name)
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


def _aggregated(
    rows: AggregatedRows,
    function: AggregateFunction,
    measured: ColumnValues | None,
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
