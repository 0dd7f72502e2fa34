"""Clear: delete now what workers would delete within the hour, whether or not the service runs."""

import os
from pathlib import Path

import click

from storage.database_file import release_reserve
from storage.environment import WrongSettings, read_settings
from storage.errors import StorageError
from storage.job_notifications import JobNotifier
from storage.worker_heartbeats import WorkerHeartbeats
from workers.runtime.clearing import clear_once
from workers.runtime.settings import WorkerSettings

from .errors import CannotServe
from .redis_server import running_server_url
from .stores import check_there_is_a_database, storage_of


def clear(data_dir: Path, *, any_share: bool = False) -> None:
    """Clear away what is old by the settings of the environment; say how much of what it was.

    Parameters
    ----------
    any_share
        Whether objects of no row are deleted even if they are more than half of all.

    Raises
    ------
    CannotServe
        If there is nothing to clear, or it cannot be done now.
    """
    directory = data_dir.expanduser().absolute()
    check_there_is_a_database(storage_of(directory), directory)
    settings = _settings(directory)
    try:
        with release_reserve(directory):
            counts = clear_once(settings, any_share=any_share)
    except (StorageError, OSError) as error:
        message = f"cannot clear away everything now: {error}"
        raise CannotServe(message) from error
    if settings.redis_url:
        WorkerHeartbeats(JobNotifier(settings.redis_url).redis).add_removed(counts)
    counted = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in counts.items())
    click.echo(f"cleared away: {counted or 'nothing, as nothing was old enough'}")


def _settings(data_dir: Path) -> WorkerSettings:
    # Redis is informed of what was done, if there is one: disks are full on machines where nothing runs any more, too.
    redis_url = os.environ.get("LEAFSPACE_REDIS_URL") or running_server_url(data_dir / "redis") or ""
    try:
        return read_settings(WorkerSettings, data_dir=data_dir, redis_url=redis_url)
    except WrongSettings as error:
        raise CannotServe(str(error)) from error
