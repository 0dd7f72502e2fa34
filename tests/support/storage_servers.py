"""Servers that tests of storage need: PostgreSQL and an S3 store, each a real process of the test session's own.

Where one is not installed, the tests that need it skip and say so; with ``LEAFSPACE_REQUIRE_STORAGE=1`` they fail
instead, so that a build that should have tried them cannot pass without.
"""

import os
import shutil
import signal
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

from .processes import children_of, kept_port
from .raw_http import NO_TLS

_PATIENCE_SECONDS = 300
_UNSAFE_BUT_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
S3_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


class PostgresqlServer:
    """A PostgreSQL that listens on a socket in a folder of its own; stopped, it keeps its rows for the next start."""

    def __init__(self) -> None:
        self._programs = _postgresql_programs()
        self._owner = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        self._folder = Path(tempfile.mkdtemp(prefix="leafspace-postgresql-"))
        if self._owner is not None:
            shutil.chown(self._folder, self._owner)
        self._where = f"leafspace@/postgres?host={self._folder}"
        self._process: subprocess.Popen[bytes] | None = None
        options = ["-U", "leafspace", "-A", "trust", "-E", "UTF8", "--no-sync"]
        command: list[str | Path] = [self._programs / "initdb", "-D", self._data, *options]
        subprocess.run(command, check=True, user=self._owner, cwd=self._folder, stdout=subprocess.DEVNULL)

    @property
    def url(self) -> str:
        """The URL of its first database."""
        return f"postgresql+psycopg://{self._where}"

    def start(self) -> None:
        settings = [argument for setting in ("listen_addresses=", *_UNSAFE_BUT_FAST) for argument in ("-c", setting)]
        server: list[str | Path] = [self._programs / "postgres", "-D", self._data, "-k", self._folder, *settings]
        log = self._folder / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(  # found above
                [*ends_with_us(), *server], user=self._owner, cwd=self._folder, stdout=output, stderr=output
            )
        wait_until_it_answers(
            lambda: psycopg.connect(f"postgresql://{self._where}").close(), psycopg.OperationalError, log
        )

    def stop(self) -> None:
        """Stop it at once, whatever is still connected."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_PATIENCE_SECONDS)
            self._process = None

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Let no process of the server do anything: its sockets are there, and silent."""
        assert self._process is not None
        server = self._process.pid
        # The server first: what it starts meanwhile would not stand still.
        os.kill(server, signal.SIGSTOP)
        processes = [server, *children_of(server)]
        try:
            for process in processes:
                _signal(process, signal.SIGSTOP)
            yield
        finally:
            for process in processes:
                _signal(process, signal.SIGCONT)

    def remove(self) -> None:
        """Stop it for good."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self._folder / "data"


def _signal(process: int, number: signal.Signals) -> None:
    # One that served a client who is gone may have ended meanwhile.
    with suppress(ProcessLookupError):
        os.kill(process, number)


@contextmanager
def running_postgresql() -> Iterator[PostgresqlServer]:
    """Yield a new server, which may be stopped and started again."""
    server = PostgresqlServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Yield the URL of a new server's first database."""
    with running_postgresql() as server:
        yield server.url


class S3Server:
    """An S3 store in a process; it forgets everything when it is stopped."""

    def __init__(self, directory: Path) -> None:
        self._program = _s3_program()
        self._log = directory / "s3.log"
        self._port = kept_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a client of this server has in its environment."""
        return {**S3_ENVIRONMENT, "AWS_ENDPOINT_URL": self.url}

    def start(self) -> None:
        command: list[str | Path] = [*ends_with_us(), self._program, "-H", "127.0.0.1", "-p", str(self._port)]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output)  # found above
        wait_until_it_answers(lambda: httpx.get(self.url, verify=NO_TLS), httpx.TransportError, self._log)

    def make_bucket(self, name: str) -> None:
        answer = httpx.put(f"{self.url}/{name}")
        assert answer.status_code == 200, answer.text

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(_PATIENCE_SECONDS)


def ends_with_us() -> list[str]:
    """Return the beginning of a command whose process shall not outlive this one."""
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
        cannot_be_had("there is no S3 server to use; make s3-server installs one")
    return program


def wait_until_it_answers(attempt: Callable[[], object], not_yet: type[Exception], log: Path) -> None:
    """Repeat an attempt until it succeeds; where it never does, the end of the log says why."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        with suppress(not_yet):
            attempt()
            return
        time.sleep(0.05)
    pytest.fail(f"it did not start: {log.read_text()}")
