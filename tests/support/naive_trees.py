"""Walking trees node by node, and columns value by value: slow and obvious."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.naive import goes_left
from tree_explainers.ensemble import Operator, TreeEnsemble
from tree_explainers.onnx_models.description import ModelColumn


def walk_leaves(ensemble: TreeEnsemble, values: NDArray[np.floating[Any]]) -> NDArray[np.int32]:
    """Return the leaf of each row in each tree, counted within its tree, for what the trees read."""
    leaves = np.empty((len(values), ensemble.n_trees), np.int32)
    for row in range(len(values)):
        for tree in range(ensemble.n_trees):
            node = int(ensemble.offsets[tree])
            while ensemble.operator[node] != Operator.LEAF:
                is_left = goes_left(ensemble, node, float(values[row, ensemble.column[node]]))
                node = int(ensemble.left[node] if is_left else ensemble.right[node])
            leaves[row, tree] = np.flatnonzero(ensemble.leaf_nodes == node)[0] - ensemble.leaf_offsets[tree]
    return leaves


def column_values(column: ModelColumn, raw: NDArray[Any], missing_token: str | None) -> NDArray[np.float64]:
    """Return a model-side column for raw values, as the column map says it comes about.

    A text that represents a missing category counts as missing also where it is written out.
    """
    values = [None if value == missing_token else value for value in raw.tolist()]
    return np.array([_base(column, value) * column.scale + column.offset for value in values])


def _base(column: ModelColumn, value: Any) -> float:  # a text, a number or None
    is_missing = value is None or value != value  # NaN
    if is_missing and column.imputed is not None:
        value, is_missing = column.imputed, False
    if column.kind == "indicator":
        return float(is_missing if column.category is None else value == column.category)
    if column.kind == "ordinal":
        codes = dict(zip(column.categories, column.codes, strict=True))
        code = codes.get(None if is_missing else value, column.default_code)
        return math.nan if code is None else code
    return math.nan if is_missing else float(value)
