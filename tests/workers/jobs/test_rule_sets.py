"""Rule set jobs: what is printed is what predicts, by its words, in SQL and in Python, on every row of real tables."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

from explanations.rules import WarmRules
from schemas.rule_sets import RULE_SETS, RuleScores, RuleSet, RuleSetResult
from service.operations import artefacts
from service.operations.rule_sets import export_rules
from storage.errors import StorageError
from tests.support import printed_rules
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.naive import balanced_accuracy
from tests.support.naive_scores import balanced_share_alike, most_frequent
from tests.support.pipelines import PIPELINES, fitted_pipeline, rows_of_frame
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, cautions_of, result_of
from tree_explainers.rule_sets.fab import STARTS

_PIPELINES = ("scaled_and_one_hot", "imputed_categories", "one_matrix", "ordinal_categories", "missing_kept")
_MODELS = ("random_forest_multiclass", "random_forest_regression", "xgboost_binary", "lightgbm_multiclass")
# Categories and missing values that trees route themselves, values, several classes.
_FEW_MODELS = ("missing_kept", "random_forest_regression", "lightgbm_multiclass")
_FEW = {"n_restarts": 8, "max_rules": 5}
_WITHOUT_FITS = ("in_trees", "node_harvest", "decision_tree")


@dataclass(frozen=True)
class CheckedRules:
    """A rule set, the rows it was made from, the model's predictions and the targets."""

    made: RuleSet
    content: RuleSetResult
    rows: list[dict[str, Any]]
    target: NDArray[Any]
    predicted: NDArray[Any]

    @property
    def by_words(self) -> NDArray[Any]:
        """What rows get by the words of the rules."""
        return np.array([printed_rules.prediction(self.content, row) for row in self.rows])

    @property
    def holding(self) -> NDArray[np.bool_]:
        """Which rules hold for each row by their words, (n_rows, n_rules)."""
        found = [
            [
                all(printed_rules.holds(each, row, self.content) for each in rule.conditions)
                for rule in self.content.rules
            ]
            for row in self.rows
        ]
        return np.array(found, dtype=np.bool_).reshape(len(self.rows), len(self.content.rules))


def _checked(workshop: Workshop, name: str, **changes: Any) -> CheckedRules:  # any field of the request
    onnx, frame = _pipeline(name) if name in PIPELINES else _matrix(name)
    names = [column for column in frame.columns if column != "t"]
    model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
    dataset = workshop.register_dataset(frame, target="t")
    few = {} if changes.get("method") in _WITHOUT_FITS else _FEW
    made = workshop.find_rules(model=model, dataset=dataset, **(few | changes))
    assert made.status == "ready", made.problem
    content = RuleSetResult.model_validate_json(artefacts.get_result(workshop.context, RULE_SETS, made.id))
    return CheckedRules(
        made, content, _rows(frame[names]), _target(frame["t"]), _predicted(workshop, model, frame[names])
    )


def _matrix(name: str) -> tuple[bytes, pd.DataFrame]:
    model = fitted(name)
    frame = frame_of(model)
    if name.startswith("xgboost"):  # it was trained to route what is missing
        frame.loc[::3, "f7"] = np.nan
        frame.loc[::5, "f27"] = np.nan
    return model.onnx, frame


def _pipeline(name: str) -> tuple[bytes, pd.DataFrame]:
    table = PIPELINES[name]()[1]
    return fitted_pipeline(name).onnx, table.features.assign(t=table.target)


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    plain = frame.astype({name: np.float64 for name in frame.columns if frame[name].dtype != object})
    return [
        {str(name): None if _is_nan(value) else value for name, value in row.items()}
        for row in plain.to_dict("records")
    ]


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _target(column: "pd.Series[Any]") -> NDArray[Any]:
    return np.asarray(column if column.dtype.kind == "f" else column.astype(str))


def _predicted(workshop: Workshop, model: str, frame: pd.DataFrame) -> NDArray[Any]:
    session, view = workshop.context.sessions.get(model), workshop.context.models.get(model).view
    outcome = session.run_in_chunks(rows_of_frame(frame))
    return outcome.scores[:, 0].astype(np.float64) if outcome.labels is None else np.array(view.classes)[outcome.labels]


@pytest.fixture(scope="module", params=mostly_long([*_PIPELINES, *_MODELS], *_FEW_MODELS))
def checked(request: pytest.FixtureRequest, workshop: Workshop) -> CheckedRules:
    return _checked(workshop, request.param)


def test_what_is_printed_is_what_predicts_in_every_form_on_all_rows(workshop: Workshop, checked: CheckedRules) -> None:
    content, rows = checked.content, checked.rows
    texts = frozenset(name for name in rows[0] if any(isinstance(row[name], str) for row in rows))
    warm = WarmRules.of(content, list(rows[0]))
    holding = [warm.firing(list(row.values())) for row in rows]

    served = [content.rules[each[0]].prediction if each else content.default_prediction for each in holding]

    assert served == checked.by_words.tolist()
    assert printed_rules.run_sql(export_rules(workshop.context, checked.made.id, "sql"), rows, texts) == served
    assert printed_rules.run_python(export_rules(workshop.context, checked.made.id, "python"), rows) == served
    assert holding == [np.flatnonzero(each).tolist() for each in checked.holding]


def test_the_rules_are_counted_as_their_words_say(checked: CheckedRules) -> None:
    content, holding = checked.content, checked.holding
    decided = np.where(holding.any(axis=1), holding.argmax(axis=1), len(content.rules))

    assert 1 <= content.n_rules == len(content.rules) < 5
    assert [rule.rank for rule in content.rules] == list(range(1, content.n_rules + 1))
    assert content.n_conditions == sum(len(rule.conditions) for rule in content.rules)
    assert [rule.n_rows for rule in content.rules] == holding.sum(axis=0).tolist()
    assert [rule.coverage for rule in content.rules] == pytest.approx(holding.mean(axis=0).tolist())
    assert [rule.support for rule in content.rules] == np.bincount(decided, minlength=content.n_rules + 1)[:-1].tolist()
    assert content.default_support == (decided == content.n_rules).sum()
    assert content.training_evaluation.coverage == pytest.approx(holding.any(axis=1).mean())
    assert content.training_evaluation.mean_rules_per_row == pytest.approx(holding.sum(axis=1).mean())


def test_errors_are_those_of_the_printed_rules_and_of_the_model_itself(checked: CheckedRules) -> None:
    evaluation = checked.content.training_evaluation

    assert (evaluation.n_rows, evaluation.evaluated_on) == (len(checked.rows), "dataset")
    assert evaluation.measured_against == "target"
    assert evaluation.model is not None
    for scores, given in ((evaluation.as_printed, checked.by_words), (evaluation.model, checked.predicted)):
        _check(scores, given, checked)
    assert result_of(checked.made).evaluation == evaluation
    assert result_of(checked.made).cautions == checked.content.cautions
    assert evaluation.as_fitted is None  # a rule list has no regions
    assert (evaluation.as_printed.balanced_fidelity is None) == (checked.content.task == "regression")


def test_errors_stand_beside_those_of_always_the_same_prediction(checked: CheckedRules) -> None:
    constant = checked.content.training_evaluation.constant

    assert constant is not None
    if checked.content.task == "regression":
        assert (constant.prediction, constant.model_prediction) == pytest.approx(
            (checked.target.mean(), checked.predicted.mean()), rel=1e-6
        )
        assert constant.mean_squared_error == pytest.approx(np.var(checked.target), rel=1e-6)
        assert (constant.r2, constant.fidelity) == pytest.approx((0, 0), abs=1e-9)
        return
    most, most_of_model = (
        most_frequent([str(each) for each in labels]) for labels in (checked.target, checked.predicted)
    )
    assert (constant.prediction, constant.model_prediction) == (most, most_of_model)
    assert constant.error == pytest.approx(np.mean(checked.target != most))
    assert constant.balanced_error == pytest.approx(1 - 1 / len(np.unique(checked.target)))
    assert constant.fidelity == pytest.approx(np.mean(checked.predicted == most_of_model))
    assert constant.balanced_fidelity == pytest.approx(1 / len(np.unique(checked.predicted)))


def test_rules_say_that_their_figures_are_of_the_rows_that_they_were_made_from(checked: CheckedRules) -> None:
    model, said = checked.content.training_evaluation.model, cautions_of(checked.content)

    assert model is not None
    if checked.content.task == "regression":
        assert f"have an R2 of {model.r2:.3f}" in said
        assert ("memorised" in said) == ((model.r2 or 0) >= 0.95)
    else:
        share = np.mean(checked.predicted == checked.target)
        assert f"the model predicts {share:.1%} of these labels" in said
        assert ("memorised" in said) == (share >= 0.99)


def _check(scores: RuleScores, given: NDArray[Any], checked: CheckedRules) -> None:
    if checked.content.task == "regression":
        residuals = given - checked.target
        assert scores.mean_squared_error == pytest.approx(np.mean(residuals**2), rel=1e-6)
        assert scores.r2 == pytest.approx(1 - np.mean(residuals**2) / np.var(checked.target), rel=1e-6)
        from_model = 1 - np.mean((given - checked.predicted) ** 2) / np.var(checked.predicted)
        assert scores.fidelity == pytest.approx(from_model, rel=1e-6)
        assert (scores.error, scores.balanced_error) == (None, None)
    else:
        assert scores.error == pytest.approx(np.mean(given != checked.target))
        assert scores.fidelity == pytest.approx(np.mean(given == checked.predicted))
        own, others = ([str(each) for each in values] for values in (given, checked.predicted))
        assert scores.balanced_fidelity == pytest.approx(balanced_share_alike(own, others))
        known = {label: at for at, label in enumerate(checked.content.classes)}
        codes = [np.array([known[str(each)] for each in values]) for values in (given, checked.target)]
        assert scores.balanced_error == pytest.approx(1 - float(balanced_accuracy(*codes)))
        assert (scores.mean_squared_error, scores.r2) == (None, None)


def test_each_rule_says_what_the_rows_it_covers_are_predicted_as(checked: CheckedRules) -> None:
    content = checked.content
    if content.task == "regression":
        assert all(rule.precision is rule.decided_precision is None and rule.scores == [] for rule in content.rules)
        return
    is_open = np.ones(len(checked.predicted), dtype=bool)  # no earlier rule holds
    for rule, holds in zip(content.rules, checked.holding.T, strict=True):
        decided = holds if content.combination == "weighted_mean" else holds & is_open
        is_open &= ~holds
        assert rule.decided_precision == (
            pytest.approx(np.mean(checked.predicted[decided] == rule.prediction)) if decided.any() else None
        )
        assert [score.label for score in rule.scores] == content.classes
        assert sum(score.value for score in rule.scores) == pytest.approx(1)
        assert rule.precision == (
            pytest.approx(np.mean(checked.predicted[holds] == rule.prediction)) if holds.any() else None
        )


def test_rules_predict_better_than_one_answer_for_all(checked: CheckedRules) -> None:
    if checked.content.task == "regression":
        printed = checked.content.training_evaluation.as_printed
        assert printed.r2 is not None
        assert printed.r2 > 0.2
    else:
        _, counts = np.unique(checked.predicted, return_counts=True)
        assert np.mean(checked.by_words == checked.predicted) > counts.max() / len(checked.predicted)


def test_the_bound_never_falls_and_the_restarts_chosen_has_the_least_error(checked: CheckedRules) -> None:
    bounds = np.array(checked.content.lower_bounds)
    (chosen,) = (restart for restart in checked.content.restarts if restart.chosen)

    assert (np.diff(bounds) >= -1e-9 * np.abs(bounds[1:])).all()
    assert [restart.restart for restart in checked.content.restarts] == list(range(len(checked.content.restarts)))
    assert chosen.training_error == min(restart.training_error for restart in checked.content.restarts)
    assert (chosen.n_iterations, chosen.lower_bound) == (len(bounds), bounds[-1])
    assert 1 <= chosen.n_regions <= 5


@pytest.mark.long
def test_rows_held_in_single_precision_get_the_same_from_a_model_that_reads_it(workshop: Workshop) -> None:
    exact, target = load_breast_cancer(return_X_y=True)
    model = fitted("random_forest_binary")
    frame = pd.DataFrame(exact, columns=list(model.rows.names)).assign(t=target)
    single = frame.astype(dict.fromkeys(model.rows.names, np.float32))
    registered = workshop.register_model(model.onnx, feature_names=list(model.rows.names), ensemble="random_forest")

    made = workshop.find_rules(model=registered, dataset=workshop.register_dataset(frame, target="t"), n_restarts=2)

    source = export_rules(workshop.context, made.id, "python")
    as_sent, as_read = (printed_rules.run_python(source, _rows(each.drop(columns="t"))) for each in (frame, single))
    assert (frame.drop(columns="t") != single.drop(columns="t")).to_numpy().mean() > 0.5
    assert as_sent == as_read
    assert len(set(as_sent)) == 2


_OTHER_METHODS = (
    ("missing_kept", "in_trees", "first"),
    pytest.param("random_forest_regression", "in_trees", "first", marks=pytest.mark.long),
    pytest.param("missing_kept", "node_harvest", "weighted_mean", marks=pytest.mark.long),
    ("random_forest_regression", "node_harvest", "weighted_mean"),
    ("random_forest_multiclass", "decision_tree", "first"),
    pytest.param("scaled_and_one_hot", "decision_tree", "first", marks=pytest.mark.long),
)


@pytest.mark.parametrize(("name", "method", "combination"), _OTHER_METHODS)
def test_rules_of_other_methods_predict_what_is_printed(
    workshop: Workshop, name: str, method: str, combination: str
) -> None:
    checked = _checked(workshop, name, method=method, labels="target")
    content, rows = checked.content, checked.rows
    texts = frozenset(name for name in rows[0] if any(isinstance(row[name], str) for row in rows))

    by_python = printed_rules.run_python(export_rules(workshop.context, checked.made.id, "python"), rows)

    assert (content.method, content.combination) == (method, combination)
    assert printed_rules.run_sql(export_rules(workshop.context, checked.made.id, "sql"), rows, texts) == by_python
    is_values = content.task == "regression"
    words = checked.by_words.tolist()
    assert by_python == (pytest.approx(words, rel=1e-9) if is_values else words)
    _check(content.training_evaluation.as_printed, np.array(by_python), checked)
    printed, constant = content.training_evaluation.as_printed, content.training_evaluation.constant
    assert constant is not None
    assert ((printed.r2 or 0) > 0.2) if is_values else ((printed.error or 0) < 0.9 * (constant.error or 0))
    assert (content.regions, content.restarts, content.lower_bounds, content.boxes) == ([], [], [], None)
    assert [rule.n_rows for rule in content.rules] == checked.holding.sum(axis=0).tolist()


def test_methods_are_told_apart_by_their_own_settings_alone(workshop: Workshop) -> None:
    onnx, frame = _matrix("random_forest_binary")
    model = workshop.register_model(onnx, feature_names=list(frame.columns[:-1]), ensemble="random_forest")
    question = {"model": model, "dataset": workshop.register_dataset(frame, target="t"), "method": "node_harvest"}

    made = workshop.find_rules(**question)

    options = {"max_depth": 2, "n_nodes": 1000, "min_rows": 10, "max_total_weight": None}
    assert made.request.model_dump()["node_harvest"] == options
    same = {"node_harvest": {"min_rows": 10}, "seed": 5}  # nothing is drawn
    assert workshop.find_rules(**question, **same).id == made.id
    deeper = workshop.find_rules(**question, node_harvest={"max_depth": 3, "max_total_weight": 2})
    assert deeper.id != made.id
    assert sum(rule.weight or 0 for rule in result_of(deeper).rules) <= 2.001


def test_restarts_of_fab_take_starts_and_rounds_in_turn_and_other_methods_know_no_rounds(workshop: Workshop) -> None:
    onnx, frame = _matrix("random_forest_binary")
    model = workshop.register_model(onnx, feature_names=list(frame.columns[:-1]), ensemble="random_forest")
    question = {"model": model, "dataset": workshop.register_dataset(frame[:50], target="t")}

    fab, settled = (workshop.find_rules(**question, method="fab", **own) for own in ({}, {"e_step_rounds": 100}))

    assert (fab.request.n_restarts, fab.request.e_step_rounds) == (120, "in_turn")
    assert [each.start for each in result_of(fab).restarts] == list(STARTS) * 40
    fewer, more = (sum(each.n_regions for each in result_of(made).restarts) for made in (settled, fab))
    assert fewer < more
    assert workshop.find_rules(**question).request.n_restarts == 20
    with pytest.raises(StorageError, match="e_step_rounds is 1, which method rule_list does not use"):
        workshop.find_rules(**question, e_step_rounds=1)


def test_node_harvest_refuses_more_than_two_classes(workshop: Workshop) -> None:
    with pytest.raises(StorageError, match="has 3 classes") as refused:
        _checked(workshop, "random_forest_multiclass", method="node_harvest")

    assert (refused.value.code, refused.value.pointer) == ("method_not_applicable", "/method")
