"""Registered explainers: which model is explained by which prototypes, rules and tree."""

import time

from sqlalchemy import RowMapping, delete, select

from schemas.contract import Page
from schemas.explainers import Explainer, ExplainerRequest

from .database import Database
from .pages import read_page
from .records import add_record, existing_record, forget_keys_of, moment
from .tables import explainers


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

    def list(self, limit: int, cursor: str | None) -> Page[Explainer]:
        """Return one page of explainers, newest first."""
        with self._database.reading() as connection:
            return read_page(connection, select(explainers), explainers, (limit, cursor), _view)

    def delete(self, explainer_id: str) -> None:
        """Forget the explainer."""
        with self._database.transaction() as connection:
            existing_record(connection, explainers, explainer_id)
            forget_keys_of(connection, explainer_id)
            connection.execute(delete(explainers).where(explainers.c.id == explainer_id))


def _view(row: RowMapping) -> Explainer:
    return Explainer(
        id=row["id"],
        name=row["name"],
        model=row["model"],
        prototype_set=row["prototype_set"],
        rule_set=row["rule_set"],
        approximation_tree=row["approximation_tree"],
        shown_features=row["request"]["shown_features"],
        created_at=moment(row["created_at"]),
    )
