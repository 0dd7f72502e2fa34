from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive, naive_prototype_bounds
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, REGRESSION, RealLeaves, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.candidate_pairs import gather_pairs
from tree_explainers.prototype_sets.certificate import Certificate, certify
from tree_explainers.prototype_sets.dual_bound import Relaxation
from tree_explainers.prototype_sets.goal import Method, Refine, goal_of
from tree_explainers.prototype_sets.selection import sample_candidates, select_prototypes

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "a_pete", "sg")
SWAPPABLE: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "a_pete")
REFINEMENTS: tuple[Refine, Refine] = ("none", "swap")
Few = tuple[LeafTable, NDArray[np.int64], NDArray[np.int64]]


def a_few(real: RealLeaves, seed: int, n_rows: int = 14) -> Few:
    """Some rows of a real dataset in its real ensemble, of 1 to 3 classes, sometimes twice; and their proximities."""
    rows = np.random.default_rng(seed).choice(len(real.leaves), n_rows, replace=seed % 4 == 0)
    classes = real.classes("target")[rows] % (1 + seed % 3)
    return real.table.among(rows), classes, naive.proximity_matrix(real.leaves[rows], real.weights)


def value(proximity: NDArray[np.int64], classes: NDArray[np.int64], rows: NDArray[np.int64], method: str) -> int:
    near = naive_prototype_bounds.near_matrix(proximity, classes, method)
    return naive_prototype_bounds.value(near, rows.tolist())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", [*CLASSIFICATIONS, REGRESSION])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("values")
def test_no_set_of_as_many_prototypes_exceeds_the_bound(method: Method, dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind, n_rows=150)
    for seed in range(4):
        table, classes, proximity = a_few(real, seed)
        if method == "sg" and len(np.unique(classes)) == 1:
            continue
        rows = select_prototypes(table, classes, real.weights, method, n_prototypes=1 + seed % 4).rows

        found = certify(table, classes, real.weights, rows, method=method, greedy_rows=rows)

        assert found.objective == value(proximity, classes, rows, method)
        best = naive_prototype_bounds.best_value(proximity, classes, rows.tolist(), method)
        assert found.objective <= best <= found.upper_bound
        assert found.upper_bound <= naive_prototype_bounds.plain_bound(proximity, classes, rows.tolist(), method)
        assert 0 < found.certificate == found.all_rows_certificate <= 1
        assert (found.scope, found.all_rows_upper_bound, found.n_prototypes) == ("all_rows", None, len(rows))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("values")
def test_of_a_sample_of_candidates_both_bounds_hold(method: Method, dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind, n_rows=150)
    for seed in range(4):
        table, classes, proximity = a_few(real, seed)
        candidates = np.sort(np.random.default_rng(seed).choice(14, 8, replace=False))
        rows = np.random.default_rng(seed + 100).choice(candidates, 1 + seed % 4, replace=False)

        found = certify(table, classes, real.weights, rows, method=method, candidates=candidates)

        best = naive_prototype_bounds.best_value
        among = best(proximity, classes, rows.tolist(), method, candidates.tolist())
        of_all = best(proximity, classes, rows.tolist(), method)
        assert found.scope == "candidates"
        assert found.objective <= among <= found.upper_bound
        assert found.all_rows_upper_bound is not None
        assert max(of_all, found.upper_bound) <= found.all_rows_upper_bound
        assert 0 < found.all_rows_certificate <= found.certificate <= 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_pairs", [40, 7, 1])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("values")
def test_the_bound_holds_however_few_pairs_are_known(method: Method, max_pairs: int, kind: ProximityKind) -> None:
    real = real_leaves("covertype_20k", kind, n_rows=150)
    for seed in range(4):
        table, classes, proximity = a_few(real, seed)
        rows = np.random.default_rng(seed).choice(14, 1 + seed % 4, replace=False)
        pairs = gather_pairs(table, classes, real.weights, rows, max_pairs=max_pairs)

        found = certify(table, classes, real.weights, rows, method=method, pairs=pairs)

        best = naive_prototype_bounds.best_value(proximity, classes, rows.tolist(), method)
        assert found.objective <= best <= found.upper_bound


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.sampled("values")
def test_the_bound_is_tighter_than_by_gains_alone(dataset: str, method: Method, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    classes = real.classes("predicted")
    rows = select_prototypes(real.table, classes, real.weights, method, n_prototypes=8).rows
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    found = certify(real.table, classes, real.weights, rows, method=method)

    plain = naive_prototype_bounds.plain_bound(proximity, classes, rows.tolist(), method)
    assert found.upper_bound < plain or found.certificate == 1
    if method != "sg":
        assert found.certificate > 0.95


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_coverage_as_the_promise_gives_the_plain_bound(method: Method, kind: ProximityKind) -> None:
    real = real_leaves("covertype_20k", kind)
    classes = real.classes("target")
    rows = np.array([5, 80, 211, 9, 300, 301])
    pairs = gather_pairs(real.table, classes, real.weights, rows)
    by_class, total = pairs.by_class, int(real.weights.sum())
    goal = goal_of(method, by_class.sizes)
    covered = by_class.coverage(real.table, real.weights, rows)
    n_of_each = np.bincount(by_class.classes[rows], minlength=by_class.n_classes)
    positions = np.arange(by_class.n_classes)

    bound = 0
    for part in positions[:, None] if goal.classes_are_apart else [positions]:
        relaxation = Relaxation(pairs, part, int(n_of_each[part].sum()), total, goal)
        promised = covered[relaxation.row_slice] * relaxation.precision
        bound += relaxation.exact_bound(relaxation.promise(promised))

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    assert bound == naive_prototype_bounds.plain_bound(proximity, classes, rows.tolist(), method)


@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa", "a_pete"])
def test_what_greedy_choices_promise_is_kept_to(method: Method) -> None:
    real = real_leaves("titanic", "random_forest")
    classes = real.classes("target")
    rows = select_prototypes(real.table, classes, real.weights, method, n_prototypes=6).rows
    pairs = gather_pairs(real.table, classes, real.weights, rows, max_pairs=1)  # the other bound knows nothing

    found = certify(real.table, classes, real.weights, rows, method=method, greedy_rows=rows, pairs=pairs)

    n_of_each = np.bincount(classes[rows]) if method == "sm_u" else [len(rows)]
    surely = min(1 - Fraction(int(k) - 1, int(k)) ** int(k) for k in n_of_each)
    assert surely <= Fraction(found.objective, found.upper_bound) < 1
    anyhow = certify(real.table, classes, real.weights, rows, method=method, pairs=pairs)
    assert anyhow.upper_bound >= found.upper_bound


@pytest.mark.parametrize("n_candidates", [None, 9])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", [*CLASSIFICATIONS, REGRESSION])
@pytest.mark.parametrize("method", SWAPPABLE)
@pytest.mark.sampled("values")
def test_swaps_never_lower_the_certificate_and_their_bound_holds(
    method: Method, dataset: str, kind: ProximityKind, n_candidates: int | None
) -> None:
    real = real_leaves(dataset, kind, n_rows=150)
    for seed in range(3):
        table, classes, proximity = a_few(real, seed)
        candidates = None
        if n_candidates is not None:
            candidates = np.sort(np.random.default_rng(seed).choice(14, n_candidates, replace=False))
        choose = partial(select_prototypes, table, classes, real.weights, method, candidates=candidates)
        before, after = (choose(n_prototypes=1 + seed % 4, refine=refine) for refine in REFINEMENTS)

        first, found = (
            certify(
                *(table, classes, real.weights, each.rows),
                method=method,
                greedy_rows=each.rows_before_swaps,
                candidates=candidates,
            )
            for each in (before, after)
        )

        assert after.rows_before_swaps.tolist() == before.rows.tolist()
        never_lower(first, found)
        assert found == certify(
            *(table, classes, real.weights, after.rows),
            method=method,
            greedy_rows=after.rows_before_swaps,
            candidates=candidates,
            pairs=after.pairs,
        )
        best = naive_prototype_bounds.best_value
        among = None if candidates is None else candidates.tolist()
        assert best(proximity, classes, after.rows.tolist(), method, among) <= found.upper_bound
        of_all = found.upper_bound if found.all_rows_upper_bound is None else found.all_rows_upper_bound
        assert best(proximity, classes, after.rows.tolist(), method) <= of_all


@pytest.mark.parametrize("n_candidates", [None, 150])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", [*CLASSIFICATIONS, REGRESSION])
@pytest.mark.parametrize("method", SWAPPABLE)
@pytest.mark.long
def test_swaps_never_lower_the_certificate_of_many_rows(
    method: Method, dataset: str, kind: ProximityKind, n_candidates: int | None
) -> None:
    real = real_leaves(dataset, kind)
    classes = real.classes("predicted")
    candidates = None if n_candidates is None else sample_candidates(classes, n_candidates, np.random.default_rng(0))
    choose = partial(select_prototypes, real.table, classes, real.weights, method, candidates=candidates)

    before, after = (choose(n_prototypes=8, refine=refine) for refine in REFINEMENTS)

    first, found = (
        certify(
            *(real.table, classes, real.weights, each.rows),
            method=method,
            greedy_rows=each.rows_before_swaps,
            candidates=candidates,
        )
        for each in (before, after)
    )

    never_lower(first, found)


def never_lower(before: Certificate, after: Certificate) -> None:
    assert after.objective >= before.objective
    assert after.upper_bound <= before.upper_bound
    assert after.certificate >= before.certificate
    assert after.all_rows_certificate >= before.all_rows_certificate
    assert after.scope == before.scope


def test_all_rows_as_prototypes_are_the_best() -> None:
    real = real_leaves("titanic", "random_forest", n_rows=150)
    for seed in range(4):
        table, classes, _ = a_few(real, seed)
        for method in METHODS:
            found = certify(table, classes, real.weights, np.arange(14), method=method)
            assert found.certificate == 1
            assert found.upper_bound == found.unit


@pytest.mark.parametrize("method", METHODS)
def test_a_single_row_of_a_class_and_trees_of_one_leaf_are_bounded(method: Method) -> None:
    real = real_leaves("titanic", "random_forest", n_rows=150)
    table, _, _ = a_few(real, 1)
    leaves = np.where(np.arange(real.leaves.shape[1]) % 2 == 0, 0, table.leaves_of(np.arange(14)))  # half are constant
    table = LeafTable.from_leaves(leaves.astype(np.int32), leaves.max(axis=0) + 1)
    proximity = naive.proximity_matrix(leaves.astype(np.int32), real.weights)
    classes = np.array([7] + [0] * 13)
    for rows in (np.array([0, 5]), np.array([3, 4]), np.array([0])):
        found = certify(table, classes, real.weights, rows, method=method, candidates=np.arange(11))

        best = naive_prototype_bounds.best_value
        assert found.objective == value(proximity, classes, rows, method)
        assert best(proximity, classes, rows.tolist(), method, list(range(11))) <= found.upper_bound
        assert best(proximity, classes, rows.tolist(), method) <= (found.all_rows_upper_bound or 0)


def test_certificates_say_what_they_speak_of() -> None:
    real = real_leaves("covertype_20k", "boosting")
    classes = real.classes("target")
    spoken_of = {}
    for method in METHODS:
        found = certify(real.table, classes, real.weights, np.array([0, 1, 2, 3]), method=method)
        spoken_of[method] = found.objective_name, found.constraint
        assert 0 < found.objective / found.unit <= found.upper_bound / found.unit <= 1

    assert spoken_of["sm_u"] == ("coverage", "n_prototypes_per_class")
    assert spoken_of["sm_wa"] == ("class_weighted_coverage", "n_prototypes")
    assert spoken_of["sm_a"] == spoken_of["a_pete"] == spoken_of["sg"] == ("coverage", "n_prototypes")


def test_more_prototypes_can_reach_more() -> None:
    real = real_leaves("pima_diabetes", "random_forest")
    classes = real.classes("target")
    rows = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=20).rows

    bounds = [certify(real.table, classes, real.weights, rows[:n], method="sm_a").upper_bound for n in (1, 3, 8, 20)]

    objectives = [certify(real.table, classes, real.weights, rows[:n], method="sm_a").objective for n in (1, 3, 8, 20)]
    assert bounds == sorted(bounds)
    assert all(objective <= bound for objective, bound in zip(objectives, bounds, strict=True))


@pytest.mark.parametrize(("rows", "reason"), [([], "at least one"), ([2, 2], "only once"), ([0, 9], "candidates")])
def test_sets_that_no_bound_speaks_of_are_refused(rows: list[int], reason: str) -> None:
    real = real_leaves("titanic", "random_forest")
    chosen, classes = np.array(rows, dtype=np.int64), real.classes("target")

    with pytest.raises(InvalidInput, match=reason):
        certify(real.table, classes, real.weights, chosen, method="sm_a", candidates=np.arange(5))


@pytest.mark.parametrize(("method", "greedy"), [("sm_a", [0, 1, 2]), ("sm_u", [0, 1])])
def test_a_greedy_choice_of_another_size_says_nothing_of_these_prototypes(method: Method, greedy: list[int]) -> None:
    real = real_leaves("titanic", "random_forest")
    classes = np.arange(len(real.leaves)) % 2
    rows = np.array([0, 2])  # both of class 0

    with pytest.raises(InvalidInput, match="swaps keep the number"):
        certify(real.table, classes, real.weights, rows, method=method, greedy_rows=np.array(greedy))


@pytest.mark.parametrize("n_reports", [1, 4, 20])
def test_listening_can_stop_a_certificate(n_reports: int) -> None:
    real = real_leaves("pima_diabetes", "random_forest")
    reported: list[float] = []

    def listen(fraction: float, stage: str) -> None:
        assert 0 <= fraction <= 1
        assert stage
        reported.append(fraction)
        if len(reported) == n_reports:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify(
            real.table,
            real.classes("target"),
            real.weights,
            np.array([1, 2, 3]),
            method="sm_a",
            greedy_rows=np.array([1, 2, 4]),
            candidates=np.arange(300),
            report=listen,
        )
    assert reported == sorted(reported)
