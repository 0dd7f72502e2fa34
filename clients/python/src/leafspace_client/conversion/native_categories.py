"""Native categories: boosters that split categories themselves, as trees that test membership in sets.

Raw categories come into the graph as the caller has them, one input a column. A LabelEncoder in front of the trees
gives each the code by which the trees know it; unknown and missing ones get what the library makes of them. Within a
pipeline the codes are made by its own steps, and the trees test the numbers that come to them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from ..errors import CannotConvert
from ..rows import plain_cell
from .double_precision import Nodes, graph_labels
from .estimators import GRAPH_NAME, ModelInputs
from .tree_operators import MODES, OPSET_OF_TREE_ENSEMBLE, TreeArrays, add_trees

Category = float | str
LEQ, LT, GT, EQ, MEMBER = (MODES[f"BRANCH_{name}".encode()] for name in ("LEQ", "LT", "GT", "EQ", "MEMBER"))
_LEAF = 255
MISSING_TEXTS = ("", "nan", "None", "NaN", "<NA>", "null")  # one that is no category represents a missing value
UNKNOWN = -1.0  # a code that is in no set
_OPSET = 18
_OPSET_OF_TABLES = 4  # the first whose tables give doubles; the last that has the older tree operators
_IR_VERSION = 10


@dataclass(frozen=True, slots=True)
class Coding:
    """Which raw category of a column has which code in the trees."""

    codes: Mapping[Category, float]  # texts or numbers, not both; NaN: as a missing one
    unknown: float = UNKNOWN  # code of all others; NaN: as a missing one
    missing: float = nan

    @property
    def is_text(self) -> bool:
        """Whether the raw categories are texts."""
        return any(isinstance(category, str) for category in self.codes)


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of one tree; children are positions in the list of its nodes, the root is the first."""

    left: int = -1  # where the test holds; -1 at a leaf
    right: int = -1
    feature: int = 0
    mode: int = LEQ
    threshold: float = 0.0
    members: tuple[int, ...] = ()  # with MEMBER
    missing_left: bool = False
    values: Mapping[int, float] = field(default_factory=dict)  # by output, of a leaf


@dataclass(frozen=True, slots=True)
class NativeTrees:
    """A fitted model whose trees split categories."""

    trees: TreeArrays
    base: Any  # (n_outputs,) float64, added to the sums of the trees
    link: Callable[[Nodes, str], str]  # adds what makes scores of all classes, or values, of sums
    labels: Any  # (n_classes,); None for regression
    codings: Mapping[int, Coding]  # by column
    is_single: bool  # the trees round numbers to single precision before they compare them
    is_average: bool = False  # the trees are averaged, not added


def arrays_of_nodes(trees: Sequence[Sequence[TreeNode]], n_outputs: int) -> TreeArrays:
    """Return trees, node by node, as arrays."""
    starts = np.cumsum([0, *map(len, trees)])
    nodes = [each for tree in trees for each in tree]
    of_tree = np.repeat(starts[:-1], np.diff(starts))
    own = np.arange(len(nodes))
    is_leaf = np.array([each.left < 0 for each in nodes])
    sets = [each.members for each in nodes if each.left >= 0 and each.mode == MEMBER]
    mode = np.where(is_leaf, _LEAF, [each.mode for each in nodes]).astype(np.uint8)
    threshold = np.where(is_leaf, 0, [each.threshold for each in nodes]).astype(np.float64)
    threshold[mode == MEMBER] = np.arange(len(sets))
    values = np.zeros((len(nodes), n_outputs))
    for at, node in enumerate(nodes):
        for output, value in node.values.items():
            values[at, output] = value
    return TreeArrays(
        roots=starts[:-1],
        feature=np.where(is_leaf, 0, [each.feature for each in nodes]),
        threshold=threshold,
        mode=mode,
        left=np.where(is_leaf, own, [each.left for each in nodes] + of_tree),
        right=np.where(is_leaf, own, [each.right for each in nodes] + of_tree),
        missing_left=np.array([each.missing_left for each in nodes]) & ~is_leaf,
        values=values,
        members=tuple(np.array(each, np.float64) for each in sets),
    )


def own_codes(trees: TreeArrays) -> dict[int, Coding]:
    """Return the coding of columns that hold codes themselves: each number in a set is its own code."""
    numbers: dict[int, set[float]] = {}
    for at in np.flatnonzero(trees.mode == MEMBER).tolist():
        numbers.setdefault(int(trees.feature[at]), set()).update(trees.members[int(trees.threshold[at])].tolist())
    return {column: Coding({number: number for number in sorted(known)}) for column, known in numbers.items()}


def raw_category(value: Any, column: str) -> Category:  # noqa: ANN401  # whatever is a category
    """Return a category as rows have it: a text or a number; booleans are 0 and 1.

    Raises
    ------
    CannotConvert
        For a category of another type.
    """
    cell = plain_cell(value, f"category {value!r} of {column!r}")
    if cell is None:
        raise CannotConvert("cannot_convert", f"column {column!r} has a missing value among its categories")
    return cell if isinstance(cell, str) else float(cell)


def checked_coding(coding: Coding, column: str) -> Coding:
    """Return a coding; refuse one of texts and numbers together, which no column of rows can hold."""
    if coding.is_text and not all(isinstance(category, str) for category in coding.codes):
        detail = f"the categories of {column!r} are texts and numbers; make them all texts before you fit the model"
        raise CannotConvert("cannot_convert", detail)
    return coding


def add_native(nodes: Nodes, tensor: str, model: NativeTrees, outputs: Sequence[str]) -> None:
    """Add the trees, which read a tensor of doubles, and all that follows them."""
    sums = add_trees(nodes, tensor, model.trees, average=model.is_average)
    raw = nodes.add("Add", [sums, nodes.constant(np.asarray(model.base, np.float64).ravel())])
    scores = model.link(nodes, raw)
    if model.labels is None:
        nodes.add("Identity", [scores], outputs[0])
    else:
        nodes.add_classifier(scores, graph_labels(model.labels), outputs)


def native_onnx(model: NativeTrees, inputs: ModelInputs) -> bytes:
    """Return a model as ONNX that takes each raw column as one input: texts where its categories are, else doubles."""
    names = inputs.names or [f"x{column}" for column in range(inputs.n_features)]
    graph = _Graph(names)
    nodes = Nodes(graph, graph)
    codings = [model.codings.get(column) for column in range(len(names))]
    elements = [_element(coding, is_single=model.is_single) for coding in codings]
    columns = [_column(nodes, *each) for each in zip(names, codings, elements, strict=True)]
    tensor = nodes.add("Concat", columns, axis=1) if len(columns) > 1 else columns[0]
    wanted = ["variable"] if model.labels is None else ["label", "probabilities"]
    outputs = [graph.get_unique_variable_name(name) for name in wanted]
    add_native(nodes, tensor, model, outputs)
    return graph.serialized(list(zip(names, elements, strict=True)), outputs, model.labels)


def _element(coding: Coding | None, *, is_single: bool) -> int:
    """Return the type in which the graph takes a raw column."""
    if coding is None:
        return TensorProto.FLOAT if is_single else TensorProto.DOUBLE
    return TensorProto.STRING if coding.is_text else TensorProto.DOUBLE


def _column(nodes: Nodes, name: str, coding: Coding | None, element: int) -> str:
    """Add what makes the column that the trees read of a raw one, in double precision."""
    if coding is None:
        return nodes.as_double(name) if element == TensorProto.FLOAT else name
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

    def add_node(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:  # noqa: ANN401
        """Add an operator."""
        domain = attributes.pop("op_domain", "")
        attributes.pop("op_version", None)
        self._nodes.append(helper.make_node(op_type, inputs, outputs, domain=domain, **attributes))

    def add_initializer(self, name: str, kind: int, shape: Sequence[int], content: Any) -> None:  # noqa: ANN401
        """Add a constant."""
        self._constants.append(helper.make_tensor(name, kind, shape, content))

    def serialized(self, inputs: Sequence[tuple[str, int]], outputs: Sequence[str], labels: Any) -> bytes:  # noqa: ANN401
        """Return the whole model; ``inputs`` are names and types of columns."""
        taken = [helper.make_tensor_value_info(name, element, [None, 1]) for name, element in inputs]
        width = 1 if labels is None else len(labels)
        given = [helper.make_tensor_value_info(outputs[-1], TensorProto.DOUBLE, [None, width])]
        if labels is not None:
            is_text = graph_labels(labels).dtype.kind == "U"
            element = TensorProto.STRING if is_text else TensorProto.INT64
            given.insert(0, helper.make_tensor_value_info(outputs[0], element, [None]))
        graph = helper.make_graph(self._nodes, GRAPH_NAME, taken, given, self._constants)
        is_newest = any(node.op_type == "TreeEnsemble" for node in self._nodes)
        version = OPSET_OF_TREE_ENSEMBLE if is_newest else _OPSET_OF_TABLES
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", version)]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString())
