"""What a child that reads uploads cannot do any more: tried in a real process, confined as each child is."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from sandbox import landlock, seccomp
from sandbox.messages import Task
from sandbox.rights import missing
from service.upload_sandbox.runner import READ_DATASET, READ_MODEL, UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from storage.errors import DatasetRefused
from tests.support.patience import PATIENCE_SECONDS

# Confined as `sandbox.child` does it; then each thing is tried, and what came of it is written down.
_SCRIPT = """
import errno, json, os, socket, subprocess, sys, threading
from pathlib import Path
from sandbox.child import load
from sandbox.rights import confine
from sandbox.messages import Confinement, Task
from sandbox.rights import lock_in

requested = json.load(sys.stdin)
folder = Path(requested["folder"])
confine(Confinement(os.getppid(), 2**31, 20, 2**20, 64, 0))
load(Task(**requested["task"]))
lock_in(folder)
found = {}

def attempt(name, act):
    try:
        act()
    except OSError as error:
        found[name] = errno.errorcode[error.errno]
    else:
        found[name] = "done"

def connect(family, address):
    with socket.socket(family) as connection:
        connection.connect(address)

def shout():
    thread = threading.Thread(target=found.setdefault, args=("a thread", "done"))
    thread.start()
    thread.join()

for name, path in requested["read"].items():
    attempt("read " + name, lambda: open(path, "rb").read(1))
for name, path in requested["list"].items():
    attempt("list " + name, lambda: os.listdir(path))
for name, path in requested["write"].items():
    attempt("write " + name, lambda: open(path, "ab").write(b"x"))
attempt("truncate another upload", lambda: os.truncate(requested["read"]["another upload"], 0))
attempt("remove another upload", lambda: os.remove(requested["read"]["another upload"]))
attempt("rename into the folder", lambda: os.rename(requested["read"]["another upload"], folder / "taken"))
attempt("link into the folder", lambda: os.link(requested["read"]["another upload"], folder / "linked"))
attempt("symlink in the folder", lambda: os.symlink("/etc/passwd", folder / "symlink"))
attempt("fifo in the folder", lambda: os.mkfifo(folder / "fifo"))
attempt("tcp", lambda: connect(socket.AF_INET, ("127.0.0.1", requested["port"])))
attempt("unix socket", lambda: connect(socket.AF_UNIX, requested["unix"]))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", requested["port"])))
attempt("fork", lambda: os.fork() or os._exit(0))
attempt("program", lambda: subprocess.run(["/bin/true"]))
attempt("become a program", lambda: os.execv("/bin/true", ["true"]))
attempt("signal to the parent", lambda: os.kill(os.getppid(), 0))
attempt("a thread's start", shout)
attempt("read upload", lambda: open(folder / "upload", "rb").read())
attempt("write beside upload", lambda: open(folder / "content", "wb").write(b"x"))
attempt("read a library", lambda: open(os.__file__, "rb").read(1))
print(json.dumps(found))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an upload's private folder, with another's beside it."""
    for name in ("private", "another"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "upload").write_text("a,b\n1,2\n")
    return tmp_path / "private"


def test_this_machine_has_all_means() -> None:
    assert missing() == []
    assert landlock.version() >= 4
    assert seccomp.is_available()


@pytest.mark.parametrize("task", [READ_MODEL, READ_DATASET], ids=["model", "dataset"])
def test_the_child_reads_its_upload_and_libraries_and_nothing_else_and_starts_and_reaches_nothing(
    task: Task, folder: Path
) -> None:
    found = _tried(task, folder)

    allowed = {name for name, came in found.items() if came == "done"}
    assert allowed == {
        "a thread",
        "a thread's start",
        "read upload",
        "write beside upload",
        "read a library",
    }
    assert set(found.values()) == {"done", "EACCES", "EPERM", "EXDEV"}
    assert len(found) == 28
    assert (folder.parent / "another" / "upload").read_text() == "a,b\n1,2\n"
    assert sorted(path.name for path in folder.iterdir()) == ["content", "upload"]


def _tried(task: Task, folder: Path) -> dict[str, str]:
    project = Path(__file__).parents[3]
    database = folder.parent / "leafspace.db"
    database.write_bytes(b"rows")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(folder.parent / "s"))
        unix.listen()
        requested: dict[str, Any] = {
            "task": asdict(task),
            "folder": str(folder),
            "port": tcp.getsockname()[1],
            "unix": str(folder.parent / "s"),
            "read": {
                "/etc/passwd": "/etc/passwd",
                "the database": str(database),
                "another upload": str(folder.parent / "another" / "upload"),
                "its own environment": "/proc/self/environ",
                "its parent's memory": f"/proc/{os.getpid()}/maps",
                "the project's settings": str(project / "pyproject.toml"),
            },
            "list": {"the folder above": str(folder.parent), "the root": "/"},
            "write": {"the database": str(database), "the folder above": str(folder.parent / "new")},
        }
        answer = subprocess.run(  # our own script
            [sys.executable, "-I", "-c", _SCRIPT],
            input=json.dumps(requested),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=True,
        )
    found: dict[str, str] = json.loads(answer.stdout)
    return found


def test_an_upload_that_leads_elsewhere_is_not_followed(folder: Path) -> None:
    (folder / "upload").unlink()
    (folder / "upload").symlink_to(folder.parent / "another" / "upload")

    with pytest.raises(DatasetRefused) as caught:
        UploadReader(UploadReaderSettings()).read_dataset(folder / "upload", {})

    assert caught.value.code == "dataset_parse_error"
