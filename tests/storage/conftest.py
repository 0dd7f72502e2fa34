"""A shelf of stores for the tests of storage, over each kind of database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database import Database
from tests.support.databases import KINDS_OF_DATABASES, empty_database
from tests.support.stored import Shelf


@pytest.fixture(params=KINDS_OF_DATABASES)
def rows_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    with empty_database(request.param, tmp_path) as database:
        yield database


@pytest.fixture
def shelf(rows_database: Database) -> Shelf:
    return Shelf(rows_database)
