"""Graphs for a fixed number of rows, and graphs in which the prediction of a row depends on other rows."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from tests.support.forest_graphs import derived, fixed, forest_graph, rows_of, runtime_outputs, values
from tests.support.models import Estimator
from tests.support.tree_graphs import regressor, stump
from tree_explainers.errors import ModelRefused


@pytest.mark.parametrize("n_rows", [1, 4])
@pytest.mark.parametrize("sizes", [[1, -1], [1, 3]])
def test_a_graph_for_a_fixed_number_of_rows_predicts_any_number(n_rows: int, sizes: list[int]) -> None:
    free = forest_graph()
    model = ModelProto.FromString(free.SerializeToString())
    tree = next(node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    reshape = helper.make_node("Reshape", [tree.input[0], "shape"], ["reshaped"])
    tree.input[0] = "reshaped"
    model.graph.node.insert(0, reshape)
    model.graph.value_info.append(helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [n_rows, 3]))
    model.graph.initializer.append(numpy_helper.from_array(np.array([n_rows, *sizes[1:]]), "shape"))
    features = values()
    label, scores = runtime_outputs(free, features)

    outcome = derived(fixed(model, n_rows)).session.run_in_chunks(rows_of(features))

    assert outcome.labels is not None
    assert outcome.labels.tolist() == label.tolist()
    np.testing.assert_allclose(outcome.scores, scores, atol=1e-6)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(4, max_depth=3, random_state=0),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
        AdaBoostClassifier(n_estimators=4, random_state=0),
        make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=3)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_conversion_for_one_row_predicts_all_rows(estimator: Estimator) -> None:
    features = values()
    estimator.fit(features, (features[:, 0] > 0.2).astype(int))
    types = [("X", FloatTensorType([1, 3]))]
    model = to_onnx(
        estimator, initial_types=types, options=None if "Pipe" in type(estimator).__name__ else {"zipmap": False}
    )

    outcome = derived(fixed(model)).session.run_in_chunks(rows_of(features))

    if outcome.labels is None:
        np.testing.assert_allclose(outcome.scores[:, 0], estimator.predict(features), rtol=1e-5)
    else:
        np.testing.assert_allclose(outcome.scores, estimator.predict_proba(features), atol=1e-5)
        assert outcome.labels.tolist() == estimator.predict(features).tolist()


def test_a_graph_that_mixes_its_fixed_rows_is_refused() -> None:
    model = fixed(forest_graph(2), 2)
    tree = next(node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    mean = helper.make_node("ReduceMean", [tree.input[0]], ["mean"], axes=[0], keepdims=1)
    added = helper.make_node("Add", [tree.input[0], "mean"], ["added"])
    tree.input[0] = "added"
    model.graph.node.insert(0, mean)
    model.graph.node.insert(1, added)

    with pytest.raises(ModelRefused, match="is for 2 rows at a time") as refusal:
        derived(model)

    assert refusal.value.code == "model_invalid_graph"


@pytest.mark.parametrize("op_type", ["ReduceMean", "ReduceMax", "ReduceSum"])
def test_a_graph_whose_prediction_of_a_row_depends_on_other_rows_is_refused(op_type: str) -> None:
    model = regressor(stump())
    value = model.graph.output[0].name
    axes: dict[str, Any] = {} if op_type == "ReduceSum" else {"axes": [0]}
    inputs = [value, "rows"] if op_type == "ReduceSum" else [value]
    model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "rows"))
    model.graph.node.append(helper.make_node(op_type, inputs, ["of_all"], keepdims=1, **axes))
    model.graph.node.append(helper.make_node("Sub", [value, "of_all"], ["difference"]))
    model.graph.output[0].name = "difference"

    with pytest.raises(ModelRefused, match="depends on the rows that are sent with it") as refusal:
        derived(model)

    assert refusal.value.code == "model_invalid_graph"


def test_sizes_that_only_one_row_fits_are_named_and_not_taken_for_a_lack_of_memory() -> None:
    model = forest_graph(2)
    tree = next(node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    model.graph.node.insert(0, helper.make_node("Reshape", [tree.input[0], "shape"], ["reshaped"]))
    tree.input[0] = "reshaped"
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 3]), "shape"))

    with pytest.raises(ModelRefused, match=r"predicts one row, but not 1,000 rows together") as refusal:
        derived(model)

    assert refusal.value.code == "model_invalid_graph"


def test_a_model_of_fixed_rows_keeps_its_graph_as_it_came_out_of_what_is_stored() -> None:
    read = derived(fixed(forest_graph())).read

    stored = onnx.load_from_string(read.leaf_graph)

    assert [dim.dim_value for dim in stored.graph.input[0].type.tensor_type.shape.dim] == [0, 3]
