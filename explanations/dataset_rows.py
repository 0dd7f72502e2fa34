"""Rows of a registered dataset as instances: values in the order of a model's features, infinities as numbers."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schemas.models import Instance
from storage.dataset_files import DatasetFile
from storage.feature_matching import target_of_cell

_READ_CELLS = 1 << 21  # read at a time: 16 MiB of numbers
_MAX_READ_ROWS = 65_536
MAX_TARGET_BYTES = 64 << 20
"""Bytes of the texts of the targets of one call, at most."""
Target: TypeAlias = str | float


class DatasetRows:
    """The columns of a dataset that feed a model's features; one thread at a time reads from them.

    Parameters
    ----------
    file
        The dataset, open.
    columns : (n_features,)
        Its column for each feature, as ``match_features`` returns them.
    target
        Its target column, where targets are read.
    """

    def __init__(self, file: DatasetFile, columns: Sequence[str], target: str | None = None) -> None:
        self._file = file
        self._columns = columns
        self._are_booleans = [file.column(name).type == "boolean" for name in columns]
        self._id_columns = [] if file.row_id_column is None else [file.row_id_column]
        self._target = [] if target is None else [target]
        self._n_read_rows = max(1, min(_MAX_READ_ROWS, _READ_CELLS // len(columns)))
        self._held, self._held_rows = list[NDArray[Any]](), range(0)

    def find_rows(self, row_ids: Sequence[str]) -> dict[str, int]:
        """Return the row of each of these identifiers; those that no row has are left out."""
        return self._file.find_rows(row_ids)

    def read(self, rows: range) -> tuple[list[Instance], list[str]]:
        """Return consecutive rows and their identifiers; rows after them are read ahead."""
        columns = self._columns_of(rows)
        row_ids = columns[len(self._columns)].tolist() if self._id_columns else list(map(str, rows))
        return self._instances(columns[: len(self._columns)]), row_ids

    def targets_of(self, rows: range, classes: Sequence[str]) -> list[Target | None]:
        """Return what ``take_targets`` returns of consecutive rows, without reading those twice that are held."""
        if not self._target:
            return [None] * len(rows)
        return [target_of_cell(value, classes) for value in _values(self._columns_of(rows)[-1], is_boolean=False)]

    def _columns_of(self, rows: range) -> list[NDArray[Any]]:
        """Return consecutive rows of the features' columns, of the identifiers and of the target."""
        if rows.start not in self._held_rows or rows.stop > self._held_rows.stop:
            stop = max(rows.stop, min(rows.start + self._n_read_rows, self._file.n_rows))
            self._held = list(
                self._file.read_columns([*self._columns, *self._id_columns, *self._target], rows.start, stop)
            )
            self._held_rows = range(rows.start, stop)
        first = self._held_rows.start
        return [column[rows.start - first : rows.stop - first] for column in self._held]

    def take(self, rows: Sequence[int], n_text_bytes: int) -> list[Instance]:
        """Return these rows, in their order; see ``DatasetFile.take_columns``."""
        return self._instances(self._file.take_columns(self._columns, rows, n_text_bytes)) if rows else []

    def take_targets(self, classes: Sequence[str], rows: Sequence[int]) -> list[Target | None]:
        """Return the class of each of these rows or, without classes, its value.

        Parameters
        ----------
        classes
            Of the model.
        rows
            Their indices.

        Returns
        -------
        list
            ``None`` where a target is missing or is no class of the model.
        """
        if not self._target or not rows:
            return [None] * len(rows)
        (column,) = self._file.take_columns(self._target, rows, MAX_TARGET_BYTES)
        return [target_of_cell(value, classes) for value in _values(column, is_boolean=False)]

    def _instances(self, columns: Sequence[NDArray[Any]]) -> list[Instance]:
        values = [_values(column, is_boolean=kind) for column, kind in zip(columns, self._are_booleans, strict=True)]
        return [list(row) for row in zip(*values, strict=True)]


def _values(column: NDArray[Any], *, is_boolean: bool) -> list[Any]:
    """Return a column as callers send it: numbers, truth values or texts, ``None`` where one is missing."""
    values: list[Any] = (column == 1).tolist() if is_boolean else column.tolist()
    if column.dtype == object:
        return values
    for row in np.flatnonzero(np.isnan(column)).tolist():
        values[row] = None
    return values
