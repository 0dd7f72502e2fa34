"""Double precision: a model's trees written so that the graph decides as the estimator does, ties included.

Converters write sums in single precision, with the number of trees divided out of every leaf beforehand, and leave the
label to onnxruntime's operator, which decides at 0.5 or 0. Here thresholds are compared and leaves added up in double
precision, sums are divided afterwards, and the label is the first of the highest scores.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from skl2onnx.common.data_types import DoubleTensorType
from skl2onnx.proto import onnx_proto

from .tree_operators import TreeArrays, add_trees, arrays_of_attributes, nearest_float32

_DOUBLE = onnx_proto.TensorProto.DOUBLE
_FLOAT = onnx_proto.TensorProto.FLOAT
_INT64 = onnx_proto.TensorProto.INT64
_TYPE_OF_KIND = {"f": _DOUBLE, "i": _INT64, "U": onnx_proto.TensorProto.STRING}


class Nodes:
    """Operators and constants added to the graph that skl2onnx is making, their tensors named by it."""

    def __init__(self, scope: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
        self._scope, self._container = scope, container

    def add(self, op_type: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:  # noqa: ANN401
        """Add an operator and return the name of its tensor."""
        name = output or self._scope.get_unique_variable_name(op_type.lower())
        domain = attributes.pop("domain", "")
        # TreeEnsemble is newer than skl2onnx knows: the operator set that the graph imports is raised afterwards.
        version = {"op_version": 3} if domain else {}
        self._container.add_node(op_type, list(inputs), [name], op_domain=domain, **version, **attributes)
        return str(name)

    def constant(self, values: Any) -> str:  # noqa: ANN401  # an array or a number
        """Add a constant and return its name."""
        array = np.asarray(values)
        name = self._scope.get_unique_variable_name("constant")
        content = [text.encode() for text in array.ravel().tolist()] if array.dtype.kind == "U" else array.ravel()
        self._container.add_initializer(name, _TYPE_OF_KIND[array.dtype.kind], array.shape, content)
        return str(name)

    def as_double(self, tensor: str) -> str:
        """Return a tensor in double precision."""
        return self.add("Cast", [tensor], to=_DOUBLE)

    def as_rounded(self, tensor: str) -> str:
        """Return a tensor rounded to single precision, in double."""
        return self.as_double(self.add("Cast", [tensor], to=_FLOAT))

    def add_classifier(self, scores: str, labels: Any, outputs: Sequence[str]) -> None:  # noqa: ANN401  # an array
        """Add the outputs of a classifier: the label of the highest score, the first of equals, and the scores."""
        position = self.add("ArgMax", [scores], axis=1, keepdims=0)
        self.add("Gather", [self.constant(labels), position], outputs[0], axis=0)
        self.add("Identity", [scores], outputs[1])

    def add_cut_off(  # what is compared with what, and what comes out
        self,
        scores: str,
        threshold: float,
        labels: Any,  # noqa: ANN401  # an array
        output: str,
        *,
        column: int = 1,
        is_strict: bool = False,
    ) -> str:
        """Add the label that a cut-off decides, and return its tensor, (n_rows,).

        Parameters
        ----------
        scores : (n_rows, n_scores)
            A tensor of doubles.
        threshold
            Compared with the score of ``column``.
        labels : (2,)
            The label of rows below the threshold, and that of rows at or above it, as ``graph_labels`` returns them.
        output
            The name of the tensor of labels.
        is_strict
            Whether a score has to be above the threshold: one that equals it does not suffice then.
        """
        score = self.add("Gather", [scores, self.constant(np.array(column))], axis=1)
        is_reached = self.add("Greater" if is_strict else "GreaterOrEqual", [score, self.constant(float(threshold))])
        index = self.add("Cast", [is_reached], to=_INT64)
        return self.add("Gather", [self.constant(labels), index], output, axis=0)


class DoublePrecision:
    """What converters add nodes to: tree operators are rewritten in double precision.

    ``is_single`` means that the library's own numbers are in single precision, of which its converter has decimals.
    ``n_per_iteration`` is the number of trees fitted at once where sums are divided by the number of times; ``None``
    where they are not.
    """

    def __init__(  # what skl2onnx gives, and how the library calculates
        self,
        scope: Any,  # noqa: ANN401
        operator: Any,  # noqa: ANN401
        container: Any,  # noqa: ANN401
        *,
        is_single: bool,
        n_per_iteration: int | None = None,
    ) -> None:
        self._operator, self._container = operator, container
        self._nodes = Nodes(scope, container)
        self._is_single = is_single
        self._n_per_iteration = n_per_iteration

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever the container has
        return getattr(self._container, name)

    def add_initializer(self, name: str, kind: int, shape: Any, content: Any) -> Any:  # noqa: ANN401  # as skl2onnx's
        """Add a constant; one that scores are calculated with is a double."""
        return self._container.add_initializer(name, _DOUBLE if kind == _FLOAT else kind, shape, content)

    def add_node(self, op_type: str, inputs: Any, outputs: Any, **attributes: Any) -> Any:  # noqa: ANN401  # passed on
        """Add a node."""
        if op_type not in ("TreeEnsembleClassifier", "TreeEnsembleRegressor"):
            return self._container.add_node(op_type, inputs, outputs, **attributes)
        inputs, outputs = ([each] if isinstance(each, str) else list(each) for each in (inputs, outputs))
        rounds = self._is_single and takes_doubles(self._operator)
        tensor = self._nodes.as_rounded(inputs[0]) if rounds else self._nodes.as_double(inputs[0])
        if op_type == "TreeEnsembleRegressor":
            value = self._sums(tensor, attributes, int(attributes["n_targets"]))
            return self._nodes.add("Identity", [value], outputs[0])
        labels = _labels(attributes)
        is_single = len(labels) <= 2 and len(set(attributes["class_ids"])) <= 1  # noqa: PLR2004  # one score for two
        if is_single:
            attributes["class_ids"] = [0] * len(attributes["class_ids"])
        scores = self._sums(tensor, attributes, 1 if is_single else len(labels))
        return self._nodes.add_classifier(self._linked(scores, attributes, is_single=is_single), labels, outputs)

    def _sums(self, tensor: str, attributes: dict[str, Any], n_outputs: int) -> str:
        trees = for_precision(arrays_of_attributes(attributes, n_outputs), self._operator)
        if self._is_single:
            numbers = {"threshold": nearest_float32(trees.threshold), "values": nearest_float32(trees.values)}
            trees = replace(trees, **numbers)
        sums = add_trees(self._nodes, tensor, trees, average=False)
        if self._n_per_iteration:
            divisors = np.full(n_outputs, len(trees.roots) / self._n_per_iteration)
            sums = self._nodes.add("Div", [sums, self._nodes.constant(divisors)])
        base = attributes.get("base_values")
        if base is None or not len(base):
            return sums
        return self._nodes.add("Add", [sums, self._nodes.constant(np.asarray(base, np.float64).ravel())])

    def _linked(self, sums: str, attributes: dict[str, Any], *, is_single: bool) -> str:
        """Return scores of all classes from sums, by the link that the operator would have applied."""
        link = attributes.get("post_transform", "NONE")
        link = link.decode() if isinstance(link, bytes) else link
        if link == "SOFTMAX":
            return self._nodes.add("Softmax", [sums], axis=1)
        if not is_single:
            return sums
        if link == "LOGISTIC":
            return with_complement(self._nodes, self._nodes.add("Sigmoid", [sums]))
        return self._nodes.add("Concat", [self._nodes.add("Neg", [sums]), sums], axis=1)


def for_precision(trees: TreeArrays, operator: Any) -> TreeArrays:  # noqa: ANN401  # skl2onnx's own
    """Return trees whose thresholds are in the precision in which rows come to them.

    A row that lies on a threshold, rounded to single precision as that is, still does.
    """
    if takes_doubles(operator):
        return trees
    return replace(trees, threshold=nearest_float32(trees.threshold))


def takes_doubles(operator: Any) -> bool:  # noqa: ANN401  # skl2onnx's own
    """Whether rows come to the trees in double precision."""
    return all(isinstance(each.type, DoubleTensorType) for each in operator.inputs)


def joined_columns(nodes: Nodes, operator: Any) -> str:  # noqa: ANN401  # skl2onnx's own
    """Return the columns that the trees read as one tensor."""
    names = [each.full_name for each in operator.inputs]
    return names[0] if len(names) == 1 else nodes.add("Concat", names, axis=1)


def with_complement(nodes: Nodes, share: str, whole: float = 1.0) -> str:
    """Return the shares of both of two classes where that of the second is known."""
    first = nodes.add("Sub", [nodes.constant(whole), share])
    return nodes.add("Concat", [first, share], axis=1)


def _labels(attributes: dict[str, Any]) -> Any:  # noqa: ANN401  # an array
    return graph_labels(attributes.get("classlabels_int64s", attributes.get("classlabels_strings")))


def graph_labels(labels: Any) -> Any:  # noqa: ANN401  # arrays
    """Return labels as the graph has them: texts, whole numbers, or instead of fractions their indices."""
    array = np.array([label.decode() if isinstance(label, bytes) else label for label in labels])
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        return np.arange(len(array))
    return array.astype(np.int64) if array.dtype.kind in "bif" else array.astype(str)
