"""The child process: confine itself, read one upload, answer on standard output.

The parent starts it with ``python -m sandbox.child`` (``child_process``).
"""

import errno
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

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


def main() -> None:
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


def _load(request: Request) -> _Task:
    # Each task loads libraries that take longer to load than most uploads take to be read.
    without_pandas = import_module("storage.without_pandas")
    if request.task == "read_model":
        without_pandas.keep_scipy_out()
    else:
        without_pandas.keep_pandas_out()
    module, _, function = _TASKS[request.task].rpartition(".")
    task: _Task = getattr(import_module(module), function)
    return task


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


def _leave(status: int) -> None:
    """End at once: the kernel frees what the libraries would clean up."""
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
