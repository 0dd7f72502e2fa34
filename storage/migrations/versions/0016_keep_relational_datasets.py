"""Keep relational datasets, each with the files of its tables."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "relational_datasets",
        sa.Column("id", sa.String(length=40), primary_key=True),
        sa.Column("name", sa.String(length=255)),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("arrays", sa.String(length=64), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("listed", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.create_index(op.f("ix_relational_datasets_created_at"), "relational_datasets", ["created_at"])
    op.create_table(
        "relational_tables",
        sa.Column("dataset", sa.String(length=40), sa.ForeignKey("relational_datasets.id"), primary_key=True),
        sa.Column("position", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
    )


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("relational_tables")
    op.drop_table("relational_datasets")
