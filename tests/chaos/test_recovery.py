"""What was ready and is killed is started again at once, and what cannot start is not hurried."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chaos.recovery import wait_until
from tests.support.chaos.service_under_fire import Part, ServiceUnderFire
from tests.support.job_farm import SHORT_LEASES

_PARTS: tuple[Part, ...] = ("api", "redis", "worker", "workers")
_AT_ONCE = re.compile(r"(api|redis|workers|worker 1) ended with -9; it is started again at once")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceUnderFire]:
    running = ServiceUnderFire(tmp_path / "killed", SHORT_LEASES | {"LEAFSPACE_LOG_LEVEL": "warning"}, n_workers=1)
    running.start()
    yield running
    running.stop()


def _kill(service: ServiceUnderFire, part: Part) -> None:
    """Kill a part that is ready; return when there is another."""
    wait_until(lambda: _is_whole(service))
    (victim,) = service.parts(part)
    service.signal(victim)
    wait_until(lambda: service.parts(part) not in ([], [victim]))


def _is_whole(service: ServiceUnderFire) -> bool:
    return service.is_ready() and all(len(service.parts(part)) == 1 for part in _PARTS)


@pytest.mark.long
def test_each_part_that_was_ready_and_is_killed_is_started_again_at_once(service: ServiceUnderFire) -> None:
    for part in ("api", "redis", "worker", "api", "redis", "workers"):
        _kill(service, part)

    wait_until(lambda: _is_whole(service))
    ends = _AT_ONCE.findall(service.log.read_text())
    assert sorted(ends) == ["api", "api", "redis", "redis", "worker 1", "workers"]


@pytest.mark.long
def test_an_api_that_cannot_start_again_is_tried_later_and_later(service: ServiceUnderFire) -> None:
    (api,) = service.parts("api")
    database = service.data_dir / "leafspace.db"
    elsewhere = database.rename(f"{database}.away")
    database.mkdir()  # nothing can be opened in its place
    service.signal(api)

    pauses = re.compile(r"api ended with \d+; it is started again in ([0-9.]+) s")
    wait_until(lambda: len(pauses.findall(service.log.read_text())) >= 2)
    assert pauses.findall(service.log.read_text())[:2] == ["0.25", "0.5"]

    database.rmdir()
    elsewhere.rename(database)
    wait_until(service.is_ready)
