"""Rows on thresholds and just beside them, where it shows which way a tree sends what is equal."""

from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, numpy_helper

from .inputs import ModelInputs, is_frame


def rows_at_thresholds(data: bytes, inputs: ModelInputs, n_rows: int) -> Any:  # noqa: ANN401  # rows or None
    """Return rows of which one number each is a threshold, or the next above or below; ``None`` where none can be made.

    Only where the trees read the rows as they are: what steps before them make of a number is not known here.
    """
    graph = onnx.load_from_string(data).graph
    if inputs.column_types is not None or len(graph.input) != 1:
        return None
    asked = [pair for node in graph.node for pair in _asked_of_input(node, graph)]
    if not asked:
        return None
    some = [asked[place * len(asked) // (n_rows // 3)] for place in range(n_rows // 3)]
    is_double = graph.input[0].type.tensor_type.elem_type == TensorProto.DOUBLE
    numbers = np.float64 if is_double else np.float32
    rows = _numbers(inputs.rows, np.arange(3 * len(some)) % len(inputs.rows)).astype(numbers)
    for place, (feature, threshold) in enumerate(some):
        value = numbers(threshold)
        rows[3 * place : 3 * place + 3, feature] = (
            value,
            np.nextafter(value, numbers(np.inf)),
            np.nextafter(value, numbers(-np.inf)),
        )
    return _like(rows.astype(np.float64) if is_frame(inputs.rows) else rows, inputs.rows)


def _asked_of_input(node: NodeProto, graph: Any) -> list[tuple[int, float]]:  # noqa: ANN401  # a GraphProto
    """Return the questions, features and finite thresholds, of a tree operator that reads the graph's input."""
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
    is_asked = ~is_leaf & np.isfinite(thresholds)
    return list(zip(features[is_asked].tolist(), thresholds[is_asked].tolist(), strict=True))


def _thresholds(attributes: dict[str, Any]) -> Any:  # noqa: ANN401  # an array
    for name in ("nodes_splits", "nodes_values_as_tensor"):
        if name in attributes:
            return numpy_helper.to_array(attributes[name].t)
    return np.array(attributes["nodes_values"].floats)


def _numbers(rows: Any, positions: Any) -> Any:  # noqa: ANN401  # rows, arrays
    if is_frame(rows):
        some = rows.iloc[positions]
        return np.column_stack([some.iloc[:, at].to_numpy(np.float64, na_value=np.nan) for at in range(some.shape[1])])
    some = rows[positions]
    return np.array(some.toarray() if hasattr(some, "toarray") else some)


def _like(rows: Any, others: Any) -> Any:  # noqa: ANN401  # a matrix, a DataFrame or a matrix
    return type(others)(rows, columns=others.columns) if is_frame(others) else rows
