"""The review of labels over HTTP: a row beside its nearest, what is decided about it, and the labels after that."""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import httpx
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from schemas.label_audits import ReviewedRow
from schemas.label_decisions import DecidedRow, DecisionCounts, LabelDecision
from tests.support import naive, naive_label_audit
from tests.support.api import Api, Json, csv_of, frame_of
from tests.support.guarded import Guarded
from tests.support.models import fitted

_PATH = "/v1/label-audits"
_MODEL = "random_forest_binary"


@dataclass(frozen=True)
class Reviewed:
    """A service with keys, and an audit whose rows are decided about."""

    guarded: Guarded
    api: Api  # may read, write and review
    audit: Json
    request: Json

    @property
    def path(self) -> str:
        return f"{_PATH}/{self.audit['id']}"

    def put(self, row: int, decision: str, headers: dict[str, str] | None = None, **more: object) -> httpx.Response:
        return self.api.http.put(f"{self.path}/decisions/{row}", json={"decision": decision, **more}, headers=headers)

    def suspects(self, n_before: int) -> list[Json]:
        """Return the rows for which a label is suggested, without those that earlier tests decided about."""
        return [row for row in self.audit["result"]["rows"] if row["suggested_label"]][n_before:]


def _with_wrong_labels() -> pd.DataFrame:
    frame = frame_of(fitted(_MODEL))
    rows = np.random.default_rng(2).choice(len(frame), 30, replace=False)
    frame.loc[rows, "t"] = 1 - frame.loc[rows, "t"]
    return frame


@pytest.fixture(scope="module")
def reviewed(guarded: Guarded) -> Reviewed:
    api = guarded.api("read", "write", "review")
    model = fitted(_MODEL)
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    request = {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(_with_wrong_labels()), {"target": "t"}).json()["id"],
    }
    return Reviewed(guarded, api, api.made(_PATH, {**request, "min_leaf_rows": 1}), request)


def _refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_row_comes_with_its_nearest_by_the_librarys_own_leaves(reviewed: Reviewed) -> None:
    model, labels = fitted(_MODEL), _with_wrong_labels()["t"].to_numpy()
    leaves = model.library_leaves()
    assert leaves is not None
    proximity = naive.proximity_matrix(leaves.astype(np.int32), np.ones(leaves.shape[1], np.int64))

    for listed in reviewed.audit["result"]["rows"][:5]:
        found = reviewed.api.get(f"{reviewed.path}/rows/{listed['row']}").json()

        assert ReviewedRow.model_validate(found).model_dump(mode="json") == found
        assert {name: found[name] for name in listed} == listed
        expected = naive_label_audit.nearest(proximity, listed["row"], 10)
        assert [each["row"] for each in found["neighbors"]] == expected
        assert [each["label"] for each in found["neighbors"]] == [str(labels[row]) for row in expected]
        shares = [proximity[listed["row"], row] / leaves.shape[1] for row in expected]
        assert [each["proximity"] for each in found["neighbors"]] == shares


def test_neighbours_share_the_coarser_leaves_that_the_audit_compared(reviewed: Reviewed) -> None:
    request = {**reviewed.request, "min_leaf_rows": 5, "method": "neighbors"}
    coarser = reviewed.api.made(_PATH, request)
    compared = reviewed.api.made("/v1/proximities", {**reviewed.request, "min_leaf_rows": 5, "n_neighbors": 10})
    by_row = {row["row"]: row for row in reviewed.api.pages(f"/v1/proximities/{compared['id']}/content", 1000)}

    for listed in coarser["result"]["rows"][:3]:
        found = reviewed.api.get(f"{_PATH}/{coarser['id']}/rows/{listed['row']}").json()["neighbors"]
        expected = by_row[listed["row"]]["neighbors"]
        assert [(each["row"], each["proximity"]) for each in found] == [
            (each["row"], each["proximity"]) for each in expected
        ]


def test_decisions_are_appended_and_the_newest_is_in_force(reviewed: Reviewed) -> None:
    suspect = reviewed.suspects(0)[0]
    row = suspect["row"]
    first = reviewed.put(row, "accept", {"If-None-Match": "*"}, note="seen under a lens")
    accepted = first.json()

    assert first.status_code == 201
    assert LabelDecision.model_validate(accepted).model_dump(mode="json") == accepted
    assert (accepted["label"], accepted["new_label"]) == (suspect["label"], suspect["suggested_label"])
    assert first.headers["ETag"] == f'"{accepted["id"]}"'
    again = reviewed.put(row, "accept", {"If-None-Match": "*"}, note="seen under a lens")
    assert (again.status_code, again.json()) == (200, accepted)
    assert _refusal(reviewed.put(row, "keep", {"If-None-Match": "*"})) == (412, "precondition_failed")
    assert _refusal(reviewed.put(row, "keep", {"If-Match": '"dec_other"'})) == (412, "precondition_failed")
    kept = reviewed.put(row, "keep", {"If-Match": first.headers["ETag"]}).json()
    assert (kept["new_label"], kept["replaces"]) == (suspect["label"], accepted["id"])
    assert reviewed.api.get(f"{reviewed.path}/decisions/{row}").json() == kept
    assert reviewed.api.get(f"{reviewed.path}/rows/{row}").json()["decision"] == kept

    assert reviewed.api.delete(f"{reviewed.path}/decisions/{row}").status_code == 204

    assert reviewed.api.get(f"{reviewed.path}/rows/{row}").json()["decision"] is None
    entries = list(reviewed.api.pages(f"{reviewed.path}/decisions", 2))
    own = [entry for entry in entries if entry["row"] == row]
    assert [(each["decision"], each["is_latest"]) for each in own] == [
        ("withdrawn", True), ("keep", False), ("accept", False),
    ]  # fmt: skip
    assert reviewed.api.get(f"{reviewed.path}/decisions?row={row}").json()["data"] == own
    assert reviewed.api.get(f"{reviewed.path}/decisions?row={row}&latest=true").json()["data"] == []


def test_of_two_who_decide_at_once_one_is_refused(reviewed: Reviewed) -> None:
    row = reviewed.suspects(1)[0]["row"]

    def decide(number: int) -> int:
        return reviewed.put(row, "unsure", {"If-None-Match": "*"}, note=str(number)).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(decide, range(8)))

    assert statuses == [201, *[412] * 7]


@pytest.mark.parametrize(
    ("decision", "more", "pointer"),
    [
        ("relabel", {}, "/label"),
        ("relabel", {"label": "2"}, "/label"),
        ("keep", {"label": "1"}, "/label"),
        ("withdrawn", {}, "/decision"),
        ("keep", {"note": "x" * 501}, "/note"),
    ],
)
def test_what_cannot_be_decided_is_refused(reviewed: Reviewed, decision: str, more: Json, pointer: str) -> None:
    refused = reviewed.put(reviewed.suspects(2)[0]["row"], decision, **more)

    assert _refusal(refused) == (422, "validation_failed")
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]


def test_rows_that_were_not_audited_are_not_found(reviewed: Reviewed) -> None:
    assert _refusal(reviewed.put(569, "keep")) == (404, "not_found")
    assert _refusal(reviewed.api.get(f"{reviewed.path}/rows/569")) == (404, "not_found")
    assert _refusal(reviewed.api.get(f"{reviewed.path}/decisions/568")) == (404, "not_found")
    assert _refusal(reviewed.api.get(f"{_PATH}/lba_gone/decisions")) == (404, "not_found")
    unsuspected = next(
        row for row in reviewed.api.pages(f"{reviewed.path}/content", 1000) if not row["suggested_label"]
    )
    assert _refusal(reviewed.put(unsuspected["row"], "accept")) == (422, "validation_failed")


def test_rows_are_listed_by_labels_agreement_and_decisions(reviewed: Reviewed) -> None:
    decided = reviewed.suspects(3)[0]["row"]
    reviewed.put(decided, "keep")
    rows = list(reviewed.api.pages(f"{reviewed.path}/content", 1000))
    in_force = {each["row"] for each in reviewed.api.get(f"{reviewed.path}/decisions?latest=true").json()["data"]}
    assert decided in in_force

    def listed(query: str) -> list[Json]:
        return list(_pages(reviewed.api, f"{reviewed.path}/content?{query}", 7))

    assert listed("label=1") == [row for row in rows if row["label"] == "1"]
    assert listed("suggested_label=0&max_agreement=0.3") == [
        row for row in rows if row["suggested_label"] == "0" and row["agreement"] <= 0.3
    ]
    assert listed("decided=true") == [row for row in rows if row["row"] in in_force]
    assert listed("decided=false&suggested_label=1") == [
        row for row in rows if row["row"] not in in_force and row["suggested_label"] == "1"
    ]
    assert listed("label=nothing") == []
    refused = reviewed.api.get(f"{reviewed.path}/content?decided=true", Accept="text/csv")
    assert _refusal(refused) == (422, "validation_failed")


def _pages(api: Api, path: str, limit: int) -> Iterator[Json]:
    cursor = ""
    while True:
        page = api.get(f"{path}&limit={limit}{cursor}").json()
        yield from page["data"]
        if page["next_cursor"] is None:
            return
        assert len(page["data"]) == limit
        cursor = f"&cursor={page['next_cursor']}"


def test_answers_that_decisions_change_have_no_tag_of_what_never_changes(reviewed: Reviewed) -> None:
    row = reviewed.suspects(4)[0]["row"]

    assert "ETag" in reviewed.api.get(f"{reviewed.path}/content?label=1").headers
    for changing in ("content?decided=true", f"rows/{row}", "decisions", "decisions/counts"):
        assert "ETag" not in reviewed.api.get(f"{reviewed.path}/{changing}").headers


def test_the_export_has_the_label_of_each_row_before_and_after(reviewed: Reviewed) -> None:
    suspects = reviewed.suspects(5)
    reviewed.put(suspects[0]["row"], "accept")
    reviewed.put(suspects[1]["row"], "relabel", label=suspects[1]["suggested_label"], note="=bad()")

    export = f"{reviewed.path}/decisions/export?format="
    rows = reviewed.api.get(f"{export}json").json()["data"]
    as_parquet = pq.read_table(io.BytesIO(reviewed.api.get(f"{export}parquet").content))
    as_csv = pd.read_csv(io.BytesIO(reviewed.api.get(f"{export}csv").content))

    assert all(DecidedRow.model_validate(row) for row in rows)
    by_row = {row["row"]: row for row in rows}
    for suspect in suspects[:2]:
        assert by_row[suspect["row"]]["new_label"] == suspect["suggested_label"] != suspect["label"]
    in_force = {each["row"]: each for each in reviewed.api.get(f"{reviewed.path}/decisions?latest=true").json()["data"]}
    for row in rows:
        entry = in_force.get(row["row"])
        assert row["label"] == (entry or row)["label"]
        assert row["new_label"] == (entry["new_label"] if entry else row["label"])
        assert (row["decision"], row["note"]) == ((entry["decision"], entry["note"]) if entry else (None, None))
    assert as_parquet.column_names == list(rows[0]) == as_csv.columns.tolist()
    for name in ("row", "row_id", "label", "new_label", "decision", "note", "key"):
        assert as_parquet.column(name).to_pylist() == [row[name] for row in rows]
    assert as_csv["row"].tolist() == [row["row"] for row in rows]
    assert "'=bad()" in set(as_csv["note"])


def test_progress_counts_decisions_in_force(reviewed: Reviewed) -> None:
    counts = DecisionCounts.model_validate(reviewed.api.get(f"{reviewed.path}/decisions/counts").json())
    in_force = reviewed.api.get(f"{reviewed.path}/decisions?latest=true&limit=1000").json()["data"]

    assert counts.n_suggested == reviewed.audit["result"]["n_suggested"]
    assert counts.n_decided == len(in_force)
    by_kind = (counts.n_accepted, counts.n_kept, counts.n_relabelled, counts.n_unsure)
    expected = [sum(each["decision"] == kind for each in in_force) for kind in ("accept", "keep", "relabel", "unsure")]
    assert list(by_kind) == expected


def test_a_decided_audit_is_deleted_only_with_its_decisions(reviewed: Reviewed) -> None:
    other = reviewed.api.made(_PATH, {**reviewed.request, "min_leaf_rows": 2})
    path = f"{_PATH}/{other['id']}"
    row = other["result"]["rows"][0]["row"]
    assert reviewed.api.http.put(f"{path}/decisions/{row}", json={"decision": "unsure"}).status_code == 201

    assert _refusal(reviewed.api.delete(path)) == (409, "in_use")
    assert reviewed.api.delete(f"{path}?with_decisions=true").status_code == 204
    assert _refusal(reviewed.api.get(f"{path}/decisions")) == (404, "not_found")
    again = reviewed.api.made(_PATH, {**reviewed.request, "min_leaf_rows": 2})
    assert reviewed.api.get(f"{_PATH}/{again['id']}/decisions").json()["data"] == []


def test_to_decide_takes_the_scope_review_and_the_key_is_named(reviewed: Reviewed) -> None:
    row, keys = reviewed.suspects(8)[0]["row"], reviewed.guarded.keys
    path = f"{reviewed.path}/decisions/{row}"

    assert _refusal(reviewed.guarded.call("PUT", path, keys["write"], json={"decision": "keep"})) == (
        403, "insufficient_scope",
    )  # fmt: skip
    decided = reviewed.guarded.call("PUT", path, keys["review"], json={"decision": "keep"})

    assert decided.status_code == 201
    listed = reviewed.guarded.call("GET", "/v1/api-keys?limit=1000", keys["admin"]).json()["data"]
    assert decided.json()["key"] == next(key["id"] for key in listed if key["name"] == "review é")
