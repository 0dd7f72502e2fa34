"""Explanations through nginx from 1, 2 and 4 hosts, against one host without it; and what a core of nginx serves.

A host is a service with a data directory of its own; PostgreSQL, objects and Redis are shared, and nginx has
``deploy/nginx.conf``, without TLS. All are processes of this one machine, and so is the client: more hosts than cores
gain nothing here. What holds up real hosts is seen in the processor time of each part: one core of nginx serves as many
hosts as its time for an answer goes into theirs. ``python -m benchmarks.proxied_hosts``
"""

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.api import Api, register
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.databases import new_postgresql_database
from tests.support.processes import descendants_of
from tests.support.proxies import Nginx
from tests.support.redis import OwnRedis
from tests.support.storage_servers import postgresql_server

from .http_load import Load, post_request, run_load
from .machine import describe_machine

N_HOSTS, N_CONNECTIONS, SECONDS, WARM_SECONDS = (1, 2, 4), 16, 4.0, 1.0
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder, _running_hosts(Path(folder), max(N_HOSTS)) as hosts:
        path, body = _request(hosts[0])
        direct = _measure("one host, no proxy", hosts[:1], hosts[0].port, path, body, None)
        for n_hosts in N_HOSTS:
            proxy = Nginx(Path(folder) / f"proxy-{n_hosts}", [host.port for host in hosts[:n_hosts]], tls=False)
            proxy.start()
            try:
                name = f"{n_hosts} host{'s' if n_hosts > 1 else ''} behind nginx"
                rate = _measure(name, hosts[:n_hosts], proxy.port, path, body, proxy)
            finally:
                proxy.stop()
            print(f"  {rate / direct:.2f} x one host without a proxy")


@contextmanager
def _running_hosts(folder: Path, n_hosts: int) -> Iterator[list[ServiceUnderFire]]:
    with postgresql_server() as server, new_postgresql_database(server) as database_url, ExitStack() as stack:
        redis = OwnRedis(folder / "redis")
        redis.start()
        stack.callback(redis.kill)
        (folder / "objects").mkdir()
        shared = {
            "OMP_NUM_THREADS": "1",
            "LEAFSPACE_DATABASE_URL": database_url,
            "LEAFSPACE_OBJECT_STORE_URL": f"file://{folder / 'objects'}",
            "LEAFSPACE_REDIS_URL": redis.url,
            "LEAFSPACE_EXPLANATIONS_PER_SECOND": "0",
        }
        hosts = [ServiceUnderFire(folder / f"host {number}", shared, n_workers=1) for number in range(n_hosts)]
        for host in hosts:
            host.start()
            stack.callback(host.stop)
        yield hosts


def _request(host: ServiceUnderFire) -> tuple[str, bytes]:
    registered = register(Api(host.url), "random_forest_binary")
    path = f"/v1/explainers/{registered.explainer['id']}/explanations"
    return path, json.dumps({"instances": [registered.instance(3)]}).encode()


def _measure(  # a name, where to send what, and whose time counts
    name: str, hosts: Sequence[ServiceUnderFire], port: int, path: str, body: bytes, proxy: Nginx | None
) -> float:
    request = post_request("localhost", port, path, body)
    run_load("127.0.0.1", port, request, n_connections=N_CONNECTIONS, seconds=WARM_SECONDS)
    apis = [pid for host in hosts for pid in host.parts("api")]
    before = _seconds(apis), _seconds(_processes(proxy))
    load = run_load("127.0.0.1", port, request, n_connections=N_CONNECTIONS, seconds=SECONDS)
    after = _seconds(apis), _seconds(_processes(proxy))
    _print(name, load, after[0] - before[0], after[1] - before[1])
    return load.requests_per_second


def _processes(proxy: Nginx | None) -> list[int]:
    return [] if proxy is None else sorted(descendants_of(proxy.process_id))


def _print(name: str, load: Load, of_hosts: float, of_proxy: float) -> None:
    n = len(load.latencies)
    print(
        f"{name}: {load.requests_per_second:.0f} a second, p50 {load.quantile_ms(0.5):.1f} ms, "
        f"p99 {load.quantile_ms(0.99):.1f} ms; {1000 * of_hosts / n:.2f} ms of the hosts' processors an answer, "
        f"{1000 * of_proxy / n:.3f} of nginx's"
    )
    if of_proxy:
        print(
            f"  a core of nginx serves {n / of_proxy:.0f} a second, as many as {of_hosts / of_proxy:.0f} hosts' cores"
        )


def _seconds(processes: Sequence[int]) -> float:
    """Return the processor time of processes so far."""
    fields = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in processes)
    return sum(int(each[11]) + int(each[12]) for each in fields) / _TICKS


if __name__ == "__main__":
    main()
