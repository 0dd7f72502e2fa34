import numpy as np
import pytest
from onnx import ModelProto

from tests.support.models import fitted
from tree_explainers.onnx_models import leaf_graph
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession


def tree_operators(read: ReadModel) -> list[str]:
    return [node.op_type for node in ModelProto.FromString(read.leaf_graph).graph.node if "Tree" in node.op_type]


@pytest.mark.parametrize("most", [1, 150])
@pytest.mark.parametrize(
    "name", ["random_forest_multiclass", "gradient_boosting_multiclass", "xgboost_regression", "catboost_binary"]
)
def test_leaves_do_not_depend_on_how_many_operators_share_the_trees(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted(name)
    whole = model.session.run_in_chunks(model.rows)
    monkeypatch.setattr(leaf_graph, "_MAX_OPERATOR_NODES", most)

    read = read_model(model.onnx, DeclaredModel(feature_names=model.rows.names), ModelLimits())

    outcome = ModelSession(read.leaf_graph, read.description).run_in_chunks(model.rows)
    assert len(tree_operators(read)) > len(tree_operators(model.read))
    np.testing.assert_array_equal(outcome.leaves, whole.leaves)
    np.testing.assert_array_equal(outcome.scores, whole.scores)
