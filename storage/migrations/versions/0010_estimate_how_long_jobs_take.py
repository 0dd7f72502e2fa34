"""Record the estimated duration of a job, and find quickly how many jobs wait before it."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("jobs", sa.Column("estimated_seconds", sa.Float()))
    op.create_index("jobs_by_place", "jobs", ["status", "created_at", "id", "estimated_seconds"])


def downgrade() -> None:
    """Leave this revision."""
    op.drop_index("jobs_by_place", "jobs")
    op.drop_column("jobs", "estimated_seconds")
