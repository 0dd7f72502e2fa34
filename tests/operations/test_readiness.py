"""/livez and /readyz mean it, with real processes: Redis killed, the database locked, moved and stopped, SIGTERM."""

import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from leafspace.listening import answers
from tests.support.api import Api, Registered, register
from tests.support.databases import new_postgresql_database, turn_read_only
from tests.support.job_farm import JobFarm
from tests.support.patience import PATIENCE_SECONDS
from tests.support.redis import OwnRedis
from tests.support.serving import Service, serving
from tests.support.storage_servers import postgresql_server


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnRedis]:
    own = OwnRedis(tmp_path_factory.mktemp("redis") / "redis")
    own.start()
    yield own
    own.kill()


# Long enough for a few requests on a busy machine; at its end, the service takes as long.
_PATIENT = {"LEAFSPACE_DRAIN_SECONDS": "10", "LEAFSPACE_GRACE_SECONDS": "300", "LEAFSPACE_BODY_SECONDS": "300"}


@pytest.fixture(scope="module")
def own_service(redis: OwnRedis, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    directory = tmp_path_factory.mktemp("ready") / "data"
    environment = {"LEAFSPACE_REDIS_URL": redis.url, "LEAFSPACE_WORKER_NICENESS": "0"}
    with serving(directory, **environment, **_PATIENT) as running:
        yield running


@pytest.fixture(scope="module")
def warm(own_service: Service) -> tuple[Api, Registered]:
    api = Api(own_service.url)
    registered = register(api, "random_forest_binary")
    api.explain(registered.explainer["id"], [registered.instance(0)])
    return api, registered


def _readiness(api: Api) -> tuple[int, Any]:
    answer = api.get("/readyz")
    return answer.status_code, answer.json()


def _explains(api: Api, registered: Registered) -> bool:
    return bool(api.explain(registered.explainer["id"], [registered.instance(1)])["data"][0]["status"] == "ok")


def test_without_redis_the_service_is_degraded_and_explains(
    redis: OwnRedis, own_service: Service, warm: tuple[Api, Registered]
) -> None:
    api, registered = warm
    assert _readiness(api) == (200, {"status": "ok", "degraded": []})
    assert "redis" not in own_service.children()
    redis.kill()

    JobFarm.wait_until(lambda: _readiness(api) == (200, {"status": "ok", "degraded": ["redis"]}), 10)

    assert _explains(api, registered)
    assert api.get(f"/v1/models/{registered.model['id']}").status_code == 200
    redis.start()
    JobFarm.wait_until(lambda: _readiness(api) == (200, {"status": "ok", "degraded": []}), 10)


def test_a_locked_database_is_not_ready_but_alive(own_service: Service, warm: tuple[Api, Registered]) -> None:
    api, registered = warm
    locker = sqlite3.connect(own_service.data_dir / "leafspace.db", timeout=10, isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")

    JobFarm.wait_until(lambda: _readiness(api)[0] == 503, 5)

    assert _readiness(api)[1]["code"] == "unavailable"
    assert api.get("/livez").status_code == 200
    assert _explains(api, registered)
    locker.execute("ROLLBACK")
    locker.close()
    JobFarm.wait_until(lambda: _readiness(api)[0] == 200, 10)


def test_a_database_that_was_moved_away_is_not_ready(own_service: Service, warm: tuple[Api, Registered]) -> None:
    api, registered = warm
    database = own_service.data_dir / "leafspace.db"
    elsewhere = database.rename(f"{database}.moved")

    JobFarm.wait_until(lambda: _readiness(api)[0] == 503, 5)

    assert _readiness(api)[1]["code"] == "unavailable"
    assert _explains(api, registered)
    JobFarm.wait_until(lambda: "leafspace_database_up 0.0" in api.get("/metrics").text, 10)
    elsewhere.rename(database)
    JobFarm.wait_until(lambda: "leafspace_database_up 1.0" in api.get("/metrics").text, 10)
    JobFarm.wait_until(lambda: _readiness(api)[0] == 200, 10)


def test_at_a_signal_to_stop_it_is_first_not_ready_and_finishes_what_is_under_way(
    own_service: Service, warm: tuple[Api, Registered]
) -> None:
    api, registered = warm
    statuses: list[int] = []
    stops = threading.Event()
    body = api.http.build_request("POST", "/v1/models", files={"file": ("m", registered.fitted.onnx)})
    halves = _halves(body.read(), stops)
    headers = {"content-type": body.headers["content-type"]}
    url = f"{own_service.url}/v1/models"
    upload = threading.Thread(
        target=lambda: statuses.append(
            httpx.post(url, content=halves, headers=headers, timeout=PATIENCE_SECONDS).status_code
        )
    )
    upload.start()
    JobFarm.wait_until(lambda: "leafspace_uploads_in_progress 1.0" in api.get("/metrics").text)
    process = own_service.children()["api"]
    os.kill(process, signal.SIGTERM)
    JobFarm.wait_until(lambda: _readiness(api)[0] == 503)

    _, problem = _readiness(api)
    explained = api.post(
        f"/v1/explainers/{registered.explainer['id']}/explanations", {"instances": [registered.instance(0)]}
    )
    os.kill(process, signal.SIGTERM)  # it draws to an end at once
    JobFarm.wait_until(lambda: not answers("127.0.0.1", own_service.port))
    stops.set()
    upload.join()

    assert problem["code"] == "unavailable"
    assert "about to stop" in problem["detail"]
    assert (explained.status_code, explained.headers["connection"]) == (200, "close")
    assert statuses in ([200], [201])


def _halves(body: bytes, between: threading.Event) -> Iterator[bytes]:
    yield body[: len(body) // 2]
    assert between.wait(PATIENCE_SECONDS)
    yield body[len(body) // 2 :]


@pytest.mark.long
def test_with_postgresql_read_only_it_reads_and_explains_but_is_not_ready_and_takes_nothing(
    postgresql_url: str, tmp_path: Path
) -> None:
    with (
        new_postgresql_database(postgresql_url) as url,
        serving(tmp_path / "data", LEAFSPACE_DATABASE_URL=url) as service,
    ):
        api = Api(service.url)
        registered = register(api, "random_forest_binary")
        request = {"model": registered.model["id"], "dataset": registered.dataset["id"], "n_neighbors": 3}
        turn_read_only(url, read_only=True)

        JobFarm.wait_until(lambda: _readiness(api)[0] == 503, 10)
        for _ in range(3):
            refused = api.post("/v1/proximities", request)
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable"), refused.text
            assert int(refused.headers["Retry-After"]) > 0
        assert "read-only" in _readiness(api)[1]["detail"]
        assert api.get(f"/v1/models/{registered.model['id']}").status_code == 200
        assert _explains(api, registered)

        turn_read_only(url, read_only=False)
        JobFarm.wait_until(lambda: _readiness(api)[0] == 200, 10)
        assert api.made("/v1/proximities", request)["status"] == "ready"


@pytest.mark.long
def test_with_postgresql_stopped_it_is_not_ready_says_so_and_explains(tmp_path: Path) -> None:
    with ExitStack() as stopping:
        url = stopping.enter_context(postgresql_server())
        environment = {"LEAFSPACE_DATABASE_URL": url, "LEAFSPACE_WORKER_NICENESS": "0"}
        with serving(tmp_path / "data", **environment) as service:
            api = Api(service.url)
            registered = register(api, "random_forest_binary")
            assert _explains(api, registered)

            stopping.close()

            JobFarm.wait_until(lambda: _readiness(api)[0] == 503, 10)
            assert api.get("/livez").status_code == 200
            refused = api.post(
                "/v1/proximities", {"model": registered.model["id"], "dataset": registered.dataset["id"]}
            )
            assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
            assert refused.headers["retry-after"]
            assert _explains(api, registered)
            assert "leafspace_database_up 0.0" in api.get("/metrics").text
