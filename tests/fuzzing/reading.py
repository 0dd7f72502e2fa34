"""What the child does with an upload, in this process: read it whole, and open a model and predict a row."""

import tempfile
from dataclasses import asdict
from pathlib import Path

from sandbox.messages import Confinement, Request, Task
from service.upload_sandbox.dataset_task import read_dataset_upload
from service.upload_sandbox.model_task import read_model_upload
from service.upload_sandbox.runner import READ_DATASET, READ_MODEL
from service.upload_sandbox.settings import UploadReaderSettings

_SETTINGS = UploadReaderSettings()
_UNCONFINED = Confinement(parent=0, n_memory_bytes=0, n_cpu_seconds=0, n_file_bytes=0, n_open_files=0, nice=0)


def read_as_model(data: bytes) -> None:
    """Read, open and run a model as the child does."""
    _read(data, READ_MODEL)


def read_as_dataset(data: bytes) -> None:
    """Read a dataset as the child does."""
    _read(data, READ_DATASET)


def _read(data: bytes, task: Task) -> None:
    limits = _SETTINGS.model_limits if task == READ_MODEL else _SETTINGS.dataset_limits
    with tempfile.TemporaryDirectory() as folder:
        upload = Path(folder) / "upload"
        upload.write_bytes(data)
        request = Request(task, str(upload), None, {}, asdict(limits), _UNCONFINED)
        (read_model_upload if task == READ_MODEL else read_dataset_upload)(request)
