"""Small uploads that would make large answers: read by any client, the API takes little memory and answers others."""

import asyncio
import io
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.api import Api
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.serving import Service, serving
from tests.support.tree_graphs import regressor, stump

_MOST_GROWTH = 200e6
_MOST_SECONDS = 1.0  # in which others are answered meanwhile
_LONG = "a" * 100_000


@dataclass(frozen=True)
class Hostile:
    """A service with uploads that it accepted, and where they are read."""

    service: Service
    paths: tuple[str, ...]

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the API process now (VmRSS), and at most so far (VmHWM)."""
        status = Path(f"/proc/{self.service.children()['api']}/status").read_text().splitlines()
        fields = (line.split() for line in status if line.startswith(("VmRSS", "VmHWM")))
        return {name.rstrip(":"): int(size) * 1024 for name, size, _ in fields}

    def forget_most(self) -> None:
        """Let the most so far be what there is now."""
        Path(f"/proc/{self.service.children()['api']}/clear_refs").write_text("5")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    with serving(tmp_path_factory.mktemp("hostile") / "data", "--no-worker") as service:
        api = Api(service.url)
        yield Hostile(service, tuple(_uploaded(api)))
        api.http.close()


def _uploaded(api: Api) -> Iterator[str]:
    yield from ("/v1/models", "/v1/models?limit=1000", "/v1/datasets?limit=1000")
    names = [f"{index:05}" + "x" * 80 for index in range(10_000)]
    graph = regressor(stump(), n_features=len(names)).SerializeToString()
    for number in range(4):
        model = _accepted(api, "/v1/models", graph, {"name": str(number), "feature_names": names})
    yield f"/v1/models/{model}"
    for data in _tables():
        dataset = _accepted(api, "/v1/datasets", data, {})
        yield f"/v1/datasets/{dataset}"
        yield f"/v1/datasets/{dataset}/rows?limit=1000"


def _accepted(api: Api, path: str, data: bytes, metadata: dict[str, object]) -> str:
    answer = api.upload(path, data, metadata)
    while answer.status_code == 503:  # the machine is too busy to read it in time
        answer = api.upload(path, data, metadata)
    assert answer.status_code == 201, answer.text[:1000]
    identifier: str = answer.json()["id"]
    return identifier


def _tables() -> Iterator[bytes]:
    """Yield Parquet files: one text for all rows, another for each row, one row, many columns."""
    for n_columns in (4, 12):
        text = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), pa.array([_LONG]))
        yield _parquet({f"c{index}": text for index in range(n_columns)})
    texts = pa.array([f"{row}{_LONG}" for row in range(500)])
    yield _parquet({"a": texts, "b": texts})
    yield _parquet({f"c{index}": pa.array([_LONG]) for index in range(1000)})
    numbers = np.random.default_rng(0).random(1000)
    yield _parquet({f"c{index}": pa.array(np.roll(numbers, index)) for index in range(10_000)})


def _parquet(columns: dict[str, pa.Array]) -> bytes:
    target = io.BytesIO()
    pq.write_table(pa.table(columns), target, compression="zstd", write_statistics=False)
    return target.getvalue()


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("n_readers", [16, pytest.param(64, marks=pytest.mark.long)])  # each path at least once
@pytest.mark.parametrize(
    "is_patient",
    [pytest.param(True, id="read to the end"), pytest.param(False, id="hung up at once", marks=pytest.mark.long)],
)
def test_reads_of_hostile_uploads_take_little_memory_and_keep_nobody_waiting(
    hostile: Hostile, n_readers: int, *, is_patient: bool
) -> None:
    hostile.forget_most()
    before = hostile.memory["VmRSS"]

    with _watching(hostile.service.url) as seconds:
        statuses = asyncio.run(_read_all(hostile, n_readers, is_patient=is_patient))
        _wait_until_idle(hostile.service.url)

    growth = hostile.memory["VmHWM"] - before
    found = f"{growth / 1e6:.0f} MB more, others answered within {max(seconds):.3f} s, {dict(statuses)}"
    assert growth < _MOST_GROWTH, found
    assert max(seconds) < when_idle(_MOST_SECONDS), found
    assert set(statuses) <= {200, 413, 503}, found
    assert not is_patient or statuses[200] >= len(hostile.paths) / 2, found


@contextmanager
def _watching(url: str) -> Iterator[list[float]]:
    """Check all the time whether the service lives; yield how long each answer takes."""
    seconds: list[float] = []
    is_over = threading.Event()

    def watch() -> None:
        with httpx.Client(timeout=PATIENCE_SECONDS) as client:
            while not is_over.wait(0.02):
                began = time.perf_counter()
                client.get(f"{url}/livez").raise_for_status()
                seconds.append(time.perf_counter() - began)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seconds
    finally:
        is_over.set()
        watcher.join()


async def _read_all(hostile: Hostile, n_readers: int, *, is_patient: bool) -> Counter[int]:
    paths = [hostile.paths[reader % len(hostile.paths)] for reader in range(n_readers)]
    reads = (_read(hostile.service.port, path, is_patient=is_patient) for path in paths)
    return Counter(status for status in await asyncio.gather(*reads) if status)


async def _read(port: int, path: str, *, is_patient: bool) -> int:
    """Return the status of an answer that is read to its end, or 0 where nobody waits for one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()
    status = 0
    if is_patient:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(b" ", 2)[1])
        assert status != 503 or b"retry-after" in head
        while await reader.read(1 << 16):
            pass
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return status


def _wait_until_idle(url: str) -> None:
    """Wait until nothing is under way but this question."""
    with httpx.Client(timeout=PATIENCE_SECONDS) as client:
        while True:
            lines = client.get(f"{url}/metrics").text.splitlines()
            under_way = [float(line.rpartition(" ")[2]) for line in lines if line.startswith("leafspace_requests_in")]
            if sum(under_way) <= 2:  # this one, and one that looks whether the service lives
                return
            time.sleep(0.1)
