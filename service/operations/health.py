"""Whether the process can do its work."""

from sqlalchemy import text

from schemas.health import Readiness

from ..parts import Parts


def readiness(parts: Parts) -> Readiness:
    """Return what is degraded; raise ``StorageUnavailable`` when the database is away."""
    with parts.database.reading() as connection:
        connection.execute(text("SELECT 1"))
    return Readiness(degraded=[] if parts.queue.is_available() else ["redis"])
