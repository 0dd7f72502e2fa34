"""The command line: ``leafspace serve | worker | quickstart``."""

import logging
import os
import sys
from pathlib import Path

import click

from .data_directory import default_data_dir
from .embedded import ServeOptions, child_environment, module_command, serve
from .errors import CannotServe
from .redis_server import running_server_url

_data_dir = click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="LEAFSPACE_DATA_DIR",
    default=default_data_dir,
    show_default="~/.local/share/leafspace",
    help="Where everything is kept.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="leafspace")
def main() -> None:
    """Explain tree ensembles by prototypes."""
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
@click.option("--workers", "n_workers", type=click.IntRange(1), default=1, show_default=True, help="Jobs done at once.")
@click.option("--no-worker", is_flag=True, help="The API alone: jobs wait for `leafspace worker`.")
def serve_command(host: str, port: int, data_dir: Path, n_workers: int, *, no_worker: bool) -> None:
    """Run the API, a worker and Redis until Ctrl-C or SIGTERM.

    Redis is the one that LEAFSPACE_REDIS_URL names, else one of our own.
    """
    try:
        serve(ServeOptions(host, port, data_dir, 0 if no_worker else n_workers))
    except CannotServe as error:
        raise click.ClickException(str(error)) from error


@main.command("worker")
@_data_dir
def worker_command(data_dir: Path) -> None:
    """Run a worker alone, beside a service with the same data directory or database."""
    redis_url = os.environ.get("LEAFSPACE_REDIS_URL") or running_server_url(data_dir / "redis")
    if not redis_url:
        message = (
            f"there is no Redis to listen to: start `leafspace serve --data-dir {data_dir}` first, "
            "or set LEAFSPACE_REDIS_URL"
        )
        raise click.ClickException(message)
    command = module_command("workers")
    os.execve(command[0], command, child_environment(data_dir.absolute(), redis_url))  # noqa: S606  # our own program


@main.command("quickstart")
def quickstart_command() -> None:
    """Start everything, explain one prediction, stop everything."""
    # Imported late: it brings numerical libraries, which serving does without.
    from .quickstart import run  # noqa: PLC0415

    sys.exit(run())
