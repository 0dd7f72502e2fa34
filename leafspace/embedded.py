"""The whole service in one command: Redis, the API and workers, each a process of its own."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from storage.database_file import fault_of
from storage.reserve import set_aside

from .data_directory import opened
from .errors import CannotServe
from .listening import check_keys, free_port, url_of
from .processes import start_process
from .redis_server import RedisServer, find_redis_binary
from .supervisor import Child, Supervisor

READY = "Leafspace is ready at "
REQUIRE_KEYS = "LEAFSPACE_REQUIRE_KEYS"
_SQLITE = "sqlite:///"
_YES = frozenset({"1", "true", "yes", "on", "t", "y"})  # as the API's settings read it
_SECONDS_TO_ANSWER = 1
_STARTS_BEFORE_GIVING_UP = 3
_DRAIN_SECONDS = ("LEAFSPACE_DRAIN_SECONDS", 0.5)  # name and default, as the API's settings have them
_SECONDS_AFTER_DRAINING = 7.0  # the API gives requests under way 5 s, and has 2 to close what is open
_REDIS_PATIENCE_SECONDS = 2.0
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What ``leafspace serve`` was asked for."""

    host: str
    port: int  # 0: any free one
    data_dir: Path
    n_workers: int


def serve(options: ServeOptions) -> None:
    """Serve until SIGTERM or Ctrl-C.

    Raises
    ------
    CannotServe
        If something outside has to change first.
    """
    with opened(options.data_dir) as data_dir:
        _check_database_file(data_dir)
        set_aside(data_dir)
        asked = os.environ.get(REQUIRE_KEYS, "0").lower() in _YES
        check_keys(options.host, are_asked_for=asked, there_are_keys=lambda: _there_are_keys(data_dir))
        port = free_port(options.host, options.port)
        with _redis(data_dir) as (redis_url, redis_children):
            environment = child_environment(data_dir, redis_url)
            api = _api(environment, options.host, port)
            workers = [_worker(environment, number) for number in range(1, options.n_workers + 1)]
            Supervisor([*redis_children, api, *workers]).run(
                is_ready=lambda: _is_ready(api, options.host, port),
                announce=lambda: click.echo(f"{READY}{url_of(options.host, port)}"),
            )


def child_environment(data_dir: Path, redis_url: str) -> dict[str, str]:
    """Return this process's environment with what the API and the workers read from it."""
    defaults = {
        "NUMBA_THREADING_LAYER": "workqueue",
        "NUMBA_CACHE_DIR": str(_cache_dir(data_dir)),
        "ORT_DISABLE_TELEMETRY": "1",  # models are nobody else's business
        **dict.fromkeys(_ONE_THREAD, "1"),
    }
    given = {"LEAFSPACE_DATA_DIR": str(data_dir), "LEAFSPACE_REDIS_URL": redis_url}
    return {**defaults, **os.environ, **given}


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs one of our modules, whatever lies in the current folder."""
    return [sys.executable, "-P", "-m", module, *arguments]


def _check_database_file(data_dir: Path) -> None:
    url = os.environ.get("LEAFSPACE_DATABASE_URL")
    if url is None or url.startswith(_SQLITE):
        fault = fault_of(data_dir / "leafspace.db" if url is None else Path(url.removeprefix(_SQLITE)))
        if fault is not None:
            raise CannotServe(fault)


def _there_are_keys(data_dir: Path) -> bool:
    # In a process of its own: the libraries that read a database would stay in this one for good.
    command = module_command("leafspace", "keys", "count", "--data-dir", str(data_dir))
    counted = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own command
    if counted.returncode:
        raise CannotServe(counted.stderr.removeprefix("Error: ").strip())
    return int(counted.stdout) > 0


@contextmanager
def _redis(data_dir: Path) -> Iterator[tuple[str, list[Child]]]:
    given = os.environ.get("LEAFSPACE_REDIS_URL")
    if given:
        yield given, []
        return
    server = RedisServer(data_dir / "redis", find_redis_binary())
    try:
        # Stopped last: those that stop first may still have something to tell it.
        yield server.url, [Child("redis", server.start, stop_order=2, patience_seconds=_REDIS_PATIENCE_SECONDS)]
    finally:
        server.discard_socket()


def _api(environment: dict[str, str], host: str, port: int) -> Child:
    command = module_command("service", "--host", host, "--port", str(port))
    patience_seconds = _drain_seconds(environment) + _SECONDS_AFTER_DRAINING
    return Child("api", _starter(command, environment, signal.SIGKILL), 1, patience_seconds)


def _drain_seconds(environment: Mapping[str, str]) -> float:
    name, default = _DRAIN_SECONDS
    try:
        return float(environment.get(name, default))
    except ValueError:
        return default  # the API says what is wrong with it, and does not start


def _worker(environment: dict[str, str], number: int) -> Child:
    # It is asked to stop rather than killed, so that it hands its job back.
    start = _starter(module_command("workers"), environment, signal.SIGTERM)
    return Child(f"worker {number}", start, 1, _SECONDS_AFTER_DRAINING)


def _starter(
    command: list[str], environment: dict[str, str], at_our_end: signal.Signals
) -> Callable[[], "subprocess.Popen[bytes]"]:
    return lambda: start_process(command, environment=environment, signal_at_our_end=at_our_end)


def _is_ready(api: Child, host: str, port: int) -> bool:
    if api.n_ends >= _STARTS_BEFORE_GIVING_UP:
        message = f"the API ended {api.n_ends} times before it was ready; what it printed above says why"
        raise CannotServe(message)
    connection = http.client.HTTPConnection(_reachable(host), port, timeout=_SECONDS_TO_ANSWER)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with, not listened on


def _cache_dir(data_dir: Path) -> Path:
    # Compiled code is the same for every data directory; where there is no home, the data directory will do.
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "leafspace"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return data_dir / "cache"
    return cache if os.access(cache, os.W_OK) else data_dir / "cache"
