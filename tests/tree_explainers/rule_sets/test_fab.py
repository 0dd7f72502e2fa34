import pickle
import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from sys import getsizeof
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import matrix_data, onnx_of
from tests.support.naive_defrag import NaiveDefrag, NaiveModel
from tests.support.rule_training import (
    TrainingSet,
    energy,
    labelled_rows,
    of_model,
    of_pipeline,
    random_start,
    spambase,
)
from tree_explainers.compute.partitions import LocalPartitions
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.errors import InvalidInput
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import statements_of
from tree_explainers.rule_sets.em import (
    EMSteps,
    iterations,
    random_parameters,
    responsibilities_of_random_eta,
)
from tree_explainers.rule_sets.fab import (
    IN_TURN,
    STARTS,
    FitSettings,
    Method,
    Restarts,
    Start,
    fit_em_up_to,
    fit_fab,
    fit_restarts,
    omega_of,
)
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.responsibilities import DrawnStart, GivenStart
from tree_explainers.rule_sets.row_parts import RowParts, RowsPart

TRAINING_SETS = {
    "two classes": lambda: spambase(300, 5),
    "three classes": lambda: of_model("random_forest_multiclass"),
    "values": lambda: energy(5),
    "boosting of three classes": lambda: of_model("xgboost_multiclass"),
    "categories and missing values": lambda: of_pipeline("missing_kept"),
    "ordinal codes": lambda: of_pipeline("ordinal_categories"),
}

T = TypeVar("T")


def training_set(name: str) -> TrainingSet:
    return TRAINING_SETS[name]()


def assert_same(model: RegionModel, naive: NaiveModel) -> None:
    def same(ours: NDArray[np.float64] | None, theirs: NDArray[np.float64] | None) -> None:
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)

    same(model.eta, naive.eta)
    same(model.shares, naive.alpha)
    same(model.scores, naive.gamma)
    same(model.means, naive.mu)
    same(model.precisions, None if naive.variance is None else 1 / naive.variance)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", TRAINING_SETS)
@pytest.mark.sampled("thirds")
def test_every_iteration_is_that_of_the_dense_matrix(name: str, seed: int) -> None:
    data = training_set(name)
    start = random_start(data.binned.n_rows, 6, np.random.default_rng(seed))
    omega = omega_of(data.labelled)
    naive = NaiveDefrag(data.matrix, data.naive_targets)

    fast = islice(iterations(EMSteps.of(data.labelled, 6, ignore_progress), start, omega), 12)

    assert omega == naive.omega
    for (model, bound), (naive_model, naive_bound) in zip(fast, naive.fit(start, omega, 12), strict=True):
        assert_same(model, naive_model)
        assert bound == pytest.approx(naive_bound, rel=1e-10)


@pytest.mark.parametrize("max_rounds", [1, 2])
@pytest.mark.parametrize("name", ["three classes", "values"])
@pytest.mark.sampled("thirds")
def test_an_e_step_ends_after_as_many_rounds_as_it_may_have(name: str, max_rounds: int) -> None:
    data = training_set(name)
    start, omega = random_start(data.binned.n_rows, 6, np.random.default_rng(0)), omega_of(data.labelled)
    naive = NaiveDefrag(data.matrix, data.naive_targets, max_rounds).fit(start, omega, 12)

    fast = islice(iterations(EMSteps.of(data.labelled, 6, ignore_progress, max_rounds), start, omega), 12)

    for (model, bound), (naive_model, naive_bound) in zip(fast, naive, strict=True):
        assert_same(model, naive_model)
        assert bound == pytest.approx(naive_bound, rel=1e-10)


def test_regions_are_left_where_e_steps_are_short() -> None:
    data = spambase(300, 5)
    short, settled = (
        fit_restarts("fab", data.labelled, 8, 9, np.random.default_rng(0), settings=settings)
        for settings in (IN_TURN, [FitSettings(start) for start in STARTS])
    )

    assert sum(each.n_regions for each in short.all) > sum(each.n_regions for each in settled.all)


@pytest.mark.parametrize("name", ["three classes", "values"])
def test_parameters_and_responsibilities_may_both_be_drawn_as_in_algorithm_1(name: str) -> None:
    data = training_set(name)
    steps = EMSteps.of(data.labelled, 6, ignore_progress)
    naive = NaiveDefrag(data.matrix, data.naive_targets)
    rng = np.random.default_rng(1)
    model, start = random_parameters(steps, 6, rng), random_start(data.binned.n_rows, 6, rng)
    variance = None if model.precisions is None else 1 / model.precisions
    drawn = NaiveModel(model.eta, model.shares, model.scores, model.means, variance)

    fast = islice(iterations(steps, start, naive.omega, model), 6)

    for (ours, bound), (theirs, naive_bound) in zip(fast, naive.fit(start, naive.omega, 6, drawn), strict=True):
        assert_same(ours, theirs)
        assert bound == pytest.approx(naive_bound, rel=1e-10)


def test_responsibilities_follow_from_a_random_eta() -> None:
    data = training_set("three classes")
    steps = EMSteps.of(data.labelled, 6, ignore_progress)
    eta = np.random.default_rng(2).random((6, data.statements.n_statements))
    joint = NaiveDefrag(data.matrix, data.naive_targets).log_s(NaiveModel(eta, np.full(6, 1 / 6)))

    start = responsibilities_of_random_eta(steps, 6, np.random.default_rng(2))

    part = RowsPart(data.binned, data.targets)
    found = start.of_rows(part, slice(0, part.n_rows))
    np.testing.assert_allclose(found, softmax(joint, axis=1), atol=1e-9)


def test_restarts_take_their_settings_in_turn_and_a_smaller_cost_leaves_more_regions() -> None:
    data = spambase(300, 5)
    settings = [FitSettings(start, omega) for omega in (None, 1.0) for start in STARTS]

    restarts = fit_restarts("fab", data.labelled, 8, 12, np.random.default_rng(0), settings=settings)

    assert [each.start for each in restarts.all] == list(STARTS) * 4
    n_regions = np.array([each.n_regions for each in restarts.all]).reshape(2, 2, 3)
    assert n_regions[:, 1].sum() > n_regions[:, 0].sum()


@pytest.mark.parametrize("name", TRAINING_SETS)
@pytest.mark.sampled("thirds")
def test_the_log_joint_of_a_model_is_that_of_the_dense_matrix(name: str) -> None:
    data = training_set(name)
    naive = NaiveDefrag(data.matrix, data.naive_targets)
    model = naive.m_step(random_start(data.binned.n_rows, 6, np.random.default_rng(0)))

    log_joint = RegionModel(model.eta, model.alpha).log_joint(data.binned)

    np.testing.assert_allclose(log_joint, naive.log_s(model), rtol=1e-11)


@pytest.mark.parametrize("max_rounds", [1, 100])
@pytest.mark.parametrize("name", TRAINING_SETS)
@pytest.mark.sampled("thirds")
def test_the_bound_never_decreases(name: str, max_rounds: int) -> None:
    data, settings = training_set(name), FitSettings(max_rounds=max_rounds)

    for seed in range(5):
        bounds = fit_fab(data.labelled, 10, np.random.default_rng(seed), settings=settings).lower_bounds

        assert (np.diff(bounds) >= -1e-12 * abs(bounds[-1])).all()


def test_regions_that_lose_their_rows_are_removed_and_the_others_share_all() -> None:
    data = spambase(300, 5)

    model = fit_fab(data.labelled, 10, np.random.default_rng(0)).model

    assert model.n_regions < 10
    assert (model.shares >= 1e-8).all()
    assert model.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["values", "ordinal codes"])
def test_a_statement_that_is_true_of_no_row_or_of_all_of_a_region_is_exactly_0_or_1_there(name: str) -> None:
    data = training_set(name)
    regions = np.random.default_rng(0).integers(0, 40, data.binned.n_rows)

    model, _ = EMSteps.of(data.labelled, 40, ignore_progress).m_step(GivenStart(np.eye(40)[regions]))

    of_regions = [data.matrix[regions == region] for region in range(40)]
    np.testing.assert_array_equal(model.eta == 0, [own.max(axis=0) == 0 for own in of_regions])
    np.testing.assert_array_equal(model.eta == 1, [own.min(axis=0) == 1 for own in of_regions])


def test_a_given_start_is_where_the_fit_begins() -> None:
    data = of_model("random_forest_multiclass")
    start = np.eye(3)[data.classes]

    model = fit_fab(data.labelled, 3, np.random.default_rng(0), start=start).model

    assert model.n_regions == 3
    assert model.training_error(data.labelled) < 0.05


def test_the_same_generator_gives_the_same_model() -> None:
    data = of_model("random_forest_regression")

    first, second = (fit_fab(data.labelled, 8, np.random.default_rng(3)) for _ in range(2))

    np.testing.assert_array_equal(first.lower_bounds, second.lower_bounds)
    np.testing.assert_array_equal(first.model.eta, second.model.eta)


def test_the_prediction_is_the_commonest_class_of_the_likeliest_region() -> None:
    data = spambase(300, 5)
    naive = NaiveDefrag(data.matrix, data.naive_targets)
    start = random_start(300, 4, np.random.default_rng(1))

    fit = fit_fab(data.labelled, 4, np.random.default_rng(0), start=start)

    (*_, (naive_model, _)) = naive.fit(start, naive.omega, len(fit.lower_bounds))
    regions = naive.regions(naive_model)
    np.testing.assert_array_equal(fit.model.map_regions(data.binned), regions)
    np.testing.assert_array_equal(
        fit.model.predict(data.binned), np.asarray(naive_model.gamma, np.float64).argmax(axis=1)[regions]
    )


def test_the_mean_is_predicted_for_values() -> None:
    data = energy(5)

    model = fit_fab(data.labelled, 6, np.random.default_rng(0)).model

    predicted = model.predict(data.binned)
    np.testing.assert_array_equal(predicted, model.predictions()[model.map_regions(data.binned)])
    np.testing.assert_array_equal(model.predictions(), model.means)
    error = ((predicted - data.values) ** 2).mean()
    assert model.training_error(data.labelled) == pytest.approx(error)
    assert error < data.values.var() / 2


def test_an_ensemble_without_splits_has_one_prediction() -> None:
    data = of_model("random_forest_multiclass")
    features, _ = matrix_data("multiclass")
    forest = RandomForestClassifier(3, min_samples_leaf=len(features), random_state=0).fit(features, data.classes)
    read = read_model(onnx_of(forest, features), DeclaredModel(), ModelLimits())
    binned = BinnedRows.of(statements_of(read.ensemble, read.description), data.rows)

    model = fit_fab(RowParts.here(binned, data.targets), 3, np.random.default_rng(0)).model

    assert binned.n_rows == len(data.rows)
    assert model.eta.shape == (model.n_regions, 0)
    assert len(np.unique(model.predict(binned))) == 1


def test_what_nothing_can_be_fitted_to_is_refused() -> None:
    data = of_model("random_forest_multiclass")
    rng = np.random.default_rng(0)

    with pytest.raises(InvalidInput, match="as many targets"):
        RowParts.here(data.binned, data.targets.take(np.arange(5)))
    with pytest.raises(InvalidInput, match="at least one region"):
        fit_fab(data.labelled, 0, rng)
    with pytest.raises(InvalidInput, match="shape"):
        fit_fab(data.labelled, 3, rng, start=np.ones((3, 3)))
    with pytest.raises(InvalidInput, match="positive"):
        fit_fab(data.labelled, 3, rng, start=np.zeros((data.binned.n_rows, 3)))
    with pytest.raises(InvalidInput, match="0 to 1"):
        Targets.of_classes(np.array([0, 2]), 2)
    with pytest.raises(InvalidInput, match="row 1"):
        Targets.of_values(np.array([0.0, np.nan]))


class Stop(Exception):
    """Raised by a progress callback to cancel."""


def restarts_of(data: TrainingSet, method: Method = "fab", n_restarts: int = 6, n_threads: int = 2) -> Restarts:
    rng = np.random.default_rng(7)
    return fit_restarts(method, data.labelled, 5, n_restarts, rng, n_threads=n_threads)


@pytest.mark.parametrize("method", ["fab", "em"])
def test_restarts_as_partitions_are_those_of_threads(method: Method) -> None:
    data, rng = spambase(200, 5), np.random.default_rng(7)

    spread = fit_restarts(method, data.labelled, 3, 3, rng, spread=LocalPartitions)

    here = fit_restarts(method, data.labelled, 3, 3, np.random.default_rng(7))
    assert (spread.chosen, spread.training_errors.tolist()) == (here.chosen, here.training_errors.tolist())
    np.testing.assert_array_equal(spread.best.model.eta, here.best.model.eta)


def test_each_restart_is_the_fit_of_its_own_generator() -> None:
    data = spambase(300, 5)

    restarts = restarts_of(data)

    alone = [fit_fab(data.labelled, 5, rng) for rng in np.random.default_rng(7).spawn(6)]
    for restart, fit in zip(restarts.all, alone, strict=True):
        np.testing.assert_array_equal(restart.lower_bounds, fit.lower_bounds)
        assert restart.n_regions == fit.model.n_regions
        assert restart.training_error == fit.model.training_error(data.labelled)
    np.testing.assert_array_equal(restarts.best.model.eta, alone[restarts.chosen].model.eta)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", ["three classes", "values", "categories and missing values"])
@pytest.mark.parametrize("method", ["fab", "em"])
@pytest.mark.sampled("values")
def test_rows_in_partitions_give_the_same_bytes_however_they_are_cut(method: Method, name: str, start: Start) -> None:
    data = training_set(name)
    block_rows = -(-data.binned.n_rows // 5)

    def fitted(n_blocks: int) -> Restarts:
        rows = labelled_rows(data.binned, data.targets, block_rows, n_blocks)
        return fit_restarts(method, rows, 4, 2, np.random.default_rng(1), settings=[FitSettings(start)])

    whole, *others = (fitted(n_blocks) for n_blocks in (5, 1, 2, 3))

    for cut in others:
        assert_equal_bytes(whole, cut)


def assert_equal_bytes(one: Restarts, other: Restarts) -> None:
    assert one.chosen == other.chosen
    for left, right in zip(one.all, other.all, strict=True):
        assert left.lower_bounds.tobytes() == right.lower_bounds.tobytes()
        assert left.training_error == right.training_error
    ours, theirs = one.best.model, other.best.model
    for name in ("eta", "shares", "scores", "means", "precisions"):
        left, right = getattr(ours, name), getattr(theirs, name)
        assert (left is None) == (right is None)
        assert left is None or left.tobytes() == right.tobytes()


@pytest.mark.parametrize("n_regions", [3, 4])
def test_a_start_is_drawn_in_blocks_as_in_one_piece(n_regions: int) -> None:
    data, rng = of_model("random_forest_multiclass"), np.random.default_rng(3)
    whole = random_start(data.binned.n_rows, n_regions, np.random.default_rng(3))
    parts = RowsPart(data.binned, data.targets)

    start = DrawnStart.of(data.binned.n_rows, n_regions, rng)

    found = [start.of_rows(parts, slice(first, first + 10)) for first in range(0, data.binned.n_rows - 9, 10)]
    np.testing.assert_allclose(np.concatenate(found), whole[: 10 * len(found)], rtol=1e-15)
    other = np.random.default_rng(3)
    other.random((data.binned.n_rows, n_regions))
    assert rng.integers(0, 100, 9).tolist() == other.integers(0, 100, 9).tolist()


def test_a_part_that_lost_what_it_kept_computes_it_again() -> None:
    data = spambase(300, 5)
    rows = labelled_rows(data.binned, data.targets, 100)
    forgetful = RowParts(rows.statements, [ForgetfulParts(list(rows.map(_alone)))], [np.array([0, 100, 200, 300])], 2)
    start = random_start(300, 4, np.random.default_rng(0))

    kept, lost = (
        list(islice(iterations(EMSteps.of(each, 4, ignore_progress), start, 3.0), 6)) for each in (rows, forgetful)
    )

    assert [bound for _, bound in kept] == [bound for _, bound in lost]
    assert kept[-1][0].eta.tobytes() == lost[-1][0].eta.tobytes()


def test_copies_of_a_part_that_take_turns_keep_no_more_than_one_array_each() -> None:
    data = spambase(300, 5)
    rows = labelled_rows(data.binned, data.targets, 100)
    copies = [pickle.loads(pickle.dumps(list(rows.map(_alone)))) for _ in range(2)]  # noqa: S301  # our own
    turns = RowParts(rows.statements, [PartsInTurn(copies)], [np.array([0, 100, 200, 300])], 2)
    start = random_start(300, 4, np.random.default_rng(0))
    empty = getsizeof(copies[0][0][0])

    alone, in_turn = (iterations(EMSteps.of(each, 4, ignore_progress), start, 3.0) for each in (rows, turns))

    assert [bound for _, bound in islice(alone, 6)] == [bound for _, bound in islice(in_turn, 6)]
    one_array = 100 * 4 * 8
    assert all(getsizeof(part) <= empty + one_array for parts in copies for (part,) in parts)


class PartsInTurn(LocalPartitions):
    """Copies of the same parts, of which each map takes the next, as a cluster's workers may have them."""

    def __init__(self, copies: list[list[tuple[RowsPart]]]) -> None:
        super().__init__(copies[0])
        self._copies = cycle(copies)

    def map(self, function: Callable[..., T], *broadcast: object) -> Iterator[T]:
        return LocalPartitions(next(self._copies)).map(function, *broadcast)


def _alone(part: RowsPart) -> tuple[RowsPart]:
    return (part,)


class ForgetfulParts(LocalPartitions):
    """Parts that are made again before each use, as where workers are lost."""

    def map(self, function: Callable[..., T], *broadcast: object) -> Iterator[T]:
        made_again = pickle.loads(pickle.dumps(self._parts))  # noqa: S301  # our own
        return LocalPartitions(made_again).map(function, *broadcast)


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
    assert restarts.best.model.training_error(data.labelled) == min(errors)
    assert len(set(errors)) > 1


def test_a_restart_of_em_is_the_best_of_its_numbers_of_regions() -> None:
    data = spambase(300, 5)

    restarts = restarts_of(data, "em", n_restarts=2)

    fits = fit_em_up_to(data.labelled, 5, np.random.default_rng(7).spawn(1)[0])
    errors = [fit.model.training_error(data.labelled) for fit in fits]
    assert restarts.training_errors[0] == min(errors)
    assert restarts.all[0].n_regions == fits[errors.index(min(errors))].model.n_regions


def test_progress_is_reported_by_the_calling_thread_and_ends_at_1() -> None:
    data = spambase(300, 5)
    reported: list[tuple[float, bool]] = []

    def listen(fraction: float, stage: str) -> None:
        reported.append((fraction, threading.current_thread() is threading.main_thread()))

    fit_restarts("fab", data.labelled, 5, 8, np.random.default_rng(0), report=listen)

    fractions = [fraction for fraction, _ in reported]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert all(is_main for _, is_main in reported)


def test_a_cancel_ends_long_restarts_within_two_seconds() -> None:
    data = spambase(300, 5)
    rows = np.tile(np.arange(300), 300)  # 20 restarts of these take a minute
    many = RowParts.here(data.binned.take(rows), data.targets.take(rows))
    calls: list[float] = []

    def cancel(fraction: float, stage: str) -> None:
        calls.append(time.process_time())  # of both threads: other processes do not count
        if len(calls) == 3:
            raise Stop

    with pytest.raises(Stop):
        fit_restarts("fab", many, 10, 20, np.random.default_rng(0), report=cancel)

    assert time.process_time() - calls[-1] < 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]


def test_what_goes_wrong_in_a_restart_is_raised() -> None:
    data = spambase(300, 5)

    with pytest.raises(InvalidInput, match="at least one region"):
        fit_restarts("fab", data.labelled, 0, 3, np.random.default_rng(0))
    with pytest.raises(InvalidInput, match="at least one restart"):
        fit_restarts("fab", data.labelled, 3, 0, np.random.default_rng(0))
