"""Stored explanations: rows of what was answered. They refer to nothing, and outlive what they name."""

import hashlib
import secrets
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, Select, delete, insert, select

from schemas.contract import Page
from schemas.stored_explanations import EXPLANATIONS, StoredExplanationSummary

from .database import Database
from .records import existing_record, first_record, moment, read_page, require, where_equal
from .tables import explanations

_LISTED = (
    *("id", "explainer", "explainer_name", "row_id", "caller", "model_sha256", "digest"),
    "created_at",
)
_RANDOM_BYTES = 16
_ROWS_AT_ONCE = 200  # deleted in one transaction, so that no other waits long for it


@dataclass(frozen=True, slots=True)
class ExplanationRow:
    """A stored explanation, as it is kept."""

    id: str
    explainer: str
    explainer_name: str | None
    row_id: str
    caller: str | None  # id of an API key
    model_sha256: str
    provenance: dict[str, Any]
    revision: int
    dataset: str  # of the explainer, whose dictionary was used
    dictionary_revision: int
    request: str  # JSON
    response: str  # JSON
    n_bytes: int  # of both
    digest: str
    created_at: float  # seconds since 1970

    @property
    def digest_matches(self) -> bool:
        """Whether the digest is that of the response."""
        return digest_of(self.response) == self.digest


class ExplanationStore:
    """Rows of stored explanations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, rows: Sequence[ExplanationRow]) -> None:
        """Keep explanations: all of them, or none where an error is raised."""
        with self._database.transaction() as connection:
            connection.execute(insert(explanations), [asdict(each) for each in rows])

    def get(self, explanation_id: str) -> ExplanationRow:
        """Return an explanation; raise ``NotFound`` where there is none."""
        with self._database.reading() as connection:
            return ExplanationRow(**existing_record(connection, explanations, explanation_id))

    def n_bytes(self, explanation_id: str) -> int:
        """Return how long its request and its response are, without reading them."""
        query = select(explanations.c.n_bytes).where(explanations.c.id == explanation_id)
        with self._database.reading() as connection:
            n_bytes: int = require(first_record(connection, query), explanations.name, explanation_id)["n_bytes"]
        return n_bytes

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[StoredExplanationSummary]:
        """Return one page of explanations, newest first: those with these values, and of this time."""
        query = _of_time(select(*(explanations.c[name] for name in _LISTED)), filters)
        with self._database.reading() as connection:
            return read_page(connection, query, explanations, (limit, cursor), _summary)

    def delete(self, explanation_id: str) -> None:
        """Forget an explanation; raise ``NotFound`` where there is none."""
        with self._database.transaction() as connection:
            existing_record(connection, explanations, explanation_id)
            connection.execute(delete(explanations).where(explanations.c.id == explanation_id))

    def delete_row(self, explainer: str, row_id: str) -> int:
        """Forget all explanations of a row by an explainer; return how many there were."""
        is_meant = (explanations.c.row_id == row_id) & (explanations.c.explainer == explainer)
        some = select(explanations.c.id).where(is_meant).limit(_ROWS_AT_ONCE)
        n_deleted = 0
        while True:
            with self._database.transaction() as connection:
                n_deleted_now = connection.execute(delete(explanations).where(explanations.c.id.in_(some))).rowcount
            n_deleted += n_deleted_now
            if n_deleted_now < _ROWS_AT_ONCE:
                return n_deleted


def draw_explanation_id() -> str:
    """Return an id that nothing has."""
    return EXPLANATIONS.id_prefix + b32encode(secrets.token_bytes(_RANDOM_BYTES)).decode().rstrip("=").lower()


def digest_of(response: str) -> str:
    """Return the SHA-256 of a response as it is stored, in hexadecimal."""
    return hashlib.sha256(response.encode()).hexdigest()


def summary_of(stored: ExplanationRow) -> dict[str, Any]:
    """Return the fields that lists show of an explanation."""
    return _shown({name: getattr(stored, name) for name in _LISTED})


def _of_time(query: Select[Any], filters: dict[str, str]) -> Select[Any]:
    """Return the query of those alone that have these values, and were made in this time."""
    equal = {name: value for name, value in filters.items() if name in explanations.c}
    query = where_equal(query, explanations, equal)
    if "created_from" in filters:
        query = query.where(explanations.c.created_at >= _seconds(filters["created_from"]))
    if "created_before" in filters:
        query = query.where(explanations.c.created_at < _seconds(filters["created_before"]))
    return query


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _summary(row: RowMapping) -> StoredExplanationSummary:
    return StoredExplanationSummary(**_shown(dict(row)))


def _shown(values: dict[str, Any]) -> dict[str, Any]:
    shown = {name: values[name] for name in _LISTED if name != "caller"}
    return {**shown, "key": values["caller"], "created_at": moment(values["created_at"])}
