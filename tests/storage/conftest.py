"""A shelf of stores for the tests of storage, over each kind of database."""

import pytest

from storage.database import Database
from tests.support.stored import Shelf


@pytest.fixture
def shelf(rows_database: Database) -> Shelf:
    return Shelf(rows_database)
