from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import ALL_MODELS, fitted, undecided_forest
from tree_explainers.errors import InvalidInput, ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.label_index import near_ties, within_rounding
from tree_explainers.onnx_models.parity import check_parity
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows


@pytest.mark.parametrize("name", ALL_MODELS)
def test_a_models_own_library_and_the_service_agree(name: str) -> None:
    model = fitted(name)

    report = check_parity(model.session, model.rows, model.library_scores())

    assert report.n_rows == len(model.rows)
    assert report.max_difference < 1e-3


def test_a_difference_names_the_row_and_both_values() -> None:
    model = fitted("random_forest_binary")
    scores = model.library_scores()
    scores[7] = [0.25, 0.75]

    with pytest.raises(ModelRefused, match=r"Row 7, '0': the model gives .* and 0\.25 in") as caught:
        check_parity(model.session, model.rows, scores)

    assert caught.value.code == "model_parity_failed"


@pytest.mark.parametrize(("difference", "passes"), [(0.9e-4, True), (1.3e-4, False)])
def test_small_differences_of_rounding_are_let_pass(difference: float, passes: bool) -> None:
    model = fitted("random_forest_binary")
    scores = model.session.run_in_chunks(model.rows).scores.astype(np.float64)
    scores[3, 0] += difference

    if passes:
        assert check_parity(model.session, model.rows, scores).max_difference == pytest.approx(difference)
    else:
        with pytest.raises(ModelRefused):
            check_parity(model.session, model.rows, scores)


def test_classes_in_another_order_are_found_out() -> None:
    model = fitted("random_forest_multiclass")

    with pytest.raises(ModelRefused):
        check_parity(model.session, model.rows, model.library_scores()[:, ::-1])


@pytest.mark.parametrize("shape", [(0, 2), (569, 1), (568, 2)])
def test_predictions_of_another_shape_are_refused(shape: tuple[int, int]) -> None:
    model = fitted("random_forest_binary")

    with pytest.raises(InvalidInput, match="shape"):
        check_parity(model.session, model.rows, np.zeros(shape))


def _undecided() -> tuple[ModelSession, Rows, Any]:
    """Return a forest as skl2onnx writes it, rows of which some tie exactly, and the estimator."""
    model = undecided_forest()
    read = read_model(model.onnx, DeclaredModel(feature_names=model.rows.names), ModelLimits())
    return ModelSession(read.leaf_graph, read.description), model.rows, (model.estimator, model.features)


def test_labels_that_differ_where_classes_tie_are_counted_and_flagged() -> None:
    session, rows, (forest, features) = _undecided()
    scores, labels = forest.predict_proba(features), forest.predict(features).astype(str).tolist()
    outcome = session.run_in_chunks(rows)
    assert outcome.labels is not None
    differs = outcome.labels.astype(str) != np.array(labels)

    report = check_parity(session, rows, scores, labels)

    assert report.label_mismatches == differs.sum() > 0
    near = near_ties(outcome.scores, session.description)
    np.testing.assert_array_equal(near, scores[:, 0] == scores[:, 1])
    assert near[differs].all()


@pytest.mark.parametrize("n_classes", [2, 3, 60])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_alone_is_as_near_a_tie_as_among_others(n_classes: int, dtype: type) -> None:
    scores: NDArray[Any] = np.random.default_rng(n_classes).normal(size=(300, n_classes)).astype(dtype)
    scores[::3, 0] = np.nextafter(scores[::3].max(axis=1), np.float32(np.inf))
    scores[::4, 1] = scores[::4, 0]
    rounding = float(np.finfo(np.float32).eps)

    alone = [bool(within_rounding(scores[row : row + 1], rounding)[0]) for row in range(300)]

    assert alone == within_rounding(scores, rounding).tolist()
    assert 0 < sum(alone) < 300


def test_labels_that_are_none_of_the_classes_are_named() -> None:
    session, rows, (forest, features) = _undecided()

    with pytest.raises(InvalidInput, match="'maybe' is none of them"):
        check_parity(session, rows, forest.predict_proba(features), ["maybe"] * len(rows))


def test_a_label_of_another_rule_than_the_highest_score_is_refused() -> None:
    model = fitted("random_forest_binary")
    scores = model.library_scores()
    labels = np.where(scores[:, 1] >= 0.2, "1", "0").tolist()
    row = int(np.argmax((scores[:, 1] >= 0.2) & (scores[:, 1] < 0.5)))

    with pytest.raises(ModelRefused, match=rf"^Row {row}: labels differ, scores agree: .* has a cut-off") as caught:
        check_parity(model.session, model.rows, scores, labels)

    assert f"'0' (score {scores[row, 0]:.9g})" in caught.value.detail
    assert f"'1' (score {scores[row, 1]:.9g})" in caught.value.detail


def test_only_scores_in_another_order_are_said_to_be_of_classes_in_another_order() -> None:
    model = fitted("random_forest_multiclass")
    scores = model.library_scores()

    with pytest.raises(ModelRefused, match="the same in another order: declare the classes"):
        check_parity(model.session, model.rows, scores[:, ::-1])
    with pytest.raises(ModelRefused, match="objective, link, base score, number of trees"):
        check_parity(model.session, model.rows, scores / 2)
