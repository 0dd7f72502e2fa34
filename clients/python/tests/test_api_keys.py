"""Keys in the SDK: taken from the environment, sent, managed, and never shown."""

import asyncio
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from leafspace_client import (
    AsyncLeafspace,
    Forbidden,
    Invalid,
    Leafspace,
    LeafspaceError,
    NotFound,
    RetryPolicy,
    Unauthenticated,
)

from tests.support.guarded import Guarded
from tests.support.scripted_server import Answer, scripted
from tests.support.sdk_walk import Walk

_KEY = "lsk_abcdefghij234567_" + "S" * 43
_MADE = {
    "object": "api_key",
    "id": "key_1",
    "name": "n",
    "scopes": ["read"],
    "created_at": "2026-01-01T00:00:00Z",
    "last_used_at": None,
}
_EMPTY = {"object": "list", "data": [], "next_cursor": None}


@pytest.fixture
def managed(guarded: Guarded) -> tuple[str, str]:
    """Return a service that requires keys, and one that manages them."""
    return guarded.url, guarded.keys["admin"]


def test_keys_are_made_used_listed_and_revoked(managed: tuple[str, str]) -> None:
    url, admin = managed
    with Leafspace(url, admin) as client:
        made = client.api_keys.create("scoring", ["read"])
        assert (made.name, made.scopes) == ("scoring", ("read",))
        assert made.id in {key.id for key in client.api_keys.list()}
        assert client.api_keys.get(made).name == "scoring"
        with pytest.raises(Forbidden, match="read"):
            list(client.models.list())
        with Leafspace(url, made.secret) as reader:
            list(reader.models.list())
            client.api_keys.delete(made)
            with pytest.raises(Unauthenticated):
                list(reader.models.list())
        with pytest.raises(NotFound):
            client.api_keys.get(made)
    with Leafspace(url) as nobody, pytest.raises(Unauthenticated, match="Bearer"):
        list(nobody.models.list())


def test_the_async_client_makes_keys_too(managed: tuple[str, str]) -> None:
    async def make() -> str:
        async with AsyncLeafspace(*managed) as client:
            made = await client.api_keys.create("async", ["explain"])
            await client.api_keys.delete(made)
            return made.secret

    assert asyncio.run(make()).startswith("lsk_")


def _list_by_blocking(url: str, key: str | None) -> None:
    with Leafspace(url, key, retries=RetryPolicy(total_seconds=0)) as client:
        list(client.models.list())


def _list_by_awaiting(url: str, key: str | None) -> None:
    async def list_models() -> None:
        async with AsyncLeafspace(url, key, retries=RetryPolicy(total_seconds=0)) as client:
            assert [model async for model in client.models.list()] == []

    asyncio.run(list_models())


_BOTH_CLIENTS = pytest.mark.parametrize("list_models", [_list_by_blocking, _list_by_awaiting])


@_BOTH_CLIENTS
def test_the_environment_says_which_key_unless_one_is_given(
    monkeypatch: pytest.MonkeyPatch, list_models: Callable[[str, str | None], None]
) -> None:
    monkeypatch.setenv("LEAFSPACE_API_KEY", f" {_KEY}\n")
    with scripted(Answer(200, _EMPTY)) as server:
        for given in (None, "lsk_other", ""):
            list_models(server.url, given)

    assert [request.headers["Authorization"] for request in server.requests] == [
        f"Bearer {_KEY}",
        "Bearer lsk_other",
        None,
    ]


def test_a_key_is_never_shown() -> None:
    refused = Answer(401, {"code": "unauthenticated", "detail": "no"}, {"Content-Type": "application/problem+json"})
    with scripted(refused) as server, Leafspace(server.url, _KEY) as client:
        with pytest.raises(Unauthenticated) as error:
            list(client.models.list())
        shown = [client, client.models, client._transport, client._transport.connection, vars(error.value), error.value]
        assert _KEY not in "".join(map(repr, shown)) + "".join(traceback.format_exception(error.value))
    with scripted(Answer(201, {**_MADE, "secret": _KEY})) as server, Leafspace(server.url) as client:
        made = client.api_keys.create("n", ["read"])
    assert made.secret == _KEY
    assert _KEY not in repr(made) + str(made)


@_BOTH_CLIENTS
@pytest.mark.parametrize("is_from_environment", [False, True])
@pytest.mark.parametrize(
    "spoilt", [f"{_KEY}é", f"{_KEY}\r\nX: y", f"{_KEY}\n{_KEY}", f"{_KEY} {_KEY}", f"{_KEY}\x1b", f"{_KEY}\x7f"]
)
def test_what_no_key_can_be_is_refused_without_being_sent_or_shown(
    monkeypatch: pytest.MonkeyPatch,
    list_models: Callable[[str, str | None], None],
    spoilt: str,
    is_from_environment: bool,  # a parameter of the test
) -> None:
    if is_from_environment:
        monkeypatch.setenv("LEAFSPACE_API_KEY", spoilt)
    with scripted(Answer(200, _EMPTY)) as server, pytest.raises(Invalid, match="API key") as error:
        list_models(server.url, None if is_from_environment else spoilt)

    assert isinstance(error.value, ValueError)
    assert server.requests == []
    assert _KEY not in "".join(traceback.format_exception(error.value)) + repr(vars(error.value))


def test_a_key_is_never_shown_by_the_async_client() -> None:
    client = AsyncLeafspace("http://127.0.0.1:9", _KEY, retries=RetryPolicy(total_seconds=0))

    async def fail() -> str:
        async with client:
            try:
                await client.models.get("mdl_1")
            except LeafspaceError as error:
                return "".join(traceback.format_exception(error)) + repr(vars(error))
        return _KEY

    shown = [client, client.models, client._transport, client._transport.connection, asyncio.run(fail())]
    assert _KEY not in "".join(map(repr, shown))


def test_a_key_whose_secret_was_lost_in_transit_is_replaced() -> None:
    script = (Answer(0), Answer(200, {**_MADE, "secret": None}), Answer(204), Answer(201, {**_MADE, "secret": _KEY}))
    retries = RetryPolicy(first_seconds=0.01)
    with scripted(*script) as server, Leafspace(server.url, retries=retries) as client:
        made = client.api_keys.create("n", ["read"])

    assert made.secret == _KEY
    assert [request.method for request in server.requests] == ["POST", "POST", "DELETE", "POST"]
    keys = [request.headers["Idempotency-Key"] for request in server.requests]
    assert keys[0] == keys[1] != keys[3]


def test_every_call_about_keys_answers_or_says_what_is_wrong(guarded: Guarded, tmp_path: Path) -> None:
    with Leafspace(guarded.url, guarded.keys["admin"]) as client:
        walk = Walk(client, tmp_path)

        walk.of_collections(("api_keys",))

    assert walk.failures == []
    assert "api_key" in walk.arguments
