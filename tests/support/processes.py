"""Processes as the kernel lists them, any of which may end between two looks, and ports for those that start again."""

import itertools
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from leafspace.errors import CannotServe
from leafspace.listening import free_port

# A process that ends while its file is open has reading fail with ESRCH rather than ENOENT.
_GONE = (FileNotFoundError, ProcessLookupError)

# Below the ports that the kernel hands out by itself, so that no other server or client takes one between its choice
# and its use, or while its server is down; processes of tests begin at different places.
_KEPT_PORTS = range(15_000, 32_000)
_kept_ports = itertools.islice(itertools.cycle(_KEPT_PORTS), os.getpid() * 101 % len(_KEPT_PORTS), None)


def kept_port() -> int:
    """Return a free port of this machine that stays free while its server is not up."""
    for port in itertools.islice(_kept_ports, len(_KEPT_PORTS)):
        with suppress(CannotServe):
            return free_port("127.0.0.1", port)
    message = f"no port of {_KEPT_PORTS} is free"
    raise AssertionError(message)


def is_alive(pid: int) -> bool:
    """Whether the process runs: a zombie does not."""
    return _stat(pid)[:1] not in ([], ["Z"])


def parent_of(pid: int) -> int | None:
    """Return the parent of a process, if there is such a process."""
    fields = _stat(pid)
    return int(fields[1]) if fields else None


def children_of(pid: int) -> list[int]:
    """Return the children that a process has now, whichever of its threads started them."""
    children = [int(child) for task in _within(pid, "task") for child in _text(task / "children").split()]
    return [child for child in children if is_alive(child)]


def descendants_of(pid: int) -> set[int]:
    """Return the processes that a process started, and those that they started."""
    children = children_of(pid)
    return set(children).union(*map(descendants_of, children))


def fork_servers_of(pid: int) -> list[int]:
    """Return the processes that fork a child for each upload that a process has read."""
    return [child for child in children_of(pid) if "sandbox.fork_server" in command_of(child)]


def upload_children_of(pid: int) -> list[int]:
    """Return the processes that read uploads for a process now."""
    return [child for server in fork_servers_of(pid) for child in children_of(server)]


def command_of(pid: int) -> str:
    """Return the command of a process, its words parted by blanks; nothing when it is gone."""
    return _text(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")


def open_files_of(pid: int) -> list[str]:
    """Return the names of the files that a process has open."""
    found = []
    for link in _within(pid, "fd"):
        try:
            found.append(str(link.readlink()))
        except _GONE:
            continue
    return found


class Taken(NamedTuple):
    """What a process took."""

    n_bytes: int  # the most that it held of its own memory in use, less what it began with
    processor: float  # seconds


def do_in_a_fork(work: Callable[[], object]) -> Taken:
    """Do work in a fork of this process, which is looked at every two milliseconds; what fails there fails here."""
    pid = os.fork()
    if pid == 0:
        ends_with = 1
        try:
            work()
            ends_with = 0
        except Exception:  # noqa: BLE001  # the parent cannot show it
            traceback.print_exc()
        finally:
            os._exit(ends_with)
    first = most = own_bytes_of(pid)
    ended, status = 0, 0
    while not ended:
        most = max(most, own_bytes_of(pid))
        time.sleep(0.002)
        ended, status, usage = os.wait4(pid, os.WNOHANG)
    if status:
        message = f"the fork ended with {os.waitstatus_to_exitcode(status)}"
        raise AssertionError(message)
    return Taken(most - first, usage.ru_utime + usage.ru_stime)


def own_bytes_of(pid: int) -> int:
    """Return the memory of a process that is its own, and in use; 0 when it is gone."""
    lines = _text(Path(f"/proc/{pid}/status")).splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:")), 0)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


@contextmanager
def heeding(number: signal.Signals) -> Iterator[None]:
    """Start processes that heed a signal: a shell has those in the background ignore SIGINT, and tests with them."""
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def ignoring(*numbers: signal.Signals) -> Iterator[None]:
    """Start processes that ignore signals, as ``nohup`` and careless supervisors do it."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stat(pid: int) -> list[str]:
    """Return what follows the name of a process: its state, its parent, …; nothing when it is gone."""
    return _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()


def _within(pid: int, folder: str) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/{folder}").iterdir())
    except _GONE:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except _GONE:
        return ""
