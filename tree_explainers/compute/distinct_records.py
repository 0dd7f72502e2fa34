"""distinct_records: which of many short records are equal, found by a compiled loop in the order in which they come.

Python's dictionaries would need an object for each, and a sort would compare each with many others.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled_ahead

Ints = NDArray[np.int64]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # of Fibonacci hashing
_HALF = np.uint64(32)


def distinct_records(records: Ints, n_words: int) -> tuple[Ints, Ints]:
    """Return the distinct ones of some records, by the first words of each.

    Parameters
    ----------
    records : (n_records, n_words or more)
        Of doubles the bits, so that 0 and -0 are different.
    n_words
        How many words count.

    Returns
    -------
    firsts : (n_distinct,)
        The first record of each kind, ascending.
    numbers : (n_records,)
        The number of each record's kind, from 0.
    """
    firsts, numbers = np.empty(len(records), np.int64), np.empty(len(records), np.int64)
    places = np.full(1 << int(2 * len(records)).bit_length(), -1, np.int64)  # more than half of which stay free
    return firsts[: _number(records, n_words, places, firsts, numbers)], numbers


def _types(n: Any) -> list[Any]:
    return [n.int64(n.int64[:, ::1], n.int64, n.int64[::1], n.int64[::1], n.int64[::1])]


@compiled_ahead(_types)
def _number(records: Ints, n_words: int, places: Ints, firsts: Ints, numbers: Ints) -> int:
    """Write the numbers of records and the first of each kind; return how many kinds there are."""
    n_distinct, last = 0, np.uint64(len(places) - 1)
    for record in range(len(records)):
        hashed = np.uint64(0)
        for word in range(n_words):
            hashed = (hashed ^ np.uint64(records[record, word])) * _MULTIPLIER
            hashed ^= hashed >> _HALF
        place = hashed & last
        while places[place] >= 0:
            first, word = firsts[places[place]], 0
            while word < n_words and records[first, word] == records[record, word]:
                word += 1
            if word == n_words:
                break
            place = (place + np.uint64(1)) & last
        if places[place] < 0:
            places[place], firsts[n_distinct] = n_distinct, record
            n_distinct += 1
        numbers[record] = places[place]
    return n_distinct
