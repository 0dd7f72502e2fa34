"""Native graphs: a fitted model, as its library's document has it, written as ONNX.

Raw categories come into the graph as the caller has them, one input a column. A LabelEncoder in front of the trees
gives each the code by which the trees know it; unknown and missing ones get what the library makes of them. Within a
pipeline the codes are made by its own steps, and the trees test the numbers that come to them. A model without
categories takes all columns as one matrix.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, nan
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from ..errors import CannotConvert
from .double_precision import Nodes, graph_labels, with_complement
from .estimators import GRAPH_NAME, ModelInputs
from .native_trees import MEMBER, MISSING_TEXTS, Category, Coding, NativeTrees
from .tree_operators import OPSET_OF_TREE_ENSEMBLE, add_trees

MATRIX = "X"
_OPSET = 18
OPSET_OF_TABLES = 4  # the first whose tables give doubles; the last that has the older tree operators
_IR_VERSION = 10


def add_scores(nodes: Nodes, tensor: str, model: NativeTrees) -> str:
    """Add the trees, which read a tensor of doubles, and return the scores of all classes, or the values."""
    return scores_of(nodes, add_sums(nodes, tensor, model), model)


def add_sums(nodes: Nodes, tensor: str, model: NativeTrees) -> str:
    """Add the trees, which read a tensor of doubles, and return their sums before the link, (n_rows, n_outputs)."""
    marked = tensor if model.missing is None else model.missing(nodes, tensor)
    scores, n_outputs = add_trees(nodes, marked, model.trees, average=False), model.n_outputs
    if model.n_coefficients:
        scores = _linear(nodes, tensor, scores, model)
    base = np.broadcast_to(np.asarray(model.base, np.float64), n_outputs)
    if model.divisor is not None:
        scores = nodes.add("Div", [scores, nodes.constant(np.full(n_outputs, model.divisor))])
    if base.any():
        scores = nodes.add("Add", [scores, nodes.constant(base)])
    return scores


def _linear(nodes: Nodes, tensor: str, sums: str, model: NativeTrees) -> str:
    """Add what linear models of leaves give, (n_rows, n_outputs): the trees add up their constants and coefficients.

    A column without a coefficient adds nothing, be it missing or infinite.
    """
    width = model.n_coefficients
    numbers = nodes.add("Reshape", [tensor, nodes.constant(np.array([-1, 1, width]))])
    parts = nodes.add("Reshape", [sums, nodes.constant(np.array([-1, model.n_outputs, 1 + width]))])
    constants = nodes.add("Gather", [parts, nodes.constant(np.array(0))], axis=2)
    coefficients = nodes.add("Gather", [parts, nodes.constant(np.arange(1, 1 + width))], axis=2)
    is_without = nodes.add("Equal", [coefficients, nodes.constant(0.0)])
    products = nodes.add("Where", [is_without, nodes.constant(0.0), nodes.add("Mul", [coefficients, numbers])])
    return nodes.add("Add", [constants, nodes.add("ReduceSum", [products, nodes.constant(np.array([2]))], keepdims=0)])


def scores_of(nodes: Nodes, sums: str, model: NativeTrees) -> str:
    """Add the link, and return the scores of all classes, or the values."""
    scores, n_outputs = sums, model.n_outputs
    if model.link is not None:
        scores = model.link(nodes, scores)
    return with_complement(nodes, scores) if model.labels is not None and n_outputs == 1 else scores


def add_native(nodes: Nodes, tensor: str, model: NativeTrees, outputs: Sequence[str]) -> None:
    """Add the trees, which read a tensor of doubles, and all that follows them."""
    scores = add_scores(nodes, tensor, model)
    if model.labels is None:
        nodes.add("Identity", [scores], outputs[0])
    elif model.cut_off is None:
        nodes.add_classifier(scores, graph_labels(model.labels), outputs)
    else:
        nodes.add_cut_off(scores, model.cut_off, graph_labels(model.labels), outputs[0], is_strict=True)
        nodes.add("Identity", [scores], outputs[1])


def native_onnx(model: NativeTrees, inputs: ModelInputs) -> bytes:
    """Return a model as ONNX: each raw column is one input if there are categories, else all are one matrix."""
    if not model.codings:
        number = _number(model)
        graph = _Graph([MATRIX])
        nodes = Nodes(graph, graph)
        tensor = nodes.as_double(MATRIX) if number == TensorProto.FLOAT else MATRIX
        return _completed(graph, nodes, tensor, model, [(MATRIX, number, inputs.n_features)])
    names = inputs.names or [f"x{column}" for column in range(inputs.n_features)]
    graph = _Graph(names)
    nodes = Nodes(graph, graph)
    codings = [model.codings.get(column) for column in range(len(names))]
    elements = [_element(coding, model) for coding in codings]
    columns = [_column(nodes, *each) for each in zip(names, codings, elements, strict=True)]
    tensor = nodes.add("Concat", columns, axis=1) if len(columns) > 1 else columns[0]
    return _completed(graph, nodes, tensor, model, [(*each, 1) for each in zip(names, elements, strict=True)])


def _completed(
    graph: "_Graph", nodes: Nodes, tensor: str, model: NativeTrees, inputs: Sequence[tuple[str, int, int]]
) -> bytes:
    wanted = ["variable"] if model.labels is None else ["label", "probabilities"]
    outputs = [graph.get_unique_variable_name(name) for name in wanted]
    add_native(nodes, tensor, model, outputs)
    return graph.serialized(inputs, outputs, model.labels)


def _number(model: NativeTrees) -> int:
    return TensorProto.FLOAT if model.is_single else TensorProto.DOUBLE


def _element(coding: Coding | None, model: NativeTrees) -> int:
    """Return the type in which the graph takes a raw column."""
    if coding is None:
        return _number(model)
    return TensorProto.STRING if coding.is_text else TensorProto.DOUBLE


def _column(nodes: Nodes, name: str, coding: Coding | None, element: int) -> str:
    """Add what makes the column that the trees read of a raw one, in double precision."""
    if coding is None:
        return nodes.as_double(name) if element == TensorProto.FLOAT else name
    return coded_column(nodes, name, coding)


def coded_column(nodes: Nodes, name: str, coding: Coding) -> str:
    """Add what makes the codes of the trees, in double precision, of a column of raw categories."""
    keys, codes = list(coding.codes), list(coding.codes.values())
    missing = missing_text(coding) if coding.is_text else nan
    if missing not in coding.codes:
        keys, codes = [*keys, missing], [*codes, coding.missing]
    tensors = {
        "keys_tensor": _tensor(keys),
        "values_tensor": _tensor(codes),
        "default_tensor": _tensor([coding.unknown]),
    }
    return nodes.add("LabelEncoder", [name], domain="ai.onnx.ml", **tensors)


def missing_text(coding: Coding) -> str:
    """Return the text of a missing category: a text that is no category, unless a category has the missing code."""
    if not isnan(coding.missing):
        return next(str(category) for category, code in coding.codes.items() if code == coding.missing)
    free = (text for text in MISSING_TEXTS if text not in coding.codes)
    return next(free, "\0")


def _tensor(values: Sequence[Category]) -> TensorProto:
    texts = [value.encode() for value in values if isinstance(value, str)]
    content: Any = texts or values
    return helper.make_tensor("table", TensorProto.STRING if texts else TensorProto.DOUBLE, [len(values)], content)


def behind_steps(model: NativeTrees) -> NativeTrees:
    """Return a model whose trees test the numbers that come to it, where a pipeline's steps make them.

    Raises
    ------
    CannotConvert
        Where its categories are no whole numbers.
    """
    raw = {column: {code: category for category, code in own.codes.items()} for column, own in model.codings.items()}
    if not all(isinstance(each, float) and each.is_integer() for own in raw.values() for each in own.values()):
        detail = (
            "categories that are texts or fractions come to the model from a step before it; put an OrdinalEncoder "
            "there, or fit the model without steps on a DataFrame whose columns are of the type category"
        )
        raise CannotConvert("cannot_convert", detail)
    trees, members = model.trees, list(model.trees.members)
    for at in np.flatnonzero(trees.mode == MEMBER).tolist():
        own, index = raw[int(trees.feature[at])], int(trees.threshold[at])
        members[index] = np.array([own[code] for code in members[index].tolist()])
    return replace(model, trees=replace(trees, members=tuple(members)))


class _Graph:
    """A graph of its own, for ``Nodes`` to add operators and constants to."""

    def __init__(self, names: Sequence[str]) -> None:
        self._taken = set(names)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def get_unique_variable_name(self, wanted: str) -> str:
        """Return a name that is not taken yet, and take it."""
        name, number = wanted, 0
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def add_node(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        """Add an operator."""
        domain = attributes.pop("op_domain", "")
        attributes.pop("op_version", None)
        self._nodes.append(helper.make_node(op_type, inputs, outputs, domain=domain, **attributes))

    def add_initializer(self, name: str, kind: int, shape: Sequence[int], content: Any) -> None:
        """Add a constant."""
        self._constants.append(helper.make_tensor(name, kind, shape, content))

    def serialized(self, inputs: Sequence[tuple[str, int, int]], outputs: Sequence[str], labels: Any) -> bytes:
        """Return the whole model; ``inputs`` are their names, types and numbers of columns."""
        taken = [helper.make_tensor_value_info(name, element, [None, width]) for name, element, width in inputs]
        width = 1 if labels is None else len(labels)
        given = [helper.make_tensor_value_info(outputs[-1], TensorProto.DOUBLE, [None, width])]
        if labels is not None:
            is_text = graph_labels(labels).dtype.kind == "U"
            element = TensorProto.STRING if is_text else TensorProto.INT64
            given.insert(0, helper.make_tensor_value_info(outputs[0], element, [None]))
        graph = helper.make_graph(self._nodes, GRAPH_NAME, taken, given, self._constants)
        is_newest = any(node.op_type == "TreeEnsemble" for node in self._nodes)
        version = OPSET_OF_TREE_ENSEMBLE if is_newest else OPSET_OF_TABLES
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", version)]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString())
