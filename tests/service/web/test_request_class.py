"""Bodies, as a real service reads them: none keeps others waiting; a caller who leaves while sending is no failure."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import httpx
import pytest

from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.serving import Service, serving

from ..middleware.serving import problem_of, receive_all, status_of

LIMIT = 8 << 20
LONGEST_PAUSE = 1.0  # seconds on an idle machine, where what is let in is made of its bytes in a tenth of this


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a service that waits two seconds for bodies."""
    directory: Path = tmp_path_factory.mktemp("bodies")
    with serving(directory / "data", "--no-worker", LEAFSPACE_BODY_SECONDS="2") as running:
        yield running


def _many(item: bytes, before: bytes, after: bytes, n_bytes: int = LIMIT) -> bytes:
    return before + item * ((n_bytes - len(before) - len(after)) // len(item) - 1) + item.rstrip(b",") + after


def _fields(n_fields: int, before: bytes, after: bytes) -> bytes:
    return before + b",".join(b'"%x":0' % number for number in range(n_fields)) + after


_PATHS = ("/v1/explainers/xpl_gone/explanations", "/v1/models/mdl_gone/predictions")
_CROWDS: dict[str, tuple[Callable[[], bytes], int, str]] = {
    "millions of rows": (lambda: _many(b"[],", b'{"instances":[', b"]}"), 413, "too_many_rows"),
    "rows beyond the limit": (lambda: _many(b"[],", b'{"instances":[', b"]}", 500_000), 413, "too_many_rows"),
    "rows that are none": (lambda: _many(b"0,", b'{"instances":[', b"]}", 1_000_000), 413, "too_many_rows"),
    "bad names of rows": (
        lambda: _many(b"0,", b'{"instances":[[]],"row_ids":[', b"]}", 1_000_000),
        413,
        "too_many_rows",
    ),
    "millions of values": (lambda: _many(b"0,", b'{"instances":[[', b"]]}"), 413, "too_many_rows"),
    "fields that are none": (lambda: _fields(49_000, b"{", b"}"), 422, "unknown_field"),
    "as many values as are read": (lambda: _many(b"0,", b'{"instances":[[', b"]]}", 1_990_000), 404, "not_found"),
    "as many names as are read": (lambda: _fields(49_000, b'{"instances":[{', b"}]}"), 404, "not_found"),
    "more names than are read": (lambda: _fields(290_000, b"{", b"}"), 413, "too_many_rows"),
    "as many lists as are read": (lambda: _many(b"[],", b'{"instances":[[', b"]]}", 299_900), 404, "not_found"),
    "more lists than are read": (lambda: _many(b"[],", b'{"instances":[[', b"]]}", 300_100), 413, "too_many_rows"),
    "a long text": (lambda: _many(b"\\\\", b'{"instances":[["', b'"]]}'), 404, "not_found"),
}


@pytest.mark.parametrize("path", _PATHS)
@pytest.mark.parametrize("name", _CROWDS)
@pytest.mark.sampled("values")
def test_no_body_keeps_others_waiting(service: Service, name: str, path: str) -> None:
    make, status, code = _CROWDS[name]
    body = make()
    assert len(body) <= LIMIT

    with _Watch(service.url) as watch:
        answer = httpx.post(
            service.url + path, content=body, headers={"Content-Type": "application/json"}, timeout=PATIENCE_SECONDS
        )

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert watch.longest < when_idle(LONGEST_PAUSE)


def test_no_metadata_of_an_upload_keeps_others_waiting(service: Service) -> None:
    metadata = _many(b"{},", b'{"parity":{"predictions":[[0]],"rows":[[', b"]]}}", 299_900)  # as many as are read
    files = {"file": ("model.onnx", b"model"), "metadata": (None, metadata)}

    with _Watch(service.url) as watch:
        answer = httpx.post(f"{service.url}/v1/models", files=files, timeout=PATIENCE_SECONDS)

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert watch.longest < when_idle(LONGEST_PAUSE)


@pytest.mark.parametrize("path", _PATHS)
@pytest.mark.sampled("thirds")
def test_who_goes_away_while_sending_or_is_too_slow_is_no_failure_of_ours(service: Service, path: str) -> None:
    path = path.replace("gone", "gone2")
    for lines, sent in (
        ("Content-Length: 100", b"{"),
        ("Transfer-Encoding: chunked", b"1\r\n{\r\n"),
        ("Content-Length: 1000000", b"{" * 200_000),
    ):
        with _sending(service.port, path, lines, sent):
            time.sleep(0.1)
    with _sending(service.port, path, "Content-Length: 100", b"{") as slow:
        late = receive_all(slow)
    piece = b"%x\r\n" % (LIMIT + 1) + b"[" * (LIMIT + 1) + b"\r\n"
    with _sending(service.port, path, "Transfer-Encoding: chunked", piece) as large:
        refused = receive_all(large)

    assert (status_of(late), problem_of(late)["code"]) == (408, "body_timeout")
    assert (status_of(refused), problem_of(refused)["code"]) == (413, "body_too_large")
    assert _statuses(service, path, 5) == [408, 413, 499, 499, 499]
    assert "request_failed" not in service.log.read_text()


def _statuses(service: Service, path: str, n_requests: int) -> list[int]:
    """Return what the access log says that requests were answered with."""
    for _ in range(100):
        lines = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
        found = [line["status"] for line in lines if line["event"] == "request" and line["path"] == path]
        if len(found) >= n_requests:
            break
        time.sleep(0.1)
    return sorted(found)


class _Watch:
    """Another caller, who checks whether the service lives, again and again; how long the longest answer took."""

    def __init__(self, url: str) -> None:
        self.longest = 0.0
        self._url = url
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        with httpx.Client(base_url=self._url, timeout=PATIENCE_SECONDS) as client:
            while not self._over.wait(0.01):
                began = time.perf_counter()
                client.get("/livez").raise_for_status()
                self.longest = max(self.longest, time.perf_counter() - began)


def _sending(port: int, path: str, lines: str, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{lines}\r\n\r\n"
    connection.sendall(head.encode() + sent)
    return connection
