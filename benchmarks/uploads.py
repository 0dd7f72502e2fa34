"""Processor time of reading small uploads: by children of one fork server, and of a server of its own for each.

The second is what a child costs that loads its libraries itself. Counted is all that the processes used, the server's
start included. ``python -m benchmarks.uploads [number of uploads]``
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from leafspace.compiled_code import prime
from sandbox.child_process import end_servers
from service.upload_sandbox.runner import UploadReader
from service.upload_sandbox.settings import UploadReaderSettings

from .machine import describe_machine

_Read = Callable[[UploadReader, Path], object]


def main(n_uploads: int) -> None:
    """Read a model of 20 trees and a CSV file of 569 rows, and print."""
    print(describe_machine())
    prime(Path(tempfile.gettempdir()))
    features, labels = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=20, max_depth=5, random_state=0).fit(features, labels)
    model = to_onnx(forest, features[:1].astype(np.float32), options={"zipmap": False}).SerializeToString()
    print(f"{n_uploads} uploads each; load {os.getloadavg()[0]:.1f}")
    for name, content, read in (("model", model, _read_model), ("dataset", _csv(features), _read_dataset)):
        for how, is_shared in (("one server", True), ("a server each", False)):
            _print(f"{name}, {how}", *_measured(content, read, n_uploads, is_shared=is_shared))


def _print(name: str, cpu_seconds: float, seconds: float) -> None:
    print(f"{name:<26} {cpu_seconds:.3f} s of processor time, {seconds:.3f} s to wait (median)", flush=True)


def _measured(content: bytes, read: _Read, n_uploads: int, *, is_shared: bool) -> tuple[float, float]:
    """Return the processor time of an upload in the mean, and the time until it is read in the median."""
    reader, waits, before = UploadReader(UploadReaderSettings()), [], _cpu_seconds()
    for _ in range(n_uploads):
        with tempfile.TemporaryDirectory() as folder:
            upload = Path(folder) / "upload"
            upload.write_bytes(content)
            began = time.perf_counter()
            read(reader, upload)
            waits.append(time.perf_counter() - began)
        if not is_shared:
            end_servers()
    end_servers()  # only then does the kernel report what they and their children used
    return (_cpu_seconds() - before) / n_uploads, median(waits)


def _read_model(reader: UploadReader, upload: Path) -> object:
    names = [f"f{column}" for column in range(30)]
    return reader.read_model(upload, {"feature_names": names, "ensemble": "random_forest"})


def _read_dataset(reader: UploadReader, upload: Path) -> object:
    return reader.read_dataset(upload, {})


def _csv(values: np.ndarray) -> bytes:
    lines = [",".join(f"f{column}" for column in range(values.shape[1]))]
    lines += [",".join(f"{value:.5g}" for value in row) for row in values]
    return "\n".join(lines).encode()


def _cpu_seconds() -> float:
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
