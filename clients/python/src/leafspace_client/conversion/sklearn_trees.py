"""scikit-learn's models of trees, written as they calculate: in double precision, and divided at the end."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
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
from .answers import Answer, Columns, Writer
from .double_precision import Nodes, for_precision, with_complement
from .tree_operators import TreeArrays, add_trees, arrays_of_trees, floor_float32

_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor)
TREES_AND_FORESTS = (*_TREES, ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor)
_BAGGING = (BaggingClassifier, BaggingRegressor)
HISTOGRAM = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)
BOOSTING = (GradientBoostingClassifier, GradientBoostingRegressor, *HISTOGRAM)


def is_forest(model: Any) -> bool:  # an estimator
    """Whether a model averages trees: a tree, a forest, or trees that were bagged."""
    if type(model) in TREES_AND_FORESTS:
        return True
    return type(model) in _BAGGING and all(type(member) in _TREES for member in model.estimators_)


def forest(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add a tree, a forest, or trees that were bagged: the mean of their outputs."""
    nodes, trees, tensor = writer.nodes, _trees_of_forest(model), writer.tensor(columns, rounds=True)
    if len(getattr(model, "classes_", ())) != 2:
        scores = add_trees(nodes, tensor, trees, average=True)
    else:  # the sum of the second's shares gives that of the first's
        sums = add_trees(nodes, tensor, replace(trees, values=trees.values[:, 1:]), average=False)
        n_trees = float(len(trees.roots))
        scores = nodes.add("Div", [with_complement(nodes, sums, n_trees), nodes.constant(n_trees)])
    return Answer(scores, writer.highest(scores))


def _trees_of_forest(model: Any) -> TreeArrays:  # an estimator
    members = getattr(model, "estimators_", [model])
    columns = getattr(model, "estimators_features_", [None] * len(members))
    n_classes = len(getattr(model, "classes_", [None]))
    arrays = arrays_of_trees([each.tree_ for each in members], columns, [_values(each, n_classes) for each in members])
    return _for_single_precision(arrays)


def _for_single_precision(trees: TreeArrays) -> TreeArrays:
    """Return trees whose thresholds decide on numbers in single precision as their own do."""
    return replace(trees, threshold=floor_float32(trees.threshold))


def _values(member: Any, n_classes: int) -> Any:  # an estimator, an array
    """Return the shares of all classes at a tree's nodes; a bagged tree may have seen some classes only."""
    own = member.tree_.value[:, 0, :]
    classes = getattr(member, "classes_", None)
    if classes is None or len(classes) == n_classes:
        return own
    values = np.zeros((len(own), n_classes))
    values[:, np.asarray(classes, np.int64)] = own
    return values


def boosting(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add gradient boosting, histogram-based or not: a base and all trees added up, then the link.

    Of two classes the first of them decides by its own rule: a sum of 0 is the second class, for the other the first.
    """
    nodes, is_histogram = writer.nodes, isinstance(model, HISTOGRAM)
    native = writer.native(model, columns)  # where it splits categories
    if native is not None:
        trees, base, tensor = native.trees, native.base, writer.coded(columns, native)
    else:
        trees, base = _trees_of_histogram(model) if is_histogram else _trees_of_stages(model)
        tensor = writer.tensor(columns, rounds=not is_histogram)
    if is_histogram:
        trees = for_precision(trees, takes_doubles=writer.takes_doubles(columns))
    sums = add_trees(nodes, tensor, trees, average=False)
    raw = nodes.add("Add", [sums, nodes.constant(np.asarray(base, np.float64).ravel())])
    scores = scores_of_sums(nodes, raw, model)
    if len(getattr(model, "classes_", ())) != 2:
        return Answer(scores, writer.highest(raw), raw)
    return Answer(scores, lambda: nodes.is_reached(raw, 0.0, column=0, is_strict=is_histogram), raw)


def scores_of_sums(nodes: Nodes, raw: str, model: Any) -> str:  # an estimator
    """Add the link of gradient boosting: return the scores of all classes, or the values of a regression."""
    if not hasattr(model, "classes_"):
        return nodes.add("Exp", [raw]) if model.loss in ("poisson", "gamma") else raw
    if len(model.classes_) > 2:  # one tree a stage and class
        return nodes.add("Softmax", [raw], axis=1)
    doubled = nodes.add("Add", [raw, raw]) if model.loss == "exponential" else raw
    return with_complement(nodes, nodes.add("Sigmoid", [doubled]))


def _trees_of_stages(model: Any) -> tuple[TreeArrays, Any]:  # an estimator, an array
    if model.init not in (None, "zero") and not isinstance(model.init_, DummyClassifier | DummyRegressor):
        detail = (
            f"{type(model).__name__} begins with the model init={type(model.init).__name__}(…), which gives each row "
            "another score before any tree; fit it with init=None or init='zero'"
        )
        raise CannotConvert("cannot_convert", detail)
    trees = [(tree.tree_, output) for stage in model.estimators_ for output, tree in enumerate(stage)]
    values = [model.learning_rate * _in_column(tree.value[:, 0, 0], at, model) for tree, at in trees]
    arrays = arrays_of_trees([tree for tree, _ in trees], [None] * len(trees), values)
    return _for_single_precision(arrays), model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))  # noqa: SLF001


def _in_column(values: Any, output: int, model: Any) -> Any:  # arrays, an estimator
    stages = model._predictors if isinstance(model, HISTOGRAM) else model.estimators_  # noqa: SLF001  # has no other
    columns = np.zeros((len(values), len(stages[0])))
    columns[:, output] = values
    return columns


def _trees_of_histogram(model: Any) -> tuple[TreeArrays, Any]:  # an estimator, an array
    nodes = [(each.nodes, output) for stage in model._predictors for output, each in enumerate(stage)]  # noqa: SLF001
    trees = [_as_tree(each) for each, _ in nodes]
    values = [_in_column(each["value"], output, model) for each, output in nodes]
    return arrays_of_trees(trees, [None] * len(trees), values), model._baseline_prediction  # noqa: SLF001


def _as_tree(nodes: Any) -> SimpleNamespace:  # an array of records
    is_leaf = nodes["is_leaf"].astype(bool)
    return SimpleNamespace(
        node_count=len(nodes),
        children_left=np.where(is_leaf, -1, nodes["left"].astype(np.int64)),
        children_right=np.where(is_leaf, -1, nodes["right"].astype(np.int64)),
        feature=nodes["feature_idx"].astype(np.int64),
        threshold=nodes["num_threshold"],
        missing_go_to_left=nodes["missing_go_to_left"],
    )


def arrays_of_votes(members: Sequence[Any], classes: Any, weights: Any) -> TreeArrays:  # arrays
    """Return classification trees whose leaves give the weight of their tree to the class that they vote for.

    Of two classes there is one output, that of the second, which loses the weight where the first gets it.
    """
    values = []
    for member, weight in zip(members, weights, strict=True):
        labels = np.asarray(member.classes_)[member.tree_.value[:, 0, :].argmax(axis=1)]
        votes = labels[:, None] == classes[None, :]
        is_binary = len(classes) == 2
        values.append(np.where(votes[:, 1:], weight, -weight) if is_binary else np.where(votes, weight, 0.0))
    trees = [member.tree_ for member in members]
    return _for_single_precision(arrays_of_trees(trees, [None] * len(trees), values))


def lonely_leaf(value: float) -> TreeArrays:
    """Return a tree of one leaf."""
    none = np.zeros(1, np.int64)
    leaf = SimpleNamespace(
        node_count=1,
        children_left=none - 1,
        children_right=none - 1,
        feature=none,
        threshold=none,
        missing_go_to_left=none,
    )
    return arrays_of_trees([leaf], [None], [np.full((1, 1), value)])
