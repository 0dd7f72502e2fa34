"""PostgreSQL is away while jobs wait and run: nothing is accepted then, and all that was is done when it is back."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import func, select

from storage.database import Database
from storage.tables import artefacts, jobs
from tests.support.api import Api
from tests.support.chaos.questions import Known, Question, answers_without_faults, made, questions, register_all
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.job_farm import SHORT_LEASES
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.storage_servers import PostgresqlServer, running_postgresql

_LEASE_SECONDS = float(SHORT_LEASES["LEAFSPACE_LEASE_SECONDS"])
_MOST_SECONDS_TO_ANSWER = 12.0  # on a busy machine; less than callers wait
_SHORT = {"/v1/proximities", "/v1/label-audits", "/v1/prototype-sets", "/v1/explanation-sets"}


@pytest.fixture
def postgresql() -> Iterator[PostgresqlServer]:
    with running_postgresql() as server:
        yield server


@pytest.fixture
def service(tmp_path: Path, postgresql: PostgresqlServer) -> Iterator[ServiceUnderFire]:
    own = {"LEAFSPACE_DATABASE_URL": postgresql.url, "LEAFSPACE_WORKER_NICENESS": "0"}
    running = ServiceUnderFire(tmp_path / "away", SHORT_LEASES | own, n_workers=1)
    running.start()
    yield running
    running.stop()


@pytest.mark.long
def test_jobs_that_wait_and_run_while_postgresql_is_away_are_done_once_when_it_is_back(
    service: ServiceUnderFire, postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    api = Api(service.url)
    known = register_all(api)
    database = Database(postgresql.url)
    n_before = _n_rows(database)
    assert _explains(api, known[0])  # it is warm from now on
    long = {"method": "sta", "seed": 9, "max_pseudo_samples": 3_000}
    short = [question for question in islice(questions(known), 6) if question.path in _SHORT]
    requested = [Question("/v1/approximation-trees", known[0].about | long), *short]
    accepted = [api.post(question.path, question.request).json() for question in requested]
    _until_running(api, accepted[0]["job"])

    postgresql.stop()
    _expect_refusals_and_warm_explanations(api, known[0])
    time.sleep(_LEASE_SECONDS)
    postgresql.start()
    began = time.monotonic()
    statuses = Counter(_final_status(database, answer["job"], began + _LEASE_SECONDS + 60) for answer in accepted)

    assert statuses == {"succeeded": len(requested)}
    right = answers_without_faults(tmp_path / "right", requested)
    kept = made(database)
    assert all(kept[answer["id"]] == right[answer["id"]] for answer in accepted)
    # A job and an artefact for each that was accepted, and none for what was refused.
    assert _n_rows(database) - n_before == 2 * len(requested)
    assert api.get("/readyz").status_code == 200
    database.close()


def _expect_refusals_and_warm_explanations(api: Api, known: Known) -> None:
    for n_neighbors in (51, 52, 53):
        began = time.monotonic()
        refused = api.post("/v1/proximities", known.about | {"n_neighbors": n_neighbors})
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        assert int(refused.headers["Retry-After"]) > 0
        assert time.monotonic() - began < when_idle(_MOST_SECONDS_TO_ANSWER)
        assert _explains(api, known)


def _explains(api: Api, known: Known) -> bool:
    instance = fitted("random_forest_binary").features[0].tolist()
    return bool(api.explain(known.explainer, [instance])["data"][0]["status"] == "ok")


def _until_running(api: Api, job: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while api.get(f"/v1/jobs/{job}").json()["status"] != "running":
        assert time.monotonic() < until
        time.sleep(0.05)


def _final_status(database: Database, job: str, until: float) -> str:
    while (status := _status(database, job)) in {"queued", "running"} and time.monotonic() < until:
        time.sleep(0.1)
    return status


def _status(database: Database, job: str) -> str:
    with database.reading() as connection:
        return str(connection.execute(select(jobs.c.status).where(jobs.c.id == job)).scalar_one())


def _n_rows(database: Database) -> int:
    with database.reading() as connection:
        return sum(
            connection.execute(select(func.count()).select_from(table)).scalar_one() for table in (jobs, artefacts)
        )
