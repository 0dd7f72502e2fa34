"""Keys over HTTP: every route wants one scope, and one revocation holds in every process on the same database."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute

from schemas.explanations import ExplanationList
from schemas.scopes import SCOPES
from service.routes import page
from tests.support.api import Json, Registered, register
from tests.support.guarded import Guarded, second_process, until
from tests.support.patience import PATIENCE_SECONDS, when_idle

_CONTRACT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text(encoding="utf-8"))
_OPERATIONS = [
    (method.upper(), path, operation)
    for path, operations in _CONTRACT["paths"].items()
    for method, operation in operations.items()
]
_PUBLIC = {"/livez", "/readyz"}
_OPERATION_VIEW = "/page/parts/operation"


@pytest.fixture(scope="module")
def forest(guarded: Guarded) -> Registered:
    return register(guarded.api("read", "write"), "decision_tree_binary", "other", proximity_kind="random_forest")


@pytest.mark.parametrize(("method", "path", "operation"), _OPERATIONS, ids=[f"{m} {p}" for m, p, _ in _OPERATIONS])
def test_every_route_wants_the_scope_that_the_contract_says(
    guarded: Guarded, method: str, path: str, operation: Json
) -> None:
    if path in _PUBLIC:
        assert operation["security"] == []
        assert guarded.call(method, path).status_code == 200
        return
    if path == "/v1/me":
        assert operation["security"] == [{"api_key": []}]
        assert guarded.call(method, path).status_code == 401
        return
    ((scope,),) = (security["api_key"] for security in operation["security"])
    assert {"401", "403"} <= set(operation["responses"])
    example_path = re.sub(r"\{[^}]+\}", "no_thing", path)  # as ids have, an underscore: names have none

    without = guarded.call(method, example_path)
    assert (without.status_code, without.json()["code"]) == (401, "unauthenticated")
    assert without.headers["WWW-Authenticate"].startswith("Bearer")
    for held, key in guarded.keys.items():
        if held == scope and path == "/v1/jobs/events":
            assert guarded.first_status(example_path, key) == 200  # the answer has no end
            continue
        answer = guarded.call(method, example_path, key)
        if held == scope:
            assert answer.status_code not in {401, 403}, answer.text
        else:
            assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")
            assert f'scope="{scope}"' in answer.headers["WWW-Authenticate"]


def test_every_key_may_ask_whose_it_is(guarded: Guarded) -> None:
    for held, key in guarded.keys.items():
        me = guarded.call("GET", "/v1/me", key).json()
        assert (me["key_name"], me["scopes"], me["keys_required"]) == (f"{held} é", [held], True)
        assert me["limits"]["max_dataset_bytes"] == 2 << 30


def test_the_contract_declares_keys_as_bearer_tokens() -> None:
    scheme = _CONTRACT["components"]["securitySchemes"]["api_key"]

    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")


def test_what_is_not_in_the_contract_is_nobodys_but_who_may_do_everything(guarded: Guarded) -> None:
    everything = guarded.api(*SCOPES)

    for method, path in (("GET", "/v1/secrets"), ("PUT", "/v1/models"), ("GET", "/v1/models/"), ("GET", "/page")):
        assert guarded.call(method, path).status_code == 401
        assert guarded.call(method, path, guarded.keys["read"]).status_code == 403
        assert everything.http.request(method, path).status_code in {404, 405}


def test_kserve_s_protocols_want_the_scope_of_explanations_and_their_health_is_everybodys(guarded: Guarded) -> None:
    for path in ("/v2/health/live", "/v2/health/ready"):
        assert guarded.call("GET", path).status_code == 200
    for method, path in (
        *(("GET", path) for path in ("/v2", "/v2/models/risk", "/v2/models/risk/ready", "/v1/models/risk")),
        *(("GET", "/v2/models/risk/versions/xpl_1"), ("POST", "/v2/models/risk/versions/xpl_1/infer")),
        *(("POST", path) for path in ("/v1/models/risk:explain", "/v1/models/risk:predict", "/v2/models/risk/infer")),
    ):
        assert guarded.call(method, path).status_code == 401, path
        for held, key in guarded.keys.items():
            status = guarded.call(method, path, key).status_code
            assert (status == 403) == (held != "explain"), (path, held)


def test_metrics_are_for_readers_and_the_documentation_is_everybodys(guarded: Guarded) -> None:
    assert guarded.call("GET", "/metrics").status_code == 401
    assert guarded.call("GET", "/metrics", guarded.keys["explain"]).status_code == 403
    assert guarded.call("GET", "/metrics", guarded.keys["read"]).status_code == 200
    for path in ("/docs", "/openapi.json"):
        assert guarded.call("GET", path).status_code == 200


def test_all_keys_see_the_same_rows_and_learn_which_files_are_there(guarded: Guarded) -> None:
    one, another = guarded.api("read", "write"), guarded.api("read", "write")

    registered = one.upload("/v1/datasets", b"amount\n1.5\n2.5\n")
    dataset = registered.json()["id"]

    assert registered.status_code == 201
    assert [row["row"] for row in another.get(f"/v1/datasets/{dataset}/rows").json()["data"]] == [0, 1]
    assert another.upload("/v1/datasets", b"amount\n1.5\n2.5\n").status_code == 200
    assert another.delete(f"/v1/datasets/{dataset}").status_code == 204
    assert one.get(f"/v1/datasets/{dataset}").status_code == 404


def test_explanations_are_for_keys_that_may_explain_and_no_others(guarded: Guarded, forest: Registered) -> None:
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    body = {"instances": [forest.instance(0)]}

    explained = guarded.call("POST", path, guarded.keys["explain"], json=body)

    assert explained.status_code == 200
    ExplanationList.model_validate_json(explained.content)
    assert guarded.call("POST", path, json=body).status_code == 401
    for scope in ("read", "write", "admin"):
        assert guarded.call("POST", path, guarded.keys[scope], json=body).status_code == 403


_EXPLAINED_PARTS = ("explainers", "features", "questions", "regions", "verified-reports")
_PAGE_ROUTES = [route for route in page.router.routes if isinstance(route, APIRoute)]
_PARTS = sorted(
    (method, route.path)
    for route in _PAGE_ROUTES
    for method in route.methods or ()
    if route.path.startswith("/page/parts/")
)


@pytest.mark.parametrize(("method", "path"), _PARTS)
def test_parts_of_the_page_want_the_scopes_of_what_they_show(guarded: Guarded, method: str, path: str) -> None:
    example = re.sub(r"\{rank\}", "1", path)
    example = re.sub(r"\{[^}]+\}", "no_thing", example)
    is_explained = path.startswith(tuple(f"/page/parts/{part}/" for part in _EXPLAINED_PARTS))

    body = {} if method == "GET" else {"json": {"text": "age\n41"}}

    def status(key: str | None = None) -> int:
        return guarded.call(method, example, key, **body).status_code

    answers = {held: status(key) for held, key in guarded.keys.items()}
    allowed = status(guarded.new_key("client", "read", "explain"))

    assert status() == 401
    assert {held for held, status in answers.items() if status != 403} == (set() if is_explained else {"read"})
    assert allowed in {200, 404}


def test_the_page_explains_rows_and_draws_regions_where_keys_are_required(guarded: Guarded, forest: Registered) -> None:
    explainer, reader = forest.explainer["id"], guarded.api("read", "explain")

    for _ in range(4):  # one after the other: what one took is given back
        for part in (f"explainers/{explainer}/rows/0", f"regions/{explainer}", f"explainers/{explainer}", "overview"):
            answer = reader.get(f"/page/parts/{part}")
            assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_registered_rows_are_explained_for_keys_that_may_read_them(
    guarded: Guarded, forest: Registered, accept: str
) -> None:
    path = f"/v1/explainers/{forest.explainer['id']}/explanations"
    body = {"dataset": forest.dataset["id"], "row_ids": ["0"], "include": ["values"]}

    refused = guarded.api("explain").post(path, body, Accept=accept)

    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")
    assert refused.json()["errors"][0]["pointer"] == "/dataset"
    assert guarded.api("explain", "read").post(path, body, Accept=accept).status_code == 200


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in _OPERATIONS if method == "GET"])
@pytest.mark.sampled("thirds")
def test_head_of_every_route_is_answered_as_get_is(guarded: Guarded, method: str, path: str) -> None:
    if path == "/v1/jobs/events":
        return  # the answer has no end
    example = re.sub(r"\{[^}]+\}", "no_thing", path)
    everything = guarded.api(*SCOPES)

    assert everything.http.head(example).status_code == everything.get(example).status_code < 500, method


def test_a_problem_of_kserves_protocols_is_answered_to_head(guarded: Guarded) -> None:
    for path in ("/v2/models/nope", "/v2/models/nope/ready", "/v2/models/nope/versions/1"):
        answer = guarded.api("explain").http.head(path)
        assert (answer.status_code, answer.content) == (404, b"")


def test_a_keys_secret_is_in_the_answer_that_made_it_and_nowhere_else(guarded: Guarded) -> None:
    request = {"name": "scoring 💡", "scopes": ["explain", "read", "explain"]}
    answer = guarded.call("POST", "/v1/api-keys", guarded.keys["admin"], json=request)

    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/api-keys/{made['id']}"
    assert re.fullmatch(r"lsk_[a-z2-7]{16}_[A-Za-z0-9_-]{43}", made["secret"])
    assert made["id"] == f"key_{made['secret'].split('_')[1]}"
    assert (made["name"], made["scopes"], made["last_used_at"]) == (request["name"], ["read", "explain"], None)
    listed = guarded.call("GET", "/v1/api-keys?limit=1000", guarded.keys["admin"])
    one = guarded.call("GET", f"/v1/api-keys/{made['id']}", guarded.keys["admin"])
    del made["secret"]
    assert made in listed.json()["data"]
    assert one.json() == made
    secrets = [key.split("_", 2)[2] for key in guarded.keys.values()]
    assert not [secret for secret in secrets if secret in listed.text + one.text]
    kept = b"".join(path.read_bytes() for path in guarded.data_dir.glob("leafspace.db*"))
    assert not [secret for secret in secrets if secret.encode() in kept]


def test_a_key_requested_twice_is_made_once_and_shown_once(guarded: Guarded) -> None:
    def call(name: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {guarded.keys['admin']}", "Idempotency-Key": "one-key"}
        body = {"name": name, "scopes": ["read"]}
        return httpx.post(f"{guarded.url}/v1/api-keys", json=body, headers=headers, timeout=PATIENCE_SECONDS)

    first, again, other = call("once"), call("once"), call("another")

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 409)
    assert again.json() == {**first.json(), "secret": None}
    kept = b"".join(path.read_bytes() for path in guarded.data_dir.glob("leafspace.db*"))
    assert first.json()["secret"].split("_", 2)[2].encode() not in kept


@pytest.mark.parametrize(
    ("request_body", "code"),
    [
        ({"name": "x", "scopes": []}, "validation_failed"),
        ({"name": "x", "scopes": ["root"]}, "validation_failed"),
        ({"name": "", "scopes": ["read"]}, "validation_failed"),
        ({"name": "a\nb", "scopes": ["read"]}, "validation_failed"),
        ({"name": "x", "scopes": ["read"], "secret": "mine"}, "unknown_field"),
        ({"name": "x"}, "validation_failed"),
    ],
)
def test_a_key_that_cannot_be_is_refused(guarded: Guarded, request_body: Json, code: str) -> None:
    answer = guarded.call("POST", "/v1/api-keys", guarded.keys["admin"], json=request_body)

    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_keys_never_meet_each_others_idempotent_answers(guarded: Guarded) -> None:
    mine, theirs = guarded.api("write"), guarded.api("write")
    headers = {"Idempotency-Key": "shared"}

    first = mine.upload("/v1/datasets", b"a,b\n1,2\n", {"name": "mine"}, **headers)
    other = theirs.upload("/v1/datasets", b"a,b\n3,4\n", {"name": "theirs"}, **headers)

    assert (first.status_code, other.status_code) == (201, 201)
    assert first.json()["id"] != other.json()["id"]
    assert mine.upload("/v1/datasets", b"a,b\n1,2\n", {"name": "mine"}, **headers).json() == first.json()
    assert mine.upload("/v1/datasets", b"a,b\n3,4\n", {"name": "theirs"}, **headers).status_code == 409


def test_keys_are_shown_to_those_who_manage_them_alone(guarded: Guarded) -> None:
    expires_at = (datetime.now(UTC) + timedelta(days=9)).isoformat()
    body = {"name": "for nine days", "scopes": ["read"], "expires_at": expires_at}
    made = guarded.call("POST", "/v1/api-keys", guarded.keys["admin"], json=body)
    assert made.status_code == 201
    both = guarded.call(
        "POST", "/v1/api-keys", guarded.keys["admin"], json={"name": "operator", "scopes": ["read", "admin"]}
    )
    for key, is_shown in ((guarded.keys["read"], False), (both.json()["secret"], True)):
        drawn = guarded.call("GET", _OPERATION_VIEW, key).text
        assert ("for nine days" in drawn, "A key with the scope" in drawn) == (is_shown, not is_shown)
    assert guarded.call("GET", _OPERATION_VIEW, guarded.keys["explain"]).status_code == 403


def _seconds_until(status: int, service: Guarded, key: str) -> float:
    """Return how long it took until a key was answered so."""
    return until(lambda: service.call("GET", "/v1/models", key).status_code == status, 2)


@pytest.mark.long
def test_a_key_revoked_in_one_process_fails_in_every_other_within_two_seconds(guarded: Guarded) -> None:
    admin, request = guarded.keys["admin"], {"name": "short", "scopes": ["read"]}
    with second_process(guarded) as other:
        for revoking, using in ((guarded, other), (other, guarded), (guarded, other)):
            made = revoking.call("POST", "/v1/api-keys", admin, json=request).json()
            key, path = made["secret"], f"/v1/api-keys/{made['id']}"
            assert revoking.call("GET", "/v1/models", key).status_code == 200  # at once where it was made
            _seconds_until(200, using, key)

            assert revoking.call("DELETE", path, admin).status_code == 204

            assert revoking.call("GET", "/v1/models", key).status_code == 401
            assert _seconds_until(401, using, key) < when_idle(2)
            assert revoking.call("DELETE", path, admin).status_code == 404
