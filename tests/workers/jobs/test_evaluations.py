"""Evaluation jobs: each figure is scikit-learn's, or a slow twin's; a planted fault is named."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_drawings.report import draw_evaluation
from leafspace_drawings.words import share
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression

from schemas.dictionaries import DictionaryRequest
from schemas.evaluations import EVALUATIONS, ClassificationEvaluation, EvaluationResult, MeasuredShare
from service.operations import artefacts, dictionaries
from service.operations.preconditions import Precondition
from storage.errors import StorageError
from tests.support import naive_evaluations as naive
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, result_of
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession, Predictions
from tree_explainers.rows import Rows
from tree_explainers.share_intervals import difference_interval, wilson_interval

_NAMES = ("age", "income", "debt", "years")
_N = 1_200
_BANDS = [{"outcome": "approve", "below": 0.3}, {"outcome": "refer", "below": 0.6}, {"outcome": "decline"}]


def _values(seed: int, n_rows: int = _N) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(n_rows, 4)).astype(np.float32)


def _labels(values: NDArray[np.float32], seed: int = 0) -> NDArray[Any]:
    """Return labels that are all but random where income is high, and clear elsewhere."""
    rng = np.random.default_rng(seed)
    points = values[:, 0] + values[:, 2] + rng.normal(0, 0.2, len(values))
    swapped = (values[:, 1] > 0.6) & (rng.random(len(values)) < 0.5)
    return np.where((points > 0) ^ swapped, "bad", "good")


def _frame(values: NDArray[np.float32], labels: Any, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(values, columns=_NAMES)
    return frame.assign(
        id=[f"row {at}" for at in range(len(values))],
        region=rng.choice(["north", "south", "west"], len(values)),
        member=rng.random(len(values)) < 0.4,
        label=labels,
    )


def _answers(model: Any, values: NDArray[np.float32]) -> Predictions:
    """Return what the model's graph predicts, in single precision as the service has it."""
    read = read_model(onnx_of(model, values), DeclaredModel(feature_names=_NAMES), ModelLimits())
    rows = Rows(_NAMES, tuple(np.asarray(column, np.float64) for column in values.T))
    return ModelSession(read.leaf_graph, read.description).predict(rows)


def _register(workshop: Workshop, model: Any, values: NDArray[np.float32], **metadata: object) -> str:
    declared = {"feature_names": list(_NAMES), "ensemble": "random_forest", **metadata}
    return workshop.register_model(onnx_of(model, values), **declared)


def _dataset(workshop: Workshop, frame: pd.DataFrame, **metadata: object) -> str:
    return workshop.register_dataset(frame, row_id="id", target="label", features=list(_NAMES), **metadata)


def _of_classes(result: EvaluationResult) -> ClassificationEvaluation:
    assert result.classification is not None
    assert result.regression is None
    return result.classification


def _drawn(workshop: Workshop, model: str, dataset: str, result: EvaluationResult) -> str:
    """Return the part of a report that shows a result."""
    views = workshop.context.models.get(model).view, workshop.context.datasets.get(dataset).view
    return draw_evaluation(result.model_dump(mode="json"), *(view.model_dump(mode="json") for view in views))


def _is_share(found: MeasuredShare, counts: Any) -> bool:
    """Return whether a share is that of flags, with Wilson's interval."""
    n_counted, n_rows = int(np.sum(counts)), len(counts)
    if not n_rows:
        return (found.share, found.n_rows, found.interval) == (None, 0, None)
    assert found.interval is not None
    expected = wilson_interval(n_counted, n_rows)
    ends = (found.interval.low, found.interval.high)
    return (found.n_counted, found.n_rows, found.share) == (n_counted, n_rows, n_counted / n_rows) and ends == expected


@dataclass(frozen=True)
class _Binary:
    model: str
    dataset: str
    frame: pd.DataFrame
    predicted: NDArray[Any]  # classes by name
    scores: NDArray[np.float64]  # of good
    is_good: NDArray[np.bool_]
    result: EvaluationResult
    workshop: Workshop


@pytest.fixture(scope="module")
def binary(workshop: Workshop) -> _Binary:
    training, rows = _values(0), _values(1)
    forest = RandomForestClassifier(20, max_depth=7, random_state=0).fit(training, _labels(training))
    frame = _frame(rows, _labels(rows, 1))
    model, dataset = _register(workshop, forest, training), _dataset(workshop, frame, held_out=True)
    made = workshop.evaluate(model=model, dataset=dataset, group_by=["region", "age", "member"])
    answers = _answers(forest, rows)
    assert answers.labels is not None
    return _Binary(
        model,
        dataset,
        frame,
        np.array(["bad", "good"])[answers.labels],
        answers.scores[:, 1].astype(np.float64),
        (frame["label"] == "good").to_numpy(),
        result_of(made),
        workshop,
    )


def test_figures_of_two_classes_are_those_of_scikit_learn(binary: _Binary) -> None:
    found, truth = _of_classes(binary.result), binary.frame["label"]
    (good,) = found.outcomes

    assert (binary.result.n_rows, binary.result.n_evaluated, binary.result.positive) == (_N, _N, "good")
    assert _is_share(found.accuracy, truth == binary.predicted)
    assert found.accuracy.share == metrics.accuracy_score(truth, binary.predicted)
    assert found.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy_score(truth, binary.predicted))
    assert found.constant_accuracy == truth.value_counts(normalize=True)[found.constant]
    assert found.log_loss is not None
    assert found.log_loss.value == pytest.approx(metrics.log_loss(truth, binary.scores), rel=1e-6)
    assert good.roc_area is not None
    assert good.roc_area.value == pytest.approx(metrics.roc_auc_score(binary.is_good, binary.scores))
    assert good.average_precision is not None
    expected = metrics.average_precision_score(binary.is_good, binary.scores)
    assert good.average_precision.value == pytest.approx(expected)
    assert good.average_precision.constant == binary.is_good.mean()
    assert good.calibration is not None
    brier = metrics.brier_score_loss(binary.is_good, binary.scores)
    assert good.calibration.brier_score.value == pytest.approx(brier)
    matrix = metrics.confusion_matrix(truth, binary.predicted, labels=["bad", "good"])
    cells = {(cell.label, cell.predicted): cell.n_rows for cell in found.confusion}
    assert [[cells[one, other] for other in ("bad", "good")] for one in ("bad", "good")] == matrix.tolist()
    for each in found.classes:
        assert _is_share(each.recall, (binary.predicted == each.label)[truth == each.label])
        assert _is_share(each.precision, (truth == each.label)[binary.predicted == each.label])


def test_points_are_on_the_curves_of_scikit_learn(binary: _Binary) -> None:
    (good,) = _of_classes(binary.result).outcomes
    false_rates, true_rates, thresholds = metrics.roc_curve(binary.is_good, binary.scores, drop_intermediate=False)
    curve = {float(at): pair for at, *pair in zip(thresholds, false_rates, true_rates, strict=True)}
    first, *others = good.points

    assert (first.cutoff, first.true_positive_rate, first.false_positive_rate) == (None, 0, 0)
    assert 100 < len(good.points) <= 200
    for point in others:
        assert point.cutoff is not None
        assert [point.false_positive_rate, point.true_positive_rate] == pytest.approx(curve[point.cutoff])
        assert point.precision == pytest.approx(binary.is_good[binary.scores >= point.cutoff].mean())
    assert (others[-1].true_positive_rate, others[-1].false_positive_rate) == (1, 1)
    assert all(one.true_positive_rate <= other.true_positive_rate for one, other in pairwise(good.points))


def test_figures_of_cutoffs_and_bins_are_those_of_the_twin(binary: _Binary) -> None:
    (good,) = _of_classes(binary.result).outcomes
    scores, is_good = binary.scores.tolist(), binary.is_good.tolist()

    (own,) = [each for each in good.cutoffs if each.source == "model"]
    assert own.cutoff == 0.5
    assert own.accuracy == _of_classes(binary.result).accuracy
    for each in good.cutoffs:
        for name, (n_counted, n_rows) in naive.rates(scores, is_good, each.cutoff).items():
            found = getattr(each, name)
            assert (found.n_counted, found.n_rows) == (n_counted, n_rows)
    assert [each.cutoff for each in good.cutoffs] == sorted({each.cutoff for each in good.cutoffs}, reverse=True)
    assert good.calibration is not None
    for bin_, rows in zip(good.calibration.bins, naive.bins(scores, 10), strict=True):
        assert _is_share(bin_.observed, binary.is_good[rows])
        assert bin_.mean_score == pytest.approx(binary.scores[rows].mean())
        assert (bin_.low, bin_.high) == (binary.scores[rows].min(), binary.scores[rows].max())


def test_groups_are_compared_with_all_other_rows(binary: _Binary) -> None:
    said, right = binary.predicted == "good", binary.predicted == binary.frame["label"].to_numpy()
    region, age, member = binary.result.groups
    frame = binary.frame

    assert (region.column, age.column, member.column) == ("region", "age", "member")
    assert (region.is_feature, age.is_feature) == (False, True)
    assert [group.text for group in region.groups] == frame["region"].value_counts().index.tolist()
    assert [(group.text, group.value) for group in member.groups] == [("no", "false"), ("yes", "true")]
    quartiles = [(group.low, group.high, group.n_rows) for group in age.groups]
    assert [n_rows for *_, n_rows in quartiles] == [300] * 4
    assert binary.result.n_comparisons == 5 * (3 + 4 + 2)
    inside = [frame["region"] == group.value for group in region.groups]
    inside += [frame["age"].between(low or 0, high or 0) for low, high, _ in quartiles]
    inside += [frame["member"] == (group.value == "true") for group in member.groups]
    for group, flags in zip([*region.groups, *age.groups, *member.groups], inside, strict=True):
        rows = flags.to_numpy()
        for found, counts, among in (
            (group.errors, ~right, np.ones(_N, np.bool_)),
            (group.true_share, binary.is_good, np.ones(_N, np.bool_)),
            (group.predicted_share, said, np.ones(_N, np.bool_)),
            (group.true_positive_rate, said, binary.is_good),
            (group.false_positive_rate, said, ~binary.is_good),
        ):
            assert found is not None
            assert _is_share(found, counts[rows & among])
            assert _is_share(found.rest, counts[~rows & among])
            one, rest = ((each.n_counted, each.n_rows) for each in (found, found.rest))
            low, high = difference_interval(one, rest, 1 - 0.05 / 45)
            assert found.difference_interval is not None
            assert (found.difference_interval.low, found.difference_interval.high) == (low, high)
            assert found.differs == (low > 0 or high < 0)
    assert "true_share" in age.groups[0].differs


def test_a_planted_fault_is_the_first_region(binary: _Binary) -> None:
    first = binary.result.regions[0]

    assert first.conditions[0].feature == "income"
    assert first.conditions[0].operator == ">"
    assert first.error_outside is not None
    assert first.interval_outside is not None
    assert first.interval_outside.high < first.interval.low
    assert 0.3 < first.error < 0.7
    assert binary.result.n_rows_checked == _N // 2
    assert first.text in binary.result.summary


def test_wrong_rows_are_all_there_the_surest_first(binary: _Binary) -> None:
    wrong = np.flatnonzero(binary.predicted != binary.frame["label"])
    sure = np.where(binary.predicted == "good", binary.scores, 1 - binary.scores)
    made = binary.workshop.evaluate(model=binary.model, dataset=binary.dataset, group_by=["region", "age", "member"])
    table = binary.workshop.table_of(EVALUATIONS, made).to_pylist()

    assert sorted(line["row"] for line in table) == wrong.tolist()
    assert binary.result.n_wrong == len(wrong)
    assert [line["score"] for line in table] == pytest.approx(sorted(sure[wrong], reverse=True), abs=1e-6)
    assert [row.model_dump() for row in binary.result.wrong_rows] == table[:100]
    for line in table:
        assert line["row_id"] == f"row {line['row']}"
        assert line["label"] == binary.frame["label"][line["row"]]
        assert line["predicted"] == binary.predicted[line["row"]]
        assert line["label_score"] == pytest.approx(1 - line["score"], abs=1e-6)


def test_which_rows_were_measured_is_said(binary: _Binary) -> None:
    frame = binary.frame.assign(label=binary.frame["label"].where(np.arange(_N) % 3 > 0, None))
    unlabelled = _dataset(binary.workshop, frame)
    result = result_of(binary.workshop.evaluate(model=binary.model, dataset=unlabelled))
    right = (binary.predicted == frame["label"])[frame["label"].notna()]

    assert binary.result.held_out
    assert "declared as held out" in binary.result.measured_on
    assert (result.held_out, result.n_rows, result.n_evaluated) == (False, _N, 800)
    assert result.measured_on == (
        "the 800 of 1,200 rows that have a label; whether the model was trained on them is not known"
    )
    assert _is_share(_of_classes(result).accuracy, right)
    assert all(row.row % 3 and row.row_id == f"row {row.row}" for row in result.wrong_rows)


def test_rows_that_were_learned_by_heart_and_few_rows_have_a_caution(workshop: Workshop) -> None:
    values = _values(3, 60)
    forest = RandomForestClassifier(30, random_state=0, bootstrap=False).fit(values, _labels(values))
    model = _register(workshop, forest, values)
    result = result_of(workshop.evaluate(model=model, dataset=_dataset(workshop, _frame(values, _labels(values)))))

    assert [caution.detail.partition(":")[0] for caution in result.cautions] == [
        "the model predicts 100.0% of these labels",
        "figures of 60 rows are uncertain",
    ]
    assert (result.n_wrong, result.wrong_rows, result.regions) == (0, [], [])


@pytest.mark.parametrize("positive", [None, "good"])
def test_what_is_decided_is_evaluated_by_bands(workshop: Workshop, positive: str | None) -> None:
    training, rows = _values(4), _values(5)
    forest = RandomForestClassifier(20, max_depth=6, random_state=0).fit(training, _labels(training))
    decision = {"score_of": "bad", "bands": _BANDS, "adverse": ["decline"]}
    model = _register(workshop, forest, training, decision=decision)
    frame = _frame(rows, _labels(rows, 1))
    dataset = _dataset(workshop, frame)
    result = result_of(workshop.evaluate(model=model, dataset=dataset, positive=positive, group_by=["region"]))
    scores = _answers(forest, rows).scores[:, 0]
    decided = np.array(["approve", "refer", "decline"])[
        np.searchsorted(np.array([0.3, 0.6], np.float32), scores, "right")
    ]
    (outcome,) = _of_classes(result).outcomes

    assert result.positive == (positive or "bad")
    assert [(band.outcome, band.low, band.below, band.is_adverse) for band in result.bands] == [
        ("approve", None, 0.3, False),
        ("refer", 0.3, 0.6, False),
        ("decline", 0.6, None, True),
    ]
    for band in result.bands:
        assert _is_share(band.rows, decided == band.outcome)
        assert band.positive is not None
        assert _is_share(band.positive, (frame["label"] == "bad")[decided == band.outcome])
    ends = [(each.outcome, each.cutoff) for each in outcome.cutoffs if each.source == "band"]
    assert ends == ([("decline", 0.6), ("refer", 0.3)] if positive is None else [])
    drawn = _drawn(workshop, model, dataset, result)
    assert all(f"<bdi>{band.outcome}</bdi></span></th>" in drawn for band in result.bands)
    for group in result.groups[0].groups:
        inside = (frame["region"] == group.value).to_numpy()
        assert [each.outcome for each in group.outcomes] == ["approve", "refer", "decline"]
        assert all(_is_share(each.rows, (decided == each.outcome)[inside]) for each in group.outcomes)


def test_three_classes_of_integers_are_each_against_the_rest_even_if_one_is_never_predicted(workshop: Workshop) -> None:
    training, rows = _values(6), _values(7, 400)
    classes = np.digitize(training[:, 0], [-0.5, 2.4])  # the last has few rows
    forest = RandomForestClassifier(10, max_depth=2, random_state=0).fit(training, classes)
    truth = np.digitize(rows[:, 0] + 0.3 * rows[:, 1], [-0.5, 1.0])
    model = _register(workshop, forest, training)
    dataset = _dataset(workshop, _frame(rows, truth))
    result = result_of(workshop.evaluate(model=model, dataset=dataset, group_by=["region"]))
    found, answers = _of_classes(result), _answers(forest, rows)

    assert answers.labels is not None
    assert 2 not in answers.labels
    assert [(each.label, each.n_predicted) for each in found.classes][2] == ("2", 0)
    assert found.classes[2].precision.share is None
    assert (result.positive, [each.outcome for each in found.outcomes]) == (None, ["0", "1", "2"])
    for index, each in enumerate(found.outcomes):
        assert each.roc_area is not None
        assert each.roc_area.value == pytest.approx(metrics.roc_auc_score(truth == index, answers.scores[:, index]))
    assert found.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy_score(truth, answers.labels))
    group = result.groups[0].groups[0]
    assert group.errors is not None
    assert group.true_share is None
    one = result_of(workshop.evaluate(model=model, dataset=dataset, positive="1", group_by=["region"]))
    assert [each.outcome for each in _of_classes(one).outcomes] == ["1"]
    assert one.groups[0].groups[0].true_share is not None


def test_rows_of_one_class_leave_open_what_separates_it(binary: _Binary) -> None:
    frame = binary.frame[binary.frame["label"] == "good"]
    dataset = _dataset(binary.workshop, frame)
    result = result_of(binary.workshop.evaluate(model=binary.model, dataset=dataset))
    (good,) = _of_classes(result).outcomes

    assert (good.roc_area, good.points) == (None, [])
    assert good.average_precision is not None
    assert (good.average_precision.value, good.average_precision.interval) == (1, None)
    assert _is_share(_of_classes(result).accuracy, binary.predicted[frame.index] == "good")
    assert "all rows have the label 'good'" in result.cautions[0].detail


def test_many_classes_are_shown_in_part(workshop: Workshop) -> None:
    values = _values(8, 1_500)
    classes = np.digitize(values[:, 0], np.quantile(values[:, 0], np.arange(1, 60) / 60))
    forest = RandomForestClassifier(5, max_depth=5, random_state=0).fit(values, classes)
    model = _register(workshop, forest, values)
    made = workshop.evaluate(model=model, dataset=_dataset(workshop, _frame(values, classes)))
    found = _of_classes(result_of(made))

    assert (found.n_classes, len(found.classes), len(found.outcomes)) == (60, 50, 10)
    assert all(len(each.points) <= 60 for each in found.outcomes)
    assert len(found.confusion) <= 400
    assert len(result_of(made).model_dump_json()) < 400_000


def test_figures_of_values_are_those_of_scikit_learn(workshop: Workshop) -> None:
    training, rows = _values(9), _values(10)
    target = rows[:, 0] + np.where(rows[:, 1] > 0.8, np.random.default_rng(0).normal(0, 3, _N), 0).astype(np.float32)
    forest = RandomForestRegressor(20, max_depth=6, random_state=0).fit(training, training[:, 0])
    frame = _frame(rows, target.astype(np.float64))
    dataset = _dataset(workshop, frame)
    made = workshop.evaluate(model=_register(workshop, forest, training), dataset=dataset, group_by=["region"])
    result = result_of(made)
    predicted, truth = _answers(forest, rows).scores[:, 0].astype(np.float64), frame["label"].to_numpy()
    found = result.regression

    assert found is not None
    assert result.classification is None
    assert found.r2 is not None
    assert found.mean_absolute_error.value == pytest.approx(metrics.mean_absolute_error(truth, predicted))
    assert found.root_mean_squared_error.value == pytest.approx(metrics.root_mean_squared_error(truth, predicted))
    assert found.r2.value == pytest.approx(metrics.r2_score(truth, predicted))
    assert found.root_mean_squared_error.constant == pytest.approx(truth.std())
    assert found.residual_quantiles == pytest.approx(np.quantile(truth - predicted, [0.05, 0.25, 0.5, 0.75, 0.95]))
    for bin_, of_bin in zip(found.bins, naive.bins(predicted.tolist(), 10), strict=True):
        assert bin_.n_rows == len(of_bin)
        assert bin_.mean_value.value == pytest.approx(truth[of_bin].mean())
        assert bin_.mean_absolute_error.value == pytest.approx(np.abs(truth - predicted)[of_bin].mean())
    for group in result.groups[0].groups:
        inside = (frame["region"] == group.value).to_numpy()
        assert group.mean_residual is not None
        assert group.mean_residual.interval is not None
        assert group.mean_residual.value == pytest.approx((truth - predicted)[inside].mean())
        assert group.mean_residual.rest == pytest.approx((truth - predicted)[~inside].mean())
        expected = naive.mean_interval((truth - predicted)[inside].tolist())
        assert (group.mean_residual.interval.low, group.mean_residual.interval.high) == pytest.approx(expected)
    assert result.regions[0].conditions[0].feature == "income"
    drawn = _drawn(workshop, made.request.model, dataset, result)
    assert all(words in drawn for words in ("R²", "mean residual", "Largest errors", result.regions[0].text))
    table = workshop.table_of(EVALUATIONS, made).to_pylist()
    assert [line["row"] for line in table] == np.argsort(-np.abs(truth - predicted), kind="stable").tolist()
    assert table[0]["residual"] == pytest.approx(table[0]["value"] - table[0]["predicted_value"])


def test_a_model_without_trees_is_evaluated(workshop: Workshop) -> None:
    values = _values(11, 300)
    labels = _labels(values)
    line = LogisticRegression().fit(values, labels)
    model = workshop.register_model(onnx_of(line, values), feature_names=list(_NAMES), oracle_only=True)
    result = result_of(workshop.evaluate(model=model, dataset=_dataset(workshop, _frame(values, labels))))

    assert _of_classes(result).accuracy.share == pytest.approx(line.score(values, labels), abs=0.01)


@pytest.mark.parametrize(
    ("request_", "pointer", "words"),
    [
        ({"positive": "ugly"}, "/positive", "the model's classes are 'bad', 'good'"),
        ({"group_by": ["region", "nowhere"]}, "/group_by/1", "no column 'nowhere'"),
        ({"group_by": ["Region"]}, "/group_by/0", "name one of its columns; did you mean 'region'?"),
        ({"group_by": ["region", "region"]}, "/group_by/1", "twice"),
        ({"group_by": ["id"]}, "/group_by/0", "no column 'id'"),
        ({"group_by": ["debt"]}, "/group_by/0", "no column 'debt'"),  # which the dictionary hides
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    binary: _Binary, request_: dict[str, Any], pointer: str, words: str
) -> None:
    words_of_dataset = DictionaryRequest.model_validate({"features": [{"name": "debt", "hidden": True}]})
    dictionaries.put_dictionary(binary.workshop.context, binary.dataset, words_of_dataset, Precondition())
    with pytest.raises(StorageError, match=words) as refused:
        binary.workshop.evaluate(model=binary.model, dataset=binary.dataset, **request_)

    assert (refused.value.code, refused.value.pointer) == ("validation_failed", pointer)


def test_a_summary_calls_classes_by_their_labels_and_says_nothing_of_most_errors(binary: _Binary) -> None:
    words = DictionaryRequest.model_validate({"outcomes": [{"name": "good", "label": "paid back"}]})
    context = binary.workshop.context
    dictionaries.put_dictionary(context, binary.dataset, words, Precondition())
    made = binary.workshop.evaluate(model=binary.model, dataset=binary.dataset)

    summary = result_of(artefacts.get_one(context, EVALUATIONS, made.id)).summary

    assert "“paid back”" in summary
    assert "“good”" not in summary
    assert "“good”" in binary.result.summary
    region = binary.result.regions[0]
    assert f"Where {region.text}, {share(region.error)} are wrong" in summary
    assert summary.endswith(f": {share(region.share_of_errors)} of all errors.")


def test_numbers_of_groups_are_written_as_they_are_read_also_where_they_are_infinite(binary: _Binary) -> None:
    workshop, frame = binary.workshop, binary.frame.head(60)
    rates = frame.assign(rate=np.tile([3.1, -np.inf, 2.0, np.inf, 0.25, 7.0], 10))

    made = workshop.evaluate(model=binary.model, dataset=_dataset(workshop, rates), group_by=["rate"])

    assert made.result is not None
    (rate,) = made.result.groups
    assert [group.value for group in rate.groups] == ["-Infinity", "0.25", "2", "3.1", "7", "Infinity"]
    assert [group.low for group in rate.groups] == [None, 0.25, 2, 3.1, 7, None]
    assert [group.text for group in rate.groups] == ["-infinity", "0.25", "2", "3.1", "7", "infinity"]
    assert [group.n_rows for group in rate.groups] == [10] * 6


def test_labels_that_are_missing_altogether_or_not_known_are_refused_by_name(binary: _Binary) -> None:
    workshop, frame = binary.workshop, binary.frame.head(50)
    without = workshop.register_dataset(frame, row_id="id", features=list(_NAMES))
    with pytest.raises(StorageError, match="has no target to evaluate on"):
        workshop.evaluate(model=binary.model, dataset=without)
    for labels, words in (
        ([None] * 50, "no row of dataset"),
        (["good"] * 49 + ["ugly"], r"row 49 \(row_id 'row 49'\) .* has the target 'ugly'"),
    ):
        made = workshop.evaluate(
            model=binary.model, dataset=_dataset(workshop, frame.assign(label=pd.Series(labels, frame.index)))
        )
        assert made.status == "failed"
        assert made.problem is not None
        assert re.search(words, made.problem.detail)
