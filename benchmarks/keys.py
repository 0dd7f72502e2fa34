"""What a key costs a request, and whether the time it takes reveals an unknown key beside a wrong secret.

1,000 keys in a database; requests of 8 headers pass ``Authorization`` on an event loop without a server around it, held
against the application alone. Kinds of requests are measured in turns, by the processor time of this process, as
others may use the machine; figures and ratios are medians of the turns.
``python -m benchmarks.keys``
"""

import asyncio
import tempfile
from collections.abc import Callable
from functools import partial
from operator import truediv
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from schemas.api_keys import ApiKeyRequest
from schemas.key_texts import draw_key
from service.caches.key_ring import KeyRing
from service.middleware.asgi import Application, Receive, Scope, Send
from service.middleware.identity.access import AccessPolicy, Authorization
from service.web.route_scopes import RouteScopes
from storage.api_keys import MAX_KEYS, ApiKeyStore
from storage.database import Database

from .machine import describe_machine

_N_TURNS, _N_REQUESTS = 41, 5_000
_MOST_MICROSECONDS = 20
_ROUTE, _PATH = (
    "/v1/explainers/{explainer_id}/explanations",
    "/v1/explainers/xpl_abcdefghijklmnopqrstuvwxyz/explanations",
)


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as directory:
        database = Database(f"sqlite:///{Path(directory) / 'rows.db'}")
        database.migrate()
        store = ApiKeyStore(database)
        request = ApiKeyRequest(name="one of many", scopes=["explain"])
        key = str([store.add(request).secret for _ in range(MAX_KEYS)][-1])
        ring = KeyRing(store)
        for occasion in ("when some are new", "else once a second"):
            began = perf_counter()
            ring.renew()
            print(f"reading {MAX_KEYS:,} keys in another thread, {occasion}: {(perf_counter() - began) * 1e3:.1f} ms")
        _request_costs(ring, key)
        _answer_times(ring, key)
        database.close()


def _request_costs(ring: KeyRing, key: str) -> None:
    policy = AccessPolicy(lambda: ring, RouteScopes([("POST", _ROUTE)]).required)
    ways: dict[str, Application] = {
        "the application alone": _answered,
        "no keys required": Authorization(_answered, None),
        "with a key": Authorization(_answered, policy),
    }
    # The ring is read by hand here: a thread that reads it would be measured, too.
    turns = _in_turns({name: partial(_renewed, ring, app, key) for name, app in ways.items()})
    taken = {name: median(times) for name, times in turns.items()}
    alone = taken["the application alone"]
    for name, microseconds in taken.items():
        print(f"a request, {name}: {microseconds:.2f} us (+{microseconds - alone:.2f})")
    assert taken["with a key"] - alone < _MOST_MICROSECONDS


def _answer_times(ring: KeyRing, key: str) -> None:
    wrong_secret = f"{key[:-4]}{'AAAA' if not key.endswith('AAAA') else 'BBBB'}"
    ways = {"known": key, "with a wrong secret": wrong_secret, "unknown": draw_key().text}
    turns = _in_turns({name: partial(_finds, ring, f"Bearer {text}".encode()) for name, text in ways.items()})
    for name, times in turns.items():
        print(f"a key that is {name}: {median(times):.2f} us")
    ratio = median(map(truediv, turns["unknown"], turns["with a wrong secret"]))
    print(f"unknown against wrong secret: {ratio:.3f}")
    assert 0.9 < ratio < 1.1


def _in_turns(ways: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Return what one of ``_N_REQUESTS`` takes in each turn, in microseconds."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_N_TURNS):
        for name, measure in ways.items():
            taken[name].append(measure() / _N_REQUESTS * 1e6)
    return taken


def _finds(ring: KeyRing, credentials: bytes) -> float:
    began = process_time()
    for _ in range(_N_REQUESTS):
        ring.find(credentials)
    return process_time() - began


def _renewed(ring: KeyRing, app: Application, key: str) -> float:
    ring.renew()
    return asyncio.run(_requests(app, key))


async def _requests(app: Application, key: str) -> float:
    names = (b"host", b"user-agent", b"accept", b"accept-encoding", b"connection", b"content-type", b"content-length")
    headers = [*((name, b"some value") for name in names), (b"authorization", f"Bearer {key}".encode())]
    began = process_time()
    for _ in range(_N_REQUESTS):
        await app({"type": "http", "method": "POST", "path": _PATH, "headers": headers}, _receive, _send)
    return process_time() - began


async def _answered(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start"})


async def _receive() -> dict[str, object]:
    return {"type": "http.disconnect"}


async def _send(_message: object) -> None:
    return None


if __name__ == "__main__":
    main()
