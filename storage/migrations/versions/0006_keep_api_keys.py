"""Keep API keys, and let idempotency keys belong to them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=40), primary_key=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("last_used_at", sa.Float()),
    )
    op.create_index(op.f("ix_api_keys_created_at"), "api_keys", ["created_at"])
    _replace_idempotency_keys([sa.Column("caller", sa.String(length=40), primary_key=True)], "'', key")


def downgrade() -> None:
    """Leave this revision."""
    # Without callers a key can be kept once only: that of nobody in particular.
    op.execute("DELETE FROM idempotency_keys WHERE caller <> ''")
    _replace_idempotency_keys([], "key")
    op.drop_index(op.f("ix_api_keys_created_at"), "api_keys")
    op.drop_table("api_keys")


def _replace_idempotency_keys(owner: list["sa.Column[str]"], owner_and_key: str) -> None:
    # Written again: SQLite cannot give a table that is there another primary key.
    op.drop_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys")
    op.rename_table("idempotency_keys", "idempotency_keys_before")
    op.create_table(
        "idempotency_keys",
        *owner,
        sa.Column("key", sa.String(length=255), primary_key=True),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.execute(
        f"INSERT INTO idempotency_keys SELECT {owner_and_key}, request_sha256, status, answer, created_at "  # noqa: S608
        "FROM idempotency_keys_before"
    )
    op.drop_table("idempotency_keys_before")
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"])
