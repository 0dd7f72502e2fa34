"""The SDK against a real service: API, worker and Redis as processes of their own."""

import asyncio
import doctest
import json
import pickle
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import (
    AsyncLeafspace,
    Conflict,
    Explainer,
    Explanation,
    Explanations,
    Invalid,
    Leafspace,
    NotFound,
    PrototypeSet,
)
from leafspace_client.explanations import WishedChanges
from leafspace_drawings import words
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression

from tests.support.models import BOOSTER_MODELS, fitted
from tests.support.patience import PATIENCE_SECONDS
from tests.support.sampling import mostly_long
from tests.support.serving import Service

_DATA = load_breast_cancer(as_frame=True)
_FEATURES: pd.DataFrame = _DATA.data
_LABELS = pd.Series(_DATA.target_names[_DATA.target], name="diagnosis")
_FOREST = RandomForestClassifier(40, random_state=0).fit(_FEATURES, _LABELS)


@pytest.fixture(scope="module")
def client(service: Service) -> Iterator[Leafspace]:
    with Leafspace(service.url) as connected:
        yield connected


@pytest.fixture(scope="module")
def prototype_set(client: Leafspace) -> PrototypeSet:
    model = client.register_model(_FOREST, _FEATURES, name="tumours")
    dataset = client.register_dataset(_FEATURES.assign(diagnosis=_LABELS), target="diagnosis")
    return client.prototype_sets.create(model, dataset, n_prototypes=4).wait(timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def explainer(client: Leafspace, prototype_set: PrototypeSet) -> Explainer:
    return client.explainers.create(prototype_set.details.request.model, prototype_set, name="tumours")


def test_a_model_is_registered_with_the_proof_that_it_predicts_the_same(client: Leafspace) -> None:
    model = client.register_model(_FOREST, _FEATURES, name="tumours")

    assert model.feature_names == list(_FEATURES.columns)
    assert model.classes == ["benign", "malignant"]
    assert (model.ensemble, model.n_trees) == ("random_forest", 40)
    assert model.parity is not None
    assert model.parity.n_rows == 100
    assert client.register_model(_FOREST, _FEATURES, name="tumours").id == model.id


@pytest.mark.parametrize("name", mostly_long(BOOSTER_MODELS, "lightgbm_multiclass"))
def test_boosters_are_registered_with_the_proof_that_they_predict_the_same(client: Leafspace, name: str) -> None:
    booster = fitted(name)

    model = client.register_model(booster.estimator, booster.features)

    assert model.ensemble == "boosting"
    assert model.parity is not None
    assert (model.parity.n_rows, model.parity.n_drawn) == (110, 40)  # of which ten hold infinite numbers


def test_a_model_that_predicts_otherwise_than_its_library_is_refused(client: Leafspace) -> None:
    swapped = RandomForestClassifier(3, random_state=0).fit(_FEATURES, _LABELS)
    swapped.predict_proba = lambda rows: _FOREST.predict_proba(rows)[:, ::-1]

    with pytest.raises(Invalid, match="Row 0") as refused:
        client.register_model(swapped, _FEATURES)
    assert refused.value.code == "model_parity_failed"


def test_data_come_back_as_they_were_sent(client: Leafspace) -> None:
    frame = pd.DataFrame({"n": [1.5, None], "c": ["007", None], "b": [True, False], "key": ["u", "v"]})

    dataset = client.register_dataset(frame, row_id="key", name="small")

    assert [(column.name, column.type_) for column in dataset.columns] == [
        ("n", "number"),
        ("c", "category"),
        ("b", "boolean"),
        ("key", "category"),
    ]
    rows = client.datasets.rows(dataset)
    assert [row.row_id for row in rows] == ["u", "v"]
    assert [[cell.value for cell in row.values][:3] for row in rows] == [[1.5, "007", True], [None, None, False]]


def test_a_prototype_set_shows_what_was_chosen(prototype_set: PrototypeSet) -> None:
    assert prototype_set.status == "ready"
    assert [prototype.rank for prototype in prototype_set.prototypes] == [1, 2, 3, 4]
    assert {prototype.label for prototype in prototype_set.prototypes} == {"benign", "malignant"}
    frame = prototype_set.to_frame()
    assert list(frame["mean radius"]) == [
        _FEATURES["mean radius"][int(prototype.row_id)] for prototype in prototype_set.prototypes
    ]


def test_as_text_a_prototype_set_prints_its_figures_beside_what_a_constant_scores(prototype_set: PrototypeSet) -> None:
    result, lines = prototype_set.result, str(prototype_set).splitlines()

    first = prototype_set.prototypes[0]
    assert lines[0].startswith(f"1. row {first.row_id} ({first.label}) represents {first.coverage.n_rows} rows (")
    assert lines[4] == (
        f"Surely {result.all_rows_certificate:.1%} of the best that 4 prototypes among all rows could reach."
    )
    assert lines[5] == (
        f"By the trees' own leaves, {result.row_coverage.share:.1%} of the rows have a proximity of at least 1% to one "
        "of them."
    )
    worst = prototype_set.criticisms[0]
    assert lines[6].startswith(
        f"Represented least: row {worst.row_id} ({worst.label}, proximity {worst.proximity:.3g}), "
    )
    assert lines[6].endswith(" and 7 more.")
    assert lines[7] == "Measured on 569 rows, the rows that it was made from:"
    assert [line.partition(":")[0].strip() for line in lines[8:12]] == [
        "nearest of 4 prototypes",
        "nearest of all rows",
        "model",
        "always 'benign'",
    ]
    assert f"accuracy {(_LABELS == 'benign').mean():.3f}, balanced accuracy 0.500, fidelity " in lines[11]
    assert lines[12:] == [f"Caution: {each.detail}; {each.remedy}." for each in result.cautions]
    assert "the model predicts 100.0% of these labels" in lines[12]


def test_prototypes_are_chosen_by_coverage_or_by_validation(client: Leafspace) -> None:
    odd = np.arange(len(_FEATURES)) % 2 == 1
    frame = _FEATURES.assign(diagnosis=_LABELS)
    model = client.register_model(_FOREST, _FEATURES, name="tumours")
    dataset, other = (client.register_dataset(frame[own], target="diagnosis") for own in (odd, ~odd))

    covering = client.prototype_sets.create(model, dataset, coverage=0.5, min_leaf_rows=20).wait(
        timeout=PATIENCE_SECONDS
    )
    validated = client.prototype_sets.create(model, dataset, n_prototypes="validate", evaluation_dataset=other).wait(
        timeout=PATIENCE_SECONDS
    )

    assert covering.result.row_coverage.share >= 0.5
    assert (covering.result.min_leaf_rows, covering.result.stopped_by.reason) == (20, "coverage")
    assert "leaves of 20 rows or more" in str(covering)
    assert len(validated.prototypes) <= validated.result.validation.best_n_prototypes <= 100
    audit = client.label_audits.create(model, dataset, min_leaf_rows="auto").wait(timeout=PATIENCE_SECONDS)
    first = audit.suspects[0]
    assert str(audit).startswith(f"1. row {first.row_id}: labelled {first.label}, suggested {first.suggested_label} (")
    wrong = audit.result.estimated_wrong
    estimated = f"about {wrong.number} ({wrong.low} to {wrong.high} with a probability of 90%)"
    labels = f"{audit.result.n_rows} rows, labels that are wrong: {estimated}"
    assert repr(audit).startswith(f"LabelAudit {audit.id} (ready, {labels}")
    assert f"Labels that are wrong, of {audit.result.n_rows}: {estimated}." in str(audit)
    assert audit.result.leaf_steps[0].min_leaf_rows == 1
    assert (
        client.proximities.create(model, dataset, min_leaf_rows=5).wait(timeout=PATIENCE_SECONDS).result.min_leaf_rows
        == 5
    )


def test_as_text_the_bound_for_all_rows_comes_first_and_classes_left_out_are_named(client: Leafspace) -> None:
    labels = pd.Series(np.where(_FEATURES["mean area"] > 1500, "huge", _LABELS), name="kind")
    model = client.register_model(RandomForestClassifier(10, random_state=0).fit(_FEATURES, labels), _FEATURES)
    dataset = client.register_dataset(_FEATURES.assign(kind=labels), target="kind")

    found = client.prototype_sets.create(model, dataset, n_prototypes=1, n_candidates=100).wait(
        timeout=PATIENCE_SECONDS
    )

    lines = str(found).splitlines()
    assert lines[1].endswith("1 prototype among all rows could reach.")
    assert lines[2].endswith("1 prototype among the 100 sampled candidates could reach.")
    assert lines[4] == "Classes without a prototype: 'huge', 'malignant'."
    assert "2 classes have no prototype" in lines[-1]
    assert repr(found).startswith(f"PrototypeSet {found.id} (ready, 1 prototype, {found.result.n_rows:,} rows, ")


def test_its_content_comes_in_three_forms(prototype_set: PrototypeSet) -> None:
    assert json.loads(prototype_set.content())["n_selected"] == 4
    assert prototype_set.content("csv").count(b"\n") >= 4
    assert prototype_set.content("parquet").startswith(b"PAR1")


def test_requested_again_a_prototype_set_is_there_at_once(client: Leafspace, prototype_set: PrototypeSet) -> None:
    request = prototype_set.details.request

    again = client.prototype_sets.create(request.model, request.dataset, n_prototypes=4)

    assert again.id == prototype_set.id
    assert again.details.reused is True
    assert again.wait().prototypes == prototype_set.prototypes


@pytest.mark.parametrize(
    "rows",
    [
        _FEATURES.iloc[:2],
        _FEATURES.iloc[:2].to_numpy(),
        _FEATURES.iloc[:2].to_dict("records"),
        _FEATURES.iloc[:2].to_numpy().tolist(),
        [_FEATURES.iloc[0], _FEATURES.iloc[1]],
    ],
    ids=["frame", "array", "dicts", "lists", "series"],
)
def test_rows_of_every_form_get_the_same_explanations(explainer: Explainer, rows: Any) -> None:
    explanations = explainer.explain(rows, ["a", "b"])

    assert [each.row_id for each in explanations] == ["a", "b"]
    for each, row in zip(explanations, (0, 1), strict=True):
        (label,) = _FOREST.predict(_FEATURES.iloc[[row]])
        assert each.is_ok
        assert each.prediction["label"] == label
        assert each.nearest_prototypes[0].proximity >= each.nearest_prototypes[-1].proximity
        assert each.proximity_reasons[0].share_of_trees > 0
    assert explanations.provenance is not None


def test_rows_are_called_by_their_index_wherever_they_appear(client: Leafspace) -> None:
    numbers = np.random.default_rng(0).permutation(569) + 1000
    rows, labels = _FEATURES.set_axis(numbers), _LABELS.set_axis(numbers)
    model = client.register_model(_FOREST, rows)
    dataset = client.register_dataset((rows, labels), target="diagnosis")
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=3).wait(timeout=PATIENCE_SECONDS).prototypes
    set_id = client.prototype_sets.create(model, dataset, n_prototypes=3)
    explainer = client.explainers.create(model, set_id)
    requested = rows.iloc[[5, 3]]

    for prototype in prototypes:
        features = {cell.name: cell.value for cell in prototype.features}
        assert prototype.row_id == str(numbers[prototype.row])
        assert features["mean radius"] == rows.loc[int(prototype.row_id), "mean radius"]
    explanations = explainer.explain(requested)
    assert [each.row_id for each in explanations] == [str(each) for each in requested.index]
    near = explanations[0].nearest_prototypes[0]
    assert f"\n1. row {near.row_id} ({near.label}), proximity {near.proximity:.0%}\n" in str(explanations[0])
    assert near.row_id in {prototype.row_id for prototype in prototypes}
    assert explainer.explain(rows.iloc[5])[0].row_id == str(numbers[5])
    assert set(explanations.to_frame()["prototype_row_id"]) <= {prototype.row_id for prototype in prototypes}
    assert [each.row_id for each in client.models.predict(model, requested)] == [str(each) for each in requested.index]
    block = client.models.proximities(model, requested, rows.head(2))
    assert [each.row_id for each in block.instances] == [str(each) for each in requested.index]
    assert [each.row_id for each in block.others] == [str(numbers[0]), str(numbers[1])]
    assert [(row.row, row.row_id) for row in client.datasets.rows(dataset, limit=2)] == [
        (0, str(numbers[0])),
        (1, str(numbers[1])),
    ]


def test_the_nearest_prototype_of_another_class_is_reported_where_it_is_requested(explainer: Explainer) -> None:
    contrasts = [
        (each.prediction["label"], contrast.label)
        for each in explainer.explain(_FEATURES, include=["contrast"])
        for contrast in each.contrasts
    ]

    assert contrasts
    assert all(predicted != other for predicted, other in contrasts)
    assert explainer.explain(_FEATURES.iloc[:1])[0].contrasts == []


def test_an_explanation_reads_well_and_becomes_a_frame(explainer: Explainer) -> None:
    explanations = explainer.explain(_FEATURES.iloc[:3], include=["values"])

    first, nearest = explanations["0"], explanations[0].nearest_prototypes[0]
    sent = first.to_dict()
    assert str(first).splitlines()[0] == f"Row 0: {sent['summary']}"
    lines = str(first).splitlines()
    begin = next(index for index, line in enumerate(lines) if line.startswith(f"1. row {nearest.row_id} "))
    assert lines[begin + 1 : begin + 6] == [
        f"   {reason['text']}" for reason in sent["nearest_prototypes"][0]["reasons"]
    ]
    score = words.brief(first.scores[first.label])
    largest = sent["effects"]["features"][0]
    assert repr(first).startswith(
        f"Explanation of row 0: malignant ({score}), {largest['feature']} {words.signed(largest['effect'])}, "
    )
    assert first["prediction"]["label"] == first.label == "malignant"
    assert len(explanations[1:]) == 2
    for wrong in ("summaries", "_explained", "to_frame"):
        with pytest.raises(KeyError):
            first[wrong]
    frame = explanations.to_frame()
    assert list(frame["row_id"]) == ["0", "1", "2"]
    assert list(frame["label"]) == [each.label for each in explanations]
    assert dict(frame[["score_benign", "score_malignant"]].iloc[0]) == {
        f"score_{label}": score for label, score in first.scores.items()
    }
    assert first.typicality is not None
    shown = frame.iloc[0]
    assert (shown["typicality_level"], shown["typicality_percentile"]) == (
        first.typicality.level,
        first.typicality.percentile,
    )
    assert (shown["prototype_row_id"], shown["prototype_label"], shown["proximity"]) == (
        nearest.row_id,
        nearest.label,
        nearest.proximity,
    )
    assert [shown[f"reason_{rank}"] for rank in range(1, 6)] == [reason.text for reason in nearest["reasons"]]
    assert (shown["summary"], shown["warnings"]) == (
        sent["summary"],
        " ".join(each["detail"] for each in sent["warnings"]),
    )
    assert first.values["mean radius"] == shown["value_mean radius"] == pytest.approx(_FEATURES["mean radius"][0])
    assert shown["prototype_value_mean radius"] == _FEATURES["mean radius"][int(nearest.row_id)]


def test_a_frame_of_reasons_has_a_row_for_each(explainer: Explainer) -> None:
    explanations = explainer.explain(_FEATURES.iloc[:3], n_reasons=2)

    frame = explanations.to_frame("reasons")

    assert frame[["row_id", "prototype_row_id", "prototype_label", "feature", "text", "share_of_trees"]].to_dict(
        "records"
    ) == [
        {
            "row_id": each.row_id,
            "prototype_row_id": near.row_id,
            "prototype_label": near.label,
            "feature": reason.feature,
            "text": reason.text,
            "share_of_trees": reason.share_of_trees,
        }
        for each in explanations
        for near in each.nearest_prototypes
        for reason in near.reasons
    ]
    assert set(frame["reason_rank"]) == {1, 2}
    for line in frame.itertuples():
        own, other = _FEATURES[line.feature][int(line.row_id)], _FEATURES[line.feature][int(line.prototype_row_id)]
        assert (line.value, line.prototype_value) == (pytest.approx(own), pytest.approx(other))


def test_examples_in_docstrings_run(client: Leafspace, explainer: Explainer) -> None:
    known = {"client": client, "explainer": explainer, "model": explainer.model, "forest": _FOREST, "X": _FEATURES}
    for documented in (Explanation, Explanations.to_frame, explainer.explain, client.models.use_labels):
        assert documented.__doc__ is not None
        examples = doctest.DocTestParser().get_doctest(documented.__doc__, dict(known), documented.__name__, None, 0)
        ended = doctest.DocTestRunner().run(examples, clear_globs=False)
        assert (ended.failed, ended.attempted > 0) == (0, True)


def test_decisions_and_effects_are_typed_printed_and_in_frames(explainer: Explainer) -> None:
    explanations = explainer.explain(_FEATURES.iloc[:3], n_reasons=2)

    frame, lines = explanations.to_frame("effects"), str(explanations[0]).splitlines()

    effects = explanations[0].effects
    assert effects is not None
    assert effects.of == explanations[0].label == "malignant"
    difference = sum(each.effect for each in effects.features) + effects.rest.effect
    assert difference == pytest.approx(effects.score - effects.reference.score, abs=1e-6)
    begin = next(index for index, line in enumerate(lines) if line.startswith("Effects on the score of malignant"))
    assert f"from row {effects.reference.row_id} (benign): {effects.reference.score:.6g} to " in lines[begin]
    assert lines[begin + 1].startswith(f"   +{effects.features[0].effect:.3g} {effects.features[0].feature} (")
    assert lines[begin + 3].endswith(f" {effects.rest.n_features} other features")
    assert lines[begin + 4].startswith("1. row ")
    sums = frame.groupby("row_id")["effect"].sum()
    for each in explanations:
        assert each.effects is not None
        assert sums[each.row_id] == pytest.approx(each.effects.score - each.effects.reference.score, abs=1e-6)
    assert frame["feature"].tolist()[:2] == [each.feature for each in effects.features]
    assert list(explanations.to_frame()["outcome"]) == [each.label for each in explanations]


def test_frames_have_the_rows_that_could_not_be_explained_too(client: Leafspace, prototype_set: PrototypeSet) -> None:
    model = prototype_set.details.request.model
    explainer = client.explainers.create(model, prototype_set, abstain_below=50)
    rows = [*_FEATURES.iloc[:100].to_numpy().tolist(), ["wide"] * 30]

    explanations = explainer.explain(rows)

    frame = explanations.to_frame()
    assert list(frame["status"]) == [each.status for each in explanations]
    assert set(frame["status"]) == {"ok", "abstained", "error"}
    assert [each.is_ok for each in explanations] == [True] * 100 + [False]
    abstained = next(each for each in explanations if each.has_abstained)
    assert (abstained.problem, abstained.proximity_reasons) == (None, [])
    assert abstained.label == frame.set_index("row_id")["label"][abstained.row_id]
    assert abstained.nearest_prototypes[0].row_id == frame.set_index("row_id")["prototype_row_id"][abstained.row_id]
    assert frame["problem_code"].iloc[-1] == "bad_feature_type"
    assert frame["problem_detail"].iloc[-1] == repr(explanations[100]).partition(": error, ")[2]
    assert set(explanations.to_frame("reasons")["row_id"]) <= set(frame["row_id"][frame["status"] == "ok"])


def _check_what_would_change(explainer: Explainer, row: pd.DataFrame) -> None:
    fixed = row.columns[0]
    wished = not explainer.explain(row)[0].label
    changes: WishedChanges = {"outcome": wished, "fixed": [fixed]}
    (explanation,) = explainer.explain(row, include=["curves", "evidence"], changes=changes)
    assert explanation.changes is not None
    outcome: object = explanation.changes.outcome
    assert outcome is wished
    for option in explanation.changes.options:
        changed = row.assign(**{part.feature: part.to for part in option.changes})
        assert explainer.explain(changed)[0].label is wished
        assert fixed not in changed.columns[(changed != row).any()]
        assert option.changes[0].text in str(explanation)
    assert explanation.evidence is not None
    assert [share.label for share in explanation.evidence.shares] == [False, True]
    assert explanation.training_rows is None
    training = explainer.explain(row, include=["training_rows"])[0].training_rows
    assert training is not None
    assert training.shares
    assert {share.label: share.share for share in training.shares} == pytest.approx(explanation.scores, abs=1e-6)
    assert {type(row.target) for row in training.rows} == {bool}
    assert explanation.curves[0].score_of is explanation.label
    begins = [float(step.from_) for step in explanation.curves[0].steps[1:] if step.from_]
    assert begins == sorted(begins)


def test_labels_are_those_that_the_estimator_predicts(client: Leafspace, service: Service) -> None:
    own = (_LABELS == "benign").to_numpy()
    forest = RandomForestClassifier(10, max_depth=3, random_state=7).fit(_FEATURES, own)
    model = client.register_model(forest, _FEATURES)
    dataset = client.register_dataset(_FEATURES.assign(y=own), target="y")
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=3).wait(timeout=PATIENCE_SECONDS)
    tree = client.approximation_trees.create(model, dataset, method="ism", max_depth=2).wait(timeout=PATIENCE_SECONDS)
    explainer = client.explainers.create(model, prototypes, approximation_tree=tree)
    rows, predicted = _FEATURES.iloc[15:25], forest.predict(_FEATURES.iloc[15:25]).tolist()

    found = explainer.explain(rows, detail="full")

    assert _typed(each.label for each in found) == _typed(predicted)
    assert _typed(each["prediction"]["label"] for each in client.models.predict(model, rows)) == _typed(predicted)
    for each, scores in zip(found, forest.predict_proba(rows), strict=True):
        assert _typed(each.scores) == _typed(forest.classes_.tolist())
        assert list(each.scores.values()) == pytest.approx(scores, abs=1e-6)
        near, others = each.nearest_prototypes[0], each.contrasts
        assert _typed([near.label]) == _typed(own[[int(near.row_id)]].tolist())
        assert _typed(other.label for other in others) == _typed(x for x in forest.classes_.tolist() if x != each.label)
        assert _typed([each.nearest_rows[0].target]) == _typed(own[[int(each.nearest_rows[0].row_id)]].tolist())
        assert each.approximation_path is not None
        assert type(each.approximation_path.leaf.prediction) is type(predicted[0])
        assert type(each.to_dict()["prediction"]["label"]) is str
    assert found.to_frame()["label"].tolist() == predicted
    searched = explainer.explain(rows, nearest_rows={"n_rows": 2, "classes": [True], "row_ids": range(500)})
    assert {near.label for each in searched for near in each.nearest_rows} == {True}
    _check_what_would_change(explainer, rows.iloc[:1])
    made = client.explanation_sets.create(explainer, client.register_dataset(rows)).wait(timeout=PATIENCE_SECONDS)
    counts = f"{len(predicted)} rows, {len(predicted)} explained"
    assert repr(made).startswith(f"ExplanationSet {made.id} (ready, {counts}")
    assert _typed(each.label for each in made.explanations()) == _typed(predicted)
    assert _typed(each.label for each in pickle.loads(pickle.dumps(explainer)).explain(rows)) == _typed(predicted)  # noqa: S301  # our own
    with Leafspace(service.url) as other:
        elsewhere = other.explainers.get(explainer.id)
        assert {type(each.label) for each in elsewhere.explain(rows)} == {str}
        with pytest.raises(Invalid, match="and those given read"):
            other.models.use_labels(model, ["yes", "no"])
        other.models.use_labels(model, forest.classes_)
        assert _typed(each.label for each in elsewhere.explain(rows)) == _typed(predicted)


def _typed(labels: Iterable[Any]) -> list[tuple[type, Any]]:
    """Return labels with their types: True equals 1."""
    return [(type(label), label) for label in labels]


def test_more_rows_than_a_call_may_hold_are_explained_in_order(explainer: Explainer) -> None:
    rows = pd.concat([_FEATURES] * 4, ignore_index=True).iloc[:2005]

    explanations = explainer.explain(rows, n_prototypes=1)

    assert [each.row_id for each in explanations] == [str(row) for row in range(2005)]
    labels = [each.prediction["label"] for each in explanations]
    assert labels == list(_FOREST.predict(rows))
    assert str(explanations).endswith("\n\n… and 1,995 more")


def test_rows_of_a_dataset_are_explained_by_their_ids(client: Leafspace, explainer: Explainer) -> None:
    named = _FEATURES.head(30).assign(loan=[f"loan-{row}" for row in range(30)])
    dataset = client.register_dataset(named, row_id="loan")

    found = explainer.explain(dataset=dataset, row_ids=["loan-7", "loan-3", "loan-99"])

    assert [each.row_id for each in found] == ["loan-7", "loan-3", "loan-99"]
    assert found[0].to_dict() == explainer.explain(_FEATURES.iloc[[7]], ["loan-7"])[0].to_dict()
    assert found[2].problem is not None
    assert found[2].problem.code == "not_found"
    for rows, of in ((_FEATURES, {"dataset": dataset}), (None, {"row_ids": ["loan-7"]}), (None, {"dataset": dataset})):
        with pytest.raises(Invalid, match=r"either rows, or a dataset.* explain\(dataset=loans, row_ids="):
            explainer.explain(rows, **of)


def test_a_call_of_which_every_row_failed_is_an_error(explainer: Explainer) -> None:
    bad, good = ["wide"] * 30, _FEATURES.iloc[0].tolist()

    with pytest.raises(Invalid) as failed:
        explainer.explain([bad, bad])
    in_several_calls = explainer.explain([bad] * 1000 + [good])

    assert failed.value.code == "every_row_failed"
    assert [(each.pointer, each.code) for each in failed.value.errors] == [
        ("/instances/0", "bad_feature_type"),
        ("/instances/1", "bad_feature_type"),
    ]
    assert [each.is_ok for each in in_several_calls] == [False] * 1000 + [True]


def test_a_bad_row_fails_alone_and_says_why(explainer: Explainer) -> None:
    rows = _FEATURES.iloc[:2].to_numpy().tolist()
    rows[0][0] = "wide"

    bad, good = explainer.explain(rows)

    assert not bad.is_ok
    assert bad.problem is not None
    assert bad.problem.code == "bad_feature_type"
    assert str(bad) == f"Row 0: {bad.problem.detail}"
    with pytest.raises(Invalid, match="mean radius"):
        _ = bad.prediction
    assert good.is_ok


def test_missing_values_are_sent_as_such(explainer: Explainer) -> None:
    rows = _FEATURES.iloc[:1].assign(**{"mean radius": np.nan})

    (explanation,) = explainer.explain(rows, include=["values"])

    assert explanation.values["mean radius"] is None


def test_models_predict_and_show_their_trees(client: Leafspace) -> None:
    model = client.register_model(_FOREST, _FEATURES, name="tumours")

    rows = client.models.predict(model, _FEATURES.iloc[:2], include=["leaves"])

    documents = [row.to_dict() for row in rows]
    assert [each["prediction"]["label"] for each in documents] == list(_FOREST.predict(_FEATURES.iloc[:2]))
    assert [len(each["leaves"]) for each in documents] == [40, 40]
    assert client.models.tree(model, 3).nodes[0].feature in _FEATURES.columns
    assert all(len(repr(each)) < 250 for each in (model, rows[0], client.models.tree(model, 3)))


def test_a_regression_is_explained_by_values(client: Leafspace) -> None:
    features, target = load_diabetes(return_X_y=True, as_frame=True)
    boosting = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(features, target)
    model = client.register_model(boosting, features)
    dataset = client.register_dataset((features, target))
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=3).wait(timeout=PATIENCE_SECONDS)

    (explanation,) = client.explainers.create(model, prototypes).explain(features.iloc[:1])

    assert explanation.prediction["value"] == pytest.approx(boosting.predict(features.iloc[:1])[0], rel=1e-4)
    assert explanation.contrasts == []
    assert (explanation.label, explanation.scores) == (None, {})
    shown = explanation.to_frame().iloc[0]
    assert shown["value"] == explanation.value == explanation.prediction["value"]
    assert shown["prototype_value"] == explanation.nearest_prototypes[0].value
    assert f"1. row {shown['prototype_row_id']} (predicted {shown['prototype_value']:.6g}, was " in str(explanation)


def test_what_is_in_use_cannot_be_deleted_and_what_is_free_can(client: Leafspace) -> None:
    name = uuid.uuid4().hex
    model = client.register_model(_FOREST, _FEATURES, name=name)
    dataset = client.register_dataset(_FEATURES, name=name)
    prototypes = client.prototype_sets.create(model, dataset, n_prototypes=2).wait(timeout=PATIENCE_SECONDS)
    explainer = client.explainers.create(model, prototypes)

    with pytest.raises(Conflict):
        client.models.delete(model)
    assert explainer.id in [each.id for each in client.explainers.list()]
    for collection, thing in (
        (client.explainers, explainer),
        (client.prototype_sets, prototypes),
        (client.datasets, dataset),
        (client.models, model),
    ):
        collection.delete(thing)
        with pytest.raises(NotFound):
            collection.get(thing)


@pytest.mark.parametrize(
    ("model", "code"),
    [
        (pickle.dumps({"a": 1}), "model_not_onnx"),
        (b"", "model_empty"),
        (LinearRegression().fit(_FEATURES, np.arange(len(_FEATURES))), "model_not_a_tree_ensemble"),
    ],
)
def test_what_is_no_tree_ensemble_is_refused_with_its_code(client: Leafspace, model: Any, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        client.register_model(model)

    assert refused.value.code == code
    assert refused.value.request_id


def test_a_request_for_what_cannot_be_says_which_field_to_mend(client: Leafspace) -> None:
    model = client.register_model(_FOREST, _FEATURES, name="tumours")
    dataset = client.register_dataset(_FEATURES)

    with pytest.raises(Invalid) as refused:
        client.prototype_sets.create(model, dataset, n_prototypes=0)
    assert {error.pointer for error in refused.value.errors} == {"/n_prototypes"}


async def _whole_way(url: str) -> tuple[str | None, int]:
    async with AsyncLeafspace(url) as client:
        model, dataset = await asyncio.gather(
            client.register_model(_FOREST, _FEATURES, name="tumours"), client.register_dataset(_FEATURES)
        )
        requested = await client.prototype_sets.create(model, dataset, n_prototypes=3)
        prototypes = await requested.wait(timeout=PATIENCE_SECONDS)
        explainer = await client.explainers.create(model, prototypes)
        explanations = await explainer.explain(_FEATURES.iloc[:1])
        n_jobs = len([job async for job in client.jobs.list()])
        return explanations[0].prediction["label"], n_jobs


def test_the_async_client_does_the_same(service: Service) -> None:
    label, n_jobs = asyncio.run(_whole_way(service.url))

    assert label == _FOREST.predict(_FEATURES.iloc[:1])[0]
    assert n_jobs > 0


def test_a_file_of_csv_is_read_as_it_is_declared(client: Leafspace, tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_text("zip\tn\n01234\t?\n00001\t-999.0\n99999\t2\n")

    plain = client.register_dataset(tmp_path / "rows.tsv")
    read = client.register_dataset(
        tmp_path / "rows.tsv", categories=["zip"], missing_values=["?", -999], separator="\t"
    )

    assert [column.type_ for column in plain.columns] == ["number", "category"]
    assert [(column.type_, column.n_missing) for column in read.columns] == [("category", 0), ("number", 2)]
