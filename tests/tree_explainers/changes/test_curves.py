"""Curves beside the model itself: each step at both of its ends, and values between which nobody knew of a step."""

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from tests.support.models import ALL_MODELS, FittedModel, fitted
from tests.support.naive_curves import numbers_to_try, scores_with
from tests.support.native_models import NATIVE
from tests.support.pipelines import PIPELINES, FittedPipeline, fitted_pipeline
from tests.support.tree_graphs import random_trees, regressor
from tests.tree_explainers.onnx_models.test_monotone_functions import graph_of as graph_of_functions
from tree_explainers.changes.axis_search import find_axes
from tree_explainers.changes.curves import CategoryCurve, Curve, CurveModel, NumberCurve, merged
from tree_explainers.ensemble import Operator
from tree_explainers.onnx_models.description import DeclaredModel, FeatureGroup, GroupColumn, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.tree_inputs import TreeInputs
from tree_explainers.rows import Rows


def curve_model(read: ReadModel, session: ModelSession, rows: Rows) -> CurveModel:
    return CurveModel.of(session, TreeInputs(read.description, read.ensemble, read.for_walker), rows)


def assert_as_predicted(model: CurveModel, row: Rows, thresholds: np.ndarray[Any, Any]) -> int:
    """Compare all curves of a row with predictions; return the number of steps."""
    curves = model.curves(row)
    for curve, axis in zip(curves, model.axes.axes, strict=True):
        names = [model.feature_names[at] for at in axis.raw_indices]
        changes = [dict(zip(names, axis.raw_values(at), strict=True)) for at in range(axis.n_bins)]
        expected = [at_bin(curve, axis.categories, axis.lows, at) for at in range(axis.n_bins)]
        if isinstance(curve, NumberCurve) and axis.is_unbounded and axis.grid is not None and not axis.grid.is_whole:
            numbers = numbers_to_try(thresholds, np.random.default_rng(0))
            ends = [float(end) for end in np.concatenate((curve.lows, curve.highs)) if np.isfinite(end)]
            changes += [{names[0]: number} for number in [*numbers, *ends]]
            expected += [at_number(curve, number, axis.grid.input_type) for number in [*numbers, *ends]]
        predicted = scores_with(model.session, row, changes)
        if model.session.description.scoring is None:  # onnxruntime adds doubles in an order of its own
            np.testing.assert_allclose(np.array(expected), predicted, rtol=1e-12)
        else:
            np.testing.assert_array_equal(np.array(expected), predicted, err_msg=axis.feature)
    return sum(len(curve.scores) for curve in curves)


def at_bin(curve: Curve, categories: tuple[str | None, ...], lows: Any, at: int) -> Any:
    if isinstance(curve, CategoryCurve):
        return curve.scores[at] if at < len(categories) else curve.missing
    return at_number(curve, lows[at], "double") if at < len(lows) else curve.missing


def at_number(curve: NumberCurve, number: float, input_type: str) -> Any:
    read = float(np.float32(number)) if input_type == "float" else number
    (step,) = np.flatnonzero((curve.lows <= read) & (read <= curve.highs))
    return curve.scores[step]


def thresholds_of(read: ReadModel) -> Any:
    is_number = ~np.isin(read.ensemble.operator, (Operator.LEAF, Operator.MEMBER))
    return read.ensemble.threshold[is_number & np.isfinite(read.ensemble.threshold)][:30]


def assert_model(model: FittedModel | FittedPipeline, n_rows: int = 1) -> None:
    curves = curve_model(model.read, model.session, model.rows)
    for row in np.random.default_rng(0).integers(0, len(model.rows), n_rows).tolist():
        n_steps = assert_as_predicted(curves, model.rows.take(slice(row, row + 1)), thresholds_of(model.read))
        assert n_steps >= len(curves.axes.axes)


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.sampled("thirds")
def test_every_family_predicts_what_its_curves_say(name: str) -> None:
    assert_model(fitted(name))


@pytest.mark.parametrize("name", [*PIPELINES, *NATIVE])
def test_raw_features_before_preprocessing_have_exact_curves(name: str) -> None:
    assert_model(fitted_pipeline(name))


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_trees_of_all_operators_have_exact_curves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = regressor(random_trees(rng, n_trees=int(rng.integers(1, 9)), n_features=3), 3, TensorProto.FLOAT)
    read = read_model(graph.SerializeToString(), DeclaredModel(), ModelLimits())
    values = rng.integers(-3, 4, size=(1, 3)).astype(np.float64)
    values[rng.random(values.shape) < 0.2] = np.nan
    row = Rows(read.description.feature_names, tuple(values.T))
    model = curve_model(read, ModelSession(read.leaf_graph, read.description), row)
    assert_as_predicted(model, row, read.ensemble.threshold)


def test_a_feature_in_a_function_has_steps_where_the_graph_has_them_and_none_where_it_is_not_defined() -> None:
    data = graph_of_functions([("Add", [1.0]), ("Log", [])], [0.25, 1.5, 2.75])
    read = read_model(data, DeclaredModel(), ModelLimits())
    row = Rows(read.description.feature_names, (np.array([3.0]),))
    model = curve_model(read, ModelSession(read.leaf_graph, read.description), row)

    (curve,) = model.curves(row)

    assert isinstance(curve, NumberCurve)
    np.testing.assert_allclose(curve.highs[:-1], [-1.0, *np.expm1([0.25, 1.5, 2.75])], atol=1e-6)
    np.testing.assert_array_equal(curve.scores[:, 0], [0, 3, 2, 1, 0])
    for end in curve.highs[:-1]:
        below, above = scores_with(model.session, row, [{"x": end}, {"x": float(np.nextafter(end, np.inf))}])
        assert below != above


def test_a_scaled_feature_turns_between_neighbouring_numbers() -> None:
    model = fitted_pipeline("scaled_and_one_hot")
    row = model.rows.take(slice(0, 1))
    curves = {curve.feature: curve for curve in curve_model(model.read, model.session, model.rows).curves(row)}

    fare = curves["fare"]

    assert isinstance(fare, NumberCurve)
    assert len(fare.lows) > 10
    singles = fare.highs[:-1].astype(np.float32)
    np.testing.assert_array_equal(np.nextafter(singles, np.float32(np.inf)), fare.lows[1:])
    changes = [{"fare": float(end)} for pair in zip(fare.highs[:-1], fare.lows[1:], strict=True) for end in pair]
    predicted = scores_with(model.session, row, changes)
    assert (predicted[::2] != predicted[1::2]).any(axis=1).all()


def test_a_declared_one_hot_group_is_one_feature_whose_columns_move_together() -> None:
    attributes = {
        "n_targets": 1,
        "nodes_treeids": [0, 0, 0, 1, 1, 1],
        "nodes_nodeids": [0, 1, 2, 0, 1, 2],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
        "nodes_featureids": [1, 0, 0, 2, 0, 0],
        "nodes_values": [0.5, 0.0, 0.0] * 2,
        "nodes_truenodeids": [1, 0, 0] * 2,
        "nodes_falsenodeids": [2, 0, 0] * 2,
        "target_treeids": [0, 0, 1, 1],
        "target_nodeids": [1, 2, 1, 2],
        "target_ids": [0] * 4,
        "target_weights": [1.0, 2.0, 10.0, 20.0],
    }
    group = FeatureGroup("colour", (GroupColumn("red", "red"), GroupColumn("blue", "blue")))
    declared = DeclaredModel(feature_names=("size", "red", "blue"), feature_groups=(group,))
    read = read_model(regressor(attributes).SerializeToString(), declared, ModelLimits())
    row = Rows(("size", "red", "blue"), (np.array([5.0]), np.array([1.0]), np.array([0.0])))
    model = curve_model(read, ModelSession(read.leaf_graph, read.description), row)

    (curve,) = model.curves(row)

    assert isinstance(curve, CategoryCurve)
    assert (curve.feature, curve.categories, curve.own) == ("colour", ("red", "blue", None), 0)
    assert curve.scores[:, 0].tolist() == [12.0, 21.0, 11.0]
    assert curve.missing is None


def test_features_that_are_mixed_have_no_axis_and_are_named() -> None:
    model = fitted_pipeline("principal_components")
    axes = find_axes(TreeInputs(model.read.description, model.read.ensemble, model.read.for_walker), model.rows)
    assert axes.obscure == ("age", "fare")
    assert [axis.feature for axis in axes.axes] == ["pclass"]


def test_a_feature_that_the_rows_trees_do_not_test_has_one_step() -> None:
    model = fitted("decision_tree_binary")
    curves = curve_model(model.read, model.session, model.rows)
    row = model.rows.take(slice(0, 1))
    steps = [len(curve.scores) for curve in curves.curves(row)]
    assert min(steps) == 1
    assert max(steps) > 1
    own = model.session.predict(row).scores[0]
    for curve in curves.curves(row):
        np.testing.assert_array_equal(curve.scores[curve.own], own)


def test_whole_number_inputs_have_whole_ends() -> None:
    graph = onnx.load_from_string(fitted_pipeline("scaled_and_one_hot").onnx)
    types = {each.name: each.type.tensor_type.elem_type for each in graph.graph.input}
    assert types["pclass"] == TensorProto.INT64
    model = fitted_pipeline("scaled_and_one_hot")
    curves = curve_model(model.read, model.session, model.rows).curves(
        model.rows.take(slice(3, 4)), ["pclass", "sibsp"]
    )
    for curve in curves:
        assert isinstance(curve, NumberCurve)
        assert curve.missing is None
        ends = np.concatenate((curve.highs[:-1], curve.lows[1:]))
        assert (ends == np.round(ends)).all()
        np.testing.assert_array_equal(curve.lows[1:] - curve.highs[:-1], 1)


@pytest.mark.parametrize("resolution", [0.001, 0.02, 0.3, 2.0])
def test_merged_steps_differ_by_less_than_the_resolution_from_what_they_stand_for(resolution: float) -> None:
    model = fitted("random_forest_binary")
    for curve in curve_model(model.read, model.session, model.rows).curves(model.rows.take(slice(0, 1))):
        assert isinstance(curve, NumberCurve)
        fewer = merged(curve, 1, resolution)
        assert len(fewer.lows) <= len(curve.lows)
        assert (len(fewer.lows) == 1) or resolution < 1
        assert (fewer.lows[0], fewer.highs[-1]) == (-np.inf, np.inf)
        np.testing.assert_array_equal(
            fewer.lows[1:], np.nextafter(fewer.highs[:-1].astype(np.float32), np.float32(np.inf))
        )
        np.testing.assert_array_equal(fewer.scores[fewer.own], curve.scores[curve.own])
        exact = np.array([at_number(fewer, high, "double")[1] for high in np.append(curve.highs[:-1], 1e30)])
        assert (np.abs(exact - curve.scores[:, 1]) < 2 * resolution).all()
