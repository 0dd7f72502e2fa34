"""Texts: many texts as one array of bytes, of which compiled loops put others together.

Of thousands of short pieces, Python's own objects would take several times as long as the bytes that they hold.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled_ahead

Ints = NDArray[np.int64]
_COMMA = 44


class Texts(NamedTuple):
    """Texts, by their numbers."""

    content: NDArray[np.uint8]  # writable, as loops take it
    starts: Ints  # (n_texts,) where each begins in the content
    stops: Ints  # (n_texts,) where it ends

    @staticmethod
    def of(texts: Sequence[bytes]) -> "Texts":
        """Return texts that are known one by one."""
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        stops = np.cumsum(lengths)
        return Texts(_content_of(b"".join(texts)), stops - lengths, stops)

    @staticmethod
    def of_items(json: bytes) -> "Texts":
        """Return the items of a list that is JSON without blanks; none of them holds a comma."""
        content = _content_of(json)
        commas = np.flatnonzero(content == _COMMA)
        if len(content) <= len(b"[]"):
            return Texts(content, commas, commas)
        return Texts(content, np.append(0, commas) + 1, np.append(commas, len(content) - 1))

    @staticmethod
    def together(tables: Sequence["Texts"]) -> tuple["Texts", list[int]]:
        """Return the texts of several tables as one, and the number of each table's first text there."""
        contents, starts, stops = zip(*tables, strict=True)
        ends = np.cumsum([0, *map(len, contents)]).tolist()
        numbers: list[int] = np.cumsum([0, *map(len, starts)]).tolist()
        shifted = (np.concatenate([each + end for each, end in zip(of, ends, strict=False)]) for of in (starts, stops))
        return Texts(np.concatenate(contents), *shifted), numbers[:-1]

    def joined(self, pieces: Ints) -> tuple[bytes, list[int]]:
        """Return the texts with these numbers one behind the other, and where each ends, with a 0 before the first."""
        ends = np.zeros(len(pieces) + 1, np.int64)
        np.cumsum((self.stops - self.starts)[pieces], out=ends[1:])
        joined = np.empty(ends[-1], np.uint8)
        _join(self.content, self.starts, self.stops, np.ascontiguousarray(pieces), joined)
        return joined.tobytes(), ends.tolist()


def _content_of(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(bytearray(text), np.uint8)


def _types(n: Any) -> list[Any]:
    content, numbers = n.uint8[::1], n.int64[::1]
    return [n.void(content, numbers, numbers, numbers, content)]


@compiled_ahead(_types)
def _join(content: NDArray[np.uint8], starts: Ints, stops: Ints, pieces: Ints, joined: NDArray[np.uint8]) -> None:
    at = np.uint64(0)  # numbers below 0 would be indices, too
    for piece in pieces:
        start = np.uint64(starts[piece])
        length = np.uint64(stops[piece]) - start
        for byte in range(length):
            joined[at + byte] = content[start + byte]
        at += length
