"""Decisions of models: as the caller declares them, and as the cut-off of an estimator makes them."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from leafspace_client import Explanation, Invalid, Leafspace
from leafspace_client.conversion import convert_model
from leafspace_client.types import ClassPrediction, Decided, ExplainedRow, PredictionRow
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

_RANDOM = np.random.default_rng(0)
_ROWS = _RANDOM.normal(size=(200, 3))
_LABELS = np.where(_ROWS[:, 0] + _RANDOM.normal(size=200) > 0, "bad", "good")
_BANDS = {"approve": 0.3, "refer": 0.7, "decline": None}


def _forest() -> Any:  # an estimator
    return RandomForestClassifier(10, max_depth=3, random_state=0)


def _outcomes(rows: list[PredictionRow]) -> list[str]:
    return [row.decision.outcome for row in rows if isinstance(row.decision, Decided)]


def test_bands_are_declared_by_their_upper_ends(client: Leafspace) -> None:
    forest = _forest().fit(_ROWS, _LABELS)

    model = client.register_model(forest, _ROWS, decision={"score_of": "bad", "bands": _BANDS, "adverse": ["decline"]})
    again = client.register_model(forest, _ROWS, decision=model.decision)

    assert model.decision is not None
    assert {band.outcome: band.below for band in model.decision.bands} == _BANDS
    assert again.id == model.id
    rows = client.models.predict(model, _ROWS)
    scores = forest.predict_proba(_ROWS)[:, list(forest.classes_).index("bad")]
    outcomes = np.select([scores < 0.3, scores < 0.7], ["approve", "refer"], "decline")
    assert _outcomes(rows) == outcomes.tolist()


def test_lines_of_models_and_explanations_say_what_is_decided(client: Leafspace) -> None:
    model = client.register_model(
        _forest().fit(_ROWS, _LABELS), _ROWS, name="loans", decision={"score_of": "bad", "bands": _BANDS}
    )
    prototypes = client.prototype_sets.create(model, client.register_dataset(_ROWS), n_prototypes=3).wait()
    explanations = client.explainers.create(model, prototypes).explain(_ROWS[:30])

    assert repr(model) == "Model 'loans' (random forest, 10 trees, 3 features, outcomes approve/refer/decline)"
    for each in explanations:
        assert each.decision is not None
        assert f"decision {each.decision.outcome}, {each.label} (" in repr(each)
    counts = Counter(each.decision.outcome for each in explanations if each.decision)
    assert repr(explanations) == f"Explanations of 30 rows ({', '.join(f'{n} {o}' for o, n in counts.most_common())})"
    assert len(counts) == 3


def test_the_class_of_the_score_may_be_in_the_caller_s_own_type(client: Leafspace) -> None:
    forest = _forest().fit(_ROWS, _LABELS == "bad")

    model = client.register_model(forest, _ROWS, decision={"score_of": True, "bands": {"no": 0.5, "yes": None}})

    assert model.decision is not None
    assert model.decision.score_of == "true"


@pytest.mark.parametrize("pos_label", ["good", "bad"])
def test_a_fixed_cut_off_is_the_model_s_decision(client: Leafspace, pos_label: str) -> None:
    estimator = FixedThresholdClassifier(
        _forest(), threshold=0.4, pos_label=pos_label, response_method="predict_proba"
    ).fit(_ROWS, _LABELS)

    model = client.register_model(estimator, _ROWS)

    assert model.decision is not None
    assert model.decision.labels_decide
    assert model.decision.score_of == pos_label
    assert [band.below for band in model.decision.bands] == [0.4, None]
    assert model.decision.bands[1].outcome == pos_label
    rows = client.models.predict(model, _ROWS)
    assert _outcomes(rows) == estimator.predict(_ROWS).tolist()
    assert [row.prediction.label for row in rows if isinstance(row.prediction, ClassPrediction)] == estimator.predict(
        _ROWS
    ).tolist()


def test_a_tuned_cut_off_and_that_of_catboost_are_decisions() -> None:
    catboost = pytest.importorskip("catboost")
    tuned = TunedThresholdClassifierCV(_forest(), scoring="balanced_accuracy", cv=2, random_state=0)
    boosting = catboost.CatBoostClassifier(5, depth=2, verbose=False, allow_writing_files=False, random_seed=0)
    tuned.fit(_ROWS, _LABELS == "bad")
    boosting.fit(_ROWS, _LABELS)
    boosting.set_probability_threshold(0.35)

    of_tuned = convert_model(tuned, _ROWS).metadata()["decision"]
    of_boosting = convert_model(boosting, _ROWS).metadata()["decision"]

    assert of_tuned["score_of"] == "true"
    assert of_tuned["bands"][0] == {"outcome": "false", "below": tuned.best_threshold_}
    assert (of_boosting["score_of"], of_boosting["bands"][0]["below"]) == ("good", 0.35)


def test_a_model_without_a_cut_off_of_its_scores_has_no_decision() -> None:
    forest = _forest().fit(_ROWS, _LABELS)

    assert "decision" not in convert_model(forest, _ROWS).metadata()


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ({"score_of": "bad", "bands": 0.5}, "bands is float; give a mapping"),
        ({"score_of": "bad", "cut_off": 0.5}, "there is no field 'cut_off'"),
        (0.5, "cannot take decision=0.5; give a dict or a Decision"),
        ({"score_of": "worse", "bands": _BANDS}, "'worse', which is no class of the model"),
        ({"score_of": "bad", "bands": {"a": None, "b": None}}, "'a' has no end"),
        ({"score_of": "bad", "bands": {"a": 2.0, "b": None}}, "band 'a' ends at 2"),
    ],
)
def test_a_wrong_decision_is_refused_by_its_entry(client: Leafspace, decision: Any, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        client.register_model(_forest().fit(_ROWS, _LABELS), _ROWS, decision=decision)


_EXPLAINED = {
    "object": "explanation",
    "row_id": "loan-4711",
    "status": "ok",
    "summary": "The decision is refer: the score of 1 is 0.34, at least 0.3 and below 0.7.",
    "prediction": {"task": "classification", "label": "0", "scores": [{"label": "1", "value": 0.34}]},
    "warnings": [],
    "nearest_prototypes": [],
    "decision": {
        "outcome": "refer",
        "score_of": "1",
        "score": 0.34,
        "bands": [{"outcome": "approve", "below": 0.3}, {"outcome": "refer", "below": 0.7}, {"outcome": "decline"}],
    },
    "effects": {
        "of": "1",
        "scale": "log_odds",
        "score": -0.66,
        "reference": {"kind": "contrast", "row_id": "7", "outcome": "approve", "n_rows": 1, "score": -2.0},
        "features": [
            {"feature": "late", "value": 2, "reference_value": None, "effect": 1.5, "points": 0.25},
            {"feature": "insured", "value": True, "reference_value": False, "effect": -0.125, "points": -0.02},
            {"feature": "component_1", "effect": -0.03, "points": -0.005, "protected": True},
        ],
        "rest": {"n_features": 1, "effect": -0.005},
    },
}


def test_an_explanation_is_printed_with_its_bands_and_effects() -> None:
    explanation = Explanation(ExplainedRow.from_dict(_EXPLAINED), {"0": 0, "1": 1})

    assert str(explanation).splitlines()[1:] == [
        "Decision: refer, by the score of 1, 0.34 (approve below 0.3, refer below 0.7, else decline)",
        "Effects on the log-odds of 1, from row 7 (approve): -2 to -0.66",
        "   +1.5 late (2, there missing), +0.25 in probability",
        "   -0.125 insured (yes, there no), -0.02 in probability",
        "   -0.03 component_1, -0.005 in probability, protected",
        "   -0.005 1 other feature",
    ]
    for label, kind in (("approve", "outcome"), ("1", "class")):
        contrast = {"row_id": "9", "label": label, "proximity": 0.25, "shared_trees": 1, "n_trees": 4}
        printed = str(Explanation(ExplainedRow.from_dict({**_EXPLAINED, "contrasts": [contrast]})))
        assert f"Nearest prototype of another {kind}: row 9 ({label}), proximity 25%" in printed.splitlines()
    assert (explanation["decision"].score_of, explanation["effects"].of) == (1, 1)
