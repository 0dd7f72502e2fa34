"""Rows that somebody pastes into the page, from a sheet, CSV or JSON: as texts by feature."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, NoReturn

from leafspace_drawings import ColumnNames, text_of

from storage.errors import StorageError

from .documents import Json

MAX_PASTED_BYTES = 256 << 10
MAX_PASTED_ROWS = 200
_DELIMITERS = "\t;,"
_NAMES_SHOWN = 5
_PAIR = 2


@dataclass(frozen=True, slots=True)
class PastedRows:
    """Texts by feature of each row, and what was pasted beside them."""

    rows: Sequence[Mapping[str, str]]
    unread: Sequence[str]  # columns that the model does not have
    lacking: Sequence[str]  # features that no row names: they are missing; hidden ones are not listed
    n_hidden: int = 0  # features with values that are left out, as the dictionary hides them: they are missing, too


def read_pasted(text: str, known: Json, dataset: Json) -> PastedRows:
    """Read rows, without the values of hidden features: these would stand in the addresses of the rows' views.

    Parameters
    ----------
    text
        JSON (an object by feature, or an array of them), or lines of cells that are separated by tabs, semicolons or
        commas: with a line of names first, or each line a feature and its value, or all features in their order.
    known
        The model.
    dataset
        The reference dataset, without hidden columns: what these and their values are called may stand for them.

    Raises
    ------
    StorageError
        ``validation_failed`` for a text without rows, with more than 200, or of which no column is a feature.
    """
    tables = _Features(known["feature_names"], dataset)
    rows = _of_json(text, tables) if text.lstrip()[:1] in {"{", "["} else _of_cells(_cells(text), tables)
    if not 1 <= len(rows) <= MAX_PASTED_ROWS:
        _refuse(f"{len(rows):,} rows were pasted; paste at least one, and at most {MAX_PASTED_ROWS}")
    named = {name for row in rows for name in row}
    read = [tables.row(row) for row in rows]
    if not any(read):
        _refuse(f"none of the columns is a feature of the model: {_listed(named)}; {tables.described}")
    present = {name for row in read for name in row}
    hidden = present.difference(tables.shown)
    read = [{name: value for name, value in row.items() if name not in hidden} for row in read]
    unread = [name for name in dict.fromkeys(name for row in rows for name in row) if tables.find(name) is None]
    return PastedRows(read, unread, [name for name in tables.shown if name not in present], len(hidden))


class _Features:
    """The features of a model, found by their names or by what people call them."""

    def __init__(self, features: Sequence[str], dataset: Json) -> None:
        self.features, self._names = features, ColumnNames(dataset)
        columns = {column["name"] for column in dataset["columns"]}
        self.shown = [name for name in features if name in columns]
        said = {self._names[name].said.strip().casefold(): name for name in reversed(features)}
        self._known = said | {name.strip().casefold(): name for name in features}

    @property
    def described(self) -> str:
        return f"begin with a line of names, such as {_listed(self.shown)}"

    def find(self, name: str) -> str | None:
        """Return the feature that is called so."""
        return name if name in self.features else self._known.get(name.strip().casefold())

    def row(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the texts of features, those of values that people call otherwise as the model has them."""
        by_feature = {feature: text.strip() for name, text in texts.items() if (feature := self.find(name)) is not None}
        return {name: self._value(name, text) for name, text in by_feature.items()}

    def _value(self, name: str, text: str) -> str:
        labels = self._names[name].labels.items()
        value = next((value for value, label in labels if label.casefold() == text.casefold()), text)
        return text_of(value)


def _of_json(text: str, tables: _Features) -> list[dict[str, str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        _refuse("the text begins as JSON and is none; paste an object, or an array of objects")
    rows = document if isinstance(document, list) else [document]
    if rows and not any(isinstance(row, list | dict) for row in rows):
        rows = [rows]  # the values of one row
    return [_json_row(row, tables) for row in rows]


def _json_row(row: Any, tables: _Features) -> dict[str, str]:
    if isinstance(row, list) and len(row) == len(tables.features):
        row = dict(zip(tables.features, row, strict=True))
    if not isinstance(row, dict) or any(isinstance(value, list | dict) for value in row.values()):
        _refuse("a row is an object with a value by feature, or an array of the values of all features")
    return {str(name): text_of(value) for name, value in row.items()}


def _cells(text: str) -> list[list[str]]:
    text = text.removeprefix("\ufeff").strip()
    first = text.partition("\n")[0]
    delimiter = next((each for each in _DELIMITERS if each in first), ",")
    try:
        return [line for line in csv.reader(StringIO(text), delimiter=delimiter) if any(line)]
    except csv.Error as error:
        _refuse(f"the text is no table: {error}")


def _of_cells(cells: list[list[str]], tables: _Features) -> list[dict[str, str]]:
    if not cells:
        return []
    if _are_pairs(cells, tables):
        return [dict(cells)]
    if _are_names(cells[0], tables):
        return _named_rows(cells[0], cells[1:])
    if any(len(line) != len(tables.features) for line in cells):
        n = len(tables.features)
        _refuse(f"the first line names none of the features, and not all lines have {n} values; {tables.described}")
    return [dict(zip(tables.features, line, strict=True)) for line in cells]


def _named_rows(names: list[str], lines: list[list[str]]) -> list[dict[str, str]]:
    for number, line in enumerate(lines, 1):
        if len(line) != len(names):
            _refuse(f"row {number} has {len(line)} cells, and the first line names {len(names)} columns")
    return [dict(zip(names, line, strict=True)) for line in lines]


def _are_pairs(cells: list[list[str]], tables: _Features) -> bool:
    """Whether each line is a feature and its value, and the first one no two names."""
    if any(len(line) != _PAIR for line in cells) or tables.find(cells[0][1]) is not None:
        return False
    return _are_names([name for name, _ in cells], tables)


def _are_names(texts: Iterable[str], tables: _Features) -> bool:
    """Whether most of these texts, and at least one, are names of features."""
    known = [tables.find(text) is not None for text in texts]
    return 2 * sum(known) >= len(known) > 0 and any(known)


def _listed(names: Iterable[str]) -> str:
    shown = [repr(name[:80]) for name in names]
    more = ", …" if len(shown) > _NAMES_SHOWN else ""
    return ", ".join(shown[:_NAMES_SHOWN]) + more


def _refuse(detail: str) -> NoReturn:
    code = "validation_failed"
    raise StorageError(code, detail)
