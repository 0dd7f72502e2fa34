"""LightGBM: its trees as it dumps them, and the links of its objectives.

A split of categories sends the members of a set left, and all else right: unknown categories, and missing ones. Numbers
as near to 0 as ``_ZERO`` are read as 0.
"""

import sys
from collections.abc import Iterator, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from ..errors import CannotConvert
from ..row_kinds import is_frame
from .double_precision import Nodes
from .estimators import ModelInputs
from .native_trees import (
    LEQ,
    MEMBER,
    Coding,
    NativeTrees,
    Operation,
    TreeNode,
    arrays_of_nodes,
    as_missing,
    checked_coding,
    own_codes,
    raw_category,
)

_Dump = dict[str, Any]
_PLAIN = ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "custom")
_EXPONENTIAL = ("poisson", "gamma", "tweedie")
_ZERO = float(np.float32(1e-35))
_LARGEST = 1e300


def native_trees(estimator: Any, inputs: ModelInputs) -> NativeTrees:  # an estimator
    """Return a fitted LightGBM model's trees, as many as it predicts with.

    Raises
    ------
    CannotConvert
        For what has no counterpart, by name.
    """
    document = estimator.booster_.dump_model()
    _refuse(estimator)
    n_outputs = int(document["num_tree_per_iteration"])
    roots = [tree["tree_structure"] for tree in document["tree_info"]]
    is_linear = any("leaf_coeff" in node for root in roots for node in _nodes(root))
    for root in roots if is_linear else []:
        _split_linear_leaves(root)
    width = 1 + (document["max_feature_idx"] + 1 if is_linear else 0)
    trees = [_tree(root, at % n_outputs * width) for at, root in enumerate(roots)]
    arrays = arrays_of_nodes(trees, n_outputs * width)
    categories = document.get("pandas_categorical")
    codings = _pandas_codings(estimator, categories, inputs) if categories else own_codes(arrays)
    if is_linear and codings:
        detail = f"this {type(estimator).__name__} has categories and linear leaves; fit it with linear_tree=False"
        raise CannotConvert("cannot_convert", detail)
    return NativeTrees(
        trees=arrays,
        labels=getattr(estimator, "classes_", None),
        is_single=False,
        link=_link(estimator, str(document.get("objective", "custom")).split()),
        divisor=len(trees) / n_outputs if document["average_output"] and trees else None,
        codings=codings,
        missing=_nan_of_zeros if _takes_zero_for_missing(roots) else None,
        n_coefficients=width - 1,
    )


def _refuse(estimator: Any) -> None:  # an estimator
    is_classifier = hasattr(estimator, "classes_")
    reason = None
    if is_classifier and len(estimator.classes_) == 1:
        reason = "it was fitted on rows of one class, and distinguishes nothing"
    elif is_classifier and callable(estimator.objective_):
        reason = (
            "with an objective of your own it predicts neither classes nor their probabilities; fit it with "
            "objective='binary' or 'multiclass', or an LGBMRegressor with yours"
        )
    elif estimator.get_params().get("pred_early_stop"):
        reason = "it stops adding trees for some rows (pred_early_stop=True); fit it without"
    if reason is not None:
        raise CannotConvert("cannot_convert", f"this {type(estimator).__name__} cannot be registered: {reason}")


def _takes_zero_for_missing(roots: Sequence[_Dump]) -> bool:
    return any(node.get("missing_type") == "Zero" for root in roots for node in _nodes(root))


def _nan_of_zeros(nodes: Nodes, tensor: str) -> str:
    is_zero = nodes.add("LessOrEqual", [nodes.add("Abs", [tensor]), nodes.constant(_ZERO)])
    return as_missing(nodes, tensor, is_zero)


def _pandas_codings(estimator: Any, categories: list[list[Any]], inputs: ModelInputs) -> dict[int, Coding]:
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
    """Return the nodes of a tree; ``output`` is where the numbers, or the constants, of its leaves are added."""
    listed = list(_nodes(root))
    index = {id(node): at for at, node in enumerate(listed)}
    return [
        _branch(node, index[id(node["left_child"])], index[id(node["right_child"])])
        if "split_feature" in node
        else _leaf(node, output)
        for node in listed
    ]


def _split_linear_leaves(root: _Dump) -> None:
    """Change a tree in place: tests whether columns of a leaf's linear model are missing come before it.

    Where one is, LightGBM predicts the number of the leaf.
    """
    for leaf in list(_nodes(root)):
        if not leaf.get("leaf_features"):
            continue
        coefficients = dict(zip(leaf["leaf_features"], leaf["leaf_coeff"], strict=True))
        node: dict[str, Any] = {"constant": leaf["leaf_const"], "coefficients": coefficients}
        for feature in coefficients:
            test = {"split_feature": feature, "decision_type": "<=", "threshold": inf, "missing_type": "NaN"}
            sides = {"default_left": False, "left_child": node, "right_child": {"leaf_value": leaf["leaf_value"]}}
            node = {**test, **sides}
        leaf.update(node)


def _leaf(node: _Dump, output: int) -> TreeNode:
    if "coefficients" not in node:
        return TreeNode(values={output: node["leaf_value"]})
    coefficients = {output + 1 + column: number for column, number in node["coefficients"].items()}
    return TreeNode(values={output: node["constant"], **coefficients})


def _branch(node: _Dump, left: int, right: int) -> TreeNode:
    feature, threshold = int(node["split_feature"]), node["threshold"]
    if node["decision_type"] == "==":
        return TreeNode(left, right, feature, MEMBER, members=tuple(map(int, threshold.split("||"))))
    # Where no row had a missing value, LightGBM takes one for 0.
    missing_left = threshold >= 0 if node["missing_type"] == "None" else node["default_left"]
    return TreeNode(left, right, feature, LEQ, _exact(threshold), missing_left=bool(missing_left))


def _exact(threshold: float) -> float:
    """Return the largest number that passes a test, of which the dump has the threshold.

    If 0 passes, so do all numbers that are read as 0, and else none of them. An infinity is dumped as ``_LARGEST``.
    """
    if abs(threshold) >= _LARGEST:
        return inf if threshold > 0 else -sys.float_info.max
    if abs(threshold) > _ZERO:
        return threshold
    return _ZERO if threshold >= 0 else float(np.nextafter(-_ZERO, -1))


def _link(estimator: Any, objective: list[str]) -> Operation | None:  # an estimator
    name, settings = objective[0], dict(each.split(":") for each in objective[1:] if ":" in each)
    if name in ("binary", "multiclassova"):
        steepness = float(settings.get("sigmoid", 1))
        return lambda nodes, raw: nodes.add("Sigmoid", [_times(nodes, raw, steepness)])
    if name == "multiclass":
        return lambda nodes, raw: nodes.add("Softmax", [raw], axis=1)
    if name in _EXPONENTIAL:
        return lambda nodes, raw: nodes.add("Exp", [raw])
    if name == "cross_entropy":
        return lambda nodes, raw: nodes.add("Sigmoid", [raw])
    if name == "cross_entropy_lambda":
        return _log_of_exp
    if name in _PLAIN:
        return _signed_square if "sqrt" in objective else None
    detail = f"this {type(estimator).__name__} has the objective {' '.join(objective)}, whose link is not known here"
    raise CannotConvert("cannot_convert", detail)


def _times(nodes: Nodes, raw: str, factor: float) -> str:
    return raw if factor == 1 else nodes.add("Mul", [raw, nodes.constant(factor)])


def _log_of_exp(nodes: Nodes, raw: str) -> str:
    """Add log(1 + exp(raw)), of which no part overflows."""
    sizes = nodes.add("Exp", [nodes.add("Neg", [nodes.add("Abs", [raw])])])
    rest = nodes.add("Log", [nodes.add("Add", [nodes.constant(1.0), sizes])])
    return nodes.add("Add", [nodes.add("Relu", [raw]), rest])


def _signed_square(nodes: Nodes, raw: str) -> str:
    return nodes.add("Mul", [raw, nodes.add("Abs", [raw])])
