"""The child process: confine itself, read one upload, answer on standard output.

The fork server starts it (``fork_server``), with the libraries loaded that it needs.
"""

import errno
import gc
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from .messages import COULD_NOT_START, DISK_FULL, Confinement, Request, Task
from .rights import confine, lock_in

_Function = Callable[[Request], dict[str, Any]]


def main() -> NoReturn:
    """Read the request from standard input, answer it, and exit without cleaning up."""
    answer_file = _claim_standard_output()
    try:
        request = _read_request()
        confine(request.confinement)
        function = load(request.task)
        lock_in(Path(request.upload).parent)
    except Exception:  # noqa: BLE001  # the edge of the process
        traceback.print_exc()
        _leave(COULD_NOT_START)
    try:
        answer_file.write(json.dumps(answer_to(request, function), allow_nan=False).encode())
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
    task, confinement = Task(**document["task"]), Confinement(**document["confinement"])
    return Request(**{**document, "task": task, "confinement": confinement})


def load_libraries(loader: str, *functions: str) -> None:
    """Load what the tasks of a loader need, and their functions, for the children that are forked from this process."""
    named_function(loader)()
    for function in functions:
        named_function(function)
    gc.collect()
    gc.freeze()  # a garbage collection in a child would copy all these objects


def load(task: Task) -> _Function:
    """Return a task's function, with its libraries loaded: at once where the server has loaded them already."""
    named_function(task.loader)()
    function: _Function = named_function(task.function)
    return function


def named_function(path: str) -> Any:
    """Return a function by its dotted name."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def answer_to(request: Request, function: _Function) -> dict[str, Any]:
    """Return what a task's function made of an upload, or its refusal."""
    try:
        return {"ok": function(request)}
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
