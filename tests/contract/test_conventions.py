"""What holds for every part of the API: lists, ids, times, headers, problems, idempotency keys."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from schemas.explainer_names import NAME_PATTERN
from schemas.noun import JSON, Noun
from schemas.nouns import NOUNS
from schemas.problems import PROBLEM_KINDS, Problem
from tests.support.api import Api, Json, Registered, csv_of, frame_of
from tests.support.nouns import CREATED, LISTED, MADE, create

_EVERY_NOUN = pytest.mark.parametrize("noun", LISTED, ids=lambda noun: noun.name)
# The secret of a key is shown once, so its answers differ: tests/contract/test_keys.py.
_REPEATED = [noun for noun in CREATED if noun.name != "api_keys"]


def test_the_table_of_nouns_is_the_contracts(api: Api) -> None:
    paths = api.get("/openapi.json").json()["paths"]
    for single in ("/v1/version", "/v1/me"):  # not collections
        paths.pop(single)

    assert {noun.path for noun in LISTED} == {path for path in paths if path.count("/") == 2 and "get" in paths[path]}
    assert {noun.path for noun in CREATED} == {
        path for path, operations in paths.items() if path.count("/") == 2 and "post" in operations
    }
    for noun in NOUNS.values():
        products = {f"{noun.item_path}/{product.name}": product for product in noun.products}
        assert products.keys() <= paths.keys()
        for path, product in products.items():
            answer = paths[path]["get"]["responses"]["200"]
            assert answer["content"].keys() | answer.get("x-other-forms", {}).keys() == set(product.media_types), path
        actions = {path.removeprefix(f"{noun.item_path}/") for path in paths if path.startswith(f"{noun.item_path}/")}
        posted = {action for action in actions if "post" in paths[f"{noun.item_path}/{action}"]}
        assert posted == set(noun.actions)


@pytest.mark.parametrize("noun", NOUNS.values(), ids=lambda noun: noun.name)
def test_what_is_answered_is_described_as_the_noun_declares_it(api: Api, noun: Noun[Any]) -> None:
    paths = api.get("/openapi.json").json()["paths"]

    def answered(path: str, method: str, status: int = 200) -> str:
        content = paths[path][method]["responses"][str(status)]["content"]["application/json"]
        reference: str = content["schema"]["$ref"]
        return reference.rpartition("/")[2]

    if noun.is_stored:
        assert answered(noun.path, "get") == f"Page_{noun.summary.__name__}_"
        assert answered(noun.item_path, "get") == noun.view.__name__
    if noun.is_made_by_job:
        assert answered(noun.path, "post", 202) == noun.view.__name__
        for product in [each for each in noun.products[:1] if JSON in each.media_types]:
            expected = noun.result.__name__ if product.row is None and noun.result else f"Page_{_name(product.row)}_"
            assert answered(f"{noun.item_path}/{product.name}", "get") == expected
    assert ("patch" in paths.get(noun.item_path, {})) == bool(noun.mutable)


def _name(message: type[object] | None) -> str:
    assert message is not None
    return message.__name__


@_EVERY_NOUN
@pytest.mark.sampled("tenths")
def test_lists_hold_everything_once_newest_first_page_by_page(api: Api, forest: Registered, noun: Noun[Any]) -> None:
    made = [_create_and_wait(api, forest, noun, number) for number in range(1, 3)] if noun in MADE else []

    whole = list(api.pages(noun.path, 1000))

    assert list(api.pages(noun.path, max(1, len(whole) // 3))) == whole
    created = [item["created_at"] for item in whole]
    assert created == sorted(created, reverse=True)
    identifiers = [item[noun.key] for item in whole]
    assert len(set(identifiers)) == len(identifiers)
    form = NAME_PATTERN if noun.named_by_callers else f"{noun.id_prefix}[a-z2-7]{{16,26}}"
    assert all(re.fullmatch(form, identifier) for identifier in identifiers)
    assert set(made) <= set(identifiers)
    assert {item["object"] for item in whole} == {noun.singular}


def _create_and_wait(api: Api, forest: Registered, noun: Noun[Any], number: int) -> str:
    answer = create(api, forest, noun, number)
    assert answer.status_code in {200, 201, 202}, answer.text
    made: Json = answer.json()
    if made.get("job"):  # some are made at once, or were there
        api.wait(made["job"])
    return str(made[noun.key])


@pytest.mark.usefixtures("forest")
@_EVERY_NOUN
@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "limit=-1", "cursor=x", "cursor=%00"])
@pytest.mark.sampled("values")
def test_an_odd_page_is_refused_by_name(api: Api, noun: Noun[Any], query: str) -> None:
    refused = api.get(f"{noun.path}?{query}")

    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert refused.json()["errors"][0]["pointer"] == f"/{query.partition('=')[0]}"


@_EVERY_NOUN
@pytest.mark.parametrize("identifier", ["gone", "%00", "..%2f..%2fetc", "x" * 2000, "%F0%9F%98%80", "%27%20OR%201=1--"])
@pytest.mark.sampled("values")
def test_what_is_not_there_is_not_found_by_whatever_id(api: Api, noun: Noun[Any], identifier: str) -> None:
    for path in (f"{noun.path}/{identifier}", f"{noun.path}/{identifier}/content"):
        answer = api.get(path)
        assert answer.status_code == 404
        assert answer.json()["code"] == "not_found"
        assert "Traceback" not in answer.text


def test_times_are_utc_and_of_now(forest: Registered) -> None:
    for thing in (forest.model, forest.dataset, forest.prototype_set, forest.explainer):
        created = datetime.fromisoformat(thing["created_at"])
        assert created.utcoffset() == timedelta(0)
        assert abs(datetime.now(created.tzinfo) - created) < timedelta(hours=1)  # other tests came in between


def test_every_answer_carries_an_id_and_says_that_nothing_is_to_be_guessed_or_kept(api: Api) -> None:
    answers = [
        api.get("/v1/models"),
        api.get("/v1/nowhere"),
        api.get("/livez"),
        api.post("/v1/explainers", [1]),
        api.http.put("/v1/models"),
    ]

    assert [answer.status_code for answer in answers] == [200, 404, 200, 422, 405]
    for answer in answers:
        assert re.fullmatch(r"[A-Za-z0-9-]{8,64}", answer.headers["X-Request-Id"])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "Server" not in answer.headers
    assert len({answer.headers["X-Request-Id"] for answer in answers}) == len(answers)


def test_a_callers_own_request_id_is_kept_if_it_is_sane(api: Api) -> None:
    assert api.get("/v1/nowhere", **{"X-Request-Id": "my-own-id-1"}).headers["X-Request-Id"] == "my-own-id-1"
    assert api.get("/v1/nowhere", **{"X-Request-Id": "my-own-id-1"}).json()["request_id"] == "my-own-id-1"
    for odd in ("short", "with blank in it", "x" * 65, "a;b;c;d;e;f"):
        assert api.get("/livez", **{"X-Request-Id": odd}).headers["X-Request-Id"] != odd


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/v1/nowhere", None, 404, "not_found"),
        ("GET", "/v1/models/", None, 404, "not_found"),
        ("PATCH", "/v1/models", None, 405, "method_not_allowed"),
        ("POST", "/v1/explainers", b"{", 400, "malformed_json"),
        ("POST", "/v1/explainers", b"", 400, "malformed_json"),
        ("POST", "/v1/explainers", b"{}", 422, "validation_failed"),
        ("POST", "/v1/explainers", b"null", 422, "validation_failed"),
        ("POST", "/v1/explainers", b'{"model": NaN}', 400, "malformed_json"),
        ("POST", "/v1/explainers", b'{"model": "a\\u0000"}', 422, "bad_string"),
        ("POST", "/v1/explainers", b'{"a": 1, "a": 2}', 400, "malformed_json"),
        ("POST", "/v1/prototype-sets", b'{"seed": 1e999}', 422, "non_finite_number"),
    ],
)
def test_every_failure_is_a_problem_of_the_contracts_vocabulary(
    api: Api, method: str, path: str, body: bytes | None, status: int, code: str
) -> None:
    headers = {"Content-Type": "application/json"} if body is not None else {}

    answer = api.http.request(method, path, content=body, headers=headers)

    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = Problem.model_validate(answer.json())
    assert (answer.status_code, problem.status, problem.code) == (status, status, code)
    assert problem.type == f"/problems/{code}"
    assert (PROBLEM_KINDS[code].status, PROBLEM_KINDS[code].title) == (status, problem.title)
    assert problem.request_id == answer.headers["X-Request-Id"]
    assert problem.detail


def test_a_method_that_a_path_does_not_take_names_those_that_it_does(api: Api) -> None:
    assert api.http.put("/v1/models").headers["Allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/v1/explainers", "text/plain"),
        ("/v1/explainers", "application/x-www-form-urlencoded"),
        ("/v1/explainers", ""),
        ("/v1/explainers/xpl_1/explanations", "text/plain"),
        ("/v1/models", "application/json"),
        ("/v1/datasets", "text/csv"),
    ],
)
def test_a_body_of_another_type_is_refused_saying_which_is_taken(api: Api, path: str, content_type: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}

    refused = api.http.post(path, content=b'{"a": 1}', headers=headers)

    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported_media_type")
    assert ("multipart/form-data" if path in {"/v1/models", "/v1/datasets"} else "application/json") in refused.text


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/x+json"])
def test_json_is_json_however_it_is_written(api: Api, content_type: str) -> None:
    answer = api.http.post("/v1/explainers", content=b"{}", headers={"Content-Type": content_type})

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")


def test_several_faults_are_reported_at_once_each_with_its_place(api: Api) -> None:
    request = {"model": 7, "dataset": "ds_1", "n_prototypes": 0, "labels": "x", "surplus": 1}

    problem = api.post("/v1/prototype-sets", request).json()

    assert problem["code"] == "unknown_field"
    assert {error["pointer"] for error in problem["errors"]} == {"/surplus", "/model", "/n_prototypes", "/labels"}
    assert problem["detail"].startswith("`surplus`: there is no such field; ")


@pytest.mark.parametrize(
    ("path", "changes", "pointer", "advice"),
    [
        ("prototype-sets", {"modle": "mdl_1"}, "/modle", "did you mean 'model'?"),
        ("prototype-sets", {"n_prototype": 3}, "/n_prototype", "did you mean 'n_prototypes'?"),
        (
            "approximation-trees",
            {"generator": {"method": "kernel", "bandwith": 1}},
            "/generator/bandwith",
            "did you mean 'bandwidth'?",
        ),
        ("explainers", {"zz": 1}, "/zz", "leave it out, or take one of "),
    ],
)
def test_an_unknown_field_is_answered_by_the_one_that_was_meant(
    api: Api, path: str, changes: Json, pointer: str, advice: str
) -> None:
    problem = api.post(f"/v1/{path}", {"model": "mdl_1", "dataset": "ds_1", "prototype_set": "prs_1", **changes}).json()

    assert problem["code"] == "unknown_field"
    (found,) = [error["detail"] for error in problem["errors"] if error["pointer"] == pointer]
    assert found.startswith(f"there is no such field; {advice}")


def test_what_a_caller_sent_is_never_echoed_whole_or_raw(api: Api) -> None:
    value = "\u202e\x1b[31m<script>" + "A" * 5000

    answer = api.post("/v1/prototype-sets", {"model": "mdl_1", "dataset": "ds_1", "method": value})

    assert answer.status_code == 422
    assert len(answer.text) < 2000
    assert "\u202e" not in answer.text
    assert "\x1b" not in answer.text


def _answer(api: Api, forest: Registered, noun: Noun[Any], number: int, key: str) -> tuple[int, Json, str | None]:
    answer = create(api, forest, noun, number, **{"Idempotency-Key": key})
    return answer.status_code, answer.json(), answer.headers.get("Location")


@pytest.mark.parametrize("noun", _REPEATED, ids=lambda noun: noun.name)
@pytest.mark.sampled("tenths")
def test_the_same_key_and_body_give_the_same_answer_and_another_body_is_refused(
    api: Api, forest: Registered, noun: Noun[Any]
) -> None:
    key = f"key-of-{noun.name}"

    first = _answer(api, forest, noun, 11, key)
    again = _answer(api, forest, noun, 11, key)
    other_key = _answer(api, forest, noun, 11, f"{key}-2")
    other_body = _answer(api, forest, noun, 12, key)

    assert first[0] in {201, 202}
    assert first[2] is not None
    if noun.is_made_by_job:  # whose job may have begun or ended meanwhile
        assert (again[1]["id"], again[1]["job"], again[1]["reused"]) == (first[1]["id"], first[1]["job"], False)
    else:
        assert again == first
    assert other_key[1]["id"] == first[1]["id"]
    assert (other_body[0], other_body[1]["code"]) == (409, "idempotency_key_reused")
    if noun.is_made_by_job:
        if first[1]["job"]:
            api.wait(first[1]["job"])
        replayed = _answer(api, forest, noun, 11, key)
        status = 200 if first[1]["job"] else first[0]  # what is made at once is ready from the first answer on
        assert (replayed[0], replayed[1]["id"], replayed[1]["status"]) == (status, first[1]["id"], "ready")


def test_a_key_of_one_noun_is_not_anothers(api: Api, forest: Registered) -> None:
    _answer(api, forest, NOUNS["datasets"], 13, "one-key-for-all")

    assert _answer(api, forest, NOUNS["explainers"], 13, "one-key-for-all")[0] == 409


def test_a_refused_request_does_not_use_up_its_key(api: Api, forest: Registered) -> None:
    request = {"model": forest.model["id"], "prototype_set": "prs_gone"}
    refused = api.post("/v1/explainers", request, **{"Idempotency-Key": "after-a-refusal"})

    assert refused.status_code == 404
    assert _answer(api, forest, NOUNS["explainers"], 14, "after-a-refusal")[0] == 201


def test_requests_that_race_with_one_key_get_one_answer(api: Api, forest: Registered) -> None:
    raced = NOUNS["prototype_sets"]
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: _answer(api, forest, raced, 15, "raced-for")[1], range(12)))

    ((_, job, _),) = {(answer["id"], answer["job"], answer["reused"]) for answer in answers}
    api.wait(job)


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ü"])
def test_an_odd_key_is_refused(api: Api, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode())]
    answer = api.http.post("/v1/datasets", files={"file": ("f", b"a\n1\n")}, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert answer.json()["errors"][0]["pointer"] == "/Idempotency-Key"


def test_uploads_that_race_are_registered_once(api: Api, forest: Registered) -> None:
    data = csv_of(frame_of(forest.fitted).head(40))
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: api.upload("/v1/datasets", data, {"name": "raced"}), range(4)))

    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_the_service_is_alive_and_ready(api: Api) -> None:
    assert api.get("/livez").json() == {"status": "ok"}
    assert api.get("/readyz").json() == {"status": "ok", "degraded": []}
