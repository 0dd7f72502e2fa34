"""A service that requires keys, a key for each scope, and a second API process on the same database."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from schemas.api_keys import ApiKeyRequest
from schemas.scopes import SCOPES, Scope
from storage.api_keys import ApiKeyStore
from storage.database import Database
from storage.settings import embedded

from .api import Api
from .databases import put_tables
from .patience import PATIENCE_SECONDS, when_idle
from .raw_http import NO_TLS
from .serving import serving


@dataclass(frozen=True)
class Guarded:
    """A service that requires keys, and a key for each scope: that of `admin` made on its machine, the others by it."""

    url: str
    data_dir: Path
    keys: dict[str, str]
    process: "subprocess.Popen[str]"

    def call(self, method: str, path: str, key: str | None = None, **more: object) -> httpx.Response:
        headers, url = {} if key is None else {"Authorization": f"Bearer {key}"}, f"{self.url}{path}"
        passed: dict[str, Any] = {"timeout": PATIENCE_SECONDS, **more}
        return httpx.request(method, url, headers=headers, verify=NO_TLS, **passed)

    def first_status(self, path: str, key: str) -> int:
        """Return the status with which an answer begins, and leave before its end."""
        headers = {"Authorization": f"Bearer {key}"}
        url, patience = f"{self.url}{path}", PATIENCE_SECONDS
        with httpx.stream("GET", url, headers=headers, verify=NO_TLS, timeout=patience) as answer:
            return answer.status_code

    def api(self, *scopes: str) -> Api:
        """Return a client with a key of these scopes."""
        client = Api(self.url)
        client.http.headers["Authorization"] = f"Bearer {self.new_key('client', *scopes)}"
        return client

    def new_key(self, name: str, *scopes: str) -> str:
        """Return the secret of a new key."""
        made = self.call("POST", "/v1/api-keys", self.keys["admin"], json={"name": name, "scopes": scopes})
        assert made.status_code == httpx.codes.CREATED, made.text
        return str(made.json()["secret"])


def _made_on_the_machine(data_dir: Path, scope: str) -> str:
    command = [sys.executable, "-m", "leafspace", "keys", "create", f"{scope} é", "--scope", scope]
    done = subprocess.run([*command, "--data-dir", str(data_dir)], capture_output=True, text=True, check=True)  # ours
    return done.stdout.strip()


def keys_of_new(data_dir: Path, n_keys: int, *scopes: Scope) -> list[str]:
    """Return the secrets of keys for a service that is still to be started in a new data directory."""
    data_dir.mkdir(mode=0o700)
    put_tables(data_dir / "leafspace.db")
    database = Database(embedded(data_dir).database_url)
    request = ApiKeyRequest(name="caller", scopes=list(scopes))
    secrets = [str(ApiKeyStore(database).add(request).secret) for _ in range(n_keys)]
    database.close()
    return secrets


@contextmanager
def serving_with_keys(data_dir: Path, **environment: str) -> Iterator[Guarded]:
    """Yield a service that requires keys."""
    keys = {"admin": _made_on_the_machine(data_dir, "admin")}
    # Tests have many requests refused, one after the other.
    often = {"LEAFSPACE_REFUSED_BURST": "100000", "LEAFSPACE_REQUIRE_KEYS": "1"}
    with serving(data_dir, **(often | environment)) as service:
        guarded = Guarded(service.url, data_dir, keys, service.process)
        for scope in map(str, SCOPES):
            if scope not in keys:
                keys[scope] = guarded.new_key(f"{scope} é", scope)
        yield guarded


@contextmanager
def second_process(guarded: Guarded) -> Iterator[Guarded]:
    """Yield another API process on the same database."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    environment = {
        "LEAFSPACE_DATA_DIR": str(guarded.data_dir),
        "LEAFSPACE_REDIS_URL": "redis://127.0.0.1:1/0",
        "LEAFSPACE_REQUIRE_KEYS": "1",
    }
    command = [sys.executable, "-m", "leafspace.apis", "--port", str(port)]
    with subprocess.Popen(command, env={**os.environ, **environment}, text=True) as process:  # ours
        other = Guarded(f"http://127.0.0.1:{port}", guarded.data_dir, guarded.keys, process)
        try:
            until(lambda: _answers(other), 30)
            yield other
        finally:
            process.terminate()


def _answers(service: Guarded) -> bool:
    try:
        return service.call("GET", "/v1/models", service.keys["read"]).status_code == 200
    except httpx.TransportError:
        return False


def until(is_so: Callable[[], bool], seconds: float) -> float:
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < when_idle(seconds)
        time.sleep(0.02)
    return time.monotonic() - began
