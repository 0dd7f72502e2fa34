"""Columns as people call them: their titles and units, where the dataset has them.

Sentences are the contract's own and keep the names; where these stand alone, such as beside the conditions of a rule,
a drawing lists what they mean.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .words import number, plain_number

Json = Mapping[str, Any]

N_EXPLAINED = 60


@dataclass(frozen=True, slots=True)
class ColumnName:
    """A column's name and what people call it: its title, unit and description, each None where none was given."""

    name: str
    title: str | None = None
    unit: str | None = None
    description: str | None = None
    labels: Mapping[Any, str] = field(default_factory=dict, hash=False)  # of values that have one
    plain_digits: bool = False  # no commas part its numbers, as of years and codes

    def in_words(self, value: Any) -> Any:
        """Return what people call a value; one without a label as it is, but a year or a code as text."""
        said = self.labels.get(_key(value), value)
        is_number = isinstance(said, int | float) and not isinstance(said, bool)
        return plain_number(said) if self.plain_digits and is_number else said

    def number(self, value: float) -> str:
        """Return the text of a number of the column, such as an end of its range."""
        return plain_number(value) if self.plain_digits else number(value)

    @property
    def said(self) -> str:
        """The title, or the name."""
        return self.title or self.name

    @property
    def is_explained(self) -> bool:
        """Whether more than the name is known."""
        return self.said != self.name or bool(self.unit or self.description)


class ColumnNames:
    """The columns of a dataset by name; those that it does not have, and all without a dataset, have their names alone.

    Parameters
    ----------
    dataset
        An answer of ``GET /v1/datasets/{id}``.
    """

    def __init__(self, dataset: Json | None) -> None:
        self.dataset = dataset
        columns = () if dataset is None else dataset.get("columns", ())
        self._known = {column["name"]: column for column in columns}

    def __getitem__(self, name: str) -> ColumnName:
        column = self._known.get(name, {})
        labels = {_key(each["value"]): each["label"] for each in column.get("labels") or ()}
        return ColumnName(
            name,
            column.get("title"),
            column.get("unit"),
            column.get("description"),
            labels,
            bool(column.get("plain_digits")),
        )

    def explained(self, names: Iterable[str]) -> list[ColumnName]:
        """Return those of these columns of which more than the name is known, each once, in their order."""
        found = [self[name] for name in dict.fromkeys(names)]
        return [column for column in found if column.is_explained][:N_EXPLAINED]


def _key(value: Any) -> Any:  # a cell, or a value as a dictionary has it
    """Return a value so that a number and its text are equal, and a boolean and its word."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
