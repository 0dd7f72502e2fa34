"""A real Redis of a test's own."""

import subprocess
from pathlib import Path

from leafspace.redis_server import RedisServer, find_redis_binary
from storage.job_notifications import JobNotifier


class OwnRedis:
    """The embedded server, started and stopped by a test."""

    def __init__(self, directory: Path) -> None:
        self._server = RedisServer(directory, find_redis_binary())
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def notifier(self) -> JobNotifier:
        return JobNotifier(self.url)

    def start(self) -> None:
        self._process = self._server.start()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._server.discard_socket()
