"""Keep what is made from relational datasets: artefacts without model or dataset, or made at once; feature sets."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_NULLABLE = ("model", "dataset", "job")
_REFERENCES = {"relational_dataset": "relational_datasets", "feature_set": "artefacts"}
_ON_ARTEFACTS = ("explainer_names", "explainers", "artefact_files")  # each before those that it refers to


def upgrade() -> None:
    """Go to this revision."""
    with _others_set_aside(), op.batch_alter_table("artefacts") as table:
        for column in _NULLABLE:
            table.alter_column(column, existing_type=sa.String(length=40), nullable=True)
        for column, referenced in _REFERENCES.items():
            table.add_column(sa.Column(column, sa.String(length=40)))
            table.create_foreign_key(f"artefacts_{column}_fkey", referenced, [column], ["id"])
            table.create_index(op.f(f"ix_artefacts_{column}"), [column])
    op.add_column("datasets", sa.Column("feature_set", sa.String(length=40)))
    op.create_index(op.f("ix_datasets_feature_set"), "datasets", ["feature_set"])


def downgrade() -> None:
    """Leave this revision."""
    op.drop_index(op.f("ix_datasets_feature_set"), "datasets")
    op.drop_column("datasets", "feature_set")
    op.execute("DELETE FROM artefacts WHERE model IS NULL OR dataset IS NULL OR job IS NULL")
    with _others_set_aside(), op.batch_alter_table("artefacts") as table:
        for column in _REFERENCES:
            table.drop_index(op.f(f"ix_artefacts_{column}"))
            table.drop_constraint(f"artefacts_{column}_fkey", type_="foreignkey")
            table.drop_column(column)
        for column in _NULLABLE:
            table.alter_column(column, existing_type=sa.String(length=40), nullable=False)


@contextmanager
def _others_set_aside() -> Iterator[None]:
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
