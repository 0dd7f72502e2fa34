"""The arrays, walked naively, and onnxruntime end at the same leaves, whatever the trees test."""

import numpy as np
import onnx
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.support.naive_trees import walk_leaves
from tests.support.sampling import drawn
from tests.support.tree_graphs import graph_of, newest, random_trees, regressor
from tree_explainers.ensemble import Operator
from tree_explainers.onnx_models import leaf_graph
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession

N_FEATURES = 3


def some_values(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return rows that often hit small integers exactly, just miss them, or are missing."""
    values = rng.integers(-3, 4, size=(40, N_FEATURES)).astype(np.float64)
    values[rng.random(values.shape) < 0.1] *= 1 + 1e-7
    values[rng.random(values.shape) < 0.2] = np.nan
    return values


def opened(model: onnx.ModelProto) -> tuple[ReadModel, ModelSession]:
    read = read_model(model.SerializeToString(), DeclaredModel(), ModelLimits())
    return read, ModelSession(read.leaf_graph, read.description)


@drawn(25, 60, seed=st.integers(0, 2**32 - 1), element=st.sampled_from([TensorProto.FLOAT, TensorProto.DOUBLE]))
def test_random_trees_of_all_operators_end_at_the_leaves_of_a_naive_walk(seed: int, element: int) -> None:
    rng = np.random.default_rng(seed)
    attributes = random_trees(rng, n_trees=4, n_features=N_FEATURES)
    if element == TensorProto.DOUBLE:
        for name in ("nodes_values", "target_weights"):
            values = attributes.pop(name)
            attributes[f"{name}_as_tensor"] = helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)
    read, session = opened(regressor(attributes, N_FEATURES, element))
    values = some_values(rng)

    outcome = session.run(session.encode_matrix(values))

    seen = values if element == TensorProto.DOUBLE else values.astype(np.float32)
    leaves = walk_leaves(read.ensemble, seen)
    np.testing.assert_array_equal(outcome.leaves, leaves)
    summed = read.ensemble.leaf_values[leaves + read.ensemble.leaf_offsets[:-1], 0].sum(axis=1)
    np.testing.assert_allclose(outcome.scores[:, 0], summed, atol=1e-5)


@drawn(
    25,
    60,
    seed=st.integers(0, 2**32 - 1),
    element=st.sampled_from([TensorProto.FLOAT, TensorProto.DOUBLE]),
    most=st.sampled_from([1, 12, 40_000]),
)
def test_trees_of_the_newest_operator_end_at_the_leaves_of_a_naive_walk(seed: int, element: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    node = newest(random_trees(rng, n_trees=4, n_features=N_FEATURES), rng, element)
    model = graph_of([node], N_FEATURES, element, ml_version=5)
    model.graph.output[0].type.tensor_type.elem_type = element
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaf_graph, "_MAX_OPERATOR_NODES", most)
        read, session = opened(model)
    values = np.round(some_values(rng))  # onnxruntime cuts fractions off before it looks for members

    outcome = session.run(session.encode_matrix(values))

    leaves = walk_leaves(read.ensemble, values if element == TensorProto.DOUBLE else values.astype(np.float32))
    np.testing.assert_array_equal(outcome.leaves, leaves)
    summed = read.ensemble.leaf_values[leaves + read.ensemble.leaf_offsets[:-1], 0].sum(axis=1)
    np.testing.assert_allclose(outcome.scores[:, 0], summed, atol=1e-5)


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinite_threshold_has_the_answers_of_the_graph_for_infinities_too(mode: str, infinity: float) -> None:
    attributes = random_trees(np.random.default_rng(0), n_trees=1, n_features=1)
    attributes["nodes_modes"] = [mode if each != "LEAF" else each for each in attributes["nodes_modes"]]
    attributes["nodes_values"] = [infinity] * len(attributes["nodes_values"])
    read, session = opened(regressor(attributes, 1))
    largest = float(np.finfo(np.float32).max)
    values = np.array([[0.0], [largest], [-largest], [np.inf], [-np.inf], [np.nan]])

    outcome = session.run(session.encode_matrix(values))

    is_infinite = ~np.isfinite(read.ensemble.threshold)
    assert np.isin(read.ensemble.operator[is_infinite], (Operator.LEQ, Operator.GT)).all()
    assert (read.ensemble.threshold[is_infinite] == np.inf).all()
    np.testing.assert_array_equal(outcome.leaves, walk_leaves(read.ensemble, values))
    np.testing.assert_allclose(outcome.scores[:, 0], read.ensemble.leaf_values[outcome.leaves[:, 0], 0])
