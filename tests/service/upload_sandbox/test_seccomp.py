"""What the filter of calls refuses by itself, where there is no Landlock: tried on another process, and on a file."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE_SECONDS

# Signal 0 and no change at all are refused like any other: what is tried does nothing, where it is let through.
_SCRIPT = """
import ctypes, errno, fcntl, json, mmap, os, platform, resource, sys, threading
from sandbox.rights import confine
from sandbox.messages import Confinement
from sandbox.seccomp import refuse_calls

victim, file, is_filtered = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "filtered"
pipe = os.pipe()[0]
descriptor = os.open(file, os.O_RDWR)
confine(Confinement(os.getppid(), 2**31, 20, 2**20, 64, 0))
if is_filtered:
    refuse_calls()

libc = ctypes.CDLL(None, use_errno=True)
TKILL, KCMP = {"x86_64": (200, 312), "aarch64": (130, 272)}[platform.machine()]
SHMGET = {"x86_64": (29,), "aarch64": (194,)}[platform.machine()]
found = {}

def attempt(name, act):
    try:
        act()
    except OSError as error:
        found[name] = errno.errorcode[error.errno]
    else:
        found[name] = "done"

def call(function, *arguments):
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")

def call_by_number(number, *arguments):
    call(libc.syscall, ctypes.c_long(number), *arguments)

def read_memory(process):
    here = ctypes.create_string_buffer(8)
    class Piece(ctypes.Structure):
        _fields_ = (("at", ctypes.c_void_p), ("length", ctypes.c_size_t))
    piece = Piece(ctypes.addressof(here), 8)
    call(libc.process_vm_readv, process, ctypes.byref(piece), 0, ctypes.byref(piece), 0, 0)

def send_by_queue(process, thread=None):
    class Value(ctypes.Union):
        _fields_ = (("number", ctypes.c_int), ("pointer", ctypes.c_void_p))
    call(libc.sigqueue, process, 0, Value())

def limits_of(process):
    return resource.prlimit(process, resource.RLIMIT_NOFILE)

for whose, process in (("another's", victim), ("its own", os.getpid())):
    attempt(f"{whose}: tgkill", lambda: call(libc.tgkill, process, process, 0))
    attempt(f"{whose}: prlimit", lambda: resource.prlimit(process, resource.RLIMIT_NOFILE, limits_of(process)))
    attempt(f"{whose}: affinity", lambda: os.sched_setaffinity(process, range(os.cpu_count())))
    attempt(f"{whose}: scheduler", lambda: os.sched_setscheduler(process, os.SCHED_OTHER, os.sched_param(0)))
    attempt(f"{whose}: scheduling", lambda: os.sched_setparam(process, os.sched_param(0)))
attempt("kill", lambda: os.kill(victim, 0))
attempt("kill the group", lambda: os.kill(0, 0))
attempt("tkill", lambda: call_by_number(TKILL, victim, 0))
attempt("queued signal", lambda: send_by_queue(victim))
attempt("handle of a process", lambda: os.pidfd_open(victim))
attempt("owner of a pipe's signals", lambda: fcntl.fcntl(pipe, fcntl.F_SETOWN, victim))
attempt("signal of a pipe", lambda: fcntl.fcntl(pipe, fcntl.F_SETSIG, 9))
attempt("memory", lambda: read_memory(victim))
attempt("comparison", lambda: call_by_number(KCMP, os.getpid(), victim, 2, 0, 0))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, victim, 19))
attempt("chmod", lambda: os.chmod(file, 0o777))
attempt("fchmod", lambda: os.fchmod(descriptor, 0o777))
folder, name = os.path.split(file)
attempt("chmod beside", lambda: os.chmod(name, 0o777, dir_fd=os.open(folder, os.O_PATH)))
attempt("chown", lambda: os.chown(file, -1, -1))
attempt("lchown", lambda: os.lchown(file, -1, -1))
attempt("fchown", lambda: os.fchown(descriptor, -1, -1))
attempt("utime", lambda: os.utime(file))
attempt("setxattr", lambda: os.setxattr(file, "user.a", b"1"))
attempt("removexattr", lambda: os.removexattr(file, "user.a"))
attempt("shared memory", lambda: mmap.mmap(-1, 4096))
attempt("private memory", lambda: mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
attempt("a shared file", lambda: mmap.mmap(descriptor, 4))
attempt("memory as a file", lambda: os.memfd_create("m"))
if is_filtered:  # elsewhere it would stay
    attempt("System V's memory", lambda: call_by_number(SHMGET[0], 0, 4096, 0o1600))
attempt("a limit of this process", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)))
attempt("a descriptor's copy", lambda: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 0))
thread = threading.Thread(target=found.setdefault, args=("a thread", "done"))
thread.start()
thread.join()
print(json.dumps(found), flush=True)
os.abort()
"""
_ALLOWED = {
    *("its own: tgkill", "its own: prlimit", "its own: affinity", "its own: scheduler", "its own: scheduling"),
    *("a limit of this process", "a descriptor's copy", "a thread", "private memory", "a shared file"),
}


@pytest.fixture
def another_process() -> Iterator[int]:
    """Yield the id of a process that belongs to the same user."""
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        yield process.pid
        process.kill()


def _tried(another_process: int, file: Path, how: str) -> dict[str, str]:
    file.write_text("kept")
    command = [sys.executable, "-I", "-c", _SCRIPT, str(another_process), str(file), how]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)  # our own
    assert answer.returncode == -6, answer.stderr  # abort() still ends it
    found: dict[str, str] = json.loads(answer.stdout)
    return found


def test_signals_limits_and_schedules_are_for_its_own_process_and_files_keep_their_mode(
    another_process: int, tmp_path: Path
) -> None:
    file = tmp_path / "file"

    found = _tried(another_process, file, "filtered")

    assert {name for name, came in found.items() if came == "done"} == _ALLOWED
    assert {came for name, came in found.items() if name not in _ALLOWED} == {"EPERM"}
    assert file.stat().st_mode & 0o777 != 0o777


def test_all_of_it_is_possible_without_the_filter(another_process: int, tmp_path: Path) -> None:
    found = _tried(another_process, tmp_path / "file", "unfiltered")

    assert {name for name, came in found.items() if came != "done"} <= {"setxattr", "removexattr"}  # not everywhere
