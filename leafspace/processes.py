"""Child processes that must not outlive this one."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from workers.runtime.process_limits import end_with_parent


def start_process(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    signal_at_our_end: signal.Signals = signal.SIGKILL,
    output: BinaryIO | None = None,
    pass_fds: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a process that gets ``signal_at_our_end`` when this one ends, even by kill -9.

    All that it writes goes to ``output``, by default to standard error.
    """
    return subprocess.Popen(  # commands are our own
        command,
        env=None if environment is None else dict(environment),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        # Standard output is for what this process itself has to say.
        stdout=output or sys.stderr,
        stderr=output,
        # Ctrl-C reaches this process alone, which then stops the others in the right order. They stay in its session:
        # where the kernel shares processors among sessions first, workers would otherwise not yield to the API.
        process_group=0,
        pass_fds=pass_fds,
        # This process has no other threads, so that code may run between fork and exec.
        preexec_fn=partial(_before_exec, os.getpid(), signal_at_our_end),  # noqa: PLW1509
    )


def _before_exec(parent_pid: int, signal_at_our_end: signal.Signals) -> None:
    # It has to stop at a signal, whatever signals our own parent ignored or blocked.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    end_with_parent(parent_pid, signal_at_our_end)
