"""Many small texts as Arrow arrays, and larger ones composed of them.

A Python object for each piece of a JSON document would take longer than computing what the document holds. Arrow puts
pieces together at some ten nanoseconds each, without holding the interpreter's lock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from tree_explainers.compute.compiled import compiled

Texts: TypeAlias = pa.LargeBinaryArray
"""Pieces of JSON by their number."""

_COMMA = ord(",")


def texts_of(pieces: Sequence[bytes]) -> Texts:
    """Return these texts."""
    return pa.array(pieces, pa.large_binary())


def number_texts(values: NDArray[Any]) -> Texts:
    """Return numbers, (n_texts,), as JSON, in as few digits as their precision takes; those not finite are null."""
    return _elements(orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY), len(values))


def _elements(numbers: bytes, n_numbers: int) -> Texts:
    """Return the elements of a JSON list of numbers."""
    written = np.frombuffer(numbers, dtype=np.uint8)[1:-1]
    is_comma = written == _COMMA
    commas = np.flatnonzero(is_comma)
    offsets = np.zeros(n_numbers + 1, dtype=np.int64)
    offsets[1:-1] = commas - np.arange(len(commas))
    offsets[-1] = len(written) - len(commas)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(written[~is_comma])]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), n_numbers, buffers)


@dataclass(frozen=True, slots=True)
class DistinctNumbers:
    """Numbers of which many are equal, written once each."""

    texts: Texts
    index: NDArray[np.int64]  # (n_values,) the text of each value
    decimals: NDArray[np.float64]  # (n_values,) what readers of the texts get; NaN for null

    @staticmethod
    def of(values: NDArray[np.float32] | NDArray[np.float64]) -> "DistinctNumbers":
        """Write numbers as ``number_texts`` does."""
        # By their bits: 0.0 and -0.0 are different.
        bits = pa.array(values.view(f"i{values.itemsize}")).dictionary_encode()
        distinct = bits.dictionary.to_numpy().view(values.dtype)
        index = bits.indices.to_numpy().astype(np.int64)
        written = orjson.dumps(distinct, option=orjson.OPT_SERIALIZE_NUMPY)
        # Of doubles, what is read is what was written.
        read = distinct if values.dtype == np.float64 else np.array(orjson.loads(written), dtype=np.float64)
        decimals = np.where(np.isfinite(read), read, np.nan)
        return DistinctNumbers(_elements(written, len(distinct)), index, decimals[index])


@dataclass(frozen=True, slots=True)
class Compositions:
    """Lists of texts by their numbers: the pieces that larger texts are composed of."""

    texts: NDArray[np.int64]  # all lists, one after the other
    bounds: NDArray[np.int64]  # (n_lists + 1,)

    @staticmethod
    def of_equal_length(texts: NDArray[np.int64]) -> "Compositions":
        """Return lists that are the lines of a matrix."""
        n_lists, length = texts.shape
        return Compositions(texts.ravel(), np.arange(n_lists + 1) * length)

    def spread(self, indices: NDArray[np.int64], n_lists: int) -> "Compositions":
        """Return ``n_lists`` lists: these ones at ``indices``, which ascend, and empty ones elsewhere."""
        lengths = np.zeros(n_lists, dtype=np.int64)
        lengths[indices] = np.diff(self.bounds)
        return Compositions(self.texts, np.concatenate(([0], np.cumsum(lengths))))

    def grouped(self, bounds: NDArray[np.int64]) -> "Compositions":
        """Join the lists ``bounds[i]`` to ``bounds[i + 1]`` into one, for each ``i``."""
        return Compositions(self.texts, self.bounds[bounds])

    def part(self, start: int, stop: int) -> "Compositions":
        """Return lists ``start`` up to, not including, ``stop``."""
        first, last = self.bounds[start], self.bounds[stop]
        return Compositions(self.texts[first:last], self.bounds[start : stop + 1] - first)

    @staticmethod
    def side_by_side(*parts: "Compositions") -> "Compositions":
        """Join the first lists of all parts into one, then the second ones, and so on."""
        texts = _side_by_side(tuple(part.texts for part in parts), tuple(part.bounds for part in parts))
        bounds: NDArray[np.int64] = np.array([part.bounds for part in parts]).sum(axis=0)
        return Compositions(texts, bounds)

    def write(self, texts: Texts) -> pa.Buffer:
        """Return all that is composed, one after the other."""
        return texts.take(pa.array(self.texts)).buffers()[2]


@compiled
def _side_by_side(texts: tuple[NDArray[np.int64], ...], bounds: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    n_texts = 0
    for own in texts:
        n_texts += len(own)
    joined = np.empty(n_texts, dtype=np.int64)
    start = 0
    for index in range(len(bounds[0]) - 1):
        for part in range(len(texts)):
            own = texts[part][bounds[part][index] : bounds[part][index + 1]]
            joined[start : start + len(own)] = own
            start += len(own)
    return joined


class TextPool:
    """Texts that are numbered in the order of their addition; a pool may continue another."""

    def __init__(self, before: Texts | None = None) -> None:
        self._parts = [] if before is None else [before]
        self._n_texts = 0 if before is None else len(before)

    def add(self, texts: Texts) -> int:
        """Add some texts; return the number of the first."""
        first = self._n_texts
        self._parts.append(texts)
        self._n_texts += len(texts)
        return first

    def add_pieces(self, *pieces: bytes) -> int:
        """Add some texts; return the number of the first."""
        return self.add(texts_of(pieces))

    def texts(self) -> Texts:
        """Return all of them."""
        return pa.concat_arrays(self._parts)


def lines_of(n_lists: int, *parts: int | NDArray[np.int64]) -> Compositions:
    """Return lists that are made of the same parts: a text for all, (n_lists,) or (n_lists, any number) texts."""
    columns = [np.broadcast_to(part, (n_lists, 1)) if isinstance(part, int) else part for part in parts]
    return Compositions.of_equal_length(np.column_stack(columns))
