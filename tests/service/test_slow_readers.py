"""Callers who request much and take nothing: others are answered meanwhile, and in the end the room is free again."""

import io
import json
import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.guarded import keys_of_new
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.serving import Service, serving

_MOST_SECONDS = 1.0
_SLACK_SECONDS = 1.0  # others use the machine, too
_STALLED_BYTES = 4096  # that a stalled reader's socket takes
_N_REQUESTED = 20


@dataclass(frozen=True)
class Crowd:
    """A service with two callers and something to read."""

    service: Service
    keys: tuple[str, str]
    wide: str  # the path of a wide dataset's rows
    long: str  # the path of a long dataset's rows
    model: str

    def client(self, key: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.service.url, headers=headers, timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crowd]:
    data_dir = tmp_path_factory.mktemp("slow") / "data"
    one, another = keys_of_new(data_dir, 2, "read", "write")
    limits = {"MAX_DOWNLOAD_BYTES": 4 << 20, "ANSWER_SECONDS": 4, "MAX_REQUESTS_OF_CALLER": 128}
    settings = {f"LEAFSPACE_{name}": str(value) for name, value in limits.items()}
    with serving(data_dir, "--no-worker", LEAFSPACE_REQUIRE_KEYS="1", **settings) as service:
        crowd = Crowd(service, (one, another), "", "", "")
        with crowd.client(one) as client:
            wide, long = (_rows_of(client, n_rows, n_columns) for n_rows, n_columns in ((72, 7129), (10_000, 200)))
            model = _registered(client, "/v1/models", fitted("random_forest_binary").onnx)
        yield Crowd(service, (one, another), f"{wide}/rows?limit=1000", f"{long}/rows", model)


def _rows_of(client: httpx.Client, n_rows: int, n_columns: int) -> str:
    values = np.random.default_rng(0).random((n_columns, n_rows))
    target = io.BytesIO()
    pq.write_table(pa.table({f"c{index}": column for index, column in enumerate(values)}), target)
    return _registered(client, "/v1/datasets", target.getvalue())


def _registered(client: httpx.Client, path: str, data: bytes) -> str:
    answer = client.post(path, files={"file": data}, data={"metadata": json.dumps({})})
    assert answer.status_code == 201, answer.text[:1000]
    return f"{path}/{answer.json()['id']}"


@contextmanager
def _stalled(crowd: Crowd, path: str, accept: str, n_readers: int) -> Iterator[list[socket.socket]]:
    """Request the same a number of times, with one key, and yield the sockets, from which nothing is read."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nAuthorization: Bearer {crowd.keys[0]}\r\n"
    with ExitStack() as stack:
        readers = []
        for _ in range(n_readers):
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _STALLED_BYTES)
            reader.settimeout(PATIENCE_SECONDS)
            reader.connect(("127.0.0.1", crowd.service.port))
            reader.sendall(f"{request}\r\n".encode())
            readers.append(reader)
        yield readers


def _wait_for_first(readers: list[socket.socket]) -> None:
    """Wait until one of them is being answered."""
    with selectors.DefaultSelector() as selector:
        for reader in readers:
            selector.register(reader, selectors.EVENT_READ)
        assert selector.select(PATIENCE_SECONDS)


def _status(reader: socket.socket) -> int:
    return int(reader.recv(12, socket.MSG_WAITALL).split(b" ")[1])


def _seconds_of(client: httpx.Client, paths: list[str]) -> float:
    """Return how long the slowest answer took."""
    slowest = 0.0
    for path in paths * _N_REQUESTED:
        began = time.perf_counter()
        answer = client.get(path)
        assert answer.status_code == 200, f"{path}: {answer.text[:500]}"
        slowest = max(slowest, time.perf_counter() - began)
    return slowest


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("n_readers", [4, pytest.param(64, marks=pytest.mark.long)])
def test_readers_of_pages_who_take_nothing_keep_no_list_and_no_small_answer_waiting(
    crowd: Crowd, n_readers: int
) -> None:
    with _stalled(crowd, crowd.wide, "application/json", n_readers) as readers:
        _wait_for_first(readers)
        for key in crowd.keys:
            with crowd.client(key) as client:
                seconds = _seconds_of(client, ["/v1/models", "/v1/jobs", crowd.model])
                assert seconds < when_idle(_MOST_SECONDS + _SLACK_SECONDS)
        with crowd.client(crowd.keys[1]) as client:
            assert client.get(crowd.wide).status_code == 200
        statuses = {_status(reader) for reader in readers}

    assert 200 in statuses
    assert statuses <= {200, 429}, "each refusal was for what the same key had requested before"


@pytest.mark.timeout(600)
@pytest.mark.long
def test_downloads_that_nobody_takes_leave_room_for_others_and_are_cut_off(crowd: Crowd) -> None:
    with (
        _stalled(crowd, crowd.long, "application/vnd.apache.parquet", 64) as readers,
        crowd.client(crowd.keys[0]) as same,
        crowd.client(crowd.keys[1]) as other,
    ):
        _wait_for_first(readers)
        accept = {"Accept": "application/vnd.apache.parquet"}
        whole = other.get(crowd.long, headers=accept)
        assert whole.status_code == 200
        # Their sockets stay open: they are cut off all the same, and make way.
        while same.get(crowd.long, headers=accept).status_code != 200:
            pass
        taken = [_rest(reader) for reader in readers]

    assert max(taken) < len(whole.content)


def _rest(reader: socket.socket) -> int:
    """Return how many bytes there are to the end of the connection."""
    n_bytes = 0
    try:
        while block := reader.recv(1 << 16):
            n_bytes += len(block)
    except ConnectionResetError:
        pass
    return n_bytes
