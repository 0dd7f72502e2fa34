"""scikit-learn's models of trees: its own written as they calculate, in double precision and divided at the end.

Those inside other models (AdaBoost, stacks of bagged forests) are left to skl2onnx and corrected as they enter the
graph: skl2onnx omits to which side trees send missing numbers, and hands numpy's numbers to ONNX, which refuses them.
"""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from skl2onnx.common._registration import get_converter
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from ..errors import CannotConvert
from .double_precision import Nodes, for_precision, graph_labels, joined_columns, takes_doubles, with_complement
from .tree_operators import TreeArrays, add_trees, arrays_of_trees, floor_float32

_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)
_FORESTS = (ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor)
_BAGGING = (BaggingClassifier, BaggingRegressor)
_GRADIENT = (GradientBoostingClassifier, GradientBoostingRegressor)
HISTOGRAM = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def writer_of(model: Any) -> Any:  # noqa: ANN401  # an estimator, a converter for skl2onnx or None
    """Return what writes a model of trees, or ``None`` where it is left to skl2onnx."""
    if type(model) in _TREES + _FORESTS:
        return _write_forest
    if type(model) in _BAGGING and all(type(member) in _TREES for member in model.estimators_):
        return _write_forest
    return _write_boosting if type(model) in _GRADIENT + HISTOGRAM else None


def _write_forest(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Add a tree, a forest, or trees that were bagged: the mean of their outputs."""
    nodes, model = Nodes(scope, container), operator.raw_operator
    trees, tensor, outputs = _trees_of_forest(model), _rounded_tensor(nodes, operator), _names(operator)
    labels = getattr(model, "classes_", None)
    if labels is None:
        nodes.add("Identity", [add_trees(nodes, tensor, trees, average=True)], outputs[0])
    elif len(labels) == 2:  # noqa: PLR2004  # the sum of the second's shares gives that of the first's
        sums = add_trees(nodes, tensor, replace(trees, values=trees.values[:, 1:]), average=False)
        n_trees = float(len(trees.roots))
        shares = nodes.add("Div", [with_complement(nodes, sums, n_trees), nodes.constant(n_trees)])
        nodes.add_classifier(shares, graph_labels(labels), outputs)
    else:
        nodes.add_classifier(add_trees(nodes, tensor, trees, average=True), graph_labels(labels), outputs)


def _trees_of_forest(model: Any) -> TreeArrays:  # noqa: ANN401  # an estimator
    members = getattr(model, "estimators_", [model])
    columns = getattr(model, "estimators_features_", [None] * len(members))
    n_classes = len(getattr(model, "classes_", [None]))
    arrays = arrays_of_trees([each.tree_ for each in members], columns, [_values(each, n_classes) for each in members])
    return _for_single_precision(arrays)


def _for_single_precision(trees: TreeArrays) -> TreeArrays:
    """Return trees whose thresholds decide on numbers in single precision as their own do."""
    return replace(trees, threshold=floor_float32(trees.threshold))


def _values(member: Any, n_classes: int) -> Any:  # noqa: ANN401  # an estimator, an array
    """Return the shares of all classes at a tree's nodes; a bagged tree may have seen some classes only."""
    own = member.tree_.value[:, 0, :]
    classes = getattr(member, "classes_", None)
    if classes is None or len(classes) == n_classes:
        return own
    values = np.zeros((len(own), n_classes))
    values[:, np.asarray(classes, np.int64)] = own
    return values


def _write_boosting(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Add gradient boosting, histogram-based or not: a base and all trees added up, then the link."""
    nodes, model = Nodes(scope, container), operator.raw_operator
    is_histogram = isinstance(model, HISTOGRAM)
    trees, base = _trees_of_histogram(model) if is_histogram else _trees_of_stages(model)
    if is_histogram:
        trees = for_precision(trees, operator)
    tensor = (_tensor if is_histogram else _rounded_tensor)(nodes, operator)
    sums = add_trees(nodes, tensor, trees, average=False)
    raw = nodes.add("Add", [sums, nodes.constant(np.asarray(base, np.float64).ravel())])
    scores, outputs = scores_of_sums(nodes, raw, model), _names(operator)
    if hasattr(model, "classes_"):
        nodes.add_classifier(scores, graph_labels(model.classes_), outputs)
    else:
        nodes.add("Identity", [scores], outputs[0])


def scores_of_sums(nodes: Nodes, raw: str, model: Any) -> str:  # noqa: ANN401  # an estimator
    """Add the link of gradient boosting: return the scores of all classes, or the values of a regression."""
    if not hasattr(model, "classes_"):
        return nodes.add("Exp", [raw]) if model.loss in ("poisson", "gamma") else raw
    if len(model.classes_) > 2:  # noqa: PLR2004  # one tree a stage and class
        return nodes.add("Softmax", [raw], axis=1)
    doubled = nodes.add("Add", [raw, raw]) if model.loss == "exponential" else raw
    return with_complement(nodes, nodes.add("Sigmoid", [doubled]))


def _trees_of_stages(model: Any) -> tuple[TreeArrays, Any]:  # noqa: ANN401  # an estimator, an array
    if model.init not in (None, "zero"):
        detail = f"{type(model).__name__} begins with the model init={model.init!r}, which is not converted"
        raise CannotConvert("cannot_convert", detail)
    trees = [(tree.tree_, output) for stage in model.estimators_ for output, tree in enumerate(stage)]
    values = [model.learning_rate * _in_column(tree.value[:, 0, 0], at, model) for tree, at in trees]
    arrays = arrays_of_trees([tree for tree, _ in trees], [None] * len(trees), values)
    return _for_single_precision(arrays), model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))  # noqa: SLF001


def _in_column(values: Any, output: int, model: Any) -> Any:  # noqa: ANN401  # arrays, an estimator
    stages = model._predictors if isinstance(model, HISTOGRAM) else model.estimators_  # noqa: SLF001  # has no other
    columns = np.zeros((len(values), len(stages[0])))
    columns[:, output] = values
    return columns


def _trees_of_histogram(model: Any) -> tuple[TreeArrays, Any]:  # noqa: ANN401  # an estimator, an array
    nodes = [(each.nodes, output) for stage in model._predictors for output, each in enumerate(stage)]  # noqa: SLF001
    trees = [_as_tree(each) for each, _ in nodes]
    values = [_in_column(each["value"], output, model) for each, output in nodes]
    return arrays_of_trees(trees, [None] * len(trees), values), model._baseline_prediction  # noqa: SLF001


def _as_tree(nodes: Any) -> SimpleNamespace:  # noqa: ANN401  # an array of records
    is_leaf = nodes["is_leaf"].astype(bool)
    return SimpleNamespace(
        node_count=len(nodes),
        children_left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)),
        children_right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)),
        feature=nodes["feature_idx"].astype(np.int64),
        threshold=nodes["num_threshold"],
        missing_go_to_left=nodes["missing_go_to_left"],
    )


def _tensor(nodes: Nodes, operator: Any) -> str:  # noqa: ANN401  # skl2onnx's own
    """Return what comes to the trees, in double precision."""
    return nodes.as_double(joined_columns(nodes, operator))


def _rounded_tensor(nodes: Nodes, operator: Any) -> str:  # noqa: ANN401  # skl2onnx's own
    """Return the same for trees that round it to single precision before they compare, which is their only rounding."""
    joined = joined_columns(nodes, operator)
    return nodes.as_rounded(joined) if takes_doubles(operator) else nodes.as_double(joined)


def _names(operator: Any) -> list[str]:  # noqa: ANN401  # skl2onnx's own
    return [output.full_name for output in operator.outputs]


TREE_MODELS: tuple[type, ...] = (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
_ROUTES = "nodes_missing_value_tracks_true"


class _CorrectingContainer:
    """The container that skl2onnx adds a model's nodes to; it corrects their attributes."""

    def __init__(self, container: Any, model: Any) -> None:  # noqa: ANN401  # skl2onnx's container, an estimator
        self._container = container
        self._routes = [int(side) for each in _own_trees(model) for side in each.missing_go_to_left]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever the container has
        return getattr(self._container, name)

    def add_node(self, *arguments: Any, **attributes: Any) -> Any:  # noqa: ANN401  # passed on
        """Add a node, its attributes as Python's own values."""
        plain = {name: _plain(value) for name, value in attributes.items()}
        if self._routes and _ROUTES in plain:
            plain[_ROUTES] = self._routes
        return self._container.add_node(*arguments, **plain)


def convert_trees(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Convert a model of trees by skl2onnx's own converter for it."""
    model = operator.raw_operator
    convert = get_converter(f"Sklearn{type(model).__name__}")
    convert(scope, operator, _CorrectingContainer(container, model))


def _own_trees(model: Any) -> Iterator[Any]:  # noqa: ANN401  # an estimator, its trees
    if hasattr(model, "tree_"):
        yield model.tree_
    for member in getattr(model, "estimators_", []):
        yield member.tree_


def _plain(value: Any) -> Any:  # noqa: ANN401  # any attribute
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, bool) else value
