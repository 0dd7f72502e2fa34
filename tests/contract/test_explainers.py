"""/v1/explainers over HTTP: register, read, delete."""

import pytest

from schemas.explainers import Explainer, ExplainerSummary
from tests.support.api import Api, Registered

_FIELDS = {
    *("object", "id", "name", "model", "prototype_set", "rule_set", "approximation_tree", "shown_features"),
    *("abstain_below", "store_explanations", "nearest_rows", "created_at"),
}


def _request(forest: Registered, **changes: object) -> dict[str, object]:
    return {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"], **changes}


def test_an_explainer_is_registered_and_found_again(api: Api, forest: Registered) -> None:
    answer = api.post("/v1/explainers", _request(forest, name="of two features", shown_features=["f3", "f1"]))

    body = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/explainers/{body['id']}"
    assert answer.headers["Server-Timing"].startswith("total;dur=")
    assert set(body) == _FIELDS
    assert body["id"].startswith("xpl_")
    assert body["shown_features"] == ["f3", "f1"]
    assert Explainer.model_validate(body).model_dump(mode="json") == body
    assert api.get(answer.headers["Location"]).json() == body
    listed = {name: body[name] for name in ExplainerSummary.model_fields}
    assert listed in api.get("/v1/explainers?limit=1000").json()["data"]


def test_the_same_request_again_is_the_same_explainer(api: Api, forest: Registered) -> None:
    again = api.post("/v1/explainers", _request(forest, shown_features="all", rule_set=None))
    other = api.post("/v1/explainers", _request(forest, name="another"))

    assert (again.status_code, again.json()) == (200, forest.explainer)
    assert other.json()["id"] != forest.explainer["id"]


def test_a_deleted_explainer_explains_nothing_more(api: Api, forest: Registered) -> None:
    path = api.post("/v1/explainers", _request(forest, name="to be deleted")).headers["Location"]
    request = {"instances": [forest.instance(0)]}
    assert api.post(f"{path}/explanations", request).status_code == 200  # it is warm now

    assert api.delete(path).status_code == 204

    assert [api.get(path).status_code, api.delete(path).status_code] == [404, 404]
    gone = api.post(f"{path}/explanations", request)
    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")
    assert api.post("/v1/explainers", _request(forest, name="to be deleted")).status_code == 201
    assert api.post(f"{path}/explanations", request).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "code", "pointer"),
    [
        ({"model": "mdl_gone"}, 404, "not_found", None),
        ({"prototype_set": "prs_gone"}, 404, "not_found", None),
        ({"rule_set": "rls_gone"}, 404, "not_found", None),
        ({"approximation_tree": "apt_gone"}, 404, "not_found", None),
        ({"shown_features": ["f3", "f99"]}, 422, "unknown_feature", "/shown_features"),
        ({"shown_features": "none"}, 422, "validation_failed", "/shown_features"),
        ({"shown_features": [7]}, 422, "validation_failed", "/shown_features/0"),
        ({"name": ""}, 422, "validation_failed", "/name"),
        ({"name": "a\nb"}, 422, "validation_failed", "/name"),
        ({"explains": "all"}, 422, "unknown_field", "/explains"),
    ],
)
def test_what_does_not_fit_is_refused(
    api: Api, forest: Registered, changes: dict[str, object], status: int, code: str, pointer: str | None
) -> None:
    refused = api.post("/v1/explainers", _request(forest, **changes))

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    if pointer is not None:
        assert pointer in {error["pointer"] for error in refused.json()["errors"]}


def test_prototypes_of_another_model_are_a_conflict(api: Api, forest: Registered) -> None:
    metadata = {"feature_names": forest.names, "ensemble": "random_forest", "name": "its twin"}
    twin = api.upload("/v1/models", forest.fitted.onnx, metadata).json()["id"]

    refused = api.post("/v1/explainers", _request(forest, model=twin))

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert twin in refused.json()["detail"]
