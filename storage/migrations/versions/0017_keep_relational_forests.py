"""Keep what is made from relational datasets: artefacts without model or dataset, or made at once; feature sets."""

import sqlalchemy as sa
from alembic import op

from storage.migrations.referring_tables import others_set_aside

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_NULLABLE = ("model", "dataset", "job")
_REFERENCES = {"relational_dataset": "relational_datasets", "feature_set": "artefacts"}


def upgrade() -> None:
    """Go to this revision."""
    with others_set_aside(), op.batch_alter_table("artefacts") as table:
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
    with others_set_aside(), op.batch_alter_table("artefacts") as table:
        for column in _REFERENCES:
            table.drop_index(op.f(f"ix_artefacts_{column}"))
            table.drop_constraint(f"artefacts_{column}_fkey", type_="foreignkey")
            table.drop_column(column)
        for column in _NULLABLE:
            table.alter_column(column, existing_type=sa.String(length=40), nullable=False)
