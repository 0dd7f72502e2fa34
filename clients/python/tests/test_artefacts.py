"""Proximities, label audits and explanation sets through the SDK, against a real service."""

import asyncio
import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from leafspace_client import AsyncLeafspace, CannotWrite, Conflict, Explainer, Invalid, Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from tests.support.naive import proximity_matrix
from tests.support.serving import Service

_DATA = load_breast_cancer(as_frame=True)
_FEATURES: pd.DataFrame = _DATA.data.astype(np.float32)
_FRAME = _FEATURES.assign(key=[f"patient {row}" for row in range(len(_FEATURES))], target=_DATA.target.astype(str))
_FOREST = RandomForestClassifier(30, random_state=0).fit(_FEATURES, _DATA.target.astype(str))
_PROXIMITY = proximity_matrix(_FOREST.apply(_FEATURES.to_numpy()).astype(np.int32), np.ones(30, dtype=np.int64)) / 30


@pytest.fixture
def model(client: Leafspace) -> str:
    return client.register_model(_FOREST, _FEATURES).id


@pytest.fixture
def dataset(client: Leafspace) -> str:
    return client.register_dataset(_FRAME, target="target", row_id="key").id


@pytest.fixture
def explainer(client: Leafspace, model: str, dataset: str) -> Explainer:
    return client.explainers.create(model, client.prototype_sets.create(model, dataset, n_prototypes=4).wait())


def test_the_nearest_rows_of_every_row_come_as_a_frame(client: Leafspace, model: str, dataset: str) -> None:
    proximities = client.proximities.create(model, dataset, n_neighbors=3).wait()

    frame = proximities.to_frame()

    of_first = frame[frame["row"] == 0]
    others = np.argsort(-_PROXIMITY[0, 1:], kind="stable")[:3] + 1
    assert list(of_first["neighbor_row"]) == others.tolist()
    assert list(of_first["neighbor_row_id"]) == [f"patient {row}" for row in others]
    assert of_first["proximity"].to_numpy() == pytest.approx(_PROXIMITY[0, others])
    assert frame["row"].nunique() == proximities.result.n_rows == len(_FRAME)
    assert repr(proximities).startswith(
        f"Proximities {proximities.id} (ready, {len(_FRAME)} rows, up to 3 neighbors each"
    )


def test_what_a_job_found_is_written_to_a_file(client: Leafspace, model: str, dataset: str, tmp_path: Path) -> None:
    proximities = client.proximities.create(model, dataset, n_neighbors=3).wait()

    path = proximities.download(tmp_path / "near.parquet")

    pd.testing.assert_frame_equal(pd.read_parquet(path), proximities.to_frame(), check_dtype=False)
    assert [found.name for found in tmp_path.iterdir()] == ["near.parquet"]


def test_a_download_that_is_refused_leaves_no_file(client: Leafspace, model: str, dataset: str, tmp_path: Path) -> None:
    pending = client.proximities.create(model, dataset, n_neighbors=7)
    pending.cancel()

    with pytest.raises(Conflict, match=r"cancell|pending") as refused:
        pending.download(tmp_path / "near.csv", "csv")
    assert refused.value.code == "artefact_not_ready"
    assert list(tmp_path.iterdir()) == []


def test_labels_that_were_flipped_are_suspect_and_can_be_reviewed(client: Leafspace, tmp_path: Path) -> None:
    flipped = np.random.default_rng(0).choice(len(_FRAME), 20, replace=False)
    labels = _DATA.target.to_numpy().copy()
    labels[flipped] = 1 - labels[flipped]
    forest = RandomForestClassifier(30, min_samples_leaf=5, random_state=0).fit(_FEATURES, labels)
    dataset = client.register_dataset(_FEATURES.assign(target=labels), target="target")

    audit = client.label_audits.create(client.register_model(forest, _FEATURES), dataset).wait()

    assert len({suspect.row for suspect in audit.suspects[:20]} & set(flipped.tolist())) >= 12
    frame = audit.to_frame()
    assert frame["rank"].tolist() == list(range(1, len(_FRAME) + 1))
    assert frame["row"][0] == audit.suspects[0].row
    first, second = audit.suspects[:2]
    assert len(audit.review(first.row).neighbors) == 10
    accepted = audit.decide(first.row, "accept", note="as its neighbours")
    assert audit.decide(second.row, "relabel", label="1").new_label == "1"
    audit.withdraw(second.row)
    assert audit.review(first.row).decision == accepted
    with pytest.raises(Conflict, match="decided about row"):
        audit.decide(second.row, "keep", expected=accepted)
    assert [each.decision for each in audit.decisions(row=second.row)] == ["withdrawn", "relabel"]
    assert audit.decisions(latest=True) == [accepted]
    assert (audit.counts().n_decided, audit.counts().n_suggested) == (1, audit.result.n_suggested)
    for write in (audit.export_decisions, audit.download):
        with pytest.raises(CannotWrite, match="or name another form"):
            write(tmp_path / "labels.xlsx")
    with pytest.raises(CannotWrite, match=r"is parquet, and not \.csv; name it 'rows\.parquet', or name another form"):
        audit.download(tmp_path / "rows.csv")
    (tmp_path / "rows.parquet").mkdir()
    with pytest.raises(CannotWrite, match="cannot write"):
        audit.download(tmp_path / "rows.parquet")
    assert not list(tmp_path.glob("*.part"))
    exported = pd.read_csv(audit.export_decisions(tmp_path / "labels.csv")).set_index("row")
    assert str(exported["new_label"][first.row]) == first.suggested_label != first.label
    with pytest.raises(Conflict, match="with_decisions"):
        client.label_audits.delete(audit)
    client.label_audits.delete(audit, with_decisions=True)


def test_a_map_comes_as_a_frame_and_places_new_rows(client: Leafspace, model: str, dataset: str) -> None:
    made = client.maps.create(model, dataset, n_rows=60, n_neighbors=15, seed=1).wait()

    frame = made.to_frame()
    placed = made.place(_FEATURES.iloc[frame["row"][:3]])

    assert len(frame) == len(made.rows()) == made.result.n_rows_shown == 60
    assert 0.5 < made.trustworthiness <= 1
    assert 0 < (made.neighbors_kept or 0) <= 1
    assert [each.proximity for each in placed] == [1, 1, 1]
    assert [each.row_id for each in placed] == [str(row) for row in frame["row"][:3]]
    result = made.result
    assert repr(made).startswith(
        f"Map {made.id} (ready, 60 rows, trustworthiness {result.trustworthiness:.3f} (by chance "
        f"{result.trustworthiness_by_chance:.3f}), neighbours kept {result.neighbors_kept:.1%} (by chance "
        f"{result.neighbors_kept_by_chance:.1%})"
    )


def test_a_report_shows_what_was_named_and_is_verified(
    client: Leafspace, model: str, dataset: str, explainer: Explainer, tmp_path: Path
) -> None:
    shown_map = client.maps.create(model, dataset, n_rows=60, n_neighbors=15, seed=1).wait()

    report = client.reports.create(
        "March", explainer, map=shown_map, rows=["patient 7"], newer_dataset=dataset, note="For the committee."
    ).wait()

    html = report.save(tmp_path / "report.html").read_bytes()
    assert report.content() == html
    assert hashlib.sha256(html).hexdigest() == report.sha256
    assert all(text in html for text in (b"March", b"patient 7", b"For the committee."))
    assert report.verify().status == "same"
    assert report.drift is not None
    assert report.comparison is None
    assert (
        report.id
        == client.reports.create(
            "March", explainer, map=shown_map, rows=["patient 7"], newer_dataset=dataset, note="For the committee."
        ).id
    )


def test_a_report_is_about_rows_that_are_in_no_dataset_in_any_form(client: Leafspace, explainer: Explainer) -> None:
    frame = _FEATURES.iloc[[7, 8]]
    by_frame = client.reports.create("Two applicants", explainer, instances=frame, parts=()).wait()
    named = {"instances": frame.to_dict("records"), "instance_ids": list(frame.index)}
    assert client.reports.create("Two applicants", explainer, parts=[], **named).id == by_frame.id
    assert by_frame.details.request.instance_ids == [str(name) for name in frame.index]
    assert [part.name for part in by_frame.result.parts][2] == "rows"
    for (name, row), explained in zip(frame.iterrows(), explainer.explain(frame), strict=True):
        assert f"New row “{name}”: {explained.summary}" in by_frame.summary
        assert list(row) == list(by_frame.details.request.instances[list(frame.index).index(name)].values())
    with pytest.raises(Invalid, match="1 instance_ids for 2 rows"):
        client.reports.create("Two applicants", explainer, instances=frame, instance_ids=["one"])


def test_every_row_of_a_dataset_is_explained_as_it_is_alone(
    client: Leafspace, explainer: Explainer, dataset: str, tmp_path: Path
) -> None:
    explained = client.explanation_sets.create(explainer, dataset, n_prototypes=2).wait()

    lines = explained.download(tmp_path / "all.jsonl").read_text().splitlines()

    assert explained.result.n_rows == len(lines) == len(_FRAME)
    alone = explainer.explain(_FEATURES.iloc[7], n_prototypes=2)[0]
    in_set = json.loads(lines[7])
    assert in_set["row_id"] == "patient 7"
    assert in_set["prediction"] == alone.to_dict()["prediction"]
    assert [each["row_id"] for each in in_set["nearest_prototypes"]] == [
        each.row_id for each in alone.nearest_prototypes
    ]
    assert str(explained.explanations()[7]).splitlines()[1:] == str(alone).splitlines()[1:]


def test_a_few_rows_are_compared_at_once(client: Leafspace, model: str) -> None:
    block = client.models.proximities(model, _FEATURES.iloc[:2], _FEATURES.iloc[5:9])

    assert np.array(block.proximities) == pytest.approx(_PROXIMITY[:2, 5:9])


def test_what_is_not_ready_says_so(client: Leafspace, model: str, dataset: str) -> None:
    audit = client.label_audits.create(model, dataset, method="neighbors", n_neighbors=9)

    if audit.status == "pending":
        with pytest.raises(Conflict, match="call wait"):
            _ = audit.suspects
    assert audit.wait().suspects


def test_results_of_what_is_listed_load_when_they_are_needed(client: Leafspace, model: str, dataset: str) -> None:
    made = client.label_audits.create(model, dataset, method="neighbors", n_neighbors=9).wait()

    listed = next(each for each in client.label_audits.list() if each.id == made.id)
    unpickled = pickle.loads(pickle.dumps(made))  # noqa: S301  # our own

    assert listed.suspects == unpickled.suspects == made.suspects


def test_results_of_what_is_listed_are_awaited_by_the_async_client(service: Service, model: str, dataset: str) -> None:
    async def rules() -> tuple[str, str]:
        async with AsyncLeafspace(service.url) as client:
            made = await (await client.prototype_sets.create(model, dataset, n_prototypes=2)).wait()
            (listed,) = [each async for each in client.prototype_sets.list() if each.id == made.id]
            shown = str(listed)
            with pytest.raises(Conflict, match=r"call `await ….load\(\)`"):
                _ = listed.prototypes
            return shown, str(await listed.load())

    before, after = asyncio.run(rules())
    assert before.startswith("AsyncPrototypeSet")
    assert after.startswith("1. row ")


def test_more_neighbours_than_rows_are_refused(client: Leafspace, model: str) -> None:
    few = client.register_dataset(_FRAME.head(5), target="target", row_id="key")

    with pytest.raises(Invalid) as refused:
        client.proximities.create(model, few, n_neighbors=5)
    assert refused.value.errors[0].pointer == "/n_neighbors"


def test_coroutines_do_the_same(service: Service, model: str, dataset: str, tmp_path: Path) -> None:
    async def neighbors() -> tuple[int, Path]:
        async with AsyncLeafspace(service.url) as client:
            proximities = await (await client.proximities.create(model, dataset, n_neighbors=2)).wait()
            path = await proximities.download(tmp_path / "near.csv", "csv")
            return len(await proximities.neighbors()), path

    n_rows, path = asyncio.run(neighbors())
    assert n_rows == len(_FRAME)
    assert len(path.read_text().splitlines()) == 2 * len(_FRAME) + 1
