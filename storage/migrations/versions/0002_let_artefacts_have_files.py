"""Let artefacts have files."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "artefact_files",
        sa.Column("artefact", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("object", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["artefact"],
            ["artefacts.id"],
        ),
        sa.PrimaryKeyConstraint("artefact", "name"),
    )


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("artefact_files")
