"""Servers that tests of storage need: PostgreSQL and an S3 store, each a real process of the test session's own.

Where one is not installed, the tests that need it skip and say so; with ``LEAFSPACE_REQUIRE_STORAGE=1`` they fail
instead, so that a build that should have tried them cannot pass without.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import pytest

_PATIENCE_SECONDS = 30
_UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
S3_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Yield the URL of a new server's first database; it listens on a socket in a folder of its own."""
    programs = _postgresql_programs()
    owner = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="leafspace-postgresql-"))
    if owner is not None:
        shutil.chown(folder, owner)
    data, log = folder / "data", folder / "log"
    initdb: list[str | Path] = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "leafspace",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
    ]
    subprocess.run(initdb, check=True, user=owner, cwd=folder, stdout=subprocess.DEVNULL)  # noqa: S603  # found above
    settings = [argument for setting in ("listen_addresses=", *_UNSAFE_BUT_FAST) for argument in ("-c", setting)]
    command: list[str | Path] = [*_ends_with_us(), programs / "postgres", "-D", data, "-k", folder, *settings]
    with log.open("wb") as output:
        server = subprocess.Popen(command, user=owner, cwd=folder, stdout=output, stderr=output)  # noqa: S603
    try:
        where = f"leafspace@/postgres?host={folder}"
        _wait_until(lambda: psycopg.connect(f"postgresql://{where}").close(), psycopg.OperationalError, log)
        yield f"postgresql+psycopg://{where}"
    finally:
        server.send_signal(signal.SIGINT)  # at once, whoever is still connected
        server.wait(_PATIENCE_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


class S3Server:
    """An S3 store in a process; it forgets everything when it is stopped."""

    def __init__(self, directory: Path) -> None:
        self._program = _s3_program()
        self._log = directory / "s3.log"
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a client of this server has in its environment."""
        return {**S3_ENVIRONMENT, "AWS_ENDPOINT_URL": self.url}

    def start(self) -> None:
        command: list[str | Path] = [*_ends_with_us(), self._program, "-H", "127.0.0.1", "-p", str(self._port)]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)  # noqa: S603  # found above
        _wait_until(lambda: httpx.get(self.url), httpx.TransportError, self._log)

    def make_bucket(self, name: str) -> None:
        answer = httpx.put(f"{self.url}/{name}")
        assert answer.status_code == 200, answer.text

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(_PATIENCE_SECONDS)


def _ends_with_us() -> list[str]:
    # Tests that are killed stop nothing.
    return ["setpriv", "--pdeathsig", "INT"] if shutil.which("setpriv") else []


def cannot_be_had(what: str) -> None:
    """Skip the test, or fail it where it must run."""
    if os.environ.get("LEAFSPACE_REQUIRE_STORAGE") == "1":
        pytest.fail(what)
    pytest.skip(what)


def _postgresql_programs() -> Path:
    on_path = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    found = [Path(on_path).resolve()] if on_path else debian[-1:]
    if not found:
        cannot_be_had("PostgreSQL is not installed; with Debian: apt-get install postgresql")
    return found[0].parent


def _s3_program() -> Path:
    program = Path(sys.prefix) / "s3-server" / "bin" / "moto_server"
    if not program.exists():
        cannot_be_had("there is no S3 server to ask; make s3-server installs one")
    return program


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def _wait_until(attempt: Callable[[], object], not_yet: type[Exception], log: Path) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        with suppress(not_yet):
            attempt()
            return
        time.sleep(0.05)
    pytest.fail(f"it did not start: {log.read_text()}")
