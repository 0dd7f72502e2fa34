"""free_rows: a graph that was exported for one row, or for a fixed number of them, takes any number.

The number stands in the shapes of the inputs, and in reshapes inside. Shapes of tensors between operators are only
declared; they are dropped (``leaf_graph``). Whether the freed graph predicts the same is tried once it is open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, numpy_helper

from ..errors import ModelRefused
from .checking import quoted
from .graph import tensor_array
from .leaf_graph import build_prediction_graph, serialized
from .tree_attributes import attributes_of, integers

_MOST_ROWS = 1_000  # that are tried together


@dataclass(frozen=True, slots=True)
class FixedRows:
    """A graph for a fixed number of rows."""

    graph: bytes
    n_rows: int

    def with_outputs(self, names: Sequence[str]) -> bytes:
        """Return the graph cut down to these tensors."""
        return build_prediction_graph(ModelProto.FromString(self.graph), names)


def free_rows(model: ModelProto) -> FixedRows | None:
    """Change a graph of a fixed number of rows into one of any number; return it as it was, ``None`` if none is fixed.

    Raises
    ------
    ModelRefused
        ``model_unsupported_input`` where inputs are for different numbers of rows, or for very many.
    """
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    shapes = [value.type.tensor_type.shape for value in graph.input if value.name not in constants]
    numbers = {shape.dim[0].dim_value for shape in shapes if shape.dim and shape.dim[0].dim_value > 0}
    if not numbers:
        return None
    if len(numbers) > 1 or max(numbers) > _MOST_ROWS:
        shown = quoted(", ".join(f"{number:,}" for number in sorted(numbers)[:5]))
        detail = f"The graph is for a fixed number of rows ({shown}); export it for any number of rows."
        raise ModelRefused("model_unsupported_input", detail)
    (n_rows,) = numbers
    as_it_was = FixedRows(serialized(model), n_rows)
    for shape in shapes:
        if shape.dim:
            shape.dim[0].Clear()
    _free_reshapes(graph, n_rows)
    return as_it_was


def _free_reshapes(graph: GraphProto, n_rows: int) -> None:
    """Let reshapes of rows that begin with the number of rows keep any number."""
    constants = {tensor.name: tensor_array(tensor) for tensor in graph.initializer}
    constants |= {node.output[0]: _written(node) for node in graph.node if node.op_type == "Constant"}
    of_rows = {value.name for value in graph.input} - constants.keys()
    for node in graph.node:
        if of_rows.isdisjoint(node.input) or node.op_type == "Shape":
            continue
        of_rows.update(node.output)
        shape = constants.get(node.input[1]) if node.op_type == "Reshape" and len(node.input) > 1 else None
        sizes = [] if shape is None else shape.ravel().tolist()
        if sizes and sizes[0] == n_rows:
            _set_shape(graph, node, [0 if -1 in sizes else -1, *sizes[1:]])


def _written(node: NodeProto) -> NDArray[Any]:
    """Return the integers of a Constant; none where it holds something else."""
    attributes = attributes_of(node)
    if "value" in attributes:
        return tensor_array(attributes["value"].t)
    return integers(attributes, "value_ints")


def _set_shape(graph: GraphProto, node: NodeProto, sizes: list[int]) -> None:
    name = f"leafspace_shape_of_{node.output[0]}"
    graph.initializer.append(numpy_helper.from_array(np.array(sizes, np.int64), name))
    node.input[1] = name
    for attribute in node.attribute:
        if attribute.name == "allowzero" and attribute.type == AttributeProto.INT:
            attribute.i = 0
