"""Distinct records are those that numpy sorts apart, in the order in which they come."""

import numpy as np
import pytest

from tree_explainers.compute.distinct_records import distinct_records


@pytest.mark.parametrize(("n_records", "largest"), [(0, 1), (1, 1), (3000, 3), (3000, 10**15)])
def test_records_have_the_numbers_of_the_first_that_are_equal(n_records: int, largest: int) -> None:
    rng = np.random.default_rng(0)
    records = np.repeat(rng.integers(-largest, largest, (-(-n_records // 3), 4)), 3, axis=0)[:n_records]
    rng.shuffle(records)

    firsts, numbers = distinct_records(records, 3)

    assert (np.diff(firsts) > 0).all()
    assert (records[firsts][numbers, :3] == records[:, :3]).all()
    assert len(np.unique(records[:, :3], axis=0)) == len(firsts)


def test_ends_that_are_equal_and_written_in_two_ways_are_different_records() -> None:
    records = np.array([[0.0], [-0.0], [1.0], [0.0]]).view(np.int64)

    firsts, numbers = distinct_records(records, 1)

    assert (firsts.tolist(), numbers.tolist()) == ([0, 1, 2], [0, 1, 2, 0])
