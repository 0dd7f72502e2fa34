"""Texts that compiled loops join, against Python's own bytes."""

from itertools import pairwise

import numpy as np
import orjson
import pytest

from tree_explainers.compute.byte_texts import Texts


def _all_of(texts: Texts) -> list[bytes]:
    numbers = np.arange(len(texts.starts) + 1)
    return list(texts.joined(numbers[:-1], numbers))


def test_texts_are_joined_as_bytes_are() -> None:
    rng = np.random.default_rng(0)
    lists = [[rng.bytes(int(length)) for length in rng.integers(0, 90, n)] for n in (300, 0, 1, 40)]
    texts, firsts = Texts.together([Texts.of(each) for each in lists])
    every = [text for each in lists for text in each]
    assert firsts == [0, 300, 300, 301]
    assert _all_of(texts) == every
    for n_pieces in (0, 1, 20_000):  # of which there are many times as many bytes as are joined at a time
        pieces = rng.integers(0, len(every), n_pieces)
        bounds = np.sort(np.concatenate(([0, n_pieces], rng.integers(0, n_pieces + 1, n_pieces // 7))))
        expected = [b"".join(every[piece] for piece in pieces[start:end]) for start, end in pairwise(bounds)]
        assert list(texts.joined(pieces, bounds)) == expected
    pieces = np.zeros(5000, np.int64)  # more than is joined at a time
    assert list(texts.joined(pieces, np.array([0, 5000]))) == [every[0] * 5000]


@pytest.mark.parametrize("items", [[], [None], [0.1, -0.0, 1e300, 3, True, None, "Infinity"], ["", 7]])
def test_items_of_a_list_are_written_as_each_is_alone(items: list[object]) -> None:
    assert _all_of(Texts.of_items(orjson.dumps(items))) == list(map(orjson.dumps, items))
