"""label_values_of: what a graph's label output can contain, followed backwards from it.

Labels come from a classifier, from the index of the highest score, from comparisons with a cut-off, and from tables in
which such numbers are looked up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto

from .column_encoding import lookup_table
from .graph import PASSING, makers_of, tensor_array
from .tree_attributes import attributes_of, class_labels, integers, numbers

Label = int | str
_MOST_OPERATORS = 64  # between a label output and what makes labels
_COMPARISONS = frozenset({"And", "Equal", "Greater", "GreaterOrEqual", "IsNaN", "Less", "LessOrEqual", "Or", "Xor"})
_TRUE_OF_LOW = frozenset({"Less", "LessOrEqual"})
_ORDERED = _TRUE_OF_LOW | {"Greater", "GreaterOrEqual"}
_BEFORE_LABELS = PASSING | {
    "Add", "ArrayFeatureExtractor", "Gather", "LabelEncoder", "Mul", "Not", "Sub", "Where",
}  # fmt: skip
_SCALARS = {"value_int": "i", "value_float": "f"}  # of a Constant
_SAME_CUT_OFF = 1e-6  # numbers that are one half in single precision, too
_CLASSIFIERS = frozenset({"LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier"})
_OF_ONE_WIDTH = {
    "Abs", "Cast", "Ceil", "Clip", "Exp", "Floor", "Identity", "Log",
    "LpNormalization", "Neg", "Normalizer", "Reciprocal", "Relu", "Round",
    "Scaler", "Sigmoid", "Sign", "Softmax", "Sqrt", "Tanh",
}  # fmt: skip
_OF_WIDEST = frozenset({"Add", "Div", "Max", "Mean", "Min", "Mul", "Pow", "Sub", "Sum"})
_ARITHMETIC = {"Add": np.add, "Mul": np.multiply, "Sub": np.subtract}
_WHOLE = frozenset({TensorProto.INT64, TensorProto.INT32, TensorProto.INT16, TensorProto.INT8, TensorProto.UINT8})


@dataclass(frozen=True, slots=True)
class LabelValues:
    """Labels that a tensor can contain."""

    values: tuple[Label, ...]
    are_in_order: bool = True  # of the scores, one for each; otherwise some of them, sorted


def label_values_of(graph: GraphProto, tensor: str) -> LabelValues | None:
    """Return the labels that a tensor can contain; ``None`` where the graph does not tell."""
    return _Labels(graph).of(tensor, _MOST_OPERATORS)


def n_columns_of(graph: GraphProto, tensor: str) -> int | None:
    """Return the number of columns of a tensor of scores; ``None`` where the graph does not tell."""
    return _Labels(graph).width(tensor, _MOST_OPERATORS)


def has_cut_off(graph: GraphProto, label: str) -> bool:
    """Return whether a label comes from a comparison with a number other than 0 and one half.

    With these, the label is that of the higher of two scores; with any other, it is not, in some rows.
    """
    labels, waiting = _Labels(graph), [label]
    for _ in range(_MOST_OPERATORS):
        maker = labels.maker_of(waiting.pop()) if waiting else None
        if maker is not None and maker.op_type in _ORDERED:
            return any(labels.is_cut_off(name) for name in maker.input)
        if maker is not None and maker.op_type in _BEFORE_LABELS:
            waiting += maker.input
    return False


class _Labels:
    """Follows tensors backwards; ``depth`` is the number of operators that may still be passed."""

    def __init__(self, graph: GraphProto) -> None:
        self._makers: Mapping[str, NodeProto] = makers_of(graph)
        self._constants: dict[str, TensorProto] = {tensor.name: tensor for tensor in graph.initializer}
        self._declared = {value.name: value for value in (*graph.output, *graph.value_info)}
        self._labels: dict[str, LabelValues | None] = {}  # each tensor once, however many operators read it
        self._widths: dict[str, int | None] = {}

    def maker_of(self, tensor: str) -> NodeProto | None:
        """Return the operator that makes a tensor."""
        return self._makers.get(tensor)

    def is_cut_off(self, tensor: str) -> bool:
        """Return whether a tensor is a constant number other than 0 and one half."""
        constant = self._constant(tensor)
        if constant is None or constant.size != 1 or constant.dtype.kind not in "fiu":
            return False
        return not np.isclose(float(constant.ravel()[0]), [0.0, 0.5], rtol=0, atol=_SAME_CUT_OFF).any()

    def of(self, tensor: str, depth: int) -> LabelValues | None:
        """Return the labels that a tensor can contain."""
        if tensor not in self._labels:
            self._labels[tensor] = self._followed(tensor, depth)
        return self._labels[tensor]

    def _followed(self, tensor: str, depth: int) -> LabelValues | None:
        constant = self._constant(tensor)
        if constant is not None:
            return LabelValues(_plain(constant)) if constant.dtype.kind in "iubO" else None
        maker = self._makers.get(tensor)
        if maker is None or depth == 0 or tensor != maker.output[0]:
            return None
        follow = _FOLLOWED.get(maker.op_type)
        return None if follow is None else follow(self, maker, depth)

    def of_classifier(self, node: NodeProto, _: int) -> LabelValues | None:
        """Return the labels that a classifier names."""
        labels = class_labels(attributes_of(node))
        return LabelValues(labels) if labels else None

    def of_comparison(self, node: NodeProto, _depth: int) -> LabelValues | None:
        """Return false and true, in the order of the scores that are compared with a constant: low ones first."""
        constant_at = next((at for at, name in enumerate(node.input) if self._constant(name) is not None), 1)
        is_of_low = node.op_type in _TRUE_OF_LOW if constant_at == 1 else node.op_type in _ORDERED - _TRUE_OF_LOW
        return LabelValues((1, 0) if is_of_low else (0, 1))

    def of_negation(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return false and true in the opposite order."""
        before = self.of(node.input[0], depth - 1)
        is_known = before is not None and set(before.values) <= {0, 1}
        return (
            LabelValues(tuple(1 - int(value) for value in before.values))
            if before and is_known
            else LabelValues((0, 1))
        )

    def of_same(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return the labels of the first input, which is passed on."""
        return self.of(node.input[0], depth - 1)

    def of_cast(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return the same labels in another type."""
        return _cast(node, self.of(node.input[0], depth - 1))

    def of_encoder(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return what labels are looked up as, mostly texts in place of integers."""
        return _encoded(node, self.of(node.input[0], depth - 1))

    def of_index(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return the indices of the highest, or lowest, score."""
        axis = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        width = self.width(node.input[0], depth - 1)
        return LabelValues(tuple(range(width))) if width and axis in ([1], [-1]) else None

    def of_choice(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return the labels that a condition chooses between."""
        parts = [self.of(name, depth - 1) for name in node.input[1:]]
        labels = {value for part in parts if part for value in part.values}
        if None in parts or len({type(label) for label in labels}) != 1:
            return None
        return LabelValues(tuple(sorted(labels)), are_in_order=False)

    def of_table(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return the entries of a constant table."""
        table = self._constant(node.input[0])
        if table is None or table.dtype.kind not in "iubO":
            return None
        entries, index = _plain(table), self.of(node.input[1], depth - 1)
        positions = [value for value in index.values if isinstance(value, int)] if index else []
        is_choice = index is not None and not index.are_in_order and set(positions) <= set(range(len(entries)))
        return LabelValues(tuple(entries[position] for position in positions) if is_choice else entries, not is_choice)

    def of_arithmetic(self, node: NodeProto, depth: int) -> LabelValues | None:
        """Return integers times a constant, or plus one."""
        constants = [self._constant(name) for name in node.input]
        index = next((index for index, constant in enumerate(constants) if constant is not None), None)
        before = None if index is None else self.of(node.input[1 - index], depth - 1)
        constant = None if index is None else constants[index]
        if before is None or constant is None or constant.size != 1 or constant.dtype.kind not in "iu":
            return None
        if not all(isinstance(value, int) for value in before.values):
            return None
        operands: list[Any] = [np.array(before.values, np.int64), constant.ravel()]
        results = _ARITHMETIC[node.op_type](*(operands if index == 1 else reversed(operands)))
        return LabelValues(tuple(results.tolist()), before.are_in_order)

    def width(self, tensor: str, depth: int) -> int | None:
        """Return the number of columns of a tensor."""
        if tensor not in self._widths:
            self._widths[tensor] = self._measured_width(tensor, depth)
        return self._widths[tensor]

    def _measured_width(self, tensor: str, depth: int) -> int | None:
        maker = self._makers.get(tensor)
        constant = self._constant(tensor)
        if constant is not None:
            sizes: list[int] = [1, *constant.shape]
            return sizes[-1]
        width = self._width_behind(maker, depth) if maker is not None and depth else None
        return self._declared_width(tensor) if width is None else width

    def _width_behind(self, node: NodeProto, depth: int) -> int | None:
        attributes = attributes_of(node)
        width: int | None = None
        if node.op_type in _CLASSIFIERS:
            width = len(class_labels(attributes))
        elif node.op_type in ("TreeEnsembleRegressor", "TreeEnsemble"):
            width = int(attributes["n_targets"].i) if "n_targets" in attributes else None
        elif node.op_type in ("MatMul", "Gemm"):
            matrix = self._constant(node.input[1])
            is_transposed = "transB" in attributes and attributes["transB"].i
            sizes: list[int] = [] if matrix is None else list(matrix.shape)
            width = sizes[0 if is_transposed else -1] if sizes else None
        elif node.op_type in _OF_ONE_WIDTH:
            width = self.width(node.input[0], depth - 1)
        elif node.op_type in _OF_WIDEST:
            width = max(self.width(name, depth - 1) or 0 for name in node.input)
        elif node.op_type == "Concat" and [each.i for each in node.attribute] in ([1], [-1]):
            parts = [self.width(name, depth - 1) for name in node.input]
            width = sum(part or 0 for part in parts) if all(parts) else None
        return width or None

    def _declared_width(self, tensor: str) -> int | None:
        declared = self._declared.get(tensor)
        dims = [] if declared is None else list(declared.type.tensor_type.shape.dim)
        return dims[1].dim_value or None if len(dims) == 2 else None  # rows by columns

    def _constant(self, tensor: str) -> NDArray[Any] | None:
        if tensor in self._constants:
            return tensor_array(self._constants[tensor])
        maker = self._makers.get(tensor)
        if maker is None or maker.op_type != "Constant":
            return None
        attributes = attributes_of(maker)
        if "value" in attributes:
            return tensor_array(attributes["value"].t)
        if "value_strings" in attributes:
            return np.array(list(attributes["value_strings"].strings), object)
        scalars = [getattr(attributes[name], field) for name, field in _SCALARS.items() if name in attributes]
        if scalars:
            return np.array(scalars)
        return integers(attributes, "value_ints") if "value_ints" in attributes else numbers(attributes, "value_floats")


_Follow = Callable[[_Labels, NodeProto, int], LabelValues | None]
_FOLLOWED: dict[str, _Follow] = {
    **dict.fromkeys(_CLASSIFIERS, _Labels.of_classifier),
    **dict.fromkeys(_COMPARISONS, _Labels.of_comparison),
    **dict.fromkeys(("ArgMax", "ArgMin"), _Labels.of_index),
    **dict.fromkeys(("ArrayFeatureExtractor", "Gather"), _Labels.of_table),
    **dict.fromkeys(_ARITHMETIC, _Labels.of_arithmetic),
    **dict.fromkeys(PASSING - {"Cast"}, _Labels.of_same),
    "Cast": _Labels.of_cast,
    "LabelEncoder": _Labels.of_encoder,
    "Not": _Labels.of_negation,
    "Where": _Labels.of_choice,
}


def _plain(constant: NDArray[Any]) -> tuple[Label, ...]:
    return tuple(map(_label, constant.ravel().tolist()))


def _label(value: Any) -> Label:  # a text, its bytes, an integer or a boolean
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return text if isinstance(text, str) else int(text)


def _encoded(node: NodeProto, before: LabelValues | None) -> LabelValues | None:
    table = lookup_table(attributes_of(node))
    if table is None:
        return None
    keys, values, default = table
    if any(array.dtype.kind == "f" for array in (keys, values)):
        return None
    entries = dict(zip(_plain(keys), _plain(values), strict=True))
    inputs: Sequence[Any] = sorted(entries) if before is None else before.values
    results = tuple(entries.get(each, _label(default)) for each in inputs)
    return LabelValues(results, before is None or before.are_in_order)


def _cast(node: NodeProto, before: LabelValues | None) -> LabelValues | None:
    target = next((attribute.i for attribute in node.attribute if attribute.name == "to"), 0)
    if before is None:
        return None
    if target == TensorProto.STRING:
        return LabelValues(tuple(str(value) for value in before.values), before.are_in_order)
    if target in _WHOLE:
        whole = [value for value in before.values if isinstance(value, int) or value.removeprefix("-").isdecimal()]
        return LabelValues(tuple(map(int, whole)), before.are_in_order) if len(whole) == len(before.values) else None
    if target in (TensorProto.FLOAT, TensorProto.DOUBLE) and all(isinstance(value, int) for value in before.values):
        return before
    return before if target == TensorProto.BOOL and set(before.values) <= {0, 1} else None
