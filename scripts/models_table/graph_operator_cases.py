"""Cases of ONNX graphs written by hand: labels, scores and other operators around trees, and graphs that are wrong."""

from typing import Any

import numpy as np
from onnx import TensorProto, helper

from .cases import Group, Prediction
from .graph_truth import by_highest_score, by_runtime, of_graph
from .graph_writing import ML_DOMAIN, NODES, classifier_node, make_node, model_of, regressor_node

_VALUE = [("value", TensorProto.FLOAT)]


_SCORED = [("label", TensorProto.INT64), ("scores", TensorProto.FLOAT)]


_FLOATS = (1.0, 2.5, -0.5, 0.75, 3.0)


_SHARES = [(0.3, 0.1, 0.1), (0.1, 0.3, 0.1), (0.2, 0.2, 0.1), (0.05, 0.05, 0.4), (0.3, 0.1, 0.1)]


_VOTES = [(1, 0, 0), (0, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]


_TWO = [(0.4, 0.1), (0.1, 0.4), (0.2, 0.3), (0.35, 0.15), (0.05, 0.45)]


_ONE_LEAF: dict[str, list[Any]] = {
    "nodes_treeids": [0],
    "nodes_nodeids": [0],
    "nodes_featureids": [0],
    "nodes_values": [0.0],
    "nodes_modes": ["LEAF"],
    "nodes_truenodeids": [0],
    "nodes_falsenodeids": [0],
}


_CAST = {"to": TensorProto.INT64}


_ARGMAX = make_node("ArgMax", ["scores"], ["number"], axis=1, keepdims=0)


_SCORES_ALONE = classifier_node(_SHARES)


_POST = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")


AROUND = Group(
    "ONNX graphs by hand: around the trees",
    "Labels and scores by other operators, operators before and after the trees, and what is wrong with graphs.",
    (
        of_graph(
            "scores without a label",
            model_of([_SCORES_ALONE], [("scores", TensorProto.FLOAT)]),
            classes=["0", "1", "2"],
            predict=by_highest_score,
        ),
        of_graph("a label without scores", model_of([_SCORES_ALONE], [("label", TensorProto.INT64)])),
        of_graph(
            "the label by ArgMax", model_of([_SCORES_ALONE, _ARGMAX], [("number", TensorProto.INT64), _SCORED[1]])
        ),
        of_graph(
            "the label by ArgMax, classes=[0, 1, 2]",
            model_of([_SCORES_ALONE, _ARGMAX], [("number", TensorProto.INT64), _SCORED[1]]),
            classes=[0, 1, 2],
        ),
        of_graph(
            "the label by ArgMax and Cast to int32",
            model_of(
                [_SCORES_ALONE, _ARGMAX, make_node("Cast", ["number"], ["whole"], to=TensorProto.INT32)],
                [("whole", TensorProto.INT32), _SCORED[1]],
            ),
        ),
        of_graph(
            "the label by Greater and Cast, of two scores",
            model_of(
                [
                    classifier_node(_TWO, (0, 1)),
                    make_node("Gather", ["scores", "one"], ["second"], axis=1),
                    make_node("Greater", ["second", "cut"], ["is_one"]),
                    make_node("Cast", ["is_one"], ["number"], **_CAST),
                ],
                [("number", TensorProto.INT64), _SCORED[1]],
                {"one": np.int64(1), "cut": np.float32(0.3)},
            ),
            "binary",
        ),
        of_graph(
            "the label by Greater, of a value",
            model_of(
                [
                    regressor_node((0.1, 0.2, 0.3, 0.1, 0.4)),
                    make_node("Greater", ["value", "cut"], ["is_one"]),
                    make_node("Cast", ["is_one"], ["number"], **_CAST),
                ],
                [("number", TensorProto.INT64), ("value", TensorProto.FLOAT)],
                {"cut": np.float32(0.3)},
            ),
            "binary",
            classes=["0", "1"],
            predict=lambda model, rows: Prediction(None, by_runtime(model, rows).labels),
        ),
        of_graph(
            "an ensemble, times 2, plus 1",
            model_of(
                [
                    regressor_node(_FLOATS, out="sum"),
                    make_node("Mul", ["sum", "two"], ["twice"]),
                    make_node("Add", ["twice", "one"], ["value"]),
                ],
                _VALUE,
                {"two": np.float32(2), "one": np.float32(1)},
            ),
            "values",
        ),
        of_graph(
            "an ensemble, then Exp",
            model_of(
                [regressor_node((0.1, 0.2, 0.3, 0.1, 0.4), out="sum"), make_node("Exp", ["sum"], ["value"])],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "an ensemble, then Sigmoid",
            model_of([regressor_node(_FLOATS, out="sum"), make_node("Sigmoid", ["sum"], ["value"])], _VALUE),
            "values",
        ),
        of_graph(
            "two ensembles, added",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    regressor_node(_FLOATS, out="b"),
                    make_node("Add", ["a", "b"], ["value"]),
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "two ensembles, multiplied",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    regressor_node(_FLOATS, out="b"),
                    make_node("Mul", ["a", "b"], ["value"]),
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "an ensemble plus a linear regression",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    make_node(
                        "LinearRegressor",
                        ["X"],
                        ["b"],
                        domain=ML_DOMAIN,
                        coefficients=[1.0, 2.0, 0.0, 0.5],
                        intercepts=[0.1],
                        targets=1,
                    ),
                    make_node("Add", ["a", "b"], ["value"]),
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "an ensemble plus a column",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    make_node("Gather", ["X", "first"], ["b"], axis=1),
                    make_node("Add", ["a", "b"], ["value"]),
                ],
                _VALUE,
                {"first": np.array([0])},
            ),
            "values",
        ),
        of_graph(
            "an ensemble that is not connected",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    make_node(
                        "LinearRegressor",
                        ["X"],
                        ["value"],
                        domain=ML_DOMAIN,
                        coefficients=[1.0, 2.0, 0.0, 0.5],
                        intercepts=[0.1],
                        targets=1,
                    ),
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "no ensemble",
            model_of(
                [
                    make_node(
                        "LinearRegressor",
                        ["X"],
                        ["value"],
                        domain=ML_DOMAIN,
                        coefficients=[1.0, 2.0, 0.0, 0.5],
                        intercepts=[0.1],
                        targets=1,
                    )
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "no ensemble, oracle_only",
            model_of(
                [
                    make_node(
                        "LinearRegressor",
                        ["X"],
                        ["value"],
                        domain=ML_DOMAIN,
                        coefficients=[1.0, 2.0, 0.0, 0.5],
                        intercepts=[0.1],
                        targets=1,
                    )
                ],
                _VALUE,
            ),
            "values",
            oracle_only=True,
        ),
        of_graph(
            "a scaler before the ensemble",
            model_of(
                [
                    make_node(
                        "Scaler",
                        ["X"],
                        ["S"],
                        domain=ML_DOMAIN,
                        offset=[0.1, 0.0, 0.2, 0.0],
                        scale=[2.0, 1.0, 0.5, 1.0],
                    ),
                    make_node(
                        "TreeEnsembleRegressor",
                        ["S"],
                        ["value"],
                        domain=ML_DOMAIN,
                        n_targets=1,
                        **NODES,
                        target_treeids=[0, 0, 1, 1, 1],
                        target_nodeids=[1, 2, 2, 3, 4],
                        target_ids=[0] * 5,
                        target_weights=list(_FLOATS),
                    ),
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "an operator of another domain",
            model_of(
                [regressor_node(_FLOATS, out="a"), make_node("Odd", ["a"], ["value"], domain="com.example")],
                _VALUE,
            ),
            "values",
            predict=lambda *_: None,
        ),
        of_graph(
            "an operator that writes files",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    make_node(
                        "If",
                        ["a"],
                        ["value"],
                        then_branch=helper.make_graph([], "t", [], []),
                        else_branch=helper.make_graph([], "e", [], []),
                    ),
                ],
                _VALUE,
            ),
            "values",
            predict=lambda *_: None,
        ),
        of_graph(
            "random numbers",
            model_of(
                [
                    regressor_node(_FLOATS, out="a"),
                    make_node("RandomNormalLike", ["a"], ["b"]),
                    make_node("Add", ["a", "b"], ["value"]),
                ],
                _VALUE,
            ),
            "values",
            predict=lambda *_: None,
        ),
        of_graph(
            "a node that leads to itself",
            model_of([regressor_node(_FLOATS, NODES | {"nodes_truenodeids": [0, 0, 0, 1, 3, 0, 0, 0]})], _VALUE),
            "values",
            predict=lambda *_: None,
        ),
        of_graph(
            "a feature that there is not",
            model_of([regressor_node(_FLOATS, NODES | {"nodes_featureids": [9, 0, 0, 1, 2, 0, 0, 0]})], _VALUE),
            "values",
            predict=lambda *_: None,
        ),
        of_graph(
            "a leaf without a weight",
            model_of(
                [
                    make_node(
                        "TreeEnsembleRegressor",
                        ["X"],
                        ["value"],
                        domain=ML_DOMAIN,
                        n_targets=1,
                        **NODES,
                        target_treeids=[0, 0, 1, 1],
                        target_nodeids=[1, 2, 2, 3],
                        target_ids=[0] * 4,
                        target_weights=[1.0, 2.0, 3.0, 4.0],
                    )
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "an infinite leaf",
            model_of([regressor_node((np.inf, 1.0, 2.0, 3.0, 4.0))], _VALUE),
            "values",
            predict=lambda *_: None,
        ),
        of_graph(
            "two targets",
            model_of(
                [
                    make_node(
                        "TreeEnsembleRegressor",
                        ["X"],
                        ["value"],
                        domain=ML_DOMAIN,
                        n_targets=2,
                        **NODES,
                        target_treeids=[0, 0, 1, 1, 1],
                        target_nodeids=[1, 2, 2, 3, 4],
                        target_ids=[0, 1, 0, 1, 0],
                        target_weights=list(_FLOATS),
                    )
                ],
                _VALUE,
            ),
            "two_targets",
        ),
        of_graph(
            "cut off in the middle",
            lambda *a: model_of([regressor_node(_FLOATS)], _VALUE)(*a)[:100],
            "values",
            predict=lambda *_: None,
        ),
    ),
)

GROUPS = (AROUND,)
