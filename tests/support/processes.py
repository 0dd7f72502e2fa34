"""Processes as the kernel lists them, any of which may end between two looks, and ports for those that start again."""

import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
