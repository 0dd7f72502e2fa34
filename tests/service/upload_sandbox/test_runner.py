"""Uploads read by real child processes, some of which come to a bad end."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self, TypeVar

import pytest

from sandbox.child_process import run_child
from sandbox.messages import Confinement, Request
from service.upload_sandbox.runner import READ_DATASET, UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from storage.dataset_files import DatasetFile
from storage.errors import DatasetRefused, StorageError, StorageUnavailable
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.processes import is_alive, upload_children_of
from tests.support.sampling import mostly_long
from tests.support.shared import shared_path
from tests.support.tree_graphs import regressor, stump
from tree_explainers.errors import ExplainerError, ForeignFormat, ModelRefused

Found = TypeVar("Found")

SETTINGS = UploadReaderSettings()
N_SECONDS_FOR_ANY_FILE = 10


@pytest.fixture
def reader() -> UploadReader:
    return UploadReader(SETTINGS)


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    return folder / "upload"


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a CSV file that takes seconds to read; it is written once."""
    path = tmp_path_factory.mktemp("large") / "rows.csv"
    path.write_bytes(b"a,b,c\n" + b"1.25,2.5,text\n" * 8_000_000)
    return path


@pytest.fixture
def large_upload(upload: Path, large_file: Path) -> Path:
    """Return the large file as an upload of its own folder."""
    upload.hardlink_to(large_file)
    return upload


@pytest.mark.long
def test_each_shared_file_is_accepted_or_refused_as_expected(reader: UploadReader, tmp_path: Path) -> None:
    expected = json.loads(shared_path("badinputs/expected.json").read_text())
    tried = {}
    for name, wanted in expected.items():
        kind = wanted["endpoint"].removeprefix("POST /v1/")
        if kind in ("models", "datasets"):
            folder = tmp_path / name
            folder.mkdir()
            shutil.copy(shared_path(f"badinputs/{name}"), folder / "upload")
            start = time.monotonic()
            tried[name] = _code(reader.read_model if kind == "models" else reader.read_dataset, folder / "upload")
            assert time.monotonic() - start < when_idle(N_SECONDS_FOR_ANY_FILE)
    assert len(tried) > 40
    assert tried == {name: expected[name]["code"] for name in tried}


def _code(read: Callable[[Path, dict[str, object]], object], upload: Path) -> str | None:
    try:
        read(upload, {})
    except (StorageError, ExplainerError) as refusal:
        return refusal.code
    return None


def test_a_dataset_is_left_beside_the_upload_with_its_summary(reader: UploadReader, upload: Path) -> None:
    upload.write_text("id,x,y\na,1,yes\nb,,no\n")
    read = reader.read_dataset(upload, {"name": "small", "target": "y", "row_id": "id", "features": None})
    assert read.summary["n_rows"] == 2
    assert [(column["name"], column["role"]) for column in read.summary["columns"]] == [
        ("id", "row_id"),
        ("x", "feature"),
        ("y", "target"),
    ]
    with DatasetFile(read.content) as dataset:
        assert dataset.row_ids() == ["a", "b"]
    assert sorted(path.name for path in upload.parent.iterdir()) == ["content.parquet", "upload"]


def test_a_refusal_keeps_its_kind(reader: UploadReader, upload: Path) -> None:
    upload.write_bytes(b"\x80\x04\x95pickle")
    with pytest.raises(ForeignFormat):
        reader.read_model(upload, {})
    with pytest.raises(DatasetRefused):
        reader.read_dataset(upload, {})


def test_a_child_that_goes_on_for_too_long_is_killed(large_upload: Path) -> None:
    short = replace(SETTINGS.dataset, seconds=1, seconds_per_mebibyte=0)
    with pytest.raises(DatasetRefused) as caught:
        UploadReader(replace(SETTINGS, dataset=short, least_share_of_a_core=0.01)).read_dataset(large_upload, {})
    assert caught.value.code == "dataset_too_large"
    assert _children() == []


def test_a_model_that_takes_too_long_is_too_complex(upload: Path) -> None:
    upload.write_bytes(regressor(stump(), n_features=10_000).SerializeToString())
    with _reading(UploadReader(SETTINGS).read_model, upload) as reading:
        os.kill(reading.child, signal.SIGXCPU)
    assert isinstance(reading.error, ModelRefused)
    assert reading.error.code == "model_too_complex"
    assert _children() == []


def test_an_upload_that_others_held_up_has_to_come_back(large_upload: Path) -> None:
    reader = UploadReader(replace(SETTINGS, dataset=replace(SETTINGS.dataset, seconds=3, seconds_per_mebibyte=0)))
    with _reading(reader.read_dataset, large_upload) as reading:
        os.kill(reading.child, signal.SIGSTOP)
    assert isinstance(reading.error, StorageUnavailable)
    assert _children() == []


@pytest.mark.parametrize("n_mebibytes", mostly_long([*range(84, 112, 4), 160, 200], 160))
def test_a_child_that_takes_too_much_memory_is_refused_more(n_mebibytes: int, large_upload: Path) -> None:
    small = replace(SETTINGS.dataset, n_memory_bytes=n_mebibytes * 1024**2, n_memory_bytes_per_byte=0)
    with pytest.raises(DatasetRefused) as caught:
        UploadReader(replace(SETTINGS, dataset=small)).read_dataset(large_upload, {})
    assert caught.value.code == "dataset_too_large"


@pytest.mark.long
def test_a_long_table_takes_no_more_memory_than_a_few_blocks_of_it(upload: Path) -> None:
    row = ",".join(f"{number / 7:.6f}" for number in range(30)) + "\n"
    upload.write_text(",".join(f"f{number}" for number in range(30)) + "\n" + row * 300_000)
    small = replace(SETTINGS.dataset, n_memory_bytes=512 * 1024**2, n_memory_bytes_per_byte=0)

    found = UploadReader(replace(SETTINGS, dataset=small)).read_dataset(upload, {})

    assert found.summary["n_rows"] == 300_000


def test_a_child_that_uses_up_its_processor_time_is_killed(large_upload: Path) -> None:
    confinement = Confinement(os.getpid(), 2**32, n_cpu_seconds=1, n_file_bytes=2**30, n_open_files=64, nice=0)
    limits = asdict(SETTINGS.dataset_limits)
    outcome = run_child(Request(READ_DATASET, str(large_upload), None, {}, limits, confinement), 60)
    assert outcome.status in {-signal.SIGXCPU, -signal.SIGKILL}
    assert outcome.answer is None


def test_a_child_that_writes_too_much_is_stopped(upload: Path) -> None:
    upload.write_bytes(b"a,b,c\n" + b"1.25,2.5,text\n" * 100_000)
    small = replace(SETTINGS.dataset, n_file_bytes=1_000)
    with pytest.raises(DatasetRefused):
        UploadReader(replace(SETTINGS, dataset=small)).read_dataset(upload, {})


def test_a_child_that_is_shot_is_a_refusal_and_the_next_one_works(large_upload: Path, tmp_path: Path) -> None:
    reader = UploadReader(SETTINGS)
    with _reading(reader.read_dataset, large_upload) as reading:
        os.kill(reading.child, signal.SIGSEGV)
    assert isinstance(reading.error, DatasetRefused)
    assert reading.error.code == "dataset_parse_error"
    (tmp_path / "next").write_text("a\n1\n")
    assert reader.read_dataset(tmp_path / "next", {}).summary["n_rows"] == 1


def test_the_child_inherits_no_secret_and_no_open_file(
    large_upload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAFSPACE_SECRET", "s3cret")
    with (tmp_path / "ours").open("w") as ours, _reading(UploadReader(SETTINGS).read_dataset, large_upload) as reading:
        os.set_inheritable(ours.fileno(), True)  # noqa: FBT003  # the standard library's signature
        process = Path(f"/proc/{reading.child}")
        environment = (process / "environ").read_text()
        limits = (process / "limits").read_text()
        files = [os.path.realpath(link) for link in (process / "fd").iterdir()]
        _wait_for(lambda: "Seccomp:\t2\n" in (process / "status").read_text() or None)
        os.kill(reading.child, signal.SIGKILL)
    assert "s3cret" not in environment
    assert "PATH" not in environment
    assert str(tmp_path / "ours") not in files
    rows = {line.split("  ")[0]: line.split()[-3:-1] for line in limits.splitlines()}
    assert rows["Max core file size"] == ["0", "0"]
    assert rows["Max open files"] == ["64", "64"]
    assert int(rows["Max data size"][0]) >= SETTINGS.dataset.n_memory_bytes


def test_the_child_dies_with_its_parent(large_upload: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from service.upload_sandbox.runner import UploadReader\n"
        "from service.upload_sandbox.settings import UploadReaderSettings\n"
        "UploadReader(UploadReaderSettings()).read_dataset(pathlib.Path(sys.argv[1]), {})\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(large_upload)])  # our own script
    child = _wait_for(lambda: next(iter(_confined_children(parent.pid)), None))
    parent.kill()
    parent.wait()
    _wait_for(lambda: not is_alive(child) or None)


def test_out_of_memory_the_machine_loses_the_child_before_anything_else(large_upload: Path) -> None:
    with _reading(UploadReader(SETTINGS).read_dataset, large_upload) as reading:
        score = Path(f"/proc/{reading.child}/oom_score_adj").read_text()
        os.kill(reading.child, signal.SIGKILL)
    assert int(score) == 1000


def test_uploads_beyond_the_places_have_to_come_back(large_upload: Path, tmp_path: Path) -> None:
    reader = UploadReader(replace(SETTINGS, n_at_once=1, wait_seconds=0.05))
    (tmp_path / "small").write_text("a\n1\n")
    with _reading(reader.read_dataset, large_upload) as reading:
        with pytest.raises(StorageUnavailable):
            reader.read_dataset(tmp_path / "small", {})
        os.kill(reading.child, signal.SIGKILL)
    assert reader.read_dataset(tmp_path / "small", {}).summary["n_rows"] == 1


class _Reading:
    """An upload being read in a thread."""

    def __init__(self, read: Callable[[Path, dict[str, object]], object], upload: Path) -> None:
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._read, args=(read, upload))

    def __enter__(self) -> Self:
        self._thread.start()
        self.child: int = _wait_for(lambda: next(iter(_confined_children(os.getpid())), None))
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def _read(self, read: Callable[[Path, dict[str, object]], object], upload: Path) -> None:
        try:
            read(upload, {})
        except (StorageError, ExplainerError) as error:
            self.error = error


_reading = _Reading


def _children(parent: int | None = None) -> list[int]:
    """Return the processes that read uploads; a test process has others, such as the service of another test."""
    return upload_children_of(parent or os.getpid())


def _confined_children(parent: int) -> Iterator[int]:
    for child in _children(parent):
        # Set last but one, and by nobody else; the file may be empty while the process begins.
        if re.search(r"Max open files +64 +64", Path(f"/proc/{child}/limits").read_text()):
            yield child


def _wait_for(look: Callable[[], Found | None]) -> Found:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            found = look()
        except OSError:
            found = None
        if found is not None:
            return found
        time.sleep(0.01)
    pytest.fail("it did not happen")
