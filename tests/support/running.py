"""A service for a while: started as a command would start it, stopped when its user is done."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from leafspace.embedded import READY, module_command
from leafspace.errors import CannotServe

from .patience import PATIENCE_SECONDS


@contextmanager
def running_service(data_dir: Path, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the address of a service on a free port of this machine; stop all of it at the end.

    Parameters
    ----------
    options
        More options of ``leafspace serve``.
    environment
        Variables to set besides those of this process.

    Raises
    ------
    CannotServe
        If the service does not start; what it printed says why.
    """
    process = start_service(data_dir, *options, environment=environment)
    try:
        yield wait_until_ready(process)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_SECONDS)


def start_service(
    data_dir: Path, *options: str, environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Start ``leafspace serve`` on a free port; it runs on its own from here on."""
    command = module_command("leafspace", "serve", "--port", "0", "--data-dir", str(data_dir), *options)
    everything = {**os.environ, **(environment or {})}
    return subprocess.Popen(command, env=everything, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)


def wait_until_ready(process: "subprocess.Popen[str]") -> str:
    """Return the address of a service that was just started, as soon as it can be used."""
    line = "" if process.stdout is None else process.stdout.readline()
    if not line.startswith(READY):
        message = f"the service did not start: it ended with {process.wait()}; what it printed says why"
        raise CannotServe(message)
    return line.removeprefix(READY).strip()
