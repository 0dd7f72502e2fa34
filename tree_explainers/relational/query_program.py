"""Programs: tries of queries as arrays, in which features whose queries begin alike share the search for bindings.

An instruction is a row of ``instructions``. Blocks nest: a ``FILTER`` is entered where its condition holds, an
``EXPAND`` runs through the rows that a step leads to, and its ``NEXT`` goes back to it. What a feature notes stands in
the innermost block, where all its variables have rows and all its conditions hold. Filters of one term are a family:
of ``=``, a ``SWITCH`` goes to the only one that may hold; cuts are sorted, and those after one that fails passed over.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .canonical import canonical
from .queries import EXAMPLE, AggregateTerm, ColumnTerm, Condition, Feature, Query, Term, Value
from .schema import ColumnSchema, Schema, Step

_Int32s: TypeAlias = NDArray[np.int32]
_ADDING = ("sum", "mean")  # of decimals
_MOST_CODES = 100_000
_NO_LEVEL = -2.0  # as the code of a text that is no level: equal to no row's code


class Do(IntEnum):
    """What an instruction does; from ``EXISTS`` on it notes something for a feature, by the feature's kind."""

    FILTER = 0
    EXPAND = 1
    SWITCH = 2
    NEXT = 3
    JUMP = 4  # from the end of a filter to the end of its switch
    BASE = 5  # one more binding of those of which a share is taken
    EXISTS = 6
    COUNT = 7
    SHARE = 8
    MEAN = 9
    SUM = 10
    MIN = 11
    MAX = 12
    MODE = 13
    N_DISTINCT = 14
    VALUE = 15


class Field(IntEnum):
    """The columns of ``instructions``."""

    DO = 0
    VARIABLE = 1  # 0 is the example, then the query's variables
    ORIGIN = 2  # of EXPAND: the variable from whose row the step leads; of SWITCH: where its jumps begin
    STEP = 3  # of EXPAND; of SWITCH: the number of its jumps
    TERM = 4
    OPERATOR = 5
    FEATURE = 6
    BLOCK = 7  # the instruction that opens the block around this one; -1: none
    END = 8  # of a block: the first instruction after it; of NEXT: its EXPAND; of JUMP: where it goes
    FAILED = 9  # of FILTER: where to go on if the condition fails, past those that fail with it


OPERATORS = ("=", "<=", ">", "is_missing")
FUNCTIONS = ("column", "count", "share", "mean", "sum", "min", "max", "mode", "n_distinct")  # the first: no aggregate


class Program(NamedTuple):
    """The trie, as compiled loops take it. Indices of columns, relationships and tables are those of ``DataUsed``."""

    instructions: _Int32s  # (n_instructions, len(Field))
    constants: NDArray[np.float64]  # (n_instructions,) of FILTER: what the term is compared with
    n_open: _Int32s  # (n_instructions,) of a block: the number of instructions in it that note something
    terms: _Int32s  # (n_terms, 5): function, reading (-1: none), step (-1: none), first and last + 1 of its selections
    selections: _Int32s  # (n_selections, 2): reading, operator
    selection_values: NDArray[np.float64]  # (n_selections,)
    readings: _Int32s  # (n_readings, 4): column, 1 if as decimals, first and last + 1 of the parents on the way to it
    parents: _Int32s  # relationship by relationship
    steps: _Int32s  # (n_steps, 2): relationship, 1 to children and 0 to the parent
    jumps: _Int32s  # of each SWITCH, code by code: the filter that the code passes, or the end of the switch
    kinds: _Int32s  # (n_features,) of ``Do``


@dataclass(slots=True)
class DataUsed:
    """Which data a program reads, each numbered in the order of its first use."""

    columns: dict[tuple[str, str], int] = field(default_factory=dict)  # by table and column
    relationships: dict[str, int] = field(default_factory=dict)


def column_of(feature: Feature, schema: Schema) -> ColumnSchema:
    """Return what the column of a feature holds: booleans, levels of a category, or numbers."""
    if feature.kind == "exists":
        return ColumnSchema("boolean")
    if feature.kind not in {"value", "mode"} or feature.measure is None:
        return ColumnSchema("number")
    return term_column(feature.measure.term, feature.query.table_of(feature.measure.variable, schema), schema)


def term_column(term: Term, table: str, schema: Schema) -> ColumnSchema:
    """Return what a term of a row of ``table`` is: a number, a boolean or a category with its levels."""
    if isinstance(term, ColumnTerm):
        return term.column_schema(schema, table)
    if term.function != "mode" or term.column is None:
        return ColumnSchema("number")
    return term.column.column_schema(schema, schema.reached(term.by))


def program_of(features: Sequence[Feature], schema: Schema) -> tuple[Program, DataUsed]:
    """Return the program that evaluates the features, in their order, and the data that it reads."""
    writer = _Writer(schema)
    root = _Node()
    for index, feature in enumerate(features):
        writer.insert(root, index, canonical(feature))
    writer.write(root, block=-1)
    kinds = [Do[feature.kind.upper()] for feature in map(canonical, features)]
    return writer.program(kinds), writer.used


_Line: TypeAlias = dict[Field, int]


@dataclass(slots=True)
class _Node:
    """A block: what is noted in it, and the blocks in it by what opens them."""

    notes: list[_Line] = field(default_factory=list)
    blocks: dict["_Opening", "_Node"] = field(default_factory=dict)

    def block(self, line: _Line, constant: float = 0.0) -> "_Node":
        return self.blocks.setdefault((tuple(line.items()), constant), _Node())

    def n_notes(self) -> int:
        return len(self.notes) + sum(block.n_notes() for block in self.blocks.values())


_Opening: TypeAlias = tuple[tuple[tuple[Field, int], ...], float]


def _families(node: _Node) -> list[list[_Opening]]:
    """Return the instructions that open the blocks in a block, by families, with the weakest cut first."""
    families: dict[tuple[tuple[Field, int], ...], list[_Opening]] = {}
    for key in node.blocks:
        families.setdefault(key[0], []).append(key)
    is_upper = {line: dict(line).get(Field.OPERATOR) == OPERATORS.index("<=") for line in families}
    return [sorted(keys, key=lambda key: -key[1] if is_upper[key[0]] else key[1]) for keys in families.values()]


def _are_codes(family: Sequence[_Opening]) -> bool:
    """Return whether values can be codes of levels, or whole numbers that are as few."""
    return all(constant.is_integer() and constant < _MOST_CODES for _, constant in family)


class _Writer:
    """Numbers what features read, and writes the trie as instructions."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.used = DataUsed()
        self._steps: dict[Step, int] = {}
        self._readings: dict[tuple[str, ColumnTerm, bool], int] = {}
        self._reading_rows: list[tuple[int, int, int, int]] = []
        self._parents: list[int] = []
        self._terms: dict[tuple[int, str, Term, bool], int] = {}
        self._term_rows: list[tuple[int, int, int, int, int]] = []
        self._selections: list[tuple[int, int]] = []
        self._selection_values: list[float] = []
        self._instructions: list[list[int]] = []
        self._constants: list[float] = []
        self._n_open: list[int] = []
        self._jumps: list[int] = []

    def insert(self, root: _Node, index: int, feature: Feature) -> None:
        """Add the way to a feature, and what is noted of it there, to the trie."""
        query = feature.query
        node = self._filtered(root, query, EXAMPLE)
        for number, variable in enumerate(query.variables):
            step = self._step(variable.by)
            node = node.block(
                {Field.DO: Do.EXPAND, Field.VARIABLE: number + 1, Field.ORIGIN: variable.origin + 1, Field.STEP: step}
            )
            if feature.kind == "share" and number == len(query.variables) - 1:
                node.notes.append({Field.DO: Do.BASE, Field.FEATURE: index})
            node = self._filtered(node, query, number)
        note: _Line = {Field.DO: Do[feature.kind.upper()], Field.FEATURE: index}
        if feature.measure is not None:
            measured = feature.measure.variable
            table, adds = query.table_of(measured, self.schema), feature.kind in _ADDING
            term = self._term(measured, table, feature.measure.term, as_decimals=adds)
            note |= {Field.VARIABLE: measured + 1, Field.TERM: term}
        node.notes.append(note)

    def _filtered(self, node: _Node, query: Query, variable: int) -> _Node:
        table = query.table_of(variable, self.schema)
        for condition in query.conditions:
            if condition.variable == variable:
                node = node.block(*self._filter(condition, table))
        return node

    def _filter(self, condition: Condition, table: str) -> tuple[_Line, float]:
        line: _Line = {
            Field.DO: Do.FILTER,
            Field.VARIABLE: condition.variable + 1,
            Field.TERM: self._term(condition.variable, table, condition.term),
            Field.OPERATOR: OPERATORS.index(condition.operator),
        }
        return line, _constant(condition.value, term_column(condition.term, table, self.schema))

    def _term(self, variable: int, table: str, term: Term, *, as_decimals: bool = False) -> int:
        key = (variable, table, term, as_decimals)
        if key not in self._terms:
            row = (
                (0, self._reading(table, term, as_decimals=as_decimals), -1, 0, 0)
                if isinstance(term, ColumnTerm)
                else self._aggregate(term)
            )
            self._terms[key] = len(self._term_rows)
            self._term_rows.append(row)
        return self._terms[key]

    def _aggregate(self, term: AggregateTerm) -> tuple[int, int, int, int, int]:
        table = self.schema.reached(term.by)
        first = len(self._selections)
        for chosen in term.where:
            self._selections.append((self._reading(table, chosen.term), OPERATORS.index(chosen.operator)))
            self._selection_values.append(_constant(chosen.value, chosen.term.column_schema(self.schema, table)))
        adds = term.function in _ADDING
        reading = -1 if term.column is None else self._reading(table, term.column, as_decimals=adds)
        return FUNCTIONS.index(term.function), reading, self._step(term.by), first, len(self._selections)

    def _reading(self, table: str, term: ColumnTerm, *, as_decimals: bool = False) -> int:
        key = (table, term, as_decimals)
        if key not in self._readings:
            column = self.used.columns.setdefault((term.table(self.schema, table), term.column), len(self.used.columns))
            first = len(self._parents)
            self._parents.extend(self._relationship(name) for name in term.parents)
            self._readings[key] = len(self._reading_rows)
            self._reading_rows.append((column, int(as_decimals), first, len(self._parents)))
        return self._readings[key]

    def _step(self, step: Step) -> int:
        self._relationship(step.relationship)
        return self._steps.setdefault(step, len(self._steps))

    def _relationship(self, name: str) -> int:
        return self.used.relationships.setdefault(name, len(self.used.relationships))

    def write(self, node: _Node, block: int) -> None:
        """Write what is in a block, and the blocks in it."""
        for note in node.notes:
            self._add(note, block)
        for family in _families(node):
            (line, _), *others = family
            operator = dict(line).get(Field.OPERATOR)
            is_filter = Do(dict(line)[Field.DO]) is Do.FILTER
            if others and is_filter and operator == OPERATORS.index("=") and _are_codes(family):
                self._write_switch(node, family, block)
                continue
            written = [self._write_block(node, key, block) for key in family]
            for start in written if operator != OPERATORS.index("=") else ():
                self._instructions[start][Field.FAILED] = len(self._instructions)

    def _write_block(self, node: _Node, key: _Opening, block: int) -> int:
        line, inner = dict(key[0]), node.blocks[key]
        start = self._add(line, block, key[1], inner.n_notes())
        self.write(inner, start)
        if line[Field.DO] == Do.EXPAND:
            self._add({Field.DO: Do.NEXT, Field.VARIABLE: line[Field.VARIABLE], Field.END: start}, start)
        self._instructions[start][Field.END] = self._instructions[start][Field.FAILED] = len(self._instructions)
        return start

    def _write_switch(self, node: _Node, family: Sequence[_Opening], block: int) -> None:
        """Write filters by ``=`` on one term, of which the term's code says the only one that may hold."""
        (line, _), n_jumps, first = family[0], int(max(constant for _, constant in family)) + 1, len(self._jumps)
        opening = dict(line) | {Field.DO: Do.SWITCH, Field.ORIGIN: first, Field.STEP: max(n_jumps, 0)}
        switch = self._add(opening, block, n_open=sum(node.blocks[key].n_notes() for key in family))
        self._jumps.extend([-1] * max(n_jumps, 0))
        leaving = []
        for key in family:
            start = self._write_block(node, key, switch)
            if key[1] >= 0:
                self._jumps[first + int(key[1])] = start
            leaving.append(self._add({Field.DO: Do.JUMP}, switch))
            self._instructions[start][Field.END] = self._instructions[start][Field.FAILED] = leaving[-1]
        end = len(self._instructions)
        for at in (switch, *leaving):
            self._instructions[at][Field.END] = end
        self._jumps[first:] = [end if jump < 0 else jump for jump in self._jumps[first:]]

    def _add(self, line: _Line, block: int, constant: float = 0.0, n_open: int = 0) -> int:
        self._instructions.append([(line | {Field.BLOCK: block}).get(name, 0) for name in Field])
        self._constants.append(constant)
        self._n_open.append(n_open)
        return len(self._instructions) - 1

    def program(self, kinds: Sequence[int]) -> Program:
        """Return the program that was written."""
        relationships = self.used.relationships
        steps = [(relationships[step.relationship], int(step.to == "children")) for step in self._steps]
        return Program(
            _ints(self._instructions, len(Field)),
            np.array(self._constants, np.float64),
            _ints(self._n_open),
            _ints(self._term_rows, 5),
            _ints(self._selections, 2),
            np.array(self._selection_values, np.float64),
            _ints(self._reading_rows, 4),
            _ints(self._parents),
            _ints(steps, 2),
            _ints(self._jumps),
            _ints(kinds),
        )


def _constant(value: Value, column: ColumnSchema) -> float:
    """Return a value as rows have it: the code of a level, 0 or 1 of a boolean, or the number."""
    if isinstance(value, str):
        return float(column.levels.index(value)) if value in column.levels else _NO_LEVEL
    return 0.0 if value is None else float(value)


def _ints(rows: Sequence[Sequence[int]] | Sequence[int], n_columns: int | None = None) -> _Int32s:
    array = np.array(rows, np.int32)
    return array if n_columns is None else np.ascontiguousarray(array.reshape(-1, n_columns))
