"""Work that holds the interpreter's lock, shared by processes; ``tree_explainers.compute.threads`` shares the rest.

The processes are forks of a job's own process, in its process group: they know all that it has read, end with it, and
have its limits. Results come back as plain bytes through a pipe; nothing is pickled.
"""

import gc
import os
import signal
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn

import orjson

from storage.errors import StorageError
from tree_explainers.errors import ExplainerError

from .process_limits import end_with_parent, sharing_memory

Bytes = bytes | memoryview
Work = Callable[[int], Sequence[Bytes]]
"""Makes something of the item with this index, in parts."""

_POLL_SECONDS = 0.25
_OUT_OF_MEMORY, _OURS = "out_of_memory", "internal_error"


class ProcessLost(BaseException):
    """A process was killed from outside.

    It is no ``Exception``: the attempt ends as if its own process had been killed, and is tried again as often.
    """


def in_processes(
    work: Work, n_items: int, n_processes: int, poll: Callable[[], None]
) -> Generator[list[bytes], None, None]:
    """Yield what ``work`` makes of items 0, 1, …, in their order.

    Process p works on the items p, p + n_processes, …, one ahead of what is taken from it. Whatever ends the iteration
    (the caller by closing it, or an item that fails), no process is left. An item that is alone is worked on by the
    calling process.

    Parameters
    ----------
    work
        Called in the processes. It must use no connection, and no file that it has not opened itself.
    n_items
        Number of items.
    n_processes
        Number of processes.
    poll
        Called every moment while nothing comes; what it raises ends the iteration.

    Raises
    ------
    ExplainerError, StorageError, MemoryError
        What ``work`` raises, with its code and detail.
    RuntimeError
        If it raises anything else; the message has its traceback.
    ProcessLost
        If a process is killed.
    """
    n_processes = min(n_processes, n_items)
    if n_processes <= 1:
        yield from ([bytes(part) for part in work(item)] for item in range(n_items))
        return
    with sharing_memory(n_processes + 1):
        processes: list[_Process] = []
        try:
            for first in range(n_processes):
                processes.append(_fork(work, range(first, n_items, n_processes)))  # noqa: PERF401  # all are ended
            for item in range(n_items):
                yield processes[item % n_processes].receive(poll)
        finally:
            for process in processes:
                process.end()


@dataclass(slots=True)
class _Process:
    """A forked process, as its parent knows it."""

    pid: int
    results: "Connection[Any, Any]"

    def receive(self, poll: Callable[[], None]) -> list[bytes]:
        """Return the parts of the next result."""
        while not self.results.poll(_POLL_SECONDS):
            poll()
        try:
            header = orjson.loads(self.results.recv_bytes())
            if "n_parts" in header:
                return [self.results.recv_bytes() for _ in range(header["n_parts"])]
        except (EOFError, OSError) as end:
            raise ProcessLost from end
        raise _error(**header)

    def end(self) -> None:
        """End the process, if it has not ended."""
        self.results.close()
        os.kill(self.pid, signal.SIGKILL)  # it is not reaped before the next line: its id is still its own
        os.waitpid(self.pid, 0)


def _error(error: str, detail: str) -> Exception:
    if error == _OUT_OF_MEMORY:
        return MemoryError()
    return RuntimeError(f"a process of the job failed: {detail}") if error == _OURS else StorageError(error, detail)


def _fork(work: Work, items: Iterable[int]) -> _Process:
    results, sender = Pipe(duplex=False)
    parent_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        _work_and_exit(work, items, sender, parent_pid)
    sender.close()  # so that its end is noticed when the process is gone, and before others inherit it
    return _Process(pid, results)


def _work_and_exit(work: Work, items: Iterable[int], sender: "Connection[Any, Any]", parent_pid: int) -> NoReturn:
    try:
        end_with_parent(parent_pid, signal.SIGKILL)
        gc.freeze()  # what was there before is shared with the parent as long as nobody touches it
        for item in items:
            parts = work(item)
            sender.send_bytes(orjson.dumps({"n_parts": len(parts)}))
            for part in parts:
                sender.send_bytes(part)
    except (ExplainerError, StorageError) as error:
        sender.send_bytes(orjson.dumps({"error": error.code, "detail": error.detail}))
    except MemoryError:
        sender.send_bytes(orjson.dumps({"error": _OUT_OF_MEMORY, "detail": ""}))
    except Exception:  # noqa: BLE001  # the edge of a process
        sender.send_bytes(orjson.dumps({"error": _OURS, "detail": traceback.format_exc()}))
    finally:
        # Not sys.exit: the exit handlers of the process that was forked must not run in this one.
        os._exit(os.EX_OK)
