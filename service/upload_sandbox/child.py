"""The child process: confine itself, read one upload, answer on standard output.

The parent starts it with ``python -m service.upload_sandbox.child`` (``child_process``).
"""

import errno
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from .messages import COULD_NOT_START, DISK_FULL, Confinement, Request
from .sandbox import confine, lock_in

_Task = Callable[[Request], dict[str, Any]]


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
        answer_file.write(json.dumps(_answer(task, request), allow_nan=False).encode())
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
    if request.task == "read_model":
        from .model_task import read_model_upload  # noqa: PLC0415  # see above

        return read_model_upload
    from storage.without_pandas import keep_pandas_out  # noqa: PLC0415  # see above

    keep_pandas_out()
    from .dataset_task import read_dataset_upload, read_relational_upload  # noqa: PLC0415  # see above

    return read_dataset_upload if request.task == "read_dataset" else read_relational_upload


def _answer(task: _Task, request: Request) -> dict[str, Any]:
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
