"""Keep explanations that are stored."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "explanations",
        sa.Column("id", sa.String(length=40), primary_key=True),
        sa.Column("explainer", sa.String(length=40), nullable=False),
        sa.Column("explainer_name", sa.String(length=63)),
        sa.Column("row_id", sa.String(length=255), nullable=False),
        sa.Column("caller", sa.String(length=40)),
        sa.Column("model_sha256", sa.String(length=64), nullable=False),
        sa.Column("provenance", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("n_bytes", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.create_index(op.f("ix_explanations_created_at"), "explanations", ["created_at"])
    op.create_index("explanations_by_row", "explanations", ["row_id", "explainer"])
    op.create_index("explanations_by_explainer", "explanations", ["explainer", "created_at"])


def downgrade() -> None:
    """Leave this revision."""
    op.drop_table("explanations")
