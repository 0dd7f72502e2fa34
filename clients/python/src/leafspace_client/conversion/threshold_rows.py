"""Rows at thresholds: rows of which one number each is a threshold of the trees, or the next number beside it.

There trees differ in what they do with equal numbers, and rounding shows. Data can hold each of these rows: none has a
number next to 0, which LightGBM reads as 0, and columns of whole numbers keep them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, load_from_string, numpy_helper

from ..row_kinds import is_frame
from .estimators import ModelInputs
from .tree_operators import MODES

_A_THRESHOLD = 3  # rows
_LARGEST, _NEGLIGIBLE = float(np.finfo(np.float32).max), 1e-30


def taken(rows: Any, indices: Any) -> Any:  # a DataFrame or a matrix
    """Return some rows by their indices."""
    return rows.iloc[indices] if is_frame(rows) else rows[indices]


def rows_at_thresholds(data: bytes, inputs: ModelInputs, n_rows: int) -> Any:  # rows or None
    """Return rows of which one number each is a threshold, or the next above or below; ``None`` where none can be made.

    Only where the trees read the rows as they are: what steps before them make of a number is not known here. Columns
    of whole numbers get the whole numbers on both sides of a threshold.
    """
    graph = load_from_string(data).graph
    if inputs.column_types is not None or len(graph.input) != 1:
        return None
    tests = tests_of_graph(graph)
    if not tests or n_rows < _A_THRESHOLD:
        return None
    n_tests = n_rows // _A_THRESHOLD
    some = [tests[index * len(tests) // n_tests] for index in range(n_tests)]
    is_double = graph.input[0].type.tensor_type.elem_type == TensorProto.DOUBLE
    rows = taken(inputs.rows, np.arange(_A_THRESHOLD * n_tests) % inputs.rows.shape[0])
    if not is_frame(rows):
        dense = np.array(rows.toarray() if hasattr(rows, "toarray") else rows)
        if dense.dtype.kind != "f":
            dense = dense.astype(np.float64)
        for index, (feature, threshold) in enumerate(some):
            dense[_A_THRESHOLD * index : _A_THRESHOLD * (index + 1), feature] = _beside(threshold, is_double=is_double)
        return dense
    return _frame_at_thresholds(rows, some, is_double=is_double)


def _frame_at_thresholds(rows: Any, tests: Sequence[tuple[int, float]], *, is_double: bool) -> Any:
    """Return rows of a DataFrame with thresholds in its columns of numpy's numbers; each column keeps its type."""
    changed = rows.copy()
    for index, (feature, threshold) in enumerate(tests):
        dtype = rows.dtypes.iloc[feature]
        if not isinstance(dtype, np.dtype) or dtype.kind not in "fiu":
            continue
        is_whole = dtype.kind != "f"
        values = np.floor(threshold) + np.array([0, 1, -1]) if is_whole else _beside(threshold, is_double=is_double)
        limits: Any = np.iinfo(dtype) if is_whole else np.finfo(dtype)
        if values.min() >= limits.min and values.max() <= limits.max:
            column = changed.iloc[:, feature].to_numpy(copy=True)
            column[_A_THRESHOLD * index : _A_THRESHOLD * (index + 1)] = values.astype(dtype)
            changed.isetitem(feature, column)
    return changed


def _beside(threshold: float, *, is_double: bool) -> Any:  # an array
    """Return a threshold and the next numbers above and below in the precision of the graph, (3,) float64."""
    numbers = np.float64 if is_double else np.float32
    value = numbers(threshold)
    if value == 0:  # the next numbers are next to nothing
        return np.array([0.0, 1e-6, -1e-6])
    return np.array([value, np.nextafter(value, numbers(np.inf)), np.nextafter(value, numbers(-np.inf))], np.float64)


def tests_of_graph(graph: Any) -> list[tuple[int, float]]:  # a GraphProto
    """Return the tests of the graph's input by its tree operators, as features and thresholds that data can hold."""
    return [pair for node in graph.node for pair in _tests_of_input(node, graph)]


def _tests_of_input(node: NodeProto, graph: Any) -> list[tuple[int, float]]:  # a GraphProto
    """Return the tests of a tree operator that reads the graph's input, as features and finite thresholds."""
    if not node.op_type.startswith("TreeEnsemble"):
        return []
    before = {each.output[0]: each.input[0] for each in graph.node if each.op_type == "Cast"}
    if graph.input[0].name not in (node.input[0], before.get(node.input[0])):
        return []
    attributes = {attribute.name: attribute for attribute in node.attribute}
    features = np.array(attributes["nodes_featureids"].ints)
    thresholds = _thresholds(attributes)
    modes = attributes["nodes_modes"]
    is_leaf = np.array([mode == b"LEAF" for mode in modes.strings] or np.zeros(len(features), bool))
    # Finite ones: CatBoost tests for missing numbers at the lowest. Next to 0 LightGBM reads 0, and no data are there.
    size = np.abs(thresholds)
    has_neighbours = (size < _LARGEST) & ((size == 0) | (size > _NEGLIGIBLE))
    is_test = ~is_leaf & has_neighbours & ~_tests_sets(attributes, len(features))
    return list(zip(features[is_test].tolist(), thresholds[is_test].tolist(), strict=True))


def _tests_sets(attributes: dict[str, Any], n_nodes: int) -> Any:  # an array
    modes = attributes["nodes_modes"]
    is_newest = modes.HasField("t")
    return numpy_helper.to_array(modes.t) == MODES[b"BRANCH_MEMBER"] if is_newest else np.zeros(n_nodes, bool)


def _thresholds(attributes: dict[str, Any]) -> Any:  # an array
    for name in ("nodes_splits", "nodes_values_as_tensor"):
        if name in attributes:
            return numpy_helper.to_array(attributes[name].t)
    return np.array(attributes["nodes_values"].floats)
