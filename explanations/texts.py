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
