"""Registered explainers: which model is explained by which prototypes, rules and tree."""

import time
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, select

from schemas.contract import Page
from schemas.explainers import Explainer, ExplainerRequest, ExplainerSummary

from .database import Database
from .errors import InUse
from .records import add_record, existing_record, forget_keys_of, moment, read_page, rename_record, where_equal
from .tables import explainer_names, explainers

_LISTED = ("id", "name", "model", "prototype_set", "rule_set", "approximation_tree", "created_at")


class ExplainerStore:
    """Rows of explainers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, explainer_id: str, request: ExplainerRequest) -> tuple[Explainer, bool]:
        """Keep the explainer; return it, and whether it is new."""
        with self._database.transaction() as connection:
            values = {
                "id": explainer_id,
                "name": request.name,
                "model": request.model,
                "prototype_set": request.prototype_set,
                "rule_set": request.rule_set,
                "approximation_tree": request.approximation_tree,
                "request": request.model_dump(mode="json"),
                "created_at": time.time(),
            }
            is_new = add_record(connection, explainers, values)
            return _view(existing_record(connection, explainers, explainer_id)), is_new

    def get(self, explainer_id: str) -> Explainer:
        """Return the explainer."""
        with self._database.reading() as connection:
            return _view(existing_record(connection, explainers, explainer_id))

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[ExplainerSummary]:
        """Return one page of explainers, newest first: those that have these values in these columns."""
        query = where_equal(select(*(explainers.c[name] for name in _LISTED)), explainers, filters)
        with self._database.reading() as connection:
            return read_page(connection, query, explainers, (limit, cursor), _summary)

    def rename(self, explainer_id: str, name: str | None) -> None:
        """Give the explainer another name, or none; its id stays."""
        with self._database.transaction() as connection:
            rename_record(connection, explainers, explainer_id, name)

    def delete(self, explainer_id: str) -> None:
        """Forget the explainer. Refused while a name means it."""
        with self._database.transaction() as connection:
            existing_record(connection, explainers, explainer_id)
            _refuse_if_named(connection, explainer_id)
            forget_keys_of(connection, explainer_id)
            connection.execute(delete(explainers).where(explainers.c.id == explainer_id))


def _refuse_if_named(connection: Connection, explainer_id: str) -> None:
    query = (
        select(explainer_names.c.id).where(explainer_names.c.explainer == explainer_id).order_by(explainer_names.c.id)
    )
    name = connection.execute(query).scalar()
    if name is not None:
        detail = (
            f"explainer {explainer_id!r} is what the name {name!r} means; "
            f"give /v1/explainer-names/{name} another explainer, or delete that name, first"
        )
        raise InUse(detail)


def _summary(row: RowMapping) -> ExplainerSummary:
    return ExplainerSummary(**_facts(row))


def _view(row: RowMapping) -> Explainer:
    request = row["request"]
    since_later = {"abstain_below": None, "store_explanations": False}
    options = {name: request.get(name, default) for name, default in since_later.items()}
    return Explainer(**_facts(row), shown_features=request["shown_features"], **options)


def _facts(row: RowMapping) -> dict[str, Any]:
    return {name: row[name] for name in _LISTED} | {"created_at": moment(row["created_at"])}
