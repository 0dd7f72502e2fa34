"""A whole service of a test session's own: `leafspace serve` with API, Redis and a worker, each a real process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

_READY = "Leafspace is ready at "
_SECONDS_TO_STOP = 10


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
        """Return the process ids of the API, the worker and Redis."""
        names = {"-m service": "api", "-m workers": "worker", "valkey-server": "redis", "redis-server": "redis"}
        found: dict[str, int] = {}
        for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            command = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            found |= {label: int(child) for name, label in names.items() if name in command}
        return found


@contextmanager
def serving(data_dir: Path, **environment: str) -> Iterator[Service]:
    """Yield a service on a free port, asked over HTTP whether it is ready; all of it ends within 10 s at the end."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("LEAFSPACE_")}
    log = data_dir.with_name(f"{data_dir.name}.log")
    with log.open("wb") as errors:
        process = subprocess.Popen(  # noqa: S603  # our own command
            [sys.executable, "-m", "leafspace", "serve", "--port", "0", "--data-dir", str(data_dir)],
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
        assert "redis" not in httpx.get(f"{url}/readyz").raise_for_status().json()["degraded"]
        yield Service(url, process, data_dir, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(_SECONDS_TO_STOP) == 0
        finally:
            process.kill()
            process.communicate()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return the session's service; with pytest-xdist each of its processes has one."""
    with serving(tmp_path_factory.mktemp("service") / "data dir é") as running:
        yield running
