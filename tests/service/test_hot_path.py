"""The short cut for explanations answers as the route does, whatever is sent."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from schemas.explanations import ExplanationRequest
from service.hot_path import HotPath, request_of_rows
from service.main import create_app

from .conftest import Shop

_JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def both(shop: Shop) -> Iterator[tuple[TestClient, TestClient]]:
    """Yield clients of the routes alone, and of the short cut before them."""
    app = create_app(shop.workshop.context.settings)
    with TestClient(app, raise_server_exceptions=False) as route:
        short_cut: Any = HotPath(app)  # typed more strictly than the client wants it
        yield route, TestClient(short_cut, raise_server_exceptions=False)


def _same(both: tuple[TestClient, TestClient], path: str, content: bytes, headers: dict[str, str]) -> httpx.Response:
    first, second = (client.post(path, content=content, headers=headers) for client in both)
    assert (first.status_code, first.content) == (second.status_code, second.content)
    differing = {"server-timing", "content-length"}
    assert {**first.headers, **dict.fromkeys(differing, "")} == {**second.headers, **dict.fromkeys(differing, "")}
    assert ("server-timing" in first.headers) == ("server-timing" in second.headers) == first.is_success
    found: httpx.Response = second
    return found


def test_a_request_of_rows_alone_is_as_validated() -> None:
    request, validated = request_of_rows([[1.0, None]]), ExplanationRequest(instances=[[1.0, None]])

    assert request == validated
    assert request.model_fields_set == validated.model_fields_set == {"instances"}
    assert request.model_dump_json() == validated.model_dump_json()
    assert request_of_rows([]).instances == []  # each has its own rows


_GOOD = object()  # represents a row that is the model's own
_DATASET = object()  # represents the id of the model's own data
_BODIES: dict[str, Any] = {
    "one row": {"instances": [_GOOD]},
    "several rows": {"instances": [_GOOD] * 7, "include": ["contrast"]},
    "named rows": {"instances": [_GOOD, _GOOD], "row_ids": ["é", "b"], "n_prototypes": 1},
    "bad rows": {"instances": [_GOOD, {}, [], [1.0], {"g": 1}, ["x"] * 30, [1e39] * 30, [None] * 30]},
    "only bad rows": {"instances": [{}]},
    "a name too few": {"instances": [_GOOD, _GOOD], "row_ids": ["a"]},
    "too many rows": {"instances": [[1]] * 1001},
    "no rows": {"instances": []},
    "no lists of rows": {"instances": [7, "x", None]},
    "no list": {"instances": {"a": 1}},
    "rows of anything": {"instances": [_GOOD, [{"a": [1]}], {"f0": [[]]}, ["\u00e9", True]]},
    "nothing": {},
    "a list": [_GOOD],
    "null": None,
    "rows of a dataset": {"dataset": _DATASET, "row_ids": ["0", "no such row", "7"]},
    "no row that the dataset has": {"dataset": _DATASET, "row_ids": ["-1", "01", "x"]},
    "a dataset without row ids": {"dataset": _DATASET},
    "instances and a dataset": {"instances": [_GOOD], "dataset": _DATASET, "row_ids": ["0"]},
    "an unknown field": {"instances": [_GOOD], "instance": 1},
    "several faults": {"instances": 7, "n_prototypes": 0, "include": ["x"], "y": 1},
    "a string for a number": {"instances": [_GOOD], "n_prototypes": "3"},
    "a float for an integer": {"instances": [_GOOD], "n_prototypes": 3.0},
}


@pytest.mark.parametrize("name", _BODIES)
def test_both_answer_alike(shop: Shop, both: tuple[TestClient, TestClient], name: str) -> None:
    real = {_GOOD: shop.instance(0), _DATASET: shop.dataset}
    content = json.dumps(_BODIES[name], default=real.__getitem__).encode()

    answer = _same(both, f"/v1/explainers/{shop.explainer}/explanations", content, _JSON)

    assert answer.status_code in {200, 413, 422}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b'{"instances": [[NaN]]}', 400),
        (b'{"instances": [[1e999]]}', 422),
        (b'{"instances": [["\\u0000"]]}', 422),
        (b"[" * 1000, 400),
        (b'{"instances": [[1]], "instances": [[2]]}', 400),
    ],
)
def test_both_refuse_what_is_no_json_alike(
    shop: Shop, both: tuple[TestClient, TestClient], content: bytes, status: int
) -> None:
    answer = _same(both, f"/v1/explainers/{shop.explainer}/explanations", content, _JSON)

    assert answer.status_code == status


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/json; charset=utf-8", "multipart/form-data"])
def test_both_take_the_same_types_of_bodies(shop: Shop, both: tuple[TestClient, TestClient], content_type: str) -> None:
    content = json.dumps({"instances": [shop.instance(0)]}).encode()
    headers = {"Content-Type": content_type} if content_type else {}

    answer = _same(both, f"/v1/explainers/{shop.explainer}/explanations", content, headers)

    assert answer.status_code == (200 if content_type.startswith("application/json") else 415)


@pytest.mark.parametrize("explainer", ["xpl_gone", "", "a%2Fb", "a/b", "%00", "%F0%9F%98%80"])
def test_both_miss_the_same_explainers(both: tuple[TestClient, TestClient], explainer: str) -> None:
    answer = _same(both, f"/v1/explainers/{explainer}/explanations", b'{"instances": [[1]]}', _JSON)

    assert answer.status_code == 404


def test_everything_else_is_left_to_the_routes(shop: Shop, both: tuple[TestClient, TestClient]) -> None:
    for method, path in (
        ("GET", f"/v1/explainers/{shop.explainer}/explanations"),
        ("GET", f"/v1/explainers/{shop.explainer}"),
        ("POST", f"/v1/explainers/{shop.explainer}/explanations/"),
        ("GET", "/readyz"),
        ("OPTIONS", f"/v1/explainers/{shop.explainer}/explanations"),
    ):
        first, second = (client.request(method, path) for client in both)
        assert (first.status_code, first.content) == (second.status_code, second.content)
