"""Datasets by reference: the address of their files, and how many there are."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("datasets", sa.Column("source", sa.JSON(none_as_null=True)))


def downgrade() -> None:
    """Leave this revision."""
    op.drop_column("datasets", "source")
