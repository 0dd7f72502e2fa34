"""NumberGrid: the numbers that a model reads in one raw column, counted, so that there is one halfway between two."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.description import InputType

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LARGEST_WHOLE = {"int64": 2**53, "int32": 2**31 - 1, "bool": 1, "float": 2**24, "double": 2**53}


@dataclass(frozen=True, slots=True)
class NumberGrid:
    """All finite numbers that a column can hold, by their index: neighbours differ by 1, and zero has 0."""

    input_type: InputType
    is_whole: bool  # there are whole numbers only

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        if self.is_whole:
            highest = float(_LARGEST_WHOLE[self.input_type])
            return (0.0 if self.input_type == "bool" else -highest), highest
        highest = float(np.finfo(self._dtype).max)
        return -highest, highest

    def index_below(self, values: Floats) -> Ints:
        """Return the index of the highest number that is not above each value; of the lowest where there is none."""
        low, high = self.ends
        if self.is_whole:
            return np.floor(np.clip(values, low, high)).astype(np.int64)
        with np.errstate(over="ignore"):
            nearest = np.clip(values, low, high).astype(self._dtype)
        return self._index(nearest) - (nearest.astype(np.float64) > values)

    def index_of(self, values: Floats) -> Ints:
        """Return the index of the number that the model reads for each value: the nearest."""
        low, high = self.ends
        if self.is_whole:
            return np.rint(np.clip(values, low, high)).astype(np.int64)
        with np.errstate(over="ignore"):
            rounded = values.astype(self._dtype)
        return self._index(np.clip(rounded, low, high))

    def numbers(self, index: Ints) -> Floats:
        """Return the numbers with these indices, clipped to the ends."""
        low, high = self.ends
        if self.is_whole:
            return np.clip(index.astype(np.float64), low, high)
        bounds = self._index(np.array([low, high]))
        index = np.clip(index, *bounds)
        magnitude = np.abs(index).astype(self._bits).view(self._dtype).astype(np.float64)
        return np.where(index < 0, -magnitude, magnitude)

    @property
    def _dtype(self) -> type[np.float32 | np.float64]:
        return np.float32 if self.input_type == "float" else np.float64

    @property
    def _bits(self) -> type[np.integer[Any]]:
        return np.int32 if self.input_type == "float" else np.int64

    def _index(self, numbers: NDArray[Any]) -> Ints:
        """Return the bits of numbers in the model's precision as whole numbers in the same order."""
        magnitude = np.abs(numbers.astype(self._dtype)).view(self._bits).astype(np.int64)
        index: Ints = np.where(numbers < 0, -magnitude, magnitude)
        return index
