"""What several API processes have counted, added up."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.admission.shared_memory import SharedMemory, n_bytes_for
from service.caches.page_codes import PageCodes
from service.host_counts import HostCounts, ProcessCounts
from service.middleware.telemetry.metering import RequestRecords


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    with (tmp_path / "memory").open("w+b") as file:
        file.truncate(n_bytes_for(2))
        yield file.fileno()


def _records(*statuses: int) -> RequestRecords:
    records = RequestRecords(["/v1/models"])
    for status in statuses:
        records.of("POST", "/v1/models").add(status, 0.5)
    return records


def test_counts_of_processes_are_added_up(descriptor: int) -> None:
    first, second = (
        HostCounts(records, SharedMemory(descriptor, index, 2))
        for index, records in enumerate([_records(200, 429), _records(200)])
    )
    first.caches = lambda: {"explainers": (5, 1, 1)}
    second.caches = lambda: {"explainers": (7, 2, 2)}
    first.publish()
    second.publish()

    for counts in (first, second):
        (record,) = counts.all()
        assert record.n_by_status == {200: 2, 429: 1}
        assert (sum(record.n_by_bucket), record.n_seconds) == (3, 1.5)
        assert counts.cache_counts() == {"explainers": (12, 3, 3)}


def test_counters_of_an_ended_process_stay_and_what_it_did_then_does_not(descriptor: int) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    records = _records(200, 200)
    records.of("POST", "/v1/models").n_in_flight = 3
    document = ProcessCounts(ended.pid, 1.5, list(records.all()), {"sessions": (4, 2, 2)}).document()
    region = SharedMemory(descriptor, 1, 2).counts(1)
    with region.locked():
        region.write_document(document)

    other = HostCounts(_records(200), SharedMemory(descriptor, 0, 2))
    assert other.n_uploads == 0
    assert other.all()[0].n_by_status == {200: 3}
    assert other.cache_counts() == {"sessions": (4, 2, 0)}

    successor = HostCounts(_records(200), SharedMemory(descriptor, 1, 2))
    successor.publish()
    assert other.all()[0].n_by_status == {200: 4}
    assert sum(counts.cpu_seconds for counts in other.all_processes()) > 1.5


def test_a_code_of_the_page_is_redeemed_once_by_any_process(descriptor: int) -> None:
    first, second = (PageCodes(SharedMemory(descriptor, index, 2)) for index in range(2))
    code = first.make("lsk_key")

    assert second.redeem(code) == "lsk_key"
    assert first.redeem(code) is None
