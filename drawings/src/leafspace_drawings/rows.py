"""Rows of a dataset, page by page or searched by a value, each with the way to its explanation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from .columns import ColumnName, ColumnNames
from .links import Links
from .templating import render
from .words import cell, name_or_id

Json = Mapping[str, Any]

_CHARACTERS_SHOWN = 80  # of a text in a cell


@dataclass(frozen=True, slots=True)
class RowsPage:
    """A page of a dataset's rows, and what was searched."""

    dataset: Json  # without hidden columns
    columns: Sequence[str]  # that are shown
    rows: Sequence[Json]  # of ``GET /v1/datasets/{id}/rows``
    next_cursor: str | None = None
    searched: Mapping[str, str] = field(default_factory=dict)  # parameters of the search; none where all are listed
    is_later: bool = False  # whether it is not the first page
    is_over_early: bool = False  # whether the search ended because it took long
    refused: Mapping[str, str] = field(default_factory=dict)  # why a field of the search cannot be so
    explainers: Sequence[tuple[str, str]] = ()  # ids and names of those that can explain the rows
    explainer: str = ""  # the one that links lead to
    links: Links = field(default_factory=Links)

    @property
    def names(self) -> list[ColumnName]:
        """What the shown columns are called."""
        known = ColumnNames(self.dataset)
        return [known[name] for name in self.columns]

    @property
    def n_left_out(self) -> int:
        """How many columns are not shown."""
        names = [column["name"] for column in self.dataset["columns"] if column["name"] != self.dataset["row_id"]]
        return len(names) - len(self.columns)

    @property
    def lines(self) -> list[tuple[str, str | None, list[str]]]:
        """Each row: its id, the address of its explanation, and its values in words."""
        names = self.names
        return [
            (row["row_id"], self._why(row["row_id"]), [_text(name, row, at) for at, name in enumerate(names)])
            for row in self.rows
        ]

    def _why(self, row_id: str) -> str | None:
        return self.links.to_row(self.explainer or None, row_id, self.dataset["id"])

    @property
    def here(self) -> str | None:
        """The address of the first page of all rows."""
        return self.links.to("rows", self.dataset["id"])

    @property
    def next(self) -> str | None:
        """The address of the next page."""
        if self.next_cursor is None or self.here is None:
            return None
        chosen = {"explainer": self.explainer} if self.explainer else {}
        return f"{self.here}?{urlencode({**self.searched, **chosen, 'cursor': self.next_cursor})}"

    @property
    def fields(self) -> list[tuple[str, str, str, str]]:
        """The fields of a search: name, words, present text, and why it cannot be so."""
        words = {"value": "is", "at_least": "from", "at_most": "to"}
        return [(name, said, self.searched.get(name, ""), self.refused.get(name, "")) for name, said in words.items()]

    @property
    def where(self) -> str:
        """The column that is searched; empty where none is."""
        return self.searched.get("where", "")

    @property
    def searched_name(self) -> str:
        """What that column is called."""
        return dict(self.choices).get(self.where, "")

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The columns that can be searched: names, and what they are called."""
        known = ColumnNames(self.dataset)
        return [(each["name"], known[each["name"]].said) for each in self.dataset["columns"]]


def draw_rows(page: RowsPage) -> str:
    """Return the drawing of a page of rows."""
    return render("rows", page=page, title=name_or_id(page.dataset))


def _text(name: ColumnName, row: Json, index: int) -> str:
    text = cell(name.in_words(row["values"][index]["value"]))
    return text if len(text) <= _CHARACTERS_SHOWN else f"{text[:_CHARACTERS_SHOWN]}…"
