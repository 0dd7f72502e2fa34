"""LightGBM with native categories: its trees as it dumps them, and the links of its objectives.

A split of categories sends the members of a set left, and all else right: unknown categories, and missing ones.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import nan
from typing import Any

import numpy as np

from ..errors import CannotConvert
from .double_precision import Nodes, with_complement
from .estimators import ModelInputs, is_frame
from .native_categories import (
    LEQ,
    MEMBER,
    Coding,
    NativeTrees,
    TreeNode,
    arrays_of_nodes,
    checked_coding,
    own_codes,
    raw_category,
)

_SPLITS = re.compile(r"^num_cat=[1-9]", re.MULTILINE)
_Dump = Mapping[str, Any]
_PLAIN = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")
_EXPONENTIAL = ("poisson", "gamma", "tweedie")


def splits_categories(estimator: Any) -> bool:  # noqa: ANN401  # an estimator
    """Whether a fitted LightGBM model splits categories, or takes columns of them for their codes."""
    booster = estimator.booster_
    return bool(booster.pandas_categorical) or _SPLITS.search(booster.model_to_string()) is not None


def native_trees(estimator: Any, inputs: ModelInputs) -> NativeTrees:  # noqa: ANN401  # an estimator
    """Return a fitted LightGBM model's trees.

    Raises
    ------
    CannotConvert
        For what has no counterpart, by name.
    """
    document = estimator.booster_.dump_model()
    n_outputs = int(document["num_tree_per_iteration"])
    trees = [_tree(tree["tree_structure"], at % n_outputs) for at, tree in enumerate(document["tree_info"])]
    arrays = arrays_of_nodes(trees, n_outputs)
    categories = document.get("pandas_categorical")
    return NativeTrees(
        trees=arrays,
        base=np.zeros(n_outputs),
        link=_link(estimator, str(document.get("objective", "custom")).split()),
        labels=getattr(estimator, "classes_", None),
        codings=_pandas_codings(estimator, categories, inputs) if categories else own_codes(arrays),
        is_single=False,
        is_average=bool(document["average_output"]),
    )


def _pandas_codings(estimator: Any, categories: list[list[Any]], inputs: ModelInputs) -> dict[int, Coding]:  # noqa: ANN401
    """Return the codings of the columns that were of a categorical type, in whose order LightGBM keeps categories."""
    frame = inputs.rows
    names = list(frame.columns) if is_frame(frame) else []
    columns = [at for at in range(len(names)) if hasattr(frame.iloc[:, at], "cat")]
    if len(columns) != len(categories):
        detail = (
            f"{type(estimator).__name__} was fitted on {len(categories)} columns of categories, and X has "
            f"{len(columns)}: pass rows of the DataFrame that it was fitted on, X=…, its columns of the type category"
        )
        raise CannotConvert("cannot_convert", detail)
    return {at: _coding(own, str(names[at])) for at, own in zip(columns, categories, strict=True)}


def _coding(categories: list[Any], name: str) -> Coding:
    codes = {raw_category(category, name): float(code) for code, category in enumerate(categories)}
    return checked_coding(Coding(codes, unknown=nan), name)


def _nodes(root: _Dump) -> Iterator[_Dump]:
    """Yield the nodes of a tree, each before its children, which come one after the other."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if "split_feature" in node:
            waiting += [node["right_child"], node["left_child"]]


def _tree(root: _Dump, output: int) -> list[TreeNode]:
    listed = list(_nodes(root))
    place = {id(node): at for at, node in enumerate(listed)}
    return [
        _branch(node, place[id(node["left_child"])], place[id(node["right_child"])])
        if "split_feature" in node
        else _leaf(node, output)
        for node in listed
    ]


def _leaf(node: _Dump, output: int) -> TreeNode:
    if "leaf_coeff" in node:
        raise CannotConvert("cannot_convert", "linear trees (linear_tree=True) are not converted: fit without it")
    return TreeNode(values={output: node["leaf_value"]})


def _branch(node: _Dump, left: int, right: int) -> TreeNode:
    feature, threshold = int(node["split_feature"]), node["threshold"]
    if node["decision_type"] == "==":
        return TreeNode(left, right, feature, MEMBER, members=tuple(map(int, threshold.split("||"))))
    if node["missing_type"] == "Zero":
        raise CannotConvert("cannot_convert", "zero_as_missing=True is not converted together with categories")
    # Where no row had a missing value, LightGBM takes one for 0.
    missing_left = node["default_left"] if node["missing_type"] == "NaN" else threshold >= 0
    return TreeNode(left, right, feature, LEQ, float(threshold), missing_left=bool(missing_left))


def _link(estimator: Any, objective: list[str]) -> Callable[[Nodes, str], str]:  # noqa: ANN401  # an estimator
    name, settings = objective[0], dict(each.split(":") for each in objective[1:] if ":" in each)
    if name in ("binary", "multiclassova"):
        return partial(_sigmoid, steepness=float(settings.get("sigmoid", 1)), is_binary=name == "binary")
    if name == "multiclass":
        return lambda nodes, raw: nodes.add("Softmax", [raw], axis=1)
    if name in _EXPONENTIAL:
        return lambda nodes, raw: nodes.add("Exp", [raw])
    if name == "cross_entropy":
        return lambda nodes, raw: nodes.add("Sigmoid", [raw])
    if name in _PLAIN and "sqrt" not in objective:
        return lambda _, raw: raw
    detail = f"{type(estimator).__name__} splits categories with the objective {' '.join(objective)}, not converted"
    raise CannotConvert("cannot_convert", detail)


def _sigmoid(nodes: Nodes, raw: str, *, steepness: float, is_binary: bool) -> str:
    scores = nodes.add("Sigmoid", [raw if steepness == 1 else nodes.add("Mul", [raw, nodes.constant(steepness)])])
    return with_complement(nodes, scores) if is_binary else scores
