import kmedoids
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive, naive_prototype_bounds
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, REGRESSION, RealLeaves, real_leaves
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.candidate_pairs import gather_pairs
from tree_explainers.prototype_sets.selection import Method, select_prototypes
from tree_explainers.prototype_sets.swap_gains import SwapSweep, empty_nearest_two, find_nearest_two
from tree_explainers.prototype_sets.swapping import refine_by_swaps

SWAPPABLE: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "a_pete")


def distances(real: RealLeaves, classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """What kmedoids takes: rows of different classes share nothing."""
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    near = np.where(classes[:, None] == classes[None, :], proximity, 0)
    return (int(real.weights.sum()) - near).astype(np.float64)


def greedy(real: RealLeaves, classes: NDArray[np.int64], method: Method, n: int) -> NDArray[np.int64]:
    return select_prototypes(real.table, classes, real.weights, method, n_prototypes=n).rows


_LONG = pytest.mark.long  # the same again with other sizes


@pytest.mark.parametrize("max_pairs", [2_000, pytest.param(None, marks=_LONG), pytest.param(1, marks=_LONG)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", [*CLASSIFICATIONS, REGRESSION])
@pytest.mark.parametrize("method", SWAPPABLE)
@pytest.mark.sampled("values")
def test_swaps_are_those_of_the_slow_twin_however_many_pairs_are_known(
    method: Method, dataset: str, kind: ProximityKind, max_pairs: int | None
) -> None:
    real = real_leaves(dataset, kind, n_rows=120)
    classes = real.classes("target")
    chosen = greedy(real, classes, method, 7)
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    pairs = gather_pairs(real.table, classes, real.weights, chosen, max_pairs=max_pairs)

    refined = refine_by_swaps(
        real.table, classes, real.weights, chosen, method=method, pairs=pairs, try_other_starts=False
    )

    expected, n_swaps = naive_prototype_bounds.swapped(proximity, classes, chosen.tolist(), method)
    assert refined.rows.tolist() == expected
    assert refined.n_swaps == n_swaps


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", SWAPPABLE)
@pytest.mark.sampled("values")
def test_only_candidates_are_swapped_in(method: Method, kind: ProximityKind) -> None:
    real = real_leaves("covertype_20k", kind, n_rows=150)
    classes = real.classes("target")
    candidates = np.sort(np.random.default_rng(0).choice(150, 60, replace=False))
    start = np.array([3, 70, 141, 8, 90])  # whether they are candidates or not

    plain = refine_by_swaps(
        real.table, classes, real.weights, start, method=method, candidates=candidates, try_other_starts=False
    )
    refined = refine_by_swaps(real.table, classes, real.weights, start, method=method, candidates=candidates)

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    expected, _ = naive_prototype_bounds.swapped(proximity, classes, start.tolist(), method, candidates)
    assert plain.rows.tolist() == expected
    assert set(refined.rows.tolist()) <= {*candidates.tolist(), *start.tolist()}


@pytest.mark.parametrize("n_prototypes", [pytest.param(5, marks=_LONG), 20, pytest.param(50, marks=_LONG)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.sampled("values")
def test_swaps_are_those_of_kmedoids_from_the_same_start_or_better(
    dataset: str, kind: ProximityKind, n_prototypes: int
) -> None:
    real = real_leaves(dataset, kind)
    classes, matrix = real.classes("predicted"), distances(real, real.classes("predicted"))
    chosen = greedy(real, classes, "sm_a", n_prototypes)

    plain = refine_by_swaps(real.table, classes, real.weights, chosen, method="sm_a", try_other_starts=False)
    refined = refine_by_swaps(real.table, classes, real.weights, chosen, method="sm_a")

    peer = kmedoids.fasterpam(matrix, chosen.astype(np.uint64), n_cpu=1)
    assert sorted(plain.rows.tolist()) == sorted(peer.medoids.tolist())
    assert matrix[:, refined.rows].min(axis=1).sum() <= peer.loss


@pytest.mark.parametrize("n_prototypes", [pytest.param(5, marks=_LONG), 10, pytest.param(20, marks=_LONG), 50])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["breast_cancer", "pima_diabetes", "titanic", "spambase"])
@pytest.mark.sampled("values")
def test_swaps_come_within_half_a_percent_of_the_best_of_ten_random_starts(
    dataset: str, kind: ProximityKind, n_prototypes: int
) -> None:
    real = real_leaves(dataset, kind, n_rows=900)
    classes = real.classes("predicted")
    matrix, largest = distances(real, classes), int(real.weights.sum()) * len(classes)
    chosen = greedy(real, classes, "sm_a", n_prototypes)

    refined = refine_by_swaps(real.table, classes, real.weights, chosen, method="sm_a")

    starts = [kmedoids.fasterpam(matrix, n_prototypes, random_state=seed, n_cpu=1).loss for seed in range(10)]
    reached = largest - matrix[:, refined.rows].min(axis=1).sum()
    assert reached >= 0.995 * (largest - min(starts))


@pytest.mark.parametrize("method", SWAPPABLE)
@pytest.mark.sampled("thirds")
def test_refined_prototypes_are_no_worse_and_cannot_be_swapped_again(method: Method) -> None:
    real = real_leaves("pima_diabetes", "boosting")
    classes = real.classes("target")
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    near = naive_prototype_bounds.near_matrix(proximity, classes, method)
    chosen = greedy(real, classes, method, 12)

    refined = refine_by_swaps(real.table, classes, real.weights, chosen, method=method)
    again = refine_by_swaps(real.table, classes, real.weights, refined.rows, method=method)

    value = naive_prototype_bounds.value
    assert value(near, refined.rows.tolist()) > value(near, chosen.tolist())
    assert again.rows.tolist() == refined.rows.tolist()
    assert again.n_swaps == 0
    if method == "sm_u":
        assert classes[refined.rows].tolist() == classes[chosen].tolist()


@pytest.mark.parametrize("n_prototypes", [8, 30])
@pytest.mark.parametrize("method", SWAPPABLE)
@pytest.mark.sampled("values")
def test_prototypes_that_are_kept_stay_in_their_places(method: Method, n_prototypes: int) -> None:
    real = real_leaves("titanic", "random_forest", n_rows=900)
    classes = real.classes("target")
    chosen = greedy(real, classes, method, n_prototypes)

    refined = refine_by_swaps(real.table, classes, real.weights, chosen, method=method)

    stayed = np.isin(chosen, refined.rows)
    assert not stayed.all()
    assert refined.rows[stayed].tolist() == chosen[stayed].tolist()
    assert len(np.unique(refined.rows)) == len(chosen)


def test_other_starts_help_where_swaps_alone_end_early() -> None:
    real = real_leaves("pima_diabetes", "boosting", n_rows=900)
    classes, matrix = real.classes("predicted"), distances(real, real.classes("predicted"))
    chosen = greedy(real, classes, "sm_a", 5)

    plain = refine_by_swaps(real.table, classes, real.weights, chosen, method="sm_a", try_other_starts=False)
    refined = refine_by_swaps(real.table, classes, real.weights, chosen, method="sm_a")

    assert plain.n_starts == 1 < refined.n_starts <= 4
    assert matrix[:, refined.rows].min(axis=1).sum() < matrix[:, plain.rows].min(axis=1).sum()


def test_a_class_may_lose_its_only_prototype_to_another() -> None:
    # One row of class 1, which is a prototype, against forty of class 0 in two leaves, of which one is not covered.
    classes = np.array([1] + [0] * 40)
    leaves = np.array([0] + [1] * 20 + [2] * 20, dtype=np.int32)[:, None]
    table = LeafTable.from_leaves(leaves, np.array([3]))

    refined = refine_by_swaps(table, classes, np.ones(1, dtype=np.int64), np.array([0, 1]), method="sm_a")
    weighted = refine_by_swaps(table, classes, np.ones(1, dtype=np.int64), np.array([0, 1]), method="sm_wa")
    apart = refine_by_swaps(table, classes, np.ones(1, dtype=np.int64), np.array([0, 1]), method="sm_u")

    assert refined.rows.tolist() == [21, 1]
    assert weighted.rows.tolist() == apart.rows.tolist() == [0, 1]  # a whole class is worth more than half of one


@pytest.mark.parametrize("kind", KINDS)
def test_listing_pairs_and_adding_masks_say_the_same_of_each_candidate(kind: ProximityKind) -> None:
    real = real_leaves("spambase", kind, n_rows=700)
    rows, prototypes = np.arange(5, 700), np.array([10, 300, 301, 650])
    proximity = naive.proximity_matrix(real.leaves, real.weights)[:, rows]
    nearest_two, classes = empty_nearest_two(len(rows), 4, 1), np.zeros(4, dtype=np.int64)
    columns = proximity[prototypes].astype(np.uint32)
    find_nearest_two(columns, np.arange(4), np.zeros(len(rows), dtype=np.int64), 0, 0, nearest_two)
    sweep = SwapSweep(real.table, real.weights, rows, 0, lambda: None)
    covered = proximity[prototypes].max(axis=0)

    ways = [sweep.by_pairs, sweep.by_masks]
    pairs, masks = (list(way(rows, 0, classes, nearest_two)) for way in ways)

    changes = [
        np.maximum(proximity[rows], np.delete(proximity[prototypes], rank, axis=0).max(axis=0)).sum(axis=1)
        - covered.sum()
        for rank in range(4)
    ]
    for parts in (pairs, masks):
        gains, best, ranks = (np.concatenate(part) for part in zip(*parts, strict=True))
        assert gains.tolist() == np.maximum(proximity[rows] - covered, 0).sum(axis=1).tolist()
        assert best.tolist() == np.max(changes, axis=0).tolist()
        assert ranks.tolist() == np.argmax(changes, axis=0).tolist()


def test_supervised_selection_is_not_refined() -> None:
    real = real_leaves("titanic", "random_forest")

    with pytest.raises(MethodNotApplicable, match="sg"):
        refine_by_swaps(real.table, real.classes("target"), real.weights, np.array([0, 1]), method="sg")


@pytest.mark.parametrize("rows", [[], [3, 3], [-1], [400]])
def test_prototypes_that_cannot_be_are_refused(rows: list[int]) -> None:
    real = real_leaves("titanic", "random_forest")

    with pytest.raises(InvalidInput, match="0 to 399"):
        refine_by_swaps(real.table, real.classes("target"), real.weights, np.array(rows, dtype=np.int64), method="sm_a")


@pytest.mark.parametrize("n_reports", [1, 5, 12])
def test_listening_can_stop_swaps(n_reports: int) -> None:
    real = real_leaves("pima_diabetes", "boosting")
    classes = real.classes("target")
    reported: list[float] = []

    def listen(fraction: float, stage: str) -> None:
        assert 0 <= fraction <= 1
        assert stage
        reported.append(fraction)
        if len(reported) == n_reports:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        refine_by_swaps(
            real.table, classes, real.weights, greedy(real, classes, "sm_a", 30), method="sm_a", report=listen
        )
    assert reported == sorted(reported)
