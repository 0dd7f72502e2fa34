"""Stored explanations over HTTP: what was answered is kept, byte for byte, found again, verified and deleted."""

import hashlib
import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from urllib.parse import quote

import pytest

from schemas.stored_explanations import StoredExplanation
from tests.support.api import Api, Json, Registered
from tests.support.serving import Service

_PATH = "/v1/explanations"


@pytest.fixture(scope="module")
def storing(api: Api, forest: Registered) -> str:
    """Return the id of an explainer that stores what it answers."""
    made = api.post("/v1/explainers", {**_parts(forest), "store_explanations": True})
    assert made.json()["store_explanations"] is True
    return str(made.json()["id"])


def _parts(forest: Registered) -> Json:
    return {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"]}


def _stored(api: Api, explainer: str, row_id: str) -> list[Json]:
    found: list[Json] = api.get(f"{_PATH}?explainer={explainer}&row_id={quote(row_id)}").json()["data"]
    return found


def _store(api: Api, forest: Registered, explainer: str, row_id: str, row: int = 0) -> str:
    (explained,) = api.explain(explainer, [forest.instance(row)], row_ids=[row_id])["data"]
    return str(explained["id"])


def _verified(api: Api, identifier: str) -> Json:
    answer = api.post(f"{_PATH}/{identifier}/verify")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def test_what_was_answered_is_stored_byte_for_byte(api: Api, forest: Registered, storing: str) -> None:
    rows = {"instances": [forest.instance(0), {}, forest.instance(1)], "row_ids": ["a, é", "bad", "b"]}

    answer = api.post(f"/v1/explainers/{storing}/explanations", {**rows, "n_reasons": 2, "include": ["values"]})

    first, refused, last = answer.json()["data"]
    assert "id" not in refused
    assert _stored(api, storing, "bad") == []
    for instance, explained in ((0, first), (2, last)):
        content = api.get(f"{_PATH}/{explained['id']}").content
        found = StoredExplanation.model_validate_json(content)
        response = content.partition(b'"response":')[2].removesuffix(b"}")
        assert response in answer.content
        assert json.loads(response) == explained
        assert hashlib.sha256(response).hexdigest() == found.digest
        assert (found.explainer, found.explainer_name, found.row_id, found.key) == (
            *(storing, None, explained["row_id"], None),
        )
        assert found.model_sha256 == forest.model["sha256"]
        assert found.provenance.model_dump(mode="json") == answer.json()["provenance"]
        request = found.request.model_dump(mode="json")
        assert (request["instances"], request["row_ids"]) == ([rows["instances"][instance]], [explained["row_id"]])
        assert (request["n_reasons"], request["include"]) == (2, ["values"])
        (summary,) = _stored(api, storing, explained["row_id"])
        assert summary == {name: value for name, value in json.loads(content).items() if name in summary}
        assert "request" not in summary


def test_other_explainers_store_nothing_and_give_no_ids(api: Api, forest: Registered) -> None:
    (explained,) = api.explain(forest.explainer["id"], [forest.instance(0)], row_ids=["not stored"])["data"]

    assert "id" not in explained
    assert _stored(api, forest.explainer["id"], "not stored") == []


def test_rows_of_datasets_and_calls_by_name_are_stored_too(api: Api, forest: Registered, storing: str) -> None:
    api.http.put("/v1/explainer-names/stores", json={"explainer": storing}).raise_for_status()
    rows = {"dataset": forest.dataset["id"], "row_ids": ["3", "5"]}
    by_name = api.post("/v1/explainers/stores/explanations", rows).json()["data"]
    by_kserve = api.post("/v1/models/stores:explain", {"instances": [forest.instance(3)], "row_ids": ["by kserve"]})
    assert by_kserve.status_code == 200, by_kserve.text

    kept = [api.get(f"{_PATH}/{explained['id']}").json() for explained in by_name]
    kept += [api.get(f"{_PATH}/{summary['id']}").json() for summary in _stored(api, storing, "by kserve")]

    assert [(each["explainer_name"], each["row_id"]) for each in kept] == [
        ("stores", "3"),
        ("stores", "5"),
        ("stores", "by kserve"),
    ]
    assert (kept[0]["request"]["dataset"], kept[0]["request"]["instances"]) == (forest.dataset["id"], [])
    assert [_verified(api, each["id"])["status"] for each in kept] == ["same"] * 3
    api.delete("/v1/explainer-names/stores")


def test_they_are_listed_by_when_they_were_answered(api: Api, forest: Registered, storing: str) -> None:
    ids = [_store(api, forest, storing, "timed", row) for row in range(3)]
    times = [each["created_at"] for each in _stored(api, storing, "timed")]
    assert times == sorted(times, reverse=True)

    def listed(**query: str) -> list[str]:
        answer = api.http.get(_PATH, params={"explainer": storing, "row_id": "timed", **query})
        return [each["id"] for each in answer.json()["data"]]

    assert listed(created_from=times[1]) == [ids[2], ids[1]]
    assert listed(created_before=times[1]) == [ids[0]]
    assert listed(created_from=times[1], created_before=times[0]) == [ids[1]]
    moved = datetime.fromisoformat(times[1]).astimezone().isoformat()
    assert listed(created_from=moved) == [ids[2], ids[1]]
    for odd in ("", "yesterday", "2026-01-31", "2026-01-31T08:00:00", "1e999"):
        refused = api.http.get(_PATH, params={"created_from": odd})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/created_from"), odd
    later = datetime.fromisoformat(times[0]) + timedelta(days=1)
    assert listed(created_from=later.isoformat()) == []


def test_verifying_finds_what_was_changed(api: Api, service: Service, forest: Registered, storing: str) -> None:
    untouched, changed, foreign = (_store(api, forest, storing, "verified") for _ in range(3))

    def change(identifier: str, column: str, old: str, new: str) -> str:
        with closing(sqlite3.connect(service.data_dir / "leafspace.db", timeout=60)) as database, database:
            (text,) = database.execute(f"SELECT {column} FROM explanations WHERE id = ?", (identifier,)).fetchone()  # noqa: S608  # our own names
            assert old in text
            text = text.replace(old, new, 1)
            database.execute(f"UPDATE explanations SET {column} = ? WHERE id = ?", (text, identifier))  # noqa: S608
        return str(text)

    change(changed, "response", '"status":"ok"', '"status":"abstained"')
    text = change(foreign, "response", '"proximity":', '"nearness":')
    with closing(sqlite3.connect(service.data_dir / "leafspace.db", timeout=60)) as database, database:
        digest = hashlib.sha256(text.encode()).hexdigest()
        database.execute("UPDATE explanations SET digest = ?, revision = 0 WHERE id = ?", (digest, foreign))

    same = _verified(api, untouched)
    assert (same["status"], same["digest_matches"], same["differences"], same["n_differences"]) == ("same", True, [], 0)
    found = _verified(api, changed)
    assert (found["status"], found["digest_matches"], found["differences"]) == ("different", False, ["/status"])
    other = _verified(api, foreign)
    assert (other["status"], other["digest_matches"], other["revision"]) == ("other_revision", True, 0)
    assert set(other["differences"]) == {
        "/nearest_prototypes/0/nearness",
        "/nearest_prototypes/0/proximity",
    }


def test_they_are_deleted_by_id_and_by_row(api: Api, forest: Registered, storing: str) -> None:
    first, second, third = (_store(api, forest, storing, "deleted, ?&") for _ in range(3))
    kept = _store(api, forest, storing, "kept")

    assert api.delete(f"{_PATH}/{first}").status_code == 204
    assert api.get(f"{_PATH}/{first}").status_code == api.delete(f"{_PATH}/{first}").status_code == 404
    assert [each["id"] for each in _stored(api, storing, "deleted, ?&")] == [third, second]

    by_row = f"{_PATH}?explainer={storing}&row_id={quote('deleted, ?&')}"
    assert api.delete(by_row).json() == {"object": "deletion", "n_deleted": 2}
    assert api.delete(by_row).json() == {"object": "deletion", "n_deleted": 0}
    assert _stored(api, storing, "deleted, ?&") == []
    assert api.get(f"{_PATH}/{kept}").status_code == 200
    for incomplete in ("", f"?explainer={storing}", "?row_id=kept"):
        assert api.delete(f"{_PATH}{incomplete}").status_code == 422
    assert api.get(f"{_PATH}/{kept}").status_code == 200


def test_they_outlive_their_explainer_and_cannot_be_verified_then(api: Api, forest: Registered) -> None:
    parts = {**_parts(forest), "store_explanations": True, "name": "soon gone"}
    gone = api.post("/v1/explainers", parts).json()["id"]
    stored = _store(api, forest, gone, "orphan")
    assert api.delete(f"/v1/explainers/{gone}").status_code == 204

    assert api.get(f"{_PATH}/{stored}").json()["explainer"] == gone
    refused = api.post(f"{_PATH}/{stored}/verify")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert gone in refused.json()["detail"]
    assert api.post("/v1/explainers", parts).json()["id"] == gone
    assert _verified(api, stored)["status"] == "same"
