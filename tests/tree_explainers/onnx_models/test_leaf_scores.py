"""Scores of the walker's sums: base values and links give onnxruntime's scores to the last digit, or are left to it."""

import json
from typing import Any

import numpy as np
import onnx
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leafspace_client.conversion import convert_model
from onnx import ModelProto, TensorProto, helper
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import library
from tests.support.tree_graphs import random_trees, regressor
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits, Scoring
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

N_FEATURES, N_ROWS = 3, 2_000


def classifier(
    rng: np.random.Generator, n_classes: int, transform: str, base: list[float], *, scale: float = 1.0, n_trees: int = 6
) -> dict[str, Any]:
    """Return the attributes of random trees: one class each; where there are two, as exporters write it."""
    attributes = random_trees(rng, n_trees, N_FEATURES)
    del attributes["n_targets"]
    trees = attributes.pop("target_treeids")
    weights = (scale * np.array(attributes.pop("target_weights"), np.float32)).tolist()
    del attributes["target_ids"]
    return {
        **attributes,
        **({"base_values": base} if base else {}),
        "class_treeids": trees,
        "class_nodeids": attributes.pop("target_nodeids"),
        "class_ids": [tree % n_classes if n_classes > 2 else 0 for tree in trees],
        "class_weights": weights,
        "classlabels_int64s": list(range(n_classes)),
        "post_transform": transform,
    }


def graph_of(attributes: dict[str, Any]) -> ModelProto:
    attributes.pop("target_nodeids", None)
    n_classes = len(attributes["classlabels_int64s"])
    node = helper.make_node("TreeEnsembleClassifier", ["X"], ["label", "Y"], domain="ai.onnx.ml", **attributes)
    graph = helper.make_graph(
        [node],
        "trees",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, N_FEATURES])],
        [
            helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
            helper.make_tensor_value_info("Y", TensorProto.FLOAT, [None, n_classes]),
        ],
    )
    opsets = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def read(model: ModelProto) -> ReadModel:
    return read_model(model.SerializeToString(), DeclaredModel(), ModelLimits())


def assert_scored_as_by_onnxruntime(model: ReadModel, rng: np.random.Generator) -> None:
    session = WalkedSession(lambda: model.leaf_graph, model.description, model.ensemble, model.for_walker)
    columns = tuple((3 * rng.normal(size=(N_FEATURES, N_ROWS))).astype(np.float32).astype(np.float64))
    rows = Rows(model.description.feature_names, columns)
    expected, found = session.run(session.encode(rows)), session.predict(rows)

    assert found.scores.dtype == expected.scores.dtype
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.labels, expected.labels)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    case=st.sampled_from(
        [
            (2, "LOGISTIC", 0),
            (2, "LOGISTIC", 1),
            (3, "LOGISTIC", 0),
            (3, "SOFTMAX", 0),
            (3, "SOFTMAX", 3),
            (5, "NONE", 5),
        ]
    ),
    scale=st.sampled_from([1e-4, 0.1, 1.0, 5.0, 60.0]),
)
def test_links_and_base_values_give_the_scores_of_onnxruntime(
    seed: int, case: tuple[int, str, int], scale: float
) -> None:
    rng = np.random.default_rng(seed)
    n_classes, transform, n_base = case
    attributes = classifier(rng, n_classes, transform, rng.normal(size=n_base).tolist(), scale=scale)
    attributes["class_weights"][0] = -scale
    model = read(graph_of(attributes))

    assert model.description.scoring is not None
    assert_scored_as_by_onnxruntime(model, rng)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_depth", [3, None])
def test_a_forest_that_the_sdk_converts_is_scored_by_the_walker(n_classes: int, max_depth: int | None) -> None:
    """Of three classes only where each leaf has one: sums of parts of several are multiplied by a matrix."""
    rng = np.random.default_rng(n_classes)
    features = (3 * rng.normal(size=(400, N_FEATURES))).astype(np.float32)
    target = np.digitize(features[:, 0] * features[:, 1] + rng.normal(size=400), [0, 1][: n_classes - 1])
    forest = RandomForestClassifier(30, max_depth=max_depth, random_state=0).fit(features, target)
    columns = pd.DataFrame(features, columns=["a", "b", "c"])
    model = read_model(convert_model(forest, columns).onnx, DeclaredModel(), ModelLimits())

    expected = {2: Scoring("double", whole=30.0, divisor=30.0), 3: Scoring("double", divisor=30.0)}[n_classes]
    assert model.description.scoring == (expected if n_classes == 2 or max_depth is None else None)
    assert_scored_as_by_onnxruntime(model, rng)
    kept = ModelDescription.from_json(json.loads(json.dumps(model.description.to_json())))
    assert kept.scoring == model.description.scoring


def test_a_booster_of_values_that_the_sdk_converts_is_scored_by_the_walker() -> None:
    rng = np.random.default_rng(4)
    features = rng.normal(size=(200, N_FEATURES)).astype(np.float32)
    booster = library("xgboost").XGBRegressor(n_estimators=6, max_depth=3, base_score=0.7, n_jobs=1)
    content = convert_model(booster.fit(features, features[:, 0]), features).onnx
    model = read_model(content, DeclaredModel(), ModelLimits())

    assert model.description.scoring == Scoring("double", (float(np.float32(0.7)),))
    assert_scored_as_by_onnxruntime(model, rng)


@pytest.mark.parametrize("name", ["first", "axis", "divisor", "label"])
def test_shares_of_both_classes_that_are_made_in_another_way_are_left_to_onnxruntime(name: str) -> None:
    rng = np.random.default_rng(3)
    features = rng.normal(size=(200, N_FEATURES)).astype(np.float32)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(features, features[:, 0] > 0)
    content = convert_model(forest, pd.DataFrame(features, columns=["a", "b", "c"])).onnx
    assert read_model(content, DeclaredModel(), ModelLimits()).description.scoring is not None
    model = onnx.load_from_string(content)
    (rest,), (both,), (divided,), (picked,) = (
        [node for node in model.graph.node if node.op_type == kind] for kind in ("Sub", "Concat", "Div", "ArgMax")
    )
    if name == "first":
        rest.input[:] = rest.input[::-1]
    elif name == "axis":
        both.input[:] = both.input[::-1]
    elif name == "divisor":
        divided.op_type = "Mul"
    else:
        picked.op_type = "ArgMin"

    assert read_model(model.SerializeToString(), DeclaredModel(), ModelLimits()).description.scoring is None


@pytest.mark.parametrize("element", [TensorProto.FLOAT, TensorProto.DOUBLE])
def test_a_regression_adds_its_base_value_last(element: int) -> None:
    rng, is_double = np.random.default_rng(5), element == TensorProto.DOUBLE
    attributes = random_trees(rng, 7, N_FEATURES)
    names = ("nodes_values", "target_weights") if is_double else ()
    for name in names:
        values = attributes.pop(name)
        attributes[f"{name}_as_tensor"] = helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)
    if is_double:
        attributes["base_values_as_tensor"] = helper.make_tensor("base_values", TensorProto.DOUBLE, [1], [152.1])
    else:
        attributes["base_values"] = [152.1]
    model = read(regressor(attributes, N_FEATURES, element))

    assert model.description.scoring is not None
    assert model.description.scoring.base_values == pytest.approx((152.1,))
    assert_scored_as_by_onnxruntime(model, rng)


def test_what_the_operator_does_otherwise_is_left_to_onnxruntime() -> None:
    rng = np.random.default_rng(1)
    all_positive = classifier(rng, 2, "LOGISTIC", [])
    all_positive["class_weights"] = [abs(weight) for weight in all_positive["class_weights"]]
    without_a_third = classifier(rng, 3, "SOFTMAX", [])
    without_a_third["class_ids"] = [min(each, 1) for each in without_a_third["class_ids"]]
    both_of_two = classifier(rng, 2, "LOGISTIC", [])
    both_of_two["class_ids"] = [at % 2 for at in range(len(both_of_two["class_ids"]))]
    of_the_second = classifier(rng, 2, "LOGISTIC", [])
    of_the_second["class_ids"] = [1] * len(of_the_second["class_ids"])
    others = [
        of_the_second,
        all_positive,
        without_a_third,
        both_of_two,
        classifier(rng, 2, "NONE", [0.5]),
        classifier(rng, 3, "SOFTMAX", [0.5]),
        classifier(rng, 2, "PROBIT", []),
        classifier(rng, 3, "SOFTMAX_ZERO", []),
    ]

    assert [read(graph_of(attributes)).description.scoring for attributes in others] == [None] * len(others)
