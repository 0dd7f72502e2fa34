"""A forest's graph, which tests change to the graphs that are met in practice, and what onnxruntime says of it."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.plausible_trial import DerivedModel
from tree_explainers.rows import Rows


def derived(model: ModelProto | bytes, classes: Sequence[str] | None = None) -> DerivedModel:
    data = model if isinstance(model, bytes) else model.SerializeToString()
    return derive_model(data, DeclaredModel(classes=tuple(classes) if classes else None), ModelLimits())


def values(n_features: int = 3, n_rows: int = 200) -> NDArray[np.float32]:
    return np.random.default_rng(7).normal(size=(n_rows, n_features)).astype(np.float32)


def rows_of(features: NDArray[np.float32]) -> Rows:
    names = tuple(f"x{column}" for column in range(features.shape[1]))
    return Rows(names, tuple(features.T.astype(np.float64)))


def runtime_outputs(model: ModelProto, features: NDArray[np.float32]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    outputs: list[Any] = session.run(None, {session.get_inputs()[0].name: features})
    return outputs


def forest_graph(n_classes: int = 3) -> ModelProto:
    model: ModelProto = ModelProto.FromString(_forest(n_classes))
    return model


@functools.cache
def _forest(n_classes: int) -> bytes:
    """Return the ONNX form of a forest: many graphs of tests begin with it, and change it."""
    features = values()
    target = (
        np.digitize(features[:, 0] + features[:, 1] ** 2, [0.3, 1.5])[:] if n_classes == 3 else features[:, 0] > 0.7
    )
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(features, target.astype(int))
    model: ModelProto = to_onnx(forest, features[:1], options={"zipmap": False}, target_opset={"": 17, "ai.onnx.ml": 3})
    del model.opset_import[:]
    model.opset_import.extend([helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])
    return bytes(model.SerializeToString())


def with_label(
    n_classes: int, nodes: Sequence[Any], constants: dict[str, Any], element: int = TensorProto.INT64
) -> ModelProto:
    """Return a forest's graph whose label is calculated from its probabilities."""
    model = forest_graph(n_classes)
    model.graph.node.extend(nodes)
    for name, value in constants.items():
        model.graph.initializer.append(numpy_helper.from_array(np.array(value), name))
    scores = next(value for value in model.graph.output if "prob" in value.name)
    del model.graph.output[:]
    model.graph.output.extend([helper.make_tensor_value_info("made", element, None), scores])
    return model


def fixed(model: ModelProto, n_rows: int = 1) -> ModelProto:
    """Return a graph with a fixed number of rows in all its shapes."""
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        if value.type.HasField("tensor_type") and value.type.tensor_type.shape.dim:
            value.type.tensor_type.shape.dim[0].dim_value = n_rows
    return model
