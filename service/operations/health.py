"""Whether the process can do its work."""

from schemas.health import Readiness
from storage.errors import StorageUnavailable

from ..app_context import AppContext


async def readiness(context: AppContext) -> Readiness:
    """Return what is degraded, as it was a second ago at most.

    Raises
    ------
    StorageUnavailable
        When the process is about to stop, or the database is away, cannot be written to, or does not answer in time.
    """
    if context.draining.has_begun:
        detail = "this process is about to stop; send your request to another one, or again in a moment"
        raise StorageUnavailable(detail)
    found = await context.health.health()
    if found.database_fault is not None:
        raise StorageUnavailable(found.database_fault)
    return Readiness(degraded=list(found.degraded))
