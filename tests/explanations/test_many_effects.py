"""Sentences and numbers of many effects are those of each alone."""

import numpy as np

from explanations.sentences import signed, signed_texts
from tests.support.texts import list_of


def test_differences_of_many_rows_are_written_as_each_is() -> None:
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-24, 4, 9_000) * rng.choice([-1, 1], 9_000)
    digits = np.concatenate([np.arange(1, 1000) / 10.0**power for power in range(1, 8)])
    halves = [np.nextafter(digits + 0.5 * 10.0**power, end) for power in range(-6, 2) for end in (0, 1e9)]
    below_one = 1 - np.concatenate([10.0 ** rng.uniform(-12, -1, 3_000), 0.5 * 10.0 ** np.arange(-12, 0)])
    numbers = np.concatenate(
        [sizes, digits, -digits, *halves, below_one, -below_one, [0.0, -0.0, 0.99, 1.0, 99.0, 100.0, 1e-4, 1e12, -1e-9]]
    )

    assert list_of(signed_texts(numbers)) == list(map(signed, numbers.tolist()))
    assert list_of(signed_texts(np.empty(0))) == []
