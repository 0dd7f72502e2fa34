"""write_tree_onnx: one tree of questions about raw features as an ONNX graph, which decides as its questions read.

The tree operator answers with the number of the leaf, which float32 holds exactly, and all that is known of a leaf is
looked up: so labels are the tree's own where scores are as good as equal, too, and scores keep their double precision.
TreeEnsembleClassifier would round the one, and decide the other by what it rounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, ValueInfoProto, helper

from ..ensemble import Operator, TreeEnsemble
from .graph_writing import GraphInMaking
from .leaf_operators import leaf_regressor

_OPSETS = {"ai.onnx.ml": 3, "": 15}
_IR_VERSION = 8  # with these operator sets: what runtimes since 2021 can open
_HALF = 0.5  # between no and yes of a question about texts
_NAMELESS = "unnamed"  # ONNX takes an input without a name for one that is left out


@dataclass(frozen=True, slots=True)
class RawFeature:
    """A column of raw rows."""

    name: str
    missing_text: str | None  # what is fed for a missing category; None for a number, of which NaN is missing


@dataclass(frozen=True, slots=True)
class NumberQuestion:
    """Asks how large a number is, in double precision."""

    feature: int  # position among the features
    bound: float  # infinite where it is asked whether there is a value at all
    is_above: bool  # yes to what is greater than the bound; else to what is not
    or_missing: bool  # yes to a missing value, too


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """Asks whether a category is one of some."""

    feature: int  # position among the features
    texts: tuple[str, ...]  # all different; what stands for a missing value is a text as any other here
    is_among: bool  # yes to these texts; else to all others


Question = NumberQuestion | TextQuestion


@dataclass(frozen=True, slots=True)
class RawTree:
    """A tree of questions about raw features, the root first and every child after its parent; yes goes left."""

    features: tuple[RawFeature, ...]  # at least one; their names differ
    questions: tuple[Question | None, ...]  # (n_nodes,) None at a leaf
    left: NDArray[np.int64]  # (n_nodes,) positions of children; of no meaning at a leaf
    right: NDArray[np.int64]  # (n_nodes,)
    scores: NDArray[np.float64]  # (n_nodes, n_classes), or (n_nodes, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_nodes,) positions among the classes; None for regression
    classes: tuple[str, ...]  # empty for regression


def write_tree_onnx(tree: RawTree) -> bytes:
    """Return the tree as a whole ONNX file.

    It has an input for each feature, of its name and the shape (n_rows, 1): ``double``, or ``string`` for a category.
    A classifier answers with ``label``, ``string`` (n_rows,), and ``probabilities``, ``double`` (n_rows, n_classes); a
    regressor with ``value``, ``double`` (n_rows, 1). Where a feature is called so itself, the output's name ends in
    ``_``; a feature whose name is empty is called ``unnamed``.
    """
    graph = GraphInMaking(feature.name for feature in tree.features)
    inputs = [feature.name or graph.free_name(_NAMELESS) for feature in tree.features]
    outputs = list(_outputs(tree, _leaf(tree, inputs, graph), graph))
    told = [_input(name, feature) for name, feature in zip(inputs, tree.features, strict=True)]
    return graph.model(told, outputs, _OPSETS, _IR_VERSION)


def _input(name: str, feature: RawFeature) -> ValueInfoProto:
    is_number = feature.missing_text is None
    element = TensorProto.DOUBLE if is_number else TensorProto.STRING
    missing = "NaN" if is_number else ascii(feature.missing_text)
    return helper.make_tensor_value_info(name, element, ["n_rows", 1], doc_string=f"{missing} is a missing value")


def _leaf(tree: RawTree, inputs: Sequence[str], graph: GraphInMaking) -> str:
    """Add what tells the leaf of each row, counted among the leaves, and return its tensor, (n_rows,)."""
    columns = _columns(tree, inputs, graph)
    matrix = graph.add("Concat", list(columns.values()), "columns", axis=1)
    position = {key: at for at, key in enumerate(columns)}
    number = graph.free_name("leaf_number")
    asked = [None if each is None else position[_key(each)] for each in tree.questions]
    graph.add_node(leaf_regressor(_ensemble(tree, asked), matrix, number, is_double=True))
    as_integer = graph.add("Cast", [number], "leaf_column", to=TensorProto.INT64)
    return graph.add("Reshape", [as_integer, graph.constant(np.array([-1]), "all_rows")], "leaf")


_Key = tuple[int, frozenset[str]]


def _key(question: Question) -> _Key:
    """Return what questions have in common that can be answered by one column."""
    return question.feature, frozenset(question.texts if isinstance(question, TextQuestion) else ())


def _columns(tree: RawTree, inputs: Sequence[str], graph: GraphInMaking) -> dict[_Key, str]:
    """Return a tensor (n_rows, 1) for each column that the tree operator is to read, one at least."""
    questions = [each for each in tree.questions if each is not None] or [_any_question(tree)]
    columns: dict[_Key, str] = {}
    for question in questions:
        tensor = inputs[question.feature]
        if isinstance(question, NumberQuestion):
            columns[_key(question)] = tensor
        elif _key(question) not in columns:
            columns[_key(question)] = _flag(tensor, question.texts, graph)
    return columns


def _any_question(tree: RawTree) -> Question:
    """Return what a tree may ask that asks nothing: its operator must have something to read all the same."""
    missing = tree.features[0].missing_text
    return NumberQuestion(0, np.inf, True, True) if missing is None else TextQuestion(0, (missing,), True)  # noqa: FBT003


def _flag(tensor: str, texts: Sequence[str], graph: GraphInMaking) -> str:
    """Add a column that is 1 where a category is one of these texts, otherwise 0."""
    keys = [text.encode() for text in texts] or [b""]  # there is no table without entries
    table = {"keys_strings": keys, "values_floats": [float(bool(texts))] * len(keys), "default_float": 0.0}
    flag = graph.add("LabelEncoder", [tensor], "is_among", "ai.onnx.ml", **table)
    return graph.add("Cast", [flag], "is_among_as_double", to=TensorProto.DOUBLE)


def _ensemble(tree: RawTree, columns: Sequence[int | None]) -> TreeEnsemble:
    """Return the one tree as the arrays that operators are written from."""
    at = np.arange(len(columns))
    is_leaf = np.array([question is None for question in tree.questions])
    leaves = np.flatnonzero(is_leaf).astype(np.int32)
    asked = [_asked(question) for question in tree.questions]
    return TreeEnsemble(
        offsets=np.array([0, len(at)], np.int32),
        column=np.array([column or 0 for column in columns], np.int32),
        operator=np.array([operator for operator, _, _ in asked], np.uint8),
        threshold=np.array([threshold for _, threshold, _ in asked]),
        missing_left=np.array([missing_left for _, _, missing_left in asked], np.bool_),
        left=np.where(is_leaf, at, tree.left).astype(np.int32),
        right=np.where(is_leaf, at, tree.right).astype(np.int32),
        leaf_nodes=leaves,
        leaf_offsets=np.array([0, len(leaves)], np.int32),
        leaf_values=tree.scores[leaves],
    )


def _asked(question: Question | None) -> tuple[Operator, float, bool]:
    """Return the operator and threshold that ask a column, and whether a missing number goes left."""
    if question is None:
        return Operator.LEAF, 0.0, False
    if isinstance(question, TextQuestion):
        return (Operator.GT if question.is_among else Operator.LEQ), _HALF, False
    return (Operator.GT if question.is_above else Operator.LEQ), question.bound, question.or_missing


def _outputs(tree: RawTree, leaf: str, graph: GraphInMaking) -> Iterator[ValueInfoProto]:
    """Add what is looked up for each leaf, and yield what the graph answers with."""
    is_leaf = np.array([question is None for question in tree.questions])
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
