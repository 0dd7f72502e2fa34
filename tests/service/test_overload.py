"""More callers than there is time for, over a real service: everyone gets an answer, nobody runs into a time-out."""

import concurrent.futures
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS
from tests.support.serving import Service, serving

pytestmark = pytest.mark.long  # limits alone, in front of an application that sleeps: middleware/test_limits.py


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a service that takes on less than usual."""
    directory: Path = tmp_path_factory.mktemp("overload")
    with serving(
        directory / "data",
        LEAFSPACE_MAX_WAITING_SECONDS="1",
        LEAFSPACE_MAX_CONNECTIONS_PER_ADDRESS="100",
        LEAFSPACE_MAX_UPLOADS_UNDER_WAY="3",
    ) as running:
        yield running


@pytest.fixture(scope="module")
def explain(service: Service) -> str:
    """Return the path of explanations."""
    forest = fitted("random_forest_binary")
    frame = frame_of(forest)
    with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client:
        metadata = json.dumps({"feature_names": list(forest.rows.names), "ensemble": "random_forest"})
        model = client.post("/v1/models", files={"file": forest.onnx}, data={"metadata": metadata}).json()
        files = {"file": frame.to_csv(index=False).encode()}
        dataset = client.post("/v1/datasets", files=files, data={"metadata": '{"target": "t"}'}).json()
        wanted = {"model": model["id"], "dataset": dataset["id"], "n_prototypes": 5}
        prototypes = client.post("/v1/prototype-sets", json=wanted).json()
        while client.get(f"/v1/jobs/{prototypes['job']}", headers={"Prefer": "wait=20"}).json()["finished_at"] is None:
            pass
        explainer = client.post("/v1/explainers", json={"model": model["id"], "prototype_set": prototypes["id"]}).json()
    return f"{service.url}/v1/explainers/{explainer['id']}/explanations"


def _row() -> list[float]:
    return [float(value) for value in fitted("random_forest_binary").features[0]]


def _seconds_of_one(explain: str, n_calls: int) -> list[float]:
    seconds = []
    with httpx.Client(timeout=PATIENCE_SECONDS) as client:
        for _ in range(n_calls):
            began = time.perf_counter()
            assert client.post(explain, json={"instances": [_row()]}).status_code == 200
            seconds.append(time.perf_counter() - began)
    return seconds


def _send_all(n_clients: int, explain: str, body: object, n_calls: int) -> list[httpx.Response]:
    """Send calls from a number of clients at once; return all answers, of which there must be one for each."""

    def send(_: int) -> list[httpx.Response]:
        with httpx.Client(timeout=PATIENCE_SECONDS) as client:
            return [client.post(explain, json=body) for _ in range(n_calls)]

    with concurrent.futures.ThreadPoolExecutor(n_clients) as pool:
        return [answer for answers in pool.map(send, range(n_clients)) for answer in answers]


def test_64_callers_at_once_are_all_answered(explain: str) -> None:
    answers = _send_all(64, explain, {"instances": [_row()]}, 4)
    assert Counter(answer.status_code for answer in answers) == {200: 256}


def test_calls_of_many_rows_hold_up_no_single_row_and_beyond_the_queue_have_to_come_back(explain: str) -> None:
    alone = statistics.median(_seconds_of_one(explain, 50))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(_send_all, 6, explain, {"instances": [_row()] * 900}, 4)
        beside: list[float] = []
        while not under_way.done():
            beside += _seconds_of_one(explain, 1)
        answers = under_way.result()
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses.keys() == {200, 503}
    assert statuses.total() == 24
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert refused.json()["code"] == "unavailable"
    assert int(refused.headers["Retry-After"]) >= 1
    # A call of 900 rows takes some hundred times as long as one of a single row.
    assert statistics.median(beside) < max(30 * alone, 0.1)


def test_connections_beyond_those_of_an_address_are_answered_too(service: Service) -> None:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    with (
        concurrent.futures.ThreadPoolExecutor(150) as pool,
        httpx.Client(limits=limits, timeout=PATIENCE_SECONDS) as client,
    ):
        # Each waits for the others, so that all are open at once.
        waiting = [pool.submit(client.get, f"{service.url}/v1/jobs") for _ in range(150)]
        answers = [each.result() for each in waiting]
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert all("Retry-After" in answer.headers for answer in answers if answer.status_code == 503)


def test_uploads_beyond_those_under_way_have_to_come_back(service: Service) -> None:
    rows = b"a,b,t\n" + b"1.5,2.5,x\n" * 200_000

    def upload(number: int) -> httpx.Response:
        metadata = json.dumps({"target": "t", "name": f"upload {number}"})
        with httpx.Client(timeout=PATIENCE_SECONDS) as client:
            return client.post(f"{service.url}/v1/datasets", files={"file": rows}, data={"metadata": metadata})

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(upload, range(12)))
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses.keys() == {201, 503}
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert (refused.json()["code"], refused.headers["Retry-After"]) == ("unavailable", "2")
