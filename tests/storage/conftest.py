"""A shelf of stores for the tests of storage, over each kind of database; object stores of each kind."""

import pytest

from storage.database import Database
from tests.support.databases import migrated_postgresql_url, new_database_url, postgresql_url, rows_database
from tests.support.object_stores import remote_case, s3_server, store_case
from tests.support.stored import Shelf

__all__ = [
    "migrated_postgresql_url",
    "new_database_url",
    "postgresql_url",
    "remote_case",
    "rows_database",
    "s3_server",
    "store_case",
]


@pytest.fixture
def shelf(rows_database: Database) -> Shelf:  # the fixture
    return Shelf(rows_database)
