"""Texts in Arrow arrays are those that Python would put together one by one."""

import json
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from explanations.texts import DistinctNumbers, number_texts

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
