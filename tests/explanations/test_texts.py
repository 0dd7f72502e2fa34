"""Texts in Arrow arrays are those that Python would put together one by one."""

import json
from itertools import chain
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from explanations.texts import Compositions, DistinctNumbers, TextPool, lines_of, number_texts, texts_of

NUMBERS = [0.0, -0.0, 1.0, 0.1, 1e-6, 1e-7, 123456789.0, 1e16, 1e300, -2.5, np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("n_numbers", [0, 1, 13])
def test_numbers_are_written_as_json_writes_them(dtype: type, n_numbers: int) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        values: NDArray[Any] = np.array(NUMBERS[:n_numbers]).astype(dtype)

    texts = number_texts(values).to_pylist()

    assert texts == [orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY) for value in values]


def in_single(values: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


@pytest.mark.parametrize("values", [np.array(NUMBERS * 3)[::-1].copy(), in_single(np.array(NUMBERS * 3))])
def test_numbers_that_are_alike_are_reported_once(values: NDArray[np.float64] | NDArray[np.float32]) -> None:
    found = DistinctNumbers.of(values)

    assert len(found.texts) == len(set(number_texts(values).to_pylist()) | {b"-0.0"}) + 2  # three kinds of null
    assert found.texts.take(found.index).to_pylist() == number_texts(values).to_pylist()
    read = [json.loads(text) for text in number_texts(values).to_pylist()]
    assert [None if np.isnan(value) else value for value in found.decimals.tolist()] == read


def test_no_numbers_are_no_texts() -> None:
    found = DistinctNumbers.of(np.empty(0))

    assert (len(found.texts), len(found.index), len(found.decimals)) == (0, 0, 0)


LISTS = st.lists(st.lists(st.integers(0, 4), max_size=5), min_size=1, max_size=6)


def compositions(lists: list[list[int]]) -> Compositions:
    bounds = np.cumsum([0, *map(len, lists)])
    return Compositions(np.array(list(chain(*lists)), dtype=np.int64), bounds)


@settings(deadline=None)
@given(first=LISTS, second=LISTS, third=LISTS)
def test_lists_stand_side_by_side(first: list[list[int]], second: list[list[int]], third: list[list[int]]) -> None:
    n_lists = min(map(len, (first, second, third)))
    parts = [each[:n_lists] for each in (first, second, third)]

    joined = Compositions.side_by_side(*map(compositions, parts))

    expected = [list(chain(*lists)) for lists in zip(*parts, strict=True)]
    assert joined.texts.tolist() == list(chain(*expected))
    assert np.diff(joined.bounds).tolist() == [len(each) for each in expected]


def test_lists_are_grouped_spread_and_written() -> None:
    texts = texts_of([b"a", b"", "é".encode(), b"dd", b"5"])
    lists = compositions([[0, 2], [], [3, 3, 4]])

    assert lists.write(texts).to_pybytes().decode() == "aédddd5"
    grouped = lists.grouped(np.array([0, 2, 2, 3]))
    assert np.diff(grouped.bounds).tolist() == [2, 0, 3]
    spread = lists.spread(np.array([1, 2, 4]), 6)
    assert np.diff(spread.bounds).tolist() == [0, 2, 0, 0, 3, 0]
    assert spread.texts is lists.texts


def test_lists_are_made_of_the_same_parts() -> None:
    some: NDArray[np.int64] = np.array([5, 6])

    lists = lines_of(2, 1, some, np.array([[7, 8], [9, 10]]), 2)

    assert lists.texts.reshape(2, -1).tolist() == [[1, 5, 7, 8, 2], [1, 6, 9, 10, 2]]
    assert lines_of(0, 1, some[:0]).bounds.tolist() == [0]


def test_a_pool_goes_on_where_another_ends() -> None:
    fixed = TextPool()
    assert (fixed.add_pieces(b"a", b"b"), fixed.add_pieces(), fixed.add_pieces(b"c")) == (0, 2, 2)
    pool = TextPool(fixed.texts())

    assert pool.add(number_texts(np.array([1.5]))) == 3
    assert pool.texts().to_pylist() == [b"a", b"b", b"c", b"1.5"]
    assert fixed.texts().to_pylist() == [b"a", b"b", b"c"]
