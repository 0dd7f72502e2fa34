"""The simulation of a cluster agrees with what can be reckoned by hand."""

from dataclasses import replace

import pytest

from benchmarks.cluster_simulation import MEASURED, SHARED_THREADS, simulated

_TASKS_ALONE = replace(MEASURED, job=(0, 0), tasks=(0, 100), engine=(0, 0), n_bytes_sent=0, n_bytes_received=0)
_BLOCKS = 8
_ROWS = _BLOCKS * 65_536


@pytest.mark.parametrize("n_workers", [1, 2, 4, 8])
def test_tasks_alone_are_shared_evenly(n_workers: int) -> None:
    cluster = simulated(_ROWS, n_workers, None, _TASKS_ALONE)

    assert cluster.now == pytest.approx(100 * _ROWS / 1e6 / n_workers, rel=1e-3)


def test_workers_of_one_machine_share_what_it_has() -> None:
    alone, two = (simulated(_ROWS, n_workers, SHARED_THREADS, _TASKS_ALONE).now for n_workers in (1, 2))

    assert alone / two == pytest.approx(SHARED_THREADS, rel=1e-3)


def test_what_one_process_does_by_itself_is_not_shared() -> None:
    measured = replace(_TASKS_ALONE, job=(5, 0))

    assert simulated(_ROWS, 8, None, measured).now == pytest.approx(5 + 100 * _ROWS / 1e6 / 8, rel=1e-3)


def test_it_foretells_what_was_measured_within_a_tenth() -> None:
    for n_rows, n_workers, seconds in MEASURED.seconds:
        assert simulated(n_rows, n_workers, SHARED_THREADS).now == pytest.approx(seconds, rel=0.1)
