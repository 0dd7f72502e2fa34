"""The command line: ``leafspace serve | worker | keys | backup | restore | clear | warm | quickstart``."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

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
def serve_command(host: str, port: int, data_dir: Path, n_workers: int, *, no_worker: bool) -> None:
    """Run the API, workers and Redis until Ctrl-C or SIGTERM.

    Redis is the one that LEAFSPACE_REDIS_URL names, else one of our own.
    """
    with _refusals_reported():
        serve(ServeOptions(host, port, data_dir, 0 if no_worker else n_workers))


@main.command("worker")
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


def _check_worker(redis_url: str) -> None:
    # Imported late: it brings what speaks to Redis, which starting a worker does without.
    notifier = import_module("storage.job_notifications").JobNotifier(redis_url)
    host = os.uname().nodename
    n_workers = import_module("storage.worker_heartbeats").WorkerHeartbeats(notifier.redis).n_workers_of(host)
    if n_workers is None:
        message = "Redis does not answer, over which workers learn of jobs"
        raise click.ClickException(message)
    if n_workers == 0:
        message = f"no worker of {host} has shown a sign of life in the last 15 seconds"
        raise click.ClickException(message)


@main.group("keys")
def keys_group() -> None:
    """Make, list and revoke API keys, here on the machine, whether or not the service runs."""


@keys_group.command("create")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["read", "write", "explain", "deploy", "audit", "admin"]),
    multiple=True,
    default=("read", "write", "explain"),
    show_default=True,
    help="What it may do; say it once for each scope. None includes another; deploy gives names to explainers, audit "
    "reads and deletes stored explanations, admin manages keys.",
)
@_data_dir
def create_key_command(name: str, scopes: tuple[str, ...], data_dir: Path) -> None:
    """Make a key called NAME, and print it, this once."""
    with _refusals_reported():
        _key_commands().create_key(data_dir, name, scopes)


@keys_group.command("list")
@_data_dir
def list_keys_command(data_dir: Path) -> None:
    """List keys, the newest first, without their secrets."""
    with _refusals_reported():
        _key_commands().list_keys(data_dir)


@keys_group.command("count")
@_data_dir
def count_keys_command(data_dir: Path) -> None:
    """Print how many keys there are."""
    with _refusals_reported():
        _key_commands().count_keys(data_dir)


@keys_group.command("revoke")
@click.argument("key_ids", metavar="KEY_ID...", nargs=-1, required=True)
@_data_dir
def revoke_keys_command(key_ids: tuple[str, ...], data_dir: Path) -> None:
    """Revoke keys: within two seconds no service lets them in."""
    with _refusals_reported():
        _key_commands().revoke_keys(data_dir, key_ids)


def _key_commands() -> ModuleType:
    # Imported late: it brings what speaks to databases, which serving does without.
    return import_module(".key_commands", __package__)


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
        _key_commands().check_database(data_dir)


@main.command("backup")
@click.argument("target", type=click.Path(path_type=Path))
@_data_dir
def backup_command(target: Path, data_dir: Path) -> None:
    """Copy all data to TARGET, a folder or a .tar file, while the service runs.

    A folder can be backed up into again: what is there already is not copied again.
    """
    with _refusals_reported():
        import_module(".backup", __package__).back_up(data_dir, target)


@main.command("restore")
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@_data_dir
@click.option("--without-keys", is_flag=True, help="No API key comes back: those revoked since would be valid again.")
def restore_command(source: Path, data_dir: Path, *, without_keys: bool) -> None:
    """Make a data directory again from a backup, SOURCE; an empty one, or one that does not exist yet."""
    with _refusals_reported():
        import_module(".restore", __package__).restore(source, data_dir, with_keys=not without_keys)


@main.command("clear")
@_data_dir
def clear_command(data_dir: Path) -> None:
    """Clear away now what is old by the same settings as workers do it once an hour."""
    with _refusals_reported():
        import_module(".clear", __package__).clear(data_dir)


@main.command("warm")
@_data_dir
def warm_command(data_dir: Path) -> None:
    """Compile everything that is compiled, once for this user and version: services then start warm.

    What is compiled is kept in ~/.cache/leafspace; without a home directory, in the data directory.
    """
    click.echo(f"compiled code is in {import_module('.compiled_code', __package__).prime(data_dir.absolute())}")


@main.command("quickstart")
def quickstart_command() -> None:
    """Start everything, explain one prediction, stop everything."""
    # Imported late: it brings numerical libraries, which serving does without.
    from .quickstart import run  # noqa: PLC0415

    sys.exit(run())
