"""What counting a request takes by this service's own classes, and by prometheus-client, limits and cachetools.

``uv pip install cachetools limits``, then ``python -m benchmarks.counters``; a library that is missing is left out.
"""

import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from timeit import repeat

from service.caches.drawing_cache import DrawingCache
from service.middleware.admission.limits import TokenBuckets
from service.middleware.telemetry.metering import RouteRecord

from .machine import describe_machine

_N_CALLS = 20_000
_SERVICE = Path(__file__).parents[1] / "service"
_OWN_FILES = ("middleware/telemetry/metering.py", "middleware/admission/limits.py", "caches/drawing_cache.py")


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    for name in _OWN_FILES:
        print(f"{name:40} {len((_SERVICE / name).read_text(encoding='utf-8').splitlines()):8} lines")
    for name, call in _calls().items():
        microseconds = 1e6 * min(repeat(call, number=_N_CALLS, repeat=5)) / _N_CALLS
        print(f"{name:40} {microseconds:8.2f} us")


def _calls() -> dict[str, Callable[[], object]]:
    record, buckets, drawings = RouteRecord("POST", "/v1/explainers"), TokenBuckets(1e9, 10), DrawingCache()
    calls: dict[str, Callable[[], object]] = {
        "RouteRecord.add": lambda: record.add(200, 0.001),
        "TokenBuckets.take": lambda: buckets.take("key_1"),
        "DrawingCache.get": lambda: drawings.get(_draw, {"id": "mdl_1"}, None),
    }
    for add in (_add_prometheus, _add_limits, _add_cachetools):
        try:
            add(calls)
        except ImportError as error:
            print(f"left out: {error}")
    return calls


def _draw(document: dict[str, object], _shown: None) -> str:
    return str(document)


def _add_prometheus(calls: dict[str, Callable[[], object]]) -> None:
    library = importlib.import_module("prometheus_client")
    labels = ("method", "route", "status")
    seconds = library.Histogram("seconds", "of requests", labels).labels("POST", "/v1/explainers", "200")
    calls["prometheus_client Histogram.observe"] = lambda: seconds.observe(0.001)


def _add_limits(calls: dict[str, Callable[[], object]]) -> None:
    library, storage = importlib.import_module("limits"), importlib.import_module("limits.storage")
    strategies = importlib.import_module("limits.strategies")
    rate = library.RateLimitItemPerSecond(1_000_000_000)
    for name in ("FixedWindowRateLimiter", "SlidingWindowCounterRateLimiter"):
        limiter = getattr(strategies, name)(storage.MemoryStorage())
        calls[f"limits {name}"] = partial(limiter.hit, rate, "key_1")


def _add_cachetools(calls: dict[str, Callable[[], object]]) -> None:
    cache = importlib.import_module("cachetools").LRUCache(16 << 20, len)
    cache["key"] = "drawing"
    calls["cachetools LRUCache.get"] = lambda: cache["key"]


if __name__ == "__main__":
    main()
