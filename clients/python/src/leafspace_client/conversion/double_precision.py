"""Double precision: a model's trees written so that the graph decides as the estimator does, ties included.

Converters write sums in single precision, with the number of trees divided out of every leaf beforehand, and leave the
label to onnxruntime's operator, which decides at 0.5 or 0. Here thresholds are compared and leaves added up in double
precision, sums are divided afterwards, and the label is the first of the highest scores.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from skl2onnx.proto import onnx_proto

from .tree_operators import PostponedTrees, TreeArrays, nearest_float32

_DOUBLE = onnx_proto.TensorProto.DOUBLE
_FLOAT = onnx_proto.TensorProto.FLOAT
_INT64 = onnx_proto.TensorProto.INT64
_TYPE_OF_KIND = {"f": _DOUBLE, "i": _INT64, "U": onnx_proto.TensorProto.STRING}


class Nodes:
    """Operators and constants added to the graph that skl2onnx is making, their tensors named by it."""

    def __init__(self, scope: Any, container: Any) -> None:  # skl2onnx's own
        self._scope, self._container = scope, container
        self.postponed: PostponedTrees | None = None  # where several models are in one graph

    def unique_name(self, wanted: str) -> str:
        """Return a name that no tensor has yet."""
        return str(self._scope.get_unique_variable_name(wanted))

    def add(self, op_type: str, inputs: Sequence[str], output: str | None = None, **attributes: Any) -> str:
        """Add an operator and return the name of its tensor."""
        name = output or self.unique_name(op_type.lower())
        self._add(op_type, inputs, [name], attributes)
        return name

    def add_two(self, op_type: str, inputs: Sequence[str], **attributes: Any) -> tuple[str, str]:
        """Add an operator that has two outputs and return the names of their tensors."""
        first, second = (self.unique_name(op_type.lower()) for _ in range(2))
        self._add(op_type, inputs, [first, second], attributes)
        return first, second

    def _add(self, op_type: str, inputs: Sequence[str], outputs: list[str], attributes: dict[str, Any]) -> None:
        domain = attributes.pop("domain", "")
        # TreeEnsemble is newer than skl2onnx knows: the operator set that the graph imports is raised afterwards.
        version = {"op_version": 3} if domain else {}
        self._container.add_node(op_type, list(inputs), outputs, op_domain=domain, **version, **attributes)

    def constant(self, values: Any) -> str:  # an array or a number
        """Add a constant and return its name."""
        array = np.asarray(values)
        name = self.unique_name("constant")
        content = [text.encode() for text in array.ravel().tolist()] if array.dtype.kind == "U" else array.ravel()
        self._container.add_initializer(name, _TYPE_OF_KIND[array.dtype.kind], array.shape, content)
        return name

    def single(self, values: Any) -> str:  # an array
        """Add a constant in single precision and return its name."""
        array, name = np.asarray(values, np.float32), self.unique_name("constant")
        self._container.add_initializer(name, _FLOAT, array.shape, array.ravel())
        return name

    def as_double(self, tensor: str) -> str:
        """Return a tensor in double precision."""
        return self.add("Cast", [tensor], to=_DOUBLE)

    def as_whole(self, tensor: str) -> str:
        """Return a tensor as whole numbers."""
        return self.add("Cast", [tensor], to=_INT64)

    def as_rounded(self, tensor: str) -> str:
        """Return a tensor rounded to single precision, in double."""
        return self.as_double(self.add("Cast", [tensor], to=_FLOAT))

    def add_classifier(self, scores: str, labels: Any, outputs: Sequence[str]) -> None:  # an array
        """Add the outputs of a classifier: the label of the highest score, the first of equals, and the scores."""
        position = self.add("ArgMax", [scores], axis=1, keepdims=0)
        self.add("Gather", [self.constant(labels), position], outputs[0], axis=0)
        self.add("Identity", [scores], outputs[1])

    def is_reached(self, scores: str, threshold: float, *, column: int = 1, is_strict: bool = False) -> str:
        """Add whether a score reaches a cut-off, and return the tensor of that, 0 or 1, (n_rows,).

        Parameters
        ----------
        scores : (n_rows, n_scores)
            A tensor of doubles.
        threshold
            Compared with the score of ``column``.
        is_strict
            Whether a score has to be above the threshold: one that equals it does not suffice then.
        """
        score = self.add("Gather", [scores, self.constant(np.array(column))], axis=1)
        operator = "Greater" if is_strict else "GreaterOrEqual"
        return self.as_whole(self.add(operator, [score, self.constant(float(threshold))]))

    def add_cut_off(  # what is compared with what, and what comes out
        self,
        scores: str,
        threshold: float,
        labels: Any,  # an array
        output: str,
        *,
        column: int = 1,
        is_strict: bool = False,
    ) -> str:
        """Add the label that a cut-off decides, and return its tensor, (n_rows,).

        ``labels``, (2,), are the label of rows whose score does not reach the threshold, and that of the others, as
        ``graph_labels`` returns them; ``output`` is the name of the tensor; the rest is that of ``is_reached``.
        """
        index = self.is_reached(scores, threshold, column=column, is_strict=is_strict)
        return self.add("Gather", [self.constant(labels), index], output, axis=0)


def for_precision(trees: TreeArrays, *, takes_doubles: bool) -> TreeArrays:
    """Return trees whose thresholds are in the precision in which rows come to them.

    A row that lies on a threshold, rounded to single precision as that is, still does.
    """
    if takes_doubles:
        return trees
    return replace(trees, threshold=nearest_float32(trees.threshold))


def with_complement(nodes: Nodes, share: str, whole: float = 1.0) -> str:
    """Return the shares of both of two classes where that of the second is known."""
    first = nodes.add("Sub", [nodes.constant(whole), share])
    return nodes.add("Concat", [first, share], axis=1)


def along_lines(nodes: Nodes, tensor: str, points: Any, values: Any) -> str:  # arrays
    """Return what ``np.interp`` makes of a tensor of one column: lines between points, and constants outside them."""
    if len(points) == 1:
        return nodes.add("Add", [nodes.add("Mul", [tensor, nodes.constant(0.0)]), nodes.constant(values)])
    low, high = nodes.constant(np.array([points[0]])), nodes.constant(np.array([points[-1]]))
    clipped = nodes.add("Min", [nodes.add("Max", [tensor, low]), high])
    passed = nodes.as_double(nodes.add("GreaterOrEqual", [clipped, nodes.constant(points.reshape(1, -1))]))
    n_passed = nodes.add("ReduceSum", [passed, nodes.constant(np.array([1]))], keepdims=1)
    index = nodes.as_whole(nodes.add("Sub", [n_passed, nodes.constant(np.array([1.0]))]))
    widths = np.diff(points)
    slopes = np.append(np.divide(np.diff(values), widths, out=np.zeros_like(widths), where=widths > 0), 0.0)
    lines = (slopes, points, values)
    slope, point, value = (nodes.add("Gather", [nodes.constant(each), index], axis=0) for each in lines)
    return nodes.add("Add", [nodes.add("Mul", [slope, nodes.add("Sub", [clipped, point])]), value])


def graph_labels(labels: Any) -> Any:  # arrays
    """Return labels as the graph has them: texts, whole numbers, or instead of fractions their indices."""
    array = np.array([label.decode() if isinstance(label, bytes) else label for label in labels])
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        return np.arange(len(array))
    return array.astype(np.int64) if array.dtype.kind in "bif" else array.astype(str)
