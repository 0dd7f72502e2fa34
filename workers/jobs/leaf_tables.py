"""Leaf tables kept: what a model says of a dataset's rows is computed once, and read by every job after that."""

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
from storage.leaf_tables import KeptLeafTable, LeafTablePlace, LeafTableStore
from storage.orphans import discard_orphans
from tree_explainers.compute.progress import ReportProgress

from ..runtime.context import JobContext

REVISION = 2
"""To be raised when the same graph would give the same rows other leaves, labels or scores than before."""

_CODES = "codes.npy"
_OUTCOME = "outcome.npz"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CodedOutcome:
    """What a model says of all rows of a dataset."""

    codes: NDArray[Any]  # (n_trees, n_rows) as ``LeafTable`` keeps them; mapped from a file, not held in memory
    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) positions among the classes; None for regression


def place_of(model_id: str, dataset_id: str) -> LeafTablePlace:
    """Return where what this code makes of the pair is kept."""
    return LeafTablePlace(model_id, dataset_id, REVISION)


def read_kept(context: JobContext, place: LeafTablePlace, report: ReportProgress) -> CodedOutcome | None:
    """Return what is kept there, or nothing; what turns out to be damaged is thrown away, so that it is made anew."""
    store = LeafTableStore(context.database)
    kept = store.find(place)
    if kept is None:
        return None
    report(0, "reading kept leaves")
    try:
        codes = open_array(context.objects.path(kept.codes))
        outcome = read_archive(context.objects.path(kept.outcome))
    except (ObjectDamaged, NotFound) as error:
        _log.warning("the leaf table of %s and %s is lost, to be made anew: %s", place.model, place.dataset, error)
        _throw_away(context, store, place, kept)
        return None
    return CodedOutcome(codes, outcome["scores"], outcome.get("labels"))


def room_for_codes(context: JobContext, shape: tuple[int, int], dtype: DTypeLike) -> tuple[NDArray[Any], Path | None]:
    """Return an array to be filled in, and the file that it is; on a full disk it is held in memory instead."""
    path = Path(tempfile.mkdtemp(dir=context.workspace)) / _CODES
    try:
        return create_array(path, shape, dtype), path
    except InsufficientStorage:
        _log.warning("job %s: no room on disk for %s leaf codes; they are held in memory", context.job, shape)
        path.unlink(missing_ok=True)
        return np.zeros(shape, dtype), None


def keep(context: JobContext, place: LeafTablePlace, outcome: CodedOutcome, codes: Path) -> None:
    """Keep what a model says, whose codes are this file; where that fails, the job goes on without."""
    archive = codes.with_name(_OUTCOME)
    labels = {} if outcome.labels is None else {"labels": outcome.labels}
    try:
        write_archive(archive, {"scores": outcome.scores, **labels})
        _keep_files(context, place, codes, archive)
    except StorageError as error:
        _log.warning("the leaf table of %s and %s is not kept: %s", place.model, place.dataset, error)


def _keep_files(context: JobContext, place: LeafTablePlace, codes: Path, archive: Path) -> None:
    store, objects = LeafTableStore(context.database), context.objects
    size_bytes = codes.stat().st_size + archive.stat().st_size
    put: list[str] = []
    is_kept = False
    try:
        with objects.keeping():
            for path in (codes, archive):
                put.append(objects.put_file(path))  # noqa: PERF401  # what was put before one fails is to be known
            table = KeptLeafTable(*put)
            is_kept = store.add(place, table, size_bytes) == table
    finally:
        if not is_kept:
            discard_orphans(context.database, objects, put)
    with objects.discarding():
        _delete(context, store.forget_outdated(place))


def _throw_away(context: JobContext, store: LeafTableStore, place: LeafTablePlace, kept: KeptLeafTable) -> None:
    with context.objects.discarding():
        _delete(context, store.forget(place, kept))
        for sha256 in (kept.codes, kept.outcome):
            # Even if somebody else refers to it: put again, it is whole again.
            context.objects.delete_damaged(sha256)


def _delete(context: JobContext, hashes: Iterable[str]) -> None:
    for sha256 in hashes:
        context.objects.delete(sha256)
