"""A worker whose jobs die at a stage named in their request: ``python -m tests.support.chaos.dying_jobs``.

A job dies in its first attempt alone, and takes its worker along where that is requested.
"""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from observability.logs import log_json_lines
from storage.attempts import AttemptStore
from tests.support.job_kinds import KINDS
from workers.main import run_worker
from workers.runtime import lifecycle
from workers.runtime.context import JobContext, Produced
from workers.runtime.settings import WorkerSettings

STAGES = ("claimed", "computing", "files written", "objects half kept", "objects kept", "row changed", "committed")


def die_on_the_way(context: JobContext) -> Produced:
    """Make a result of all three sizes, and die at ``stage`` the first time."""
    stage = context.request["stage"] if _is_first(context) else ""
    die = _kill_the_worker if context.request["victim"] == "worker" else kill_this_process
    arm(stage, die)
    _at("claimed", stage, die)
    context.report(0.5, "computing")
    _at("computing", stage, die)
    (context.workspace / "rows").write_bytes(b"rows of " + context.artefact.encode())
    _at("files written", stage, die)
    files = {"rows": context.workspace / "rows"}
    return Produced(b"result of " + context.artefact.encode(), b"arrays of " + context.artefact.encode(), files)


def kill_the_worker_always(context: JobContext) -> Produced:
    """Never come to an end, and neither does the process."""
    _is_first(context)
    _kill_the_worker()
    return Produced(b"")


def report_the_attempt(context: JobContext) -> Produced:
    """Return which attempt this is: the first once the second has begun, which takes three seconds."""
    if _is_first(context):
        while _n_attempts(context) < 2:
            time.sleep(0.02)
        return Produced(b"1")
    for step in range(30):
        time.sleep(0.1)
        context.report(step / 30, "counting")
    return Produced(b"2")


def _is_first(context: JobContext) -> bool:
    for traces in (_traces_of(context), Path(context.request["traces"])):
        with traces.open("a") as file:
            file.write(f"{os.getpid()}\n")
    return _n_attempts(context) == 1


def _traces_of(context: JobContext) -> Path:
    return Path(f"{context.request['traces']}.{context.artefact}")


def _n_attempts(context: JobContext) -> int:
    return len(_traces_of(context).read_text().splitlines())


def _at(here: str, stage: str, die: Callable[[], None]) -> None:
    if here == stage:
        die()


def arm(stage: str, die: Callable[[], None]) -> None:
    """Have what the job's process does after the work die on its way; each function is one that it calls."""
    if stage == "objects half kept":
        _wrap(os, "fsync", die)
    elif stage == "objects kept":
        _wrap(AttemptStore, "succeed", die, is_called=False)
    elif stage == "things published":
        _wrap(lifecycle, "publish_things", die)
    elif stage == "row changed":
        _wrap(lifecycle, "publish", die)
    elif stage == "committed":
        _wrap(AttemptStore, "succeed", die)


def _wrap(owner: Any, name: str, die: Callable[[], None], *, is_called: bool = True) -> None:  # any
    function = getattr(owner, name)

    def call_and_die(*arguments: Any) -> None:  # its own
        if is_called:
            function(*arguments)
        die()

    setattr(owner, name, call_and_die)


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_the_worker() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    # The kernel ends this process with its worker; it must do nothing until then.
    time.sleep(60)


def main() -> None:
    settings = WorkerSettings()
    log_json_lines(settings.log_level)
    own = (die_on_the_way, kill_the_worker_always, report_the_attempt)
    run_worker(settings, {**KINDS, **{kind.__name__: kind for kind in own}})


if __name__ == "__main__":
    main()
