"""What is sent wrongly is refused by name rather than passed over; HEAD is answered as GET is."""

import json
from base64 import urlsafe_b64encode
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Path, Query
from fastapi.routing import APIRoute

from schemas.noun import Noun
from schemas.nouns import NOUNS
from service import main
from tests.support.api import Api, csv_of
from tests.support.models import fitted
from tests.support.raw_http import exchange
from tests.support.serving import Service

_TABLE = b"a,b\n1,2\n3,4\n"


def _as_cursor(value: Any) -> str:  # any JSON value
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


_NO_CURSORS = (
    "WzEsIlx1ZDgwMCJd",  # half a surrogate pair
    *("", "x", "é", "%00", "A" * 255, "²", "-1"),
    *map(_as_cursor, ([1, "\0"], [1, "é"], [float("nan"), "mdl_a"], [float("inf"), "mdl_a"], [1], [1, 2], {}, 7)),
    *map(_as_cursor, ([[1], "mdl_a"], ["1", "mdl_a"], [1, ["mdl_a"]], "[" * 60)),
)


def _refusal(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["Content-Type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["code"]


@pytest.fixture(scope="module")
def dataset(api: Api) -> str:
    found: str = api.upload("/v1/datasets", _TABLE, {"name": "strict"}).json()["id"]
    return found


@pytest.mark.parametrize("noun", NOUNS.stored, ids=lambda noun: noun.name)
@pytest.mark.parametrize("cursor", _NO_CURSORS)
@pytest.mark.sampled("values")
def test_a_cursor_that_no_list_gave_is_refused(api: Api, noun: Noun[Any], cursor: str) -> None:
    refused = api.get(f"{noun.path}?cursor={cursor}")

    assert _refusal(refused) == (422, "validation_failed")
    assert refused.json()["errors"][0]["pointer"] == "/cursor"


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "²", "\u0661", "1_0", "%00", "9" * 256])
def test_a_cursor_that_is_no_position_is_refused(api: Api, dataset: str, cursor: str) -> None:
    refused = api.get(f"/v1/datasets/{dataset}/rows?cursor={cursor}")

    assert _refusal(refused) == (422, "validation_failed")
    assert refused.json()["errors"][0]["pointer"] == "/cursor"


def _routes() -> list[APIRoute]:
    # The app nests them; those of KServe's protocols refuse in a form of their own: test_kserve.py.
    return [route for route in main._ROUTES if route.path.startswith("/v1/") and route.include_in_schema]


@pytest.mark.parametrize("route", _routes(), ids=lambda route: route.name)
def test_no_route_takes_a_parameter_that_it_does_not_know(api: Api, route: APIRoute) -> None:
    path = route.path_format.format(**dict.fromkeys(route.param_convertors, "0"))
    method = min(route.methods or {"GET"})
    json_body = {"Content-Type": "application/json"}
    known = {field.alias for field in get_flat_params(route.dependant) if isinstance(field.field_info, Query)}

    refused = api.http.request(method, f"{path}?frobnicate=1", content=b"{}", headers=json_body)

    assert _refusal(refused) == (422, "unknown_field")
    assert "'frobnicate'" in refused.json()["detail"]
    assert all(name in refused.json()["detail"] for name in known)


def test_a_kin_parameter_is_suggested_and_one_parameter_is_taken_once(api: Api, dataset: str) -> None:
    unknown = api.get("/v1/models?limt=5")
    twice = api.get("/v1/models?limit=5&limit=6")

    assert _refusal(unknown) == (422, "unknown_field")
    assert "'limt'; did you mean 'limit'?" in unknown.json()["detail"]
    assert unknown.json()["errors"][0]["pointer"] == "/limt"
    assert _refusal(twice) == (422, "validation_failed")
    assert "the query parameter 'limit' is given 2 times; send it once" in twice.json()["detail"]
    assert twice.json()["errors"][0]["pointer"] == "/limit"
    assert api.get(f"/v1/datasets/{dataset}/rows?columns=a&columns=b").status_code == 200


@pytest.mark.parametrize("number", ["1_0", "1e1", "10.0", "0x10", "+10", "%2B10", "%2010", "\u0661", "", "9" * 30])
def test_integers_are_written_as_digits(api: Api, number: str) -> None:
    for path in (f"/v1/models?limit={number}", f"/v1/models/mdl_1/trees/{number or 'x'}"):
        assert _refusal(api.get(path)) == (422, "validation_failed"), path


def test_every_integer_of_a_path_or_query_is_read_like_that() -> None:
    fields = [field for route in _routes() for field in get_flat_params(route.dependant)]
    integers = [field for field in fields if field.field_info.annotation is int]

    assert len(integers) > len(NOUNS.stored)
    for field in integers:
        assert isinstance(field.field_info, Path | Query)
        _, errors = field.validate("1_0", {}, loc=())
        assert errors, field.name


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"model": "m", "model": "m", "prototype_set": "p"}', "model"),
        (b'{"model": "m", "prototype_set": "a:b", "prototype_set": "p"}', "prototype_set"),
        (b'{"model": "m", "prototype_set": {"a": [{"b": 1, "\\u0062": 2}]}}', "b"),
    ],
)
def test_a_name_that_an_object_has_twice_is_refused(api: Api, body: bytes, name: str) -> None:
    headers = {"Content-Type": "application/json"}

    for path in ("/v1/explainers", "/v1/explainers/xpl_1/explanations"):
        refused = api.http.post(path, content=body, headers=headers)

        assert _refusal(refused) == (400, "malformed_json")
        assert f"the name {name!r} more than once" in refused.json()["detail"]


def test_colons_in_texts_are_no_names(api: Api) -> None:
    answer = api.post("/v1/explainers", {"model": "a:b:c", "prototype_set": '"x":"y"'})

    assert _refusal(answer) == (404, "not_found")


@pytest.mark.parametrize(
    ("parts", "code", "message"),
    [
        ([("metadata", "{}"), ("metadata", "{}")], "validation_failed", "2 parts 'metadata'"),
        ([("metadta", "{}")], "unknown_field", "'metadta' that is not known; did you mean 'metadata'?"),
        ([("x\r\ny", "1")], "unknown_field", "is not known"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/models", "/v1/datasets"])
def test_an_odd_part_of_a_form_is_refused_by_name(
    api: Api, path: str, parts: list[tuple[str, str]], code: str, message: str
) -> None:
    texts: list[tuple[str, tuple[str | None, bytes]]] = [(name, (None, text.encode())) for name, text in parts]
    files = [("file", ("f", _TABLE)), *texts]

    refused = api.http.post(path, files=files)

    assert _refusal(refused) == (422, code)
    assert message in refused.json()["detail"]


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["", "b"], "`metadata.classes[0]` must have at least 1 character;"),
        (["a", "a"], "'a' is there more than once"),
        (["a", "x" * 256], "`metadata.classes[1]` must have at most 255 characters;"),
    ],
)
def test_classes_that_cannot_be_distinguished_are_refused(api: Api, classes: list[str], message: str) -> None:
    refused = api.upload("/v1/models", fitted("random_forest_binary").onnx, {"classes": classes})

    assert _refusal(refused) == (422, "validation_failed")
    assert message in refused.json()["detail"]


def test_whole_numbers_may_be_written_with_a_point(api: Api) -> None:
    body = {"model": "mdl_1", "dataset": "ds_1", "n_prototypes": 18.0, "seed": 1.0}

    assert _refusal(api.post("/v1/prototype-sets", body)) == (404, "not_found")
    for fraction in (18.5, 1e300, True, "18"):
        assert _refusal(api.post("/v1/prototype-sets", {**body, "n_prototypes": fraction}))[0] == 422


def _paths_to_get(dataset: str) -> list[str]:
    lists = [noun.path for noun in NOUNS.stored]
    others = ["/livez", "/readyz", "/metrics", "/docs", "/openapi.json", "/v1/models/mdl_1", "/v1/nowhere"]
    return [*lists, *others, f"/v1/datasets/{dataset}", f"/v1/datasets/{dataset}/rows", "/v1/models?limt=5"]


def test_head_is_answered_as_get_without_a_body(api: Api, dataset: str) -> None:
    varying = {"date", "x-request-id", "server-timing", "content-length", "transfer-encoding"}
    for path in _paths_to_get(dataset):
        got, head = api.get(path), api.http.head(path)

        assert head.status_code == got.status_code, path
        assert head.content == b""
        assert {*head.headers} - varying == {*got.headers} - varying, path
        assert head.headers["Content-Type"] == got.headers["Content-Type"], path


def test_head_of_what_takes_no_get_is_refused(api: Api) -> None:
    refused = api.http.head("/v1/models/mdl_1/predictions")

    assert refused.status_code == 405
    assert refused.headers["Allow"] == "POST"


def test_a_connection_is_used_on_after_head(api: Api, service: Service, dataset: str) -> None:
    paths = _paths_to_get(dataset)
    requests = "".join(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in paths)
    last = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    first = exchange(service.port, (requests + last).encode())

    assert first.status == 200
    assert api.get("/livez").status_code == 200


@pytest.mark.parametrize(("hosts", "status"), [(0, 400), (1, 200), (2, 400)])
def test_a_request_names_its_host_once(service: Service, hosts: int, status: int) -> None:
    lines = "Host: localhost\r\n" * hosts

    assert exchange(service.port, f"GET /livez HTTP/1.1\r\n{lines}\r\n".encode()).status == status
    assert exchange(service.port, f"GET /livez HTTP/1.0\r\n{lines}\r\n".encode()).status == 200


def test_rows_of_some_columns_and_all_rows_as_parquet(api: Api) -> None:
    data = csv_of(pd.DataFrame({"id": ["x", "y", "z"], "a.b": [1.5, 2.5, None], "c": ["p", None, "q"]}))
    dataset = api.upload("/v1/datasets", data, {"row_id": "id"}).json()["id"]
    path = f"/v1/datasets/{dataset}/rows"

    rows = api.get(f"{path}?columns=c&columns=a.b&limit=2").json()["data"]
    unknown = api.get(f"{path}?columns=a")
    whole = api.get(path, Accept="application/vnd.apache.parquet")

    assert [row["row_id"] for row in rows] == ["x", "y"]
    assert [[cell["name"] for cell in row["values"]] for row in rows] == [["a.b", "c"]] * 2
    assert rows[1]["values"][0]["value"] == 2.5
    assert _refusal(unknown) == (422, "validation_failed")
    assert unknown.json()["errors"][0]["pointer"] == "/columns"
    assert (whole.content[:4], whole.content[-4:]) == (b"PAR1", b"PAR1")
    assert len(whole.content) == int(whole.headers["Content-Length"])
    assert _refusal(api.get(path, Accept="text/csv")) == (406, "not_acceptable")


def test_ids_of_rows_and_names_of_columns_are_limited(api: Api) -> None:
    long_id = api.upload("/v1/datasets", csv_of(pd.DataFrame({"id": ["x", "y" * 256], "a": [1, 2]})), {"row_id": "id"})
    names = ["x" * 240 + f"{index:05}" for index in range(5000)]
    long_names = api.upload("/v1/datasets", csv_of(pd.DataFrame(np.ones((1, 5000)), columns=names)))

    assert _refusal(long_id) == (422, "dataset_bad_columns")
    assert "256 characters in row 1" in long_id.json()["detail"]
    assert _refusal(long_names) == (422, "dataset_bad_columns")
    assert "1,225,000 bytes" in long_names.json()["detail"]


def test_a_text_that_is_too_long_is_counted_in_characters(api: Api) -> None:
    refused = api.post("/v1/reports", {"explainer": "xpl_1", "title": "Review", "verdict": "x" * 1001})

    assert refused.status_code == 422
    assert "`verdict` must have at most 1,000 characters; it has 1,001" in refused.json()["detail"]
