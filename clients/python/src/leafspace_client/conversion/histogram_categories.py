"""Histogram gradient boosting with native categories: sets of categories as its own encoder numbers them.

Its encoder puts the columns of categories first. Unknown categories are taken for missing ones, and missing ones go
where the node says: so a test names the categories of the side to which they do not go.
"""

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np

from .estimators import ModelInputs
from .native_trees import (
    LEQ,
    MEMBER,
    Coding,
    NativeTrees,
    Operation,
    TreeNode,
    arrays_of_nodes,
    checked_coding,
    raw_category,
)
from .sklearn_trees import HISTOGRAM

_WORD = 32  # bits of a part of a set


def splits_categories(estimator: Any) -> bool:  # an estimator
    """Whether a fitted model is histogram gradient boosting that was given categories."""
    return isinstance(estimator, HISTOGRAM) and bool(np.any(estimator.is_categorical_))


def native_trees(estimator: Any, inputs: ModelInputs) -> NativeTrees:  # an estimator
    """Return a fitted model's trees, which test raw columns by number."""
    stages = estimator._predictors  # noqa: SLF001  # has no other
    encoder = estimator._preprocessor.named_transformers_["encoder"]  # noqa: SLF001  # has no other
    # In the order of their codes; a missing one has none.
    known = [[each for each in of_column if each is not None and each == each] for of_column in encoder.categories_]
    flags = np.asarray(estimator.is_categorical_)
    columns = [*np.flatnonzero(flags).tolist(), *np.flatnonzero(~flags).tolist()]
    sizes = [len(categories) for categories in known]
    trees = [
        [_node(each, at, columns, sizes, output) for at in range(len(each.nodes))]
        for stage in stages
        for output, each in enumerate(stage)
    ]
    return NativeTrees(
        trees=arrays_of_nodes(trees, len(stages[0])),
        labels=getattr(estimator, "classes_", None),
        is_single=False,
        link=_link(estimator),
        base=np.ravel(estimator._baseline_prediction),  # noqa: SLF001  # has no other
        codings=_codings(dict(zip(columns, known, strict=False)), inputs),
    )


def _link(estimator: Any) -> Operation | None:  # an estimator
    if not hasattr(estimator, "classes_"):
        return (lambda nodes, raw: nodes.add("Exp", [raw])) if estimator.loss in ("poisson", "gamma") else None
    if len(estimator.classes_) > 2:  # one tree a stage and class
        return lambda nodes, raw: nodes.add("Softmax", [raw], axis=1)
    return lambda nodes, raw: nodes.add("Sigmoid", [raw])


def _codings(known: dict[int, list[Any]], inputs: ModelInputs) -> dict[int, Coding]:
    names = inputs.names or [f"x{column}" for column in range(inputs.n_features)]
    return {
        column: checked_coding(
            Coding({raw_category(each, names[column]): float(code) for code, each in enumerate(own)}, unknown=nan),
            names[column],
        )
        for column, own in known.items()
    }


def _node(predictor: Any, at: int, columns: Sequence[int], sizes: Sequence[int], output: int) -> TreeNode:
    node = predictor.nodes[at]
    if node["is_leaf"]:
        return TreeNode(values={output: float(node["value"])})
    own, left, right = int(node["feature_idx"]), int(node["left"]), int(node["right"])
    missing_left = bool(node["missing_go_to_left"])
    if not node["is_categorical"]:
        return TreeNode(left, right, columns[own], LEQ, float(node["num_threshold"]), missing_left=missing_left)
    bits = predictor.raw_left_cat_bitsets[node["bitset_idx"]]
    goes_left = [bool(int(bits[code // _WORD]) >> (code % _WORD) & 1) for code in range(sizes[own])]
    members = tuple(code for code, goes in enumerate(goes_left) if goes != missing_left)
    sides = (right, left) if missing_left else (left, right)
    return TreeNode(*sides, columns[own], MEMBER, members=members)
