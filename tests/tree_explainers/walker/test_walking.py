"""The walker ends at onnxruntime's leaves, whatever the trees test and whatever the values are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.support.naive_trees import walk_leaves
from tests.support.tree_graphs import graph_of, newest, random_trees, regressor
from tree_explainers.ensemble import TreeEnsemble, TreeTensor
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.walker import value_ranks, walking
from tree_explainers.walker.node_conditions import can_be_walked
from tree_explainers.walker.walking import Walker

N_FEATURES = 3
ELEMENTS = [TensorProto.FLOAT, TensorProto.DOUBLE]


def random_model(rng: np.random.Generator, element: int, version: int) -> tuple[ReadModel, ModelSession]:
    attributes = random_trees(rng, n_trees=int(rng.integers(1, 9)), n_features=N_FEATURES)
    if version == 5:
        # Equality becomes membership, which is not for the walker.
        attributes["nodes_modes"] = [mode.replace("_EQ", "_NEQ") for mode in attributes["nodes_modes"]]
        model = graph_of([newest(attributes, rng, element)], N_FEATURES, element, ml_version=5)
        model.graph.output[0].type.tensor_type.elem_type = element
    else:
        if element == TensorProto.DOUBLE:
            for name in ("nodes_values", "target_weights"):
                values = attributes.pop(name)
                attributes[f"{name}_as_tensor"] = helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)
        model = regressor(attributes, N_FEATURES, element)
    read = read_model(model.SerializeToString(), DeclaredModel(), ModelLimits())
    return read, ModelSession(read.leaf_graph, read.description)


def hard_values(rng: np.random.Generator, element: int) -> NDArray[np.float64]:
    """Return rows that hit small integers, miss them by a fraction or by the last digit, or are missing."""
    dtype = np.float64 if element == TensorProto.DOUBLE else np.float32
    values = rng.integers(-3, 4, size=(53, N_FEATURES)).astype(dtype)
    for towards in (-np.inf, np.inf):
        some = rng.random(values.shape) < 0.1
        values[some] = np.nextafter(values[some], dtype(towards))
    some = rng.random(values.shape) < 0.1
    values[some] = values[some] + rng.choice([-0.5, 0.5, 0.9], int(some.sum()))
    values[rng.random(values.shape) < 0.05] = -0.0
    values[rng.random(values.shape) < 0.05] = np.finfo(dtype).max
    some = rng.random(values.shape) < 0.05
    values[some] = rng.choice([-np.inf, np.inf], int(some.sum()))
    values[rng.random(values.shape) < 0.15] = np.nan
    return values.astype(np.float64)


def filled(walker: Walker, feeds: dict[str, NDArray[Any]], n_rows: int, dtype: type = np.uint8) -> NDArray[Any]:
    codes: NDArray[Any] = np.zeros((len(walker.words.starts) - 1, n_rows), dtype)
    walker.fill(feeds, n_rows, codes)
    return codes.T


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    element=st.sampled_from(ELEMENTS),
    version=st.sampled_from([3, 5]),
    most_cuts=st.sampled_from([1, 2, 2**16 - 1]),
)
def test_random_trees_of_all_operators_end_at_the_leaves_of_onnxruntime(
    seed: int, element: int, version: int, most_cuts: int
) -> None:
    rng = np.random.default_rng(seed)
    read, session = random_model(rng, element, version)
    feeds = session.encode_matrix(hard_values(rng, element))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_ranks, "_MOST_CUTS", most_cuts)
        walker = Walker.of(
            read.ensemble, [TreeTensor("X", 0, is_double=element == TensorProto.DOUBLE)], sums_in_double=element == 11
        )
    outcome = session.run(feeds)

    leaves = filled(walker, feeds, 53)

    np.testing.assert_array_equal(leaves, outcome.leaves)
    np.testing.assert_array_equal(walker.sums(feeds, 53), walker.fill_and_sum(feeds, 53, np.zeros_like(leaves.T)))
    np.testing.assert_allclose(walker.sums(feeds, 53)[:, :1], outcome.scores, rtol=1e-5, atol=1e-4)


def random_binary_tree(rng: np.random.Generator, depth: int) -> dict[str, Any]:
    """Return the attributes of one complete tree with as many distinct thresholds as nodes."""
    n_branches, n_nodes = 2**depth - 1, 2 ** (depth + 1) - 1
    nodes = np.arange(n_nodes)
    is_branch = nodes < n_branches
    return {
        "n_targets": 1,
        "nodes_treeids": [0] * n_nodes,
        "nodes_nodeids": nodes.tolist(),
        "nodes_modes": np.where(is_branch, "BRANCH_LEQ", "LEAF").tolist(),
        "nodes_featureids": np.where(is_branch, rng.integers(0, N_FEATURES, n_nodes), 0).tolist(),
        "nodes_values": np.where(is_branch, rng.normal(size=n_nodes), 0).tolist(),
        "nodes_truenodeids": np.where(is_branch, 2 * nodes + 1, 0).tolist(),
        "nodes_falsenodeids": np.where(is_branch, 2 * nodes + 2, 0).tolist(),
        "target_treeids": [0] * (n_nodes - n_branches),
        "target_nodeids": nodes[~is_branch].tolist(),
        "target_ids": [0] * (n_nodes - n_branches),
        "target_weights": nodes[~is_branch].astype(float).tolist(),
    }


@pytest.mark.parametrize(("depth", "dtype", "word"), [(9, np.uint16, np.uint32), (16, np.uint32, np.uint64)])
def test_large_trees_have_wider_codes_and_words(depth: int, dtype: type, word: type) -> None:
    rng = np.random.default_rng(depth)
    model = regressor(random_binary_tree(rng, depth), N_FEATURES)
    read = read_model(model.SerializeToString(), DeclaredModel(), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)
    feeds = session.encode_matrix(rng.normal(size=(5_003, N_FEATURES)))
    walker = Walker.of(read.ensemble, [TreeTensor("X", 0, is_double=False)])

    assert walker.words.words.dtype == word
    np.testing.assert_array_equal(filled(walker, feeds, 5_003, dtype), session.run(feeds).leaves)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("n_trees_together", [1, 3, 7])
def test_blocks_of_rows_and_of_trees_have_the_same_leaves_and_sums_as_all_at_once(
    n_trees_together: int, element: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(n_trees_together)
    model = regressor(random_trees(rng, n_trees=7, n_features=N_FEATURES), N_FEATURES)
    read = read_model(model.SerializeToString(), DeclaredModel(), ModelLimits())
    feeds = ModelSession(read.leaf_graph, read.description).encode_matrix(rng.normal(size=(201, N_FEATURES)))
    tensors = [TreeTensor("X", 0, is_double=False)]
    walker = Walker.of(read.ensemble, tensors, sums_in_double=element == TensorProto.DOUBLE)
    leaves, sums = filled(walker, feeds, 201), walker.sums(feeds, 201)

    monkeypatch.setattr(walking, "_MOST_ROWS", 64)
    monkeypatch.setattr(walking, "_LEAVES_BYTES", 4 * 64 * n_trees_together)
    codes = np.zeros_like(leaves.T)

    assert walker.sums(feeds, 201).tobytes() == sums.tobytes()
    assert walker.fill_and_sum(feeds, 201, codes).tobytes() == sums.tobytes()
    np.testing.assert_array_equal(codes.T, leaves)
    np.testing.assert_array_equal(filled(walker, feeds, 201), leaves)


def test_a_tree_without_questions_has_one_leaf_for_all_rows() -> None:
    ensemble = TreeEnsemble(
        offsets=np.array([0, 1], np.int32),
        column=np.zeros(1, np.int32),
        operator=np.zeros(1, np.uint8),
        threshold=np.zeros(1),
        missing_left=np.zeros(1, np.bool_),
        left=np.zeros(1, np.int32),
        right=np.zeros(1, np.int32),
        leaf_nodes=np.zeros(1, np.int32),
        leaf_offsets=np.array([0, 1], np.int32),
        leaf_values=np.array([[7.0, 1.0]]),
    )
    walker = Walker.of(ensemble, [TreeTensor("X", 0, is_double=False)])

    assert filled(walker, {}, 9).tolist() == [[0]] * 9
    assert walker.sums({}, 9).tolist() == [[7.0, 1.0]] * 9


def test_a_naive_walk_ends_at_the_same_leaves() -> None:
    rng = np.random.default_rng(7)
    read, session = random_model(rng, TensorProto.FLOAT, 3)
    values = hard_values(rng, TensorProto.FLOAT)
    walker = Walker.of(read.ensemble, [TreeTensor("X", 0, is_double=False)])

    leaves = filled(walker, session.encode_matrix(values), 53)

    np.testing.assert_array_equal(leaves, walk_leaves(read.ensemble, values))


def test_sets_of_members_are_left_to_onnxruntime() -> None:
    rng = np.random.default_rng(3)
    attributes = random_trees(rng, n_trees=4, n_features=N_FEATURES)
    model = graph_of([newest(attributes, rng, TensorProto.FLOAT)], N_FEATURES, ml_version=5)
    ensemble = read_model(model.SerializeToString(), DeclaredModel(), ModelLimits()).ensemble

    assert can_be_walked(ensemble) == (not ensemble.members)
    assert ensemble.members
