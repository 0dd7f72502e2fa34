"""Let explainers have an approximation tree."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    # In batch: SQLite cannot add a constraint to a table that is there.
    with op.batch_alter_table("explainers") as table:
        table.add_column(sa.Column("approximation_tree", sa.String(length=40)))
        table.create_foreign_key("explainers_approximation_tree_fkey", "artefacts", ["approximation_tree"], ["id"])
        table.create_index(op.f("ix_explainers_approximation_tree"), ["approximation_tree"])


def downgrade() -> None:
    """Leave this revision."""
    with op.batch_alter_table("explainers") as table:
        table.drop_index(op.f("ix_explainers_approximation_tree"))
        table.drop_constraint("explainers_approximation_tree_fkey", type_="foreignkey")
        table.drop_column("approximation_tree")
