"""Failures become problems: ours are logged whole and reported briefly, the caller's reported exactly."""

import json
import logging
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from explanations.instances import Features, read_instances
from schemas.approximation_trees import ApproximationTreeRequest
from schemas.prototype_sets import PrototypeSetRequest
from service.web import problems
from service.web.request_class import BodyRefused, StrictRoute
from storage.errors import InsufficientStorage, ObjectDamaged, StorageError, StorageUnavailable
from tree_explainers.errors import ForeignFormat, InvalidInput, ModelRefused

_FAILURES = {
    "storage": StorageError("in_use", "it is in use", "/model"),
    "model": ModelRefused("model_invalid_tree", "node 3 is its own child"),
    "foreign": ForeignFormat("model_not_onnx", "this is a pickle"),
    "input": InvalidInput("alpha is 7"),
    "body": BodyRefused("bad_string", "a NUL"),
    "away": StorageUnavailable("the database is away"),
    "full": InsufficientStorage(),
    "damaged": ObjectDamaged("abc" * 20),
    "ours": RuntimeError("/etc/inner/secret"),
}
_GENERATORS = "bootstrap, dataset, kernel, ranks or residual_permutation"


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = FastAPI()
    problems.install(app)

    @app.get("/{name}")
    def fail(name: str) -> None:
        raise _FAILURES[name]

    @app.router.post("/requested")
    def make(request: PrototypeSetRequest) -> str:
        return request.model

    @app.router.post("/grown")
    def grow(request: ApproximationTreeRequest) -> str:
        return request.model

    app.router.route_class = StrictRoute
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("storage", 409, "in_use"),
        ("model", 422, "model_invalid_tree"),
        ("foreign", 415, "model_not_onnx"),
        ("input", 422, "validation_failed"),
        ("body", 422, "bad_string"),
        ("away", 503, "unavailable"),
        ("full", 507, "insufficient_storage"),
        ("damaged", 500, "object_damaged"),
        ("ours", 500, "internal_error"),
    ],
)
def test_each_kind_of_failure_has_its_status_and_code(client: TestClient, name: str, status: int, code: str) -> None:
    answer = client.get(f"/{name}")

    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (status, status, code)


def test_who_should_try_again_learns_when(client: TestClient) -> None:
    assert int(client.get("/away").headers["Retry-After"]) > 0
    assert "Retry-After" not in client.get("/storage").headers


def test_the_field_at_fault_is_pointed_to(client: TestClient) -> None:
    assert client.get("/storage").json()["errors"] == [{"pointer": "/model", "detail": "it is in use"}]
    assert "errors" not in client.get("/model").json()


def test_our_own_failures_are_reported_without_what_is_inside(
    client: TestClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = client.get("/ours")

    assert "secret" not in answer.text
    printed = capsys.readouterr()
    assert "secret" in caplog.text + printed.out + printed.err


def test_callers_learn_that_the_connection_ends_after_our_own_failures(client: TestClient) -> None:
    assert client.get("/ours").headers["Connection"] == "close"
    assert "Connection" not in client.get("/storage").headers


@pytest.mark.parametrize(
    ("changes", "pointer", "detail"),
    [
        ({"generator": {}}, "/generator", f"give `method`: {_GENERATORS}"),
        ({"generator": {"method": "noise"}}, "/generator", f"give `method`: {_GENERATORS}; got 'noise'"),
        ({"settings": "papers"}, "/settings", "must be 'paper'; got 'papers'"),
        ({"model": 1}, "/model", "must be a text; got the number 1"),
        ({"max_leaves": "7"}, "/max_leaves", "must be a whole number; got the text '7'"),
        ({"max_leaves": True}, "/max_leaves", "must be a whole number; got true"),
        ({"max_leaves": 2_000_000_000}, "/max_leaves", "must be at most 1,024; got 2000000000"),
    ],
)
def test_what_a_field_may_be_is_said_in_words(
    client: TestClient, changes: dict[str, object], pointer: str, detail: str
) -> None:
    answer = client.post("/grown", json={"model": "m", "dataset": "d", **changes})

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert answer.json()["errors"] == [{"pointer": pointer, "detail": detail}]


def test_pointers_lead_into_the_body_and_escape_odd_names(client: TestClient) -> None:
    body = {"model": "m", "dataset": "d", "a/b~c": 1, "alpha": "x", "n_candidates": [1]}

    errors = client.post("/requested", json=body).json().get("errors", [])

    # FastAPI's own route reads the body here; the handler is the same.
    assert {"/a~1b~0c", "/alpha", "/n_candidates"} == {error["pointer"] for error in errors}


@pytest.mark.parametrize(
    ("names", "instance", "detail"),
    [
        (
            ("x0", "x1"),
            {"age": 1.0},
            "lacks 2 features: 'x0', 'x1'; the model's features were never named: send each row",
        ),
        (("x0", "x1"), {"x0": 1.0}, "lacks the feature 'x1'; send null where its value is missing"),
        (("age", "debt"), {"x0": 1.0}, "lacks 2 features: 'age', 'debt'; send null where a value is missing"),
        (("age", "debt"), {"agee": 1.0}, "lacks 2 features: 'age', 'debt'; did you mean 'age' by 'agee'?; send null"),
        (("age", "debt"), {"Age ": 1.0, "debt": 2.0}, "lacks the feature 'age'; did you mean it by 'Age '?"),
    ],
)
def test_an_instance_that_lacks_a_feature_is_refused_with_what_to_send(
    names: tuple[str, ...], instance: dict[str, float], detail: str
) -> None:
    read = read_instances([instance], Features(names, ("number", "number"), are_numbers=True))

    assert detail in read.refused[0].detail


def test_instances_are_refused_one_by_one_with_a_short_quotation() -> None:
    features = Features(("age",), ("number",), are_numbers=True)

    read = read_instances([["x" * 1000], [1.0], [{"a": "b" * 1000}]], features)

    assert list(read.refused) == [0, 2]
    assert all(len(json.dumps(error.detail)) < 200 for error in read.refused.values())
    assert read.indices == [1]
