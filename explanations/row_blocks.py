"""Blocks of a dataset's rows: as a model takes them, and as explanations tell them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.errors import RowRefused
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.rows import Rows

from .features import Features
from .instances import LARGEST_FLOAT32


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Consecutive rows, feature by feature."""

    first_row: int  # position in the dataset
    row_ids: Sequence[str]
    columns: tuple[NDArray[Any], ...]  # each (n_rows,): float64, NaN where missing; or objects: str, None where missing
    are_booleans: tuple[bool, ...]  # (n_features,) columns whose numbers are told as true and false

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.row_ids)

    def part(self, place: slice) -> "RowBlock":
        """Return consecutive rows of these."""
        columns = tuple(column[place] for column in self.columns)
        return RowBlock(self.first_row + place.start, self.row_ids[place], columns, self.are_booleans)

    def instance(self, position: int) -> list[Any]:
        """Return a row as callers send it: JSON values in the order of the features."""
        values = [column[position] for column in self.columns]
        return [_value(value, is_boolean=kind) for value, kind in zip(values, self.are_booleans, strict=True)]


def run_block(
    session: ModelSession, features: Features, block: RowBlock, known: Outcome | None = None
) -> tuple[NDArray[np.int64], Outcome]:
    """Return the positions of the rows that the model takes, ascending, and what it says of them.

    It takes exactly those that it takes one by one. What is ``known`` of all rows need not be asked again.
    """
    rows = Rows(features.names, tuple(map(_fitting, block.columns, features.types)))
    readable = _readable(rows, features)
    if known is not None and len(readable) == len(block):
        return readable, known
    try:
        if len(readable):
            return readable, session.run(session.encode(rows.take(readable)))
    except RowRefused:
        readable = _accepted(session, rows, readable)
    return readable, session.run_rows(rows.take(readable)).outcome


def _accepted(session: ModelSession, rows: Rows, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the rows that are refused by halving: there are few of them as a rule."""
    try:
        session.run(session.encode(rows.take(positions)))
    except RowRefused:
        if len(positions) == 1:
            return positions[:0]
        return np.concatenate([_accepted(session, rows, half) for half in np.array_split(positions, 2)])
    return positions


def _readable(rows: Rows, features: Features) -> NDArray[np.int64]:
    """Leave out what is refused before the model sees it: see ``read_instances``."""
    is_readable = np.ones(len(rows), dtype=np.bool_)
    if not features.are_numbers:
        for column in rows.columns:
            if column.dtype != object:
                is_readable &= ~(np.abs(column) >= LARGEST_FLOAT32)
    return np.flatnonzero(is_readable)


def _fitting(column: NDArray[Any], kind: str) -> NDArray[Any]:
    # A column without a single value has a type in name only.
    if (column.dtype == object) == (kind == "category"):
        return column
    return np.full(len(column), None, dtype=object) if kind == "category" else np.full(len(column), np.nan)


def _value(value: Any, *, is_boolean: bool) -> Any:  # noqa: ANN401  # a cell
    if value is None or isinstance(value, str):
        return value
    if np.isnan(value):
        return None
    return bool(value) if is_boolean else float(value)
