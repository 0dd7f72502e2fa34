"""Store pairs: a database and the store of its objects know each other by a random id that both hold.

An empty or foreign database would take every object for an orphan. So nothing starts, and nothing is cleared away,
before both have said the same id. The database draws it once, and the store is marked with it then.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from secrets import token_hex

from sqlalchemy import Connection, inspect, select
from sqlalchemy.dialects import postgresql, sqlite

from .database import Database
from .errors import DatabaseUnusable, StorageUnavailable
from .object_store import ObjectStore
from .records import unreferenced
from .tables import OBJECT_COLUMNS, database_ids

_N_COMPARED = 200  # objects of a store without a mark
_WHAT_TO_DO = (
    "set LEAFSPACE_DATABASE_URL, LEAFSPACE_OBJECT_STORE_URL and --data-dir to those that belong together, or restore "
    "a backup of the database; if they are to be used together all the same, run `leafspace adopt` first"
)


class StoresDiffer(DatabaseUnusable):
    """The database and the objects are not each other's."""

    def __init__(self, finding: str) -> None:
        super().__init__(f"{finding}: {_WHAT_TO_DO}")


def check_pair(database: Database, objects: ObjectStore) -> None:
    """Return if database and objects belong together, or both are new; nothing is written.

    Raises
    ------
    StoresDiffer
        If they do not belong together.
    StorageUnavailable
        If one of them does not answer.
    """
    mark = objects.mark()
    with database.reading() as connection:
        database_id = _id_of(connection)
        if mark is not None:
            if mark != database_id:
                raise StoresDiffer(_difference(connection, database_id))
            return
        _check_unmarked(connection, database_id, list(islice(objects.hashes(), _N_COMPARED)))


def check_pair_if_available(database: Database, objects: ObjectStore) -> None:
    """Do the same where both answer now: a service starts without them, too, and clears nothing away before."""
    with suppress(StorageUnavailable):
        check_pair(database, objects)


def make_pair(database: Database, objects: ObjectStore) -> None:
    """Give both the same id, unless they have it; the tables are up to date.

    Raises
    ------
    StoresDiffer
        If they do not belong together.
    """
    check_pair(database, objects)
    if objects.mark() is None:
        adopt(database, objects)


def adopt(database: Database, objects: ObjectStore) -> None:
    """Mark the objects as those of the database, whosever they were."""
    with database.transaction() as connection:
        insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(database_ids)
        connection.execute(insert.values(position=0, id=token_hex(16)).on_conflict_do_nothing())
        database_id = connection.execute(select(database_ids.c.id)).scalar_one()
    objects.set_mark(database_id)


def _id_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table(database_ids.name):
        return None
    return connection.execute(select(database_ids.c.id)).scalar()


def _check_unmarked(connection: Connection, database_id: str | None, hashes: Sequence[str]) -> None:
    """Compare with a store that was never used with a database that has an id, or whose mark was lost."""
    there_are_rows = inspect(connection).has_table("models")
    if hashes:
        if not there_are_rows or len(unreferenced(connection, hashes)) == len(hashes):
            raise StoresDiffer(_difference(connection, database_id))
    elif database_id is not None and there_are_rows and _refers_to_objects(connection):
        finding = "the store of objects is empty, and the database refers to objects that it once held"
        raise StoresDiffer(finding)


def _refers_to_objects(connection: Connection) -> bool:
    queries = (select(column).where(column.is_not(None)).limit(1) for column in OBJECT_COLUMNS)
    return any(connection.execute(query).first() is not None for query in queries)


def _difference(connection: Connection, database_id: str | None) -> str:
    if database_id is None and not inspect(connection).has_table("models"):
        return "the database is empty, and the store of objects holds those of another database"
    return "the store of objects belongs to another database"
