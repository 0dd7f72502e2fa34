"""Cases of ONNX graphs written by hand: what the specification allows of tree operators."""

from typing import Any

from onnx import TensorProto

from .cases import Group
from .graph_truth import by_highest_score, by_low_value, by_specification, of_graph
from .graph_writing import (
    ML_DOMAIN,
    NODES,
    classifier_node,
    in_reverse,
    make_node,
    model_of,
    regressor_node,
    with_modes,
)

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


_LESS_MEAN = (
    make_node("ReduceMean", ["sum"], ["mean"], keepdims=1),
    make_node("Sub", ["sum", "mean"], ["value"]),
)


_HALF = {"half": [0.0]}


_OF_LOW = (
    make_node("Cast", ["value"], ["exact"], to=TensorProto.DOUBLE),
    make_node("Less", ["exact", "half"], ["is_low"]),
    make_node("Cast", ["is_low"], ["label"], **_CAST),
)


_NEGATIVE, _LOWEST = (
    make_node("Neg", ["scores"], ["negative"]),
    make_node("ArgMax", ["negative"], ["lowest"], axis=1, keepdims=0),
)


_POST = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")


WRITTEN = Group(
    "ONNX graphs by hand: tree operators",
    "Tree operators of ONNX with what the specification allows, by themselves.",
    (
        *(
            of_graph(
                f"TreeEnsembleRegressor, {mode}",
                model_of([regressor_node(_FLOATS, with_modes(mode))], _VALUE),
                "values",
            )
            for mode in ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
        ),
        *(
            of_graph(
                f"TreeEnsembleRegressor, {function}",
                model_of([regressor_node(_FLOATS, aggregate_function=function)], _VALUE),
                "values",
            )
            for function in ("SUM", "AVERAGE", "MIN", "MAX")
        ),
        of_graph(
            "TreeEnsembleRegressor, base_values",
            model_of([regressor_node(_FLOATS, base_values=[10.0])], _VALUE),
            "values",
        ),
        *(
            of_graph(
                f"TreeEnsembleRegressor, post_transform={post}",
                model_of([regressor_node((0.1, 0.2, 0.3, 0.1, 0.4), post_transform=post)], _VALUE),
                "values",
            )
            for post in ("LOGISTIC", "SOFTMAX", "PROBIT")
        ),
        of_graph(
            "TreeEnsembleRegressor, one leaf",
            model_of(
                [
                    make_node(
                        "TreeEnsembleRegressor",
                        ["X"],
                        ["value"],
                        domain=ML_DOMAIN,
                        n_targets=1,
                        **_ONE_LEAF,
                        target_treeids=[0],
                        target_nodeids=[0],
                        target_ids=[0],
                        target_weights=[1.5],
                    )
                ],
                _VALUE,
            ),
            "values",
        ),
        of_graph(
            "TreeEnsembleRegressor, nodes in reverse order",
            model_of([regressor_node(_FLOATS, in_reverse(NODES))], _VALUE),
            "values",
            by_specification,
        ),
        of_graph(
            "TreeEnsembleRegressor, doubles",
            model_of([regressor_node(_FLOATS)], _VALUE, kind=TensorProto.DOUBLE),
            "values",
        ),
        of_graph("TreeEnsembleRegressor, a batch of 1", model_of([regressor_node(_FLOATS)], _VALUE, batch=1), "values"),
        of_graph(
            "TreeEnsembleRegressor, missing values true",
            model_of([regressor_node(_FLOATS, nodes_missing_value_tracks_true=[1, 0, 0, 1, 0, 0, 0, 0])], _VALUE),
            "holes",
        ),
        of_graph("TreeEnsembleRegressor, missing values false", model_of([regressor_node(_FLOATS)], _VALUE), "holes"),
        *(
            of_graph(
                f"TreeEnsembleClassifier, post_transform={post}",
                model_of([classifier_node(_SHARES, post_transform=post)], _SCORED),
            )
            for post in _POST
        ),
        *(
            of_graph(
                f"TreeEnsembleClassifier, two classes, post_transform={post}",
                model_of([classifier_node(_TWO, (0, 1), post_transform=post)], _SCORED),
                "binary",
                by_highest_score,
            )
            for post in _POST
        ),
        of_graph("TreeEnsembleClassifier, votes", model_of([classifier_node(_VOTES)], _SCORED)),
        of_graph(
            "TreeEnsembleClassifier, base_values",
            model_of([classifier_node(_SHARES, base_values=[1.0, -0.7, 0.05])], _SCORED),
        ),
        of_graph(
            "TreeEnsembleClassifier, negative weights",
            model_of([classifier_node([[3 * each - 1 for each in row] for row in _SHARES])], _SCORED),
        ),
        of_graph(
            "TreeEnsembleClassifier, labels of texts",
            model_of([classifier_node(_SHARES, ("a", "b", "ü"))], [("label", TensorProto.STRING), _SCORED[1]]),
        ),
        of_graph(
            "TreeEnsembleClassifier, labels 7 and -2",
            model_of([classifier_node(_TWO, (7, -2))], _SCORED),
            "binary",
            by_specification,
        ),
        of_graph(
            "TreeEnsembleClassifier, one weight a leaf of two classes",
            model_of([classifier_node([(each,) for each in (0.1, 0.4, 0.3, 0.2, 0.5)], (0, 1))], _SCORED),
            "binary",
        ),
        of_graph(
            "TreeEnsembleClassifier, one class",
            model_of([classifier_node([(0.5,)] * 5, (3,))], _SCORED),
            "binary",
            by_specification,
        ),
        of_graph(
            "values less their mean over the rows",
            model_of([regressor_node(_FLOATS, out="sum"), *_LESS_MEAN], _VALUE),
            "values",
        ),
        of_graph(
            "two outputs of values",
            model_of([regressor_node(_FLOATS), make_node("Neg", ["value"], ["other"])], [*_VALUE, ("other", 1)]),
            "values",
        ),
        of_graph(
            "a label that is true of low scores",
            model_of(
                [regressor_node((-1, 1, -0.5, 0.5, -0.4)), *_OF_LOW], [("label", TensorProto.INT64), *_VALUE], _HALF
            ),
            "binary",
            by_low_value,
        ),
        of_graph(
            "the label of the lowest score of two",
            model_of([classifier_node(_TWO, (0, 1)), _NEGATIVE, _LOWEST], [("lowest", TensorProto.INT64), _SCORED[1]]),
            "binary",
        ),
        of_graph(
            "TreeEnsembleClassifier, nodes in reverse order",
            model_of([classifier_node(_SHARES, nodes=in_reverse(NODES))], _SCORED),
            predict=by_specification,
        ),
    ),
)

GROUPS = (WRITTEN,)
