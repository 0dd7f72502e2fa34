"""A database has an id, which the store of its objects knows."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "database_ids",
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("id", sa.String(32), nullable=False),
    )


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("database_ids")
