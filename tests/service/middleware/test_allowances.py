"""Buckets of callers: how often each may come, and how little is remembered of them."""

import numpy as np

from service.middleware.allowances import Allowances


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_has_a_burst_and_then_a_rate() -> None:
    clock = Clock()
    allowances = Allowances(per_second=10, burst=5, clock=clock)
    assert [allowances.take("a") for _ in range(5)] == [0] * 5
    assert round(allowances.take("a"), 6) == 0.1
    clock.now += 0.25
    assert [allowances.take("a") > 0 for _ in range(3)] == [False, False, True]


def test_whoever_waits_as_long_as_told_is_let_in_and_nobody_earlier() -> None:
    clock, rng = Clock(), np.random.default_rng(0)
    allowances = Allowances(per_second=7, burst=3, clock=clock)
    for _ in range(2000):
        clock.now += rng.uniform(0, 0.3)
        seconds = allowances.take("a")
        if seconds:
            clock.now += 0.99 * seconds
            assert allowances.take("a") > 0
            clock.now += 0.01 * seconds
            assert allowances.take("a") == 0


def test_in_the_long_run_nobody_gets_more_than_the_rate() -> None:
    clock, rng = Clock(), np.random.default_rng(1)
    allowances = Allowances(per_second=50, burst=20, clock=clock)
    n_taken = 0
    while clock.now < 1100:
        clock.now += rng.exponential(1 / 200)
        n_taken += allowances.take("a") == 0
    assert 4950 <= n_taken <= 5021


def test_callers_do_not_use_up_each_others_allowance() -> None:
    allowances = Allowances(per_second=1, burst=1, clock=Clock())
    assert [allowances.take(caller) for caller in "abc"] == [0, 0, 0]


def test_what_is_remembered_is_bounded_and_a_crowd_shares_what_it_does_not_leave_to_others() -> None:
    clock = Clock()
    allowances = Allowances(per_second=10, burst=10, n_callers=100, clock=clock)
    assert [allowances.take("regular") for _ in range(10)] == [0] * 10
    n_let_in = sum(allowances.take(f"newcomer {number}") == 0 for number in range(1000))
    assert n_let_in == 99 + 10  # each with a bucket of their own while there is room, then one for all
    assert len(allowances._full_at) <= 101
    assert allowances.take("regular") > 0

    clock.now += 2  # all buckets are full again: nobody need be remembered
    assert all(allowances.take(f"later {number}") == 0 for number in range(100))
    assert len(allowances._full_at) <= 101
