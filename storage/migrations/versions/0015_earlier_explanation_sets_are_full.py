"""Requests of explanation sets say how much explanations have: those made so far, everything.

What is requested without saying so has the reasons that matter most from now on; earlier sets have all of them.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_FIELD = "detail"


def upgrade() -> None:
    """Go to this revision."""
    _change_requests(lambda request: {_FIELD: "full", **request})


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(lambda request: {name: value for name, value in request.items() if name != _FIELD})


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        found = connection.execute(sa.select(kept.c.id, kept.c.request).where(kept.c[kind] == "explanation_sets")).all()
        for identifier, request in found:
            connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
