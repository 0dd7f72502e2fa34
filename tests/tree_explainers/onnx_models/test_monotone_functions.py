"""Monotone functions before trees: thresholds in raw units, tested by raw rows beside them that the graph reads."""

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tree_explainers.ensemble import Operator
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.monotone_functions import defined_between
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows

Constants = dict[str, float]
Steps = Sequence[tuple[str, list[float]]]  # operators and their constants, after the tensor that they read


def graph_of(steps: Steps, thresholds: Sequence[float], mode: str = "BRANCH_LEQ") -> bytes:
    """Return stumps on a number that went through the steps; each adds 1 where its test holds."""
    nodes, constants, tensor = [], [], "x"
    for number, (op_type, values) in enumerate(steps):
        names = [f"c{number}_{at}" for at in range(len(values))]
        shape: list[int] = [] if op_type == "Clip" else [1]
        constants += [
            helper.make_tensor(name, TensorProto.DOUBLE, shape, [value])
            for name, value in zip(names, values, strict=True)
        ]
        nodes.append(helper.make_node(op_type, [tensor, *names], [f"t{number}"]))
        tensor = f"t{number}"
    n = len(thresholds)
    nodes.append(
        helper.make_node(
            "TreeEnsemble",
            [tensor],
            ["score"],
            domain="ai.onnx.ml",
            aggregate_function=1,
            n_targets=1,
            tree_roots=list(range(n)),
            nodes_featureids=[0] * n,
            nodes_modes=onnx.numpy_helper.from_array(np.full(n, _MODES.index(mode), np.uint8)),
            nodes_splits=onnx.numpy_helper.from_array(np.array(thresholds, np.float64)),
            nodes_truenodeids=[2 * at for at in range(n)],
            nodes_trueleafs=[1] * n,
            nodes_falsenodeids=[2 * at + 1 for at in range(n)],
            nodes_falseleafs=[1] * n,
            leaf_targetids=[0] * (2 * n),
            leaf_weights=onnx.numpy_helper.from_array(np.tile([1.0, 0.0], n)),
        )
    )
    inputs = [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [None, 1])]
    outputs = [helper.make_tensor_value_info("score", TensorProto.DOUBLE, [None, 1])]
    graph = helper.make_graph(nodes, "steps", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())


_MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
_CASES: dict[str, tuple[Steps, list[float], str]] = {
    "log(x + 1)": ([("Add", [1.0]), ("Log", [])], [0.5, 3, 9.5], "log(x + 1)"),
    "log10": ([("Log", []), ("Div", [np.log(10)])], [-1.5, 0, 4], "log(x)"),
    "square root": ([("Sqrt", [])], [0.0, 0.5, 30], "sqrt(x)"),
    "exponential": ([("Exp", [])], [-1, 0.1, 1, 5000], "exp(x)"),
    "sigmoid": ([("Mul", [0.5]), ("Sigmoid", [])], [-1, 0.2, 0.9, 1.5], "sigmoid(0.5 * x)"),
    "hyperbolic tangent": ([("Tanh", [])], [-2, -0.5, 0.7], "tanh(x)"),
    "cube": ([("Pow", [3.0])], [-8, 0.5, 27], "x^3"),
    "falling power": ([("Pow", [-0.5])], [0.1, 0.7, 3], "x^-0.5"),
    "between ends": ([("Clip", [-1.0, 2.0])], [-1.5, -1, 0.3, 2, 2.5], "min(max(x, -1), 2)"),
    "not below zero": ([("Relu", [])], [-1, 0, 0.5], "max(x, 0)"),
    "turned round": ([("Log", []), ("Neg", []), ("Exp", [])], [0.25, 2], "exp(-1 * log(x))"),
    "scaled on both sides": (
        [("Sub", [3.0]), ("Sqrt", []), ("Mul", [-2.0]), ("Add", [1.0])],
        [-9, -1, 0.5],
        "sqrt(x - 3)",
    ),
}


def read(steps: Steps, thresholds: Sequence[float], mode: str = "BRANCH_LEQ") -> ReadModel:
    declared = DeclaredModel(feature_names=("x",))
    return read_model(graph_of(steps, thresholds, mode), declared, ModelLimits())


def naive_holds(model: ReadModel, node: int, value: float) -> bool:
    """Return whether a raw number passes a test of the read model, missing or out of the domain as the tree has it."""
    low, high = defined_between(model.description.columns[0].functions)
    if np.isnan(value) or not low <= value <= high:
        return bool(model.ensemble.missing_left[node])
    threshold = model.ensemble.threshold[node]
    at = Operator(model.ensemble.operator[node])
    compare = {
        Operator.LEQ: value <= threshold,
        Operator.LT: value < threshold,
        Operator.GTE: value >= threshold,
        Operator.GT: value > threshold,
    }
    return bool(compare[at])


def rows_beside(model: ReadModel) -> NDArray[np.float64]:
    """Return raw numbers just around each threshold in raw units, further ones, and a missing one."""
    ends = model.ensemble.threshold[model.ensemble.operator != Operator.LEAF]
    ends = ends[np.abs(ends) < 1e30]
    off = 1e-9 * np.maximum(np.abs(ends), 1e-3)
    return np.concatenate([ends - off, ends + off, [-40, -3, -1e-3, 1e-3, 0.4, 1, 2, 3.5, 40, 1e5, np.nan]])


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"])
@pytest.mark.parametrize("name", _CASES)
def test_raw_thresholds_decide_as_the_graph_does(name: str, mode: str) -> None:
    steps, thresholds, text = _CASES[name]
    model = read(steps, thresholds, mode)
    rows = rows_beside(model)

    (column,) = model.description.columns
    leaves = ModelSession(model.leaf_graph, model.description).run_in_chunks(Rows(("x",), (rows,))).leaves

    assert (column.kind, column.feature, column.name, column.function) == ("monotone", "x", "x", text)
    nodes = model.ensemble.offsets[:-1].tolist()
    for tree, node in enumerate(nodes):
        holds = np.array([naive_holds(model, node, value) for value in rows.tolist()])
        goes_left = leaves[:, tree] == np.searchsorted(model.ensemble.leaf_nodes, model.ensemble.left[node]) - 2 * tree
        np.testing.assert_array_equal(holds, goes_left, err_msg=f"{rows[holds != goes_left]} at {thresholds[tree]}")
    assert model.description.warnings == ()


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        ([("Pow", [2.0])], "pow(x)"),
        ([("Abs", [])], "abs(x)"),
        ([("Reciprocal", [])], "reciprocal(x)"),
        ([("Abs", []), ("Log", [])], "log(abs(x))"),
    ],
)
def test_other_functions_stay_transformed_and_are_warned_of(steps: Steps, name: str) -> None:
    model = read(steps, [1.0])

    (column,) = model.description.columns
    (warning,) = model.description.warnings
    assert (column.kind, column.name, column.feature) == ("transformed", name, "x")
    assert warning.code == "transformed_features"
    assert "1 of the 1 columns" in warning.detail
    assert warning.detail.endswith(f": {name}")


def test_a_function_that_is_tested_for_equality_stays_transformed() -> None:
    (column,) = read([("Exp", [])], [1.0], "BRANCH_EQ").description.columns

    assert (column.kind, column.name) == ("transformed", "exp(x)")


def test_rules_state_monotone_functions_in_raw_numbers_and_refuse_others() -> None:
    monotone, other = read([("Add", [1.0]), ("Log", [])], [2.0]), read([("Abs", [])], [2.0])

    (statements,) = statements_of(monotone.ensemble, monotone.description).features
    np.testing.assert_allclose(statements.cuts, [np.exp(2) - 1])
    with pytest.raises(MethodNotApplicable, match="abs"):
        statements_of(other.ensemble, other.description)


def test_a_description_with_functions_and_warnings_comes_back_from_json() -> None:
    for model in (read([("Add", [1.0]), ("Log", [])], [2.0]), read([("Abs", [])], [2.0])):
        assert type(model.description).from_json(model.description.to_json()) == model.description
