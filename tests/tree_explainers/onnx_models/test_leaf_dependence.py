"""Whether trees decide is asked of the graph: what is fine, what is refused, and what is said of shares."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from tests.support.models import Estimator
from tests.support.tree_graphs import graph_of, stump
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits

_RNG = np.random.default_rng(3)
_X = _RNG.normal(size=(150, 3)).astype(np.float32)
_THREE = np.digitize(_X[:, 0] + _X[:, 1] ** 2, [0.2, 1.2])


def described(model: ModelProto, **declared: Any) -> ModelDescription:  # of a DeclaredModel
    return derive_model(model.SerializeToString(), DeclaredModel(**declared), ModelLimits()).read.description


def trees(output: str, weights: Sequence[float] = (10.0, 20.0), feature: int = 0) -> NodeProto:
    attributes = stump() | {"target_weights": list(weights), "nodes_featureids": [feature, 0, 0]}
    return helper.make_node("TreeEnsembleRegressor", ["X"], [output], domain="ai.onnx.ml", **attributes)


def linear(output: str, read: str = "X", size: float = 1.0, width: int = 3) -> NodeProto:
    coefficients = [size] * width
    return helper.make_node(
        "LinearRegressor", [read], [output], domain="ai.onnx.ml", coefficients=coefficients, targets=1
    )


def graph(*nodes: NodeProto, **constants: Any) -> ModelProto:  # arrays
    model = graph_of(nodes)
    model.graph.initializer.extend(
        numpy_helper.from_array(np.array(value, np.float32), name) for name, value in constants.items()
    )
    return model


def node(op_type: str, inputs: Sequence[str], output: str = "Y", **attributes: Any) -> NodeProto:
    return helper.make_node(op_type, inputs, [output], **attributes)


REFUSED: dict[str, tuple[ModelProto, str]] = {
    "product": (graph(trees("a"), trees("b", feature=1), node("Mul", ["a", "b"])), "Mul makes more of two ensembles"),
    "ratio": (graph(trees("a"), trees("b", feature=1), node("Div", ["a", "b"])), "Div makes more of two ensembles"),
    "gate": (
        graph(
            trees("a"),
            trees("b", feature=1),
            node("Greater", ["a", "limit"], "is_high"),
            node("Where", ["is_high", "b", "limit"]),
            limit=[[12.0]],
        ),
        "Where makes more of two ensembles",
    ),
    "product of several": (
        graph(
            trees("a"),
            trees("b", feature=1),
            node("Concat", ["a", "b"], "ab", axis=1),
            node("ReduceProd", ["ab"], axes=[1]),
        ),
        "ReduceProd multiplies several ensembles",
    ),
    "sum with a linear model": (
        graph(trees("a"), linear("l", size=50.0), node("Add", ["a", "l"])),
        "past the trees, by LinearRegressor: .*% of what decides goes through trees",
    ),
    "product with the input": (
        graph(trees("a"), node("ReduceSum", ["X", "columns"], "x"), node("Mul", ["a", "x"])),
        "past the trees, by ReduceSum: .*%",
    ),
    "not connected": (graph(trees("a"), linear("Y")), "No ensemble of trees leads to the scores"),
    "linear model of trees": (
        graph(
            trees("a"), trees("b", feature=1), node("Concat", ["a", "b"], "ab", axis=1), linear("Y", "ab", width=2)
        ),
        r"A linear model \(LinearRegressor\) reads what trees predict",
    ),
    "matrix of trees": (
        graph(
            trees("a"),
            trees("b", feature=1),
            node("Concat", ["a", "b"], "ab", axis=1),
            node("MatMul", ["ab", "matrix"]),
            matrix=[[2.0], [-1.0]],
        ),
        r"A linear model \(MatMul\) reads what several ensembles",
    ),
    "trees of trees": (
        graph(
            trees("a"),
            helper.make_node("TreeEnsembleRegressor", ["a"], ["Y"], domain="ai.onnx.ml", **stump()),
        ),
        "Trees read what other trees predict",
    ),
}  # fmt: skip
REFUSED["product with the input"][0].graph.initializer.append(numpy_helper.from_array(np.array([1]), "columns"))


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_that_trees_do_not_decide_is_refused_with_what_decides(name: str) -> None:
    model, reason = REFUSED[name]

    with pytest.raises(ModelRefused, match=reason) as refusal:
        described(model)

    assert refusal.value.code == "model_not_a_tree_ensemble"
    assert "`oracle_only`" in refusal.value.detail
    assert described(model, oracle_only=True).oracle_only


@pytest.mark.parametrize(
    "estimator",
    [
        StackingClassifier([("a", RandomForestClassifier(3, max_depth=2))], LogisticRegression()),
        StackingClassifier([("a", RandomForestClassifier(3, max_depth=2))], RandomForestClassifier(3, max_depth=2)),
        StackingRegressor([("a", RandomForestRegressor(3, max_depth=2))], LinearRegression(), passthrough=True),
        OneVsRestClassifier(StackingClassifier([("a", RandomForestClassifier(3, max_depth=2))])),
    ],
    ids=["linear", "forest", "with the inputs", "inside"],
)
def test_stacks_are_refused_wherever_they_are(estimator: Estimator) -> None:
    model = to_onnx(estimator.fit(_X, _THREE), _X[:1])

    with pytest.raises(ModelRefused, match=r"reads? what (other )?trees predict"):
        described(model)


FINE: dict[str, ModelProto] = {
    "one": graph(trees("Y")),
    "link": graph(trees("a"), node("Exp", ["a"])),
    "sum": graph(trees("a"), trees("b", feature=1), node("Add", ["a", "b"])),
    "difference": graph(trees("a"), trees("b", feature=1), node("Sub", ["a", "b"])),
    "mean": graph(
        trees("a"),
        trees("b", feature=1),
        node("Concat", ["a", "b"], "ab", axis=1),
        node("ReduceMean", ["ab"], axes=[1]),
    ),
    "mean by a matrix": graph(
        trees("a"),
        trees("b", feature=1),
        node("Concat", ["a", "b"], "ab", axis=1),
        node("MatMul", ["ab", "half"]),
        half=[[0.5], [0.5]],
    ),
    "share of all": graph(trees("a"), trees("b", feature=1), node("Add", ["a", "b"], "sum"), node("Div", ["a", "sum"])),
    "steps": graph(
        trees("a"), node("Greater", ["a", "limit"], "is_high"), node("Where", ["is_high", "a", "limit"]), limit=[[12.0]]
    ),
    "a linear model that weighs nothing": graph(trees("a"), linear("l", size=0.0), node("Add", ["a", "l"])),
    "the number of rows": graph(
        trees("a"),
        node("Shape", ["X"], "shape"),
        node("ConstantOfShape", ["shape"], "zeros"),
        node("ReduceSum", ["zeros", "columns"], "zero"),
        node("Add", ["a", "zero"]),
    ),
}
FINE["the number of rows"].graph.initializer.append(numpy_helper.from_array(np.array([1]), "columns"))


@pytest.mark.parametrize("name", FINE)
def test_sums_means_and_functions_of_what_trees_predict_are_fine(name: str) -> None:
    assert described(FINE[name]).warnings == ()


@pytest.mark.parametrize(
    "estimator",
    [
        BaggingClassifier(RandomForestClassifier(3, max_depth=2, random_state=0), 3, random_state=0),
        OneVsRestClassifier(RandomForestClassifier(3, max_depth=2, random_state=0)),
        CalibratedClassifierCV(RandomForestClassifier(3, max_depth=2, random_state=0), cv=2),
        CalibratedClassifierCV(RandomForestClassifier(3, max_depth=2, random_state=0), cv=2, method="isotonic"),
        AdaBoostRegressor(n_estimators=3, random_state=0),
    ],
    ids=["bagging", "one_vs_rest", "sigmoid", "isotonic", "boosting"],
)
def test_wrappers_of_ensembles_are_fine(estimator: Estimator) -> None:
    description = described(to_onnx(estimator.fit(_X, _THREE), _X[:1]))

    assert description.n_trees > 1
    assert description.warnings == ()


def test_a_small_share_past_the_trees_is_said_in_figures() -> None:
    (warning,) = described(graph(trees("a"), linear("l", size=0.5), node("Add", ["a", "l"]))).warnings

    assert warning.code == "trees_decide_in_part"
    assert "past the trees, by LinearRegressor: " in warning.detail
    share = int(warning.detail.split("LinearRegressor: ")[1].split("%")[0])
    assert 75 <= share < 100


def test_ensembles_that_count_by_other_weights_than_their_trees_are_listed() -> None:
    weighted = graph(
        trees("a"),
        trees("b", feature=1),
        node("Mul", ["a", "small"], "wa"),
        node("Mul", ["b", "large"], "wb"),
        node("Add", ["wa", "wb"]),
        small=[[0.02]],
        large=[[0.98]],
    )

    (warning,) = described(weighted).warnings

    assert warning.code == "weighted_ensembles"
    assert "ensemble 1 of 1 tree: 2.0% of the score, 50.0% of the trees" in warning.detail
    assert "ensemble 2 of 1 tree: 98.0% of the score" in warning.detail


def test_an_ensemble_that_leads_nowhere_is_left_out_and_named() -> None:
    description = described(graph(trees("Y"), trees("b", feature=1)))

    (warning,) = description.warnings
    assert warning.code == "unused_ensembles"
    assert description.n_trees == 1


def test_a_label_past_the_trees_is_refused_too() -> None:
    model = graph(
        trees("Y"),
        node("ReduceSum", ["X", "columns"], "x"),
        node("Greater", ["x", "zero"], "is_high"),
        node("Cast", ["is_high"], "label", to=TensorProto.INT64),
        zero=[[0.0]],
    )
    model.graph.initializer.append(numpy_helper.from_array(np.array([1]), "columns"))
    model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.INT64, [None, 1]))

    with pytest.raises(ModelRefused, match="past the trees, by ReduceSum"):
        described(model)
