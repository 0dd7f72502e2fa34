"""``leafspace serve`` for the time of a benchmark."""

import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE_SECONDS = 60


@contextmanager
def served(*arguments: str, python: str = sys.executable) -> Iterator[str]:
    """Yield the base URL of a service in an empty data directory; stop it afterwards."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        options = ["--port", str(port), "--data-dir", f"{folder}/data", *arguments]
        # Its log goes to a file, as it would be kept: a terminal takes longer to show it.
        with Path(folder, "log").open("wb") as log:
            command = [python, "-m", "leafspace", "serve", *options]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until_ready(url)
            yield url
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def wait_until_ready(url: str) -> float:
    """Return the seconds until ``/readyz`` says 200."""
    start = time.perf_counter()
    while time.perf_counter() - start < _PATIENCE_SECONDS:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=1):
                return time.perf_counter() - start
        except (urllib.error.URLError, OSError):
            time.sleep(0.01)
    message = f"{url} was not ready after {_PATIENCE_SECONDS} s"
    raise TimeoutError(message)
