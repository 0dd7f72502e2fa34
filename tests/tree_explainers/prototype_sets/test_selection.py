import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, REGRESSION, real_leaves
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.candidate_pairs import PairStore
from tree_explainers.prototype_sets.certificate import certify
from tree_explainers.prototype_sets.coverage import ClassCoverage
from tree_explainers.prototype_sets.criticisms import find_criticisms
from tree_explainers.prototype_sets.selection import (
    Method,
    PrototypeSelection,
    sample_candidates,
    select_prototypes,
)
from tree_explainers.prototype_sets.supervised import EvaluatedRows, Metric
from tree_explainers.prototype_sets.sweep import Sweep
from tree_explainers.prototype_sets.widening_columns import WideningColumns

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids")
N_PROTOTYPES = 9


def twin(
    method: Method,
    leaves: NDArray[np.int32],
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    n: int = N_PROTOTYPES,
    candidates: list[int] | None = None,
) -> list[int]:
    proximity = naive.proximity_matrix(leaves, weights)
    return naive.SELECTIONS[method](proximity, classes, 0.05 if method == "a_pete" else n, candidates)


def covered(method: Method, classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the classes within which a method's prototypes cover rows."""
    return np.zeros_like(classes) if method == "k_medoids" else classes


def table_of(leaves: NDArray[np.int32]) -> LeafTable:
    return LeafTable.from_leaves(leaves, leaves.max(axis=0) + 1)


def selected(
    method: Method, leaves: NDArray[np.int32], classes: NDArray[np.int64], n: int = N_PROTOTYPES, alpha: float = 0.05
) -> PrototypeSelection:
    weights = np.ones(leaves.shape[1], dtype=np.int64)
    return select_prototypes(table_of(leaves), classes, weights, method, n_prototypes=n, alpha=alpha)


@pytest.mark.parametrize("labels", ["target", "predicted"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("values")
def test_each_method_chooses_the_rows_of_its_slow_twin_in_the_same_order(
    method: Method, dataset: str, kind: ProximityKind, labels: str
) -> None:
    real = real_leaves(dataset, kind)
    classes = real.classes(labels)

    selection = select_prototypes(real.table, classes, real.weights, method, n_prototypes=N_PROTOTYPES)

    assert selection.rows.tolist() == twin(method, real.leaves, classes, real.weights)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("values")
def test_candidates_alone_are_chosen_to_cover_all_rows(method: Method, kind: ProximityKind) -> None:
    real = real_leaves("covertype_20k", kind)
    classes = real.classes("target")
    candidates = sample_candidates(classes, 60, np.random.default_rng(3))

    selection = select_prototypes(
        real.table, classes, real.weights, method, n_prototypes=N_PROTOTYPES, candidates=candidates
    )

    chosen = twin(method, real.leaves, classes, real.weights, candidates=candidates.tolist())
    assert selection.rows.tolist() == chosen
    assert selection.n_candidates == 60
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    assert selection.objective == naive.objective(proximity, covered(method, classes), chosen)


@pytest.mark.parametrize("max_pairs", [0, 45_000, 10**7], ids=["none", "later", "at once"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["sm_u", "sm_wa", "k_medoids"])
@pytest.mark.sampled("values")
def test_the_same_rows_are_chosen_however_many_pairs_there_is_room_for(
    method: Method, kind: ProximityKind, max_pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tree_explainers.prototype_sets.methods.default_max_pairs", lambda _: max_pairs)
    monkeypatch.setattr(Sweep, "_cheaper", lambda sweep, *_: sweep._by_masks)
    listed: list[Any] = []
    monkeypatch.setattr(ClassCoverage, "_list_pairs", counted(ClassCoverage._list_pairs, listed))
    real = real_leaves("covertype_20k", kind, n_rows=900)
    classes = (np.arange(900) % 3 == 0).astype(np.int64)

    selection = select_prototypes(real.table, classes, real.weights, method, n_prototypes=20)

    assert selection.rows.tolist() == twin(method, real.leaves, classes, real.weights, 20)
    assert (listed[0] is not None) == (max_pairs == 10**7)
    assert method != "k_medoids" or (listed[-1] is not None) == (max_pairs > 0)


def counted(list_pairs: Callable[[ClassCoverage], None], listed: list[PairStore | None]) -> Callable[..., None]:
    """Return the same, which notes what is listed afterwards."""

    def noting(coverage: ClassCoverage) -> None:
        list_pairs(coverage)
        listed.append(coverage._pairs)

    return noting


def test_a_sample_of_candidates_has_rows_of_every_class_and_is_the_same_again() -> None:
    classes = np.repeat([0, 3, 7], [1, 500, 2])

    samples = [sample_candidates(classes, 5, np.random.default_rng(seed)) for seed in range(20)]

    for seed, sample in enumerate(samples):
        assert len(set(sample.tolist())) == 5
        assert sample.tolist() == sorted(sample.tolist())
        assert set(classes[sample]) == {0, 3, 7}
        assert sample.tolist() == sample_candidates(classes, 5, np.random.default_rng(seed)).tolist()
    assert len({tuple(sample.tolist()) for sample in samples}) > 1
    assert sample_candidates(classes, 1000, np.random.default_rng(0)).tolist() == list(range(503))
    with pytest.raises(InvalidInput, match="at least 3, one for each class that has rows, got 2"):
        sample_candidates(classes, 2, np.random.default_rng(0))


def test_all_rows_but_those_of_each_class_are_as_likely_to_be_candidates() -> None:
    classes = np.repeat([0, 1], [10, 10])
    rng = np.random.default_rng(0)

    drawn = np.bincount(np.concatenate([sample_candidates(classes, 8, rng) for _ in range(4000)]), minlength=20)

    assert (np.abs(drawn / 4000 - 0.4) < 0.04).all()


@pytest.mark.parametrize(
    "candidates", [[], [3, 2], [1, 1], [-1, 2], [0, 12]], ids=["none", "unsorted", "twice", "negative", "no such row"]
)
def test_candidates_that_are_not_ascending_rows_are_refused(candidates: list[int]) -> None:
    table = table_of(np.zeros((12, 2), dtype=np.int32))
    weights = np.ones(2, dtype=np.int64)

    with pytest.raises(InvalidInput, match="distinct rows in ascending order, at least one, of 0 to 11"):
        select_prototypes(
            table, np.zeros(12, np.int64), weights, "sm_a", n_prototypes=1, candidates=np.array(candidates, np.int64)
        )


def test_more_prototypes_than_candidates_are_refused_with_both_numbers() -> None:
    table = table_of(np.zeros((12, 2), dtype=np.int32))

    with pytest.raises(InvalidInput, match="1 to 3, the number of candidates, got 4"):
        select_prototypes(
            table, np.zeros(12, np.int64), np.ones(2, np.int64), "sm_a", n_prototypes=4, candidates=np.arange(3)
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "a_pete"])
@pytest.mark.sampled("values")
def test_swaps_never_lower_the_objective_and_are_reported_in_their_order(method: Method, kind: ProximityKind) -> None:
    real = real_leaves("spambase", kind)
    classes = real.classes("target")
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    greedy = select_prototypes(real.table, classes, real.weights, method, n_prototypes=N_PROTOTYPES)
    refined = select_prototypes(real.table, classes, real.weights, method, n_prototypes=N_PROTOTYPES, refine="swap")

    assert len(refined.rows) == len(greedy.rows)
    assert refined.n_swaps > 0 == greedy.n_swaps
    assert not refined.nested
    chosen = refined.rows.tolist()
    assert refined.objectives.tolist() == [
        naive.objective(proximity, classes, chosen[: n + 1]) for n in range(len(chosen))
    ]
    assert refined.gains.sum() == refined.objective
    if method != "sm_wa":
        assert refined.objective > greedy.objective
    if method == "sm_u":
        assert refined.classes.tolist() == greedy.classes.tolist()


def test_swaps_for_accuracy_are_refused() -> None:
    real = real_leaves("spambase", "random_forest")

    with pytest.raises(MethodNotApplicable, match="sg maximises accuracy"):
        select_prototypes(real.table, real.classes("target"), real.weights, "sg", refine="swap")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "a_pete"])
def test_regression_is_one_class_that_holds_all_rows(method: Method, kind: ProximityKind) -> None:
    real = real_leaves(REGRESSION, kind)
    classes = real.classes("target")

    selection = select_prototypes(real.table, classes, real.weights, method, n_prototypes=N_PROTOTYPES)

    assert selection.rows.tolist() == twin(method, real.leaves, classes, real.weights)
    assert selection.classes.tolist() == [0] * len(selection.rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_gains_objectives_and_coverage_are_those_of_the_dense_matrix(method: Method, kind: ProximityKind) -> None:
    real = real_leaves("covertype_20k", kind)
    classes = real.classes("target")
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    selection = select_prototypes(real.table, classes, real.weights, method, n_prototypes=N_PROTOTYPES)

    chosen = selection.rows.tolist()
    own = covered(method, classes)
    expected = [naive.objective(proximity, own, chosen[: n + 1]) for n in range(len(chosen))]
    assert selection.objectives.tolist() == expected
    assert selection.gains.tolist() == np.diff(expected, prepend=0).tolist()
    assert selection.n_covered.tolist() == naive.coverage(proximity, own, chosen)
    assert selection.objective_mean == pytest.approx(expected[-1] / proximity.max() / len(classes))
    assert 0 < selection.objective_mean <= 1
    assert selection.n_covered.sum() <= len(classes)


small_tables = (
    st.integers(0, 2**32 - 1)
    .map(np.random.default_rng)
    .flatmap(
        lambda rng: st.builds(
            lambda n_rows, n_trees, n_leaves, n_classes: (
                rng.integers(0, n_leaves, (n_rows, n_trees)).astype(np.int32),
                rng.integers(0, n_classes, n_rows),
                rng.integers(1, 4, n_trees),
            ),
            st.integers(2, 30),
            st.integers(1, 6),
            st.integers(1, 5),
            st.integers(2, 4),
        )
    )
)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)
@given(table=small_tables, n=st.integers(1, 8))
@pytest.mark.sampled("thirds")
def test_small_tables_full_of_ties_are_chosen_from_as_the_twin_does(
    method: Method, table: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]], n: int
) -> None:
    leaves, classes, weights = table
    if method == "sg" and len(np.unique(classes)) == 1:
        return
    n = min(n, len(leaves))

    selection = select_prototypes(table_of(leaves), classes, weights, method, n_prototypes=n)

    assert selection.rows.tolist() == twin(method, leaves, classes, weights, n)


@pytest.mark.parametrize("method", METHODS)
def test_of_rows_in_the_same_leaves_the_lowest_is_chosen(method: Method) -> None:
    distinct = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 1], [0, 2, 2]], dtype=np.int32)
    leaves = np.repeat(distinct, 3, axis=0)
    classes = np.repeat([0, 1, 0, 1], 3)

    selection = selected(method, leaves, classes, n=4, alpha=0)

    assert set(selection.rows.tolist()) <= {0, 3, 6, 9}
    assert len(selection.rows) >= 2


def test_duplicates_of_prototypes_add_nothing_and_selection_ends() -> None:
    leaves = np.zeros((5, 3), dtype=np.int32)

    selection = selected("sm_a", leaves, np.zeros(5, dtype=np.int64), n=4)

    assert selection.rows.tolist() == [0]
    assert selection.stopped_by == "no_gain"
    assert selection.objective_mean == 1


def test_uniform_selection_rounds_half_up_and_takes_at_least_one_of_each_class() -> None:
    rng = np.random.default_rng(0)
    leaves = rng.integers(0, 9, (60, 12)).astype(np.int32)
    classes = np.arange(60) % 4

    few, half = selected("sm_u", leaves, classes, n=1), selected("sm_u", leaves, classes, n=6)

    assert few.classes.tolist() == [0, 1, 2, 3]
    assert half.classes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert not half.nested


def test_classes_without_rows_do_not_count() -> None:
    rng = np.random.default_rng(0)
    leaves = rng.integers(0, 9, (40, 12)).astype(np.int32)
    classes = np.where(np.arange(40) % 2 == 0, 1, 7)

    selection = selected("sm_u", leaves, classes, n=4)

    assert selection.classes.tolist() == [1, 1, 7, 7]


@pytest.mark.parametrize("method", ["sm_a", "sm_wa", "sg"])
def test_the_first_of_many_prototypes_are_the_answer_for_few(method: Method) -> None:
    real = real_leaves("pima_diabetes", "random_forest")
    classes = real.classes("target")

    many = select_prototypes(real.table, classes, real.weights, method, n_prototypes=7)
    few = select_prototypes(real.table, classes, real.weights, method, n_prototypes=3)

    assert many.nested
    assert many.rows[:3].tolist() == few.rows.tolist()


def test_a_pete_says_which_improvements_stopped_it() -> None:
    real = real_leaves("breast_cancer", "random_forest")
    classes = real.classes("target")

    selection = select_prototypes(real.table, classes, real.weights, "a_pete", alpha=0.05)

    stopping = selection.stopping_improvement
    assert selection.stopped_by == "alpha"
    assert stopping is not None
    assert stopping.rank == len(selection.rows)
    assert stopping.improvement == selection.gains[-1]
    assert stopping.previous_improvement == selection.gains[-2]
    assert (stopping.previous_class, stopping.prototype_class) == tuple(selection.classes[-2:])
    assert stopping.relative_change <= 0.05
    earlier = np.abs(np.diff(selection.gains[:-1])) / selection.gains[1:-1]
    assert (earlier > 0.05).all()


def test_alpha_is_compared_as_the_decimal_that_was_written() -> None:
    # Three classes of 13, 10 and 1 rows in one leaf each: improvements 13, 10, so the change is 3/10 exactly.
    classes = np.repeat([0, 1, 2], [13, 10, 1])
    leaves = classes[:, None].astype(np.int32)

    assert len(selected("a_pete", leaves, classes, alpha=0.3).rows) == 2
    assert len(selected("a_pete", leaves, classes, alpha=0.29).rows) == 3


def test_supervised_selection_stops_when_no_row_improves_accuracy() -> None:
    leaves = np.repeat(np.arange(2, dtype=np.int32), 5)[:, None]
    classes = np.repeat([0, 1], 5)

    selection = selected("sg", leaves, classes, n=6)

    assert selection.rows.tolist() == [0, 5]
    assert selection.stopped_by == "no_improvement"


@pytest.mark.parametrize("metric", ["balanced_accuracy", "accuracy"])
@pytest.mark.parametrize("kind", KINDS)
def test_supervised_selection_is_judged_by_other_rows_as_in_the_slow_twin(kind: ProximityKind, metric: Metric) -> None:
    real = real_leaves("covertype_20k", kind)
    classes, truth = real.classes("target")[:120], real.classes("predicted")[120:220]
    n_leaves = np.diff(real.table.offsets)
    table, others = (LeafTable.from_leaves(real.leaves[rows], n_leaves) for rows in (slice(120), slice(120, 220)))

    selection = select_prototypes(
        table, classes, real.weights, "sg", n_prototypes=6, evaluated=EvaluatedRows(truth, others, metric)
    )

    proximity = naive.proximity_matrix(real.leaves[:220], real.weights)
    is_balanced = metric == "balanced_accuracy"
    assert selection.rows.tolist() == naive.sg_on_other_rows(proximity, classes, truth, 6, is_balanced=is_balanced)


def test_k_medoids_with_swaps_never_covers_less_and_counts_prototypes_of_any_class() -> None:
    real = real_leaves("titanic", "random_forest")
    classes = real.classes("target")

    greedy, swapped = (
        select_prototypes(real.table, classes, real.weights, "k_medoids", n_prototypes=5, refine=refine)
        for refine in ("none", "swap")
    )

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    for selection in (greedy, swapped):
        assert selection.objective == proximity[:, selection.rows].max(axis=1).sum()
        assert selection.classes.tolist() == classes[selection.rows].tolist()
        found = certify(real.table, classes, real.weights, selection.rows, method="k_medoids")
        assert found.objective == selection.objective <= found.upper_bound
    assert swapped.objective >= greedy.objective


@pytest.mark.parametrize("dataset", ["breast_cancer", REGRESSION])
def test_criticisms_are_those_of_the_slow_twin(dataset: str) -> None:
    real = real_leaves(dataset, "random_forest")
    classes = real.classes("target")
    prototypes = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=4).rows

    found = find_criticisms(real.table, real.weights, classes, prototypes, 10)

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    assert found.rows.tolist() == naive.criticisms(proximity, classes, prototypes.tolist(), 10)
    own = classes[prototypes] == classes[found.rows][:, None]
    assert found.covered.tolist() == (proximity[np.ix_(found.rows, prototypes)] * own).max(axis=1).tolist()


def test_there_are_no_more_criticisms_than_other_rows() -> None:
    real = real_leaves("breast_cancer", "random_forest")

    found = find_criticisms(real.table, real.weights, real.classes("target"), np.arange(397), 10)

    assert len(found.rows) == 3


def test_one_row_is_its_own_prototype() -> None:
    selection = selected("sm_a", np.zeros((1, 2), dtype=np.int32), np.zeros(1, dtype=np.int64), n=1)

    assert selection.rows.tolist() == [0]
    assert selection.objective_mean == 1


def test_more_prototypes_than_rows_are_refused_with_both_numbers() -> None:
    with pytest.raises(InvalidInput, match="1 to 4, the number of rows, got 5"):
        selected("sm_a", np.zeros((4, 2), dtype=np.int32), np.zeros(4, dtype=np.int64), n=5)


def test_supervised_selection_of_a_single_class_is_refused() -> None:
    with pytest.raises(MethodNotApplicable, match="sm_a") as refused:
        selected("sg", np.zeros((4, 2), dtype=np.int32), np.ones(4, dtype=np.int64), n=2)

    assert refused.value.code == "method_not_applicable"


@pytest.mark.parametrize("alpha", [-0.1, 1.0, float("nan")])
def test_an_alpha_outside_its_range_is_refused(alpha: float) -> None:
    with pytest.raises(InvalidInput, match="alpha"):
        selected("a_pete", np.zeros((4, 2), dtype=np.int32), np.zeros(4, dtype=np.int64), alpha=alpha)


def test_listening_can_stop_a_selection() -> None:
    real = real_leaves("pima_diabetes", "random_forest")

    def stop(fraction: float, stage: str) -> None:
        assert 0 <= fraction <= 1
        assert stage
        raise KeyboardInterrupt

    for method in METHODS:
        with pytest.raises(KeyboardInterrupt):
            select_prototypes(real.table, real.classes("target"), real.weights, method, report=stop)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("thirds")
def test_progress_never_goes_back_and_moves_before_the_second_prototype_is_known(method: Method) -> None:
    real = real_leaves("spambase", "random_forest", n_rows=4000)
    fractions: list[float] = []

    def note(fraction: float, stage: str) -> None:
        assert stage
        fractions.append(fraction)

    select_prototypes(real.table, real.classes("target"), real.weights, method, n_prototypes=5, report=note)

    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] < fractions[-1] <= 1
    assert sum(fraction < 0.9 for fraction in fractions) > 3


@pytest.mark.parametrize("weights", [[1], [1, -1], [2**31, 2**31]], ids=["too few", "negative", "too large together"])
def test_weights_that_cannot_be_added_up_are_refused(weights: list[int]) -> None:
    table = table_of(np.zeros((4, 2), dtype=np.int32))

    with pytest.raises(InvalidInput, match="weights must be 2 numbers, not negative and less than 2\\^32 together"):
        select_prototypes(table, np.zeros(4, np.int64), np.array(weights), "sm_a", n_prototypes=1)


def test_many_classes_and_some_of_one_row_are_chosen_from_as_the_twin_does() -> None:
    real = real_leaves("covertype_20k", "random_forest")
    classes = np.arange(len(real.leaves)) % 40
    classes[:3] = [50, 60, 70]

    for method in METHODS:
        selection = select_prototypes(real.table, classes, real.weights, method, n_prototypes=4)

        assert selection.rows.tolist() == twin(method, real.leaves, classes, real.weights, 4)


@pytest.fixture
def no_garbage_collected() -> Iterator[None]:
    """Look for no cycles, as the process of a job rarely does."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_garbage_collected")
@pytest.mark.parametrize(
    ("method", "refine"),
    [(method, refine) for method in METHODS for refine in ("none", "swap") if (method, refine) != ("sg", "swap")],
)
def test_leaves_and_columns_are_let_go_as_soon_as_prototypes_are_chosen_and_certified(
    method: Method, refine: Literal["none", "swap"]
) -> None:
    rng = np.random.default_rng(0)
    leaves, classes, weights = rng.integers(0, 6, (300, 20)).astype(np.int32), rng.integers(0, 2, 300), np.ones(20, int)
    table, candidates = table_of(leaves), np.arange(0, 300, 2)
    columns = WideningColumns(table, candidates).widen(np.tile(np.arange(6), 20), np.full(20, 6), weights)
    held = [weakref.ref(columns.proximities), weakref.ref(table.codes)]

    selection = select_prototypes(
        table, classes, weights, method, n_prototypes=5, candidates=candidates, columns=columns, refine=refine
    )
    certify(table, classes, weights, selection.rows, method=method, candidates=candidates)
    del table, columns, selection

    assert [array() is None for array in held] == [True, True]
