"""Requests of FAB say how long its E-steps last: those made so far were iterated until they settled."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_FIELD, _EARLIER = "e_step_rounds", 100


def upgrade() -> None:
    """Go to this revision."""
    _change_requests(lambda request: {**request, _FIELD: _EARLIER})


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(lambda request: {name: value for name, value in request.items() if name != _FIELD})


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        found = connection.execute(sa.select(kept.c.id, kept.c.request).where(kept.c[kind] == "rule_sets")).all()
        for identifier, request in found:
            if request.get("method") == "fab":
                connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
