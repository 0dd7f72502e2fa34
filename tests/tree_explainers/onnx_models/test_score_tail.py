"""Predictions that the tail of a graph makes of the walker's sums: bit by bit those that the graph makes of rows."""

from dataclasses import replace
from functools import cache

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from leafspace_client.conversion.models import convert_model
from onnx import ModelProto, TensorProto, helper
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier

from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.effects.walked_rows import WalkedRows
from tree_explainers.onnx_models import engine_comparison
from tree_explainers.onnx_models.description import DeclaredModel, Engine, ModelLimits
from tree_explainers.onnx_models.engine_comparison import HardRows, compare_engines
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.score_tail import score_tail
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

MODELS = {
    "lightgbm": (lightgbm.LGBMClassifier(n_estimators=30, verbose=-1), load_breast_cancer),
    "lightgbm, three classes": (lightgbm.LGBMClassifier(n_estimators=15, verbose=-1), load_wine),
    "xgboost": (xgboost.XGBClassifier(n_estimators=30), load_breast_cancer),
    "histograms": (HistGradientBoostingClassifier(max_iter=30), load_breast_cancer),
}


@cache
def _read(name: str) -> tuple[ReadModel, Rows]:
    estimator, load = MODELS[name]
    data = load(as_frame=True)
    frame: pd.DataFrame = data.data.astype(np.float32).astype(float)
    content = convert_model(estimator.fit(frame, data.target), frame).onnx
    read = read_model(content, DeclaredModel(), ModelLimits())
    columns = tuple(frame[name].to_numpy() for name in frame)
    return read, Rows(read.description.feature_names, columns)


def _walked(read: ReadModel) -> WalkedSession:
    return WalkedSession(lambda: read.leaf_graph, read.description, read.ensemble, read.for_walker)


@pytest.mark.parametrize("name", MODELS)
def test_rows_alone_and_together_have_the_predictions_of_the_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, rows = _read(name)
    monkeypatch.setattr(engine_comparison, "_MOST_ROWS", 512)
    engine = compare_engines(_walked(read), read.ensemble, rows)
    assert read.description.scoring is None
    assert engine == Engine("walker", None, has_tail=True)

    read = replace(read, description=replace(read.description, engine=engine))
    session, parts = ModelSession(read.leaf_graph, read.description), read.for_walker
    effects = EnsembleEffects.of(read.description, parts.as_read(read.ensemble))
    columns = TreeColumns(read.description, parts)
    walk = WalkedRows.of(session, columns, effects.trees, read.ensemble, parts)
    hard_rows = HardRows.of(read.description, read.ensemble).draw(150, np.random.default_rng(0), has_missing=True)
    assert walk is not None
    for each, n_together in ((rows.take(slice(0, 20)), 1), (rows.take(slice(0, 120)), 120), (hard_rows, 7)):
        for start in range(0, len(each), n_together):
            part = each.take(slice(start, start + n_together))
            expected, outcome = session.run_rows(part).outcome, walk.outcome(part)
            assert outcome is not None
            assert outcome.scores.dtype == expected.scores.dtype
            np.testing.assert_array_equal(outcome.scores, expected.scores)
            np.testing.assert_array_equal(outcome.labels, expected.labels)
            np.testing.assert_array_equal(outcome.leaves, expected.leaves)


def test_many_rows_of_jobs_have_the_predictions_of_the_graph() -> None:
    read, rows = _read("lightgbm")
    engine = Engine("walker", None, has_tail=True)
    session = _walked(replace(read, description=replace(read.description, engine=engine)))
    expected = ModelSession(read.leaf_graph, read.description).run_in_chunks(rows)

    codes = np.zeros(expected.leaves.T.shape, np.uint16)
    for predictions in (session.fill(codes, [rows]), session.predict(rows)):
        np.testing.assert_array_equal(predictions.scores, expected.scores)
        np.testing.assert_array_equal(predictions.labels, expected.labels)
    np.testing.assert_array_equal(codes.T, expected.leaves)


def test_sums_that_make_other_predictions_are_not_used() -> None:
    read, rows = _read("lightgbm")
    session = _walked(read)
    session.walker.values[:] *= 1 + 1e-12

    assert compare_engines(session, read.ensemble, rows) == Engine("walker", None, has_tail=False)
    assert session.description.engine.has_tail is False


def test_a_tail_is_kept_as_arrays() -> None:
    parts = _read("xgboost")[0].for_walker
    assert parts.tail is not None
    assert WalkedParts.from_arrays(parts.to_arrays()).tail == parts.tail
    without = replace(parts, tail=None)
    assert WalkedParts.from_arrays(without.to_arrays()).tail is None


def test_predictions_that_need_more_than_the_sums_have_no_tail() -> None:
    nodes = [
        helper.make_node("Sum", ["x"], ["sums"]),
        helper.make_node("Sigmoid", ["sums"], ["scores"]),
        helper.make_node("Add", ["scores", "x"], ["of_both"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 1])]
    model = helper.make_model(helper.make_graph(nodes, "graph", inputs, []))

    assert score_tail(model, "sums", "single", ["of_both"]) is None
    tail = score_tail(model, "sums", "single", ["scores"])
    assert tail is not None
    assert [node.op_type for node in ModelProto.FromString(tail.graph).graph.node] == ["Sigmoid"]
