"""Jobs as the service sees them: their rows, which are the truth; the queue only carries their ids.

Every change of a row names the status that it leaves, so that of two writers only one succeeds.
"""

import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, desc, insert, select, update

from schemas.contract import Page
from schemas.jobs import FINAL_STATUSES, JOBS, Job, Progress
from schemas.problems import Problem, problem_for, problem_json

from .database import Database
from .errors import Conflict
from .job_counts import count_before
from .records import existing_record, first_record, moment, read_page, require, where_equal
from .tables import jobs

MAX_ATTEMPTS = 3
_RANDOM_BYTES = 16
_NEWEST = 100
_IDS_AT_ONCE = 10_000  # databases accept this many values in one query, and not many times more
_SHOWN = [column for column in jobs.c if column is not jobs.c.request]  # which may be long


@dataclass(frozen=True, slots=True)
class Origin:
    """The request that creates a job, its caller, and the estimated duration."""

    request_id: str | None = None  # so that logs can be followed from one to the other
    caller: str | None = None  # id of the API key, so that its jobs can be counted; none where none is required
    estimated_seconds: float | None = None  # of running time


_UNKNOWN = Origin()


@dataclass(slots=True)
class RequestedJob:
    """A request for what a job makes, inside its transaction (see ``JobStore.requested``)."""

    connection: Connection
    is_new: bool  # no job is under way that makes it
    job: str  # id of that job; set by the caller where it is new


class JobStore:
    """Rows of jobs: written when work is requested, read while it goes on."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    def add(
        self,
        connection: Connection,
        kind: str,
        artefact: str,
        request: dict[str, Any],
        deadline_seconds: float,
        origin: Origin = _UNKNOWN,
    ) -> str:
        """Write the row of a new job in the caller's transaction; return the job's id.

        Notify workers only after the transaction is committed: a worker that is faster would find no row.

        Parameters
        ----------
        connection
            Of the transaction in which the artefact's row is written, so that there is never one without the other.
        kind
            The noun of the artefact to be made.
        deadline_seconds
            How long one attempt may run.
        origin
            The request that creates it, its caller, and the estimated duration, as far as they are known.
        """
        job_id = JOBS.id_prefix + b32encode(secrets.token_bytes(_RANDOM_BYTES)).decode().rstrip("=").lower()
        now = self._now()
        values = {
            "id": job_id,
            "kind": kind,
            "artefact": artefact,
            "request": request,
            "status": "queued",
            "attempt": 0,
            "max_attempts": MAX_ATTEMPTS,
            "not_before": now,
            "deadline_seconds": deadline_seconds,
            "estimated_seconds": origin.estimated_seconds,
            "fraction": 0.0,
            "stage": "queued",
            "message": "",
            "request_id": origin.request_id,
            "caller": origin.caller,
            "created_at": now,
        }
        connection.execute(insert(jobs).values(**values))
        return job_id

    @contextmanager
    def requested(self, artefact: str) -> Iterator[RequestedJob]:
        """Yield a request in a transaction, in which the caller adds a job if none that makes this is under way.

        Requests at the same moment may each add one: what jobs make is known by what it is made from.
        """
        query = select(jobs.c.id).where(jobs.c.artefact == artefact, jobs.c.status.not_in(FINAL_STATUSES))
        with self._database.transaction() as connection:
            job = connection.execute(query).scalar()
            yield RequestedJob(connection, job is None, job or "")

    def get(self, job_id: str) -> Job:
        """Return the job in its current state; raise ``NotFound`` where there is none."""
        with self._database.reading() as connection:
            return _with_queue_positions(connection, [_job(existing_record(connection, jobs, job_id))])[0]

    def get_many(self, job_ids: Sequence[str]) -> dict[str, Job]:
        """Return those of the jobs that exist, by id."""
        by_id: dict[str, Job] = {}
        with self._database.reading() as connection:
            for start in range(0, len(job_ids), _IDS_AT_ONCE):
                query = select(*_SHOWN).where(jobs.c.id.in_(job_ids[start : start + _IDS_AT_ONCE]))
                some = [_job(row) for row in connection.execute(query).mappings()]
                by_id |= {job.id: job for job in _with_queue_positions(connection, some)}
        return by_id

    def recent(self, most: int) -> dict[str, Job]:
        """Return the jobs under way, ``most`` of those that were requested first, and the 100 newest of any status."""
        under_way = select(*_SHOWN).where(jobs.c.status.not_in(FINAL_STATUSES)).order_by(jobs.c.created_at, jobs.c.id)
        newest = select(*_SHOWN).order_by(desc(jobs.c.created_at), desc(jobs.c.id))
        with self._database.reading() as connection:
            queries = under_way.limit(most), newest.limit(_NEWEST)
            rows = [row for query in queries for row in connection.execute(query).mappings()]
            by_id = {row["id"]: _job(row) for row in rows}
            return {job.id: job for job in _with_queue_positions(connection, list(by_id.values()))}

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[Job]:
        """Return one page of jobs, newest first: those that have these values in these columns."""
        query = where_equal(select(*_SHOWN), jobs, filters)
        with self._database.reading() as connection:
            page = read_page(connection, query, jobs, (limit, cursor), _job)
            return page.model_copy(update={"data": _with_queue_positions(connection, page.data)})

    def made_from(self, job_ids: Collection[str], fields: Collection[str]) -> dict[str, dict[str, str]]:
        """Return the ids that the requests of jobs have in these fields, by job and field."""
        values = [jobs.c.request[name].as_string().label(f"of_{name}") for name in fields]
        query = select(jobs.c.id, *values).where(jobs.c.id.in_(job_ids))
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return {row["id"]: {name: row[f"of_{name}"] for name in fields if row[f"of_{name}"]} for row in rows}

    def request_cancel(self, job_id: str) -> Job:
        """Stop the job: at once while it is queued, within two seconds while it runs. Requesting it twice is no error.

        Raises
        ------
        NotFound
            If there is no such job.
        Conflict
            If the job has ended already.
        """
        with self._database.transaction() as connection:
            row = require(lock_job(connection, job_id), "jobs", job_id)
            if row["status"] == "queued":
                end_job(connection, row, "cancelled", self._now(), cancelled())
            elif row["status"] == "running":
                change_job(connection, row, status="cancelling")
            elif row["status"] != "cancelling":
                detail = f"job {job_id!r} has ended already: it is {row['status']}; nothing is left to cancel"
                raise Conflict("conflict", detail)
            return _job(existing_record(connection, jobs, job_id))


def _with_queue_positions(connection: Connection, listed: Sequence[Job]) -> list[Job]:
    """Return the jobs; for those that only wait for a worker, with the number that wait before them."""
    waiting = [job.id for job in listed if job.status == "queued" and not job.progress.message]
    before = count_before(connection, waiting) if waiting else {}
    return [_waiting(job, before[job.id]) if job.id in before else job for job in listed]


def _waiting(job: Job, n_before: int) -> Job:
    others = {0: "", 1: "; 1 other job waits before it"}.get(n_before, f"; {n_before} other jobs wait before it")
    progress = job.progress.model_copy(update={"message": f"waits for a worker{others}"})
    return job.model_copy(update={"progress": progress})


def lock_job(connection: Connection, job_id: str) -> RowMapping | None:
    """Return the job's row, locked until the transaction ends; ``None`` where there is none."""
    return first_record(connection, select(jobs).where(jobs.c.id == job_id).with_for_update())


def change_job(connection: Connection, row: RowMapping, **values: object) -> None:
    """Change a locked row, which still has the status and token that were read."""
    same_attempt = jobs.c.token.is_not_distinct_from(row["token"])
    unchanged = (jobs.c.id == row["id"], jobs.c.status == row["status"], same_attempt)
    connection.execute(update(jobs).where(*unchanged).values(**values))


def end_job(
    connection: Connection,
    row: RowMapping,
    status: str,
    finished_at: float,
    problem: Problem | None = None,
    token: str | None = None,
) -> None:
    """End a locked job for good; its lease is void from now on.

    ``token`` is that of the attempt that ends the job itself; any other end voids the token as well.
    """
    ended = {"status": status, "finished_at": finished_at, "token": token, "lease_until": None}
    # A key that is left out stays an SQL NULL; a None would be written as a JSON null.
    explained = {} if problem is None else {"problem": problem_json(problem)}
    change_job(connection, row, **ended, **explained)


def _job(row: RowMapping) -> Job:
    return Job(
        id=row["id"],
        kind=row["kind"],
        status=row["status"],
        artefact=row["artefact"],
        progress=Progress(fraction=row["fraction"], stage=row["stage"], message=row["message"]),
        attempt=row["attempt"],
        created_at=moment(row["created_at"]),
        started_at=None if row["started_at"] is None else moment(row["started_at"]),
        finished_at=None if row["finished_at"] is None else moment(row["finished_at"]),
        problem=row["problem"],
    )


def rename_artefact(connection: Connection, job_id: str, artefact: str) -> None:
    """Let a job have made this thing, whose id was not known when it was requested."""
    connection.execute(update(jobs).where(jobs.c.id == job_id).values(artefact=artefact))


def cancelled() -> Problem:
    """Return the problem of a cancelled job."""
    return problem_for("job_cancelled", "the job was cancelled; send the request again to begin a new one")


def worker_lost(attempt: int) -> Problem:
    """Return the problem of a job whose worker was lost at this attempt, its last."""
    detail = (
        f"the process that did the job was lost {attempt} times, each time it was tried; "
        "it may need more memory than there is: use fewer rows, or give the workers more"
    )
    return problem_for("worker_lost", detail)


def deadline_exceeded(deadline_seconds: float) -> Problem:
    """Return the problem of a job that ran beyond its deadline."""
    detail = f"the job ran for {deadline_seconds:g} seconds and was not done; request less work, or raise the deadline"
    return problem_for("deadline_exceeded", detail)
