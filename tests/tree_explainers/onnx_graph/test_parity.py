import numpy as np
import pytest

from tests.support.models import ALL_MODELS, fitted
from tree_explainers.errors import InvalidInput, ModelRefused
from tree_explainers.onnx_graph.parity import check_parity


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
def test_small_differences_of_rounding_are_let_pass(difference: float, passes: bool) -> None:  # noqa: FBT001
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
