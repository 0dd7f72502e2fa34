"""Keep names of explainers, and every change of what they mean."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "explainer_names",
        sa.Column("id", sa.String(length=63), primary_key=True),
        sa.Column("explainer", sa.String(length=40), sa.ForeignKey("explainers.id"), nullable=False),
        sa.Column("last_change", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("changed_at", sa.Float(), nullable=False),
    )
    for column in ("explainer", "created_at"):
        op.create_index(op.f(f"ix_explainer_names_{column}"), "explainer_names", [column])
    op.create_table(
        "explainer_name_changes",
        sa.Column("id", sa.String(length=40), primary_key=True),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("explainer", sa.String(length=40)),
        sa.Column("previous_explainer", sa.String(length=40)),
        sa.Column("forced", sa.Boolean(), nullable=False),
        sa.Column("caller", sa.String(length=40)),
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.create_index("explainer_name_changes_by_name", "explainer_name_changes", ["name", "created_at"])


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("explainer_name_changes")
    op.drop_table("explainer_names")
