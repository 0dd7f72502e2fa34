"""More clients than the service has time for: who waits how long, and whether everyone gets an answer.

300 trees x 50 prototypes, breast cancer (30 features), one API process; clients are asyncio in one process of their
own, in closed loops without pauses, but for clients that are refused: they wait for the time in `Retry-After`.
``python -m benchmarks.overload``
"""

import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event

from .explained_service import HOST, ExplainedService, explained_service
from .http_load import Load, run_load
from .machine import describe_machine

SECONDS = 20.0
MOST_TIMES_P50 = 100
N_CROWD = 1000


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    print(describe_machine())
    with explained_service(n_trees=300, n_prototypes=50) as service:
        request = service.request()
        _load(service, request, 1, seconds / 4)
        alone = _show("1 client", _load(service, request, 1, seconds))
        for n_clients in (16, 64):
            many = _show(f"{n_clients} clients", _load(service, request, n_clients, seconds))
        ratio = many.quantile_ms(0.99) / alone.quantile_ms(0.5)
        print(f"  p99 of 64 clients over p50 of one: {ratio:.1f} (to stay under: {MOST_TIMES_P50})")
        _show(f"{N_CROWD} clients", _load(service, request, N_CROWD, seconds))
        print("beside calls of 1,000 rows")
        for n_batch_clients in (1, 8):
            with _batches(service, n_batch_clients):
                name = f"1 client beside {n_batch_clients}"
                beside = _show(name, _load(service, request, 1, seconds))
            print(f"  p50 {beside.quantile_ms(0.5) / alone.quantile_ms(0.5):.1f} x that of one client alone")


def _load(service: ExplainedService, request: bytes, n_clients: int, seconds: float) -> Load:
    return run_load(HOST, service.port, request, n_connections=n_clients, seconds=seconds, may_refuse=True)


def _show(name: str, load: Load) -> Load:
    quantiles = "   ".join(f"p{100 * share:g} {load.quantile_ms(share):7.2f} ms" for share in (0.5, 0.99))
    slowest = load.latencies.max() * 1000
    print(f"{name:20s} {load.requests_per_second:6.0f} answers/s   {quantiles}   slowest {slowest:7.1f} ms", end="   ")
    print(f"refused {len(load.refusals)}", end="")
    if len(load.refusals):
        print(
            f" (slowest {load.refusals.max() * 1000:.0f} ms, {load.n_without_retry_after} without Retry-After)", end=""
        )
    print(f"   not answered {load.n_unanswered}", flush=True)
    return load


@contextmanager
def _batches(service: ExplainedService, n_clients: int) -> Iterator[None]:
    """Request explanations of 1,000 rows meanwhile, again and again, from a process of its own."""
    context = multiprocessing.get_context("spawn")
    is_over = context.Event()
    sender = context.Process(target=_send_batches, args=(service.port, service.request(1000), n_clients, is_over))
    sender.start()
    try:
        yield
    finally:
        is_over.set()
        sender.join()


def _send_batches(port: int, request: bytes, n_clients: int, is_over: Event) -> None:
    latencies: list[float] = []
    while not is_over.is_set():
        load = run_load(HOST, port, request, n_connections=n_clients, seconds=1, may_refuse=True)
        latencies += load.latencies.tolist()
    print(f"  {len(latencies)} calls of 1,000 rows were answered meanwhile, the slowest in {max(latencies):.1f} s")


if __name__ == "__main__":
    main()
