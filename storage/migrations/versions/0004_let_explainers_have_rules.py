"""Let explainers have rules."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    # In batch: SQLite cannot add a constraint to a table that is there.
    with op.batch_alter_table("explainers") as table:
        table.add_column(sa.Column("rule_set", sa.String(length=40)))
        table.create_foreign_key("explainers_rule_set_fkey", "artefacts", ["rule_set"], ["id"])
        table.create_index(op.f("ix_explainers_rule_set"), ["rule_set"])


def downgrade() -> None:
    """Leave this revision."""
    with op.batch_alter_table("explainers") as table:
        table.drop_index(op.f("ix_explainers_rule_set"))
        table.drop_constraint("explainers_rule_set_fkey", type_="foreignkey")
        table.drop_column("rule_set")
