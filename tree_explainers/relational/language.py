"""The language of tests: which columns, variables and aggregates the tests of each table's rows may use.

It follows from the schema; a caller may narrow it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .queries import AggregateFunction, ColumnTerm
from .schema import Schema, Step

MOST_LEVELS = 1_000  # columns of more levels are not tested
MOST_SELECTED_LEVELS = 40  # nor are rows selected for an aggregate by columns of more levels than these
LONGEST_CHAIN = 3  # parents that a column may be away


@dataclass(frozen=True, slots=True)
class TableLanguage:
    """What tests of one table's rows may use."""

    columns: tuple[str, ...] | None = None  # that may be tested, on any path; None: all
    bare: bool = True  # whether a new variable may come without a condition
    introduced_with: tuple[str, ...] | None = None  # columns of a new row's one condition; None: as the settings say
    aggregates: tuple[AggregateFunction, ...] | None = None  # that may be made of these rows; None: all


@dataclass(frozen=True, slots=True)
class Language:
    """Restrictions of the tests that a tree may use."""

    max_variables: int = 3  # of one query; 1 to 4
    through_examples: bool = False  # whether paths may lead back into the examples' table
    tables: Mapping[str, TableLanguage] = field(default_factory=dict)  # those that are restricted
    relationships: tuple[str, ...] | None = None  # that may be followed; None: all

    def of_table(self, table: str) -> TableLanguage:
        """Return what tests of a table's rows may use."""
        return self.tables.get(table, _UNRESTRICTED)


_UNRESTRICTED = TableLanguage()


def open_steps(schema: Schema, language: Language, table: str, came_by: Step | None) -> Iterator[tuple[Step, str]]:
    """Yield the steps from a table's row, with the table each leads to, in the order of the relationships.

    ``came_by`` is the step that led to the row. The one that leads from a child back to the same parent is not open;
    nor are steps into the examples' table, unless the language opens them.
    """
    for step, reached in schema.steps_from(table):
        closed = reached == schema.examples and not language.through_examples
        unknown = language.relationships is not None and step.relationship not in language.relationships
        back = step.to == "parent" and came_by is not None and came_by == Step(step.relationship, "children")
        if not (closed or unknown or back):
            yield step, reached


def column_terms(
    schema: Schema, language: Language, table: str, came_by: Step | None = None
) -> Iterator[tuple[ColumnTerm, str]]:
    """Yield the columns that tests of a table's row may use, with the table that holds each.

    The row's own come first, in the order of the table, then those of its parents (and theirs, depth first) in the
    order of the relationships, none of which is followed twice. The target is never among them.
    """
    yield from _terms(schema, language, table, came_by, ())


def _terms(
    schema: Schema, language: Language, table: str, came_by: Step | None, parents: tuple[str, ...]
) -> Iterator[tuple[ColumnTerm, str]]:
    allowed = language.of_table(table).columns
    for name, column in schema.tables[table].columns.items():
        is_target = table == schema.examples and name == schema.target
        open_kind = column.kind in ("number", "boolean", "category") and len(column.levels) <= MOST_LEVELS
        if open_kind and not is_target and (allowed is None or name in allowed):
            yield ColumnTerm(name, parents), table
    if len(parents) == LONGEST_CHAIN:
        return
    for step, reached in open_steps(schema, language, table, came_by):
        if step.to == "parent" and step.relationship not in parents:
            yield from _terms(schema, language, reached, None, (*parents, step.relationship))
