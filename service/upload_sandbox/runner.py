"""UploadReader: reads uploads in child processes, a few at a time, however those processes end."""

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import structlog

from sandbox.child_process import ChildOutcome, declare_task, run_child
from sandbox.messages import (
    ARRAYS,
    CONTENT,
    COULD_NOT_START,
    DISK_FULL,
    ENSEMBLE,
    LEAF_GRAPH,
    Confinement,
    Request,
    Task,
    content_of_table,
    upload_of_table,
)
from sandbox.rights import missing
from storage.dataset_files.loading import LOADER
from storage.errors import DatasetRefused, InsufficientStorage, StorageError, StorageUnavailable, TooManyRows
from tree_explainers.errors import ExplainerError, ForeignFormat, ModelRefused

from .settings import Allowance, UploadReaderSettings

_LOG = structlog.get_logger(__name__)
_REFUSALS: dict[str, type[ExplainerError] | type[DatasetRefused]] = {
    kind.__name__: kind for kind in (ModelRefused, ForeignFormat, DatasetRefused, TooManyRows)
}
_MODEL_LOADER = f"{__package__}.model_task.load_libraries"
READ_MODEL = declare_task(f"{__package__}.model_task.read_model_upload", _MODEL_LOADER, uses_compiled_loops=True)
READ_DATASET = declare_task(f"{__package__}.dataset_task.read_dataset_upload", LOADER)
READ_RELATIONAL_DATASET = declare_task(f"{__package__}.dataset_task.read_relational_upload", LOADER)
_OUT_OF_MEMORY_WORDS = ("out of memory", "bad_alloc", "memory allocation", "memoryerror")
_SMALL_UPLOAD_BYTES = 50 * 1024**2  # of which no honest one should need all the memory that it may take
_OUT_OF_BOUNDS_SIGNALS = {-signal.SIGKILL, -signal.SIGXCPU, -signal.SIGXFSZ}


@dataclass(frozen=True, slots=True)
class VettedModel:
    """A model that was read, checked, opened and run; its files lie beside the upload."""

    description: dict[str, Any]  # ModelDescription as JSON
    parity: dict[str, Any] | None
    leaf_graph: Path  # ONNX: predictions and leaves
    ensemble: Path  # arrays of TreeEnsemble by field name


@dataclass(frozen=True, slots=True)
class NormalisedDataset:
    """A dataset that was read; its normalised file lies beside the upload."""

    summary: dict[str, Any]  # n_rows, columns
    content: Path


@dataclass(frozen=True, slots=True)
class NormalisedTables:
    """Tables that were read; their normalised files and the file of arrays lie beside the uploads."""

    summary: dict[str, Any]  # tables, relationships, examples, unused, warnings
    contents: list[Path]  # in the order of the metadata's tables
    arrays: Path


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be read, and what that may take."""

    task: Task
    upload: Path
    n_bytes: int
    metadata: dict[str, Any]
    limits: dict[str, int]
    allowance: Allowance
    media_hint: str | None = None


class UploadReader:
    """Reads uploads; calls block, and may come from several threads.

    Parameters
    ----------
    run
        Has a request answered within a number of seconds.
    """

    def __init__(
        self, settings: UploadReaderSettings, run: Callable[[Request, float], ChildOutcome] = run_child
    ) -> None:
        self._settings = settings
        self._run = run
        self._slots = threading.BoundedSemaphore(settings.n_at_once)
        if lacking := missing():
            _LOG.warning("uploads_are_less_confined", missing=lacking)

    def read_model(self, upload: Path, metadata: dict[str, Any]) -> VettedModel:
        """Read an ONNX file and open it once; files are left in the upload's folder, which must be private.

        Parameters
        ----------
        upload
            The bytes, in a folder that the caller made for them and will remove.
        metadata
            What came with them, as in the API: ``feature_names``, ``classes``, ``ensemble``, ``feature_groups``,
            ``parity``.

        Raises
        ------
        ModelRefused
            What is wrong with the model; ``model_too_complex`` also where reading it took more time or memory than
            it may, ``model_invalid_graph`` where it brought the child process down.
        StorageUnavailable
            All places are taken, or the machine is too busy with other things.
        """
        limits, n_bytes = asdict(self._settings.model_limits), upload.stat().st_size
        ok = self._read(_Work(READ_MODEL, upload, n_bytes, metadata, limits, self._settings.model))
        folder = upload.parent
        return VettedModel(ok["description"], ok["parity"], _written(folder / LEAF_GRAPH), _written(folder / ENSEMBLE))

    def read_dataset(self, upload: Path, metadata: dict[str, Any], media_hint: str | None = None) -> NormalisedDataset:
        """Read a CSV, Parquet or JSON file into a normalised one; it is left in the upload's folder.

        Parameters
        ----------
        upload
            The bytes, in a folder that the caller made for them and will remove.
        metadata
            What came with them, as in the API: ``target``, ``row_id``, ``features``.
        media_hint
            The media type that the sender claims.

        Raises
        ------
        DatasetRefused
            What is wrong with the dataset; ``dataset_too_large`` also where reading it took more time or memory than
            it may, ``dataset_parse_error`` where it brought the child process down.
        StorageUnavailable
            All places are taken, or the machine is too busy with other things.
        """
        limits, n_bytes = asdict(self._settings.dataset_limits), upload.stat().st_size
        allowance = self._settings.dataset
        ok = self._read(_Work(READ_DATASET, upload, n_bytes, metadata, limits, allowance, media_hint))
        return NormalisedDataset(ok, _written(upload.parent / CONTENT))

    def read_relational_dataset(self, folder: Path, metadata: dict[str, Any]) -> NormalisedTables:
        """Read the files of several tables, all in one child, into a normalised one each; they are left in the folder.

        Parameters
        ----------
        folder
            Private, with the bytes of each table in ``upload_of_table`` of its index in the metadata.
        metadata
            What came with them, as in the API, checked against the files' names.

        Raises
        ------
        DatasetRefused
            What is wrong with them, and where; as ``read_dataset``.
        StorageUnavailable
            All places are taken, or the machine is too busy with other things.
        """
        n_tables = len(metadata["tables"])
        uploads = [folder / upload_of_table(index) for index in range(n_tables)]
        n_bytes = sum(upload.stat().st_size for upload in uploads)
        limits, allowance = asdict(self._settings.relational_limits), self._settings.relational_dataset
        ok = self._read(_Work(READ_RELATIONAL_DATASET, uploads[0], n_bytes, metadata, limits, allowance))
        contents = [_written(folder / content_of_table(index)) for index in range(n_tables)]
        return NormalisedTables(ok, contents, _written(folder / ARRAYS))

    def _read(self, work: _Work) -> dict[str, Any]:
        n_cpu_seconds = math.ceil(work.allowance.cpu_seconds(work.n_bytes))
        confinement = Confinement(
            parent=os.getpid(),
            n_memory_bytes=work.allowance.memory(work.n_bytes),
            n_cpu_seconds=n_cpu_seconds,
            n_file_bytes=work.allowance.n_file_bytes,
            n_open_files=64,
            nice=self._settings.nice,
        )
        request = Request(work.task, str(work.upload), work.media_hint, work.metadata, work.limits, confinement)
        with self._slot():
            outcome = self._run(request, n_cpu_seconds / self._settings.least_share_of_a_core)
        if outcome.status is None:  # it was held up: its processor time is not used up
            detail = "the machine is too busy to read this upload in time; send it again in a moment"
            raise StorageUnavailable(detail)
        return _answer(request, work.n_bytes, outcome)

    @contextmanager
    def _slot(self) -> Iterator[None]:
        if not self._slots.acquire(timeout=self._settings.wait_seconds):
            detail = f"{self._settings.n_at_once} uploads are being read already; send yours again in a moment"
            raise StorageUnavailable(detail)
        try:
            yield
        finally:
            self._slots.release()


def _answer(request: Request, n_bytes: int, outcome: ChildOutcome) -> dict[str, Any]:
    """Return the child's result, or raise its refusal of the upload, or the one that its end implies."""
    if outcome.status == COULD_NOT_START:
        msg = f"the child process for uploads could not start: {outcome.errors}"
        raise RuntimeError(msg)
    if outcome.status == DISK_FULL:
        raise InsufficientStorage
    answer = outcome.answer or {}
    if outcome.status == 0 and isinstance(answer.get("ok"), dict):
        result: dict[str, Any] = answer["ok"]
        return result
    if outcome.status == 0 and isinstance(answer.get("refused"), dict):
        raise _refusal(**answer["refused"])
    raise _broken(request, n_bytes, outcome)


def _broken(request: Request, n_bytes: int, outcome: ChildOutcome) -> ExplainerError | StorageError:
    """Return the refusal of an upload that used up its allowance, or brought the child down otherwise; log it."""
    facts = {
        "task": request.task.function,
        "size_bytes": n_bytes,
        "status": outcome.status,
        "answer": bool(outcome.answer),
        "errors": outcome.errors,
    }
    if _is_out_of_memory(outcome) and n_bytes < _SMALL_UPLOAD_BYTES:
        n_memory_bytes = request.confinement.n_memory_bytes
        reason = "reading a small upload took all the memory that it may take: a fault of the reader, or a hostile file"
        _LOG.error("upload_ran_out_of_memory", **facts, memory_bytes=n_memory_bytes, reason=reason)
        return _beyond_memory(request.task, n_bytes, n_memory_bytes)
    _LOG.warning("upload_broke_its_child", **facts)
    is_over = outcome.status in _OUT_OF_BOUNDS_SIGNALS or _is_out_of_memory(outcome)
    return _beyond_limits(request.task) if is_over else _gave_up(request.task)


def _is_out_of_memory(outcome: ChildOutcome) -> bool:
    # Native code that gets no memory reports that and aborts.
    errors = outcome.errors.lower()
    return "out_of_memory" in (outcome.answer or {}) or any(words in errors for words in _OUT_OF_MEMORY_WORDS)


def _refusal(kind: str, code: str, detail: str, pointer: str | None = None) -> ExplainerError | StorageError:
    if pointer is not None:
        return DatasetRefused(code, detail, pointer)
    return _REFUSALS.get(kind, ExplainerError)(code, detail)


def _beyond_memory(task: Task, n_bytes: int, n_memory_bytes: int) -> ExplainerError | StorageError:
    detail = (
        f"reading this upload of {n_bytes:,} bytes took more than the {n_memory_bytes / 1024**3:.1f} GiB of memory "
        "that the service gives to it; at this size that is most likely a fault of the service, which has logged it"
    )
    if task == READ_MODEL:
        return ModelRefused("model_too_complex", detail)
    return DatasetRefused("dataset_too_large", f"{detail}; another form (CSV, Parquet, JSON) may be read meanwhile")


def _beyond_limits(task: Task) -> ExplainerError | StorageError:
    if task == READ_MODEL:
        detail = "the model could not be opened within the limits of time and memory; register a smaller one"
        return ModelRefused("model_too_complex", detail)
    detail = "the dataset could not be read within the limits of time and memory; send fewer rows or columns"
    return DatasetRefused("dataset_too_large", detail)


def _gave_up(task: Task) -> ExplainerError | StorageError:
    if task == READ_MODEL:
        return ModelRefused("model_invalid_graph", "the model could not be opened: the runtime gave up on it")
    return DatasetRefused("dataset_parse_error", "the dataset could not be read: its reader gave up on it")


def _written(path: Path) -> Path:
    """Return the path of a file that the child was to write: a regular one, not a link to elsewhere."""
    if path.is_symlink() or not path.is_file():
        msg = f"the child process did not write {path.name}"
        raise RuntimeError(msg)
    return path
