"""The values of a row as JSON, by the index of the feature: written once, however often an answer has them."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.json_numbers import json_number
from tree_explainers.compute.byte_texts import Texts

MANY_ROWS = 24
"""Of fewer, arrays would take longer."""

_FEW_FEATURES = 64  # of more, only those are written that are needed


class Values(Protocol):
    """The raw values of a row, by the index of the feature among the model's."""

    def __getitem__(self, feature: int, /) -> Any: ...  # text, number, truth value


class CellTexts(Protocol):
    """The same values as JSON."""

    def __getitem__(self, feature: int, /) -> bytes: ...


class _LazyTexts(dict[int, bytes]):
    """Writes a value when it is first needed."""

    def __init__(self, values: Values, name: bytes) -> None:
        super().__init__()
        self._values, self._name = values, name

    def __missing__(self, feature: int) -> bytes:
        cell = orjson.dumps(json_number(self._values[feature]), option=orjson.OPT_SERIALIZE_NUMPY)
        text = self[feature] = self._name + cell
        return text


def cell_texts(values: Values, name: bytes = b"") -> CellTexts:
    """Return the values of a row as JSON, each behind a name; infinite numbers are texts there.

    A short list of numbers is written at once, which takes a tenth of the time for each.
    """
    if isinstance(values, list | tuple) and len(values) <= _FEW_FEATURES:
        text = _list_text(values)
        # A text may hold a comma, and what JSON has no number for would be null.
        if text and b'"' not in text and b"null" not in text:
            texts = text[1:-1].split(b",")
            return [name + each for each in texts] if name else texts
    return _LazyTexts(values, name)


class LateTexts:
    """Writes the values of a row when the first of them is needed: of many rows, hardly any are."""

    __slots__ = ("_texts", "_values")

    def __init__(self, values: Values) -> None:
        self._values = values
        self._texts: CellTexts | None = None

    def __getitem__(self, feature: int) -> bytes:
        """Return a value as JSON."""
        if self._texts is None:
            self._texts = cell_texts(self._values)
        return self._texts[feature]


class SentRows(NamedTuple):
    """The values of rows, as they were sent."""

    values: Sequence[Sequence[Any]]  # (n_rows,) in the order of the features
    floats: NDArray[np.float64] | None  # (n_rows, n_features) the same, where all are fractions

    @staticmethod
    def of(values: Sequence[Sequence[Any]], numbers: NDArray[np.float64] | None) -> "SentRows":
        """Return rows whose values these are; ``numbers``, (n_rows, n_features), are the same where all are numbers."""
        are_floats = numbers is not None and {*map(type, chain.from_iterable(values))} == {float}
        return SentRows(values, numbers if are_floats else None)

    def among(self, rows: Sequence[int]) -> "SentRows":
        """Return some of the rows, in ascending order."""
        if len(rows) == len(self.values):
            return self
        return SentRows([self.values[row] for row in rows], None if self.floats is None else self.floats[rows])

    def fractions(self, rows: NDArray[np.int64], features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of some rows and features, (n_cells,) each; NaN where one is no fraction."""
        if self.floats is not None:
            return self.floats[rows, features]
        cells = (self.values[row][at] for row, at in zip(rows.tolist(), features.tolist(), strict=True))
        return np.array([cell if type(cell) is float else np.nan for cell in cells], np.float64)

    def texts(self, rows: NDArray[np.int64], features: NDArray[np.int64]) -> Texts:
        """Return the values of some rows and features, (n_cells,) each, as JSON; infinite numbers are texts there."""
        if self.floats is not None:
            text = orjson.dumps(self.floats[rows, features], option=orjson.OPT_SERIALIZE_NUMPY)
            if b"null" not in text:  # which stands for an infinite number
                return Texts.of_items(text)
        return texts_of_cells([self.values[row][at] for row, at in zip(rows.tolist(), features.tolist(), strict=True)])


def texts_of_cells(cells: Sequence[Any]) -> Texts:
    """Return values as JSON, by their place; infinite numbers are texts there."""
    text = orjson.dumps(cells, option=orjson.OPT_SERIALIZE_NUMPY)
    if b"null" in text:  # which stands for an infinite number, too
        cells = list(map(json_number, cells))
        text = orjson.dumps(cells, option=orjson.OPT_SERIALIZE_NUMPY)
    texts = Texts.of_items(text)
    if len(texts.starts) == len(cells):
        return texts
    # Some text holds a comma, by which others are told apart.
    return Texts.of([orjson.dumps(cell, option=orjson.OPT_SERIALIZE_NUMPY) for cell in cells])


def _list_text(values: Any) -> bytes:  # list or tuple of cells
    try:
        return orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # a value that no JSON has, which nobody may ask for
        return b""
