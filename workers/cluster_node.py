"""``python -m workers.cluster_node scheduler | worker``: a node of a cluster, until SIGTERM or SIGINT."""

import argparse
import asyncio
import os
import signal

from .__main__ import prepare_environment

_SPILL = {"target": 0.55, "spill": 0.65, "pause": 0.85, "terminate": 0.95}  # shares of a worker's memory
_PRELOAD = ["workers.cluster.preload", "workers.jobs.cluster_inputs"]  # what nearly all jobs begin with, beforehand
_ROUTES = {  # what nodes answer over HTTP: metrics for Prometheus, and that they are alive; nothing of jobs
    f"distributed.{node}.http.routes": [f"distributed.http.{node}.prometheus", "distributed.http.health"]
    for node in ("scheduler", "worker")
}
_RARELY = {  # by default memory is looked at ten times a second, and what tasks do a hundred times
    "distributed.worker.memory.monitor-interval": "250ms",
    "distributed.worker.profile.enabled": False,
}


def main() -> None:
    """Run a node."""
    arguments = _arguments()
    prepare_environment()
    # Imported late: numerical libraries read the environment as soon as they are imported.
    import dask

    memory = {f"distributed.worker.memory.{name}": share for name, share in _SPILL.items()}
    with dask.config.set(memory | _ROUTES | _RARELY):
        asyncio.run(_scheduler(arguments) if arguments.node == "scheduler" else _worker(arguments))


async def _scheduler(arguments: argparse.Namespace) -> None:
    from distributed import Scheduler

    from .cluster.connection import security_of
    from .cluster.settings import NodeSettings

    tls = NodeSettings().tls
    address = f"{'tcp' if tls is None else 'tls'}://{arguments.host}:{arguments.port}"
    async with Scheduler(
        host=address, security=security_of(tls), dashboard=False, dashboard_address=arguments.metrics
    ) as scheduler:
        _end_with_signals(scheduler)
        print(f"Leafspace's cluster is at {scheduler.address}", flush=True)  # noqa: T201  # for the person who started it
        await scheduler.finished()


async def _worker(arguments: argparse.Namespace) -> None:
    from distributed import Nanny

    from .cluster.connection import security_of
    from .cluster.settings import NodeSettings

    settings = NodeSettings()
    scratch = settings.data_dir / "cluster" if arguments.scratch is None else arguments.scratch
    os.makedirs(scratch, mode=0o700, exist_ok=True)  # noqa: PTH103
    async with Nanny(
        arguments.scheduler,
        nthreads=arguments.threads,
        memory_limit=arguments.memory,
        local_directory=str(scratch),
        security=security_of(settings.tls),
        preload=_PRELOAD,
        dashboard_address=arguments.metrics,
        death_timeout=60,
    ) as nanny:
        _end_with_signals(nanny)
        await nanny.finished()


def _end_with_signals(node: object) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: loop.create_task(node.close()))  # type: ignore[attr-defined]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="workers.cluster_node")
    nodes = parser.add_subparsers(dest="node", required=True)
    scheduler = nodes.add_parser("scheduler")
    scheduler.add_argument("--host", default="127.0.0.1")
    scheduler.add_argument("--port", type=int, default=8786)
    worker = nodes.add_parser("worker")
    worker.add_argument("scheduler")
    worker.add_argument("--threads", type=int, default=1)
    worker.add_argument("--memory", default="auto")
    worker.add_argument("--scratch")
    for node in (scheduler, worker):
        node.add_argument("--metrics", default="127.0.0.1:0")
    return parser.parse_args()


if __name__ == "__main__":
    main()
