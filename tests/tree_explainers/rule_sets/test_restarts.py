import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from tests.support.rule_training import TrainingSet, energy, of_model, spambase
from tree_explainers.errors import InvalidInput
from tree_explainers.rule_sets.em import fit_em_up_to
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.restarts import Method, Restarts, fit_restarts


class Stop(Exception):
    """What a listener raises to cancel."""


def restarts_of(data: TrainingSet, method: Method = "fab", n_restarts: int = 6, n_threads: int = 2) -> Restarts:
    rng = np.random.default_rng(7)
    return fit_restarts(method, data.binned, data.targets, 5, n_restarts, rng, n_threads=n_threads)


def test_each_restart_is_the_fit_of_its_own_generator() -> None:
    data = spambase(300, 5)

    restarts = restarts_of(data)

    alone = [fit_fab(data.binned, data.targets, 5, rng) for rng in np.random.default_rng(7).spawn(6)]
    for restart, fit in zip(restarts.all, alone, strict=True):
        np.testing.assert_array_equal(restart.lower_bounds, fit.lower_bounds)
        assert restart.n_regions == fit.model.n_regions
        assert restart.training_error == fit.model.training_error(data.binned, data.targets)
    np.testing.assert_array_equal(restarts.best.model.eta, alone[restarts.chosen].model.eta)


@pytest.mark.parametrize("method", ["fab", "em"])
def test_one_thread_and_two_give_the_same(method: Method) -> None:
    data = of_model("random_forest_multiclass")

    one, two = (restarts_of(data, method, n_threads=n_threads) for n_threads in (1, 2))

    assert one.chosen == two.chosen
    np.testing.assert_array_equal(one.training_errors, two.training_errors)
    np.testing.assert_array_equal(one.best.model.eta, two.best.model.eta)


@pytest.mark.parametrize("make", [lambda: spambase(300, 5), lambda: energy(5)])
def test_the_first_of_those_with_the_smallest_training_error_is_chosen(make: Callable[[], TrainingSet]) -> None:
    data = make()

    restarts = restarts_of(data, n_restarts=12)

    errors = restarts.training_errors.tolist()
    assert restarts.chosen == errors.index(min(errors))
    assert restarts.best.model.training_error(data.binned, data.targets) == min(errors)
    assert len(set(errors)) > 1


def test_a_restart_of_em_is_the_best_of_its_numbers_of_regions() -> None:
    data = spambase(300, 5)

    restarts = restarts_of(data, "em", n_restarts=2)

    fits = fit_em_up_to(data.binned, data.targets, 5, np.random.default_rng(7).spawn(1)[0])
    errors = [fit.model.training_error(data.binned, data.targets) for fit in fits]
    assert restarts.training_errors[0] == min(errors)
    assert restarts.all[0].n_regions == fits[errors.index(min(errors))].model.n_regions


def test_progress_is_told_by_the_calling_thread_and_ends_at_1() -> None:
    data = spambase(300, 5)
    told: list[tuple[float, bool]] = []

    def listen(fraction: float, stage: str) -> None:  # noqa: ARG001
        told.append((fraction, threading.current_thread() is threading.main_thread()))

    fit_restarts("fab", data.binned, data.targets, 5, 8, np.random.default_rng(0), report=listen)

    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert all(is_main for _, is_main in told)


def test_a_cancel_ends_long_restarts_within_two_seconds() -> None:
    data = spambase(300, 5)
    rows = np.tile(np.arange(300), 300)  # 20 restarts of these take a minute
    binned, targets = data.binned.take(rows), data.targets.take(rows)
    calls: list[float] = []

    def cancel(fraction: float, stage: str) -> None:  # noqa: ARG001
        calls.append(time.process_time())  # of both threads: whoever else uses the machine does not count
        if len(calls) == 3:
            raise Stop

    with pytest.raises(Stop):
        fit_restarts("fab", binned, targets, 10, 20, np.random.default_rng(0), report=cancel)

    assert time.process_time() - calls[-1] < 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]


def test_what_goes_wrong_in_a_restart_is_raised() -> None:
    data = spambase(300, 5)

    with pytest.raises(InvalidInput, match="at least one region"):
        fit_restarts("fab", data.binned, data.targets, 0, 3, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="at least one restart"):
        fit_restarts("fab", data.binned, data.targets, 3, 0, np.random.default_rng(0))
