"""Workers with kinds of jobs that tests need: ``python -m tests.support.job_kinds``, or a fork of one that waits.

Followed by a number, it is a parent that forks this number of them.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from observability.logs import log_json_lines
from schemas.contract import Contract, built_messages
from storage.errors import NotFound, StorageUnavailable
from tree_explainers.compute.compiled import compiled, loaded_loops
from tree_explainers.errors import InvalidInput
from workers.main import run_worker, run_workers
from workers.runtime.context import JobContext, Produced
from workers.runtime.settings import WorkerSettings

from .worker_template import is_forked_worker


@compiled
def _number_of(number: int) -> int:
    return number


def succeed(context: JobContext) -> Produced:
    context.report(0.5, "half")
    number = int(context.rng.integers(1_000_000))
    return Produced(b'{"number":%d}' % number, b"arrays")


def refuse(_context: JobContext) -> Produced:
    detail = "alpha is 7, but must be between 0 and 1"
    raise InvalidInput(detail)


def miss_the_dataset(_context: JobContext) -> Produced:
    noun = "dataset"
    raise NotFound(noun, "ds_gone")


def break_down(_context: JobContext) -> Produced:
    inner_working = "/etc/inner/working"
    raise RuntimeError(inner_working)


def run_out_of_memory(_context: JobContext) -> Produced:
    return Produced(bytes(4 << 30))


def make_too_much(_context: JobContext) -> Produced:
    return Produced(bytes((32 << 20) + 1))


def count_runs(context: JobContext) -> Produced:
    _leave_a_trace(context)
    return Produced(b"{}")


def report_for_long(context: JobContext) -> Produced:
    _leave_a_trace(context)
    for step in range(600):
        context.report(step / 600, "counting")
        time.sleep(0.1)
    return Produced(b"{}")


def run_for_two_seconds(context: JobContext) -> Produced:
    _leave_a_trace(context)
    time.sleep(2)
    return Produced(b"{}")


def die_with_the_first_worker(context: JobContext) -> Produced:
    if _leave_a_trace(context) == 1:
        time.sleep(60)
    return Produced(b"{}")


def hang_in_native_code(context: JobContext) -> Produced:
    _leave_a_trace(context)
    # Loaded so that the interpreter's lock is held: no Python code and no signal handler runs meanwhile.
    ctypes.PyDLL(None).sleep(60)
    return Produced(b"{}")


def sleep_a_little(context: JobContext) -> Produced:
    for step in range(5):
        context.report(step / 5, "sleeping")
        time.sleep(0.05)
    return Produced(context.artefact.encode())


def die_once(context: JobContext) -> Produced:
    if _leave_a_trace(context) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return Produced(b"{}")


def find_storage_away_for_long(context: JobContext) -> Produced:
    if _leave_a_trace(context) <= 5:  # more often than a job may lose its process
        detail = "the disk does not answer"
        raise StorageUnavailable(detail)
    return Produced(b"{}")


def die_always(context: JobContext) -> Produced:
    _leave_a_trace(context)
    os.kill(os.getpid(), signal.SIGKILL)
    return Produced(b"{}")


def fork_for_help(context: JobContext) -> Produced:
    _leave_a_trace(context)
    if os.fork() == 0:
        _leave_a_trace(context)
        if os.fork() == 0:
            _leave_a_trace(context)
        time.sleep(60)
    time.sleep(60)
    return Produced(b"{}")


def compete_for_a_processor(context: JobContext) -> Produced:
    """Go on for a minute, on one processor that four other processes want as much."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    is_rival = any(os.fork() == 0 for _ in range(4))
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not is_rival:
            context.report(0.5, "competing")
    return Produced(b"{}")


def start_a_program_and_end(context: JobContext) -> Produced:
    program = subprocess.Popen(["sleep", "60"])  # noqa: S607  # whichever sleep there is
    Path(context.request["traces"]).write_text(f"{program.pid}\n")
    return Produced(b"{}")


def write_files(context: JobContext) -> Produced:
    _leave_a_trace(context)
    (context.workspace / "rows").write_bytes(b"some rows")
    (context.workspace / "scratch").write_bytes(bytes(1000))
    time.sleep(context.request.get("seconds", 0))
    return Produced(b"{}", files={"rows.csv": context.workspace / "rows"})


def fill_the_disk(context: JobContext) -> Produced:
    (context.workspace / "rows").write_bytes(bytes(1 << 30))
    return Produced(b"{}")


def use_a_loop_and_a_message(_context: JobContext) -> Produced:
    n_loaded = sum(name.endswith("._number_of") for name, _ in loaded_loops())
    n_built = sum(name.endswith("._Message") for name in built_messages())
    _number_of(1)
    _Message(number=1)
    return Produced(b'{"n_loaded":%d,"n_built":%d}' % (n_loaded, n_built))


class _Message(Contract):
    number: int


def return_much(_context: JobContext) -> Produced:
    return Produced(b"{}", bytes(100 << 20))


def _leave_a_trace(context: JobContext) -> int:
    traces = Path(context.request["traces"])
    with traces.open("a") as file:
        file.write(f"{os.getpid()}\n")
    return len(traces.read_text().splitlines())


KINDS = {
    kind.__name__: kind
    for kind in (
        succeed,
        refuse,
        miss_the_dataset,
        break_down,
        run_out_of_memory,
        make_too_much,
        count_runs,
        report_for_long,
        run_for_two_seconds,
        die_with_the_first_worker,
        hang_in_native_code,
        sleep_a_little,
        die_once,
        find_storage_away_for_long,
        die_always,
        fork_for_help,
        compete_for_a_processor,
        start_a_program_and_end,
        write_files,
        fill_the_disk,
        return_much,
        use_a_loop_and_a_message,
    )
}


def main() -> None:
    if not is_forked_worker():
        return
    settings = WorkerSettings()
    log_json_lines(settings.log_level)
    if sys.argv[1:]:
        run_workers(settings, KINDS, int(sys.argv[1]))
    else:
        run_worker(settings, KINDS)


if __name__ == "__main__":
    main()
