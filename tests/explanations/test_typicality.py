"""Typicality, abstaining, warnings and contrasts in whole explanations, of real models."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explanations.effect_pieces import EffectRow, RowEffects
from explanations.effect_texts import EffectScale, EffectTexts
from explanations.explained_rows import explain_instances
from explanations.reference_cases import ReferenceCase
from explanations.sentences import Causes, summary
from explanations.shown_players import ShownPlayer
from explanations.typicality import UNKNOWN, TypicalityScale
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationList, ExplanationRequest
from schemas.identifiers import content_identifier
from storage.errors import StorageError
from tests.support import naive_contrasts
from tests.support.api import frame_of
from tests.support.models import FittedModel, fitted
from tests.support.workshop import Workshop, result_of, workshop_in

Json = dict[str, Any]

N_NEW = 40  # rows, after those of which sets are made
EVALUATED = slice(40, 90)
MODELS = ("random_forest_regression", "random_forest_multiclass", "lightgbm_multiclass")


@dataclass(frozen=True)
class Case:
    """An explainer, and how near its rows are to its prototypes by the model's own leaves."""

    warm: WarmExplainer
    fitted: FittedModel
    leaves: NDArray[np.int32]  # (n_rows, n_trees) of all rows
    proximities: NDArray[np.int64]  # (n_rows, n_prototypes)

    def explain(self, **request: object) -> list[Json]:
        """Explain the first rows, and hold the answer against the contract."""
        columns = self.fitted.rows.columns
        instances = [[float(column[row]) for column in columns] for row in range(N_NEW)]
        data = explain_instances(self.warm, ExplanationRequest.model_validate({"instances": instances, **request}))
        listed = {"object": "list", "explainer": "xpl_1", "data": data, "provenance": self.warm.provenance}
        ExplanationList.model_validate(listed)
        return data


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(tmp_path_factory.mktemp("typicality")) as workshop:
        yield workshop


def case_of(workshop: Workshop, name: str, **explainer: object) -> Case:
    made = fitted(name)
    frame = frame_of(made)
    ensemble = "boosting" if name.startswith("lightgbm") else "random_forest"
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(made.onnx, feature_names=names, ensemble=ensemble)
    prototypes = workshop.make(
        model=model,
        dataset=workshop.register_dataset(frame[N_NEW:], target="t"),
        evaluation_dataset=workshop.register_dataset(frame[EVALUATED], target="t"),
        n_prototypes=6,
        min_leaf_rows=1,
    )
    chosen = [N_NEW + prototype.row for prototype in result_of(prototypes).prototypes]
    context = workshop.context
    explainer_id = workshop.register_explainer(model=model, prototype_set=prototypes.id, **explainer)
    warm = warm_up(explainer_id, context.database, context.objects, context.sessions.get)
    leaves = made.session.run_in_chunks(made.rows).leaves
    shared = leaves[:, None, :] == leaves[chosen][None, :, :]
    return Case(warm, made, leaves, (shared * warm.index.weights.astype(np.int64)).sum(axis=2))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sampled("thirds")
def test_a_row_stands_among_the_evaluation_rows_and_is_explained_by_what_is_near_enough(
    workshop: Workshop, name: str
) -> None:
    case = case_of(workshop, name)
    best, total = case.proximities.max(axis=1), case.warm.index.total_weight
    n_without_reasons = 0
    for row, explained in enumerate(case.explain(detail="full")):
        share = (best[EVALUATED] <= best[row]).mean() if best[row] else 0
        percentile = explained["typicality"]["percentile"]
        assert percentile == floor(100 * share + 1e-9)
        level = "close" if percentile > 75 else "typical" if percentile >= 5 else "far"
        level = level if best[row] >= 0.1 * total else "far"
        assert explained["typicality"]["level"] == (level if best[row] else "none")
        assert explained["status"] == "ok"
        nearest = explained["nearest_prototypes"]
        assert ("No prototype is near it" in explained["summary"]) == (bool(nearest) and level == "far")
        for prototype in explained["nearest_prototypes"]:
            is_near = 100 * prototype["proximity"] >= 1 - 1e-9 and prototype["shared_trees"] >= 2
            assert bool(prototype["reasons"]) == is_near
            n_without_reasons += not is_near
        assert explained["nearest_prototypes"][:1] == [
            each for each in explained["nearest_prototypes"][:1] if round(each["proximity"] * total) == best[row]
        ]
    if name == "random_forest_regression":
        assert n_without_reasons > 0


def test_an_explainer_abstains_from_rows_below_its_percentile_and_still_lists_prototypes(workshop: Workshop) -> None:
    limit = 30.0
    plain, abstaining = (
        case_of(workshop, "random_forest_multiclass", abstain_below=each).explain(include=["contrast"])
        for each in (None, limit)
    )
    statuses = [each["status"] for each in abstaining]

    assert set(statuses) == {"ok", "abstained"}
    for explained, other in zip(abstaining, plain, strict=True):
        if explained["typicality"]["percentile"] >= limit:
            assert explained == other
            continue
        assert explained["status"] == "abstained"
        assert explained["summary"].endswith(" The explainer abstains below 30%.")
        without = [{**prototype, "reasons": []} for prototype in other["nearest_prototypes"]]
        assert explained["nearest_prototypes"] == without
        assert explained["prediction"] == other["prediction"]


def test_a_summary_says_how_near_the_nearest_prototype_is_and_how_many_rows_are_nearer_to_theirs() -> None:
    scale = TypicalityScale(np.arange(100, 201), "reference rows", total_weight=1000)
    nearest = {"row_id": "8", "label": "bad", "proximity": 0.03, "reasons": [{"feature": "age"}]}

    texts = [summary({"label": "bad"}, [nearest], scale.standing(each)) for each in (5, 103, 150)]
    hollow = TypicalityScale(np.arange(100, 201), "reference rows", total_weight=1501)

    far = "Predicted as bad. No prototype is near it: the nearest, row 8 (bad), has a proximity of 3%, and"
    usual = "Predicted as bad. Its nearest prototype is row 8 (bad), at a proximity of 3%;"
    others = "of the reference rows are nearer to theirs. The trees that they share ask most often about age."
    assert texts == [f"{far} nearly all {others}", f"{far} 97% {others}", f"{usual} 50% {others}"]
    assert hollow.standing(151).document["typicality"] == {"level": "typical", "percentile": 51}
    assert hollow.standing(150).document["typicality"] == {"level": "far", "percentile": 50}
    assert summary({"label": "bad"}, [nearest], hollow.standing(150)) == f"{far} 50% {others}"


def test_a_summary_does_not_say_that_no_row_is_nearer_than_one_that_shares_all_leaves() -> None:
    scale = TypicalityScale(np.arange(900, 1001), "reference rows", total_weight=1000)
    nearest = {"row_id": "8", "label": "bad", "proximity": 1.0, "reasons": []}

    text = summary({"label": "bad"}, [nearest], scale.standing(1000))

    assert text == "Predicted as bad. Its nearest prototype is row 8 (bad), at a proximity of 100%."
    assert summary({"label": "bad"}, [], scale.standing(0)) == "Predicted as bad. It shares no leaf with any prototype."


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"label": "good"}, "good"),
        ({"label": "good", "target": "good"}, "good"),
        ({"label": "good", "target": "bad"}, "predicted good, was bad"),
        ({"value": 580.154321, "target": 262.0}, "predicted 580.154, was 262"),
    ],
)
def test_a_case_is_shown_with_what_came_of_it(case: Json, words: str) -> None:
    prediction = {"label": "bad"} if "label" in case else {"value": 1.0}
    nearest = {"row_id": "8", "proximity": 0.5, "reasons": [], **case}

    text = summary(prediction, [nearest], UNKNOWN)

    assert f"row 8 ({words}), at a proximity of 50%." in text
    assert ("of another class" in text) == ("label" in case)


_BANDS = [
    {"outcome": "approve", "below": 0.2},
    {"outcome": "refer", "below": 0.6},
    {"outcome": "decline", "below": None},
]


def test_a_summary_says_decision_evidence_change_and_then_likeness() -> None:
    prediction = {"label": "refer", "decision": {"outcome": "refer", "score_of": "bad", "score": 0.31, "bands": _BANDS}}
    share = {"label": "bad", "share": 0.26, "low": 0.17, "high": 0.37}
    evidence = {"n_rows": 50, "shares": [share], "score_of": "bad", "score": 0.31, "out_of_bag": True}
    changes = {"outcome": "approve", "options": [{"changes": [{"feature": "debts", "to": 12000}]}]}
    nearest = {"row_id": "8", "label": "approve", "target": "good", "proximity": 0.5, "reasons": []}

    text = summary(prediction, [nearest], UNKNOWN, {"evidence": evidence, "changes": changes})

    assert text == (
        "The decision is refer: the score of bad is 0.31, at least 0.2 and below 0.6. Of the 50 reference rows most "
        "like it, 26% (17% to 37%) have the label bad; the model says 31%. The decision would be approve if debts were "
        "12,000. Its nearest prototype is of another outcome: row 8 (decision: approve, was good), at a proximity of "
        "50%."
    )


def _causes(case: ReferenceCase, score: float, feature: str, total: float, *classes: str) -> Causes:
    """Return the sentence of a row whose score is that of a case but for the effect of one feature."""
    scale = EffectScale("probability" if classes else "value", None)
    shown = {0: ShownPlayer({"feature": feature}, None, None, None)}
    texts = EffectTexts(scale, [case], np.array([[score]]), classes, shown=shown)
    row = EffectRow(RowEffects(0, 0, np.array([total]), [0], total), [], [], adverse=None)
    return texts.write(row, None, "nearest").causes


@pytest.mark.parametrize(
    ("score", "text"), [(0.9991, "0.999"), (0.5, "0.5"), (1.0, "1"), (0.9999996, "0.9999996"), (0.0001, "0.0001")]
)
def test_only_a_whole_difference_is_said_to_be_1(score: float, text: str) -> None:
    causes = _causes(ReferenceCase("3", "good", [], is_sure=True), 0.0, "debts", score, "bad")

    said = summary({"label": "bad"}, [], UNKNOWN, causes=causes)

    assert f"Compared with row 3 (good), its score of bad is {text} higher, mostly by debts (+{text})." in said


def test_a_row_that_is_reference_and_prototype_is_named_once() -> None:
    causes = _causes(ReferenceCase("207", None, [], is_sure=True), 208.8, "bmi", 54.3)
    nearest: list[Json] = [
        {"row_id": row_id, "value": 208.8, "proximity": 0.5, "reasons": []} for row_id in ("207", "8")
    ]

    same, other = (summary({"value": 263.1}, [each], UNKNOWN, causes=causes) for each in nearest)

    assert same == (
        "Predicted as 263.1. Compared with row 207, its value is 54 higher, mostly by bmi (+54). Its nearest prototype "
        "is that same row (208.8), at a proximity of 50%."
    )
    assert "Its nearest prototype is row 8 (208.8)" in other


def test_contrasts_are_the_nearest_prototypes_of_other_classes_and_what_would_have_to_differ(
    workshop: Workshop,
) -> None:
    case = case_of(workshop, "random_forest_multiclass")
    classes = [prototype.label for prototype in case.warm.prototypes]
    chosen = case.warm.index.leaves
    ensemble = case.fitted.read.ensemble
    few, all_of_them = case.explain(include=["contrast"]), case.explain(detail="full", n_contrasts=20)
    for row, (explained, full) in enumerate(zip(few, all_of_them, strict=True)):
        own = explained["prediction"]["label"]
        order = np.argsort(-case.proximities[row], kind="stable").tolist()
        others = list(dict.fromkeys(classes[place] for place in order if classes[place] != own))
        assert [each["label"] for each in full["contrasts"]] == others
        nearest = next(place for place in order if classes[place] == others[0])
        (contrast,) = explained["contrasts"]
        assert contrast["row_id"] == case.warm.prototypes[nearest].row_id
        assert len(contrast["differences"]) <= 5
        assert "interval" not in contrast["differences"][0]
        assert [each["text"] for each in full["contrasts"][0]["differences"]][:5] == [
            each["text"] for each in contrast["differences"]
        ]
        places = naive_contrasts.partings(ensemble, case.leaves[row], chosen[nearest])
        shares = naive_contrasts.shares_by_column(ensemble, places, [1] * ensemble.n_trees)
        assert contrast["differences"][0]["share_of_trees"] == pytest.approx(float(max(shares.values())), abs=5e-5)


def test_a_regression_has_no_contrasts(workshop: Workshop) -> None:
    assert "contrasts" not in case_of(workshop, "random_forest_regression").explain(include=["contrast"])[0]


def test_prototypes_without_other_rows_know_no_percentile_to_abstain_below(workshop: Workshop) -> None:
    made = fitted("random_forest_binary")
    frame = frame_of(made).groupby("t").head(2)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(made.onnx, feature_names=names)
    prototypes = workshop.make(model=model, dataset=workshop.register_dataset(frame, target="t"), n_prototypes=4)
    assert result_of(prototypes).n_selected == 4
    request = {"model": model, "prototype_set": prototypes.id}

    with pytest.raises(StorageError, match="has no typicality") as refusal:
        workshop.register_explainer(**request, abstain_below=5)

    assert refusal.value.pointer == "/abstain_below"
    context = workshop.context
    explainer_id = workshop.register_explainer(**request)
    others = {"rule_set": None, "approximation_tree": None, "name": None, "shown_features": "all"}
    assert explainer_id == content_identifier("explainers", {**request, **others})  # as before there was any percentile
    warm = warm_up(explainer_id, context.database, context.objects, context.sessions.get)
    instance = [float(column[9]) for column in made.rows.columns]
    (explained,) = explain_instances(warm, ExplanationRequest(instances=[instance]))
    assert "typicality" not in explained
    assert explained["summary"].startswith("Predicted as ")
