"""The API ends under 16 connections whose explanations are stored: whatever was answered is stored, byte for byte."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from storage.explanations import ExplanationStore
from tests.support.api import Api, Registered, register
from tests.support.chaos.recovery import wait_until
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.chaos.siege import database_of
from tests.support.nouns import storing_explainer
from tests.support.patience import PATIENCE_SECONDS

_N_CONNECTIONS, _N_ANSWERS = 16, 200


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceUnderFire]:
    running = ServiceUnderFire(tmp_path / "stored", {"LEAFSPACE_STORE_EXPLANATIONS": "1"}, n_workers=1)
    running.start()
    yield running
    running.stop()


class Callers:
    """Sixteen callers, each of which sends requests until the service is gone."""

    def __init__(self, url: str, explainer: str, forest: Registered) -> None:
        self._url, self._path = url, f"/v1/explainers/{explainer}/explanations"
        self._body = {"instances": [forest.instance(0), forest.instance(1)]}
        self.answered: dict[str, str] = {}  # a summary by the id of the explanation
        self._lock = threading.Lock()

    def call(self, _number: int) -> None:
        with httpx.Client(base_url=self._url, timeout=PATIENCE_SECONDS) as client:
            while True:
                try:
                    answer = client.post(self._path, json=self._body)
                except httpx.TransportError:
                    return
                assert answer.status_code in {200, 503}, answer.text
                if answer.status_code == httpx.codes.OK:
                    with self._lock:
                        self.answered |= {each["id"]: each["summary"] for each in answer.json()["data"]}


@pytest.mark.long
@pytest.mark.parametrize("end", ["killed", pytest.param("stopped", marks=pytest.mark.long)])
def test_whatever_was_answered_is_stored_however_the_api_ends(service: ServiceUnderFire, end: str) -> None:
    api = Api(service.url)
    forest = register(api, "random_forest_binary")
    explainer = storing_explainer(api, forest)
    callers = Callers(service.url, explainer, forest)
    with ThreadPoolExecutor(_N_CONNECTIONS) as threads:
        calls = [threads.submit(callers.call, number) for number in range(_N_CONNECTIONS)]
        wait_until(lambda: len(callers.answered) >= _N_ANSWERS)
        if end == "killed":
            service.kill_all()
        else:
            assert service.stop() == 0
        for call in calls:
            call.result()

    store = ExplanationStore(database_of(service.data_dir))

    assert len(callers.answered) >= _N_ANSWERS
    for identifier, summary in callers.answered.items():
        kept = store.get(identifier)
        assert kept.digest_matches
        assert summary in kept.response
