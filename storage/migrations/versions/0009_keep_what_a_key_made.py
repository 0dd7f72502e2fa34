"""Keep of an idempotency key what it made rather than an answer, and keep it from before the thing is made."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_ID_IN_ANSWER = {"sqlite": "json_extract(answer, '$.id')", "postgresql": "answer ->> 'id'"}
_ANSWER_WITH_ID = {"sqlite": "json_object('id', thing)", "postgresql": "json_build_object('id', thing)"}


def upgrade() -> None:
    """Go to this revision."""
    thing = _ID_IN_ANSWER[op.get_bind().dialect.name]
    columns: list[sa.Column[Any]] = [
        sa.Column("status", sa.Integer()),
        sa.Column("thing", sa.String(length=40)),
        sa.Column("token", sa.String(length=64)),
    ]
    _replace(columns, f"status, {thing}, NULL")
    op.create_index(op.f("ix_idempotency_keys_thing"), "idempotency_keys", ["thing"])


def downgrade() -> None:
    """Leave this revision."""
    answer = _ANSWER_WITH_ID[op.get_bind().dialect.name]
    op.execute("DELETE FROM idempotency_keys WHERE status IS NULL")
    op.drop_index(op.f("ix_idempotency_keys_thing"), "idempotency_keys")
    status: sa.Column[Any] = sa.Column("status", sa.Integer(), nullable=False)
    _replace([status, sa.Column("answer", sa.JSON(), nullable=False)], f"status, {answer}")


def _replace(columns: Sequence["sa.Column[Any]"], values: str) -> None:
    # Written again: SQLite cannot let a column of a table that is there be empty.
    op.drop_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys")
    op.rename_table("idempotency_keys", "idempotency_keys_before")
    op.create_table(
        "idempotency_keys",
        sa.Column("caller", sa.String(length=40), primary_key=True),
        sa.Column("key", sa.String(length=255), primary_key=True),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        *columns,
        sa.Column("created_at", sa.Float(), nullable=False),
    )
    op.execute(
        f"INSERT INTO idempotency_keys SELECT caller, key, request_sha256, {values}, created_at "  # noqa: S608
        "FROM idempotency_keys_before"
    )
    op.drop_table("idempotency_keys_before")
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"])
