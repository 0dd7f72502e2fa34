"""Columns of steps: the columns that come to a step before the trees, and the operators that a step adds for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
from skl2onnx.proto import onnx_proto

from .double_precision import Nodes

DOUBLE, FLOAT = onnx_proto.TensorProto.DOUBLE, onnx_proto.TensorProto.FLOAT


class NoCounterpart(Exception):
    """Raised where a step is not converted; the message says why, if there is more to say."""

    def __init__(self, step: Any, why: str = "has no counterpart in ONNX here") -> None:  # a step
        super().__init__(why)
        self.step = step


@dataclass(frozen=True, slots=True)
class StepColumns:
    """The columns that come to a step, in one tensor or more."""

    nodes: Nodes
    variables: Sequence[Any]  # skl2onnx's, whose widths are known
    step: Any

    @property
    def are_texts(self) -> bool:
        """Whether all columns are texts.

        Raises
        ------
        NoCounterpart
            Where some are, and others are not: a tensor holds either.
        """
        kinds = {isinstance(each.type, StringTensorType) for each in self.variables}
        if len(kinds) > 1:
            raise NoCounterpart(self.step, "reads texts and numbers at once, for which ONNX has no tensor")
        return kinds == {True}

    @property
    def are_single(self) -> bool:
        """Whether all columns are in single precision."""
        return all(isinstance(each.type, FloatTensorType) for each in self.variables)

    def joined(self) -> str:
        """Return all columns in one tensor: of texts, of single precision, or else of doubles."""
        is_plain = len({type(each.type) for each in self.variables}) == 1
        is_plain = is_plain and not isinstance(self.variables[0].type, Int64TensorType)
        names = [each.full_name if is_plain else self.nodes.as_double(each.full_name) for each in self.variables]
        return str(names[0]) if len(names) == 1 else self.nodes.add("Concat", names, axis=1)

    def doubles(self) -> str:
        """Return all columns in one tensor of doubles."""
        if self.are_texts:
            raise NoCounterpart(self.step, "reads texts, which it does not take in ONNX")
        joined = self.joined()
        return self.nodes.as_double(joined) if self.are_single else joined

    def row(self, values: Any) -> str:  # an array
        """Return numbers as a constant of the precision of the columns, (1, n_columns)."""
        numbers = np.asarray(values, np.float64).reshape(1, -1)
        return self.nodes.single(numbers) if self.are_single else self.nodes.constant(numbers)

    def each(self) -> Iterator[tuple[str, bool]]:
        """Yield the tensor of each column, (n_rows, 1), of doubles or texts, and whether it holds texts."""
        for variable in self.variables:
            is_text, width = isinstance(variable.type, StringTensorType), variable.type.shape[1]
            tensor = variable.full_name
            if not is_text and not isinstance(variable.type, DoubleTensorType):
                tensor = self.nodes.as_double(tensor)
            for at in range(width):
                yield tensor if width == 1 else self.chosen(tensor, [at]), is_text

    def chosen(self, tensor: str, indices: Any) -> str:  # an array
        """Return some columns of a tensor, (n_chosen,) their indices."""
        return self.nodes.add("Gather", [tensor, self.nodes.constant(np.asarray(indices, np.int64))], axis=1)

    def side_by_side(self, tensors: Sequence[str]) -> str:
        """Return tensors of one type as one."""
        return tensors[0] if len(tensors) == 1 else self.nodes.add("Concat", tensors, axis=1)
