"""What is known of a tensor before the trees, and of the operator that is to be followed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto

from . import column_changes as changes
from .description import ClosedFeature, ModelColumn
from .tree_attributes import Attributes, attributes_of

Element = Literal["float", "double", "integer", "bool", "string", "unknown"]
Columns = tuple[ModelColumn, ...]
_SHOWN_SOURCES = 3  # features that the name of a mixed column lists
_MIXTURES = {"MatMul": "component", "Gemm": "component", "Normalizer": "normalized value"}


@dataclass(frozen=True, slots=True)
class TensorColumns:
    """What is known of a tensor of shape (n_rows, width); a third dimension counts as flattened."""

    element: Element
    columns: Columns | None  # (width,) None where nothing is known, not even the width
    lost_fractions: bool = False  # numbers with fractions were cast to integers, which only encoders do not mind
    closed: tuple[ClosedFeature, ...] = ()  # the features whose unknown values the operator of this tensor refuses

    @property
    def width(self) -> int | None:
        """Number of columns, if known."""
        return None if self.columns is None else len(self.columns)


UNKNOWN = TensorColumns("unknown", None)


@dataclass(frozen=True, slots=True)
class Step:
    """One operator, and what is known of its inputs."""

    node: NodeProto
    tensors: Mapping[str, TensorColumns]
    constants: Mapping[str, NDArray[Any]]
    reads_text: Sequence[bool]  # (n_features,) whether the raw feature is text

    @property
    def attributes(self) -> Attributes:
        """The operator's attributes by name."""
        return attributes_of(self.node)

    def tensor(self, index: int = 0) -> TensorColumns:
        """Return what is known of an input."""
        return self.tensors.get(self.node.input[index], UNKNOWN)

    def constant(self, index: int) -> NDArray[Any] | None:
        """Return an input's values where it is a constant."""
        return self.constants.get(self.node.input[index]) if index < len(self.node.input) else None

    def axis(self, default: int) -> int:
        """Return the operator's axis."""
        attributes = self.attributes
        return int(attributes["axis"].i) if "axis" in attributes else default


def settled(tensor: TensorColumns) -> Columns | None:
    """Return the columns for a reader that minds lost fractions."""
    if tensor.columns is None or not tensor.lost_fractions:
        return tensor.columns
    return tuple(changes.without_fraction(column) for column in tensor.columns)


def each_transformed(tensor: TensorColumns, how: str) -> Columns | None:
    """Return columns that are each transformed by themselves."""
    if tensor.columns is None:
        return None
    return tuple(changes.transformed(column, how) for column in tensor.columns)


def mixed(step: Step, width: int) -> Columns:
    """Return columns that depend on several features."""
    names, only = _sources(step)
    shown = ", ".join(names[:_SHOWN_SOURCES]) + (", …" if len(names) > _SHOWN_SOURCES else "")
    what = _MIXTURES.get(step.node.op_type) or ("value" if width > 1 else None)
    texts = (
        f"computed from {shown}" if what is None else f"{what} {at + 1} of {width} of {shown}" for at in range(width)
    )
    return tuple(ModelColumn(text, "transformed", *only, sources=names[: _SHOWN_SOURCES + 1]) for text in texts)


def _sources(step: Step) -> tuple[tuple[str, ...], tuple[str | None, int | None]]:
    """Return the features that an operator's columns are made of, and the feature and its index if it is only one."""
    columns = [column for at in range(len(step.node.input)) for column in step.tensor(at).columns or ()]
    names = tuple(
        dict.fromkeys(name for column in columns for name in column.sources or (column.feature or column.name,))
    )
    alone = {(column.feature, column.raw_index) for column in columns}
    return names or (step.node.output[0],), alone.pop() if len(alone) == 1 else (None, None)


def one_each(values: NDArray[Any], width: int, default: float) -> NDArray[np.float64] | None:
    """Return one number for each column; ``None`` where their number does not fit, or where they are texts."""
    if values.dtype.kind not in "fiub":
        return None
    numbers_or_default = values.astype(np.float64).ravel() if values.size else np.array([default])
    if len(numbers_or_default) not in (1, width):
        return None
    return np.broadcast_to(numbers_or_default, width)


def is_row(constant: NDArray[Any]) -> bool:
    """Whether a constant holds one value for all columns or one for each, not something per row."""
    return constant.size == 1 or constant.size == constant.shape[-1]


def combination(step: Step) -> TensorColumns:
    """Two tensors become one, column by column; where a constant is one of them, each keeps its feature.

    A single column that meets a row of constants becomes as many as these are.
    """
    variable = [step.tensor(at) for at in range(len(step.node.input)) if step.constant(at) is None]
    widths = {tensor.width for tensor in variable}
    if len(variable) == 1:
        columns = each_transformed(variable[0], step.node.op_type.lower())
        constants = [step.constant(at) for at in range(len(step.node.input))]
        widths_of_constants = [constant.shape[-1] for constant in constants if constant is not None and constant.ndim]
        n_copies = max(widths_of_constants, default=1)
        return TensorColumns("float", columns * n_copies if columns is not None and len(columns) == 1 else columns)
    if None in widths or not widths or len(widths - {1}) > 1:
        return UNKNOWN
    if len(widths) == 1:
        columns_at = zip(*(tensor.columns or () for tensor in variable), strict=True)
        return TensorColumns("float", tuple(_of_several(step.node.op_type.lower(), each) for each in columns_at))
    return TensorColumns("float", mixed(step, max(width or 0 for width in widths)))


def _of_several(how: str, columns: Columns) -> ModelColumn:
    """Return a column that is computed of one of each tensor."""
    features = {(each.feature, each.raw_index) for each in columns}
    names = [name for each in columns for name in each.sources or (each.feature or each.name,)]
    shown = f"{how}({', '.join(each.name for each in columns)})"[: changes.LONGEST_NAME]
    only = features.pop() if len(features) == 1 else (None, None)
    return ModelColumn(shown, "transformed", *only, sources=tuple(dict.fromkeys(names))[: _SHOWN_SOURCES + 1])
