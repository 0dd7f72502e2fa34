"""Stored explanations over HTTP: what was answered is kept where the explainer says so, read, verified and deleted."""

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from schemas.scopes import SCOPES
from schemas.stored_explanations import DeletedExplanations, StoredExplanation, StoredExplanationSummary, Verification
from service.operations.explanation_records import REVISION
from tests.support.api import Api, Json, Registered, register
from tests.support.guarded import Guarded
from tests.support.nouns import storing_explainer

_PATH, _NAME = "/v1/explanations", "for-the-record"


@dataclass(frozen=True)
class Recorded:
    """A service with keys, and an explainer that stores what it explains."""

    guarded: Guarded
    api: Api  # may read, write, explain, deploy and audit
    forest: Registered
    explainer: str

    def explain(self, rows: range, **request: object) -> list[Json]:
        found: list[Json] = self.api.explain(self.explainer, [self.forest.instance(row) for row in rows], **request)[
            "data"
        ]
        return found

    def stored(self, explanation_id: str) -> Json:
        found: Json = self.api.get(f"{_PATH}/{explanation_id}").raise_for_status().json()
        return found

    def listed(self, **query: object) -> list[Json]:
        answer = self.api.http.get(_PATH, params={"limit": 1000, **query}).raise_for_status()  # type: ignore[dict-item]  # httpx's own
        found: list[Json] = answer.json()["data"]
        return found

    def verify(self, explanation_id: str) -> Json:
        answer = self.api.post(f"{_PATH}/{explanation_id}/verify")
        assert answer.status_code == 200, answer.text
        Verification.model_validate(answer.json())
        found: Json = answer.json()
        return found

    def change(self, explanation_id: str, column: str, old: str, new: str) -> None:
        """Change what is stored behind the service's back."""
        statement = f"UPDATE explanations SET {column} = replace({column}, ?1, ?2) WHERE id = ?3"  # noqa: S608  # ours
        statement += f" AND instr({column}, ?1)"  # what changes nothing proves nothing
        with closing(sqlite3.connect(self.guarded.data_dir / "leafspace.db", timeout=30)) as rows, rows:
            assert rows.execute(statement, (old, new, explanation_id)).rowcount == 1


@pytest.fixture(scope="module")
def recorded(guarded: Guarded) -> Recorded:
    api = guarded.api("read", "write", "explain", "deploy", "audit")
    forest = register(api, "random_forest_binary")
    explainer = storing_explainer(api, forest)
    assert api.http.put(f"/v1/explainer-names/{_NAME}", json={"explainer": explainer}).is_success
    return Recorded(guarded, api, forest, explainer)


def _refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_what_was_answered_is_stored_byte_for_byte_with_what_was_asked_and_by_whom(recorded: Recorded) -> None:
    rows = [recorded.forest.instance(0), {"nothing": 1}, recorded.forest.instance(2)]
    answer = recorded.api.post(
        f"/v1/explainers/{recorded.explainer}/explanations", {"instances": rows, "row_ids": ["a", "b", "c"]}
    )
    first, refused, last = answer.json()["data"]

    assert "id" not in refused  # nothing was explained
    body = recorded.api.get(f"{_PATH}/{first['id']}")
    stored = body.json()
    StoredExplanation.model_validate(stored)
    assert stored["response"] == first
    text = body.text.partition('"response":')[2].removesuffix("}")
    assert text in answer.text
    assert hashlib.sha256(text.encode()).hexdigest() == stored["digest"]
    assert (stored["request"]["instances"], stored["request"]["row_ids"]) == ([rows[0]], ["a"])
    assert stored["request"]["n_prototypes"] == 3  # spelled out: defaults may change
    assert stored["provenance"] == answer.json()["provenance"]
    assert (stored["model_sha256"], stored["explainer"]) == (recorded.forest.model["sha256"], recorded.explainer)
    assert stored["explainer_name"] is None
    assert abs(datetime.fromisoformat(stored["created_at"]) - datetime.now(UTC)) < timedelta(minutes=10)
    assert recorded.stored(last["id"])["row_id"] == "c"
    keys = recorded.guarded.call("GET", "/v1/api-keys?limit=1000", recorded.guarded.keys["admin"]).json()["data"]
    assert stored["key"] == next(key["id"] for key in keys if "audit" in key["scopes"] and "explain" in key["scopes"])
    secret = recorded.api.http.headers["Authorization"].split("_", 2)[2].encode()  # which may have more of them
    assert not any(secret in path.read_bytes() for path in recorded.guarded.data_dir.glob("leafspace.db*"))


def test_explainers_that_do_not_say_so_and_explanation_sets_store_nothing(recorded: Recorded) -> None:
    before = len(recorded.listed())
    plain = recorded.api.explain(recorded.forest.explainer["id"], [recorded.forest.instance(0)])
    made = recorded.api.made(
        "/v1/explanation-sets", {"explainer": recorded.explainer, "dataset": recorded.forest.dataset["id"]}
    )

    assert made["status"] == "ready"
    assert "id" not in plain["data"][0]
    assert len(recorded.listed()) == before
    shown = recorded.api.get(f"/v1/explainers/{recorded.explainer}").json()
    assert (shown["store_explanations"], recorded.forest.explainer["store_explanations"]) == (True, False)


@pytest.mark.parametrize("scope", SCOPES)
def test_only_a_key_that_may_audit_reads_verifies_or_deletes(recorded: Recorded, scope: str) -> None:
    (explained,) = recorded.explain(range(1))
    path, query = f"{_PATH}/{explained['id']}", f"?explainer={recorded.explainer}&row_id=nobody"
    calls = [("GET", _PATH), ("GET", path), ("POST", f"{path}/verify"), ("DELETE", f"{_PATH}{query}"), ("DELETE", path)]

    answers = [recorded.guarded.call(method, called, recorded.guarded.keys[scope]) for method, called in calls]

    expected = [200, 200, 200, 200, 204] if scope == "audit" else [403] * 5
    assert [answer.status_code for answer in answers] == expected


def test_calls_by_name_and_of_kserve_s_protocols_are_stored(recorded: Recorded) -> None:
    instance = recorded.forest.instance(5)
    by_name = recorded.api.explain(_NAME, [instance], row_ids=["by name"])["data"]
    first = recorded.api.post(f"/v1/models/{_NAME}:explain", {"instances": [instance]}).json()["explanations"]
    columns = [{"name": name, "datatype": "FP64", "shape": [1, 1], "data": [value]} for name, value in instance.items()]
    tensors = recorded.api.post(f"/v2/models/{_NAME}/infer", {"inputs": columns}).json()["outputs"]
    texts = next(tensor["data"] for tensor in tensors if tensor["name"] == "explanation")
    before = len(recorded.listed())
    labels = {"inputs": columns, "outputs": [{"name": "label"}]}
    assert recorded.api.post(f"/v2/models/{_NAME}/infer", labels).is_success
    assert recorded.api.post(f"/v1/models/{_NAME}:predict", {"instances": [instance]}).is_success

    for (explained,) in (by_name, first, [json.loads(text) for text in texts]):
        stored = recorded.stored(explained["id"])
        assert stored["response"] == explained
        assert (stored["explainer_name"], stored["explainer"]) == (_NAME, recorded.explainer)
        assert recorded.verify(explained["id"])["status"] == "same"
    assert len(recorded.listed()) == before  # predictions alone are no explanations


@pytest.mark.parametrize("reference", ["all", "rows:1", "prototypes:0"])
def test_effects_against_means_are_stored_with_their_reference_and_verified(recorded: Recorded, reference: str) -> None:
    explained = recorded.explain(range(3), reference=reference, outcome="1")

    for each in explained:
        assert each["effects"]["of"] == "1"
        assert recorded.stored(each["id"])["request"]["reference"] == reference
        assert recorded.verify(each["id"])["status"] == "same"


def test_they_are_listed_by_explainer_row_and_time(recorded: Recorded) -> None:
    before = datetime.now(UTC)
    ids = [recorded.explain(range(1), row_ids=["listed"])[0]["id"] for _ in range(3)]
    last = StoredExplanationSummary.model_validate(recorded.listed(row_id="listed")[0])

    assert [item["id"] for item in recorded.listed(row_id="listed", explainer=recorded.explainer)] == ids[::-1]
    assert recorded.listed(row_id="listed", explainer="xpl_gone") == []
    assert [item["id"] for item in recorded.listed(created_from=before.isoformat())] == ids[::-1]
    until = {"row_id": "listed", "created_before": last.created_at.isoformat()}
    assert [item["id"] for item in recorded.listed(**until)] == ids[1::-1]
    assert [item["id"] for item in recorded.api.pages(f"{_PATH}", 2)][:3] == ids[::-1]
    for odd in ("yesterday", "2026-01-31T08:00:00", ""):
        refused = recorded.api.http.get(_PATH, params={"created_from": odd})
        assert (*_refusal(refused), refused.json()["errors"][0]["pointer"]) == (
            *(422, "validation_failed"),
            "/created_from",
        )


def test_one_is_deleted_by_id_and_all_of_a_row_by_its_id(recorded: Recorded) -> None:
    first = recorded.explain(range(3), row_ids=["mine", "yours", "theirs"])
    recorded.explain(range(1), row_ids=["mine"])
    query = {"explainer": recorded.explainer, "row_id": "mine"}

    assert recorded.api.delete(f"{_PATH}/{first[2]['id']}").status_code == 204
    assert _refusal(recorded.api.delete(f"{_PATH}/{first[2]['id']}")) == (404, "not_found")
    deleted = recorded.api.http.delete(_PATH, params=query)
    assert DeletedExplanations.model_validate(deleted.json()).n_deleted == 2
    assert recorded.api.http.delete(_PATH, params=query).json()["n_deleted"] == 0
    assert recorded.listed(row_id="mine") == recorded.listed(row_id="theirs") == []
    assert [item["id"] for item in recorded.listed(row_id="yours")] == [first[1]["id"]]
    for incomplete in ({"explainer": recorded.explainer}, {"row_id": "yours"}, {}):
        assert _refusal(recorded.api.http.delete(_PATH, params=incomplete)) == (422, "validation_failed")
    assert len(recorded.listed(row_id="yours")) == 1


@pytest.mark.parametrize("rows", ["sent", "of a dataset"])
def test_what_was_computed_among_many_rows_is_the_same_when_computed_alone(recorded: Recorded, rows: str) -> None:
    request: dict[str, Any] = {"detail": "full"}
    if rows == "sent":
        request["instances"] = [list(recorded.forest.instance(row).values()) for row in range(30)]
    else:
        request |= {"dataset": recorded.forest.dataset["id"], "row_ids": [str(row) for row in range(30)]}
    answer = recorded.api.post(f"/v1/explainers/{recorded.explainer}/explanations", request).json()["data"]

    for explained in answer[::7]:
        found = recorded.verify(explained["id"])
        assert (found["status"], found["n_differences"], found["digest_matches"]) == ("same", 0, True)
        assert found["service"] == found["present_service"]
        assert found["revision"] == found["present_revision"] == REVISION


def test_what_was_changed_afterwards_is_found_where_it_was_changed(recorded: Recorded) -> None:
    changes: dict[str, tuple[dict[str, Any], str, str, str | None]] = {
        "response": (recorded.explain(range(1))[0], '"proximity":', '"proximity":1', "/nearest_prototypes/0/proximity"),
        "request": (recorded.explain(range(1))[0], '"n_reasons":5', '"n_reasons":1', "/nearest_prototypes/0/reasons/1"),
    }
    (other,) = recorded.explain(range(1))
    digest = recorded.stored(other["id"])["digest"]
    changes["digest"] = (other, digest, digest[::-1], None)
    for column, (explained, old, new, place) in changes.items():
        recorded.change(explained["id"], column, old, new)
        found = recorded.verify(explained["id"])

        assert found["status"] == "different"
        assert found["digest_matches"] == (column == "request")
        assert found["n_differences"] == len(found["differences"])
        assert (place in found["differences"]) if place else (found["differences"] == [])
    for column in ("response", "request"):
        (explained,) = recorded.explain(range(1))
        recorded.change(explained["id"], column, "{", "[{")
        assert recorded.verify(explained["id"])["differences"] == [""]


def test_another_release_may_have_computed_something_else(recorded: Recorded) -> None:
    (same,), (other,) = recorded.explain(range(1)), recorded.explain(range(1))
    for explained in (same, other):
        version = recorded.stored(explained["id"])["provenance"]["service"]
        recorded.change(explained["id"], "provenance", version, "0.0.1")
    text = recorded.api.get(f"{_PATH}/{other['id']}").text.partition('"response":')[2].removesuffix("}")
    changed = text.replace('"summary":"', '"summary":"Once upon a time, ')
    recorded.change(other["id"], "response", text, changed)
    old = recorded.stored(other["id"])["digest"]
    recorded.change(other["id"], "digest", old, hashlib.sha256(changed.encode()).hexdigest())

    found = recorded.verify(other["id"])

    assert (found["status"], found["service"]) == ("other_revision", "0.0.1")
    assert found["differences"] == ["/summary"]
    assert recorded.verify(same["id"])["status"] == "same"  # it computed what this one does


def test_they_outlive_their_explainer_and_are_verified_again_once_it_is_back(recorded: Recorded) -> None:
    parts = {"model": recorded.forest.model["id"], "prototype_set": recorded.forest.prototype_set["id"]}
    request = {**parts, "name": "soon gone", "store_explanations": True}
    explainer = recorded.api.post("/v1/explainers", request).json()["id"]
    (explained,) = recorded.api.explain(explainer, [recorded.forest.instance(0)])["data"]
    assert recorded.api.delete(f"/v1/explainers/{explainer}").status_code == 204

    assert recorded.stored(explained["id"])["response"] == explained
    refused = recorded.api.post(f"{_PATH}/{explained['id']}/verify")

    assert _refusal(refused) == (409, "conflict")
    assert explainer in refused.json()["detail"]
    assert recorded.api.post("/v1/explainers", request).json()["id"] == explainer
    assert recorded.verify(explained["id"])["status"] == "same"
    assert _refusal(recorded.api.post(f"{_PATH}/xpn_gone/verify")) == (404, "not_found")
