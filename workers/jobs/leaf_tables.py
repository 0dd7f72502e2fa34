"""Leaf tables: a model's leaves, scores and labels for all rows of a dataset, computed once and read by later jobs.

They are a cache: where the disk is full or a file is damaged, the job takes longer and does not fail.
"""

import logging
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from storage.array_files import create_array, open_array, read_archive, write_archive
from storage.errors import InsufficientStorage, NotFound, ObjectDamaged, StorageError
from storage.leaf_tables import REVISION, LeafTableKey, LeafTableObjects, LeafTableStore
from storage.retention import discard_orphans
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.leaf_space.leaves import smallest_dtype
from tree_explainers.onnx_models.session import Outcome

from ..runtime.context import JobContext

_CODES = "codes.npy"
_OUTCOME = "outcome.npz"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeafTableContent:
    """A model's leaves, scores and labels for all rows of a dataset."""

    codes: NDArray[Any]  # (n_trees, n_rows) as ``LeafTable`` keeps them; mapped from a file, not held in memory
    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) indices of classes; None for regression

    def outcome(self, rows: slice) -> Outcome:
        """Return the outcome of consecutive rows, as a session would return it."""
        labels = None if self.labels is None else self.labels[rows]
        leaves = np.ascontiguousarray(self.codes[:, rows].T, dtype=np.int32)
        return Outcome(self.scores[rows], labels, leaves)


def leaf_table_key(model_id: str, dataset_id: str) -> LeafTableKey:
    """Return the key under which this revision keeps the leaf table of the pair."""
    return LeafTableKey(model_id, dataset_id, REVISION)


def read_leaf_table(context: JobContext, key: LeafTableKey, report: ReportProgress) -> LeafTableContent | None:
    """Return the leaf table that is kept, if any; a damaged one is deleted, so that it is computed again."""
    store = LeafTableStore(context.database)
    table = store.find(key)
    if table is None:
        return None
    report(0, "reading kept leaves")
    try:
        codes = open_array(context.objects.path(table.codes))
        outcome = read_archive(context.objects.path(table.outcome))
    except (ObjectDamaged, NotFound) as error:
        _log.warning("leaf table of %s and %s is lost and is computed again: %s", key.model, key.dataset, error)
        with context.objects.discarding():
            _delete(context, store.forget(key, table))
            for sha256 in (table.codes, table.outcome):
                # Even if another row refers to it: the same content, put again, is whole.
                context.objects.delete_damaged(sha256)
        return None
    return LeafTableContent(codes, outcome["scores"], outcome.get("labels"))


def create_codes(context: JobContext, shape: tuple[int, int], dtype: DTypeLike) -> tuple[NDArray[Any], Path | None]:
    """Return an array to be filled in and its file in the workspace; on a full disk, an array in memory, no file."""
    path = Path(tempfile.mkdtemp(dir=context.workspace)) / _CODES
    try:
        return create_array(path, shape, dtype), path
    except InsufficientStorage:
        _log.warning("job %s: no room on disk for %s leaf codes; they are held in memory", context.job, shape)
        path.unlink(missing_ok=True)
        return np.zeros(shape, dtype), None


def keep_leaf_table(context: JobContext, key: LeafTableKey, content: LeafTableContent, codes: Path) -> None:
    """Keep a leaf table whose codes are in the file ``codes``; where that fails, the job goes on without."""
    archive = codes.with_name(_OUTCOME)
    labels = {} if content.labels is None else {"labels": content.labels}
    try:
        write_archive(archive, {"scores": content.scores, **labels})
        _keep_files(context, key, codes, archive)
    except StorageError as error:
        _log.warning("leaf table of %s and %s is not kept: %s", key.model, key.dataset, error)


def _keep_files(context: JobContext, key: LeafTableKey, codes: Path, archive: Path) -> None:
    store, objects = LeafTableStore(context.database), context.objects
    size_bytes = codes.stat().st_size + archive.stat().st_size
    put: list[str] = []
    is_stored = False
    try:
        with objects.keeping():
            for path in (codes, archive):
                put.append(objects.put_file(path))  # noqa: PERF401  # if the second fails, the first is discarded
            table = LeafTableObjects(*put)
            is_stored = store.add(key, table, size_bytes) == table
    finally:
        if not is_stored:
            discard_orphans(context.database, objects, put)
    with objects.discarding():
        _delete(context, store.forget_outdated(key))


def _delete(context: JobContext, hashes: Iterable[str]) -> None:
    for sha256 in hashes:
        context.objects.delete(sha256)


class LeafTableRecorder:
    """Records a model's outcomes block by block, and keeps them as a leaf table if the model takes every row.

    For jobs that run a model over a dataset in blocks of their own.

    Parameters
    ----------
    context
        Its workspace holds the codes; where the disk is too full for them, nothing is recorded.
    key
        The key of the leaf table.
    n_leaves : (n_trees,)
        Number of leaves of each tree.
    n_rows
        Number of rows of the dataset.
    """

    def __init__(self, context: JobContext, key: LeafTableKey, n_leaves: NDArray[np.integer[Any]], n_rows: int) -> None:
        self._context = context
        self._key = key
        codes, self._path = create_codes(context, (len(n_leaves), n_rows), smallest_dtype(int(n_leaves.max())))
        self._codes: NDArray[Any] | None = codes if self._path else None
        self._scores: list[NDArray[np.floating[Any]]] = []
        self._labels: list[NDArray[np.int64]] = []

    def add(self, rows: slice, outcome: Outcome) -> None:
        """Record the outcome of the next rows; a block with a refused row ends the recording."""
        if self._codes is None:
            return
        if len(outcome.leaves) < rows.stop - rows.start:
            self._codes, self._scores, self._labels = None, [], []
            if self._path is not None:
                self._path.unlink(missing_ok=True)
            return
        self._codes[:, rows] = outcome.leaves.T
        self._scores.append(outcome.scores)
        if outcome.labels is not None:
            self._labels.append(outcome.labels)

    def keep(self) -> None:
        """Keep the leaf table, if every row was recorded."""
        if self._codes is None or self._path is None:
            return
        labels = np.concatenate(self._labels) if self._labels else None
        content = LeafTableContent(self._codes, np.concatenate(self._scores), labels)
        keep_leaf_table(self._context, self._key, content, self._path)
