"""Redis is away, or the database is locked: what can be answered is, what was accepted is done, nothing else is."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api import Api
from tests.support.chaos.questions import register_all
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.job_farm import SHORT_LEASES
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.redis import OwnRedis

_AT_ONCE_SECONDS = 4.0  # an answer that waits for nobody, on a busy machine


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    own = OwnRedis(tmp_path / "redis")
    own.start()
    yield own
    own.kill()


@pytest.fixture
def service(tmp_path: Path, redis: OwnRedis) -> Iterator[ServiceUnderFire]:
    own = {"LEAFSPACE_WORKER_NICENESS": "0", "LEAFSPACE_REDIS_URL": redis.url, "LEAFSPACE_NOTIFICATION_SECONDS": "2"}
    # No process is lost here: on a busy machine a short lease would end before it is renewed.
    own["LEAFSPACE_LEASE_SECONDS"] = "60"
    running = ServiceUnderFire(tmp_path / "outage", SHORT_LEASES | own, n_workers=1)
    running.start()
    yield running
    running.stop()


@pytest.mark.long
@pytest.mark.parametrize("seconds", [2, 20])
def test_without_redis_all_is_answered_and_jobs_start_within_five_seconds_of_its_return(
    service: ServiceUnderFire, redis: OwnRedis, seconds: float
) -> None:
    api = Api(service.url)
    (known, _) = register_all(api)
    running = api.post("/v1/approximation-trees", known.about | {"method": "sta", "seed": 1, "n_repeats": 2}).json()
    _wait_for(api, running["job"], "running")
    redis.kill()
    time.sleep(1.5)  # as long as readiness may be remembered
    began = time.monotonic()

    readiness = api.get("/readyz")
    created = api.post("/v1/proximities", known.about | {"n_neighbors": 7})
    explained = api.explain(known.explainer, [fitted("random_forest_binary").features[0].tolist()])

    assert (readiness.status_code, readiness.json()["degraded"]) == (200, ["redis"])
    assert created.status_code == 202
    assert explained["data"][0]["status"] == "ok"
    assert time.monotonic() - began < when_idle(_AT_ONCE_SECONDS)
    time.sleep(seconds)
    assert api.get(f"/v1/jobs/{created.json()['job']}").json()["status"] == "queued"
    # A job that runs needs no Redis, nor does its end.
    assert api.wait(running["job"])["status"] == "succeeded"

    redis.start()
    began = time.monotonic()
    _wait_for(api, created.json()["job"], "running", "succeeded")
    assert time.monotonic() - began < when_idle(5)
    assert api.wait(created.json()["job"])["attempt"] == 1


@pytest.mark.long
def test_while_the_database_is_locked_nothing_is_accepted_and_what_runs_goes_on(service: ServiceUnderFire) -> None:
    api = Api(service.url)
    (known, _) = register_all(api)
    running = api.post("/v1/approximation-trees", known.about | {"method": "sta", "seed": 2, "n_repeats": 2}).json()
    _wait_for(api, running["job"], "running")
    with sqlite3.connect(service.data_dir / "leafspace.db", isolation_level=None) as locking:
        locking.execute("BEGIN IMMEDIATE")
        refused = api.post("/v1/proximities", known.about | {"n_neighbors": 8})
        read = api.get(f"/v1/models/{known.model}")
        locking.execute("ROLLBACK")

    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    assert read.status_code == 200
    assert api.post("/v1/proximities", known.about | {"n_neighbors": 8}).status_code == 202
    assert api.wait(running["job"])["status"] == "succeeded"


def _wait_for(api: Api, job: str, *statuses: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while api.get(f"/v1/jobs/{job}").json()["status"] not in statuses:
        assert time.monotonic() < until, f"{job} was never {statuses}"
        time.sleep(0.05)
