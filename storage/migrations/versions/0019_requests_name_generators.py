"""Approximation trees name how pseudo-samples were made and splits chosen: those made so far, as in the papers.

What is requested without naming it moves numbers by ranks, and chooses by fidelity, from now on. A dataset whose rows
are drawn instead is kept as long as a tree refers to it.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

from storage.migrations.referring_tables import others_set_aside

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_COLUMN = "generator_dataset"
_EARLIER = {
    "generator": {"method": "kernel", "bandwidth": 0.1, "neighbor_probability": 0.1},
    "fitted_on": "generator",
    "choose_by": "gain",
    "candidates": None,
    "compare": "all",
    "significance_level_of": "node",
    "criterion": "gain",
    "leaf_probabilities": "rows",
    "smearing_probability": 0.25,
}


def upgrade() -> None:
    """Go to this revision."""
    # As text: SQLite could not add the reference afterwards without copying a table that others refer to.
    op.execute(f"ALTER TABLE artefacts ADD COLUMN {_COLUMN} VARCHAR(40) REFERENCES datasets (id)")
    op.create_index(op.f(f"ix_artefacts_{_COLUMN}"), "artefacts", [_COLUMN])
    _change_requests(lambda request: {**_EARLIER, "fitted_on": _fitted_on(request), **request})


def downgrade() -> None:
    """Leave this revision."""
    _change_requests(lambda request: {name: value for name, value in request.items() if name not in _EARLIER})
    # By a copy: SQLite drops no column of which the table itself declares that it refers to another.
    with others_set_aside(), op.batch_alter_table("artefacts") as table:
        table.drop_index(op.f(f"ix_artefacts_{_COLUMN}"))
        table.drop_column(_COLUMN)


def _fitted_on(request: dict[str, Any]) -> str:
    return "dataset" if request.get("method") == "ism" else "generator"


def _change_requests(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    connection = op.get_bind()
    for table, kind in (("artefacts", "noun"), ("jobs", "kind")):
        kept = sa.table(table, sa.column("id"), sa.column(kind), sa.column("request", sa.JSON()))
        wanted = kept.c[kind] == "approximation_trees"
        for identifier, request in connection.execute(sa.select(kept.c.id, kept.c.request).where(wanted)).all():
            connection.execute(sa.update(kept).where(kept.c.id == identifier).values(request=change(request)))
