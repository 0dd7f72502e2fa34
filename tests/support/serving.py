"""A whole service of a test session's own: `leafspace serve` with API, Redis and one worker, each a real process."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx
import pytest

from .patience import PATIENCE_SECONDS
from .processes import children_of, command_of
from .raw_http import NO_TLS

_COMMAND = (sys.executable, "-m", "leafspace", "serve", "--port", "0", "--workers", "1")
_REDIS_SERVERS = ("valkey-server", "redis-server")
_READY = "Leafspace is ready at "


@dataclass(frozen=True)
class Service:
    """A service that answers."""

    url: str
    process: "subprocess.Popen[str]"
    data_dir: Path
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def children(self) -> dict[str, int]:
        """Return the process ids of Redis, the parents of API and workers, and the first that each has forked."""
        names = {
            "-m leafspace.apis": "apis",
            "-m workers": "workers",
            "valkey-server": "redis",
            "redis-server": "redis",
        }
        found: dict[str, int] = {}
        for child in children_of(self.process.pid):
            command = command_of(child)
            found |= {label: child for name, label in names.items() if name in command}
        for part, parent in (("api", "apis"), ("worker", "workers")):
            forked = children_of(found[parent]) if parent in found else []
            if forked:
                found[part] = forked[0]
        return found


@contextmanager
def serving(data_dir: Path, *options: str, **environment: str) -> Iterator[Service]:
    """Yield a service on a free port, with options besides those of every test's; all of it is stopped at the end."""
    not_its_own = ("LEAFSPACE_", "OMP_", "OPENBLAS_")  # conftest.py sets the last two, for test processes
    own = {name: value for name, value in os.environ.items() if not name.startswith(not_its_own)}
    log = data_dir.with_name(f"{data_dir.name}.log")
    with log.open("wb") as errors:
        process = subprocess.Popen(  # our own command
            [*_COMMAND, "--data-dir", str(data_dir), *options],
            env={"LEAFSPACE_WORKER_NICENESS": "0", **own, **environment},
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        line = process.stdout.readline() if process.stdout else ""
        assert line.startswith(_READY), f"the service did not start: {line!r} {log.read_text()}"
        url = line.removeprefix(_READY).strip()
        # A test may have the object store away.
        assert "redis" not in httpx.get(f"{url}/readyz", verify=NO_TLS).raise_for_status().json()["degraded"]
        yield Service(url, process, data_dir, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(PATIENCE_SECONDS) == 0
        finally:
            process.kill()
            process.communicate()


class Running(Protocol):
    """A service, or what a test knows of it."""

    @property
    def url(self) -> str: ...
    @property
    def process(self) -> "subprocess.Popen[str]": ...


RunningT = TypeVar("RunningT", bound=Running)


class SharedServices:
    """Services that several test modules share: started once, and again if one has failed.

    Parameters
    ----------
    folders
        Where each gets its data directory.
    """

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders
        self._running: dict[str, tuple[Any, ExitStack]] = {}

    def running(self, name: str, start: Callable[[Path], AbstractContextManager[RunningT]]) -> RunningT:
        """Return the service of this name, which is started in a data directory unless it runs."""
        if name in self._running and not _answers(self._running[name][0]):
            self._stop(name)
        if name not in self._running:
            with ExitStack() as stack:
                service = stack.enter_context(start(self._folders.mktemp("shared") / name))
                self._running[name] = (service, stack.pop_all())
        found: RunningT = self._running[name][0]
        return found

    def stop(self) -> None:
        """Stop all of them."""
        for name in list(self._running):
            self._stop(name)

    def _stop(self, name: str) -> None:
        _, stack = self._running.pop(name)
        stack.close()


def _answers(service: Running) -> bool:
    try:
        answer = httpx.get(f"{service.url}/readyz", timeout=PATIENCE_SECONDS, verify=NO_TLS)
    except httpx.HTTPError:
        return False
    return service.process.poll() is None and answer.status_code == httpx.codes.OK
