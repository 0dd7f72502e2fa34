"""A siege: requests sent by several clients while parts of the service are killed, and what is left in the end."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select

from schemas.jobs import FINAL_STATUSES
from storage.database import Database
from storage.settings import embedded
from storage.tables import OBJECT_COLUMNS, artefacts, jobs

from .faults import Faults
from .persistent_clients import Outcomes, PersistentClients
from .questions import Made, Question, made
from .service_under_fire import ServiceUnderFire

_N_CLIENTS = 4


@dataclass(frozen=True)
class Plan:
    """How long it goes on, and how hard."""

    n_strikes: int
    seconds: float  # of faults
    weights: dict[str, int]
    seconds_to_settle: float = 60  # after the last fault, besides the jobs' own time
    seed: int = 0


@dataclass(frozen=True)
class Aftermath:
    """What was found when all was over."""

    outcomes: Outcomes
    faults: Counter[str]
    statuses: Counter[str]  # of accepted jobs
    attempts: Counter[int]
    n_wrong: int  # artefacts that are ready, and differ from those without faults
    n_too_many: int  # rows of jobs or artefacts that nobody requested
    unreferenced: set[str]  # objects that no row refers to
    workspaces: list[Path]
    seconds_to_settle: float

    @property
    def n_lost(self) -> int:
        """Accepted jobs without a final state."""
        return sum(count for status, count in self.statuses.items() if status not in FINAL_STATUSES)


def lay_siege(
    service: ServiceUnderFire, requested: Sequence[Question], right: dict[str, Made], plan: Plan
) -> Aftermath:
    """Send all requests while faults strike; return what there is when all is quiet again."""
    database = database_of(service.data_dir)
    before = _n_rows(database)
    clients = PersistentClients(service.url, requested, _N_CLIENTS, plan.seconds, plan.seed)
    clients.start()
    rng = random.Random(plan.seed)  # noqa: S311  # not a secret
    faults = Faults(service, rng, plan.weights)
    while faults.counts.total() < plan.n_strikes:
        time.sleep(rng.uniform(0, 2 * plan.seconds / plan.n_strikes))
        faults.strike()
    found = clients.join()
    settled = _settle(database, found, plan.seconds_to_settle)
    rows = _jobs(database, found)
    kept = made(database)
    ready = [artefact for artefact, _ in found.accepted.values() if kept.get(artefact, (None,))[0] is not None]
    return Aftermath(
        outcomes=found,
        faults=faults.counts,
        statuses=Counter(status for status, _ in rows),
        attempts=Counter(attempt for _, attempt in rows),
        n_wrong=sum(kept[artefact] != right[artefact] for artefact in ready),
        n_too_many=_n_rows(database) - before - 2 * len(found.accepted),
        unreferenced=_unreferenced(database, service.data_dir),
        workspaces=service.workspaces(),
        seconds_to_settle=settled,
    )


def database_of(data_dir: Path) -> Database:
    """Return the database of a service with this data directory."""
    return Database(embedded(data_dir).database_url)


def _settle(database: Database, found: Outcomes, patience_seconds: float) -> float:
    """Wait until all jobs have ended, as long as one of them still ends now and then; return the seconds it took."""
    began = moved = time.monotonic()
    n_left = -1
    while (n_now := sum(status not in FINAL_STATUSES for status, _ in _jobs(database, found))) > 0:
        if n_now != n_left:
            n_left, moved = n_now, time.monotonic()
        if time.monotonic() - moved > patience_seconds:
            break
        time.sleep(0.1)
    return time.monotonic() - began


def _jobs(database: Database, found: Outcomes) -> list[tuple[str, int]]:
    accepted = {job for _, job in found.accepted.values()}
    with database.reading() as connection:
        rows = connection.execute(select(jobs.c.id, jobs.c.status, jobs.c.attempt)).all()
    return [(status, attempt) for job, status, attempt in rows if job in accepted]


def _n_rows(database: Database) -> int:
    with database.reading() as connection:
        return sum(
            connection.execute(select(func.count()).select_from(table)).scalar_one() for table in (jobs, artefacts)
        )


def _unreferenced(database: Database, data_dir: Path) -> set[str]:
    kept = {path.name for path in embedded(data_dir).objects_dir.glob("??/*")}
    with database.reading() as connection:
        for column in OBJECT_COLUMNS:
            kept -= set(connection.execute(select(column)).scalars())
    return kept
