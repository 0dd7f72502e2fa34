"""Texts: many texts as one array of bytes, of which compiled loops put others together.

Of thousands of short pieces, Python's own objects would take several times as long as the bytes that they hold.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled_ahead

Ints = NDArray[np.int64]
_COMMA, _ZERO = 44, np.zeros(1, np.int64)
_ROOM_BYTES = 1 << 16


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

    def with_more(self, others: Sequence[bytes]) -> "Texts":
        """Return the same texts with others behind them."""
        return Texts.together([self, Texts.of(others)])[0] if others else self

    def with_others(self, numbers: Ints, others: Sequence[bytes]) -> "Texts":
        """Return the same texts but for some of them, by their numbers."""
        if not len(numbers):
            return self
        content, starts, stops = self.with_more(others)
        for each in (starts, stops):
            each[numbers] = each[len(self.starts) :]
        return Texts(content, starts[: len(self.starts)], stops[: len(self.starts)])

    def as_bytes(self, number: int) -> bytes:
        """Return a text."""
        return self.content[self.starts[number] : self.stops[number]].tobytes()

    def as_list(self) -> list[bytes]:
        """Return all texts."""
        content = self.content.tobytes()
        return [content[start:stop] for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True)]

    def joined_texts(self, pieces: Ints, bounds: Ints) -> "Texts":
        """Return the texts that ``joined`` yields."""
        ends = np.concatenate((_ZERO, np.cumsum((self.stops - self.starts)[pieces])))
        content, ends = np.empty(ends[-1], np.uint8), ends[bounds]
        _join(self.content, self.starts, self.stops, pieces, content)
        return Texts(content, ends[:-1], ends[1:])

    @staticmethod
    def side_by_side(columns: "Sequence[tuple[Texts, Ints]]") -> Iterator[bytes]:
        """Yield texts that are put together of one of each table: by their numbers there, (n_joined,) each."""
        texts, firsts = Texts.together([table for table, _ in columns])
        pieces = np.stack([first + numbers for first, (_, numbers) in zip(firsts, columns, strict=True)], axis=1)
        return texts.joined(pieces.ravel(), np.arange(len(pieces) + 1) * len(columns))

    def joined(self, pieces: Ints, bounds: Ints) -> Iterator[bytes]:
        """Yield texts that are put together of these, one behind the other.

        Parameters
        ----------
        pieces : (n_pieces,)
            The numbers of texts.
        bounds : (n_joined + 1,)
            Where the pieces of each begin.
        """
        ends = np.concatenate((_ZERO, np.cumsum((self.stops - self.starts)[pieces])))[bounds]
        room, first = np.empty(max(_ROOM_BYTES, int(np.diff(ends).max(initial=0))), np.uint8), 0
        while first < len(ends) - 1:  # in room that is used again: that of all would be new to the processor
            stop = max(first + 1, int(np.searchsorted(ends, ends[first] + len(room), "right")) - 1)
            _join(self.content, self.starts, self.stops, pieces[bounds[first] : bounds[stop]], room)
            for start, end in pairwise((ends[first : stop + 1] - ends[first]).tolist()):
                yield room[start:end].tobytes()
            first = stop


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
