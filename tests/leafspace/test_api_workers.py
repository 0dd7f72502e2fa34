"""``leafspace serve --api-workers 2``: two API processes on one port, which are one service to callers."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.guarded import keys_of_new
from tests.support.patience import PATIENCE_SECONDS
from tests.support.processes import children_of, command_of
from tests.support.raw_http import NO_TLS
from tests.support.serving import Service, serving

_MANY = 60  # connections, of which either process gets some


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("several") / "data", "--no-worker", "--api-workers", "2") as service:
        yield service


def _apis(service: Service) -> set[int]:
    parents = [pid for pid in children_of(service.process.pid) if "-m leafspace.apis" in command_of(pid)]
    return {pid for parent in parents for pid in children_of(parent)}


def _n_answers(service: Service) -> int:
    lines = httpx.get(f"{service.url}/metrics", verify=NO_TLS).text.splitlines()
    name = 'leafspace_requests_total{method="GET",route="/v1/version",status="2xx"} '
    return sum(int(float(line.removeprefix(name))) for line in lines if line.startswith(name))


def _wait_for_answers(service: Service, number: int) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while _n_answers(service) != number and time.monotonic() < until:
        time.sleep(0.05)
    assert [_n_answers(service) for _ in range(10)] == [number] * 10


def test_metrics_add_up_and_outlive_a_process_that_is_killed(service: Service) -> None:
    before, apis = _n_answers(service), _apis(service)
    assert len(apis) == 2
    for _ in range(_MANY):
        assert httpx.get(f"{service.url}/v1/version", verify=NO_TLS).status_code == 200
    _wait_for_answers(service, before + _MANY)

    os.kill(min(apis), signal.SIGKILL)
    until = time.monotonic() + PATIENCE_SECONDS
    while (len(_apis(service)) < 2 or _apis(service) == apis) and time.monotonic() < until:
        time.sleep(0.05)
    _wait_for_answers(service, before + _MANY)
    assert "process_resident_memory_bytes" in httpx.get(f"{service.url}/metrics", verify=NO_TLS).text


def test_a_key_has_one_quota_of_all_processes_which_stop_together(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    (key,) = keys_of_new(data_dir, 1, "read")
    limits = {"LEAFSPACE_REQUESTS_PER_SECOND": "0.001", "LEAFSPACE_REQUESTS_BURST": "20"}
    with serving(data_dir, "--no-worker", "--api-workers", "2", LEAFSPACE_REQUIRE_KEYS="1", **limits) as limited:
        headers = {"Authorization": f"Bearer {key}"}
        statuses = [
            httpx.get(f"{limited.url}/v1/models", headers=headers, verify=NO_TLS).status_code for _ in range(_MANY)
        ]
        apis = _apis(limited)
        limited.process.send_signal(signal.SIGTERM)
        assert limited.process.wait(PATIENCE_SECONDS) == 0

    assert not any(Path(f"/proc/{pid}").exists() for pid in apis)
    assert statuses == [200] * 20 + [429] * (_MANY - 20)
