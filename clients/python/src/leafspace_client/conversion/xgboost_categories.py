"""XGBoost with native categories: its trees as its own file has them, one-hot splits and partitions alike.

A split of categories sends the members of a set right. All other categories go left, also those that were not there
when the model was fitted; of DataFrames XGBoost itself refuses these. Missing ones go where the node says.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Any

import numpy as np

from ..errors import CannotConvert
from .double_precision import Nodes, with_complement
from .estimators import ModelInputs
from .native_categories import (
    LT,
    MEMBER,
    Category,
    Coding,
    NativeTrees,
    TreeNode,
    arrays_of_nodes,
    checked_coding,
    own_codes,
)
from .tree_operators import nearest_float32

_Document = Mapping[str, Any]
_LOGISTIC = ("binary:logistic", "reg:logistic")
_SOFTMAX = ("multi:softprob", "multi:softmax")
_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie")
_PLAIN = ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:squaredlogerror", "reg:quantileerror")


def splits_categories(estimator: Any) -> bool:  # noqa: ANN401  # an estimator
    """Whether a fitted XGBoost model was given categories."""
    return "c" in (estimator.get_booster().feature_types or [])


def native_trees(estimator: Any, inputs: ModelInputs) -> NativeTrees:  # noqa: ANN401  # an estimator
    """Return a fitted XGBoost model's trees, as many as it predicts with.

    Raises
    ------
    CannotConvert
        For what has no counterpart, by name.
    """
    document = json.loads(estimator.get_booster().save_raw("json"))["learner"]
    gradient = document["gradient_booster"]
    if gradient["name"] == "dart":
        gradient = {**gradient, "model": _with_weights(gradient["gbtree"]["model"], gradient["weight_drop"])}
    n_outputs = max(1, int(document["learner_model_param"]["num_class"]))
    arrays = arrays_of_nodes(_trees(estimator, gradient["model"]), n_outputs)
    objective = document["objective"]["name"]
    names = inputs.names or [f"x{column}" for column in range(inputs.n_features)]
    return NativeTrees(
        trees=arrays,
        base=_base(document["learner_model_param"]["base_score"], objective, n_outputs),
        link=_link(estimator, objective),
        labels=getattr(estimator, "classes_", None),
        codings={**own_codes(arrays), **_codings(gradient["model"].get("cats", {}), names)},
        is_single=True,
    )


def _with_weights(model: _Document, weights: Sequence[float]) -> _Document:
    """Return a DART model's trees with the weight of each in its leaves."""
    trees = []
    for tree, weight in zip(model["trees"], weights, strict=True):
        numbers = zip(tree["split_conditions"], tree["left_children"], strict=True)
        scaled = [number * weight if left < 0 else number for number, left in numbers]
        trees.append({**tree, "split_conditions": scaled})
    return {**model, "trees": trees}


def _trees(estimator: Any, model: _Document) -> list[list[TreeNode]]:  # noqa: ANN401  # an estimator
    best = getattr(estimator, "best_iteration", None) if hasattr(estimator, "evals_result_") else None
    starts = model["iteration_indptr"]
    n_trees = starts[-1] if best is None else starts[min(best + 1, len(starts) - 1)]
    return [_tree(tree, output) for tree, output in zip(model["trees"][:n_trees], model["tree_info"], strict=False)]


def _tree(tree: _Document, output: int) -> list[TreeNode]:
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        raise CannotConvert("cannot_convert", "leaves that hold vectors (multi_strategy='multi_output_tree')")
    sets = dict(zip(tree["categories_nodes"], _segments(tree), strict=True))
    return [_node(tree, at, sets.get(at), output) for at in range(len(tree["left_children"]))]


def _segments(tree: _Document) -> Iterator[tuple[int, ...]]:
    for start, size in zip(tree["categories_segments"], tree["categories_sizes"], strict=True):
        yield tuple(tree["categories"][start : start + size])


def _node(tree: _Document, at: int, members: tuple[int, ...] | None, output: int) -> TreeNode:
    left, right, number = (tree[name][at] for name in ("left_children", "right_children", "split_conditions"))
    if left < 0:
        return TreeNode(values={output: float(nearest_float32(number))})
    feature, missing_left = tree["split_indices"][at], bool(tree["default_left"][at])
    if members is not None:
        return TreeNode(right, left, feature, MEMBER, members=members, missing_left=not missing_left)
    return TreeNode(left, right, feature, LT, float(nearest_float32(number)), missing_left=missing_left)


def _base(written: str, objective: str, n_outputs: int) -> Any:  # noqa: ANN401  # an array
    """Return what is added to the sums: the base score, which is written as it is after the link."""
    scores = [float(nearest_float32(float(score))) for score in written.strip("[]").split(",")]
    if objective in _LOGISTIC:
        scores = [log(score / (1 - score)) for score in scores]
    elif objective in _EXPONENTIAL:
        scores = [log(score) for score in scores]
    return np.broadcast_to(np.array(scores), n_outputs)


def _link(estimator: Any, objective: str) -> Callable[[Nodes, str], str]:  # noqa: ANN401  # an estimator
    if objective in _LOGISTIC:
        is_classifier = hasattr(estimator, "classes_")
        return lambda nodes, raw: _share(nodes, nodes.add("Sigmoid", [raw]), of_both=is_classifier)
    if objective in _SOFTMAX:
        return lambda nodes, raw: nodes.add("Softmax", [raw], axis=1)
    if objective in _EXPONENTIAL:
        return lambda nodes, raw: nodes.add("Exp", [raw])
    if objective in _PLAIN:
        return lambda _, raw: raw
    detail = f"{type(estimator).__name__} splits categories with the objective {objective}, which is not converted"
    raise CannotConvert("cannot_convert", detail)


def _share(nodes: Nodes, second: str, *, of_both: bool) -> str:
    return with_complement(nodes, second) if of_both else second


def _codings(kept: _Document, names: Sequence[str]) -> dict[int, Coding]:
    """Return the codings of the columns whose categories XGBoost keeps; in other columns it was given codes."""
    listed = [_categories(each) for each in kept.get("enc", [])]
    return {
        column: checked_coding(Coding({category: float(code) for code, category in enumerate(own)}), names[column])
        for column, own in enumerate(listed)
        if own
    }


def _categories(kept: _Document) -> list[Category]:
    """Return the categories of one column: texts one after the other in bytes, or numbers."""
    if "offsets" not in kept:
        return [float(value) for value in kept["values"]]
    data = bytes(value % 256 for value in kept["values"])
    return [data[start:end].decode() for start, end in pairwise(kept["offsets"])]
