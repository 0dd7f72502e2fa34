"""Texts that compiled loops join, against Python's own bytes."""

import numpy as np
import orjson
import pytest

from tree_explainers.compute.byte_texts import Texts


def _all_of(texts: Texts) -> list[bytes]:
    return [texts.joined(np.array([number]))[0] for number in range(len(texts.starts))]


def test_texts_are_joined_as_bytes_are() -> None:
    rng = np.random.default_rng(0)
    lists = [[rng.bytes(int(length)) for length in rng.integers(0, 90, n)] for n in (300, 0, 1, 40)]
    texts, firsts = Texts.together([Texts.of(each) for each in lists])
    every = [text for each in lists for text in each]
    assert firsts == [0, 300, 300, 301]
    assert _all_of(texts) == every
    for n_pieces in (0, 1, 1000):
        pieces = rng.integers(0, len(every), n_pieces)
        joined, ends = texts.joined(pieces)
        assert joined == b"".join(every[piece] for piece in pieces)
        assert ends == [0, *np.cumsum([len(every[piece]) for piece in pieces]).astype(int).tolist()]


@pytest.mark.parametrize("items", [[], [None], [0.1, -0.0, 1e300, 3, True, None, "Infinity"], ["", 7]])
def test_items_of_a_list_are_written_as_each_is_alone(items: list[object]) -> None:
    assert _all_of(Texts.of_items(orjson.dumps(items))) == list(map(orjson.dumps, items))
