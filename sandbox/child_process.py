"""One child process from start to end, seen from its parent."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from .messages import Request

# From this size on, the C library maps memory and unmaps it as soon as it is freed.
_MAPPED_FROM_BYTES = 128 * 1024
# Nothing of ours is passed on: no key, no URL, no path.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "ARROW_IO_THREADS": "1",
    # Arrow's own allocators take memory in large pieces, which the limit counts before they are used: jemalloc fails on
    # 200,000 rows of 100 columns, mimalloc reserves 1.1 GiB for any file (benchmarks/results/wide_files.txt).
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    # What is freed goes back to the system: left to itself, the allocator hoards more with each block of a long file.
    "MALLOC_ARENA_MAX": "1",
    # Arrow reserves a block's whole length for each of its columns, and shrinks it to what the column needs. Below the
    # threshold the rest stays on the heap, and the limit counts it: threshold times columns must be less than the limit
    # (128 KiB x 10,000 columns = 1.2 GiB of 4 GiB). Set, although it is the default: the C library raises a
    # default as it goes, and leaves alone what was set.
    "MALLOC_MMAP_THRESHOLD_": str(_MAPPED_FROM_BYTES),
    "MALLOC_TRIM_THRESHOLD_": str(_MAPPED_FROM_BYTES),
}
# The one path: of compiled loops, which are code of ours, and which the child may read.
_OF_LOOPS = "NUMBA_CACHE_DIR"
_MAX_ANSWER_BYTES = 64 * 1024**2
_N_ERROR_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ChildOutcome:
    """How a child ended."""

    answer: dict[str, Any] | None  # None where there is none that can be read
    status: int | None  # as in subprocess: negative for a signal; None where it was killed at its deadline
    errors: str  # the end of what it wrote to standard error


def run_child(request: Request, deadline_seconds: float) -> ChildOutcome:
    """Start a child in the upload's folder, wait for it, and make sure that nothing of it is left."""
    folder = Path(request.upload).parent
    with (
        TemporaryFile(dir=folder) as request_file,
        TemporaryFile(dir=folder) as answered,
        TemporaryFile(dir=folder) as errors,
    ):
        request_file.write(json.dumps(asdict(request), allow_nan=False).encode())
        request_file.seek(0)
        # Isolated (-I): neither the folder nor the environment can add code.
        process = subprocess.Popen(  # our own module, no shell, no argument from outside
            [sys.executable, "-I", "-m", "sandbox.child"],
            stdin=request_file,
            stdout=answered,
            stderr=errors,
            cwd=folder,
            env=_environment(request),
            start_new_session=True,
        )
        status = _wait(process, deadline_seconds)
        return ChildOutcome(_read_answer(answered), status, _tail(errors))


def _environment(request: Request) -> dict[str, str]:
    if request.task != "read_model" or _OF_LOOPS not in os.environ:
        return ENVIRONMENT
    return {**ENVIRONMENT, _OF_LOOPS: os.environ[_OF_LOOPS]}


def _wait(process: "subprocess.Popen[bytes]", deadline_seconds: float) -> int | None:
    try:
        return process.wait(deadline_seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        # The whole group, also after a regular end: nothing that it started may go on.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read_answer(file: IO[bytes]) -> dict[str, Any] | None:
    file.seek(0)
    text = file.read(_MAX_ANSWER_BYTES + 1)
    if len(text) > _MAX_ANSWER_BYTES:
        return None
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _N_ERROR_BYTES))
    return file.read(_N_ERROR_BYTES).decode("utf-8", "backslashreplace")
