"""Whether the process can do its work."""

import asyncio

from schemas.health import Readiness
from storage.database_health import check_database
from storage.errors import StorageUnavailable

from ..parts import Parts

_PATIENCE_SECONDS = 3.0


async def readiness(parts: Parts) -> Readiness:
    """Return what is degraded.

    Raises
    ------
    StorageUnavailable
        When the process is about to stop, or the database is away, cannot be written to, or does not answer in time.
    """
    if parts.draining.has_begun:
        detail = "this process is about to stop; send your request to another one, or again in a moment"
        raise StorageUnavailable(detail)
    # In a thread of its own: those of the other routes may all be waiting for the same database.
    look = asyncio.get_running_loop().run_in_executor(parts.health_checks, _degraded, parts)
    try:
        return Readiness(degraded=await asyncio.wait_for(look, _PATIENCE_SECONDS))
    except TimeoutError as error:
        detail = f"the database did not answer within {_PATIENCE_SECONDS:g} s"
        raise StorageUnavailable(detail) from error


def _degraded(parts: Parts) -> list[str]:
    check_database(parts.database)
    away = {"redis": not parts.queue.is_available(), "objects": not parts.objects_available()}
    return [name for name, is_away in away.items() if is_away]
