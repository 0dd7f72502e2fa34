"""Wide and long files read by the confined child that reads uploads, under several allocators.

Arrow reserves the whole of a block for each column and gives back what it did not need. ``RLIMIT_DATA`` counts such a
reservation unless the allocator returns it to the system at once, so the allocator decides which files can be read.
For each allocator and file: whether the child could read it, the seconds and processor seconds that this took, what it
held at most (resident), and how much the limit counted at most (reserved).
``python -m benchmarks.wide_files``
"""

import logging
import multiprocessing
import resource
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import structlog

from sandbox import child_process
from service.upload_sandbox.runner import UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from storage.errors import DatasetRefused

from .machine import describe_machine

_KIBIBYTE, _MEBIBYTE = 1024, 1024**2


def _glibc(threshold: int, trim: int) -> dict[str, str]:
    return {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_MMAP_THRESHOLD_": str(threshold),
        "MALLOC_TRIM_THRESHOLD_": str(trim),
    }


ALLOCATORS = {
    "glibc, 4 MiB": _glibc(4 * _MEBIBYTE, 64 * _MEBIBYTE),
    "glibc, 128 KiB": _glibc(128 * _KIBIBYTE, 128 * _KIBIBYTE),
    "glibc, 1 MiB": _glibc(_MEBIBYTE, 64 * _MEBIBYTE),
    "glibc, 128 KiB, trim 64 MiB": _glibc(128 * _KIBIBYTE, 64 * _MEBIBYTE),
    "jemalloc": {"ARROW_DEFAULT_MEMORY_POOL": "jemalloc"},
    "mimalloc": {"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"},
}


class Read(NamedTuple):
    """How one reading of one file went."""

    is_read: bool
    seconds: float
    cpu_seconds: float
    resident_mebibytes: float
    reserved_mebibytes: float


def main() -> None:
    """Write the files, have each read under each allocator, and print."""
    print(describe_machine())
    print(f"pyarrow {pa.__version__}; one reading each; seconds depend on what else the machine did")
    with tempfile.TemporaryDirectory() as folder:
        for name, write in FILES.items():
            path = Path(folder) / "file"
            write(path)
            print(f"\n{name}, {path.stat().st_size / _MEBIBYTE:.1f} MiB")
            print(f"  {'allocator':<28} {'read':>5} {'seconds':>8} {'cpu s':>7} {'resident':>9} {'reserved':>9}")
            for allocator in ALLOCATORS:
                _print(allocator, _read_apart(path, allocator))


def _print(allocator: str, read: Read) -> None:
    print(
        f"  {allocator:<28} {'yes' if read.is_read else 'NO':>5} {read.seconds:>8.2f} {read.cpu_seconds:>7.2f} "
        f"{read.resident_mebibytes:>5.0f} MiB {read.reserved_mebibytes:>5.0f} MiB",
        flush=True,
    )


def _read_apart(path: Path, allocator: str) -> Read:
    """Read in a process of its own: the kernel reports the most that any child of a process held."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_read, path, allocator).result()


def _read(path: Path, allocator: str) -> Read:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, _ReservedMemory() as reserved:
        upload = Path(folder) / "upload"
        upload.hardlink_to(path)
        began = time.perf_counter()
        with patch.dict(child_process.ENVIRONMENT, ALLOCATORS[allocator]):
            is_read = _is_read(upload)
        seconds = time.perf_counter() - began
        child_process.end_servers()  # only then does the kernel report what its children used
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Read(is_read, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, reserved.mebibytes)


def _is_read(upload: Path) -> bool:
    # What is refused is printed in the table.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        UploadReader(UploadReaderSettings()).read_dataset(upload, {})
    except DatasetRefused:
        return False
    return True


class _ReservedMemory:
    """Looks every few milliseconds how much memory of the only child that reads an upload the limit counts."""

    def __init__(self) -> None:
        self.mebibytes = 0.0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ends.wait(0.005):
            with suppress(OSError):  # processes end while they are looked at
                for server in _children("self"):
                    for child in _children(server):
                        self.mebibytes = max(self.mebibytes, _data_mebibytes(child))


def _children(process: str) -> list[str]:
    listed = Path(f"/proc/{process}/task").glob("*/children")
    return [child for children in listed for child in children.read_text().split()]


def _data_mebibytes(process: str) -> float:
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(lines["VmData"].split()[0]) / 1024 if "VmData" in lines else 0.0


def _csv(n_rows: int, n_columns: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        rng = np.random.default_rng(0)
        with path.open("w") as file:
            file.write(",".join(f"g{column}" for column in range(n_columns)) + "\n")
            # A few distinct rows again and again: how long a text is read does not depend on what it says.
            rows = [",".join(map("{:.4f}".format, rng.normal(size=n_columns))) + "\n" for _ in range(min(n_rows, 500))]
            file.writelines(rows[row % len(rows)] for row in range(n_rows))

    return write


def _parquet(n_rows: int, n_columns: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        values = np.random.default_rng(0).normal(size=(n_columns, n_rows))
        pq.write_table(pa.table({f"g{column}": values[column] for column in range(n_columns)}), path)

    return write


def _json(n_rows: int, n_columns: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        rng = np.random.default_rng(0)
        with path.open("w") as file:
            for _ in range(n_rows):
                cells = (f'"g{column}":{value:.4f}' for column, value in enumerate(rng.normal(size=n_columns)))
                file.write("{" + ",".join(cells) + "}\n")

    return write


FILES: dict[str, Callable[[Path], None]] = {
    "CSV, 72 x 7,129": _csv(72, 7_129),
    "CSV, 2 x 10,000": _csv(2, 10_000),
    "CSV, 800,000 x 10": _csv(800_000, 10),
    "CSV, 200,000 x 100": _csv(200_000, 100),
    "Parquet, 100 x 10,000": _parquet(100, 10_000),
    "JSON lines, 100 x 5,000": _json(100, 5_000),
}


if __name__ == "__main__":
    main()
