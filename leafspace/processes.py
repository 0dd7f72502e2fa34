"""Starting and stopping processes that must not outlive this one."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from workers.process_limits import end_with_parent


def start_process(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    signal_at_our_end: signal.Signals = signal.SIGKILL,
    output: BinaryIO | None = None,
) -> "subprocess.Popen[bytes]":
    """Start a process that gets ``signal_at_our_end`` when this one ends, even by kill -9.

    All that it writes goes to ``output``, by default to standard error.
    """
    return subprocess.Popen(  # noqa: S603  # commands are our own
        command,
        env=None if environment is None else dict(environment),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        # Standard output is for what this process itself has to say.
        stdout=output or sys.stderr,
        stderr=output,
        # Ctrl-C reaches this process alone, which then stops the others in the right order.
        start_new_session=True,
        # This process has no other threads, so that code may run between fork and exec.
        preexec_fn=partial(_before_exec, os.getpid(), signal_at_our_end),  # noqa: PLW1509
    )


def _before_exec(parent_pid: int, signal_at_our_end: signal.Signals) -> None:
    # It has to stop when it is asked to, whatever whoever started us ignored or blocked.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    end_with_parent(parent_pid, signal_at_our_end)


def stop_processes(processes: Iterable["subprocess.Popen[bytes]"], patience_seconds: float) -> None:
    """Ask all to end, wait, kill those that are left."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.terminate()
    until = monotonic() + patience_seconds
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - monotonic()))
    for process in running:
        _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        # Its group has its own children, too.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
