from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from tree_explainers.lazy_greedy import Part, greedy


class Covering:
    """Items are sets of points; the value of some items is the weight of the points that they cover together."""

    def __init__(self, covers: NDArray[np.bool_], weights: NDArray[np.int64], n_at_once: int = 1) -> None:
        self.covers, self.weights = covers, weights
        self.covered = np.zeros(covers.shape[1], dtype=np.bool_)
        self.n_looked_at, self.n_at_once = 0, n_at_once

    def first_gains(self) -> NDArray[np.int64]:
        return np.asarray(self.covers @ self.weights)

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        self.n_looked_at += len(items)
        return np.asarray((self.covers[items] & ~self.covered) @ self.weights)

    def add(self, item: int, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        before = self.covers[kept] & ~self.covered
        self.covered |= self.covers[item]
        return np.asarray((before & self.covered) @ self.weights)


def random_covering(seed: int, n_items: int, n_points: int = 60, n_at_once: int = 1) -> Covering:
    rng = np.random.default_rng(seed)
    return Covering(rng.random((n_items, n_points)) < 0.08, rng.integers(1, 4, n_points), n_at_once)


def plain_greedy(covering: Covering) -> list[tuple[int, int]]:
    chosen: list[tuple[int, int]] = []
    while True:
        gains = covering.gains(np.arange(len(covering.covers)))
        best = int(gains.argmax())
        if gains[best] == 0:
            return chosen
        chosen.append((best, int(gains[best])))
        covering.add(best, np.empty(0, dtype=np.int64))


@pytest.mark.parametrize("n_at_once", [1, 40, 512])
@pytest.mark.parametrize("n_items", [5, 80, 1500])
@pytest.mark.parametrize("seed", range(3))
def test_lazy_greedy_chooses_what_looking_at_every_item_chooses(seed: int, n_items: int, n_at_once: int) -> None:
    choices = list(greedy([Part(random_covering(seed, n_items, n_at_once=n_at_once), np.arange(n_items))]))

    assert [(choice.name, choice.gain) for choice in choices] == plain_greedy(random_covering(seed, n_items))


def test_lazy_greedy_looks_at_few_items() -> None:
    covering = random_covering(0, 1500, n_points=600)

    list(islice(greedy([Part(covering, np.arange(1500))]), 10))

    assert covering.n_looked_at < 10 * 1500 / 3


def test_parts_are_chosen_from_as_if_they_were_one() -> None:
    # The same items, shared between two parts whose points are apart.
    first, second = random_covering(1, 40), random_covering(2, 40)
    together = np.zeros((80, 120), dtype=np.bool_)
    together[0::2, :60], together[1::2, 60:] = first.covers, second.covers
    whole = Covering(together, np.concatenate([first.weights, second.weights]))

    choices = list(greedy([Part(first, np.arange(0, 80, 2)), Part(second, np.arange(1, 80, 2))]))

    assert [(choice.name, choice.gain) for choice in choices] == plain_greedy(whole)
    assert [choice.part for choice in choices] == [choice.name % 2 for choice in choices]


def test_scaled_gains_are_compared_exactly() -> None:
    # 10^16 / 3 and (10^16 - 1) / 3 are the same float64.
    large = Covering(np.eye(1, dtype=np.bool_), np.array([10**16]))
    small = Covering(np.eye(1, dtype=np.bool_), np.array([10**16 - 1]))
    parts = [Part(small, np.array([0]), Fraction(1, 3)), Part(large, np.array([1]), Fraction(1, 3))]

    assert [choice.name for choice in greedy(parts)] == [1, 0]


def test_ties_between_parts_go_to_the_lowest_name() -> None:
    parts = [
        Part(Covering(np.eye(2, dtype=np.bool_), np.array([2, 2])), np.array([1, 2])),
        Part(Covering(np.eye(2, dtype=np.bool_), np.array([4, 4])), np.array([0, 3]), Fraction(1, 2)),
    ]

    assert [choice.name for choice in greedy(parts)] == [0, 1, 2, 3]
