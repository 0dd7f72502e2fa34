"""The file of all reference rows that a prototype set keeps, by which explanations name the nearest of them.

It has the leaves of the rows as they are searched, which are the trees' own as a rule, the paths to these leaves and
to those of prototypes for reasons, and of each row its id, the model's prediction, its target and its values. It is
mapped: of a large file only what answers need is in memory.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from storage.array_files import MappedFileWriter, map_file, write_mapped_file
from storage.dataset_files import DatasetFile
from tree_explainers.leaf_space.coarser_leaves import map_leaves
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.reference_rows import ReferenceRows, reference_arrays
from tree_explainers.prototype_sets.leaf_paths import LeafPaths
from tree_explainers.prototype_sets.row_coverage import MinimumProximity

MAX_CELLS = 250_000_000
"""Rows x (trees + features) of the largest file: a gigabyte or two."""

_BLOCK_ROWS = 65_536
_MISSING = -1.0  # the code of a missing category
_IDS, _TEXTS, _OF_PROTOTYPES = "row_ids", "texts_", "prototypes_"
_NUMBER, _BOOLEAN, _CATEGORY = range(3)
_TYPES = {"number": _NUMBER, "boolean": _BOOLEAN, "category": _CATEGORY}


class ReferenceLeaves(NamedTuple):
    """Leaves of the reference rows, and how to get to them."""

    table: LeafTable
    weights: NDArray[np.int64]  # (n_trees,)
    paths: Mapping[str, NDArray[Any]]  # from ``path_arrays``
    coarser: Mapping[str, NDArray[Any]]  # coarser_leaves and leaf_offsets, see ``map_leaves``; empty: trees are not cut
    prototype_paths: Mapping[str, NDArray[Any]]  # to the leaves by which prototypes are compared; empty: to these
    in_bag: NDArray[np.uint8] | None = None  # (n_rows, n_bytes) from ``Bags.in_bag``; None: not known


class Outcomes(NamedTuple):
    """What is predicted, and what is true, for each row."""

    predicted: NDArray[Any]  # (n_rows,) indices of classes, or values
    targets: NDArray[Any] | None  # classes or values of the dataset's target; None: it has none, or of another kind
    are_alike: bool = True  # whether both are classes, or values; otherwise predicted are outcomes of a decision

    @property
    def agrees(self) -> NDArray[np.bool_] | None:
        """Whether each row has the label that is predicted; None of values, and where labels are not known."""
        is_class = self.are_alike and self.predicted.dtype.kind == "i"
        return np.asarray(self.predicted == self.targets) if is_class and self.targets is not None else None


def is_small_enough(n_rows: int, n_trees: int, n_features: int) -> bool:
    """Return whether a file of the rows is kept at all."""
    return n_rows * (n_trees + n_features) <= MAX_CELLS


def write_reference_file(
    path: Path, leaves: ReferenceLeaves, outcomes: Outcomes, file: DatasetFile, columns: Sequence[str]
) -> None:
    """Write the file.

    Parameters
    ----------
    path
        A new file.
    leaves, outcomes
        Of the rows.
    file
        The rows.
    columns
        The dataset's column for each of the model's features.

    Raises
    ------
    InsufficientStorage
        If the disk has no room for it.
    """
    searched = reference_arrays(leaves.table, leaves.weights, outcomes.agrees)
    with write_mapped_file(path) as writer:
        for name, array in (searched | dict(leaves.paths) | dict(leaves.coarser)).items():
            writer.add(name, array)
        for name, array in leaves.prototype_paths.items():
            writer.add(f"{_OF_PROTOTYPES}{name}", array)
        writer.add("predicted", outcomes.predicted)
        if outcomes.targets is not None:
            writer.add("targets", outcomes.targets)
        if leaves.in_bag is not None:
            writer.add("in_bag", leaves.in_bag)
        if file.row_id_column is not None:
            names = pa.array(file.row_ids(), pa.large_string())
            _add_texts(writer, _IDS, names)
            writer.add("row_id_order", pc.array_sort_indices(names).to_numpy().astype(np.int32))
        _add_cells(writer, file, columns)


def _add_texts(writer: MappedFileWriter, name: str, texts: pa.LargeStringArray) -> None:
    _, offsets, content = texts.buffers()
    writer.add(f"{name}_starts", np.frombuffer(offsets, np.int64, len(texts) + 1))
    writer.add(name, np.frombuffer(content or b"", np.uint8))


def _add_cells(writer: MappedFileWriter, file: DatasetFile, columns: Sequence[str]) -> None:
    """Write all values as numbers; those of categories are the places of their texts."""
    types = np.array([_TYPES[file.column(name).type] for name in columns], dtype=np.uint8)
    codes_of_texts: dict[int, dict[str, int]] = {index: {} for index in np.flatnonzero(types == _CATEGORY).tolist()}
    writer.add("types", types)
    blocks = (_numbers(block, codes_of_texts) for block in file.iter_blocks(columns, _BLOCK_ROWS))
    writer.add_blocks("cells", (file.n_rows, len(columns)), np.dtype(np.float64), blocks)
    for index, codes in codes_of_texts.items():
        _add_texts(writer, f"{_TEXTS}{index}", pa.array(list(codes), pa.large_string()))


def _numbers(block: Sequence[NDArray[Any]], codes_of_texts: dict[int, dict[str, int]]) -> NDArray[np.float64]:
    numbers = np.empty((len(block[0]), len(block)))
    for index, values in enumerate(block):
        numbers[:, index] = _codes_of(values, codes_of_texts[index]) if index in codes_of_texts else values
    return numbers


def _codes_of(texts: NDArray[np.object_], known: dict[str, int]) -> NDArray[np.float64]:
    encoded = pa.array(texts, pa.string()).dictionary_encode()
    codes = [known.setdefault(text, len(known)) for text in encoded.dictionary.to_pylist()]
    numbers: NDArray[np.float64] = np.array([*codes, _MISSING])[pc.fill_null(encoded.indices, len(codes)).to_numpy()]
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class _Texts:
    content: NDArray[np.uint8]
    starts: NDArray[np.int64]

    def __getitem__(self, index: int) -> str:
        return self.content[self.starts[index] : self.starts[index + 1]].tobytes().decode()


@dataclass(frozen=True, slots=True, eq=False)
class RowValues:
    """The values of a row, each read when it is needed: most explanations show few of them."""

    _read: Sequence[Callable[[float], Any]]  # (n_features,)
    _cells: NDArray[np.float64]  # (n_rows, n_features)
    _row: int

    def __getitem__(self, feature: int) -> Any:  # text, number, truth value
        """Return the value of a feature, by its index among the model's; ``None``: missing."""
        return self._read[feature](self._cells.item(self._row, feature))


class ReferenceFile:
    """The file, mapped.

    Parameters
    ----------
    path
        From ``write_reference_file``.
    features : (n_columns,) int32
        Number of the feature of each model-side column, from ``feature_numbers``.
    """

    def __init__(self, path: Path, features: NDArray[np.int32]) -> None:
        arrays = map_file(path)
        self.search = ReferenceRows(arrays)
        self.minimum = MinimumProximity.of(self.search.tree_weights.astype(np.int64))
        self.paths = LeafPaths.of_arrays(arrays, features)
        of_prototypes = {
            name.removeprefix(_OF_PROTOTYPES): arrays[name] for name in arrays if name.startswith(_OF_PROTOTYPES)
        }
        self.prototype_paths = LeafPaths.of_arrays(of_prototypes, features) if of_prototypes else self.paths
        self._coarser = (arrays["coarser_leaves"], arrays["leaf_offsets"]) if "coarser_leaves" in arrays else None
        self.predicted = arrays["predicted"]
        self.targets = arrays.get("targets")
        self.in_bag = arrays.get("in_bag")
        self.n_rows = self.search.n_rows
        self._ids = None if _IDS not in arrays else _Texts(arrays[_IDS], arrays[f"{_IDS}_starts"])
        self._id_order = arrays.get("row_id_order")
        self._cells = arrays["cells"]
        self._types: list[int] = arrays["types"].tolist()
        self._read = [_reader(arrays, index, kind) for index, kind in enumerate(self._types)]

    def leaves(self, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the leaves by which rows are searched, of those of the model's own trees: (n_rows, n_trees) each."""
        return leaves if self._coarser is None else map_leaves(*self._coarser, leaves)

    def row_id(self, row: int) -> str:
        """Return the id of a row."""
        return str(row) if self._ids is None else self._ids[row]

    def row(self, row_id: str) -> int | None:
        """Return the row of an id, or ``None`` where there is none."""
        if self._ids is None or self._id_order is None:
            is_index = row_id.isascii() and row_id.isdigit() and len(row_id) <= len(str(self.n_rows))
            row = int(row_id) if is_index else self.n_rows
        else:
            ids, order = self._ids, self._id_order
            index = bisect_left(range(self.n_rows), row_id, key=lambda index: ids[int(order[index])])
            row = self.n_rows if index == self.n_rows else int(order[index])
        return row if row < self.n_rows and self.row_id(row) == row_id else None

    def values(self, row: int) -> "RowValues":
        """Return the values of a row."""
        return RowValues(self._read, self._cells, row)

    def columns(self, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Return the values of some rows as models take them, (n_rows,) of each feature.

        They are numbers, NaN where one is missing, or texts, ``None`` where one is missing.
        """
        cells = self._cells[rows]
        return [
            _texts_of(column, read) if kind == _CATEGORY else column.copy()
            for column, read, kind in zip(cells.T, self._read, self._types, strict=True)
        ]


def _reader(arrays: Mapping[str, NDArray[Any]], index: int, kind: int) -> Callable[[float], Any]:
    if kind == _CATEGORY:
        texts = _Texts(arrays[f"{_TEXTS}{index}"], arrays[f"{_TEXTS}{index}_starts"])
        return lambda number: None if number == _MISSING else texts[int(number)]
    if kind == _BOOLEAN:
        return lambda number: None if number != number else bool(number)  # NaN
    return lambda number: None if number != number else number  # NaN


def _texts_of(column: NDArray[np.float64], read: Callable[[float], Any]) -> NDArray[np.object_]:
    numbers, inverse = np.unique(column, return_inverse=True)
    return np.array([read(number) for number in numbers.tolist()], np.object_)[inverse]


def evenly_spaced(n_rows: int, n_most: int) -> NDArray[np.int64]:
    """Return the indices of at most so many rows, the first and the last among them."""
    if n_rows <= n_most:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, n_most).astype(np.int64)
