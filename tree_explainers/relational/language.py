"""The language of tests: what may be asked of a row of each table. It follows from the schema; a caller may narrow it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .queries import AggregateFunction


@dataclass(frozen=True, slots=True)
class TableLanguage:
    """What may be asked of the rows of one table."""

    columns: tuple[str, ...] | None = None  # that may be asked, on any path; None: all
    bare: bool = True  # whether a new row may be asked for without a condition
    aggregates: tuple[AggregateFunction, ...] | None = None  # that may be made of these rows; None: all


@dataclass(frozen=True, slots=True)
class Language:
    """Restrictions of the tests that a tree may ask."""

    max_variables: int = 3  # of one query; 1 to 4
    through_examples: bool = False  # whether paths may lead back into the examples' table
    tables: Mapping[str, TableLanguage] = field(default_factory=dict)  # those that are restricted
    relationships: tuple[str, ...] | None = None  # that may be followed; None: all
