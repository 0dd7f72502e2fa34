"""Requests of rule sets name the rule list, and say how boxes are printed and what fits begin with.

What was called the improved search of ``fab`` or ``em`` is the method ``rule_list``; the plain search printed shortened
boxes. All fits began with random responsibilities.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_START = "responsibilities"


def upgrade() -> None:
    """Go to this revision."""
    _change_requests(_named)


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(_unnamed)


def _named(request: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in request.items() if name != "search"}
    method = request.get("method", "fab")
    if request.get("search", "improved") == "improved":
        return {**kept, "method": "rule_list", "regions": method, "start": _START}
    return {**kept, "method": method, "boxes": "shortened", "start": _START}


def _unnamed(request: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in request.items() if name not in ("boxes", "start", "omega", "regions")}
    if request["method"] == "rule_list":
        return {**kept, "method": request.get("regions", "fab"), "search": "improved"}
    return {**kept, "search": "plain"}


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        found = connection.execute(sa.select(kept.c.id, kept.c.request).where(kept.c[kind] == "rule_sets")).all()
        for identifier, request in found:
            connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
