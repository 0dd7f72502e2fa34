"""DecisionRule: each score has the outcome of its band, and a rule that does not fit the model is refused."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.decision_rule import DecisionRule

_BANDS = [{"outcome": "approve", "below": 0.12}, {"outcome": "refer", "below": 0.35}, {"outcome": "decline"}]
_CLASSES = ("good", "bad")


def _declared(**changes: object) -> DecisionRule:
    rule = DecisionRule.declared({"score_of": "bad", "bands": _BANDS, **changes}, _CLASSES)
    assert rule is not None
    return rule


@pytest.mark.parametrize("n_rows", [7, 700])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_a_score_has_the_outcome_of_its_band_and_an_end_is_the_next_one_s(n_rows: int, precision: type) -> None:
    rule = _declared()
    scores: NDArray[Any] = np.resize(np.array([0, 0.11, 0.12, 0.2, 0.35, 0.349, 1], precision), n_rows)

    found = rule.find(np.stack([1 - scores, scores], axis=1))

    assert found[:7].tolist() == [0, 0, 1, 1, 2, 1, 2]
    assert found.tolist() == np.resize(found[:7], n_rows).tolist()


def test_the_next_better_outcome_is_that_of_lower_scores_unless_the_highest_are_best() -> None:
    assert [_declared().better(index) for index in range(3)] == [None, 0, 1]
    assert [_declared(best_first=False).better(index) for index in range(3)] == [1, 2, None]


def test_labels_decide_where_they_are_the_outcomes() -> None:
    bands = [{"outcome": "good", "below": 0.3}, {"outcome": "bad"}]

    rule = _declared(bands=bands, labels_decide=True)

    assert rule.of_labels(np.array([1, 0, 1]), ("bad", "good")).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("classes", "changes", "words"),
    [
        (_CLASSES, {"score_of": "worse"}, r"'worse', which is no class of the model; its classes are 'good', 'bad'"),
        (_CLASSES, {"score_of": None}, "`score_of` is missing; name the class .* one of 'good', 'bad'"),
        ((), {"score_of": "bad"}, "the model predicts a value, not a class; leave `score_of` out"),
        (_CLASSES, {"labels_decide": True}, "the outcomes must be the model's classes, which are 'good', 'bad'"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(
    classes: tuple[str, ...], changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ModelRefused, match=words):
        DecisionRule.declared({"score_of": "bad", "bands": _BANDS, **changes}, classes)


def test_ends_beyond_the_scores_are_refused() -> None:
    bands = [{"outcome": "approve", "below": 0.12}, {"outcome": "decline", "below": 12}, {"outcome": "never"}]

    with pytest.raises(ModelRefused, match=r"band 'decline' ends at 12, and the scores are from 0 to 1"):
        _declared(bands=bands).refuse_beyond(0, 1)
