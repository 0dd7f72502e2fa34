"""Keep beside each model and dataset the few values that lists show, so that lists read nothing large."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_FEW_CLASSES, _FEW_CHARACTERS = 20, 1000


def upgrade() -> None:
    """Go to this revision."""
    for table, column, summarize in (("models", "description", _of_model), ("datasets", "summary", _of_dataset)):
        op.add_column(table, sa.Column("listed", sa.JSON()))
        kept = sa.table(
            table, *(sa.column(name, sa.JSON()) for name in (column, "metadata", "listed")), sa.column("id")
        )
        connection = op.get_bind()
        for identifier in connection.execute(sa.select(kept.c.id)).scalars().all():
            # One at a time: a single row may hold megabytes.
            row = connection.execute(sa.select(kept).where(kept.c.id == identifier)).mappings().one()
            listed = summarize(row[column], row["metadata"])
            connection.execute(sa.update(kept).where(kept.c.id == identifier).values(listed=listed))


def downgrade() -> None:
    """Leave this revision."""
    for table in ("models", "datasets"):
        op.drop_column(table, "listed")


def _of_model(description: dict[str, Any], _: dict[str, Any]) -> dict[str, Any]:
    classes = description["classes"]
    is_short = len(classes) <= _FEW_CLASSES and sum(map(len, classes)) <= _FEW_CHARACTERS
    kept = ("task", "ensemble", "ensemble_inferred", "n_trees", "n_nodes", "n_leaves", "max_depth")
    return {name: description[name] for name in kept} | {
        "classes": classes if is_short else None,
        "n_classes": len(classes),
        "n_features": len(description["feature_names"]),
        "n_bytes": len(json.dumps(description)),
    }


def _of_dataset(summary: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    columns = summary["columns"]
    return {
        "n_rows": summary["n_rows"],
        "n_columns": len(columns),
        "n_features": sum(column["role"] == "feature" for column in columns),
        "target": metadata.get("target"),
        "row_id": metadata.get("row_id"),
        "n_bytes": len(json.dumps(summary)),
    }
