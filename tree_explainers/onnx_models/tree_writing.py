"""write_tree_onnx: one tree of conditions on raw features as an ONNX graph, which decides exactly as the tree reads.

The tree operator returns the number of the leaf, which float32 holds exactly, and everything known of a leaf is looked
up: labels are the tree's own even where scores are equal, and scores keep their double precision.
TreeEnsembleClassifier would round the scores, and decide labels by the rounded ones.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from ..ensemble import Operator, TreeEnsemble
from .leaf_graph import leaf_regressor

_OPSETS = {"ai.onnx.ml": 3, "": 15}
_IR_VERSION = 8  # with these operator sets: what runtimes since 2021 can open
_HALF = 0.5  # between no and yes of a condition on texts
_NAMELESS = "unnamed"  # ONNX takes an input without a name for one that is left out


@dataclass(frozen=True, slots=True)
class RawFeature:
    """A column of raw rows."""

    name: str
    missing_text: str | None  # what is fed for a missing category; None for a number, of which NaN is missing


@dataclass(frozen=True, slots=True)
class NumberCondition:
    """Tests how large a number is, in double precision."""

    feature: int  # index among the features
    bound: float  # infinite where the condition is whether there is a value at all
    is_above: bool  # yes to what is greater than the bound; else to what is not
    or_missing: bool  # yes to a missing value, too


@dataclass(frozen=True, slots=True)
class TextCondition:
    """Tests whether a category is one of some."""

    feature: int  # index among the features
    texts: tuple[str, ...]  # all different; what represents a missing value is a text as any other here
    is_among: bool  # yes to these texts; else to all others


NodeCondition = NumberCondition | TextCondition


@dataclass(frozen=True, slots=True)
class RawTree:
    """A tree of conditions on raw features, the root first and every child after its parent; yes goes left."""

    features: tuple[RawFeature, ...]  # at least one; their names differ
    conditions: tuple[NodeCondition | None, ...]  # (n_nodes,) None at a leaf
    left: NDArray[np.int64]  # (n_nodes,) indices of children; meaningless at a leaf
    right: NDArray[np.int64]  # (n_nodes,)
    scores: NDArray[np.float64]  # (n_nodes, n_classes), or (n_nodes, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_nodes,) indices among the classes; None for regression
    classes: tuple[str, ...]  # empty for regression


def write_tree_onnx(tree: RawTree) -> bytes:
    """Return the tree as a whole ONNX file.

    It has an input for each feature, of its name and the shape (n_rows, 1): ``double``, or ``string`` for a category.
    A classifier returns ``label``, ``string`` (n_rows,), and ``probabilities``, ``double`` (n_rows, n_classes); a
    regressor with ``value``, ``double`` (n_rows, 1). Where a feature has that name itself, the output's name ends in
    ``_``; a feature whose name is empty becomes ``unnamed``.
    """
    graph = GraphBuilder(feature.name for feature in tree.features)
    inputs = [feature.name or graph.free_name(_NAMELESS) for feature in tree.features]
    outputs = list(_outputs(tree, _leaf(tree, inputs, graph), graph))
    value_infos = [_input(name, feature) for name, feature in zip(inputs, tree.features, strict=True)]
    return graph.model(value_infos, outputs, _OPSETS, _IR_VERSION)


def _input(name: str, feature: RawFeature) -> ValueInfoProto:
    is_number = feature.missing_text is None
    element = TensorProto.DOUBLE if is_number else TensorProto.STRING
    missing = "NaN" if is_number else ascii(feature.missing_text)
    return helper.make_tensor_value_info(name, element, ["n_rows", 1], doc_string=f"{missing} is a missing value")


def _leaf(tree: RawTree, inputs: Sequence[str], graph: "GraphBuilder") -> str:
    """Add the operators that find the leaf of each row, counted among the leaves; return their tensor, (n_rows,)."""
    columns = _columns(tree, inputs, graph)
    matrix = graph.add("Concat", list(columns.values()), "columns", axis=1)
    index_of = {key: index for index, key in enumerate(columns)}
    number = graph.free_name("leaf_number")
    column_of_node = [None if each is None else index_of[_key(each)] for each in tree.conditions]
    graph.add_node(leaf_regressor(_ensemble(tree, column_of_node), matrix, number, is_double=True))
    as_integer = graph.add("Cast", [number], "leaf_column", to=TensorProto.INT64)
    return graph.add("Reshape", [as_integer, graph.constant(np.array([-1]), "all_rows")], "leaf")


_Key = tuple[int, frozenset[str]]


def _key(condition: NodeCondition) -> _Key:
    """Return what conditions on the same column have in common."""
    return condition.feature, frozenset(condition.texts if isinstance(condition, TextCondition) else ())


def _columns(tree: RawTree, inputs: Sequence[str], graph: "GraphBuilder") -> dict[_Key, str]:
    """Return a tensor (n_rows, 1) for each column that the tree operator is to read, one at least."""
    conditions = [each for each in tree.conditions if each is not None] or [_any_condition(tree)]
    columns: dict[_Key, str] = {}
    for condition in conditions:
        tensor = inputs[condition.feature]
        if isinstance(condition, NumberCondition):
            columns[_key(condition)] = tensor
        elif _key(condition) not in columns:
            columns[_key(condition)] = _flag(tensor, condition.texts, graph)
    return columns


def _any_condition(tree: RawTree) -> NodeCondition:
    """Return a condition without effect for a tree without any: its operator must read something all the same."""
    missing = tree.features[0].missing_text
    return NumberCondition(0, np.inf, True, True) if missing is None else TextCondition(0, (missing,), True)  # noqa: FBT003


def _flag(tensor: str, texts: Sequence[str], graph: "GraphBuilder") -> str:
    """Add a column that is 1 where a category is one of these texts, otherwise 0."""
    keys = [text.encode() for text in texts] or [b""]  # there is no table without entries
    table = {"keys_strings": keys, "values_floats": [float(bool(texts))] * len(keys), "default_float": 0.0}
    flag = graph.add("LabelEncoder", [tensor], "is_among", "ai.onnx.ml", **table)
    return graph.add("Cast", [flag], "is_among_as_double", to=TensorProto.DOUBLE)


def _ensemble(tree: RawTree, columns: Sequence[int | None]) -> TreeEnsemble:
    """Return the tree as the arrays from which operators are written."""
    node = np.arange(len(columns))
    is_leaf = np.array([condition is None for condition in tree.conditions])
    leaves = np.flatnonzero(is_leaf).astype(np.int32)
    splits = [_split(condition) for condition in tree.conditions]
    return TreeEnsemble(
        offsets=np.array([0, len(node)], np.int32),
        column=np.array([column or 0 for column in columns], np.int32),
        operator=np.array([operator for operator, _, _ in splits], np.uint8),
        threshold=np.array([threshold for _, threshold, _ in splits]),
        missing_left=np.array([missing_left for _, _, missing_left in splits], np.bool_),
        left=np.where(is_leaf, node, tree.left).astype(np.int32),
        right=np.where(is_leaf, node, tree.right).astype(np.int32),
        leaf_nodes=leaves,
        leaf_offsets=np.array([0, len(leaves)], np.int32),
        leaf_values=tree.scores[leaves],
    )


def _split(condition: NodeCondition | None) -> tuple[Operator, float, bool]:
    """Return the operator and threshold of a split, and whether a missing number goes left."""
    if condition is None:
        return Operator.LEAF, 0.0, False
    if isinstance(condition, TextCondition):
        return (Operator.GT if condition.is_among else Operator.LEQ), _HALF, False
    return (Operator.GT if condition.is_above else Operator.LEQ), condition.bound, condition.or_missing


def _outputs(tree: RawTree, leaf: str, graph: "GraphBuilder") -> Iterator[ValueInfoProto]:
    """Add what is looked up for each leaf, and yield the outputs of the graph."""
    is_leaf = np.array([condition is None for condition in tree.conditions])
    scores = graph.constant(tree.scores[is_leaf], "scores_of_leaves")
    shape = ["n_rows", tree.scores.shape[1]]
    if tree.labels is None:
        value = graph.add("Gather", [scores, leaf], "value")
        yield helper.make_tensor_value_info(value, TensorProto.DOUBLE, shape)
        return
    classes = graph.constant(np.array(tree.classes, dtype=object), "classes")
    of_leaves = graph.constant(tree.labels[is_leaf], "classes_of_leaves")
    label = graph.add("Gather", [classes, graph.add("Gather", [of_leaves, leaf], "class_position")], "label")
    yield helper.make_tensor_value_info(label, TensorProto.STRING, ["n_rows"])
    probabilities = graph.add("Gather", [scores, leaf], "probabilities")
    yield helper.make_tensor_value_info(probabilities, TensorProto.DOUBLE, shape)


class GraphBuilder:
    """A graph to which operators and constants are added one by one, their tensors named without repetition.

    Parameters
    ----------
    taken
        Names that its own tensors must not have: those of the inputs.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def free_name(self, wanted: str) -> str:
        """Return a name that is not taken yet, with ``_`` appended as often as necessary, and take it."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def add(
        self,
        op_type: str,
        inputs: Sequence[str],
        wanted: str,
        domain: str = "",
        **attributes: Any,  # as the operator defines them
    ) -> str:
        """Add an operator and return the name of its tensor: the wanted one, if it is free."""
        name = self.free_name(wanted)
        self._nodes.append(helper.make_node(op_type, inputs, [name], domain=domain, **attributes))
        return name

    def add_node(self, node: NodeProto) -> None:
        """Add an operator whose tensors have names already."""
        self._nodes.append(node)

    def constant(self, values: NDArray[Any], wanted: str) -> str:
        """Add a constant, numbers or objects that are texts, and return its name."""
        name = self.free_name(wanted)
        is_text = values.dtype == object
        self._constants.append(
            helper.make_tensor(name, TensorProto.STRING, values.shape, [text.encode() for text in values.tolist()])
            if is_text
            else numpy_helper.from_array(np.ascontiguousarray(values), name)
        )
        return name

    def model(
        self, inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto], opsets: Mapping[str, int], ir: int
    ) -> bytes:
        """Return the bytes of the graph with these inputs and outputs."""
        graph = helper.make_graph(self._nodes, "tree", inputs, outputs, self._constants)
        model: ModelProto = helper.make_model(
            graph,
            producer_name="leafspace",
            opset_imports=[helper.make_opsetid(domain, version) for domain, version in opsets.items()],
            ir_version=ir,
        )
        return bytes(model.SerializeToString())
