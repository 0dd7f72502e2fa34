"""Outputs of scores as graphs have them in practice, against onnxruntime on all rows."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from tests.support.forest_graphs import derived, rows_of, runtime_outputs, values
from tests.support.tree_graphs import classifier_graph, regressor, stump
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits


def test_several_outputs_of_values_are_refused_by_name() -> None:
    model = regressor(stump())
    value = model.graph.output[0]
    model.graph.node.append(helper.make_node("Neg", [value.name], ["lower"]))
    model.graph.output.append(helper.make_tensor_value_info("lower", TensorProto.FLOAT, [None, 1]))

    with pytest.raises(ModelRefused, match=f"2 outputs of values \\('{value.name}', 'lower'\\)") as refusal:
        derived(model)

    assert refusal.value.code == "model_unsupported_input"


@pytest.mark.parametrize("target", [np.array(["a", "b", "c"]), np.array([7, 8, 2])])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_in_one_output_for_each_class_are_read(target: NDArray[Any], n_classes: int) -> None:
    features = values()
    classes = target[np.digitize(features[:, 0], [0.0, 0.7][: n_classes - 1])]
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(features, classes)
    model = to_onnx(forest, features[:1], options={"zipmap": "columns"})

    read = derived(model)
    outcome = read.session.run_in_chunks(rows_of(features))

    assert outcome.labels is not None
    assert read.session.description.classes == tuple(map(str, forest.classes_))
    np.testing.assert_allclose(outcome.scores, forest.predict_proba(features), atol=1e-6)
    assert forest.classes_[outcome.labels].tolist() == forest.predict(features).tolist()


LEAVES: dict[str, tuple[list[list[float]], dict[str, Any]]] = {
    "votes": ([[1.0, 0.0, 0.0], [0.4, 0.25, 0.35]], {}),
    "two above 1": ([[1.4, 1.3, 0.1], [1.2, 1.5, 0.0]], {}),
    "base values": ([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], {"base_values": [1.0, 0.5, -0.25]}),
    "softmax": ([[1.0, 0.0, 2.0], [0.4, 0.25, 0.35]], {"post_transform": "SOFTMAX"}),
    "logistic": ([[1.0, -2.0, 2.0], [0.4, 0.25, -0.35]], {"post_transform": "LOGISTIC"}),
    "probit": ([[0.1, 0.45, 0.2], [0.2, 0.05, 0.35]], {"post_transform": "PROBIT"}),
    "shares": ([[0.5, 0.0, 0.0], [0.2, 0.1, 0.2]], {}),
    "one of two": ([[0.9], [0.8]], {}),
    "one of two with signs": ([[1.7], [-0.2]], {}),
}


@pytest.mark.parametrize("name", LEAVES)
def test_scores_outside_of_0_to_1_are_shown_as_they_are(name: str) -> None:
    leaf_values, more = LEAVES[name]
    model = classifier_graph(leaf_values, n_trees=2, **more)
    features = np.array([[-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], np.float32)
    label, scores = runtime_outputs(model, features)

    session = derived(model).session
    outcome = session.run(session.encode(rows_of(features)))

    np.testing.assert_allclose(outcome.scores, scores, atol=1e-7)
    assert outcome.labels is not None
    assert [session.description.classes[index] for index in outcome.labels] == [str(each) for each in label]
    assert session.description.score_kind == ("probability" if name in ("softmax", "logistic", "shares") else "raw")


@pytest.mark.parametrize(("weights", "kind"), [([0.2, 0.9], "probability"), ([-0.2, 0.9], "raw"), ([0.2, 1.9], "raw")])
def test_one_value_from_0_to_1_is_the_probability_of_the_second_class(weights: list[float], kind: str) -> None:
    model = regressor(stump() | {"target_weights": weights})
    model.graph.node.extend(
        [
            helper.make_node("Greater", ["Y", "half"], ["is_high"]),
            helper.make_node("Cast", ["is_high"], ["label"], to=TensorProto.INT64),
        ]
    )
    model.graph.initializer.append(numpy_helper.from_array(np.array([0.5], np.float32), "half"))
    model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.INT64, [None, 1]))
    features = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], np.float32)

    session = derived(model).session
    outcome = session.run(session.encode(rows_of(features)))

    assert session.description.score_kind == kind
    first = [1 - weight if kind == "probability" else -weight for weight in weights]
    np.testing.assert_allclose(outcome.scores, np.column_stack([first, weights]), rtol=1e-6)
    assert outcome.labels is not None
    assert outcome.labels.tolist() == [0, 1]


def _summed_over_rows() -> ModelProto:
    model = classifier_graph([[0.2, 0.8], [0.6, 0.4]])
    model.graph.node.append(helper.make_node("ReduceSum", ["scores", "rows"], ["summed"], keepdims=1))
    model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "rows"))
    model.graph.output[1].name = "summed"
    return model


def _texts_for_scores() -> ModelProto:
    model = classifier_graph([[0.2, 0.8], [0.6, 0.4]])
    model.graph.node.append(helper.make_node("Cast", ["scores"], ["texts"], to=TensorProto.STRING))
    model.graph.output[1].name = "texts"
    return model


@pytest.mark.parametrize("model", [_summed_over_rows(), _texts_for_scores()], ids=["one row for all", "texts"])
@pytest.mark.parametrize("oracle_only", [False, True])
def test_outputs_that_are_no_scores_of_each_row_are_refused_by_their_shape(
    model: ModelProto,
    oracle_only: bool,  # a parameter of the test
) -> None:
    with pytest.raises(ModelRefused, match="output of scores has the shape") as refusal:
        derive_model(model.SerializeToString(), DeclaredModel(oracle_only=oracle_only), ModelLimits())

    assert refusal.value.code == "model_invalid_graph"
