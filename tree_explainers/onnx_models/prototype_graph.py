"""The nearest-prototype classifier as an ONNX file: the model's own leaves, compared with those of the prototypes.

The leaves come from the graph that the service runs, so nothing can disagree with it: preprocessing, thresholds,
missing values and categories are the model's own.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from .checking import opset_version
from .graph_outline import graph_outline
from .leaf_graph import LEAF_OUTPUT, keep_what_is_needed, serialized

_OPSET_WITH_INPUT_K = 10  # of TopK
_PREFIX = "leafspace_prototypes"


def prototype_graph(
    leaf_graph: bytes,
    leaves: NDArray[np.int32],
    weights: NDArray[np.int64],
    given: Sequence[str] | NDArray[np.float64],
    coarser: tuple[NDArray[np.int32], NDArray[np.int64]] | None = None,
) -> bytes:
    """Return a graph that takes the model's inputs and predicts what the nearest prototype has.

    Outputs: ``label``, a text, empty for a row that shares no leaf with any prototype (or ``value``, NaN for such a
    row); ``nearest_prototype``, its 0-based rank, or -1; ``proximity`` to it, 0 to 1. Ties go to the earlier prototype.
    Sums are exact: proximities are whole numbers in double precision.

    Parameters
    ----------
    leaf_graph
        The graph that the service runs.
    leaves : (n_prototypes, n_trees) int32
        Leaf of each prototype in each tree.
    weights : (n_trees,) int64
        What each tree counts.
    given
        (n_prototypes,) their labels, or their values.
    coarser
        Coarser leaf of each leaf, (n_leaves,), and where each tree's leaves begin, (n_trees + 1,); ``None`` where rows
        are compared by the trees' own leaves.
    """
    model = graph_outline(leaf_graph)
    keep_what_is_needed(model, {LEAF_OUTPUT})
    parts = _Parts(opset_version(model, "") or 1)
    row_leaves = LEAF_OUTPUT if coarser is None else _coarser_leaves(parts, *coarser)
    best, nearest = _nearest(parts, row_leaves, leaves, weights)
    _answer(parts, best, nearest, given, float(weights.sum()))

    del model.graph.output[:]
    outputs = [ValueInfoProto(name=name) for name in parts.outputs]
    added = GraphProto(node=parts.nodes, initializer=parts.constants, output=outputs)
    model.graph.MergeFromString(added.SerializeToString())
    return serialized(model)


def _coarser_leaves(parts: "_Parts", coarser: NDArray[np.int32], starts: NDArray[np.int64]) -> str:
    """Add what finds the coarser leaves of rows; return the tensor."""
    first = parts.constant("offsets", starts[None, :-1].astype(np.int32))
    index = parts.add("Add", [LEAF_OUTPUT, first], "places")
    return parts.add("Gather", [parts.constant("coarser", coarser.astype(np.int32)), index], "coarser_leaves")


def _nearest(
    parts: "_Parts", row_leaves: str, leaves: NDArray[np.int32], weights: NDArray[np.int64]
) -> tuple[str, str]:
    """Add what compares rows with prototypes; return the largest sum of weights, and the rank of its prototype."""
    shape = parts.constant("row_shape", np.array([-1, 1, len(weights)], dtype=np.int64))
    rows = parts.add("Reshape", [row_leaves, shape], "rows")
    shares = parts.add("Equal", [rows, parts.constant("leaves", leaves[None])], "shares")
    counted = parts.add("Cast", [shares], "counted", to=TensorProto.DOUBLE)
    column = parts.constant("weights", weights.astype(np.float64)[:, None])
    sums = parts.add("MatMul", [counted, column], "sums")
    flat = parts.constant("sum_shape", np.array([-1, len(leaves)], dtype=np.int64))
    best, nearest = parts.largest(parts.add("Reshape", [sums, flat], "proximities"))
    one = parts.constant("one_shape", np.array([-1], dtype=np.int64))
    return parts.add("Reshape", [best, one], "best_flat"), parts.add("Reshape", [nearest, one], "nearest_flat")


def _answer(
    parts: "_Parts", best: str, nearest: str, answers: Sequence[str] | NDArray[np.float64], total_weight: float
) -> None:
    """Add the outputs."""
    is_near = parts.add("Greater", [best, parts.constant("zero", np.array([0.0]))], "is_near")
    of_prototypes, nothing = _given(answers)
    prototype = parts.add("Gather", [parts.constant("given", of_prototypes), nearest], "found")
    name = "value" if of_prototypes.dtype.kind == "f" else "label"
    parts.add("Where", [is_near, prototype, parts.constant("nothing", nothing)], name, is_output=True)
    none = parts.constant("none", np.array([-1], dtype=np.int64))
    parts.add("Where", [is_near, nearest, none], "nearest_prototype", is_output=True)
    total = parts.constant("total", np.array([total_weight]))
    parts.add("Div", [best, total], "proximity", is_output=True)


def _given(answers: Sequence[str] | NDArray[np.float64]) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    if isinstance(answers, np.ndarray):
        return answers.astype(np.float64), np.array([np.nan])
    return np.array(answers, dtype=object), np.array([""], dtype=object)


class _Parts:
    """The nodes and constants that are added to a graph."""

    def __init__(self, opset: int) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.outputs: list[str] = []
        self._opset = opset

    def constant(self, name: str, values: NDArray[np.generic]) -> str:
        """Add a constant; return its name."""
        self.constants.append(numpy_helper.from_array(values, f"{_PREFIX}_{name}"))
        return self.constants[-1].name

    def add(
        self, operator: str, inputs: Sequence[str], output: str, *, is_output: bool = False, **attributes: int
    ) -> str:
        """Add a node with one output; return that output's name, which is ``output`` itself for one of the graph's."""
        name = output if is_output else f"{_PREFIX}_{output}"
        self.nodes.append(helper.make_node(operator, inputs, [name], None, None, None, None, **attributes))
        if is_output:
            self.outputs.append(name)
        return name

    def largest(self, values: str) -> tuple[str, str]:
        """Add the largest value of each row, and its first index."""
        outputs = [f"{_PREFIX}_best", f"{_PREFIX}_nearest"]
        if self._opset < _OPSET_WITH_INPUT_K:
            self.nodes.append(helper.make_node("TopK", [values], outputs, k=1, axis=1))
        else:
            k = self.constant("k", np.array([1], dtype=np.int64))
            self.nodes.append(helper.make_node("TopK", [values, k], outputs, axis=1))
        return outputs[0], outputs[1]
