"""Decisions on audited labels: entries that are appended, of which the newest of each row is in force.

An entry is made against the state that was read before it: where another caller was faster, nothing is written, and the
state is to be read again.
"""

import secrets
import time
from base64 import b32encode
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, case, exists, func, insert, select
from sqlalchemy.exc import IntegrityError

from schemas.contract import Page
from schemas.label_decisions import DecisionCounts, LabelDecision

from .database import Database
from .errors import Conflict
from .records import existing_record, first_record, moment, read_page
from .tables import artefacts, label_decisions

MAX_ENTRIES = 100_000
"""Of an audit: all that are in force are read together."""
_RANDOM_BYTES = 10
_TICK_SECONDS = 1e-6  # between two entries of a row, whatever the clock says
_COUNTED = {"n_accepted": "accept", "n_kept": "keep", "n_relabelled": "relabel", "n_unsure": "unsure"}
_NEWER = label_decisions.alias("newer")
_IS_LATEST: ColumnElement[bool] = ~exists().where(
    _NEWER.c.label_audit == label_decisions.c.label_audit,
    _NEWER.c.row == label_decisions.c.row,
    _NEWER.c.number > label_decisions.c.number,
)


@dataclass(frozen=True, slots=True)
class NewDecision:
    """An entry to be written."""

    label_audit: str
    row: int
    row_id: str
    decision: str
    label: str  # of the row in the dataset
    new_label: str
    is_suggested: bool  # whether the audit suggests another label
    note: str | None
    caller: str | None  # id of the API key, if there is one


class LabelDecisionStore:
    """Rows of decisions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, label_audit: str, row: int) -> LabelDecision | None:
        """Return the newest entry of a row, which may be a withdrawal, or nothing."""
        with self._database.reading() as connection:
            entry = first_record(connection, _entries(label_audit).where(label_decisions.c.row == row, _IS_LATEST))
        return None if entry is None else _view(entry)

    def list(
        self, label_audit: str, limit: int, cursor: str | None, *, row: int | None = None, latest: bool = False
    ) -> Page[LabelDecision]:
        """Return one page of entries, newest first: of one row, and those in force alone, if wished."""
        query = _entries(label_audit)
        query = query if row is None else query.where(label_decisions.c.row == row)
        query = query.where(*_in_force()) if latest else query
        with self._database.reading() as connection:
            return read_page(connection, query, label_decisions, (limit, cursor), _view)

    def in_force(self, label_audit: str) -> dict[int, LabelDecision]:
        """Return the decisions in force by row; there are ``MAX_ENTRIES`` at most."""
        with self._database.reading() as connection:
            rows = connection.execute(_entries(label_audit).where(*_in_force())).mappings().all()
        return {row["row"]: _view(row) for row in rows}

    def counts(self, label_audit: str, n_suggested: int) -> DecisionCounts:
        """Return how many decisions of each kind are in force."""
        is_one = {name: label_decisions.c.decision == kind for name, kind in _COUNTED.items()}
        is_one["n_suggested_decided"] = label_decisions.c.is_suggested
        sums = [func.coalesce(func.sum(case((of, 1), else_=0)), 0).label(name) for name, of in is_one.items()]
        query = select(func.count().label("n_decided"), *sums).select_from(label_decisions)
        with self._database.reading() as connection:
            counts = connection.execute(query.where(_of(label_audit), *_in_force())).mappings().one()
        return DecisionCounts(label_audit=label_audit, n_suggested=n_suggested, **counts)

    def add(self, new: NewDecision, seen: LabelDecision | None) -> LabelDecision | None:
        """Append an entry.

        Parameters
        ----------
        new
            The entry.
        seen
            The row's newest entry when this one was decided; none: it had none.

        Returns
        -------
        LabelDecision or None
            The entry; none if the row has another newest entry by now, and nothing was written.

        Raises
        ------
        NotFound
            If there is no such audit.
        Conflict
            Beyond ``MAX_ENTRIES``.
        """
        with self._database.transaction() as connection:
            existing_record(connection, artefacts, new.label_audit)
            n_entries = connection.execute(
                select(func.count()).select_from(label_decisions).where(_of(new.label_audit))
            )
            if n_entries.scalar_one() >= MAX_ENTRIES:
                detail = f"there are {MAX_ENTRIES:,} entries about {new.label_audit!r} already, the most there can be"
                raise Conflict("conflict", detail)
            query = select(label_decisions).where(_of(new.label_audit), label_decisions.c.row == new.row, _IS_LATEST)
            present = first_record(connection, query)
            if (None if present is None else present["id"]) != (None if seen is None else seen.id):
                return None
            return _append(connection, new, present)


def _append(connection: Connection, new: NewDecision, present: RowMapping | None) -> LabelDecision | None:
    """Write an entry after the newest one; return nothing where another transaction was faster."""
    now = time.time()
    identifier = "dec_" + b32encode(secrets.token_bytes(_RANDOM_BYTES)).decode().lower()
    values: dict[str, Any] = {**asdict(new), "id": identifier, "number": 1, "replaces": None, "created_at": now}
    if present is not None:
        # Entries are listed by their time: one that comes later must not seem earlier where the clock was set back.
        values |= {"created_at": max(now, present["created_at"] + _TICK_SECONDS)}
        values |= {"number": present["number"] + 1, "replaces": present["id"]}
    try:
        with connection.begin_nested():
            connection.execute(insert(label_decisions).values(**values))
    except IntegrityError:
        return None
    return _view({**values, "is_latest": True})


def _entries(label_audit: str) -> Select[Any]:
    return select(label_decisions, _IS_LATEST.label("is_latest")).where(_of(label_audit))


def _of(label_audit: str) -> ColumnElement[bool]:
    return label_decisions.c.label_audit == label_audit


def _in_force() -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return _IS_LATEST, label_decisions.c.decision != "withdrawn"


def _view(row: Any) -> LabelDecision:  # a mapping of columns
    names = ("id", "label_audit", "row", "row_id", "decision", "label", "new_label", "note", "replaces", "is_latest")
    columns = {name: row[name] for name in names}
    return LabelDecision(**columns, key=row["caller"], created_at=moment(row["created_at"]))
