"""The child process: confine itself, read one upload, answer on standard output.

The fork server starts it (``fork_server``), with the libraries loaded that it needs.
"""

import errno
import gc
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from .messages import COULD_NOT_START, DISK_FULL, Confinement, Request, Task
from .rights import confine, lock_in

_Task = Callable[[Request], dict[str, Any]]
# By name: what reads files is not below this package, which only confines it.
_TASKS: dict[Task, str] = {
    "read_model": "service.upload_sandbox.model_task.read_model_upload",
    "read_dataset": "service.upload_sandbox.dataset_task.read_dataset_upload",
    "read_relational_dataset": "service.upload_sandbox.dataset_task.read_relational_upload",
    "read_source_files": "storage.source_files.part_task.read_source_files",
}
# What loads the libraries that a task's own libraries load when they are first used.
_LATE_LOADERS: dict[Task, str] = {"read_model": "service.upload_sandbox.model_task.load_late_libraries"}


def main() -> NoReturn:
    """Read the request from standard input, answer it, and exit without cleaning up."""
    answer_file = _claim_standard_output()
    try:
        request = _read_request()
        confine(request.confinement)
        task = _load(request)
        lock_in(Path(request.upload).parent)
    except Exception:  # noqa: BLE001  # the edge of the process
        traceback.print_exc()
        _leave(COULD_NOT_START)
    try:
        answer_file.write(json.dumps(answer_to(request, task), allow_nan=False).encode())
        answer_file.flush()
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        _leave(DISK_FULL)  # answers are files, too
    _leave(0)


def _claim_standard_output() -> BinaryIO:
    """Return the file that the parent reads, and redirect to standard error whatever libraries print."""
    answer_file = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answer_file


def _read_request() -> Request:
    document = json.load(sys.stdin)
    return Request(**{**document, "confinement": Confinement(**document["confinement"])})


def load_libraries(tasks: Sequence[Task]) -> None:
    """Load what these tasks need, for the children that are forked from this process."""
    for task in tasks:
        _load_task(task)
    gc.collect()
    gc.freeze()  # a child that looked for rubbish among these objects would copy them all


def _load(request: Request) -> _Task:
    return _load_task(request.task)


def _load_task(name: Task) -> _Task:
    if name != "read_model":
        import_module("storage.without_pandas").keep_pandas_out()
    task: _Task = _named(_TASKS[name])
    if name in _LATE_LOADERS:
        _named(_LATE_LOADERS[name])()
    return task


def _named(path: str) -> Any:  # a function
    module, _, function = path.rpartition(".")
    return getattr(import_module(module), function)


def answer_to(request: Request, task: _Task) -> dict[str, Any]:
    """Return what a task made of an upload, or its refusal."""
    try:
        return {"ok": task(request)}
    except MemoryError:
        return {"out_of_memory": True}
    except Exception as error:
        if not hasattr(error, "code"):
            raise
        refused = {"kind": type(error).__name__, "code": error.code, "detail": str(error)}
        return {"refused": refused | {"pointer": getattr(error, "pointer", None)}}


def _leave(status: int) -> NoReturn:
    """End at once: the kernel frees what the libraries would clean up."""
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)
