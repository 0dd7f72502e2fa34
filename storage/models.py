"""Registered models: their rows, and what was derived from them once."""

import time
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from sqlalchemy import Connection, RowMapping, delete, select, update

from schemas.contract import Page
from schemas.decisions import Band, Decision
from schemas.models import (
    FEW_CLASSES,
    FEW_CLASSES_CHARACTERS,
    Model,
    ModelColumn,
    ModelEngine,
    ModelSummary,
    ModelWarning,
)

from .database import Database
from .errors import InUse
from .leaf_tables import forget_leaf_tables
from .records import (
    add_record,
    existing_record,
    find_record,
    first_record,
    forget_keys_of,
    moment,
    read_page,
    rename_record,
    require,
    unreferenced,
    where_equal,
)
from .tables import artefacts, explainers, leaf_tables, models

_LISTED = ("id", "name", "sha256", "size_bytes", "listed", "parity", "created_at")
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


class ModelStore:
    """Rows of models."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, model: NewModel) -> tuple[Model, bool]:
        """Keep the model; return it, and whether it is new."""
        with self._database.transaction() as connection:
            is_new = add_model(connection, model)
            return _view(existing_record(connection, models, model.id)), is_new

    def find(self, model_id: str) -> Model | None:
        """Return the model, or nothing."""
        with self._database.reading() as connection:
            row = find_record(connection, models, model_id)
        return None if row is None else _view(row)

    def get(self, model_id: str) -> StoredModel:
        """Return the model with what it takes to run it."""
        with self._database.reading() as connection:
            row = existing_record(connection, models, model_id)
        return StoredModel(_view(row), row["leaf_graph"], row["ensemble"], row["description"])

    def document(self, model_id: str) -> dict[str, Any]:
        """Return the model as its readers get it, in plain values: messages would take several times the memory."""
        with self._database.reading() as connection:
            row = existing_record(connection, models, model_id)
        description = row["description"]
        summary = _summary(row)
        return {
            **summary.model_dump(mode="json"),
            **{name: description[name] for name in ("classes", "feature_names", "operators")},
            "feature_types": _feature_types(description["inputs"]),
            "column_map": [_shown(column) for column in description["columns"]],
            "warnings": description["warnings"],
            "engine": _engine(description).model_dump(),
            "decision": None if (decision := _decision(description)) is None else decision.model_dump(),
        }

    def summary(self, model_id: str) -> ModelSummary:
        """Return the summary that lists hold, without reading more."""
        query = select(*(models.c[name] for name in _LISTED)).where(models.c.id == model_id)
        with self._database.reading() as connection:
            return _summary(require(first_record(connection, query), "models", model_id))

    def n_bytes(self, model_id: str) -> int:
        """Return how long the model's description is as JSON, without reading it."""
        query = select(models.c.listed["n_bytes"].as_integer().label("n_bytes")).where(models.c.id == model_id)
        with self._database.reading() as connection:
            row = require(first_record(connection, query), "models", model_id)
        return row["n_bytes"] or 0

    def are_there(self) -> bool:
        """Whether there is any model."""
        with self._database.reading() as connection:
            return connection.execute(select(models.c.id).limit(1)).first() is not None

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[ModelSummary]:
        """Return one page of models, newest first: those that have these values in these columns."""
        query = where_equal(select(*(models.c[name] for name in _LISTED)), models, filters)
        with self._database.reading() as connection:
            return read_page(connection, query, models, (limit, cursor), _summary)

    def rename(self, model_id: str, name: str | None) -> None:
        """Give the model another name, or none; its id stays."""
        with self._database.transaction() as connection:
            rename_record(connection, models, model_id, name)

    def keep_engine(self, model_id: str, engine: dict[str, Any]) -> None:
        """Keep what finds the leaves of many rows, once the first job knows; a model deleted meanwhile has none."""
        with self._database.transaction() as connection:
            row = find_record(connection, models, model_id)
            if row is not None:
                changed = row["description"] | {"engine": engine}
                connection.execute(update(models).where(models.c.id == model_id).values(description=changed))

    def delete(self, model_id: str) -> tuple[str, ...]:
        """Forget the model; return the objects that nothing refers to any more. Refused while in use."""
        with self._database.transaction() as connection:
            row = existing_record(connection, models, model_id)
            _refuse_if_used(connection, model_id)
            tables = forget_leaf_tables(connection, leaf_tables.c.model == model_id)
            forget_keys_of(connection, model_id)
            connection.execute(delete(models).where(models.c.id == model_id))
            return unreferenced(connection, (row["sha256"], row["leaf_graph"], row["ensemble"], *tables))


def add_model(connection: Connection, model: NewModel) -> bool:
    """Keep the model, unless it is there; return whether it is new."""
    values = {field: getattr(model, field) for field in NewModel.__dataclass_fields__}
    return add_record(connection, models, {**values, "listed": _listed(model.description), "created_at": time.time()})


def _refuse_if_used(connection: Connection, model_id: str) -> None:
    for noun, table in (("explainer", explainers), ("artefact", artefacts)):
        user = connection.execute(select(table.c.id).where(table.c.model == model_id)).scalar()
        if user is not None:
            detail = f"model {model_id!r} is used by {noun} {user!r}; delete that first"
            raise InUse(detail)


def _copied(description: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name] for name in _COPIED_FIELDS}


def _listed(description: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a description that lists show, and how long the whole is."""
    classes = description["classes"]
    is_short = len(classes) <= FEW_CLASSES and sum(map(len, classes)) <= FEW_CLASSES_CHARACTERS
    return _copied(description) | {
        "classes": classes if is_short else None,
        "n_classes": len(classes),
        "n_features": len(description["feature_names"]),
        "n_bytes": len(orjson.dumps(description)),
    }


def _summary(row: RowMapping) -> ModelSummary:
    stored = {name: value for name, value in row["listed"].items() if name != "n_bytes"}
    own = {name: row[name] for name in ("id", "name", "sha256", "size_bytes", "parity")}
    return ModelSummary(**own, **stored, created_at=moment(row["created_at"]))


def _view(row: RowMapping) -> Model:
    description = row["description"]
    return Model(
        **{name: row[name] for name in ("id", "name", "sha256", "size_bytes", "parity")},
        **_copied(description),
        decision=_decision(description),
        classes=description["classes"],
        n_classes=len(description["classes"]),
        n_features=len(description["feature_names"]),
        feature_names=description["feature_names"],
        feature_types=_feature_types(description["inputs"]),
        operators=description["operators"],
        column_map=[_column(column) for column in description["columns"]],
        warnings=[ModelWarning(**warning) for warning in description["warnings"]],
        engine=_engine(description),
        created_at=moment(row["created_at"]),
    )


def _engine(description: dict[str, Any]) -> ModelEngine:
    engine = description["engine"]
    return ModelEngine(name=engine["name"], reason=engine["reason"])


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


def _column(column: dict[str, Any]) -> ModelColumn:
    return ModelColumn(**_shown(column))


def _shown(column: dict[str, Any]) -> dict[str, Any]:
    """Return what readers get of a column."""
    shown = {name: column.get(name) for name in ModelColumn.model_fields if name != "transformed"}
    return {**shown, "transformed": column["kind"] == "transformed"}
