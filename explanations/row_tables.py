"""RowTable: the rows of a registered dataset in memory as a model reads them, found by their ids without a file.

A file takes longer to be opened, searched and read than a row to be explained. A table has rows one after the other,
and of their texts, each once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.models import Instance
from storage.dataset_files import DatasetFile
from storage.dataset_files.dataset_file import rows_by_number
from storage.dataset_files.row_pages import text_lengths, too_much_text
from storage.feature_matching import target_of_cell

from .dataset_rows import MAX_TARGET_BYTES, Target

_CELL_BYTES = 8
_ID_BYTES = 16  # of an index of ids: a hash and a row


class RowTable:
    """The rows of a dataset, column by column of a model's features; threads may share it.

    Parameters
    ----------
    cells : (n_rows, n_columns)
        Numbers, truth values as 0 and 1, and which of the column's texts; NaN where a value is missing.
    texts
        Of the columns that have some, by their indices.
    booleans
        Indices of the columns of truth values.
    has_target
        Whether the last column is the target, and no feature.
    ids
        Of the rows; ``None`` where they are their numbers.
    """

    def __init__(
        self,
        cells: NDArray[np.float64],
        texts: "dict[int, _Texts]",
        booleans: Sequence[int],
        ids: "_RowIds | None",
        *,
        has_target: bool,
    ) -> None:
        self._cells = cells
        self._n_features = cells.shape[1] - has_target
        self._target_texts = texts.get(self._n_features)
        self._texts = {index: each for index, each in texts.items() if index < self._n_features}
        self._booleans = booleans
        self._ids = ids
        self._has_target = has_target
        self.nbytes = cells.nbytes + sum(each.nbytes for each in texts.values()) + (0 if ids is None else ids.nbytes)

    def find_rows(self, row_ids: Sequence[str]) -> dict[str, int]:
        """Return the row of each of these identifiers; those that no row has are left out."""
        return rows_by_number(row_ids, len(self._cells)) if self._ids is None else self._ids.find(row_ids)

    def take(self, rows: Sequence[int], n_text_bytes: int) -> list[Instance]:
        """Return these rows, in their order, as ``DatasetRows.take`` does.

        Raises
        ------
        StorageError
            ``too_many_rows`` if they have more than ``n_text_bytes`` bytes of text.
        """
        cells = self._cells[rows, : self._n_features]
        instances: list[list[Any]] = cells.tolist()
        for index in self._booleans:
            for instance in instances:
                instance[index] = instance[index] == 1
        for index, texts in self._texts.items():
            n_text_bytes -= texts.n_bytes(cells[:, index])
            if n_text_bytes < 0:
                raise too_much_text()
            for instance, text in zip(instances, texts.of(cells[:, index]), strict=True):
                instance[index] = text
        is_missing = np.isnan(cells)
        for row, index in np.argwhere(is_missing).tolist() if is_missing.any() else ():
            instances[row][index] = None
        return list(instances)

    def take_targets(self, classes: Sequence[str], rows: Sequence[int]) -> list[Target | None]:
        """Return the class of each of these rows or, without classes, its value, as ``DatasetRows.take_targets``."""
        if not self._has_target:
            return [None] * len(rows)
        cells = self._cells[rows, self._n_features]
        if self._target_texts is None:
            targets = [None if value != value else value for value in cells.tolist()]  # NaN
        else:
            if self._target_texts.n_bytes(cells) > MAX_TARGET_BYTES:
                raise too_much_text()
            targets = self._target_texts.of(cells)
        return [target_of_cell(target, classes) for target in targets]


def read_row_table(file: DatasetFile, columns: Sequence[str], target: str | None, most_bytes: int) -> RowTable | None:
    """Return the rows of a dataset as a table; ``None`` where that would take more than ``most_bytes`` bytes.

    Parameters
    ----------
    file
        The dataset, open.
    columns : (n_features,)
        Its column for each feature, as ``match_features`` returns them.
    target
        Its target column, if it has one.
    """
    names = [*columns] if target is None else [*columns, target]
    types = [file.column(name).type for name in names]
    ids = [] if file.row_id_column is None else [file.row_id_column]
    long = {name for name, kind in zip(names, types, strict=True) if kind == "category"}.union(ids)
    n_bytes = file.n_rows * (_CELL_BYTES * len(names) + _ID_BYTES * len(ids))
    if n_bytes > most_bytes or n_bytes + file.n_decoded_bytes(sorted(long)) > most_bytes:
        return None
    cells = np.empty((file.n_rows, len(names)))
    texts = {}
    for index, (name, kind) in enumerate(zip(names, types, strict=True)):
        column = file.encoded_column(name)
        if kind == "category":
            encoded = column.unify_dictionaries().combine_chunks().dictionary_encode()
            texts[index], column = _Texts(encoded.dictionary, text_lengths(encoded.dictionary)), encoded.indices
        cells[:, index] = pc.fill_null(column.cast(pa.float64()), float("nan")).to_numpy(zero_copy_only=False)
    booleans = [index for index, kind in enumerate(types[: len(columns)]) if kind == "boolean"]
    return RowTable(cells, texts, booleans, _RowIds.of(file.row_ids()) if ids else None, has_target=target is not None)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The distinct texts of a column."""

    texts: pa.StringArray
    lengths: NDArray[np.int64]  # bytes of each

    @property
    def nbytes(self) -> int:
        return int(self.texts.nbytes + self.lengths.nbytes)

    def n_bytes(self, cells: NDArray[np.float64]) -> int:
        """Return how many bytes the texts of some cells have."""
        return int(self.lengths[cells[~np.isnan(cells)].astype(np.int64)].sum())

    def of(self, cells: NDArray[np.float64]) -> list[str | None]:
        """Return the texts of some cells, ``None`` where one is missing."""
        return [None if cell != cell else self.texts[int(cell)].as_py() for cell in cells.tolist()]  # NaN


@dataclass(frozen=True, slots=True)
class _RowIds:
    """Identifiers of rows, which are distinct, in the order of their hashes."""

    ids: pa.StringArray  # (n_rows,) of the rows
    hashes: NDArray[np.int64]  # (n_rows,) ascending
    rows: NDArray[np.int64]  # (n_rows,) that have them

    @staticmethod
    def of(ids: Sequence[str]) -> "_RowIds":
        hashes = _hashes(ids)
        rows = np.argsort(hashes, kind="stable")
        return _RowIds(pa.array(ids, pa.string()), hashes[rows], rows)

    @property
    def nbytes(self) -> int:
        return int(self.ids.nbytes + self.hashes.nbytes + self.rows.nbytes)

    def find(self, row_ids: Sequence[str]) -> dict[str, int]:
        hashes = _hashes(row_ids)
        numbers = {}
        for row_id, known, first in zip(row_ids, hashes, np.searchsorted(self.hashes, hashes).tolist(), strict=True):
            position = first
            while position < len(self.hashes) and self.hashes[position] == known:  # next to always one at most
                row = int(self.rows[position])
                if self.ids[row].as_py() == row_id:
                    numbers[row_id] = row
                position += 1
        return numbers


def _hashes(ids: Sequence[str]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, ids), np.int64, len(ids))
