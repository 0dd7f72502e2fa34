"""Keep leaf tables."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "leaf_tables",
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("dataset", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("codes", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["model"],
            ["models.id"],
        ),
        sa.PrimaryKeyConstraint("model", "dataset", "revision"),
    )
    op.create_index(op.f("ix_leaf_tables_dataset"), "leaf_tables", ["dataset"], unique=False)


def downgrade() -> None:
    """Leave this revision."""
    op.drop_index(op.f("ix_leaf_tables_dataset"), table_name="leaf_tables")
    op.drop_table("leaf_tables")
