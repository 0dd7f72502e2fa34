"""Requests of ISM say how leaves are chosen: those made so far kept the leaves of the splits that gain most."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_FIELD, _EARLIER, _BEFORE = "choose_by", "gain", "fidelity"  # which said nothing of ISM before


def upgrade() -> None:
    """Go to this revision."""
    _change_requests(lambda request: {**request, _FIELD: _EARLIER})


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(lambda request: {**request, _FIELD: _BEFORE})


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        of_trees = sa.select(kept.c.id, kept.c.request).where(kept.c[kind] == "approximation_trees")
        for identifier, request in connection.execute(of_trees).all():
            if request.get("method") == "ism":
                connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
