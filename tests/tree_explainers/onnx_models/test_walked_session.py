"""The walker beside onnxruntime on all families of models: the same leaves, scores and labels."""

import numpy as np
import pytest

from tests.support.models import ALL_MODELS, FittedModel, fitted, undecided_forest
from tests.support.pipelines import PIPELINES, FittedPipeline, fitted_pipeline
from tree_explainers.onnx_models import engine_comparison
from tree_explainers.onnx_models.engine_comparison import HardRows, compare_engines
from tree_explainers.onnx_models.walked_session import WalkedSession

SCORED_BY_THE_GRAPH = ("bagging", "ada_boost", "catboost_binary")


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(engine_comparison, "_MOST_SECONDS", 60.0)
    monkeypatch.setattr(engine_comparison, "_MOST_ROWS", 4_096 if "missing_kept" in request.node.name else 512)


def walked(model: FittedModel | FittedPipeline) -> WalkedSession:
    read = model.read
    return WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker)


def assert_same(session: WalkedSession, model: FittedModel | FittedPipeline) -> None:
    expected = model.session.run_in_chunks(model.rows)
    codes = np.zeros(expected.leaves.T.shape, np.uint16)
    for predictions in (session.fill(codes, [model.rows]), session.predict(model.rows)):
        assert predictions.scores.dtype == expected.scores.dtype
        np.testing.assert_array_equal(predictions.scores, expected.scores)
        np.testing.assert_array_equal(predictions.labels, expected.labels)
    np.testing.assert_array_equal(codes.T, expected.leaves)


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.sampled("thirds")
def test_every_family_has_the_leaves_scores_and_labels_of_onnxruntime(name: str) -> None:
    model = fitted(name)
    session = walked(model)

    assert_same(session, model)
    assert compare_engines(session, model.read.ensemble, model.rows).name == "walker"
    assert (model.read.description.scoring is not None) == (not name.startswith(SCORED_BY_THE_GRAPH))


@pytest.mark.parametrize("name", PIPELINES)
def test_what_is_computed_before_the_trees_is_computed_by_the_graph(name: str) -> None:
    model = fitted_pipeline(name)
    session = walked(model)

    assert_same(session, model)
    engine = compare_engines(session, model.read.ensemble, model.rows.take(slice(0, 100)))
    assert engine.name == "walker", engine.reason


def test_near_ties_have_the_labels_of_onnxruntime() -> None:
    model = undecided_forest()
    assert_same(walked(model), model)


def test_a_walker_that_differs_is_not_used() -> None:
    model = fitted("random_forest_binary")
    session = walked(model)
    leaf = session.walker.words.leaf
    leaf[np.flatnonzero(leaf == 1)[0]] = 0

    engine = compare_engines(session, model.read.ensemble)

    assert engine.name == "onnxruntime"
    assert "other leaves" in str(engine.reason)


def test_hard_rows_are_at_the_thresholds() -> None:
    model = fitted("random_forest_binary")
    rng = np.random.default_rng(0)

    rows = HardRows.of(model.read.description, model.read.ensemble).draw(500, rng, has_missing=True)

    values = np.stack(rows.columns)
    hit = np.isin(values, model.read.ensemble.threshold).mean()
    assert 0.2 < hit < 0.5
    assert np.isnan(values).any()
    assert np.signbit(values[values == 0]).any()


def test_leaves_are_the_scores_for_hard_rows_that_are_infinite_or_that_scaling_makes_infinite() -> None:
    model = fitted_pipeline("missing_kept")
    ensemble, rng = model.read.ensemble, np.random.default_rng(0)
    hard_rows = HardRows.of(model.read.description, ensemble)

    for _ in range(16):
        rows = hard_rows.draw(256, rng, has_missing=True)
        assert any(np.isinf(column).any() for column in rows.columns if column.dtype != object)
        outcome = model.session.run(model.session.encode(rows))
        sums = ensemble.leaf_values[ensemble.leaf_offsets[:-1] + outcome.leaves, 0].sum(axis=1)
        np.testing.assert_allclose(outcome.scores[:, 1], sums, atol=1e-6)
