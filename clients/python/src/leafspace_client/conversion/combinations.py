"""Combinations: how each of scikit-learn's models is written, and what it makes of the answers of its members."""

from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import RFE, RFECV
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier

from .adaptive_boosting import boosted_labels, median_of_members
from .answers import Answer, Columns, Write, Writer
from .calibration import calibrated
from .cut_offs import cut_off
from .estimators import library_of
from .native_models import trees_behind_steps
from .one_vs_rest import one_vs_rest
from .sklearn_trees import BOOSTING, TREES_AND_FORESTS, boosting, forest, is_forest
from .stacking import stacked
from .targets import transformed_target
from .unwrapping import all_models
from .voting import vote

_WRITERS: dict[type, Write] = {
    **dict.fromkeys(TREES_AND_FORESTS, forest),
    **dict.fromkeys(BOOSTING, boosting),
}


def writer_of(model: Any) -> Write | None:  # an estimator
    """Return what writes a model of scikit-learn; ``None`` for those that are left to others."""
    if is_forest(model):
        return forest
    return _WRITERS.get(type(model))


def is_written(final: Any) -> bool:  # an estimator
    """Whether a model is written here: all models of trees, and combinations that have one among their members."""
    if type(final) in _CUT_OFFS:
        return True
    has_writer = is_of_trees(final) or type(final) in _WRITERS
    return has_writer and any(is_of_trees(each) for each in all_models(final))


def reads_columns_alone(final: Any) -> bool:  # an estimator
    """Whether nothing but the trees of one model reads the columns, as they are, and they split no categories."""
    if not is_of_trees(final):
        return False
    native = trees_behind_steps(final)
    return native is None or not (native.codings or native.missing)


def is_of_trees(final: Any) -> bool:  # an estimator
    """Whether a model consists of trees that are written here, not of other models."""
    return writer_of(final) in (forest, boosting) or library_of(final) in ("xgboost", "lightgbm", "catboost")


def _bagged(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add the mean of members that read some of the columns each, and may have seen some of the classes only."""
    members = list(zip(model.estimators_, model.estimators_features_, strict=True))
    answers = [writer.answer(member, _read_columns(writer, columns, model, features)) for member, features in members]
    if not hasattr(model, "classes_"):
        return Answer(_mean(writer, [each.scores for each in answers]), str)
    n_classes = len(model.classes_)
    scores = [
        _among_all_classes(writer, member, answer, n_classes)
        for (member, _), answer in zip(members, answers, strict=True)
    ]
    mean = _mean(writer, scores)
    raws = [each.raw for each in answers if each.raw is not None]
    raw = _mean(writer, raws) if len(raws) == len(answers) and hasattr(model, "decision_function") else None
    return Answer(mean, writer.highest(mean), raw)


def _read_columns(writer: Writer, columns: Columns, model: Any, features: Any) -> Columns:
    is_whole = len(features) == model.n_features_in_ and (np.asarray(features) == np.arange(len(features))).all()
    return columns if is_whole else writer.selected(columns, features)


def _among_all_classes(writer: Writer, member: Any, answer: Answer, n_classes: int) -> str:
    if not hasattr(member, "predict_proba"):
        return writer.nodes.as_double(writer.votes(answer, n_classes))
    if len(member.classes_) == n_classes:
        return answer.scores
    positions = np.zeros((len(member.classes_), n_classes))
    positions[np.arange(len(positions)), np.asarray(member.classes_, np.int64)] = 1
    return writer.nodes.add("MatMul", [answer.scores, writer.nodes.constant(positions)])


def _mean(writer: Writer, tensors: list[str]) -> str:
    # A divisor of each column: onnxruntime would fuse a single number with the product before it.
    return writer.nodes.add("Div", [writer.total(tensors), writer.nodes.constant(np.array([float(len(tensors))]))])


def _of_selected(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add the model that reads the columns that were selected by eliminating others."""
    return writer.answer(model.estimator_, writer.selected(columns, np.flatnonzero(model.support_)))


_CUT_OFFS = (FixedThresholdClassifier, TunedThresholdClassifierCV)
_WRITERS |= {
    VotingClassifier: vote,
    VotingRegressor: vote,
    BaggingClassifier: _bagged,
    BaggingRegressor: _bagged,
    AdaBoostClassifier: boosted_labels,
    AdaBoostRegressor: median_of_members,
    CalibratedClassifierCV: calibrated,
    OneVsRestClassifier: one_vs_rest,
    **dict.fromkeys(_CUT_OFFS, cut_off),
    TransformedTargetRegressor: transformed_target,
    StackingClassifier: stacked,
    StackingRegressor: stacked,
    RFE: _of_selected,
    RFECV: _of_selected,
}
