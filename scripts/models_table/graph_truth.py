"""What a graph predicts: by onnxruntime or, where that departs from it, by the specification."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from .cases import Case, Fit, Prediction, Rows


def by_runtime(model: bytes, rows: Rows) -> Prediction:
    """Return what onnxruntime predicts, of a graph with a label first, or with values alone."""
    import onnxruntime  # heavy

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs, matrix = session.get_inputs(), np.asarray(rows, np.float64)
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}
    rows_of_outputs = [
        session.run(None, _feeds(inputs, matrix[at : at + 1], kinds)) for at in range(len(matrix))
    ]  # row by row: some graphs take no more
    outputs = [_joined([row[index] for row in rows_of_outputs]) for index in range(len(rows_of_outputs[0]))]
    names = [output.name for output in session.get_outputs()]
    floats = [each for each in outputs if each.dtype.kind == "f"]
    labels = next((each.ravel().tolist() for each in outputs if each.dtype.kind != "f"), None)
    scores = np.hstack([each.reshape(len(matrix), -1) for each in floats]) if floats else None
    return Prediction(scores, labels) if names else Prediction(None, None)


def _feeds(inputs: Sequence[Any], row: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    if len(inputs) == 1:
        return {inputs[0].name: row.astype(kinds[inputs[0].type])}
    return {each.name: row[:, [at]].astype(kinds[each.type]) for at, each in enumerate(inputs)}


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):  # a map for each row
        return np.array([list(row.values()) for part in parts for row in part], np.float64)
    return np.concatenate([np.atleast_1d(part) for part in parts])


def by_highest_score(model: bytes, rows: Rows) -> Prediction:
    """Return the runtime's scores and the class of the highest: with two weights a leaf its label is another."""
    scores = by_runtime(model, rows).scores
    return Prediction(scores, scores.argmax(axis=1).tolist())


def by_low_value(model: bytes, rows: Rows) -> Prediction:
    """Return the runtime's label, 1 where the value is low, with a score of 1, then of 0: the value of low is 1's."""
    predicted = by_runtime(model, rows)
    return Prediction(np.hstack([-predicted.scores, predicted.scores]), predicted.labels)


def by_specification(model: bytes, rows: Rows) -> Prediction:
    """Return the sums of leaf weights by the specification: nodes are found by their ids, wherever they stand."""
    node = next(each for each in onnx.load_from_string(model).graph.node if each.op_type.startswith("Tree"))
    known = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    ids = list(zip(known["nodes_treeids"], known["nodes_nodeids"], strict=True))
    index_of = {pair: at for at, pair in enumerate(ids)}
    prefix = "class" if "class_ids" in known else "target"
    n_outputs = max(known[f"{prefix}_ids"]) + 1
    leaves = list(zip(known[f"{prefix}_treeids"], known[f"{prefix}_nodeids"], strict=True))
    weights = list(zip(leaves, known[f"{prefix}_ids"], known[f"{prefix}_weights"], strict=True))
    matrix, sums = np.asarray(rows, np.float32), np.zeros((len(rows), n_outputs))
    for at, row in enumerate(matrix):
        for tree in sorted(set(known["nodes_treeids"])):
            here = (tree, 0)
            while known["nodes_modes"][index_of[here]] != b"LEAF":
                goes_on = row[known["nodes_featureids"][index_of[here]]] <= known["nodes_values"][index_of[here]]
                here = (tree, known["nodes_truenodeids" if goes_on else "nodes_falsenodeids"][index_of[here]])
            for leaf, output, weight in weights:
                if leaf == here:
                    sums[at, output] += weight
    if prefix == "target":
        return Prediction(sums, None)
    labels = known.get("classlabels_int64s") or [each.decode() for each in known["classlabels_strings"]]
    return Prediction(sums, [labels[best] for best in sums.argmax(axis=1)])


def of_graph(name: str, fit: Fit, data: str = "multiclass", predict: Any = by_runtime, **options: Any) -> Case:
    """Return the case of a graph, which is registered as bytes with the names of its features."""
    return Case(name, dict, data, fit, predict=predict, options=tuple(options.items()), ways=(False,))
