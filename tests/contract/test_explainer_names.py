"""Names of explainers over HTTP: what applications call, and which explainer answers them, in every process."""

import re
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from schemas.explainer_names import ExplainerName, ExplainerNameChange
from schemas.explanations import ExplanationList
from tests.support.api import Api, Json, Registered, register
from tests.support.guarded import Guarded, second_process, until
from tests.support.patience import when_idle

_PATH = "/v1/explainer-names"


@dataclass(frozen=True)
class Deployed:
    """A service with keys, two explainers of one model, and one of a model with other features."""

    guarded: Guarded
    api: Api  # may read, write, explain and deploy
    forest: Registered
    first: str
    second: str
    other: str

    def put(self, name: str, explainer: str, headers: dict[str, str] | None = None, **more: object) -> httpx.Response:
        return self.api.http.put(f"{_PATH}/{name}", json={"explainer": explainer, **more}, headers=headers)

    def explained_by(self, name: str) -> Json:
        found = self.api.explain(name, [self.forest.instance(0)])
        ExplanationList.model_validate(found)
        return found


@pytest.fixture(scope="module")
def deployed(guarded: Guarded) -> Deployed:
    api = guarded.api("read", "write", "explain", "deploy")
    forest = register(api, "decision_tree_binary", "other", proximity_kind="random_forest")
    parts = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}
    second = api.post("/v1/explainers", {**parts, "name": "second"}).json()["id"]
    other = register(api, "random_forest_regression")
    return Deployed(guarded, api, forest, forest.explainer["id"], second, other.explainer["id"])


def _refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_name_is_given_exchanged_and_deleted(deployed: Deployed) -> None:
    given = deployed.put("credit-risk", deployed.first)
    named = given.json()
    path = f"{_PATH}/credit-risk"

    assert given.status_code == 201
    assert (named["name"], named["explainer"]) == ("credit-risk", deployed.first)
    assert ExplainerName.model_validate(named).model_dump(mode="json") == named
    assert given.headers["ETag"] == f'"{named["last_change"]}"' == deployed.api.get(path).headers["ETag"]
    assert deployed.api.get(path).json() == named
    assert named in deployed.api.get(f"{_PATH}?explainer={deployed.first}").json()["data"]
    again = deployed.put("credit-risk", deployed.first)
    assert (again.status_code, again.json()) == (200, named)  # nothing was changed

    exchanged = deployed.put("credit-risk", deployed.second)

    assert (exchanged.status_code, exchanged.json()["explainer"]) == (200, deployed.second)
    assert exchanged.headers["ETag"] != given.headers["ETag"]
    assert named not in deployed.api.get(f"{_PATH}?explainer={deployed.first}").json()["data"]
    assert deployed.api.delete(path).status_code == 204
    assert _refusal(deployed.api.get(path)) == _refusal(deployed.api.delete(path)) == (404, "not_found")


def test_an_answer_reports_which_explainer_a_name_meant(deployed: Deployed) -> None:
    deployed.put("reporting", deployed.first)

    by_name = deployed.explained_by("reporting")
    by_id = deployed.explained_by(deployed.first)

    assert (by_name.pop("explainer_name"), by_name["explainer"]) == ("reporting", deployed.first)
    assert by_name == by_id
    deployed.put("reporting", deployed.second)
    assert deployed.explained_by("reporting")["explainer"] == deployed.second
    body = {"instances": [deployed.forest.instance(0)]}
    missing = deployed.api.post("/v1/explainers/nobody/explanations", body)
    assert _refusal(missing) == (404, "not_found")
    assert "no explainer has the name 'nobody'" in missing.json()["detail"]


def test_who_changed_a_name_when_and_from_what_to_what_is_kept(deployed: Deployed) -> None:
    mine = f"key_{deployed.api.http.headers['Authorization'].split('_')[1]}"
    deployed.put("followed", deployed.first)
    deployed.put("followed", deployed.other, force=True)
    deployed.api.delete(f"{_PATH}/followed")

    first_page = deployed.api.get(f"{_PATH}/followed/history?limit=2").json()
    rest = deployed.api.get(f"{_PATH}/followed/history?limit=2&cursor={first_page['next_cursor']}").json()

    found = [ExplainerNameChange.model_validate(change) for change in first_page["data"] + rest["data"]]
    assert [(each.previous_explainer, each.explainer, each.forced) for each in found] == [
        (deployed.other, None, False),
        (deployed.first, deployed.other, True),
        (None, deployed.first, False),
    ]
    assert {each.key for each in found} == {mine}
    assert found[0].created_at > found[1].created_at > found[2].created_at
    assert rest["next_cursor"] is None
    assert _refusal(deployed.api.get(f"{_PATH}/nobody/history")) == (404, "not_found")


def test_other_features_or_classes_are_refused_unless_forced(deployed: Deployed) -> None:
    deployed.put("strict", deployed.first)

    refused = deployed.put("strict", deployed.other)

    assert _refusal(refused) == (409, "conflict")
    assert "is a regression" in refused.json()["detail"]
    assert deployed.explained_by("strict")["explainer"] == deployed.first
    assert deployed.put("strict", deployed.other, force=True).json()["explainer"] == deployed.other


def test_a_named_explainer_is_not_deleted(deployed: Deployed) -> None:
    parts = {"model": deployed.forest.model["id"], "prototype_set": deployed.forest.prototype_set["id"]}
    explainer = deployed.api.post("/v1/explainers", {**parts, "name": "to be deleted"}).json()["id"]
    deployed.put("in-use", explainer)

    refused = deployed.api.delete(f"/v1/explainers/{explainer}")

    assert _refusal(refused) == (409, "in_use")
    assert "'in-use'" in refused.json()["detail"]
    deployed.api.delete(f"{_PATH}/in-use")
    assert deployed.api.delete(f"/v1/explainers/{explainer}").status_code == 204
    assert _refusal(deployed.put("in-use", explainer)) == (404, "not_found")


def test_a_change_may_depend_on_the_state_that_was_read(deployed: Deployed) -> None:
    first = deployed.put("guarded", deployed.first, {"If-None-Match": "*"})
    tag = first.headers["ETag"]
    assert first.status_code == 201
    failed = (412, "precondition_failed")

    assert _refusal(deployed.put("guarded", deployed.second, {"If-None-Match": "*"})) == failed
    assert _refusal(deployed.put("guarded", deployed.second, {"If-Match": '"chg_other"'})) == failed
    assert _refusal(deployed.put("guarded", deployed.second, {"If-Match": f"W/{tag}"})) == failed
    assert _refusal(deployed.put("unknown", deployed.first, {"If-Match": "*"})) == failed
    second = deployed.put("guarded", deployed.second, {"If-Match": f'"chg_other", {tag}'})
    assert second.status_code == 200
    assert _refusal(deployed.put("guarded", deployed.first, {"If-Match": tag})) == failed  # somebody was faster
    deleting = deployed.api.http.delete(f"{_PATH}/guarded", headers={"If-Match": tag})
    assert _refusal(deleting) == failed
    assert deployed.api.get(f"{_PATH}/guarded").json() == second.json()
    present = {"If-Match": second.headers["ETag"]}
    assert deployed.api.http.delete(f"{_PATH}/guarded", headers=present).status_code == 204
    odd = deployed.put("guarded", deployed.first, {"If-None-Match": tag})
    assert _refusal(odd) == (422, "validation_failed")


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("Upper", {"explainer": "xpl_1"}, "validation_failed"),
        ("1-digit-first", {"explainer": "xpl_1"}, "validation_failed"),
        ("xpl_like-an-id", {"explainer": "xpl_1"}, "validation_failed"),
        ("x" * 64, {"explainer": "xpl_1"}, "validation_failed"),
        ("credit-risk", {}, "validation_failed"),
        ("credit-risk", {"explainer": "xpl_1", "forced": True}, "unknown_field"),
    ],
)
def test_an_odd_name_or_request_is_refused(deployed: Deployed, name: str, body: Json, code: str) -> None:
    refused = deployed.api.http.put(f"{_PATH}/{name}", json=body)

    assert _refusal(refused) == (422, code)
    assert deployed.api.http.put(f"{_PATH}/{'x' * 63}", json={"explainer": deployed.first}).is_success


def test_only_keys_that_deploy_decide_what_a_name_means(deployed: Deployed) -> None:
    deployed.put("owned", deployed.first)
    path, body = f"{_PATH}/owned", {"explainer": deployed.second}

    for scope, key in deployed.guarded.keys.items():
        put = deployed.guarded.call("PUT", path, key, json=body)
        read = deployed.guarded.call("GET", path, key)
        assert put.status_code == (200 if scope == "deploy" else 403), scope
        assert read.status_code == (200 if scope == "read" else 403), scope
    refused = deployed.guarded.call("DELETE", path, deployed.guarded.keys["write"])
    assert 'scope="deploy"' in refused.headers["WWW-Authenticate"]


@pytest.mark.long
def test_every_process_follows_a_name_within_two_seconds(deployed: Deployed) -> None:
    body = {"instances": [deployed.forest.instance(0)]}
    deployed.put("followed-everywhere", deployed.first)
    with second_process(deployed.guarded) as other:

        def used_by(process: Guarded) -> Any:  # an id, or the code of a problem
            path = "/v1/explainers/followed-everywhere/explanations"
            answer = process.call("POST", path, deployed.guarded.keys["explain"], json=body).json()
            return answer.get("explainer", answer.get("code"))

        for changing, using, explainer in (
            (deployed.guarded, other, deployed.second),
            (other, deployed.guarded, deployed.first),
        ):
            request = {"explainer": explainer}
            path, key = f"{_PATH}/followed-everywhere", deployed.guarded.keys["deploy"]
            assert changing.call("PUT", path, key, json=request).status_code == 200
            assert used_by(changing) == explainer  # at once where it was changed
            assert until(lambda: used_by(using) == explainer, 2) < when_idle(2)  # noqa: B023  # called at once
        assert deployed.api.delete(f"{_PATH}/followed-everywhere").status_code == 204
        assert used_by(deployed.guarded) == "not_found"
        assert until(lambda: used_by(other) == "not_found", 2) < when_idle(2)


def test_names_are_shown_in_the_log_of_the_process_that_changed_them(deployed: Deployed) -> None:
    deployed.put("logged", deployed.first)

    log = deployed.guarded.data_dir.with_name("guarded.log").read_text()

    assert re.search(rf"explainer_name_put.*{deployed.first}|{deployed.first}.*explainer_name_put", log)
