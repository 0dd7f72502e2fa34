"""Names of features and classes: distinct, written as texts, and no more of them than can be repeated often."""

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from tests.support.tree_graphs import graph_of, regressor, stump
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model


def _read(model: ModelProto, declared: DeclaredModel | None = None, limits: ModelLimits | None = None) -> None:
    read_model(model.SerializeToString(), declared or DeclaredModel(), limits or ModelLimits())


def test_names_are_limited_in_all_and_the_refusal_says_how_many_bytes_there_are() -> None:
    names = tuple(f"{index:05}" + "é" * 50 for index in range(10_000))

    with pytest.raises(ModelRefused, match="10,000 features and 0 classes have 1,050,000 bytes") as refused:
        _read(regressor(stump(), n_features=10_000), DeclaredModel(feature_names=names))

    assert refused.value.code == "model_too_complex"
    _read(regressor(stump(), n_features=10_000), DeclaredModel(feature_names=tuple(name[:50] for name in names)))


def test_names_in_the_graph_count_as_well() -> None:
    inputs = [helper.make_tensor_value_info("X" * 2_000_000, TensorProto.FLOAT, [None, 1])]
    model = regressor(stump(), n_features=1)
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.graph.node[0].input[0] = "X" * 2_000_000

    with pytest.raises(ModelRefused, match="2,000,000 bytes in all"):
        _read(model)


def test_the_description_of_columns_is_limited() -> None:
    with pytest.raises(ModelRefused, match="100 columns that the trees read") as refused:
        _read(regressor(stump(), n_features=100), limits=ModelLimits(max_description_bytes=10_000))

    assert refused.value.code == "model_too_complex"


@pytest.mark.parametrize(
    ("classes", "message"),
    [(["a", "a", "b"], "'a'.* more than once"), (["", "b"], "are empty"), (["a", "b\0c"], "hold a NUL")],
)
@pytest.mark.parametrize("is_declared", [True, False])
def test_classes_that_cannot_be_distinguished_are_refused(
    classes: list[str], message: str, *, is_declared: bool
) -> None:
    in_graph = [f"c{index}" for index in range(len(classes))] if is_declared else classes
    declared = DeclaredModel(classes=tuple(classes)) if is_declared else DeclaredModel()

    with pytest.raises(ModelRefused, match=message) as refused:
        _read(_classifier(in_graph), declared)

    assert refused.value.code == "validation_failed"
    _read(_classifier([f"c{index}" for index in range(len(classes))]))


def _classifier(classes: list[str]) -> ModelProto:
    attributes = {name: value for name, value in stump().items() if not name.startswith(("target_", "n_targets"))}
    n_classes = len(classes)
    node = helper.make_node(
        "TreeEnsembleClassifier",
        ["X"],
        ["label", "Y"],
        domain="ai.onnx.ml",
        classlabels_strings=classes,
        class_treeids=[0] * 2 * n_classes,
        class_nodeids=np.repeat([1, 2], n_classes).tolist(),
        class_ids=[*range(n_classes), *range(n_classes)],
        class_weights=[1.0] * 2 * n_classes,
        **attributes,
    )
    model = graph_of([node])
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_value = n_classes
    model.graph.output.insert(0, helper.make_tensor_value_info("label", TensorProto.STRING, [None]))
    return model
