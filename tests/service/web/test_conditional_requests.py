"""Who holds an answer that cannot have changed gets 304 without it; what may change has no entity tag."""

import gzip
from collections.abc import Iterator

import httpx
import pytest
from fastapi.testclient import TestClient

from schemas.proximities import ProximitiesRequest
from service.main import build_app, create_server_app
from service.operations import proximities
from storage.entity_versions import entity_version

from ..conftest import Shop


@pytest.fixture(scope="module")
def api(shop: Shop) -> Iterator[TestClient]:
    app = create_server_app(shop.workshop.context.settings)
    with TestClient(app, base_url="http://localhost", headers={"Accept-Encoding": "identity"}) as client:  # type: ignore[arg-type]
        yield client


@pytest.fixture(scope="module")
def dataset(api: TestClient) -> str:
    return str(api.get("/v1/datasets").json()["data"][0]["id"])


def _immutable(shop: Shop, dataset: str) -> list[str]:
    return [
        f"/v1/models/{shop.model}",
        f"/v1/models/{shop.model}/trees/0",
        f"/v1/datasets/{dataset}",
        f"/v1/datasets/{dataset}/rows?limit=3",
        f"/v1/prototype-sets/{shop.prototype_set}",
        f"/v1/prototype-sets/{shop.prototype_set}/content",
    ]


def _has(api: TestClient, path: str, tags: str, **headers: str) -> httpx.Response:
    answer: httpx.Response = api.get(path, headers={"If-None-Match": tags, **headers})
    return answer


def test_a_caller_who_has_it_gets_304_and_no_body(api: TestClient, shop: Shop, dataset: str) -> None:
    for path in _immutable(shop, dataset):
        first = api.get(path)
        tag = first.headers["ETag"]
        assert tag.startswith('"'), "strong"
        assert first.headers["Cache-Control"] == "private, no-cache"
        for held in (tag, f"W/{tag}", f'"other", {tag}'):
            again = _has(api, path, held)
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["ETag"] == tag
            assert again.headers["Cache-Control"] == "private, no-cache"
        assert api.get(path).headers["ETag"] == tag


def test_who_has_another_or_none_gets_all_of_it(api: TestClient, shop: Shop, dataset: str) -> None:
    for path in _immutable(shop, dataset):
        whole = api.get(path)
        for held in ('"other"', "*", "", whole.headers["ETag"].strip('"')):
            again = _has(api, path, held)
            assert (again.status_code, again.content) == (200, whole.content)


def test_each_representation_has_a_tag_of_its_own(api: TestClient, shop: Shop, dataset: str) -> None:
    content = f"/v1/prototype-sets/{shop.prototype_set}/content"
    answers = [
        *(api.get(path) for path in _immutable(shop, dataset)),
        api.get(content, headers={"Accept": "text/csv"}),
        api.get(f"/v1/datasets/{dataset}/rows?limit=4"),
        api.get(content, headers={"Accept-Encoding": "gzip"}),
    ]

    tags = [answer.headers["ETag"] for answer in answers]
    assert len(set(tags)) == len(tags)
    assert all("Accept" in answer.headers["Vary"] for answer in answers)


def test_a_compressed_answer_is_recognised_by_its_own_tag(api: TestClient, shop: Shop) -> None:
    path = f"/v1/models/{shop.model}"
    compressed = api.get(path, headers={"Accept-Encoding": "gzip"})
    tag = compressed.headers["ETag"]

    assert compressed.headers["Content-Encoding"] == "gzip"
    assert tag.endswith('-gzip"')
    assert compressed.content == api.get(path).content
    again = _has(api, path, tag, **{"Accept-Encoding": "gzip"})
    assert (again.status_code, again.headers["ETag"], again.content) == (304, tag, b"")
    assert gzip.compress(b"") not in again.content


def test_what_may_change_or_is_not_there_has_no_tag(api: TestClient, shop: Shop, dataset: str) -> None:
    pending = proximities.request_proximities(
        shop.workshop.context, ProximitiesRequest(model=shop.model, dataset=dataset, n_neighbors=7)
    )
    for path in (
        "/v1/models",
        "/v1/jobs",
        f"/v1/jobs/{pending.job}",
        f"/v1/proximities/{pending.id}",
        f"/v1/explainers/{shop.explainer}",
        "/v1/models/mdl_gone",
        f"/v1/prototype-sets/{shop.model}",
        "/livez",
    ):
        answer = _has(api, path, "*")
        assert answer.status_code in {200, 404}
        assert "ETag" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"


def test_head_answers_conditions_as_get_does(api: TestClient, shop: Shop) -> None:
    path = f"/v1/models/{shop.model}"
    tag = api.head(path).headers["ETag"]

    assert api.head(path, headers={"If-None-Match": tag}).status_code == 304


def test_a_version_is_of_finished_things_of_that_noun_alone(shop: Shop) -> None:
    database = shop.workshop.context.database

    assert entity_version(database, "models", shop.model) is not None
    assert entity_version(database, "prototype_sets", shop.prototype_set) is not None
    assert entity_version(database, "rule_sets", shop.prototype_set) is None
    assert entity_version(database, "models", shop.prototype_set) is None


def test_the_contract_says_which_answers_have_tags() -> None:
    paths = build_app().openapi()["paths"]
    tagged = {path for path, operations in paths.items() if "304" in operations.get("get", {}).get("responses", {})}

    assert "/v1/models/{model_id}" in tagged
    assert "/v1/rule-sets/{rule_set_id}/export" in tagged
    assert not {"/v1/models", "/v1/jobs/{job_id}", "/v1/explainers/{explainer_id}", "/v1/version"} & tagged
    for path in tagged:
        operation = paths[path]["get"]
        assert "ETag" in operation["responses"]["200"]["headers"]
        assert "If-None-Match" in [parameter["name"] for parameter in operation["parameters"]]
