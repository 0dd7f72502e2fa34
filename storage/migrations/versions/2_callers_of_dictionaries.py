"""Dictionaries know by which key they were saved; it is not known of those that were saved before."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("dictionaries", sa.Column("caller", sa.String(length=40), nullable=True))


def downgrade() -> None:
    """Go back to the one before."""
    op.drop_column("dictionaries", "caller")
