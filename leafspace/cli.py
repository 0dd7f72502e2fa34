"""The command line.

``leafspace serve | worker | cluster | cluster-worker | keys | backup | restore | clear | adopt | warm | try |
quickstart``.

Each command imports what it runs when it is called: serving, which comes first, needs no database client, no numerical
library and no Dask in this process.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from schemas.scopes import SCOPES, Scope
from workers.runtime.supervisor import CannotStart

from .data_directory import default_data_dir
from .embedded import ServeOptions, child_environment, n_workers_here, serve, workers_command
from .redis_server import running_server_url

_data_dir = click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="LEAFSPACE_DATA_DIR",
    default=default_data_dir,
    show_default="~/.local/share/leafspace",
    help="Where everything is kept.",
)

_n_workers = click.option(
    "--workers",
    "n_workers",
    type=click.IntRange(1),
    envvar="LEAFSPACE_WORKERS",
    default=n_workers_here,
    show_default="2, or 1 on one core",
    help="Jobs done at once; of several workers, the last one takes short jobs alone.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="leafspace")
def main() -> None:
    """Explain tree ensembles by prototypes."""
    # All that we and our children write is for its owner alone: it holds other people's models and data.
    click.get_current_context().call_on_close(partial(os.umask, os.umask(0o077)))
    logging.basicConfig(format="leafspace: %(message)s", level=logging.WARNING)


@main.command("serve")
@click.option("--host", default="127.0.0.1", envvar="LEAFSPACE_HOST", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    envvar="LEAFSPACE_PORT",
    show_default=True,
    help="Port to listen on; 0 takes any free one.",
)
@_data_dir
@_n_workers
@click.option("--no-worker", is_flag=True, help="The API alone: jobs wait for `leafspace worker`.")
@click.option(
    "--api-workers",
    "n_apis",
    type=click.IntRange(1, 64),
    envvar="LEAFSPACE_API_WORKERS",
    default=1,
    show_default=True,
    help="API processes, which share the port, the limits of callers and the metrics.",
)
def serve_command(  # options
    host: str, port: int, data_dir: Path, n_workers: int, n_apis: int, *, no_worker: bool
) -> None:
    """Run the API, workers and Redis until Ctrl-C or SIGTERM.

    Redis is the one that LEAFSPACE_REDIS_URL names, else one of our own.
    """
    with _refusals_reported():
        serve(ServeOptions(host, port, data_dir, 0 if no_worker else n_workers, n_apis))


@main.command("worker", short_help="Run workers alone, beside a service.")
@_data_dir
@_n_workers
@click.option("--check", is_flag=True, help="Start nothing; fail unless a worker of this host or container is alive.")
def worker_command(data_dir: Path, n_workers: int, *, check: bool) -> None:
    """Run workers alone, beside a service with the same data directory or database."""
    redis_url = os.environ.get("LEAFSPACE_REDIS_URL") or running_server_url(data_dir / "redis")
    if not redis_url:
        message = (
            f"there is no Redis to listen to: start `leafspace serve --data-dir {data_dir}` first, "
            "or set LEAFSPACE_REDIS_URL"
        )
        raise click.ClickException(message)
    if check:
        _check_worker(redis_url)
        return
    command = workers_command(n_workers)
    os.execve(command[0], command, child_environment(data_dir.absolute(), redis_url))  # noqa: S606  # our own program


_threads = click.option(
    "--threads",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Partitions of rows that a worker works on at once.",
)
_memory = click.option(
    "--memory",
    default="auto",
    show_default="the machine's, by threads",
    help="Of a worker, such as 8GiB: beyond two thirds of it, leaves are spilt to disk.",
)


@main.command("cluster-worker", short_help="Join a cluster, and work on the rows of its jobs.")
@click.argument("scheduler", envvar="LEAFSPACE_DASK_SCHEDULER")
@_data_dir
@_threads
@_memory
@click.option("--scratch", type=click.Path(path_type=Path), help="Where leaves are spilt to; in the data directory.")
@click.option("--metrics", metavar="HOST:PORT", help="Where Prometheus finds metrics; a free port of loopback.")
def cluster_worker_command(  # options
    scheduler: str, data_dir: Path, threads: int, memory: str, scratch: Path | None, metrics: str | None
) -> None:
    """Work on partitions of rows for the jobs of the cluster whose SCHEDULER is tls://host:8786, say.

    It reads objects as the workers of the service do (the data directory, or LEAFSPACE_OBJECT_STORE_URL), and runs
    until SIGTERM.
    """
    with _refusals_reported():
        from .cluster import WorkerOptions, run_worker

        run_worker(data_dir, scheduler, WorkerOptions(threads, memory, scratch, metrics))


@main.command("cluster", short_help="Run a cluster on this machine, to try it.")
@_data_dir
@click.option("--workers", "n_workers", type=click.IntRange(1), default=2, show_default=True, help="How many.")
@_threads
@_memory
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the scheduler.")
@click.option("--port", type=click.IntRange(1, 65535), default=8786, show_default=True, help="Port of the scheduler.")
def cluster_command(  # options
    data_dir: Path, n_workers: int, threads: int, memory: str, host: str, port: int
) -> None:
    """Run a scheduler and workers of a cluster on this machine, to try it, until Ctrl-C or SIGTERM.

    Start `leafspace serve` with LEAFSPACE_DASK_SCHEDULER set to the address that is printed.
    """
    with _refusals_reported():
        from .cluster import ClusterOptions, WorkerOptions, run_cluster

        run_cluster(data_dir, ClusterOptions(host, port, n_workers, WorkerOptions(threads, memory)))


def _check_worker(redis_url: str) -> None:
    # Imported late: starting a worker needs no Redis client.
    from storage.job_notifications import JobNotifier
    from storage.worker_heartbeats import WorkerHeartbeats

    host = os.uname().nodename
    n_workers = WorkerHeartbeats(JobNotifier(redis_url).redis).n_workers_of(host)
    if n_workers is None:
        message = "Redis does not answer, over which workers learn of jobs"
        raise click.ClickException(message)
    if n_workers == 0:
        message = f"no worker of {host} has shown a sign of life in the last 15 seconds"
        raise click.ClickException(message)


@main.group("keys", short_help="Make, list and revoke API keys.")
def keys_group() -> None:
    """Make, list and revoke API keys, here on the machine, whether or not the service runs."""


@keys_group.command("create")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=("read", "write", "explain"),
    show_default=True,
    help="What it may do; say it once for each scope. None includes another; deploy gives names to explainers, audit "
    "reads and deletes stored explanations, admin manages keys.",
)
@click.option(
    "--days", type=click.FloatRange(0, 36_500, min_open=True), help="It expires after so many days; by default never."
)
@_data_dir
def create_key_command(name: str, scopes: tuple[Scope, ...], days: float | None, data_dir: Path) -> None:
    """Make a key called NAME, and print it, this once."""
    with _refusals_reported():
        from .key_commands import create_key

        create_key(data_dir, name, scopes, days)


@keys_group.command("list")
@_data_dir
def list_keys_command(data_dir: Path) -> None:
    """List keys, the newest first, without their secrets."""
    with _refusals_reported():
        from .key_commands import list_keys

        list_keys(data_dir)


@keys_group.command("count")
@_data_dir
def count_keys_command(data_dir: Path) -> None:
    """Print how many keys there are."""
    with _refusals_reported():
        from .key_commands import count_keys

        count_keys(data_dir)


@keys_group.command("revoke")
@click.argument("key_ids", metavar="KEY_ID...", nargs=-1, required=True)
@_data_dir
def revoke_keys_command(key_ids: tuple[str, ...], data_dir: Path) -> None:
    """Revoke keys: within two seconds no service lets them in."""
    with _refusals_reported():
        from .key_commands import revoke_keys

        revoke_keys(data_dir, key_ids)


@contextmanager
def _refusals_reported() -> Iterator[None]:
    try:
        yield
    except CannotStart as error:
        raise click.ClickException(str(error)) from error


@main.command("check-database", hidden=True)
@_data_dir
def check_database_command(data_dir: Path) -> None:
    """Fail if this version cannot use the database; one that does not answer may do so later."""
    with _refusals_reported():
        from .key_commands import check_database

        check_database(data_dir)


@main.command("backup", short_help="Copy all data, while the service runs.")
@click.argument("target", type=click.Path(path_type=Path))
@_data_dir
def backup_command(target: Path, data_dir: Path) -> None:
    """Copy all data to TARGET, a folder or a .tar file, while the service runs.

    A folder can be backed up into again: what is there already is not copied again.
    """
    with _refusals_reported():
        from .backup import back_up

        back_up(data_dir, target)


@main.command("restore", short_help="Make a data directory again from a backup.")
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@_data_dir
@click.option("--without-keys", is_flag=True, help="No API key comes back: those revoked since would be valid again.")
def restore_command(source: Path, data_dir: Path, *, without_keys: bool) -> None:
    """Make a data directory again from a backup, SOURCE; an empty one, or one that does not exist yet."""
    with _refusals_reported():
        from .restore import restore

        restore(source, data_dir, with_keys=not without_keys)


@main.command("clear", short_help="Clear away now what is too old.")
@_data_dir
@click.option("--orphans", is_flag=True, help="Objects of no row go even if they are more than half of all.")
def clear_command(data_dir: Path, *, orphans: bool) -> None:
    """Clear away now what is old by the same settings as workers do it once an hour."""
    with _refusals_reported():
        from .clear import clear

        clear(data_dir, any_share=orphans)


@main.command("adopt", short_help="Use a database and a store that others used before.")
@_data_dir
def adopt_command(data_dir: Path) -> None:
    """Let the database and the store of objects be used together that belonged to others before."""
    with _refusals_reported():
        from .adopt import adopt_objects

        adopt_objects(data_dir)


@main.command("warm", short_help="Compile everything, so that services start warm.")
@_data_dir
def warm_command(data_dir: Path) -> None:
    """Compile everything that is compiled, once for this user and version: services then start warm.

    What is compiled is kept in ~/.cache/leafspace; without a home directory, in the data directory.
    """
    from .compiled_code import prime

    click.echo(f"compiled code is in {prime(data_dir.absolute())}")


@main.command("try", short_help="Explain a model's file on rows, in a browser.")
@click.argument("model", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("rows", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--target", help="Column of ROWS with the labels or values to predict.")
@click.option("--row-id", help="Column of ROWS with the rows' ids.")
@click.option("--feature", "features", multiple=True, help="The model's features in their order, each by its column.")
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Keep everything here.")
@click.option(
    "--report", type=click.Path(path_type=Path, dir_okay=False), help="Write a report to this file, and stop."
)
@click.option("--no-browser", is_flag=True, help="Print the page's address, and open nothing.")
def try_command(model: Path, rows: Path, *, no_browser: bool, **options: Any) -> None:  # as ``Trial`` has them
    """Explain MODEL, a file of ONNX, on ROWS, a file of CSV, Parquet or JSON: prototypes, rules, a tree, in a browser.

    The service runs until Ctrl-C; what it kept is removed then, unless --data-dir names a folder.
    """
    with _refusals_reported():
        from .trial import Trial, run

        run(Trial(model, rows, opens_browser=not no_browser, **options))


@main.command("local-service", hidden=True)
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), help="Default: a folder that is removed.")
def local_service_command(data_dir: Path | None) -> None:
    """Serve one program privately until its end: `leafspace_client.local()` starts this."""
    with _refusals_reported():
        from .local_service import run

        run(data_dir)


@main.command("quickstart")
def quickstart_command() -> None:
    """Start everything, explain one prediction, stop everything."""
    from .quickstart import run

    sys.exit(run())
