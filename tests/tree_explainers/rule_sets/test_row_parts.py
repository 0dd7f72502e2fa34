"""Rows in partitions: sums and samples that do not depend on how they are cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.rule_training import TrainingSet, energy, labelled_rows, spambase
from tree_explainers.compute.pairwise_sums import BlockSum, add_blocks, total_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.row_parts import RowParts, RowsPart


def naive_total(blocks: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Add neighbours, round by round, until one is left."""
    while len(blocks) > 1:
        blocks = [sum(blocks[at + 1 : at + 2], blocks[at]) for at in range(0, len(blocks), 2)]
    return blocks[0]


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5, 7, 8, 13])
def test_blocks_are_added_pairwise_however_they_are_shared_out(n_blocks: int) -> None:
    rng = np.random.default_rng(n_blocks)
    blocks = list(rng.random((n_blocks, 3)) * 10.0 ** rng.integers(-8, 8, (n_blocks, 3)))
    sums = [BlockSum(0, number, block) for number, block in enumerate(blocks)]

    for cut in ([], [1], [2], [3], [1, 2, 4], [3, 6], [4, 7]):
        bounds = [0, *(each for each in cut if each < n_blocks), n_blocks]
        shared = [add_blocks(sums[start:stop]) for start, stop in pairwise(bounds)]
        total = total_of(each for own in shared for each in own)
        assert total.tobytes() == naive_total(blocks).tobytes()


def test_the_mean_and_the_squares_of_values_are_those_of_numpy_in_any_partitions() -> None:
    data = energy(5)
    parts = [labelled_rows(data.binned, data.targets, 100, n_blocks) for n_blocks in (1, 2, 3, 8)]

    assert len({(rows.mean, rows.squares) for rows in parts}) == 1
    assert parts[0].mean == pytest.approx(data.values.mean(), rel=1e-12)
    assert parts[0].squares == pytest.approx(((data.values - data.values.mean()) ** 2).sum(), rel=1e-12)


@dataclass(frozen=True)
class HeldRows:
    """Raw values of a part, in memory."""

    rows: Rows

    def read(self, names: Sequence[str], rows: slice) -> Rows:
        return self.rows.select(names or self.rows.names[:1]).take(rows)


def with_raw_values(data: TrainingSet, length: int) -> RowParts:
    indices = np.split(np.arange(data.binned.n_rows), range(length, data.binned.n_rows, length))
    parts = [
        RowsPart(data.binned.take(own), data.targets.take(own), int(own[0]), 50, raw=HeldRows(data.rows.take(own)))
        for own in indices
    ]
    return RowParts.of_parts(parts)


def test_a_sample_is_the_same_rows_in_any_partitions_and_all_of_few_rows() -> None:
    data = spambase(300, 5)
    names = data.rows.names[:3]

    samples = [with_raw_values(data, length) for length in (50, 150, 300)]

    for rows in samples:
        few, values = rows.some_rows(40), rows.sample(names, 40)
        np.testing.assert_array_equal(few.binned.bins, samples[0].some_rows(40).binned.bins)
        assert few.weights.tolist() == [7.5] * 40
        whole = {tuple(row) for row in np.stack(data.rows.select(names).columns, axis=1).tolist()}
        assert {tuple(row) for row in np.stack(values.columns, axis=1).tolist()} <= whole
        np.testing.assert_array_equal(rows.some_rows().binned.bins, data.binned.bins)
        for own, column in zip(rows.sample(names).columns, data.rows.select(names).columns, strict=True):
            np.testing.assert_array_equal(own, column)


def test_the_targets_of_some_rows_come_in_the_order_in_which_they_are_asked_for() -> None:
    data = energy(5)
    asked = np.array([700, 3, 401, 3, 99])

    assert labelled_rows(data.binned, data.targets, 100).targets_of(asked).tolist() == data.values[asked].tolist()
