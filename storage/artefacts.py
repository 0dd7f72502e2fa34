"""Artefacts: what jobs make, known by the hash of what made them."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, RowMapping, case, delete, func, insert, or_, select, update

from schemas.contract import Page
from schemas.explainers import EXPLAINERS
from schemas.nouns import NOUNS

from .database import Database
from .errors import InUse, StorageError
from .records import add_record, first_record, forget_keys_of, moment, read_page, require, unreferenced
from .tables import artefact_files, artefacts, datasets, explainers, jobs, label_decisions

_ENDED_OTHERWISE = ("failed", "cancelled")
_STATUS: ColumnElement[str] = case(
    (artefacts.c.result.is_not(None), "ready"),
    (jobs.c.status.in_(_ENDED_OTHERWISE), jobs.c.status),
    else_="pending",
)
"""The status of an artefact: that of its job, until a result is kept."""

MAX_RESULT_BYTES = 32 << 20
"""Of a result as JSON, which its readers take as a whole: what grows with the rows is kept in files beside it."""

_REFERENCES = ("model", "dataset", "relational_dataset", "feature_set")
_SENT = "instances"  # of a request: rows that are in no dataset
_PROTOTYPE_BYTES = 1 << 10  # of a result, for the description of a prototype beside its values
_VALUE_BYTES = 40  # {"name":"","value":0.1234567890123456},


def bytes_of_prototype(feature_names: Sequence[str]) -> int:
    """Return about how many bytes of a result a prototype takes, with all its values."""
    return _PROTOTYPE_BYTES + sum(_VALUE_BYTES + len(name.encode()) for name in feature_names)


def most_prototypes(feature_names: Sequence[str]) -> int:
    """Return how many prototypes a result has room for; one may always be tried: values may be shorter."""
    return max(1, MAX_RESULT_BYTES // bytes_of_prototype(feature_names))


def _explainer_parts() -> tuple[Column[Any], ...]:
    names = [name for name, noun in EXPLAINERS.made_from.items() if NOUNS[noun].is_made_by_job]
    if missing := set(names) - set(explainers.columns.keys()):
        detail = f"explainers are made from {min(missing)!r}: add that column to storage/tables.py, and a migration"
        raise LookupError(detail)
    return tuple(explainers.columns[name] for name in names)


EXPLAINER_PARTS = _explainer_parts()
"""Columns of explainers that refer to artefacts: an artefact that one of them names cannot be deleted."""


@dataclass(frozen=True, slots=True)
class NewArtefact:
    """An artefact to be made."""

    id: str
    noun: str
    request: dict[str, Any]
    model: str | None = None
    dataset: str | None = None
    evaluation_dataset: str | None = None
    generator_dataset: str | None = None
    other_model: str | None = None
    relational_dataset: str | None = None


@dataclass(frozen=True, slots=True)
class Artefact:
    """An artefact with its status."""

    id: str
    noun: str
    request: dict[str, Any]
    status: str  # pending, ready, failed, cancelled
    job: str  # empty: it was made at once
    problem: dict[str, Any] | None
    result: str | None  # object: the result as JSON
    arrays: str | None  # object: what explainers need of it
    created_at: datetime
    model: str | None = None  # that it was made from, or published
    dataset: str | None = None
    relational_dataset: str | None = None
    feature_set: str | None = None  # that it published
    files: Mapping[str, str] = field(default_factory=dict)  # object by name: what is too large for the result

    def ready_result(self) -> str:
        """Return the object that holds the result; refuse an artefact that is not ready."""
        if self.result is None:
            detail = f"{self.id!r} is {self.status}; see job {self.job!r}"
            raise StorageError("artefact_not_ready", detail)
        return self.result


@dataclass(slots=True)
class RequestedArtefact:
    """A request for an artefact, inside and after its transaction (see ``ArtefactStore.requested``)."""

    connection: Connection  # of the transaction
    needs_job: bool  # the artefact is new, or its last job failed or was cancelled
    job: str = ""  # set by the caller
    is_new_job: bool = False
    artefact: Artefact = field(init=False)  # set when the transaction ends


class ArtefactStore:
    """Rows of artefacts; their status is that of their job until a result is kept."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def requested(self, artefact: NewArtefact) -> Iterator[RequestedArtefact]:
        """Yield the request in a transaction, in which the caller adds a job if ``needs_job`` and sets ``job``.

        Another request for the same artefact may be faster meanwhile: then the caller's job is not kept. Afterwards,
        ``artefact`` is the artefact as it is, and ``is_new_job`` says whether the caller's job makes it.
        """
        with self._database.transaction() as connection:
            existing = _row(connection, artefact.id)
            requested = RequestedArtefact(
                connection, existing is None or existing["status"] not in {"ready", "pending"}
            )
            if requested.needs_job:
                attempt = connection.begin_nested()
                yield requested
                requested.is_new_job = _refer_to_job(connection, artefact, existing, requested.job)
                (attempt.commit if requested.is_new_job else attempt.rollback)()
            else:
                yield requested
            requested.artefact = _artefact(connection, _existing(connection, artefact.noun, artefact.id))

    def add_ready(self, artefact: NewArtefact, result: str) -> tuple[Artefact, bool]:
        """Keep an artefact that needs no job, unless it is there; return it, and whether it is new."""
        with self._database.transaction() as connection:
            is_new = add_ready(connection, artefact, result)
            return _artefact(connection, _existing(connection, artefact.noun, artefact.id)), is_new

    def get(self, noun: str, artefact_id: str) -> Artefact:
        """Return the artefact of this noun."""
        with self._database.reading() as connection:
            return _artefact(connection, _existing(connection, noun, artefact_id))

    def list(self, noun: str, limit: int, cursor: str | None, **filters: str) -> Page[Any]:
        """Return one page of artefacts of this noun, newest first: those of this status, made from these things."""
        query = _with_jobs().where(artefacts.c.noun == noun, *(_has(*condition) for condition in filters.items()))
        with self._database.reading() as connection:
            page = read_page(connection, query, artefacts, (limit, cursor), lambda row: row)
            return Page(data=_artefacts(connection, page.data), next_cursor=page.next_cursor)

    def delete(self, noun: str, artefact_id: str, *, with_decisions: bool = False) -> tuple[str, ...]:
        """Forget the artefact; return the objects that nothing refers to any more. Refused while in use.

        So is an audit on which people have decided, unless it is to be forgotten with their decisions.
        """
        with self._database.transaction() as connection:
            # Locked before it is read: a dataset that is being published from a feature set locks that, too.
            connection.execute(select(artefacts.c.id).where(artefacts.c.id == artefact_id).with_for_update())
            row = _existing(connection, noun, artefact_id)
            _refuse_if_used(connection, row)
            if with_decisions:
                connection.execute(delete(label_decisions).where(label_decisions.c.label_audit == artefact_id))
            else:
                _refuse_if_decided(connection, artefact_id)
            files = _files_of(connection, [artefact_id])[artefact_id].values()
            _replace_files(connection, artefact_id, {})
            forget_keys_of(connection, artefact_id)
            if row["request"].get(_SENT):
                _forget_sent(connection, artefact_id)
            connection.execute(delete(artefacts).where(artefacts.c.id == artefact_id))
            return unreferenced(connection, (row["result"], row["arrays"], *files))


def _forget_sent(connection: Connection, artefact_id: str) -> None:
    """Leave the rows that a caller sent along out of what jobs were requested to do: they go with the artefact."""
    of_artefact = jobs.c.artefact == artefact_id
    for job, request in connection.execute(select(jobs.c.id, jobs.c.request).where(of_artefact)).all():
        without = {name: value for name, value in request.items() if name != _SENT}
        connection.execute(update(jobs).where(jobs.c.id == job).values(request=without))


def publish(
    connection: Connection,
    artefact_id: str,
    result: str,
    arrays: str | None,
    files: Mapping[str, str] | None = None,
    published: Mapping[str, str] | None = None,
) -> None:
    """Keep what a job made, in the transaction that ends the job.

    ``files`` are objects by name; ``published`` are ids of what it published beside the artefact, by column.
    """
    values = {"result": result, "arrays": arrays, **(published or {})}
    connection.execute(update(artefacts).where(artefacts.c.id == artefact_id).values(**values))
    _replace_files(connection, artefact_id, files or {})


def add_ready(connection: Connection, artefact: NewArtefact, result: str) -> bool:
    """Keep an artefact that is ready without a job of its own; return whether it is new."""
    return add_record(connection, artefacts, {**_values(artefact), "result": result, "created_at": time.time()})


def _refer_to_job(connection: Connection, artefact: NewArtefact, existing: RowMapping | None, job: str) -> bool:
    """Write the artefact's row with this job; return whether no other request was faster, whose job is kept then."""
    if existing is None:
        return add_record(connection, artefacts, {**_values(artefact), "job": job, "created_at": time.time()})
    unchanged = (artefacts.c.id == artefact.id, artefacts.c.job == existing["job"])
    return connection.execute(update(artefacts).where(*unchanged).values(job=job)).rowcount == 1


def _values(artefact: NewArtefact) -> dict[str, Any]:
    return {field: getattr(artefact, field) for field in NewArtefact.__dataclass_fields__}


def _with_jobs() -> Any:  # a select whose columns SQLAlchemy does not type
    columns = [_STATUS.label("status"), jobs.c.problem.label("job_problem")]
    return select(artefacts, *columns).outerjoin(jobs, jobs.c.id == artefacts.c.job)


def _has(field: str, value: str) -> ColumnElement[bool]:
    """Return the condition that an artefact, or else its request, has this value in this field."""
    column: ColumnElement[str]
    if field == "status":
        column = _STATUS
    elif field in artefacts.c:
        column = artefacts.c[field]
    else:
        column = artefacts.c.request[field].as_string()
    return column == value


def _row(connection: Connection, artefact_id: str) -> RowMapping | None:
    return first_record(connection, _with_jobs().where(artefacts.c.id == artefact_id))


def _existing(connection: Connection, noun: str, artefact_id: str) -> RowMapping:
    row = _row(connection, artefact_id)
    return require(row if row is not None and row["noun"] == noun else None, noun, artefact_id)


def _refuse_if_used(connection: Connection, row: RowMapping) -> None:
    builds_on_it = or_(*(part == row["id"] for part in EXPLAINER_PARTS))
    users = {
        "explainer": select(explainers.c.id).where(builds_on_it),
        "dataset": select(datasets.c.id).where(datasets.c.feature_set == row["id"]),
        "artefact": select(artefacts.c.id).where(artefacts.c.feature_set == row["id"]),
    }
    for noun, query in users.items():
        if (user := connection.execute(query).scalar()) is not None:
            detail = f"{row['id']!r} is used by {noun} {user!r}; delete that first"
            raise InUse(detail)
    if row["status"] == "pending":
        detail = f"{row['id']!r} is being made by job {row['job']!r}; cancel that first"
        raise InUse(detail)


def _refuse_if_decided(connection: Connection, artefact_id: str) -> None:
    entries = select(func.count()).where(label_decisions.c.label_audit == artefact_id)
    if (n_entries := connection.execute(entries).scalar_one()) > 0:
        detail = (
            f"{artefact_id!r} has {n_entries:,} entries about decisions; export them, then send `with_decisions=true`"
        )
        raise InUse(detail)


def _artefact(connection: Connection, row: RowMapping) -> Artefact:
    return _artefacts(connection, [row])[0]


def _artefacts(connection: Connection, rows: Sequence[RowMapping]) -> list[Artefact]:
    files = _files_of(connection, [row["id"] for row in rows])
    return [_artefact_with(row, files[row["id"]]) for row in rows]


def _artefact_with(row: RowMapping, files: Mapping[str, str]) -> Artefact:
    return Artefact(
        **{name: row[name] for name in ("id", "noun", "request", *_REFERENCES)},
        status=row["status"],
        job=row["job"] or "",
        problem=None if row["result"] is not None else row["job_problem"],
        result=row["result"],
        arrays=row["arrays"],
        created_at=moment(row["created_at"]),
        files=files,
    )


def _files_of(connection: Connection, artefact_ids: Collection[str]) -> dict[str, dict[str, str]]:
    """Return for each artefact its files, object by name."""
    files_by_artefact: dict[str, dict[str, str]] = {identifier: {} for identifier in artefact_ids}
    rows = select(artefact_files).where(artefact_files.c.artefact.in_(artefact_ids)).order_by(artefact_files.c.name)
    for row in connection.execute(rows).mappings():
        files_by_artefact[row["artefact"]][row["name"]] = row["object"]
    return files_by_artefact


def _replace_files(connection: Connection, artefact_id: str, files: Mapping[str, str]) -> None:
    """Replace the artefact's files by these, object by name."""
    connection.execute(delete(artefact_files).where(artefact_files.c.artefact == artefact_id))
    rows = [{"artefact": artefact_id, "name": name, "object": sha256} for name, sha256 in files.items()]
    if rows:
        connection.execute(insert(artefact_files), rows)
