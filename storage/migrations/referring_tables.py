"""Tables that refer to artefacts, which SQLite does not let a migration copy while rows refer to its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op

_ON_ARTEFACTS = ("explainer_names", "explainers", "artefact_files")  # each before those that it refers to


@contextmanager
def others_set_aside() -> Iterator[None]:
    """Empty the tables that refer to artefacts, and fill them again.

    SQLite changes a column by making the table again and dropping it, which it refuses while rows refer to its own.
    """
    if op.get_bind().dialect.name != "sqlite":
        yield
        return
    for name in _ON_ARTEFACTS:
        op.execute(f"CREATE TEMPORARY TABLE kept_{name} AS SELECT * FROM {name}")  # noqa: S608  # a name from above
        op.execute(f"DELETE FROM {name}")  # noqa: S608
    yield
    for name in reversed(_ON_ARTEFACTS):
        op.execute(f"INSERT INTO {name} SELECT * FROM kept_{name}")  # noqa: S608
        op.execute(f"DROP TABLE kept_{name}")
