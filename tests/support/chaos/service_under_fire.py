"""A whole service that may be killed part by part: ``leafspace serve`` on a port and a data directory that stay."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import httpx

from storage.settings import embedded
from tests.support.processes import children_of, command_of, is_alive, kept_port
from tests.support.raw_http import NO_TLS

Part = Literal["apis", "api", "workers", "worker", "redis", "job"]
_NAMES = {"-m leafspace.apis": "apis", "-m workers": "workers", "valkey-server": "redis", "redis-server": "redis"}
_SECONDS_TO_START = 300
_SECONDS_TO_STOP = 120


class ServiceUnderFire:
    """One supervisor, an API, a Redis and some workers, each a real process.

    Parameters
    ----------
    environment
        What to set besides; ``LEAFSPACE_REDIS_URL`` names a Redis of somebody else's.
    """

    def __init__(self, data_dir: Path, environment: Mapping[str, str] | None = None, n_workers: int = 2) -> None:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.data_dir = data_dir
        self.log = data_dir.with_name(f"{data_dir.name}.log")
        own = {name: value for name, value in os.environ.items() if not name.startswith("LEAFSPACE_")}
        self._environment = {**own, **(environment or {})}
        self._n_workers = n_workers
        self.port = kept_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Start the service; return the seconds until it was ready."""
        began = time.monotonic()
        arguments = ["--port", str(self.port), "--data-dir", str(self.data_dir), "--workers", str(self._n_workers)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # our own command
                [sys.executable, "-m", "leafspace", "serve", *arguments],
                env=self._environment,
                cwd=Path(__file__).parents[3],
                stdout=log,
                stderr=log,
            )
        try:
            self.wait_until_ready()
        except AssertionError:
            self.kill_all()
            raise
        return time.monotonic() - began

    def wait_until_ready(self) -> None:
        until = time.monotonic() + _SECONDS_TO_START
        while not self.is_ready():
            has_time = time.monotonic() < until and self.process is not None and self.process.poll() is None
            assert has_time, f"it does not start; its log ends:\n{self.log.read_text()[-2000:]}"
            time.sleep(0.02)

    def is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=2, verify=NO_TLS).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def stop(self) -> int:
        """Stop it as its owner would; return its status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(_SECONDS_TO_STOP)
        finally:
            self.process.kill()
            self.process.wait()

    def kill_all(self) -> None:
        """Kill -9 the supervisor, which answers for all the others."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def parts(self, part: Part) -> list[int]:
        """Return the processes of this part that run now; those of "apis" and "workers" fork "api" and "worker"."""
        forked_by: dict[Part, Part] = {"job": "worker", "worker": "workers", "api": "apis"}
        if part in forked_by:
            return [child for parent in self.parts(forked_by[part]) for child in children_of(parent)]
        own = [] if self.process is None else children_of(self.process.pid)
        return [pid for pid in own if _part_of(pid) == part]

    def signal(self, pid: int, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to one of its processes, which may have ended meanwhile."""
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    def wipe_messages(self) -> None:
        """Forget all that Redis wrote; to be called when it was just killed."""
        shutil.rmtree(self.data_dir / "redis" / "appendonlydir", ignore_errors=True)

    def processes(self) -> list[int]:
        """Return every other process that uses the data directory, whatever started it."""
        return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if self._uses_data(folder)]

    def workspaces(self) -> list[Path]:
        """Return what was left where jobs and uploads write before anything is kept."""
        return list((embedded(self.data_dir).objects_dir / "incoming").iterdir())

    def _uses_data(self, process: Path) -> bool:
        if int(process.name) == os.getpid() or not is_alive(int(process.name)):
            return False
        with suppress(OSError):
            if f"LEAFSPACE_DATA_DIR={self.data_dir}\0" in (process / "environ").read_text(errors="replace"):
                return True
            opened = [process / "cwd", *(process / "fd").iterdir()]
            return any(os.path.realpath(path).startswith(f"{self.data_dir}/") for path in opened)
        return False


def _part_of(pid: int) -> str | None:
    command = command_of(pid)
    return next((part for name, part in _NAMES.items() if name in command), None)
