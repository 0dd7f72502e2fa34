"""Record which caller requested a job, and count the waiting ones of each quickly."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.add_column("jobs", sa.Column("caller", sa.String(length=40)))
    op.create_index("jobs_by_status_and_caller", "jobs", ["status", "caller"])


def downgrade() -> None:
    """Leave this revision."""
    op.drop_index("jobs_by_status_and_caller", "jobs")
    op.drop_column("jobs", "caller")
