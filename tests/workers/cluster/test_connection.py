"""Addresses at which something else than a scheduler listens: a job learns in time that its cluster is away."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.support.patience import when_idle
from tree_explainers.compute.progress import no_tick
from workers.cluster.errors import ClusterAway
from workers.cluster.settings import ClusterSettings

pytest.importorskip("distributed", reason="the requirements of requirements/cluster.txt are not installed")

_PATIENCE_SECONDS = 0.5
_HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@contextmanager
def _server_that_says(greeting: bytes) -> Iterator[str]:
    """Yield the address of a server that greets its first caller, and then waits for the caller to leave."""

    def greet() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(greeting)
            while connection.recv(1 << 16):
                pass

    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        greeting_thread = threading.Thread(target=greet, daemon=True)
        greeting_thread.start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        greeting_thread.join(when_idle(5))
        assert not greeting_thread.is_alive(), "the connection is still open"


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [(b"", r"has greeted within 0\.5 s"), (_HTTP, "what answers there is no scheduler of Dask")],
    ids=["silent", "http"],
)
def test_another_server_is_a_cluster_that_is_away_in_time(greeting: bytes, reason: str) -> None:
    from workers.cluster.connection import open_cluster  # it brings Dask

    with _server_that_says(greeting) as address:
        settings = ClusterSettings(address, None, 60, _PATIENCE_SECONDS)
        began = time.monotonic()
        with pytest.raises(ClusterAway, match=reason), open_cluster(settings, no_tick):
            pass
        seconds = time.monotonic() - began

    assert seconds < when_idle(_PATIENCE_SECONDS + 1)
