"""Trees of all operators, with ties, missing and infinite values: effects of mixtures that trees decide themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto

from tests.support.naive_effects import shapley_values
from tests.support.tree_graphs import chain, regressor
from tests.tree_explainers.walker.test_walking import N_FEATURES, hard_values, random_model
from tree_explainers.effects import ensemble_effects
from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession

_N_ROWS = 4


def _naive(session: ModelSession, row: NDArray[np.float64], reference: NDArray[np.float64]) -> NDArray[np.float64]:
    def worth(members: NDArray[np.bool_]) -> NDArray[np.float64]:
        mixed = np.where(members, row, reference)
        return np.asarray(session.run(session.encode_matrix(mixed)).scores[:, 0], np.float64)

    return shapley_values(worth, N_FEATURES)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    element=st.sampled_from([TensorProto.FLOAT, TensorProto.DOUBLE]),
    version=st.sampled_from([3, 5]),
    by_patterns=st.booleans(),
)
def test_effects_of_trees_of_all_operators(seed: int, element: int, version: int, by_patterns: bool) -> None:
    rng = np.random.default_rng(seed)
    read, session = random_model(rng, element, version)
    values = hard_values(rng, element)[: 2 * _N_ROWS]
    feeds = session.encode_matrix(values)
    effects = EnsembleEffects.of(read.description, read.for_walker.as_read(read.ensemble))
    ranks = effects.ranks(next(iter(feeds.values())).astype(np.float64))
    expected = np.array([[_naive(session, row, other) for other in values[_N_ROWS:]] for row in values[:_N_ROWS]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ensemble_effects, "_MOST_WALKED", 0 if by_patterns else 1_000)
        found = effects.mean_effects(ranks[:_N_ROWS], ranks[_N_ROWS:], 0)

    np.testing.assert_allclose(found, expected.mean(axis=1), rtol=1e-5, atol=1e-4)


def test_paths_of_many_players_have_patterns_too() -> None:
    depth, n_rows = 20, 60
    rng = np.random.default_rng(3)
    attributes = chain(depth) | {"nodes_featureids": [*range(depth), *[0] * (depth + 1)]}
    attributes["nodes_values"] = [0.0] * (2 * depth + 1)
    attributes["target_weights"] = rng.normal(size=len(attributes["target_weights"])).tolist()
    read = read_model(regressor(attributes, depth).SerializeToString(), DeclaredModel(), ModelLimits())
    effects = EnsembleEffects.of(read.description, read.for_walker.as_read(read.ensemble))
    # Most rows fit most tests of the path, or none of them: leaves far down are reached, too.
    values = np.where(rng.random((n_rows, depth)) < rng.random((n_rows, 1)) ** 4, -1.0, 1.0)
    values[: n_rows // 2] *= np.where(rng.random((n_rows // 2, 1)) < 0.5, -1, 1)
    ranks = effects.ranks(values)
    alone = [effects.mean_effects(ranks[:30], ranks[at : at + 1], 0) for at in range(30, n_rows)]

    together = effects.mean_effects(ranks[:30], ranks[30:], 0)

    assert effects.paired.gains.shape == (depth + 1, depth + 1)
    assert (together != 0).sum(axis=0).min() > 0
    np.testing.assert_allclose(together, np.mean(alone, axis=0), rtol=0, atol=1e-14)
