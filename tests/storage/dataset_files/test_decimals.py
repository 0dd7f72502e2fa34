"""Decimals are counted over blocks, as doubles and as numbers of single precision."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from storage.dataset_files.decimals import DecimalsTally

_SINGLE = [float(np.float32(value)) for value in (0.1, 2.35, -7.5)]


@pytest.mark.parametrize(
    ("blocks", "decimals", "is_single"),
    [
        ([[1.0, 2.0], [None, -3.0]], 0, False),
        ([[1.0], [2.5, 0.25], [3.0]], 2, False),
        ([[0.1, 1234567.123456]], 6, False),
        ([[0.1, 1 / 3]], None, False),
        ([[0.1], [1.0, 0.12345678]], None, False),
        ([_SINGLE], 2, True),
        ([_SINGLE, [0.1]], None, False),
        ([[0.5, 0.25], _SINGLE], 2, True),
        ([[1e300, 2.0**60]], 0, False),
        ([[1e300, 0.5]], None, False),
        ([[], [None]], 0, False),
    ],
)
def test_the_most_decimals_of_any_number_count(
    blocks: Sequence[Sequence[float | None]], decimals: int | None, is_single: bool
) -> None:
    tally = DecimalsTally()
    for block in blocks:
        tally.add(pa.chunked_array([pa.array(block, pa.float64())]))

    assert (tally.decimals, tally.is_single) == (decimals, is_single)
