"""A restart fails no request of those who heed readiness, as a proxy does, and hands running jobs back."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.api import Api
from tests.support.chaos.questions import Known, register_all
from tests.support.chaos.recovery import Recovery, wait_until
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.job_farm import SHORT_LEASES
from tests.support.models import fitted
from tests.support.raw_http import NO_TLS

_SECONDS_BETWEEN_PROBES = 0.05
# Many probes, and no lease that ends because others are at work, on a busy machine.
_DRAINING = {"LEAFSPACE_DRAIN_SECONDS": "5", "LEAFSPACE_WORKER_NICENESS": "0", "LEAFSPACE_LEASE_SECONDS": "30"}
_N_CLIENTS, _N_ANSWERS = 4, 50


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceUnderFire]:
    running = ServiceUnderFire(tmp_path / "restarted", SHORT_LEASES | _DRAINING, n_workers=1)
    running.start()
    yield running
    running.stop()


@pytest.mark.long
def test_a_restart_under_load_fails_no_request_and_hands_the_running_job_back(service: ServiceUnderFire) -> None:
    (known, _) = register_all(Api(service.url))
    with Recovery(service, known).long_job() as job, _load(service.url, known) as answers:
        for _ in range(2):
            _wait_for_more(answers)
            assert service.stop() == 0
            handed_back = Api(service.url)
            service.start()
            found = handed_back.get(f"/v1/jobs/{job}").json()
            # Each attempt before was taken back uncounted.
            assert (found["status"] in {"queued", "running"}, found["attempt"] <= 1) == (True, True), found
            wait_until(lambda: Api(service.url).get(f"/v1/jobs/{job}").json()["status"] == "running")
        _wait_for_more(answers)
    assert answers.keys() == {"200"}


@pytest.mark.long
def test_a_request_under_way_is_answered_before_the_end(service: ServiceUnderFire) -> None:
    (known, _) = register_all(Api(service.url))
    with Recovery(service, known).long_job() as job:
        answers: list[httpx.Response] = []

        def wait_for_the_job() -> None:
            answers.append(Api(service.url).get(f"/v1/jobs/{job}", Prefer="wait=3"))

        waiting = threading.Thread(target=wait_for_the_job)
        waiting.start()
        under_way = 'leafspace_requests_in_flight{route="/v1/jobs/{job_id}"} 1.0'
        wait_until(lambda: bool(answers) or under_way in Api(service.url).get("/metrics").text)
        assert service.stop() == 0
        waiting.join()

        assert [answer.status_code for answer in answers] == [200]
        service.start()


def _wait_for_more(answers: Counter[str]) -> None:
    """Wait until some more requests have been answered, or one has failed."""
    n_before = answers.total()
    wait_until(lambda: answers.total() >= n_before + _N_ANSWERS)


@contextmanager
def _load(url: str, known: Known) -> Iterator[Counter[str]]:
    """Explain a row again and again over kept-alive connections, while the service is ready; count what comes of it."""
    answers: Counter[str] = Counter()
    is_over, is_ready = threading.Event(), threading.Event()
    row: dict[str, Any] = {"instances": [fitted("random_forest_binary").features[0].tolist()]}

    def look() -> None:
        # As a proxy does it.
        with httpx.Client(base_url=url, timeout=1, verify=NO_TLS) as http:
            while not is_over.wait(_SECONDS_BETWEEN_PROBES):
                (is_ready.set if _is_ready(http) else is_ready.clear)()

    def send_all() -> None:
        with httpx.Client(base_url=url, timeout=20, verify=NO_TLS) as http:
            while not is_over.is_set():
                if is_ready.wait(_SECONDS_BETWEEN_PROBES):
                    answers[_send_once(http, f"/v1/explainers/{known.explainer}/explanations", row)] += 1

    threads = [threading.Thread(target=look), *(threading.Thread(target=send_all) for _ in range(_N_CLIENTS))]
    for thread in threads:
        thread.start()
    try:
        yield answers
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def _is_ready(http: httpx.Client) -> bool:
    try:
        return http.get("/readyz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _send_once(http: httpx.Client, path: str, body: dict[str, Any]) -> str:
    try:
        return str(http.post(path, json=body).status_code)
    except httpx.TransportError as error:
        return repr(error)
