"""Callers are let in by a key that is known, has the scope of the request, and was not revoked."""

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from schemas.api_keys import ApiKeyRequest
from schemas.key_texts import draw_key
from schemas.scopes import SCOPES, Scope
from service.caches.key_ring import KeyRing
from service.middleware.admission.limits import ConnectionLimits, RequestRates
from service.middleware.identity.access import AccessPolicy
from service.web.route_scopes import RouteScopes
from storage.api_keys import ApiKeyStore
from storage.database import Database
from tests.support.patience import when_idle

from ..serving import call, exchange, problem_of, receive_answers, serving, status_of

_ROUTES = (
    ("GET", "/v1/models"),
    ("POST", "/v1/models"),
    ("GET", "/v1/models/{model_id}"),
    ("POST", "/v1/models/{model_id}/predictions"),
    ("GET", "/v1/api-keys"),
    ("GET", "/metrics"),
)


@dataclass(frozen=True)
class Guarded:
    """An application behind a policy, and the keys to it, which another process may change."""

    port: int
    policy: AccessPolicy
    database: Database
    elsewhere: ApiKeyStore

    def key(self, *scopes: Scope) -> str:
        made = self.elsewhere.add(ApiKeyRequest(name="test", scopes=list(scopes)))
        self.until(200, str(made.secret), f"/v1/models{'/x/predictions' if scopes == ('explain',) else ''}")
        return str(made.secret)

    def until(self, status: int, key: str, path: str = "/v1/models") -> float:
        """Send requests until that is the answer; return how long it took."""
        began = time.monotonic()
        while (found := status_of(self.get(path, f"Bearer {key}"))) != status:
            # A key that is known by now may still not do this.
            if found == 403:
                break
            assert time.monotonic() - began < when_idle(10)
            time.sleep(0.02)
        return time.monotonic() - began

    def get(self, path: str, *credentials: str, method: str = "GET") -> bytes:
        lines = "".join(f"Authorization: {value}\r\n" for value in credentials)
        return call(self.port, f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode("latin-1"))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    url = f"sqlite:///{tmp_path_factory.mktemp('keys') / 'rows.db'}"
    own, elsewhere = Database(url), Database(url)
    own.migrate()
    ring = KeyRing(ApiKeyStore(own))
    ring.start()
    policy = AccessPolicy(lambda: ring, RouteScopes(_ROUTES).required)
    with serving(policy=policy, rates=RequestRates(refused_per_second=0)) as port:
        yield Guarded(port, policy, elsewhere, ApiKeyStore(elsewhere))
    ring.stop()
    own.close()
    elsewhere.close()


@pytest.fixture(scope="module")
def reader(guarded: Guarded) -> str:
    return guarded.key("read")


@pytest.fixture(scope="module")
def everything(guarded: Guarded) -> str:
    return guarded.key(*SCOPES)


def test_without_a_key_nobody_comes_in(guarded: Guarded) -> None:
    answer = guarded.get("/v1/models")

    assert status_of(answer) == 401
    assert b"\r\nwww-authenticate: Bearer\r\n" in answer
    problem = problem_of(answer)
    assert (problem["code"], problem["status"]) == ("unauthenticated", 401)


def test_a_known_key_comes_in_whatever_the_case_of_the_scheme(guarded: Guarded, reader: str) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert status_of(guarded.get("/v1/models", f"{scheme} {reader}")) == 200


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/docs", "/docs/assets/page.css", "/openapi.json"])
def test_some_paths_are_everybodys(guarded: Guarded, path: str) -> None:
    assert status_of(guarded.get(path)) == 200
    assert status_of(guarded.get(path, "Bearer nonsense")) == 200


def _spoilt(key: str) -> Iterator[str]:
    yield from ("", "Bearer", "Bearer ", key, f"Basic {key}", f"Bearer  {key}", f"Bearer\t{key}", f"Bearer {key},")
    yield from (
        f"Bearer {key[:-1]}",
        f"Bearer {key}A",
        f"Bearer {key.upper()}",
        f"Bearer {key} {key}",
        f'Bearer "{key}"',
    )
    yield from ("Bearer \xc3\xa9\xff", f"Bearer {key}\xa0", "Bearer " + "x" * 60_000, "Bearer lsk_" + "_" * 60_000)
    yield f"Bearer {key[:-1]}{'A' if key[-1] != 'A' else 'B'}"
    yield f"Bearer {draw_key().text}"
    yield f"Bearer {draw_key().text[:20]}{key[20:]}"


def test_whatever_is_not_exactly_a_key_is_refused_in_the_same_words(guarded: Guarded, reader: str) -> None:
    problems = []
    for credentials in _spoilt(reader):
        answer = guarded.get("/v1/models", credentials)
        assert status_of(answer) == 401, credentials
        assert reader.encode() not in answer
        problems.append({name: value for name, value in problem_of(answer).items() if name != "request_id"})

    assert all(problem == problems[0] for problem in problems)


def test_bytes_that_no_header_has_are_refused_before_that(guarded: Guarded, reader: str) -> None:
    for ending in ("\0", "\x01", "\x7f", "\r"):
        assert status_of(guarded.get("/v1/models", f"Bearer {reader}{ending}")) in {400, 401}


def test_of_two_keys_none_counts(guarded: Guarded, reader: str) -> None:
    assert status_of(guarded.get("/v1/models", f"Bearer {reader}", f"Bearer {reader}")) == 401
    assert status_of(guarded.get("/v1/models", "Bearer other", f"Bearer {reader}")) == 401


def test_a_key_without_the_scope_learns_which_one_it_lacks(guarded: Guarded, reader: str) -> None:
    answer = guarded.get("/v1/models", f"Bearer {reader}", method="POST")

    assert status_of(answer) == 403
    assert b'error="insufficient_scope", scope="write"' in answer
    assert "the key 'test' (key_" in str(problem_of(answer)["detail"])
    assert problem_of(answer)["code"] == "insufficient_scope"
    assert reader.split("_", 2)[2].encode() not in answer


@pytest.mark.parametrize(
    "path",
    [
        "/v1/api-keys%0A",
        "/v1/api-keys",
        "/v1/api-keys/",
        "/v1//api-keys",
        "/v1/./api-keys",
        "/V1/api-keys",
        "/metricss",
    ],
)
def test_no_spelling_of_a_path_opens_it(guarded: Guarded, reader: str, everything: str, path: str) -> None:
    assert status_of(guarded.get(path, f"Bearer {reader}")) == 403
    assert status_of(guarded.get(path)) == 401
    # The application says what is there, but for paths that lead nowhere.
    assert status_of(guarded.get(path, f"Bearer {everything}")) == (404 if "%0A" in path else 200)


def test_a_body_is_refused_before_it_comes(guarded: Guarded) -> None:
    head = b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n"
    began = time.monotonic()

    answer = call(guarded.port, head)

    assert status_of(answer) == 401
    assert time.monotonic() - began < when_idle(1.5)


def test_a_key_that_is_revoked_elsewhere_is_let_in_for_two_seconds_at_most(guarded: Guarded) -> None:
    for _ in range(3):
        key = guarded.key("read")
        guarded.elsewhere.revoke(f"key_{key.split('_')[1]}")
        assert guarded.until(401, key) < when_idle(2)


def test_a_key_is_let_in_until_it_expires(guarded: Guarded) -> None:
    expires_at = datetime.now(UTC) + timedelta(seconds=2)
    made = guarded.elsewhere.add(ApiKeyRequest(name="test", scopes=["read"], expires_at=expires_at))
    guarded.until(401, str(made.secret))  # let in before, or not known yet
    while datetime.now(UTC) < expires_at:
        time.sleep(0.02)
    answer = guarded.get("/v1/models", f"Bearer {made.secret}")
    assert status_of(answer) == 401
    assert "has expired" in str(problem_of(answer)["detail"])


def test_nobody_is_let_in_by_keys_that_cannot_be_read_and_all_are_once_they_can(guarded: Guarded, reader: str) -> None:
    explainer = guarded.key("explain")

    def rename(old: str, new: str) -> None:
        with guarded.database.transaction() as connection:
            connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))

    rename("api_keys", "api_keys_away")
    try:
        assert guarded.until(503, reader) < when_idle(3.5)
        answer = guarded.get("/v1/models", f"Bearer {reader}")
        assert b"\r\nretry-after: " in answer.lower()
        assert status_of(guarded.get("/livez")) == 200
        assert status_of(guarded.get("/v1/models")) == 401
        # That the database is away is reported to callers who were known before.
        assert status_of(guarded.get("/metrics", f"Bearer {reader}")) == 200
        assert status_of(guarded.get("/metrics", f"Bearer {explainer}")) == 403
        assert status_of(guarded.get("/metrics", f"Bearer {draw_key().text}")) == 503
        assert status_of(guarded.get("/metrics")) == 401
        assert status_of(guarded.get("/metrics/", f"Bearer {reader}")) == 503
    finally:
        rename("api_keys_away", "api_keys")
    assert guarded.until(200, reader) < when_idle(3)


def test_uses_are_written_down(guarded: Guarded) -> None:
    began = time.time()
    key_id = f"key_{guarded.key('read').split('_')[1]}"
    while (used_at := guarded.elsewhere.get(key_id).last_used_at) is None:
        assert time.time() - began < when_idle(10)
        time.sleep(0.1)

    assert began - 1 < used_at.timestamp() < time.time()


def _request_text(credentials: str = "", method: str = "GET", path: str = "/v1/models") -> bytes:
    shown = f"Authorization: Bearer {credentials}\r\n" if credentials else ""
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{shown}\r\n".encode()


def test_a_caller_of_wrong_keys_too_often_is_sent_a_time_to_come_back_and_good_keys_are_let_in(
    guarded: Guarded, reader: str
) -> None:
    rates = RequestRates(refused_per_second=2, refused_burst=5)
    with (
        serving(policy=guarded.policy, rates=rates) as port,
        socket.create_connection(("127.0.0.1", port)) as connection,
    ):
        connection.sendall((_request_text("wrong") + _request_text()) * 3)
        answers = receive_answers(connection, 6)
        refused = answers[answers.rindex(b"HTTP/1.1") :]
        assert answers.count(b"HTTP/1.1 401") == 5
        assert (status_of(refused), problem_of(refused)["code"]) == (429, "rate_limited")
        assert b"\r\nretry-after: 1\r\n" in refused
        assert b"www-authenticate" not in refused.lower()
        assert status_of(call(port, _request_text(reader))) == 200  # it may come through the same proxy
        assert status_of(call(port, _request_text(path="/livez"))) == 200
        time.sleep(1)
        assert status_of(call(port, _request_text("wrong"))) == 401


def test_a_key_that_requests_what_it_may_not_too_often_is_refused_and_no_other_is(
    guarded: Guarded, reader: str, everything: str
) -> None:
    rates = RequestRates(refused_per_second=0.1, refused_burst=3)
    with serving(policy=guarded.policy, rates=rates) as port:
        refusals = [status_of(call(port, _request_text(reader, "POST"))) for _ in range(5)]
        assert refusals == [403] * 3 + [429] * 2
        assert status_of(call(port, _request_text(reader))) == 200
        assert status_of(call(port, _request_text(everything, "POST"))) == 200
        assert status_of(call(port, _request_text("wrong"))) == 401


def test_connections_on_top_of_an_addresses_are_refused_and_closed_whatever_they_show(guarded: Guarded) -> None:
    limits = ConnectionLimits(n_connections_per_address=1)
    with (
        serving(policy=guarded.policy, connections=limits) as port,
        socket.create_connection(("127.0.0.1", port)) as first,
    ):
        first.sendall(_request_text("wrong"))
        assert status_of(receive_answers(first)) == 401
        for shown in ("", "wrong"):
            answer = exchange(port, _request_text(shown))  # it ends when the other side closes
            assert status_of(answer) == 503
            assert b"\r\nretry-after: 1\r\n" in answer


def test_with_a_door_what_is_everybodys_is_counted_for_this_machine_too(guarded: Guarded) -> None:
    with serving(policy=guarded.policy, rates=RequestRates(per_second=0.1, burst=3)) as port:
        assert [status_of(call(port, _request_text(path="/openapi.json"))) for _ in range(4)] == [200] * 3 + [429]


@pytest.fixture(scope="module")
def open_port() -> Iterator[int]:
    with serving() as port:
        yield port


def test_without_a_door_everybody_may_do_everything(open_port: int) -> None:
    assert status_of(call(open_port, b"GET /v1/api-keys HTTP/1.1\r\nHost: localhost\r\n\r\n")) == 200


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]", "[::1]:8000", "pc"]
)
@pytest.mark.parametrize("origin", ["", "Origin: http://{}\r\n"])
def test_without_a_door_this_machines_programs_and_pages_are_answered(open_port: int, host: str, origin: str) -> None:
    head = f"POST /v1/models HTTP/1.1\r\nHost: {host}\r\n{origin.format(host)}Content-Length: 0\r\n\r\n"

    assert status_of(call(open_port, head.encode())) == 200


@pytest.mark.parametrize(
    "lines",
    [
        "Host: rebound.example\r\n",
        "Host: rebound.example:8000\r\n",
        "Host: localhost.rebound.example\r\n",
        "Host: 127.0.0.1.rebound.example\r\n",
        "Host: [::1]rebound.example\r\n",
        "Host: rebound.example:1]\r\n",
        "Host: 192.168.1.5\r\n",
        "Host: [fe80::1]:8000\r\n",
        "Host: localhost\r\nOrigin: https://page.example\r\n",
        "Host: localhost\r\nOrigin: http://localhost:8888\r\n",
        "Host: localhost\r\nOrigin: null\r\n",
        "Host: rebound.example\r\nOrigin: http://rebound.example\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
    ],
)
def test_without_a_door_pages_of_other_sites_are_not(open_port: int, lines: str) -> None:
    head = f"POST /v1/models HTTP/1.1\r\n{lines}Content-Length: 0\r\n\r\n"

    answer = call(open_port, head.encode())

    assert (status_of(answer), problem_of(answer)["code"]) == (403, "foreign_request")


@pytest.mark.parametrize(
    "lines",
    [
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",  # a link
        "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n",
        "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
    ],
)
def test_without_a_door_links_are_followed_and_own_pages_read(open_port: int, lines: str) -> None:
    head = f"GET /v1/api-keys HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n"

    assert status_of(call(open_port, head.encode())) == 200


def test_with_a_door_keys_say_who_may_come(guarded: Guarded, reader: str) -> None:
    head = f"GET /v1/models HTTP/1.1\r\nHost: leafspace.example\r\nAuthorization: Bearer {reader}\r\n\r\n"

    assert status_of(call(guarded.port, head.encode())) == 200
