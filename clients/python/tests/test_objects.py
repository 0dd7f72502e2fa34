"""Clients and objects as callers meet them: signatures, tracebacks, pickles, and parts loaded when they are needed."""

import asyncio
import inspect
import pickle
import pydoc
import traceback
from typing import Any

import pytest
from leafspace_client import (
    AsyncExplainer,
    AsyncLeafspace,
    Conflict,
    Explainer,
    Leafspace,
    NotFound,
    RetryPolicy,
    UnexpectedAnswer,
)
from leafspace_client.records import Records
from leafspace_client.types import Cell, DatasetRow

from tests.support.scripted_server import Answer, scripted

_KEY = "lsk_" + "k" * 32
_SUMMARY = {
    "object": "explainer",
    "id": "exp_1",
    "name": "tumours",
    "created_at": "2026-01-01T00:00:00Z",
    "model": "mdl_1",
    "prototype_set": "prs_1",
    "rule_set": None,
    "approximation_tree": None,
}
_WHOLE = Answer(200, {**_SUMMARY, "shown_features": ["age"]})
_LIST = Answer(200, {"object": "list", "data": [_SUMMARY], "next_cursor": None})
_MISSING = Answer(404, {"code": "not_found", "detail": "there is no model mdl_1", "status": 404})


def test_methods_have_the_names_and_signatures_that_callers_use() -> None:
    create = Leafspace().explainers.create

    assert create.__name__ == "create"
    assert create.__qualname__ == "Explainers.create"
    assert list(inspect.signature(create).parameters)[:3] == ["model", "prototype_set", "rule_set"]
    assert inspect.signature(create).return_annotation is Explainer
    assert inspect.signature(AsyncLeafspace().explainers.get).return_annotation is AsyncExplainer
    assert inspect.signature(Leafspace().prototype_sets.delete).return_annotation is None


@pytest.mark.parametrize("client", [Leafspace(), AsyncLeafspace()], ids=["blocking", "async"])
def test_help_shows_no_machinery(client: Any) -> None:
    attributes = [getattr(client, name) for name in dir(client) if not name.startswith("_")]
    collections = [each for each in attributes if hasattr(each, "get")]

    shown = "".join(pydoc.plain(pydoc.render_doc(each)) for each in [client, *collections, client.prototype_sets.view])
    assert len(collections) == 20
    for word in ("Generator", "Program", "Call | Pause", " _create", "~Kept", "~ViewT"):
        assert word not in shown, word


def test_help_of_either_client_has_the_parameters_and_of_each_call_an_error() -> None:
    for client in (Leafspace, AsyncLeafspace):
        shown = pydoc.plain(pydoc.render_doc(client))
        assert all(f"\n |  {name}\n" in shown for name in ("base_url", "api_key", "timeout", "retries"))
    for collection in ("models", "prototype_sets", "reports", "jobs"):
        assert "Raises\n" in pydoc.plain(pydoc.render_doc(getattr(Leafspace(), collection).get)), collection
    create = pydoc.plain(pydoc.render_doc(Leafspace().prototype_sets.create))
    assert create.rstrip().endswith("``help(leafspace_client.errors)`` has all kinds.")


def test_wrong_arguments_are_refused_in_the_name_of_the_method() -> None:
    client: Any = Leafspace()

    with pytest.raises(TypeError, match=r"^Explainers\.create\(\) got an unexpected keyword argument 'modle'"):
        client.explainers.create(modle="mdl_1")
    with pytest.raises(TypeError, match=r"^Models\.get\(\) missing a required argument: 'thing'"):
        client.models.get()


def test_a_traceback_leads_from_the_call_to_the_error() -> None:
    async def fail(url: str) -> None:
        await AsyncLeafspace(url).models.get("mdl_1")

    with scripted(_MISSING) as server:
        with pytest.raises(NotFound) as found:
            Leafspace(server.url).models.get("mdl_1")
        with pytest.raises(NotFound) as found_by_async:
            asyncio.run(fail(server.url))

    assert [frame.name for frame in traceback.extract_tb(found.value.__traceback__)][1:] == ["method"]
    names = [frame.name for frame in traceback.extract_tb(found_by_async.value.__traceback__)]
    assert names[names.index("fail") + 1 :] == ["method"]
    assert found.value.__context__ is None


def test_a_pickle_holds_the_address_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    retries = RetryPolicy(total_seconds=1)
    with scripted(_WHOLE) as server:
        client = Leafspace(server.url, _KEY, timeout=7, retries=retries)
        pickled = pickle.dumps([client, client.explainers, client.explainers.get("exp_1")])
        monkeypatch.setenv("LEAFSPACE_API_KEY", "lsk_other")
        n_calls = len(server.requests)

        again, explainers, explainer = pickle.loads(pickled)  # noqa: S301  # our own

        assert _KEY.encode() not in pickled
        assert b"tumours" not in pickled
        assert len(server.requests) == n_calls
        assert repr(explainer) == "Explainer exp_1 (not loaded)"
        assert (explainer.id, explainer.model, explainer.shown_features) == ("exp_1", "mdl_1", ["age"])
        assert len(server.requests) == n_calls + 1
        assert server.requests[-1].headers["Authorization"] == "Bearer lsk_other"
    connection = again._transport.connection
    assert (connection.base_url, connection.timeout_seconds, connection.retries) == (server.url, 7, retries)
    assert again.explainers._transport is again._transport
    assert explainers._transport.connection == connection


def test_the_async_client_can_be_pickled_too() -> None:
    async def load(url: str) -> tuple[Any, Any]:
        async with AsyncLeafspace(url) as client:
            explainer = await client.explainers.get("exp_1")
        unpickled = pickle.loads(pickle.dumps(explainer))  # noqa: S301  # our own
        with pytest.raises(Conflict, match=r"exp_1 is not loaded here; call `await ….load\(\)`"):
            _ = unpickled.model
        return pickle.loads(pickle.dumps(client)), await unpickled.load()  # noqa: S301  # our own

    with scripted(_WHOLE) as server:
        client, explainer = asyncio.run(load(server.url))

        assert repr(client) == f"AsyncLeafspace('{server.url}')"
        assert explainer.shown_features == ["age"]


def test_what_a_list_leaves_out_is_loaded_when_it_is_needed() -> None:
    with scripted(_LIST, _WHOLE) as server:
        (explainer,) = Leafspace(server.url).explainers.list()

        assert explainer.model == "mdl_1"
        assert len(server.requests) == 1
        assert explainer.shown_features == ["age"]
        assert explainer.load() is explainer
        assert len(server.requests) == 2


def test_a_field_that_another_release_lacks_is_named_beside_both_versions() -> None:
    lacking = Answer(200, {name: value for name, value in _SUMMARY.items() if name != "model"})
    version = Answer(200, {"version": "0.0.9", "api_version": "v1", "oldest_sdk": "0.0.9"})
    with scripted(lacking, version) as server, pytest.raises(UnexpectedAnswer) as error:
        Leafspace(server.url).explainers.get("exp_1")

    assert "has no field 'model': the service is of version 0.0.9, this package of version 0." in str(error.value)
    assert [request.path for request in server.requests] == ["/v1/explainers/exp_1", "/v1/version"]
    with (
        scripted(lacking, _MISSING) as server,
        pytest.raises(UnexpectedAnswer, match=r"version at this base_url\? Its answer has no field 'model'"),
    ):
        Leafspace(server.url).explainers.get("exp_1")


def test_the_version_of_the_service_can_be_read() -> None:
    with scripted(Answer(200, {"version": "0.2.0", "api_version": "v1", "oldest_sdk": "0.1.0"})) as server:
        found = Leafspace(server.url).version()

    assert (found.version, found.api_version, found.oldest_sdk) == ("0.2.0", "v1", "0.1.0")
    assert server.requests[0].headers["User-Agent"].startswith("leafspace-client/")


def test_answers_show_themselves_in_a_line() -> None:
    columns = [{"name": f"feature {number}", "value": number} for number in range(300)]
    row = DatasetRow.from_dict({"row": 7, "row_id": "patient 7", "values": columns})

    assert repr(row) == "DatasetRow(row=7, row_id='patient 7', values=<300 items>)"
    assert repr(Cell(name="note", value="x" * 1000)) == f"Cell(name='note', value='{'x' * 40}…')"
    assert repr(Records([row] * 9)).endswith(f"{row!r}, … 6 more]")
    assert len(repr(Records([row] * 1000))) < 300
    assert Records([row]) == [row]


def test_fields_are_read_by_name_too() -> None:
    cell = Cell(name="age", value=40.0)

    assert cell["value"] == cell.value == 40
    with pytest.raises(KeyError, match="age"):
        _ = cell["age"]
    with pytest.raises(AttributeError, match=r"^Cell has no field 'worth'$"):
        _ = getattr(cell, "worth")  # noqa: B009  # a type checker knows that there is none
    assert pickle.loads(pickle.dumps(cell)) == cell  # noqa: S301  # our own


def test_a_summary_says_where_the_rest_is() -> None:
    with scripted(_LIST) as server:
        (explainer,) = Leafspace(server.url).explainers.list()

    with pytest.raises(AttributeError, match=r"lists hold summaries: the collection's get\(\) has all fields"):
        _ = getattr(explainer.details, "shown_features")  # noqa: B009  # see above
