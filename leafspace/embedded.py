"""The whole service in one command: Redis, the API and workers, each a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from service.admission.shared_memory import n_bytes_for
from storage.database_file import belongs_to, fault_of, has_keys, keep_reserve
from workers.runtime.restarts import Restarts, StartsWithReadiness
from workers.runtime.supervisor import Child, Supervisor

from .apis import SECONDS_TO_CLOSE
from .compiled_code import cache_dir
from .data_directory import opened, was_killed
from .errors import CannotServe
from .listening import check_keys, free_port, is_ready, url_of
from .processes import start_process
from .redis_server import RedisServer, find_redis_binary

READY = "Leafspace is ready at "
REQUIRE_KEYS = "LEAFSPACE_REQUIRE_KEYS"
_SQLITE = "sqlite:///"
_YES = frozenset({"1", "true", "yes", "on", "t", "y"})  # as the API's settings read it
_SECONDS_TO_ANSWER = 1
_SECONDS_TO_LEAVE_PORT = 30  # of a busy machine
_STARTS_BEFORE_GIVING_UP = 3
# As the API's settings have them: how long it still answers, and then how long what is under way may take.
_SECONDS_OF_API = {"LEAFSPACE_DRAIN_SECONDS": 0.5, "LEAFSPACE_GRACE_SECONDS": 5.0}
_SECONDS_OF_PARENT = 0.5  # of the API processes, to see that they have ended
_SECONDS_OF_WORKERS = 7.0
_REDIS_PATIENCE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 2.0  # before the API or Redis is started again
_LONGEST_PAUSE_OF_WORKERS_SECONDS = 5.0
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of ``leafspace serve``."""

    host: str
    port: int  # 0: any free one
    data_dir: Path
    n_workers: int
    n_apis: int = 1  # API processes


def serve(options: ServeOptions) -> None:
    """Serve until SIGTERM or Ctrl-C.

    Raises
    ------
    CannotServe
        If something outside has to change first.
    """
    # Processes of a service that was killed end by themselves, but not before the next one starts.
    patience_seconds = _SECONDS_TO_LEAVE_PORT if was_killed(options.data_dir) else 0
    with opened(options.data_dir) as data_dir:
        _check_database(data_dir)
        keep_reserve(data_dir)
        required = os.environ.get(REQUIRE_KEYS, "0").lower() in _YES
        check_keys(options.host, are_required=required, there_are_keys=lambda: _there_are_keys(data_dir))
        port = free_port(options.host, options.port, patience_seconds)
        with _redis(data_dir) as (redis_url, redis_children):
            environment = child_environment(data_dir, redis_url)
            environment["LEAFSPACE_API_WORKERS"] = str(options.n_apis)
            api = _api(environment, options.host, port, options.n_apis)
            workers = [_workers(environment, options.n_workers)] if options.n_workers else []
            Supervisor([*redis_children, api, *workers]).run(
                is_ready=lambda: _is_ready(api, options.host, port),
                announce=lambda: click.echo(f"{READY}{url_of(options.host, port)}"),
            )


def child_environment(data_dir: Path, redis_url: str) -> dict[str, str]:
    """Return this process's environment with what the API and the workers read from it."""
    defaults = {
        "NUMBA_THREADING_LAYER": "workqueue",
        "NUMBA_CACHE_DIR": str(cache_dir(data_dir)),
        "ORT_DISABLE_TELEMETRY": "1",  # models are nobody else's business
        "PYDANTIC_DISABLE_PLUGINS": "__all__",  # they would be looked for in all that is installed
        **dict.fromkeys(_ONE_THREAD, "1"),
    }
    given = {"LEAFSPACE_DATA_DIR": str(data_dir), "LEAFSPACE_REDIS_URL": redis_url}
    return {**defaults, **os.environ, **given}


def n_workers_here() -> int:
    """Return the default number of workers on this machine."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(2, n_cores)


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs one of our modules, whatever lies in the current folder."""
    return [sys.executable, "-P", "-m", module, *arguments]


def _check_database(data_dir: Path) -> None:
    file = _database_file(data_dir)
    fault = None if file is None else fault_of(file)
    if fault is not None:
        raise CannotServe(fault)
    objects_dir = None if os.environ.get("LEAFSPACE_OBJECT_STORE_URL") else data_dir / "objects"
    if file is None or objects_dir is None or not belongs_to(file, objects_dir):
        _run_apart("check-database", data_dir)


def _there_are_keys(data_dir: Path) -> bool:
    file = _database_file(data_dir)
    found = None if file is None else has_keys(file)
    return int(_run_apart("keys count", data_dir)) > 0 if found is None else found


def _database_file(data_dir: Path) -> Path | None:
    """Return the file of an SQLite database; none for another."""
    url = os.environ.get("LEAFSPACE_DATABASE_URL")
    if url is None:
        return data_dir / "leafspace.db"
    return Path(url.removeprefix(_SQLITE)) if url.startswith(_SQLITE) else None


def _run_apart(command: str, data_dir: Path) -> str:
    """Return what a command of ours prints; refuse to serve for the reason for which it fails.

    It runs in a process of its own: the libraries that read a database would stay in this one for good.
    """
    whole = module_command("leafspace", *command.split(), "--data-dir", str(data_dir))
    ended = subprocess.run(whole, capture_output=True, text=True, check=False)  # our own command
    if ended.returncode:
        raise CannotServe(ended.stderr.removeprefix("Error: ").strip())
    return ended.stdout


@contextmanager
def _redis(data_dir: Path) -> Iterator[tuple[str, list[Child]]]:
    given = os.environ.get("LEAFSPACE_REDIS_URL")
    if given:
        yield given, []
        return
    server = RedisServer(data_dir / "redis", find_redis_binary())
    try:
        # Stopped last: those that stop first may still have something to report to it. It is started when it answers.
        restarts = Restarts(_LONGEST_PAUSE_SECONDS)
        yield server.url, [Child("redis", server.start, lambda: True, restarts, 2, _REDIS_PATIENCE_SECONDS)]
    finally:
        server.discard_socket()


def _api(environment: dict[str, str], host: str, port: int, n_processes: int) -> Child:
    """Return the parent of the API processes; of several, each listens to the same port and maps the same memory."""
    command = module_command("leafspace.apis", "--host", host, "--port", str(port))
    shared = () if n_processes == 1 else (_shared_memory(n_processes),)
    starts = StartsWithReadiness(
        lambda writer: start_process(
            [*command, *(f"--shared-fd={memory}" for memory in shared), "--ready-fd", str(writer)],
            environment=environment,
            pass_fds=(*shared, writer),
        )
    )
    # It has to outlive the API processes, which it waits for.
    patience_seconds = _seconds_of_api(environment) + SECONDS_TO_CLOSE + _SECONDS_OF_PARENT
    return Child("api", starts.start, starts.is_ready, Restarts(_LONGEST_PAUSE_SECONDS), 1, patience_seconds)


def _shared_memory(n_processes: int) -> int:
    """Return a file of the memory that several API processes share; it lives as long as this process."""
    if not hasattr(os, "memfd_create"):
        message = (
            "several API processes share their limits and metrics by memory that this system lacks: --api-workers 1"
        )
        raise CannotServe(message)
    shared = os.memfd_create("leafspace-api")
    os.ftruncate(shared, n_bytes_for(n_processes))
    return shared


def _seconds_of_api(environment: Mapping[str, str]) -> float:
    try:
        return sum(float(environment.get(name, default)) for name, default in _SECONDS_OF_API.items())
    except ValueError:
        return sum(_SECONDS_OF_API.values())  # the API says what is wrong with it, and does not start


def workers_command(n_workers: int) -> list[str]:
    """Return the command that runs this number of workers."""
    return module_command("workers", "--workers", str(n_workers))


def _workers(environment: dict[str, str], n_workers: int) -> Child:
    """Return the workers' parent; it ends with us, so that it hands its jobs back."""
    starts = StartsWithReadiness(
        lambda writer: start_process(
            [*workers_command(n_workers), "--ready-fd", str(writer)],
            environment=environment,
            signal_at_our_end=signal.SIGTERM,
            pass_fds=(writer,),
        )
    )
    restarts = Restarts(_LONGEST_PAUSE_OF_WORKERS_SECONDS)
    return Child("workers", starts.start, starts.is_ready, restarts, 1, _SECONDS_OF_WORKERS)


def _is_ready(api: Child, host: str, port: int) -> bool:
    if api.ready_since is None and api.n_ends >= _STARTS_BEFORE_GIVING_UP:
        message = f"the API ended {api.n_ends} times before it was ready; what it printed above says why"
        raise CannotServe(message)
    return api.ready_since is not None and is_ready(host, port, _SECONDS_TO_ANSWER)
