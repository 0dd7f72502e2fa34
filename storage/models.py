"""Registered models: their rows, and what was derived from them once."""

import time
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from sqlalchemy import Connection, update

from schemas.decisions import Band, Decision
from schemas.models import (
    FEW_CLASSES,
    FEW_CLASSES_CHARACTERS,
    Model,
    ModelColumn,
    ModelSummary,
)

from .leaf_tables import forget_leaf_tables
from .records import add_record, find_record, moment
from .registry import Row, UploadRegistry, listed_values
from .tables import USES_OF_MODELS, leaf_tables, models

_COLUMNS = ("id", "name", "sha256", "size_bytes", "parity")
_COPIED_FIELDS = (
    "task",
    "ensemble",
    "ensemble_inferred",
    "oracle_only",
    "finite_only",
    "seconds_per_1000_rows",
    "n_trees",
    "n_nodes",
    "n_leaves",
    "max_depth",
)


@dataclass(frozen=True, slots=True)
class NewModel:
    """A vetted model, ready to be kept."""

    id: str
    name: str | None
    sha256: str  # object: the uploaded bytes
    size_bytes: int
    leaf_graph: str  # object: the graph that also returns leaves
    ensemble: str  # object: the trees as flat arrays
    description: dict[str, Any]
    metadata: dict[str, Any]
    parity: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class StoredModel:
    """What it takes to run a model."""

    view: Model
    leaf_graph: str
    ensemble: str
    description: dict[str, Any]


class ModelStore(UploadRegistry[NewModel, Model, StoredModel, ModelSummary]):
    """Rows of models."""

    table = models
    listed_columns = (*_COLUMNS, "listed", "created_at")
    uses = USES_OF_MODELS

    def keep_engine(self, model_id: str, engine: dict[str, Any]) -> None:
        """Keep what finds the leaves of many rows, once the first job knows; a model deleted meanwhile has none."""
        with self._database.transaction() as connection:
            row = find_record(connection, models, model_id)
            if row is not None:
                changed = row["description"] | {"engine": engine}
                connection.execute(update(models).where(models.c.id == model_id).values(description=changed))

    def _insert(self, connection: Connection, new: NewModel) -> tuple[str, bool]:
        return new.id, add_model(connection, new)

    def _view(self, row: Row) -> Model:
        description = row["description"]
        columns = {name: row[name] for name in _COLUMNS}
        return Model(
            **columns,
            **{name: description[name] for name in _COPIED_FIELDS},
            **_details(description),
            n_bagged_rows=_n_bagged_rows(description),
            n_classes=len(description["classes"]),
            n_features=len(description["feature_names"]),
            created_at=moment(row["created_at"]),
        )

    def _stored(self, row: Row) -> StoredModel:
        return StoredModel(self._view(row), row["leaf_graph"], row["ensemble"], row["description"])

    def _summary(self, row: Row) -> ModelSummary:
        columns = {name: row[name] for name in _COLUMNS}
        return ModelSummary(**columns, **listed_values(row), created_at=moment(row["created_at"]))

    def _document(self, row: Row) -> dict[str, Any]:
        return {**self._summary(row).model_dump(mode="json"), **_details(row["description"])}

    def _forget_parts(self, connection: Connection, row: Row) -> tuple[str, ...]:
        tables = forget_leaf_tables(connection, leaf_tables.c.model == row["id"])
        return (row["sha256"], row["leaf_graph"], row["ensemble"], *tables)


def add_model(connection: Connection, model: NewModel) -> bool:
    """Keep the model, unless it is there; return whether it is new."""
    values = {field: getattr(model, field) for field in NewModel.__dataclass_fields__}
    return add_record(connection, models, {**values, "listed": _listed(model.description), "created_at": time.time()})


def _listed(description: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a description that lists show, and how long the whole is."""
    classes = description["classes"]
    is_short = len(classes) <= FEW_CLASSES and sum(map(len, classes)) <= FEW_CLASSES_CHARACTERS
    return {
        **{name: description[name] for name in _COPIED_FIELDS},
        "classes": classes if is_short else None,
        "n_classes": len(classes),
        "n_features": len(description["feature_names"]),
        "n_bagged_rows": _n_bagged_rows(description),
        "n_bytes": len(orjson.dumps(description)),
    }


def _n_bagged_rows(description: dict[str, Any]) -> int | None:
    bags = description.get("bags")
    return None if bags is None else bags["n_rows"]


def _details(description: dict[str, Any]) -> dict[str, Any]:
    """Return what readers of one model get beside its summary, in plain values."""
    engine, decision = description["engine"], _decision(description)
    return {
        **{name: description[name] for name in ("classes", "feature_names", "operators", "warnings")},
        "feature_types": _feature_types(description["inputs"]),
        "column_map": [_shown_column(column) for column in description["columns"]],
        "engine": {"name": engine["name"], "reason": engine["reason"]},
        "decision": None if decision is None else decision.model_dump(),
    }


def _decision(description: dict[str, Any]) -> Decision | None:
    rule = description["decision"]
    if rule is None:
        return None
    bands = [Band(outcome=name, below=end) for name, end in zip(rule["outcomes"], (*rule["ends"], None), strict=True)]
    return Decision(
        bands=bands, **{name: rule[name] for name in ("score_of", "best_first", "adverse", "labels_decide")}
    )


def _feature_types(inputs: list[dict[str, Any]]) -> list[Literal["number", "category"]]:
    types: list[Literal["number", "category"]] = []
    for spec in inputs:
        types += ["category" if spec["type"] == "string" else "number"] * spec["width"]
    return types


def _shown_column(column: dict[str, Any]) -> dict[str, Any]:
    """Return what readers get of a column."""
    shown = {name: column.get(name) for name in ModelColumn.model_fields if name != "transformed"}
    return {**shown, "transformed": column["kind"] == "transformed"}
