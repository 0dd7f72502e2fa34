"""Registered models: their rows, and what was derived from them once."""

import time
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, delete, select

from schemas.contract import Page
from schemas.models import Model, ModelColumn

from .database import Database
from .errors import InUse
from .leaf_tables import forget_leaf_tables
from .pages import read_page
from .records import add_record, existing_record, find_record, forget_keys_of, moment, unreferenced
from .tables import artefacts, explainers, leaf_tables, models


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
            values = {field: getattr(model, field) for field in NewModel.__dataclass_fields__}
            is_new = add_record(connection, models, {**values, "created_at": time.time()})
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

    def list(self, limit: int, cursor: str | None) -> Page[Model]:
        """Return one page of models, newest first."""
        with self._database.reading() as connection:
            return read_page(connection, select(models), models, (limit, cursor), _view)

    def delete(self, model_id: str) -> tuple[str, ...]:
        """Forget the model; return the objects that nothing refers to any more. Refused while in use."""
        with self._database.transaction() as connection:
            row = existing_record(connection, models, model_id)
            _refuse_if_used(connection, model_id)
            tables = forget_leaf_tables(connection, leaf_tables.c.model == model_id)
            forget_keys_of(connection, model_id)
            connection.execute(delete(models).where(models.c.id == model_id))
            return unreferenced(connection, (row["sha256"], row["leaf_graph"], row["ensemble"], *tables))


def _refuse_if_used(connection: Connection, model_id: str) -> None:
    for noun, table in (("explainer", explainers), ("artefact", artefacts)):
        user = connection.execute(select(table.c.id).where(table.c.model == model_id)).scalar()
        if user is not None:
            detail = f"model {model_id!r} is used by {noun} {user!r}; delete that first"
            raise InUse(detail)


def _view(row: RowMapping) -> Model:
    description = row["description"]
    return Model(
        id=row["id"],
        name=row["name"],
        sha256=row["sha256"],
        size_bytes=row["size_bytes"],
        task=description["task"],
        ensemble=description["ensemble"],
        ensemble_inferred=description["ensemble_inferred"],
        classes=description["classes"],
        n_features=len(description["feature_names"]),
        feature_names=description["feature_names"],
        feature_types=_feature_types(description["inputs"]),
        n_trees=description["n_trees"],
        n_nodes=description["n_nodes"],
        n_leaves=description["n_leaves"],
        max_depth=description["max_depth"],
        operators=description["operators"],
        column_map=[_column(column) for column in description["columns"]],
        parity=row["parity"],
        created_at=moment(row["created_at"]),
    )


def _feature_types(inputs: list[dict[str, Any]]) -> list[Literal["number", "category"]]:
    types: list[Literal["number", "category"]] = []
    for spec in inputs:
        types += ["category" if spec["type"] == "string" else "number"] * spec["width"]
    return types


def _column(column: dict[str, Any]) -> ModelColumn:
    shown = {name: column[name] for name in ModelColumn.model_fields if name != "transformed"}
    return ModelColumn(**shown, transformed=column["kind"] == "transformed")
