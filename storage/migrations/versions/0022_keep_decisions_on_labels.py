"""Keep what people decide about audited labels."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "label_decisions",
        sa.Column("id", sa.String(length=40), primary_key=True),
        sa.Column("label_audit", sa.String(length=40), sa.ForeignKey("artefacts.id"), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("row_id", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("new_label", sa.Text(), nullable=False),
        sa.Column("is_suggested", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text()),
        sa.Column("replaces", sa.String(length=40)),
        sa.Column("caller", sa.String(length=40)),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.UniqueConstraint("label_audit", "row", "number", name="label_decisions_of_a_row"),
    )
    op.create_index("label_decisions_by_time", "label_decisions", ["label_audit", "created_at"])


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("label_decisions")
