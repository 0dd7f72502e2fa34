"""A real nginx of a test's own, with the configuration that operators are given.

Where nginx is not installed, the tests that need it skip and say so; with ``LEAFSPACE_REQUIRE_PROXY=1`` they fail.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from .patience import PATIENCE_SECONDS
from .processes import children_of, command_of, kept_port
from .storage_servers import ends_with_us, wait_until_it_answers

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"
_REQUIRED = "LEAFSPACE_REQUIRE_PROXY"
_SELF_SIGNED = "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout leafspace.key -out leafspace.pem -subj"
_NAME = "/CN=localhost"
# Debian's nginx is built to write elsewhere, and would leave root, who alone may read a test's folder.
_AROUND = """daemon off;
user root;
worker_processes 2;
pid {folder}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/leafspace.conf;
}}
"""


class Nginx:
    """An nginx on a port of its own, before hosts that are processes of this machine.

    Parameters
    ----------
    ports
        Those of the hosts, each in a line as that of ``leafspace-1:8000``, in the place of all such lines.
    tls
        Whether callers speak TLS, as the configuration has it; ``certificate`` is the file of its certificate.
    """

    def __init__(self, folder: Path, ports: Sequence[int], *, tls: bool = True) -> None:
        self._program = _nginx_program()
        folder.mkdir()
        self._folder, self._ports, self._tls = folder, ports, tls
        self._log = folder / "error.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = kept_port()
        self.certificate = folder / "leafspace.pem"

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://localhost:{self.port}"

    @property
    def process_id(self) -> int:
        """That of the master."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        command = [str(shutil.which("openssl")), *_SELF_SIGNED.split(), _NAME]
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)  # ours
        (self._folder / "nginx.conf").write_text(_AROUND.format(folder=self._folder))
        self._write(())
        nginx = [self._program, "-c", str(self._folder / "nginx.conf"), "-e", str(self._log)]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen([*ends_with_us(), *nginx], stdout=output, stderr=output)  # ours
        wait_until_it_answers(lambda: socket.create_connection(("localhost", self.port)).close(), OSError, self._log)

    def send_no_calls_to(self, *ports: int) -> None:
        """Read a configuration again in which the hosts of these ports are down; what is under way is answered."""
        assert self._process is not None
        workers = children_of(self._process.pid)
        self._write(ports)
        self._process.send_signal(signal.SIGHUP)
        wait_until_it_answers(lambda: _look_that_they_end(workers), AssertionError, self._log)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            assert self._process.wait(PATIENCE_SECONDS) == 0, self._log.read_text()

    def _write(self, ports_out: Sequence[int]) -> None:
        replacements = {
            "listen 443 ssl;": f"listen {self.port}{' ssl' if self._tls else ''};",
            "/etc/nginx/": f"{self._folder}/",
        }
        text = CONFIGURATION.read_text()
        for theirs, ours in replacements.items():
            assert theirs in text
            text = text.replace(theirs, ours)
        first, *others = re.findall(r" *server leafspace-\d:8000.*;\n", text)
        downs = dict.fromkeys(ports_out, " down")
        hosts = (f"127.0.0.1:{port}{downs.get(port, '')}" for port in self._ports)
        text = text.replace(first, "".join(first.replace("leafspace-1:8000", host) for host in hosts))
        for other in others:
            text = text.replace(other, "")
        (self._folder / "leafspace.conf").write_text(text)


def _look_that_they_end(workers: Sequence[int]) -> None:
    commands = [command_of(worker) for worker in workers]
    assert all(not command or "shutting down" in command for command in commands)


def _nginx_program() -> str:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        reason = "nginx is not installed; with Debian: apt-get install nginx-light"
        if os.environ.get(_REQUIRED) == "1":
            pytest.fail(f"{_REQUIRED} is set, and {reason}")
        pytest.skip(reason)
    return program
