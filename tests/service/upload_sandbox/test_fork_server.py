"""The process that forks a child for each upload: what it holds, what ends with it, and what goes on without it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from sandbox import child_process
from service.upload_sandbox.runner import (
    READ_DATASET,
    READ_MODEL,
    READ_RELATIONAL_DATASET,
    NormalisedDataset,
    UploadReader,
)
from service.upload_sandbox.settings import UploadReaderSettings
from storage.errors import DatasetRefused, StorageUnavailable
from tests.support.patience import PATIENCE_SECONDS
from tests.support.processes import (
    command_of,
    fork_servers_of,
    is_alive,
    open_files_of,
    upload_children_of,
)
from tests.support.tree_graphs import regressor, stump

Found = TypeVar("Found")

SETTINGS = UploadReaderSettings()
_READ_ONE = """
import os, pathlib, sys
from service.upload_sandbox.runner import UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from tests.support.processes import fork_servers_of

def read():
    UploadReader(UploadReaderSettings()).read_dataset(pathlib.Path(sys.argv[1]), {})
    print(*fork_servers_of(os.getpid()), flush=True)
"""


@pytest.fixture(autouse=True)
def _fresh_servers() -> Iterator[None]:
    """Start with no server, and leave none that was started in another environment."""
    child_process.end_servers()
    yield
    child_process.end_servers()


@pytest.fixture
def reader() -> UploadReader:
    return UploadReader(SETTINGS)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
def upload(tmp_path: Path) -> Path:
    return _upload(tmp_path / "one", n_rows=3)


@pytest.fixture
def large_uploads(tmp_path: Path) -> list[Path]:
    """Return two CSV files that take a while to read."""
    return [_upload(tmp_path / name, n_rows=300_000) for name in ("first", "second")]


def _upload(folder: Path, n_rows: int) -> Path:
    folder.mkdir()
    (folder / "upload").write_bytes(b"a,b,c\n" + b"1.25,2.5,text\n" * n_rows)
    return folder / "upload"


def test_one_server_starts_a_child_for_each_upload(reader: UploadReader, upload: Path) -> None:
    reader.read_dataset(upload, {})
    server = _server()
    reader.read_dataset(upload, {})

    assert _server() == server
    assert upload_children_of(os.getpid()) == []


def test_models_have_a_server_of_their_own_and_each_has_loaded_its_libraries_and_has_one_thread(
    reader: UploadReader, upload: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    reader.read_dataset(upload, {})
    (tmp_path / "model").write_bytes(regressor(stump(), n_features=2).SerializeToString())
    reader.read_model(tmp_path / "model", {})

    datasets, models = sorted(fork_servers_of(os.getpid()), key=lambda server: READ_MODEL.loader in command_of(server))
    of_datasets = command_of(datasets).partition("sandbox.fork_server ")[2].split()
    assert of_datasets[0] == READ_DATASET.loader
    assert {READ_DATASET.function, READ_RELATIONAL_DATASET.function} <= set(of_datasets[1:])
    assert command_of(models).endswith(f"sandbox.fork_server {READ_MODEL.loader} {READ_MODEL.function} ")
    for server, library, other in ((datasets, "libarrow.so", "onnxruntime"), (models, "onnxruntime", "libarrow.so")):
        mapped = Path(f"/proc/{server}/maps").read_text()
        assert library in mapped
        assert other not in mapped
        assert len(list(Path(f"/proc/{server}/task").iterdir())) == 1
    assert "NUMBA_CACHE_DIR" not in Path(f"/proc/{datasets}/environ").read_text()


def test_a_server_whose_libraries_start_threads_leaves_loading_them_to_its_children(
    reader: UploadReader, upload: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(child_process.ENVIRONMENT, "JE_ARROW_MALLOC_CONF")

    assert reader.read_dataset(upload, {}).summary["n_rows"] == 3

    assert command_of(_server()).endswith("sandbox.fork_server ")
    assert "libarrow.so" not in Path(f"/proc/{_server()}/maps").read_text()


def test_server_and_child_see_no_secret_no_open_file_and_no_other_upload(
    reader: UploadReader,
    large_uploads: list[Path],
    threads: ThreadPoolExecutor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEAFSPACE_SECRET", "s3cret")
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)  # noqa: FBT003  # the standard library's signature
        children = [_stopped(reader, large, threads) for large in large_uploads]

        for process in (_server(), *children):
            assert "s3cret" not in Path(f"/proc/{process}/environ").read_text()
        assert {re.sub(r":.*", "", name) for name in open_files_of(_server())} == {"/dev/null", "socket"}
        for process, large in zip(children, large_uploads, strict=True):
            folders = {os.path.dirname(name) for name in open_files_of(process)}  # noqa: PTH120  # "/… (deleted)"
            assert folders == {str(large.parent)}
            assert os.getsid(process) == os.getpgid(process) == process
        for process in children:
            os.kill(process, signal.SIGCONT)


def test_uploads_are_read_at_once_by_children_of_one_server(
    reader: UploadReader, large_uploads: list[Path], threads: ThreadPoolExecutor
) -> None:
    reads: list[Future[NormalisedDataset]] = []
    children: list[int] = []
    for large in large_uploads:
        reads.append(threads.submit(reader.read_dataset, large, {}))
        children.append(_stop_next(children))
    for process in reversed(children):
        os.kill(process, signal.SIGCONT)

    assert [read.result().summary["n_rows"] for read in reads] == [300_000, 300_000]
    assert len(fork_servers_of(os.getpid())) == 1


def test_a_deadline_ends_one_child_and_no_other(
    reader: UploadReader, large_uploads: list[Path], threads: ThreadPoolExecutor
) -> None:
    other = threads.submit(reader.read_dataset, large_uploads[0], {})
    child = _stop_next([])
    short = replace(SETTINGS.dataset, seconds=1, seconds_per_mebibyte=0)
    late = threads.submit(
        UploadReader(replace(SETTINGS, dataset=short, least_share_of_a_core=1)).read_dataset, large_uploads[1], {}
    )
    late_child = _stop_next([child])

    with pytest.raises(StorageUnavailable):
        late.result()

    assert not is_alive(late_child)
    assert upload_children_of(os.getpid()) == [child]
    os.kill(child, signal.SIGCONT)
    assert other.result().summary["n_rows"] == 300_000


def test_a_child_that_eats_memory_disturbs_no_other(
    reader: UploadReader, large_uploads: list[Path], threads: ThreadPoolExecutor
) -> None:
    other = threads.submit(reader.read_dataset, large_uploads[0], {})
    child = _stop_next([])
    little = replace(SETTINGS.dataset, n_memory_bytes=100 * 1024**2, n_memory_bytes_per_byte=0)

    with pytest.raises(DatasetRefused) as refused:
        UploadReader(replace(SETTINGS, dataset=little)).read_dataset(large_uploads[1], {})

    assert refused.value.code == "dataset_too_large"
    os.kill(child, signal.SIGCONT)
    assert other.result().summary["n_rows"] == 300_000


def test_a_server_that_was_killed_is_replaced_before_the_next_upload(reader: UploadReader, upload: Path) -> None:
    reader.read_dataset(upload, {})
    server = _server()
    os.kill(server, signal.SIGKILL)

    assert reader.read_dataset(upload, {}).summary["n_rows"] == 3

    assert _server() != server


def test_a_server_that_ended_leaves_no_zombie_though_no_upload_comes(reader: UploadReader, upload: Path) -> None:
    reader.read_dataset(upload, {})
    server = _server()

    os.kill(server, signal.SIGKILL)

    _wait_for(lambda: not Path(f"/proc/{server}").exists() or None)
    assert reader.read_dataset(upload, {}).summary["n_rows"] == 3


def test_an_upload_whose_server_is_killed_is_read_by_another(
    reader: UploadReader, large_uploads: list[Path], threads: ThreadPoolExecutor
) -> None:
    read = threads.submit(reader.read_dataset, large_uploads[0], {})
    child, server = _stop_next([]), _server()
    os.kill(server, signal.SIGKILL)

    assert read.result().summary["n_rows"] == 300_000
    assert not is_alive(child)
    assert _server() != server


def test_after_a_child_that_failed_the_next_one_has_another_layout_of_memory(
    reader: UploadReader, large_uploads: list[Path], threads: ThreadPoolExecutor, upload: Path
) -> None:
    read = threads.submit(reader.read_dataset, large_uploads[0], {})
    child, server = _stop_next([]), _server()
    os.kill(child, signal.SIGSEGV)
    os.kill(child, signal.SIGCONT)
    with pytest.raises(DatasetRefused):
        read.result()

    reader.read_dataset(upload, {})

    assert _server() != server
    _wait_for(lambda: not is_alive(server) or None)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_server_starts_a_hundred_children_and_is_replaced(reader: UploadReader, upload: Path) -> None:
    servers = []
    for _ in range(101):
        reader.read_dataset(upload, {})
        servers += fork_servers_of(os.getpid())
    assert len(set(servers)) == 2


def test_a_server_ends_with_its_owner(upload: Path) -> None:
    script = f"{_READ_ONE}\nread()\nsys.stdin.read()\n"
    owner = _owner(script, upload)
    assert owner.stdout is not None
    server = int(owner.stdout.readline())
    assert is_alive(server)

    owner.kill()
    owner.wait()

    _wait_for(lambda: not is_alive(server) or None)


def test_a_process_that_its_owner_forks_starts_a_server_of_its_own(upload: Path) -> None:
    script = f"{_READ_ONE}\nread()\nif os.fork() == 0:\n    read()\nelse:\n    os.wait()\n    read()\n"
    owner = _owner(script, upload)
    out, _ = owner.communicate()

    first, of_the_fork, again = map(int, out.split())
    assert first == again != of_the_fork
    assert not is_alive(first)


def _owner(script: str, upload: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # our own script
        [sys.executable, "-c", script, str(upload)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _server() -> int:
    (server,) = fork_servers_of(os.getpid())
    return server


def _stopped(reader: UploadReader, upload: Path, threads: ThreadPoolExecutor) -> int:
    """Have an upload read, and return its child, confined and stopped."""
    others = upload_children_of(os.getpid())
    reading: Future[NormalisedDataset] = threads.submit(reader.read_dataset, upload, {})
    reading.add_done_callback(lambda done: done.result())
    return _stop_next(others)


def _stop_next(others: list[int]) -> int:
    """Wait for one more child than the others, stop it once it is confined, and return it."""
    child = _wait_for(lambda: next((each for each in upload_children_of(os.getpid()) if each not in others), None))
    _wait_for(lambda: "Seccomp:\t2\n" in Path(f"/proc/{child}/status").read_text() or None)
    os.kill(child, signal.SIGSTOP)
    return child


def _wait_for(look: Callable[[], Found | None]) -> Found:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if found is not None:
            return found
        time.sleep(0.004)
    pytest.fail("it did not happen")
