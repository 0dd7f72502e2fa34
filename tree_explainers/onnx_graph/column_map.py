"""What each column that trees read is made of: walked from the graph's inputs onwards, operator by operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from onnx import GraphProto

from tree_explainers.ensemble import TreeEnsemble

from .description import FeatureGroup, InputSpec, ModelColumn

Element = Literal["float", "double", "integer", "bool", "string", "unknown"]


@dataclass(frozen=True, slots=True)
class TensorColumns:
    """What is known of a tensor of shape (n_rows, width)."""

    element: Element
    columns: tuple[ModelColumn, ...] | None  # (width,) None where nothing is known, not even the width

    @property
    def width(self) -> int | None:
        """Number of columns, if known."""
        return None if self.columns is None else len(self.columns)


_UNKNOWN = TensorColumns("unknown", None)
_ELEMENTS: dict[str, Element] = {
    "float": "float",
    "double": "double",
    "int64": "integer",
    "int32": "integer",
    "bool": "bool",
    "string": "string",
}


def map_columns(graph: GraphProto, inputs: Sequence[InputSpec], names: Sequence[str]) -> dict[str, TensorColumns]:
    """Return what is known of every tensor of the graph."""
    tensors: dict[str, TensorColumns] = {}
    first = 0
    for spec in inputs:
        columns = tuple(
            ModelColumn(names[index], "identity", names[index], index) for index in range(first, first + spec.width)
        )
        tensors[spec.name] = TensorColumns(_ELEMENTS[spec.type], columns)
        first += spec.width
    for node in graph.node:
        for output in node.output:
            tensors[output] = _UNKNOWN
    return tensors


def model_columns(name: str, tensor: TensorColumns, ensemble: TreeEnsemble) -> tuple[ModelColumn, ...]:
    """Return the columns of a tensor that trees read; where nothing is known, as many as they ask about."""
    if tensor.columns is not None:
        return tensor.columns
    return tuple(
        ModelColumn(f"{name}[{column}]", "transformed", None, None) for column in range(ensemble.column.max() + 1)
    )


def missing_tokens(graph: GraphProto, inputs: Sequence[InputSpec]) -> tuple[str | None, ...]:
    """Return for each raw column the text that stands for a missing category; ``None`` for number columns."""
    return tuple("" if spec.type == "string" else None for spec in inputs for _ in range(spec.width))


def group_columns(columns: tuple[ModelColumn, ...], groups: Sequence[FeatureGroup]) -> tuple[ModelColumn, ...]:
    """Return the columns with those that a group names turned into indicators of its feature."""
    return columns
