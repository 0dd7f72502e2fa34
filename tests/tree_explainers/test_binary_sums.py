import numpy as np
import pytest
from numpy.typing import NDArray

from tree_explainers.leaf_space.binary_sums import ExactSums, limits_by_digit, list_both, tally_above


def in_binary(numbers: NDArray[np.int64], n_digits: int) -> NDArray[np.uint64]:
    """Keep lines of 512 numbers digit by digit."""
    bits = (numbers[:, None, :] >> np.arange(n_digits)[:, None]) & 1
    return np.packbits(bits.astype(np.uint8), axis=2, bitorder="little").view(np.uint64).reshape(len(numbers), -1)


def numbers_and_limits(n_targets: int, n_digits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng(n_digits)
    numbers = rng.integers(0, 2**n_digits, (n_targets, 512))
    limits = rng.integers(0, 2**n_digits, n_targets)
    limits[:4] = 0, 2**n_digits - 1, 2**n_digits, 2**62  # the last two cannot be exceeded
    numbers[4, :100] = limits[4]  # nor does what is equal count
    return numbers, limits


@pytest.mark.parametrize("n_targets", [5, 1024, 2500])
@pytest.mark.parametrize("n_digits", [1, 7, 10, 32])
@pytest.mark.sampled("thirds")
def test_sums_above_limits_are_counted_and_added_up(n_digits: int, n_targets: int) -> None:
    numbers, limits = numbers_and_limits(n_targets, n_digits)
    n_above, excess = np.full(512, 3), np.full(512, 5)

    tally_above(in_binary(numbers, n_digits), n_digits, limits, n_above, excess)

    above = numbers > limits[:, None]
    assert (n_above == 3 + above.sum(axis=0)).all()
    assert (excess == 5 + np.where(above, numbers - limits[:, None], 0).sum(axis=0)).all()


@pytest.mark.parametrize("n_digits", [1, 10, 32])
def test_sums_above_limits_are_listed_as_far_as_there_is_room(n_digits: int) -> None:
    numbers, limits = numbers_and_limits(40, n_digits)
    sums = ExactSums(in_binary(numbers, n_digits), n_digits)
    room = np.empty(1500, np.int32), np.empty(1500, np.int32), np.empty(1500, np.uint32)
    listed: list[tuple[int, ...]] = []
    target, n_calls = 0, 0

    while target < len(limits):
        n_found, target = sums.list_above(limits, target, room)
        listed += zip(*(part[:n_found].tolist() for part in room), strict=True)
        n_calls += 1

    expected = [(int(row), int(t), int(numbers[t, row])) for t, row in np.argwhere(numbers > limits[:, None])]
    assert listed == expected
    assert n_calls > 1


@pytest.mark.parametrize("n_rows", [512, 100])
@pytest.mark.parametrize("n_digits", [1, 8, 9, 10, 17, 32])
def test_sums_above_limits_of_rows_of_the_block_are_listed_beside_them(n_digits: int, n_rows: int) -> None:
    numbers, thresholds = numbers_and_limits(40, n_digits)
    numbers[:, n_rows:] = 0
    limits = np.random.default_rng(1).integers(0, 2**n_digits, n_rows)
    limits[:4] = 0, 2**n_digits - 1, 2**n_digits, 2**62
    numbers[:, 5] = limits[5]
    rooms = [(np.empty(1500, np.int32), np.empty(1500, np.int32), np.empty(1500, np.uint32)) for _ in range(2)]
    listed: list[list[tuple[int, ...]]] = [[], []]
    target = 0

    while target < len(thresholds):
        *counts, target = list_both(
            in_binary(numbers, n_digits),
            n_digits,
            thresholds,
            limits_by_digit(limits, n_digits),
            target,
            (rooms[0], rooms[1]),
        )
        for of_kind, room, n_found in zip(listed, rooms, counts, strict=True):
            of_kind.extend(zip(*(part[:n_found].tolist() for part in room), strict=True))

    are_above = (numbers > thresholds[:, None], numbers[:, :n_rows] > limits)
    for of_kind, is_above in zip(listed, are_above, strict=True):
        assert of_kind == [(int(row), int(t), int(numbers[t, row])) for t, row in np.argwhere(is_above)]
