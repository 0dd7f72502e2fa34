"""Where onnxruntime departs from the specification, registration says so, with the number of rows."""

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto

from tests.support.naive_trees import walk_leaves
from tests.support.tree_graphs import classifier_graph, random_trees, regressor
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.plausible_rows import plausible_rows
from tree_explainers.onnx_models.plausible_trial import DerivedModel


def derived(model: ModelProto) -> DerivedModel:
    return derive_model(model.SerializeToString(), DeclaredModel(), ModelLimits())


def n_rows_that_differ(model: ModelProto, read: DerivedModel) -> int:
    """Return in how many of the rows tried onnxruntime itself predicts otherwise."""
    rows = plausible_rows(read.read.description, read.read.ensemble, 512, np.random.default_rng(0))
    feeds = read.session.encode(rows)
    outcome = read.session.run(feeds)
    *label, scores = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
    differs = ~np.isclose(scores.reshape(512, -1), outcome.scores, rtol=1e-4, atol=1e-5).all(axis=1)
    if label:
        values = np.array(read.read.description.label_values)
        differs |= label[0] != values[outcome.labels]
    return int(differs.sum())


@pytest.mark.parametrize("labels", [[0, 1], [7, -2]])
def test_labels_of_two_scored_classes_are_those_of_the_higher_score(labels: list[int]) -> None:
    model = classifier_graph([[0.8, 0.3], [0.1, 0.6]], n_trees=3)
    next(each for each in model.graph.node[0].attribute if each.name == "classlabels_int64s").ints[:] = labels

    read = derived(model)

    (warning,) = read.read.description.warnings
    n_rows = n_rows_that_differ(model, read)
    assert n_rows > 100
    assert warning.code == "onnxruntime_differs"
    assert f"served by onnxruntime, {n_rows} of 512 rows" in warning.detail
    assert "weights for both" in warning.detail


def test_labels_that_onnxruntime_reads_the_same_are_not_warned_of() -> None:
    model = classifier_graph([[-0.8, 0.8], [0.1, -0.1]], n_trees=3)

    assert derived(model).read.description.warnings == ()


def test_nodes_in_another_order_than_that_of_onnxruntime_are_warned_of() -> None:
    model = regressor(random_trees(np.random.default_rng(5), 4, 3))

    read = derived(model)

    (warning,) = read.read.description.warnings
    assert warning.code == "onnxruntime_differs"
    assert "not in the order that onnxruntime expects" in warning.detail
    rows = plausible_rows(read.read.description, read.read.ensemble, 60, np.random.default_rng(1))
    outcome = read.session.run(read.session.encode(rows))
    expected = walk_leaves(read.read.ensemble, np.column_stack(rows.columns).astype(np.float32))
    np.testing.assert_array_equal(outcome.leaves, expected)
