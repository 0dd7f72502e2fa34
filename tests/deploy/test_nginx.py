"""Two hosts behind nginx, as ``deploy/nginx.conf`` has it: what callers get while a host is drained, killed, or away.

A host is a whole service with a data directory of its own; the database, objects and Redis are shared.
"""

import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import httpx
import pytest

from service.settings import ServiceSettings
from tests.support.api import Api, Registered, register
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.databases import new_postgresql_database
from tests.support.patience import when_idle
from tests.support.proxies import Nginx
from tests.support.redis import OwnRedis

pytestmark = pytest.mark.long
_DRAIN_SECONDS = 1.0
_SECONDS_BEFORE, _SECONDS_AFTER = 0.5, 1.0
_N_CLIENTS = 4
_ROWS = "\n".join(["a,b", *(f"{row},{row % 7}" for row in range(300_000))])  # 2.5 MB, beyond nginx's default


@dataclass(frozen=True)
class _Site:
    """A proxy and two hosts behind it."""

    proxy: Nginx
    hosts: tuple[ServiceUnderFire, ServiceUnderFire]
    registered: Registered

    def api(self) -> Api:
        """Return a client of the proxy, with connections of its own."""
        return _client(self.proxy)

    def explain(self, api: Api) -> int:
        path = f"/v1/explainers/{self.registered.explainer['id']}/explanations"
        return api.post(path, {"instances": [self.registered.instance(3)]}).status_code


def _client(proxy: Nginx) -> Api:
    api = Api(proxy.url)
    api.http.close()
    trust = ssl.create_default_context(cafile=proxy.certificate)
    api.http = httpx.Client(base_url=proxy.url, timeout=when_idle(60), verify=trust)
    return api


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, postgresql_url: str) -> Iterator[_Site]:
    folder = tmp_path_factory.mktemp("site")
    with new_postgresql_database(postgresql_url) as database_url, ExitStack() as stack:
        redis = OwnRedis(folder / "redis")
        redis.start()
        stack.callback(redis.kill)
        shared = {
            "OMP_NUM_THREADS": "1",
            "LEAFSPACE_DATABASE_URL": database_url,
            "LEAFSPACE_OBJECT_STORE_URL": f"file://{folder / 'objects'}",
            "LEAFSPACE_REDIS_URL": redis.url,
            "LEAFSPACE_DRAIN_SECONDS": str(_DRAIN_SECONDS),
            "LEAFSPACE_WORKER_NICENESS": "0",
        }
        (folder / "objects").mkdir()
        one, two = (ServiceUnderFire(folder / name, shared, n_workers=1) for name in ("one", "two"))
        for host in (one, two):
            host.start()
            stack.callback(host.stop)
        proxy = Nginx(folder / "proxy", (one.port, two.port))
        stack.callback(proxy.stop)
        proxy.start()
        yield _Site(proxy, (one, two), register(_client(proxy), "random_forest_binary"))


@pytest.fixture
def both(site: _Site) -> Iterator[_Site]:
    """Yield the site with both hosts up, and leave it so."""
    yield site
    for host in site.hosts:
        if not host.is_ready():
            host.start()
    site.proxy.send_no_calls_to()


@contextmanager
def _load(site: _Site, call: Callable[[Api, int], int]) -> Iterator[Counter[str]]:
    """Call again and again over kept-alive connections; count what comes of it."""
    outcomes: Counter[str] = Counter()
    is_over = threading.Event()

    def send_all(client: int) -> None:
        api, number = site.api(), client
        while not is_over.is_set():
            try:
                outcomes[str(call(api, number))] += 1
            except httpx.TransportError as error:
                outcomes[repr(error)] += 1
            number += _N_CLIENTS

    clients = [threading.Thread(target=send_all, args=(client,)) for client in range(_N_CLIENTS)]
    for client in clients:
        client.start()
    try:
        time.sleep(_SECONDS_BEFORE)
        yield outcomes
        time.sleep(_SECONDS_AFTER)
    finally:
        is_over.set()
        for client in clients:
            client.join()


def _upload(api: Api, rows: str) -> int:
    return api.upload("/v1/datasets", rows.encode(), {}).status_code


def test_hosts_and_proxy_answer_the_same(both: _Site) -> None:
    path = f"/v1/explainers/{both.registered.explainer['id']}/explanations"
    body = {"instances": [both.registered.instance(row) for row in range(3)]}
    direct = [Api(host.url).post(path, body).content for host in both.hosts]
    proxied = {both.api().post(path, body).content for _ in range(4)}

    assert proxied == {direct[0]} == {direct[1]}


def test_an_upload_is_known_to_both_hosts(both: _Site) -> None:
    answer = both.api().upload("/v1/datasets", _ROWS.encode(), {})

    assert answer.status_code == 201, answer.text
    for host in both.hosts:
        assert Api(host.url).get(f"/v1/datasets/{answer.json()['id']}").json()["n_rows"] == 300_000


def test_a_body_beyond_the_limit_of_json_is_refused_by_the_proxy(both: _Site) -> None:
    path = f"/v1/explainers/{both.registered.explainer['id']}/explanations"

    body = b" " * (ServiceSettings.model_fields["max_json_bytes"].default + 1)

    assert both.api().http.post(path, content=body).status_code == 413


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_what_operators_read_is_not_read_through_the_proxy(both: _Site, path: str) -> None:
    assert both.api().get(path).status_code == 403


def test_events_of_a_job_come_one_by_one(both: _Site) -> None:
    api = both.api()
    request = {"model": both.registered.model["id"], "dataset": both.registered.dataset["id"], "n_prototypes": 5}
    job = api.post("/v1/prototype-sets", request).json()["job"]
    with api.http.stream("GET", f"/v1/jobs/{job}/events") as events:
        assert events.headers["Content-Type"].startswith("text/event-stream")
        assert '"succeeded"' in "".join(events.iter_text())


def test_a_host_that_is_drained_loses_no_explanation(both: _Site) -> None:
    with _load(both, lambda api, _: both.explain(api)) as outcomes:
        assert both.hosts[0].stop() == 0

    assert outcomes["200"] > 20
    assert set(outcomes) == {"200"}


def test_a_host_that_is_killed_loses_no_explanation(both: _Site) -> None:
    with _load(both, lambda api, _: both.explain(api)) as outcomes:
        both.hosts[1].kill_all()

    assert outcomes["200"] > 20
    assert set(outcomes) == {"200"}


def test_a_host_that_is_taken_out_and_drained_loses_no_upload(both: _Site) -> None:
    with _load(both, lambda api, number: _upload(api, f"a\n{number}\n")) as outcomes:
        both.proxy.send_no_calls_to(both.hosts[0].port)
        assert both.hosts[0].stop() == 0

    assert outcomes["201"] > 10
    assert set(outcomes) == {"201"}


def test_a_host_that_is_back_gets_calls_again(both: _Site) -> None:
    both.hosts[0].stop()
    assert both.explain(both.api()) == 200
    both.hosts[0].start()
    both.hosts[1].stop()
    until = time.monotonic() + when_idle(30)
    while both.explain(both.api()) != 200:
        assert time.monotonic() < until
