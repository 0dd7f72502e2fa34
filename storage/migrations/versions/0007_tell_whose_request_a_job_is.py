"""Record which request created a job and how large leaf tables are, and find jobs by their end."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("jobs", sa.Column("request_id", sa.String(length=64)))
    op.create_index(op.f("ix_jobs_finished_at"), "jobs", ["finished_at"])
    # Those that are there count for nothing: they are made again sooner or later.
    op.add_column("leaf_tables", sa.Column("size_bytes", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Leave this revision."""
    op.drop_column("leaf_tables", "size_bytes")
    op.drop_index(op.f("ix_jobs_finished_at"), "jobs")
    op.drop_column("jobs", "request_id")
