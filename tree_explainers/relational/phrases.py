"""Phrases about rows: ``an account of kind credit with more than 2 transactions of kind cash``.

Tables are nouns, columns keep their names. A phrase says by which key a row is reached only where there are several.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor

from ..wording import comparison, number_text, value_text
from .canonical import shortest
from .queries import AggregateTerm, ColumnTerm, Condition, Operator, Query, Selection, Term, Value
from .schema import Schema, Step

_OF_FUNCTIONS = {
    "mean": "mean ",
    "sum": "total ",
    "min": "smallest ",
    "max": "largest ",
    "mode": "most frequent ",
    "n_distinct": "number of distinct values of ",
}


@dataclass(slots=True)
class Description:
    """The conditions that a row satisfies, in words: ``of kind credit``, ``that is open``, ``with balance above 3``."""

    of: list[str] = field(default_factory=list)
    that: list[str] = field(default_factory=list)  # what follows "is"
    having: list[str] = field(default_factory=list)

    def after(self, noun: str, *, plural: bool = False) -> str:
        """Return the noun with its description."""
        parts = [noun, *(f"of {text}" for text in self.of)]
        if self.that:
            parts.append(f"that {'are' if plural else 'is'} {' and '.join(self.that)}")
        if self.having:
            parts.append(f"with {' and with '.join(self.having) if self._nests() else ' and '.join(self.having)}")
        return " ".join(parts)

    def clauses(self) -> list[str]:
        """Return it as predicates of the example: ``is of kind credit``, ``has age above 3``."""
        return [
            *(f"is of {text}" for text in self.of),
            *(f"is {text}" for text in self.that),
            *(f"has {text}" for text in self.having),
        ]

    def _nests(self) -> bool:
        return any(" with " in text for text in self.having[:-1])


def describe(conditions: Sequence[Condition | Selection], schema: Schema, table: str) -> Description:
    """Return the description of a row of a table that satisfies conditions."""
    description = Description()
    of_parents: dict[tuple[str, ...], list[Selection]] = {}
    for condition in conditions:
        term, operator, value = condition.term, condition.operator, condition.value
        if isinstance(term, AggregateTerm):
            description.having.append(_aggregate_condition(term, operator, value, schema, table))
        elif operator == "is_missing":
            description.having.append(f"no {column_text(term, schema)}")
        elif term.parents:
            of_parents.setdefault(term.parents, []).append(Selection(ColumnTerm(term.column), operator, value))
        else:
            _add_column(description, term.column, operator, value)
    description.having += [_with_parent(parents, of_parent, schema) for parents, of_parent in of_parents.items()]
    return description


def _add_column(description: Description, column: str, operator: Operator, value: Value) -> None:
    is_boolean = isinstance(value, bool)
    if is_boolean and re.match(r"is_\w", column):
        description.that.append(("" if value else "not ") + column.removeprefix("is_").replace("_", " "))
    elif is_boolean:
        description.having.append(f"{column} {'true' if value else 'false'}")
    elif operator == "=" and isinstance(value, str):
        description.of.append(f"{column} {value_text(value)}")
    elif value is not None:
        description.having.append(f"{column} {_compared(operator, value)}")


def _compared(operator: Operator, value: Value) -> str:
    assert isinstance(value, str | float | int)  # what is compared has a value
    value = value if isinstance(value, str | bool) else shortest(value)
    return value_text(value) if operator == "=" else comparison(operator, value)


def _with_parent(parents: tuple[str, ...], conditions: Sequence[Selection], schema: Schema) -> str:
    """Return ``a branch of region north``: the last parent that they lead to, and that it satisfies conditions."""
    *others, last = parents
    relationship = schema.relationships[last]
    noun = noun_of(Step(last, "parent"), schema, relationship.child)
    described = with_article(describe(conditions, schema, relationship.parent).after(noun))
    for name in reversed(others):
        step = Step(name, "parent")
        described = f"{with_article(noun_of(step, schema, schema.relationships[name].child))} with {described}"
    return described


def _aggregate_condition(term: AggregateTerm, operator: Operator, value: Value, schema: Schema, table: str) -> str:
    if operator == "is_missing":
        return f"no {aggregate_text(term, schema, table)}"
    assert value is not None
    if term.function == "mode":
        level = str(value).lower() if isinstance(value, bool) else value_text(value)
        return f"{level} as the {aggregate_text(term, schema, table)}"
    if term.function != "count" or operator == "=" or isinstance(value, str):
        return f"{aggregate_text(term, schema, table)} {_compared(operator, value)}"
    where = describe(term.where, schema, schema.reached(term.by))
    return how_many(operator, value, noun_of(term.by, schema, table), where)


def how_many(operator: Operator, cut: float, noun: str, description: Description) -> str:
    """Return a count's comparison in whole numbers: ``more than 2 accounts``; ``an account`` for more than 0."""
    least = floor(cut)
    if least == 0:
        described = description.after(noun)
        return with_article(described) if operator == ">" else f"no {described}"
    is_one = least == 1
    several = description.after(noun if is_one else plural_of(noun), plural=not is_one)
    return f"{'more than' if operator == '>' else 'at most'} {number_text(least)} {several}"


def aggregate_text(term: AggregateTerm, schema: Schema, table: str, owner: str = "its") -> str:
    """Return ``total amount of its transactions of kind cash``; of several rows the owner is ``each one's``."""
    reached = schema.reached(term.by)
    noun = noun_of(term.by, schema, table)
    nouns = plural_of(noun) if term.by.to == "children" else noun
    rows = describe(term.where, schema, reached).after(nouns, plural=term.by.to == "children")
    if term.function == "count":
        return f"number of {rows}" if owner == "its" else f"number of {owner} {rows}"
    if term.function == "share":
        return f"share of {rows} among {owner} {nouns}"
    return measured(term.function, "" if term.column is None else column_text(term.column, schema), f"{owner} {rows}")


def measured(function: str, column: str, rows: str) -> str:
    """Return ``largest amount of its transactions``; a column of its parent stays in front of them."""
    return f"{_OF_FUNCTIONS[function]}{column} of {rows}"


def measured_each(function: str, term: AggregateTerm, rows: str, schema: Schema, table: str) -> str:
    """Return an aggregate of others: ``smallest value, over its accounts, of the largest amount of …``."""
    of_each = "the " + aggregate_text(term, schema, table, "each one's")
    if function == "n_distinct":
        return f"number of distinct values of {of_each}, over {rows}"
    return f"{_OF_FUNCTIONS[function]}value, over {rows}, of {of_each}"


def term_text(term: Term, schema: Schema, table: str) -> str:
    """Return the name of a column or an aggregate of a row of a table."""
    return column_text(term, schema) if isinstance(term, ColumnTerm) else aggregate_text(term, schema, table)


def column_text(term: ColumnTerm, schema: Schema) -> str:
    """Return ``region of its branch``, or the column's own name."""
    parents = [noun_of(Step(name, "parent"), schema, schema.relationships[name].child) for name in term.parents]
    return " of its ".join([term.column, *reversed(parents)])


def variable_phrase(query: Query, variable: int, schema: Schema) -> str:
    """Return a variable and those that it leads to: ``an account of kind credit with a transaction with …``."""
    return with_article(described_variable(query, variable, schema, noun_of_variable(query, variable, schema)))


def noun_of_variable(query: Query, variable: int, schema: Schema) -> str:
    """Return the noun of a variable's rows."""
    of = query.variables[variable]
    return noun_of(of.by, schema, query.table_of(of.origin, schema))


def described_variable(
    query: Query,
    variable: int,
    schema: Schema,
    noun: str,
    *,
    plural: bool = False,
    without: Sequence[int] = (),
) -> str:
    """Return a noun with all conditions on a variable, and the variables that it leads to but those left out."""
    conditions = [condition for condition in query.conditions if condition.variable == variable]
    description = describe(conditions, schema, query.table_of(variable, schema))
    description.having += [
        variable_phrase(query, index, schema)
        for index, other in enumerate(query.variables)
        if other.origin == variable and index not in without
    ]
    return description.after(noun, plural=plural)


def noun_of(step: Step, schema: Schema, table: str) -> str:
    """Return the noun of the rows that a step leads to, with its key where other steps lead there, too."""
    reached = schema.reached(step)
    ways = [way for way, to in schema.steps_from(table) if to == reached]
    columns = ",".join(schema.relationships[step.relationship].columns)
    by = "" if len(ways) == 1 else f" ({'by' if step.to == 'children' else 'as'} {columns})"
    return singular(reached) + by


def singular(table: str) -> str:
    """Return the name of one row of a table: ``account`` of ``accounts``."""
    noun = table.replace("_", " ")
    if re.search(r"[^aeiou]ies$", noun):
        return noun.removesuffix("ies") + "y"
    if re.search(r"(ss|x|ch|sh)es$", noun):
        return noun.removesuffix("es")
    return noun if re.search(r"(ss|us|is)$", noun) or len(noun) < len("xys") else noun.removesuffix("s")


def plural_of(noun: str) -> str:
    """Return the plural of a noun, which may be followed by ``(by …)``."""
    head, space, way = noun.partition(" (")
    if re.search(r"[^aeiou]y$", head):
        plural = head[:-1] + "ies"
    else:
        plural = head + ("es" if re.search(r"(s|x|ch|sh)$", head) else "s")
    return plural + space + way


def with_article(noun: str) -> str:
    """Return a noun after ``a`` or ``an``."""
    has_vowel = re.match(r"[aeio]|u(?!ni|s)", noun, re.IGNORECASE) and not re.match(r"eu|one", noun, re.IGNORECASE)
    return f"{'an' if has_vowel else 'a'} {noun}"
