"""Nodes of a Dask cluster: a worker, or a scheduler and workers on this machine."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from workers.runtime.restarts import Restarts
from workers.runtime.supervisor import Child, Supervisor

from .embedded import child_environment, module_command
from .errors import CannotServe
from .listening import answers
from .processes import start_process

_LONGEST_PAUSE_SECONDS = 5.0
_PATIENCE_SECONDS = 10.0
_NO_REDIS = ""  # a node neither reads nor writes it


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The options of a worker of a cluster."""

    n_threads: int
    memory: str
    scratch: Path | None = None  # default: in the data directory
    metrics: str | None = None  # host:port; default: a free port of loopback


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """The options of ``leafspace cluster``."""

    host: str
    port: int
    n_workers: int
    worker: WorkerOptions


def run_worker(data_dir: Path, scheduler: str, options: WorkerOptions) -> None:
    """Become a worker of a cluster.

    Raises
    ------
    CannotServe
        If what it takes is not installed.
    """
    _check_installed()
    command = _worker_command(scheduler, options)
    os.execve(command[0], command, child_environment(data_dir.absolute(), _NO_REDIS))  # noqa: S606  # our own program


def run_cluster(data_dir: Path, options: ClusterOptions) -> None:
    """Run a scheduler and workers until SIGTERM or Ctrl-C.

    Raises
    ------
    CannotServe
        If what it takes is not installed.
    """
    _check_installed()
    environment = child_environment(data_dir.absolute(), _NO_REDIS)
    scheme = "tls" if "LEAFSPACE_DASK_TLS_CERT" in os.environ else "tcp"
    address = f"{scheme}://{options.host}:{options.port}"
    scheduler = [
        *module_command("workers.cluster_node", "scheduler"), "--host", options.host, "--port", str(options.port)
    ]  # fmt: skip
    worker = _worker_command(address, options.worker)
    children = [_child("scheduler", scheduler, environment, stop_order=2)]
    children += [
        _child(f"cluster worker {number}", worker, environment, stop_order=1)
        for number in range(1, options.n_workers + 1)
    ]
    Supervisor(children).run(
        is_ready=lambda: answers(options.host, options.port),
        announce=lambda: click.echo(f"LEAFSPACE_DASK_SCHEDULER={address}"),
    )


def _worker_command(scheduler: str, options: WorkerOptions) -> list[str]:
    command = module_command("workers.cluster_node", "worker", scheduler)
    given = {"--scratch": options.scratch, "--metrics": options.metrics}
    others = [text for name, value in given.items() if value is not None for text in (name, str(value))]
    return [*command, "--threads", str(options.n_threads), "--memory", options.memory, *others]


def _child(name: str, command: list[str], environment: dict[str, str], stop_order: int) -> Child:
    return Child(
        name,
        start=lambda: start_process(command, environment=environment, output=None),
        is_ready=lambda: True,
        restarts=Restarts(_LONGEST_PAUSE_SECONDS),
        stop_order=stop_order,
        patience_seconds=_PATIENCE_SECONDS,
    )


def _check_installed() -> None:
    if find_spec("distributed") is None:
        message = "clusters need Dask, which is not installed: pip install 'leafspace[cluster]'"
        raise CannotServe(message)
