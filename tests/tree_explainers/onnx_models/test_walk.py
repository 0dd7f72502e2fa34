"""The arrays, walked naively, and onnxruntime end at the same leaves, whatever the trees test."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.support.naive_trees import walk_leaves
from tests.support.tree_graphs import graph_of, random_trees, regressor
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


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), element=st.sampled_from([TensorProto.FLOAT, TensorProto.DOUBLE]))
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


@settings(max_examples=60, deadline=None)
@given(
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


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinite_threshold_becomes_a_finite_one_with_the_same_answers(mode: str, infinity: float) -> None:
    attributes = random_trees(np.random.default_rng(0), n_trees=1, n_features=1)
    attributes["nodes_modes"] = [mode if each != "LEAF" else each for each in attributes["nodes_modes"]]
    attributes["nodes_values"] = [infinity] * len(attributes["nodes_values"])
    read, session = opened(regressor(attributes, 1))
    largest = float(np.finfo(np.float32).max)
    values = np.array([[0.0], [largest], [-largest], [np.nan]])

    outcome = session.run(session.encode_matrix(values))

    assert np.isfinite(read.ensemble.threshold).all()
    np.testing.assert_array_equal(outcome.leaves, walk_leaves(read.ensemble, values))
    np.testing.assert_allclose(outcome.scores[:, 0], read.ensemble.leaf_values[outcome.leaves[:, 0], 0])


def newest(old: dict[str, Any], rng: np.random.Generator, element: int) -> onnx.NodeProto:
    """Return older attributes as a TreeEnsemble, with some questions of equality turned into membership."""
    keys = list(zip(old["nodes_treeids"], old["nodes_nodeids"], strict=True))
    is_leaf = [mode == "LEAF" for mode in old["nodes_modes"]]
    roots = _roots(old, keys, is_leaf)
    # A tree that is one leaf is written as a branch, both of whose sides are that leaf.
    branches = [at for at, leaf in enumerate(is_leaf) if not leaf] + [at for at in roots if is_leaf[at]]
    leaves = [at for at, leaf in enumerate(is_leaf) if leaf]
    weights = dict(
        zip(zip(old["target_treeids"], old["target_nodeids"], strict=True), old["target_weights"], strict=True)
    )
    numbers = {
        "BRANCH_LEQ": 0,
        "BRANCH_LT": 1,
        "BRANCH_GTE": 2,
        "BRANCH_GT": 3,
        "BRANCH_EQ": 4,
        "BRANCH_NEQ": 5,
        "LEAF": 0,
    }
    modes = [numbers[old["nodes_modes"][at]] for at in branches]
    modes = [6 if mode == 4 and rng.random() < 0.7 else mode for mode in modes]
    sets = [[*rng.choice(np.arange(-3, 4), 2, replace=False), np.nan] for mode in modes if mode == 6]
    sides: dict[str, Any] = {}
    for side in ("true", "false"):
        children = [
            at if is_leaf[at] else keys.index((keys[at][0], old[f"nodes_{side}nodeids"][at])) for at in branches
        ]
        sides[f"nodes_{side}leafs"] = [int(is_leaf[child]) for child in children]
        sides[f"nodes_{side}nodeids"] = [(leaves if is_leaf[at] else branches).index(at) for at in children]
    members = np.array(sets, float).ravel()
    return helper.make_node(
        "TreeEnsemble",
        ["X"],
        ["Y"],
        domain="ai.onnx.ml",
        n_targets=1,
        tree_roots=[branches.index(at) for at in roots],
        nodes_modes=helper.make_tensor("modes", TensorProto.UINT8, [len(modes)], modes),
        nodes_featureids=[old["nodes_featureids"][at] for at in branches],
        nodes_splits=_tensor("splits", [old["nodes_values"][at] for at in branches], element),
        nodes_missing_value_tracks_true=[old["nodes_missing_value_tracks_true"][at] for at in branches],
        leaf_targetids=[0] * len(leaves),
        leaf_weights=_tensor("weights", [weights[keys[at]] for at in leaves], element),
        membership_values=_tensor("members", members, element) if len(members) else None,
        **sides,
    )


def _roots(old: dict[str, Any], keys: list[tuple[int, int]], is_leaf: list[bool]) -> list[int]:
    children = {
        (key[0], child)
        for at, key in enumerate(keys)
        if not is_leaf[at]
        for child in (old["nodes_truenodeids"][at], old["nodes_falsenodeids"][at])
    }
    return [at for at, key in enumerate(keys) if key not in children]


def _tensor(name: str, values: Sequence[float] | NDArray[np.float64], element: int) -> TensorProto:
    return helper.make_tensor(name, element, [len(values)], list(values))
