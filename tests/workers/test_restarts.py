"""How long it takes until what has ended is started again."""

import os
from pathlib import Path

import pytest

from workers.runtime.restarts import ReadyPipe, Restarts, StartsWithReadiness, report_ready


class _Process:
    """A process with a scripted life."""

    def __init__(self, longest_pause_seconds: float = 2.0) -> None:
        self.now = 1000.0
        self._restarts = Restarts(longest_pause_seconds, lambda: self.now)

    def fails_to_start(self) -> float:
        return self._pause(None)

    def lives(self, seconds: float) -> float:
        ready_since = self.now
        self.now += seconds
        return self._pause(ready_since)

    def _pause(self, ready_since: float | None) -> float:
        pause_seconds = self._restarts.pause_after_end(ready_since)
        self.now += pause_seconds
        return pause_seconds


def test_what_was_ready_is_started_again_at_once_however_often_it_is_killed() -> None:
    process = _Process()

    assert [process.lives(10) for _ in range(20)] == [0] * 20


@pytest.mark.parametrize(("longest", "pauses"), [(2.0, [0.25, 0.5, 1, 2, 2]), (5.0, [0.25, 0.5, 1, 2, 4])])
def test_what_never_becomes_ready_is_started_later_and_later(longest: float, pauses: list[float]) -> None:
    process = _Process(longest)

    assert [process.fails_to_start() for _ in pauses] == pauses


def test_what_dies_soon_three_times_in_a_minute_is_started_later_and_later() -> None:
    process = _Process()

    assert [process.lives(9) for _ in range(5)] == [0, 0, 0.05, 0.1, 0.2]


def test_short_lives_that_lie_more_than_a_minute_back_are_forgotten() -> None:
    process = _Process()

    assert [process.lives(seconds) for seconds in (1, 1, 59, 1, 1, 1)] == [0, 0, 0, 0, 0, 0.05]


def test_a_long_life_makes_good_for_failed_starts() -> None:
    process = _Process()
    for _ in range(4):
        process.fails_to_start()

    assert process.lives(10) == 0
    assert process.fails_to_start() == 0.25


def test_the_sign_comes_once_it_is_given_and_never_from_a_process_that_ended_without() -> None:
    given, ended = ReadyPipe(), ReadyPipe()
    assert not given.is_ready()

    report_ready(given.writer)
    os.close(ended.writer)

    assert [sign.is_ready() for sign in (given, ended, given, ended)] == [True, False, True, False]
    for sign in (given, ended):
        sign.close()


def test_of_processes_started_one_after_another_the_last_ones_sign_counts() -> None:
    starts = StartsWithReadiness(os.dup)  # what is started has the pipe's end for itself

    report_ready(starts.start())
    assert starts.is_ready()

    second = starts.start()
    assert not starts.is_ready()
    report_ready(second)
    assert starts.is_ready()


def test_a_start_that_fails_leaves_no_file_open() -> None:
    def fail(_: int) -> None:
        raise BlockingIOError

    starts, n_open = StartsWithReadiness(fail), len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(BlockingIOError):
            starts.start()

    assert not starts.is_ready()
    assert len(list(Path("/proc/self/fd").iterdir())) == n_open
