"""Requests of label audits say whose labels were compared: those made so far, a row's nearest neighbours.

What is requested without saying so is decided by all other rows from now on; earlier audits, and jobs that wait, were
not.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_EARLIER = {"method": "neighbors", "min_leaf_rows": 1}


def upgrade() -> None:
    """Go to this revision."""
    _change_requests(lambda request: {**_EARLIER, **request})


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(lambda request: {name: value for name, value in request.items() if name != "method"})


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        found = connection.execute(sa.select(kept.c.id, kept.c.request).where(kept.c[kind] == "label_audits")).all()
        for identifier, request in found:
            connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
