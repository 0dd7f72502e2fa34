"""Written models: those that are written here, as skl2onnx takes them for parts of a pipeline."""

import copy
from typing import Any

from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from .answers import Writer
from .combinations import is_of_trees, writer_of
from .double_precision import graph_labels
from .estimators import ModelInputs, predicts_classes
from .tree_operators import PostponedTrees

_ANY = None  # number of rows


class WrittenClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A fitted classifier that is written here."""

    def __init__(self, model: Any, inputs: ModelInputs) -> None:  # an estimator
        self.model, self.inputs = model, inputs


class WrittenRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A fitted regressor that is written here."""

    def __init__(self, model: Any, inputs: ModelInputs) -> None:  # an estimator
        self.model, self.inputs = model, inputs


def written_last(estimator: Any, inputs: ModelInputs) -> Any:  # an estimator
    """Return a fitted estimator whose last step is written here."""
    steps = getattr(estimator, "steps", None)
    if not steps:
        return (WrittenClassifier if predicts_classes(estimator) else WrittenRegressor)(estimator, inputs)
    changed = copy.copy(estimator)
    changed.steps = [*steps[:-1], (steps[-1][0], written_last(steps[-1][1], inputs))]
    return changed


def _shapes(operator: Any) -> None:  # skl2onnx's own
    is_classifier = isinstance(operator.raw_operator, WrittenClassifier)  # CatBoost's regressors have classes, too
    classes = operator.raw_operator.model.classes_ if is_classifier else None
    if classes is not None:
        is_text = graph_labels(classes).dtype.kind == "U"
        operator.outputs[0].type = (StringTensorType if is_text else Int64TensorType)([_ANY])
    operator.outputs[-1].type = DoubleTensorType([_ANY, 1 if classes is None else len(classes)])


def _write(scope: Any, operator: Any, container: Any) -> None:  # skl2onnx's own
    model = operator.raw_operator.model
    writer = Writer(scope, operator, container, operator.raw_operator.inputs, writer_of)
    writer.nodes.postponed = None if is_of_trees(model) else PostponedTrees()
    answer = writer.answer(model, operator.inputs)
    *label, scores = (each.full_name for each in operator.outputs)
    if label:
        labels = writer.nodes.constant(graph_labels(model.classes_))
        writer.nodes.add("Gather", [labels, answer.index()], label[0], axis=0)
    writer.nodes.add("Identity", [answer.scores], scores)
    if writer.nodes.postponed is not None:
        postponed, writer.nodes.postponed = writer.nodes.postponed, None
        postponed.add(writer.nodes)


_OPTIONS = {"zipmap": [True, False, "columns"], "nocl": [True, False]}
update_registered_converter(WrittenClassifier, "WrittenClassifier", _shapes, _write, options=_OPTIONS)
update_registered_converter(WrittenRegressor, "WrittenRegressor", _shapes, _write)
