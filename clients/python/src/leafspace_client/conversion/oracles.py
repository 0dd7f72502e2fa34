"""Oracles: what is added to the graphs of models that are registered for their predictions alone."""

from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, load_from_string, numpy_helper

_ML = "ai.onnx.ml"
_PREFIX = "vote"


def with_votes(data: bytes, classes: Any) -> bytes:  # an array
    """Return the graph of a classifier with one score a class: 1 for the label that it predicts, 0 for the others.

    Converters write the values of a decision function, whose order and sign differ from model to model, where a
    classifier has no probabilities.

    Parameters
    ----------
    data
        ONNX, whose first output is the label.
    classes : (n_classes,)
        Integers, booleans or texts, in the order of the scores.
    """
    model = load_from_string(data)
    graph, n_classes = model.graph, len(classes)
    index = graph.output[0].name
    keys = np.asarray(classes)
    if keys.dtype.kind in "OUS":
        graph.node.append(_numbered(index, [str(key) for key in keys], _ml_version(model)))
        index, keys = f"{_PREFIX}_index", np.arange(n_classes)
    graph.initializer.extend(
        [
            numpy_helper.from_array(np.array([-1, 1], np.int64), f"{_PREFIX}_shape"),
            numpy_helper.from_array(keys.astype(np.int64).reshape(1, -1), f"{_PREFIX}_classes"),
        ]
    )
    graph.node.extend(
        [
            helper.make_node("Reshape", [index, f"{_PREFIX}_shape"], [f"{_PREFIX}_column"]),
            helper.make_node("Equal", [f"{_PREFIX}_column", f"{_PREFIX}_classes"], [f"{_PREFIX}_equal"]),
            helper.make_node("Cast", [f"{_PREFIX}_equal"], [f"{_PREFIX}_scores"], to=TensorProto.FLOAT),
        ]
    )
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info(f"{_PREFIX}_scores", TensorProto.FLOAT, [None, n_classes]))
    return bytes(model.SerializeToString())


def _numbered(label: str, texts: list[str], ml_version: int) -> NodeProto:
    """Return an operator that numbers texts; converters import the oldest operator set that has what they write."""
    named: dict[str, Any] = {"classes_strings": texts}
    if ml_version > 1:
        named = {"keys_strings": texts, "values_int64s": list(range(len(texts)))}
    return helper.make_node("LabelEncoder", [label], [f"{_PREFIX}_index"], domain=_ML, **named)


def _ml_version(model: ModelProto) -> int:
    versions = [opset.version for opset in model.opset_import if opset.domain == _ML]
    if not versions:
        model.opset_import.append(helper.make_opsetid(_ML, 1))
    return max(versions, default=1)
