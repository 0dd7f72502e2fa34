"""Dictionaries of datasets."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "dictionaries",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("words", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("n_bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["datasets.id"]),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("dictionaries")
