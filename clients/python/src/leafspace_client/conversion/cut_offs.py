"""Cut-offs: classifiers whose label is decided by a threshold of their own, not by the highest score."""

from typing import Any

import numpy as np

from .answers import Answer, Columns, Writer
from .unwrapping import class_names

_CUT_OFFS = frozenset({"FixedThresholdClassifier", "TunedThresholdClassifierCV"})
_TWO, _HALF = 2, 0.5


def cut_off(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add a classifier whose label is that of the positive class where its score reaches the threshold."""
    inner = model.estimator_
    answer = writer.answer(inner, columns)
    positive = _positive_index(model, inner)
    by_scores = _response(model, inner) == "predict_proba"
    if by_scores:
        tensor, column = answer.scores, positive
    else:
        tensor, column = _signed(writer, answer.decision(inner), positive), 0
    threshold = _threshold(model, by_scores=by_scores)

    def index() -> str:
        reached = writer.nodes.is_reached(tensor, threshold, column=column)
        if positive == 1:
            return reached
        return writer.nodes.add("Sub", [writer.nodes.constant(np.array(1)), reached])

    return Answer(answer.scores, index, answer.raw)


def cut_off_of_scores(final: Any) -> tuple[int, float] | None:  # an estimator without steps
    """Return the index of the class whose score a cut-off compares, and the cut-off; ``None`` where there is none.

    A cut-off of raw decisions is none of scores, and neither is one of the highest score.
    """
    kinds = class_names(final)
    if not _CUT_OFFS.isdisjoint(kinds):
        inner = final.estimator_
        if _response(final, inner) != "predict_proba":
            return None
        return _positive_index(final, inner), _threshold(final, by_scores=True)
    if "CatBoostClassifier" in kinds and len(final.classes_) == _TWO:
        threshold = float(final.get_probability_threshold())
        return None if threshold == _HALF else (1, threshold)
    return None


def _positive_index(model: Any, inner: Any) -> int:  # estimators
    pos_label = _positive_label(model)
    return 1 if pos_label is None else int(np.flatnonzero(np.asarray(inner.classes_) == pos_label)[0])


def _positive_label(model: Any) -> Any:  # a label or None
    scorer = getattr(model, "_curve_scorer", None)
    return model.pos_label if scorer is None else scorer._get_pos_label()  # noqa: SLF001  # has no other


def _response(model: Any, inner: Any) -> str:  # estimators
    if model.response_method != "auto":
        return str(model.response_method)
    return "predict_proba" if hasattr(inner, "predict_proba") else "decision_function"


def _threshold(model: Any, *, by_scores: bool) -> float:  # an estimator
    if hasattr(model, "best_threshold_"):
        return float(model.best_threshold_)
    if model.threshold == "auto":
        return 0.5 if by_scores else 0.0
    return float(model.threshold)


def _signed(writer: Writer, raw: str, positive: int) -> str:
    """Return the decision function as that of the positive class."""
    return raw if positive == 1 else writer.nodes.add("Neg", [raw])
