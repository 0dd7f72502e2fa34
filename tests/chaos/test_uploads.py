"""The API is killed in the middle of uploads: nothing half-done stays, and a caller who tries again has one object."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest
from sqlalchemy import select

from storage.settings import embedded
from storage.tables import OBJECT_COLUMNS, datasets, idempotency_keys
from tests.support.api import Api, csv_of
from tests.support.chaos.recovery import wait_until
from tests.support.chaos.service_under_fire import Part, ServiceUnderFire
from tests.support.chaos.siege import database_of
from tests.support.job_farm import SHORT_LEASES, JobFarm
from tests.support.patience import PATIENCE_SECONDS

_BLOCK_BYTES = 1 << 16
_KEY = {"Idempotency-Key": "one-upload"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceUnderFire]:
    running = ServiceUnderFire(tmp_path / "uploads", SHORT_LEASES | {"LEAFSPACE_WORKER_NICENESS": "0"}, n_workers=1)
    running.start()
    yield running
    running.stop()


def _rows(n_rows: int) -> bytes:
    rng = np.random.default_rng(0)
    return csv_of(pd.DataFrame(rng.normal(size=(n_rows, 10))).rename(columns="x{}".format))


def _kill_the_api(service: ServiceUnderFire) -> None:
    (api,) = service.parts("api")
    service.signal(api)
    wait_until(lambda: service.parts("api") not in ([], [api]) and service.is_ready())


def _nothing_is_kept(service: ServiceUnderFire) -> bool:
    with database_of(service.data_dir).reading() as connection:
        # A key whose request was killed represents nothing.
        made = select(idempotency_keys).where(idempotency_keys.c.thing.is_not(None))
        rows = [connection.execute(query).first() for query in (select(datasets), made)]
    return rows == [None, None] and _objects(service) == set() and service.workspaces() == []


def _objects(service: ServiceUnderFire) -> set[str]:
    return {path.name for path in embedded(service.data_dir).objects_dir.glob("??/*")}


def _is_kept_once(service: ServiceUnderFire, data: bytes) -> bool:
    first, second = (Api(service.url).upload("/v1/datasets", data, **_KEY) for _ in range(2))
    assert (first.status_code, first.json()) == (201, second.json())
    with database_of(service.data_dir).reading() as connection:
        referred = {sha256 for column in OBJECT_COLUMNS for sha256 in connection.execute(select(column)).scalars()}
        n_rows = len(connection.execute(select(datasets)).all())
    return n_rows == 1 and _objects(service) == referred and service.workspaces() == []


@pytest.mark.long
def test_an_api_that_is_killed_while_a_body_streams_keeps_nothing(service: ServiceUnderFire) -> None:
    data = _rows(20_000)
    half_is_sent = threading.Event()

    def body() -> Iterator[bytes]:
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
        yield head + data[:_BLOCK_BYTES]
        for start in range(_BLOCK_BYTES, len(data), _BLOCK_BYTES):
            if start > len(data) // 2:
                half_is_sent.set()
                time.sleep(0.2)
            yield data[start : start + _BLOCK_BYTES]

    def send() -> None:
        headers = {"Content-Type": "multipart/form-data; boundary=x"} | _KEY
        with pytest.raises(httpx.TransportError):
            httpx.post(f"{service.url}/v1/datasets", content=body(), headers=headers, timeout=PATIENCE_SECONDS)

    sending = threading.Thread(target=send)
    sending.start()
    half_is_sent.wait()
    _kill_the_api(service)
    sending.join()

    assert _nothing_is_kept(service)
    assert _is_kept_once(service, data)


@pytest.mark.long
def test_an_api_that_is_killed_while_an_upload_is_read_keeps_nothing(service: ServiceUnderFire) -> None:
    data = _rows(100_000)

    def send() -> None:
        with pytest.raises(httpx.TransportError):
            Api(service.url).upload("/v1/datasets", data, **_KEY)

    sending = threading.Thread(target=send)
    sending.start()
    JobFarm.wait_until(lambda: service.workspaces() != [])
    readers = [pid for pid in service.processes() if pid not in _parts(service)]
    _kill_the_api(service)
    sending.join()

    # A worker sweeps up what was being read, and the reader is gone with the API.
    JobFarm.wait_until(lambda: _nothing_is_kept(service), seconds=10)
    assert not set(readers) & set(service.processes())
    assert _is_kept_once(service, data)


def _parts(service: ServiceUnderFire) -> list[int]:
    assert service.process is not None
    parts: tuple[Part, ...] = ("apis", "api", "workers", "worker", "redis", "job")
    return [service.process.pid, *(pid for part in parts for pid in service.parts(part))]
