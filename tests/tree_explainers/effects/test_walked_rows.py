"""Rows that are walked beside onnxruntime: the same scores, labels and leaves, however many rows come together."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.models import FittedModel, fitted, undecided_forest
from tests.support.pipelines import FittedPipeline, fitted_pipeline
from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.effects.ranked_trees import RankedTrees
from tree_explainers.effects.walked_rows import WalkedRows
from tree_explainers.ensemble import TreeEnsemble, TreeTensor
from tree_explainers.onnx_models.description import NOT_COMPARED, Engine
from tree_explainers.onnx_models.engine_comparison import HardRows
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.rows import Rows

MODELS = ("random_forest_binary", "extra_trees_regression", "gradient_boosting_multiclass", "xgboost_binary")
PIPELINES = ("scaled_and_one_hot", "missing_kept", "principal_components")


WALKER = Engine("walker", None)


def walked(model: FittedModel | FittedPipeline, engine: Engine = WALKER) -> tuple[WalkedRows | None, ModelSession]:
    read = model.read
    session = ModelSession(read.leaf_graph, replace(read.description, engine=engine))
    as_read = read.for_walker.as_read(read.ensemble)
    columns, effects = TreeColumns(read.description, read.for_walker), EnsembleEffects.of(read.description, as_read)
    return WalkedRows.of(session, columns, effects.trees, read.ensemble, read.for_walker), session


def assert_same(model: FittedModel | FittedPipeline, rows: Rows, n_together: int) -> None:
    walk, session = walked(model)
    assert walk is not None
    for start in range(0, len(rows), n_together):
        part = rows.take(slice(start, start + n_together))
        expected, outcome = session.run_rows(part), walk.outcome(part)
        assert (outcome is None) == bool(expected.refused)
        if outcome is not None:
            assert outcome.scores.dtype == expected.outcome.scores.dtype
            np.testing.assert_array_equal(outcome.scores, expected.outcome.scores)
            np.testing.assert_array_equal(outcome.labels, expected.outcome.labels)
            np.testing.assert_array_equal(outcome.leaves, expected.outcome.leaves)


@pytest.mark.parametrize("n_together", [1, 7, 100])
@pytest.mark.parametrize("name", [*MODELS, *PIPELINES])
def test_rows_at_the_thresholds_have_the_outcome_of_onnxruntime(name: str, n_together: int) -> None:
    model = fitted_pipeline(name) if name in PIPELINES else fitted(name)
    hard_rows, rng = HardRows.of(model.read.description, model.read.ensemble), np.random.default_rng(n_together)

    assert_same(model, hard_rows.draw(200, rng, has_missing=name not in PIPELINES[:1]), n_together)
    assert_same(model, model.rows.take(slice(0, 100)), n_together)


def test_near_ties_have_the_labels_of_onnxruntime() -> None:
    model = undecided_forest()
    assert_same(model, model.rows, 50)


def test_a_matrix_is_walked_as_its_columns_are() -> None:
    model = fitted("random_forest_binary")
    walk, _ = walked(model)
    assert walk is not None
    of_matrix, of_columns = walk.outcome(np.column_stack(model.rows.columns)), walk.outcome(model.rows)

    assert of_matrix is not None
    assert of_columns is not None
    assert (of_matrix.leaves == of_columns.leaves).all()
    assert (of_matrix.scores == of_columns.scores).all()


def test_onnxruntime_has_the_rows_of_models_of_which_the_walker_was_not_seen_to_agree() -> None:
    assert walked(fitted("random_forest_binary"), NOT_COMPARED)[0] is None
    assert walked(fitted("catboost_binary"))[0] is None, "the graph calculates its scores"


def test_trees_of_one_leaf_each_read_nothing_that_memory_held() -> None:
    trees, values = RankedTrees.of(_leaves(2), [TreeTensor("x", 0, is_double=False)], 2), np.zeros((3, 2))

    for _ in range(50):
        np.full((3, 1), 65_535, np.uint16)  # memory that is taken next
        ranks = trees.ranks_of_finite(values, is_single=True)
        assert ranks is not None
        np.testing.assert_array_equal(ranks, trees.ranks(values))
        assert trees.leaves(ranks).tolist() == [[0, 1]] * 3


def _leaves(n_trees: int) -> TreeEnsemble:
    """Return trees without tests."""
    offsets, nodes = np.arange(n_trees + 1, dtype=np.int32), np.zeros(n_trees, np.int32)
    tests = nodes.astype(np.uint8), np.zeros(n_trees), np.zeros(n_trees, np.bool_)
    return TreeEnsemble(offsets, nodes, *tests, nodes, nodes, offsets[:-1], offsets, leaf_values=np.ones((n_trees, 1)))
