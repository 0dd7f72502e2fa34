"""Requests of prototype sets name the leaves that rows are compared by: those made so far, the trees' own.

What is requested without naming them finds its own leaves from now on; earlier sets, and jobs that wait, did not.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_FIELD = "min_leaf_rows"


def upgrade() -> None:
    """Go to this revision."""
    _change_requests(lambda request: {_FIELD: 1, **request})


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(lambda request: {name: value for name, value in request.items() if name != _FIELD})


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        found = connection.execute(sa.select(kept.c.id, kept.c.request).where(kept.c[kind] == "prototype_sets")).all()
        for identifier, request in found:
            connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
