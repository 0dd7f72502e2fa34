"""The nearest of all reference rows, an optional part of explanations: of a class, of a group, or among given ids."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.explanation_sets import NearestRowsOptions
from storage.dataset_files import DatasetFile
from storage.errors import StorageError
from tree_explainers.leaf_space.reference_rows import Nearest, Restriction

from .reference_file import ReferenceFile, RowValues

MAX_GROUP_COLUMNS = 4
"""Columns whose groups are held in memory for later calls: 4 bytes for each row."""

_N_SHOWN = 5
_ID_CHARACTERS = 60
# Of marking which rows a request allows, and of finding a row by its id; measured on one core of a 2025 server.
_SECONDS_PER_ROW, _SECONDS_PER_ID = 3e-9, 2e-5
_SECONDS_PER_GROUPED_ROW = 1e-6  # of reference rows, all of which are put in order for each row


class NearRow(NamedTuple):
    """A reference row near an explained one."""

    head: dict[str, Any]  # the beginning of its entry, with its proximity
    values: RowValues


@dataclass(frozen=True, slots=True)
class RowSearch:
    """A search among some of the reference rows, for a request."""

    file: ReferenceFile
    labels: Sequence[str]  # what is predicted or decided: classes or outcomes; empty for regression
    classes: Sequence[str]  # of targets; empty for regression
    n_rows: int
    within: Restriction

    def nearest(self, leaves: NDArray[np.int32]) -> tuple[list[NearRow], Nearest]:
        """Return the nearest rows of a row, whose leaves are (n_trees,), as explanations have them and as found."""
        near = self.file.search.nearest(leaves, self.n_rows, self.within)
        shares = (near.proximities / self.file.search.total_weight).tolist()
        rows = [self._near_row(row, share) for row, share in zip(near.rows.tolist(), shares, strict=True)]
        return rows, near

    def _near_row(self, row: int, share: float) -> NearRow:
        head = {"row_id": self.file.row_id(row), **self._outcome(row), "proximity": share}
        return NearRow(head, self.file.values(row))

    def _outcome(self, row: int) -> dict[str, Any]:
        """Return the label or value that the model predicts, and the row's target."""
        predicted, targets = self.file.predicted[row], self.file.targets
        if self.labels:
            outcome: dict[str, Any] = {"label": self.labels[predicted]}
        else:  # in as few digits as its precision takes
            outcome = {"value": orjson.loads(orjson.dumps(predicted, option=orjson.OPT_SERIALIZE_NUMPY))}
        if targets is not None:
            outcome["target"] = self.classes[targets[row]] if self.classes else float(targets[row])
        return outcome


class WarmReference:
    """The reference rows of an explainer; their file is opened when it is first needed. Safe to use from any thread.

    Parameters
    ----------
    open_file
        Opens it, which takes a second for a large file that is checked.
    open_rows
        Opens the dataset, to read the column of groups.
    labels
        What the model predicts or decides of the rows: classes or outcomes; empty for regression.
    classes
        Of their targets; empty for regression.
    """

    def __init__(
        self,
        open_file: Callable[[], ReferenceFile],
        open_rows: Callable[[], DatasetFile],
        labels: Sequence[str],
        classes: Sequence[str],
    ) -> None:
        self._open_file = open_file
        self._open_rows = open_rows
        self._labels, self._classes = list(labels), list(classes)
        self._file: ReferenceFile | None = None
        self._groups: OrderedDict[str, NDArray[np.int32]] = OrderedDict()
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        """Whether the file is open."""
        return self._file is not None

    def open(self) -> ReferenceFile:
        """Return the file, opened if need be."""
        if self._file is None:
            with self._lock:
                self._file = self._file or self._open_file()
        return self._file

    @property
    def labels(self) -> Sequence[str]:
        """What the model predicts or decides of the rows: classes or outcomes; empty for regression."""
        return self._labels

    def seconds(self, options: NearestRowsOptions, n_rows: int) -> float:
        """Return how long a search for the nearest of some rows may take; infinitely long where files must be read."""
        file = self._file
        if file is None or (options.group_by is not None and options.group_by not in self._groups):
            return float("inf")
        is_restricted = options.classes or options.max_per_group or options.row_ids
        restricting = _SECONDS_PER_ID * len(options.row_ids or ()) + _SECONDS_PER_ROW * file.n_rows * bool(
            is_restricted
        )
        grouping = _SECONDS_PER_GROUPED_ROW * file.n_rows * n_rows * bool(options.max_per_group)
        searching: float = 1e-9 * file.search.nanoseconds * n_rows
        return restricting + grouping + searching

    def search(self, options: NearestRowsOptions) -> "RowSearch":
        """Return the search for some of the rows.

        Raises
        ------
        StorageError
            ``validation_failed`` for a class, column or row that there is not, or groups without a maximum.
        """
        allowed = None if options.row_ids is None else self._among(options.row_ids)
        if options.classes is not None:
            of_classes = self._of_classes(options.classes)
            allowed = of_classes if allowed is None else allowed & of_classes
        within = Restriction(allowed, self._groups_of(options), options.max_per_group or 0)
        return RowSearch(self.open(), self._labels, self._classes, options.n_rows, within)

    def _among(self, row_ids: Sequence[str]) -> NDArray[np.bool_]:
        allowed = np.zeros(self.open().n_rows, dtype=np.bool_)
        for index, row_id in enumerate(row_ids):
            row = self.open().row(row_id)
            if row is None:
                detail = f"no row of the reference dataset has the id {row_id[:_ID_CHARACTERS]!r}"
                raise StorageError("validation_failed", detail, f"/nearest_rows/row_ids/{index}")
            allowed[row] = True
        return allowed

    def _of_classes(self, labels: Sequence[str]) -> NDArray[np.bool_]:
        unknown = [label for label in labels if label not in self._labels]
        if unknown:
            known = ", ".join(map(repr, self._labels[:_N_SHOWN])) or "none, as it is a regression"
            detail = f"{unknown[0][:_ID_CHARACTERS]!r} is no class of the model, whose classes are {known}"
            raise StorageError("validation_failed", detail, "/nearest_rows/classes")
        is_allowed = np.isin(self._labels, labels)
        return np.asarray(is_allowed[self.open().predicted])

    def _groups_of(self, options: NearestRowsOptions) -> NDArray[np.int32] | None:
        if options.max_per_group is None:
            if options.group_by is not None:
                detail = "group_by names the groups of rows; send max_per_group, too"
                raise StorageError("validation_failed", detail, "/nearest_rows/group_by")
            return None
        if options.group_by is not None:
            return self._groups_by(options.group_by)
        if not self._labels:
            detail = "the model is a regression, whose rows have no classes; name a column of groups in group_by"
            raise StorageError("validation_failed", detail, "/nearest_rows/max_per_group")
        return np.array(self.open().predicted, dtype=np.int32)

    def _groups_by(self, name: str) -> NDArray[np.int32]:
        with self._lock:
            if name not in self._groups:
                self._groups[name] = self._read_groups(name)
            self._groups.move_to_end(name)
            if len(self._groups) > MAX_GROUP_COLUMNS:
                self._groups.popitem(last=False)
            return self._groups[name]

    def _read_groups(self, name: str) -> NDArray[np.int32]:
        """Return the group of each row by its value; rows without one are a group of their own."""
        with self._open_rows() as file:
            if name not in file.names:
                detail = f"the reference dataset has no column {name!r}; name one of its `columns`"
                raise StorageError("validation_failed", detail, "/nearest_rows/group_by")
            values = pa.array(file.read_columns([name])[0], from_pandas=True)
        codes = pc.fill_null(values.dictionary_encode().indices, -1)
        return np.array(codes.to_numpy(), dtype=np.int32)
