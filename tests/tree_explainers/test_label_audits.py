from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support import naive, naive_label_audit
from tests.support.real_leaves import real_leaves
from tree_explainers import label_audits
from tree_explainers.errors import InvalidInput
from tree_explainers.label_audits import LabelAudit, audit_by_all_rows, audit_by_neighbors, share_unopposed
from tree_explainers.leaf_space import neighborhoods, votes
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind


def _flipped(classes: NDArray[np.int64], n_flipped: int, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes with some moved to the next one, and the rows that were."""
    rows = np.random.default_rng(seed).choice(len(classes), n_flipped, replace=False)
    wrong = classes.copy()
    wrong[rows] = (wrong[rows] + 1) % (classes.max() + 1)
    return wrong, np.sort(rows)


def _check(found: LabelAudit, expected: list[naive_label_audit.AuditedRow]) -> None:
    assert found.ranking.tolist() == [each.row for each in expected]
    for each in expected:
        if found.n_neighbors is not None:
            assert found.n_neighbors[each.row] == each.n_neighbors
        assert found.disagreeing[each.row] == each.disagreeing
        assert found.suggested[each.row] == each.suggested
        if each.agreement is None:
            assert np.isnan(found.agreement[each.row])
        else:
            assert found.agreement[each.row] == float(each.agreement)


_CASES: list[tuple[str, ProximityKind]] = [
    ("breast_cancer", "random_forest"),
    ("pima_diabetes", "boosting"),
    ("titanic", "random_forest"),
    ("covertype_20k", "random_forest"),
    ("covertype_20k", "boosting"),
]


@pytest.mark.parametrize("n_cells", [1, 1000, 10**6])
@pytest.mark.parametrize(("dataset", "kind"), _CASES)
@pytest.mark.sampled("values")
def test_all_rows_vote_as_in_the_slow_twin(
    dataset: str, kind: ProximityKind, n_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = real_leaves(dataset, kind)
    wrong, _ = _flipped(real.classes("target"), 80)
    monkeypatch.setattr(votes, "COUNTED_CELLS", n_cells)  # one tree after the other, some, all at once
    monkeypatch.setattr(votes, "SUMMED_CELLS", n_cells)  # one class after the other, some, all at once

    found = audit_by_all_rows(real.table, real.weights, wrong)

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    _check(found, naive_label_audit.audit_by_all(proximity, wrong))
    assert share_unopposed(votes.votes_of_all_rows(real.table, real.weights, wrong)) == naive_label_audit.unopposed(
        proximity, wrong
    )


@pytest.mark.parametrize("seed", range(20))
def test_votes_of_a_few_coarse_trees_tie_as_in_the_slow_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 3, (24, 2)).astype(np.int32)
    table, weights = LeafTable.from_leaves(leaves, np.array([4, 3])), rng.integers(0, 3, 2)
    classes = rng.integers(0, 3, 24)

    found = audit_by_all_rows(table, weights, classes)

    _check(found, naive_label_audit.audit_by_all(naive.proximity_matrix(leaves, weights), classes))


def test_that_a_class_is_rare_suggests_nothing_by_itself() -> None:
    # One tree of two leaves: rows of the rare class are fewer in both, and most of them are in the second.
    leaves = np.repeat([0, 0, 1, 1], [90, 2, 10, 8]).astype(np.int32)[:, None]
    classes = np.repeat([0, 1, 0, 1], [90, 2, 10, 8])
    table, weights = LeafTable.from_leaves(leaves, np.array([2])), np.array([1])

    by_all, by_near = audit_by_all_rows(table, weights, classes), audit_by_neighbors(table, weights, classes, 40)

    assert np.flatnonzero(by_all.suggested >= 0).tolist() == [90, 91]
    assert np.flatnonzero(by_near.suggested >= 0).tolist() == [90, 91]


@pytest.mark.parametrize(("dataset", "kind"), _CASES)
@pytest.mark.parametrize("n_scores", [3, 1000])  # with ties, and hardly any
@pytest.mark.sampled("values")
def test_scores_of_labels_count_as_in_the_slow_twin(dataset: str, kind: ProximityKind, n_scores: int) -> None:
    real = real_leaves(dataset, kind)
    wrong, _ = _flipped(real.classes("target"), 80)
    scores = np.random.default_rng(0).integers(0, n_scores, len(wrong)) / (n_scores - 1)

    found = audit_by_all_rows(real.table, real.weights, wrong, scores=scores)

    _check(found, naive_label_audit.audit_by_all(naive.proximity_matrix(real.leaves, real.weights), wrong, scores))
    np.testing.assert_array_equal(found.support, found.agreement * scores)


def test_fractions_that_differ_beyond_double_precision_rank_exactly() -> None:
    denominators = np.array([2**53 - 1, 2**53 - 2, 2**53 - 3, 2**53 - 1, 1, 1])
    numerators = np.array([2**53 - 2, 2**53 - 3, 2**53 - 4, 2**53 - 2, 1, 0])
    exact = [Fraction(int(a), int(b)) for a, b in zip(numerators, denominators, strict=True)]

    order = np.lexsort(label_audits._digits(numerators, denominators))

    assert len(set(numerators / denominators)) < len(set(exact))
    assert order.tolist() == sorted(range(6), key=lambda each: (exact[each], each))


@pytest.mark.parametrize("n_neighbors", [1, 10, 399])
@pytest.mark.parametrize(("dataset", "kind"), _CASES)
@pytest.mark.sampled("values")
def test_neighbors_vote_as_in_the_slow_twin(
    dataset: str, kind: ProximityKind, n_neighbors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = real_leaves(dataset, kind)
    wrong, _ = _flipped(real.classes("target"), 80)
    monkeypatch.setattr(neighborhoods, "BLOCK_CELLS", 130 * max(n_neighbors, 7))  # several blocks, the last one short

    found = audit_by_neighbors(real.table, real.weights, wrong, n_neighbors)

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    _check(found, naive_label_audit.audit(proximity, wrong, n_neighbors))


def test_rows_that_share_no_leaf_with_others_come_last_and_without_an_opinion() -> None:
    alone = np.array([[0, 0], [0, 0], [1, 1], [0, 1], [2, 2]], dtype=np.int32)
    table, weights = LeafTable.from_leaves(alone, np.array([3, 3])), np.ones(2, np.int64)
    classes = np.array([0, 0, 0, 1, 0])

    found = audit_by_neighbors(table, weights, classes, 4)

    _check(found, naive_label_audit.audit(naive.proximity_matrix(alone, weights), classes, 4))
    assert found.ranking.tolist() == [3, 2, 0, 1, 4]
    assert found.n_neighbors is not None
    assert found.n_neighbors.tolist() == [2, 2, 1, 3, 0]
    assert np.isnan(found.agreement[4])
    assert found.suggested.tolist() == [-1, -1, 1, 0, -1]

    by_all = audit_by_all_rows(table, weights, classes)

    assert by_all.ranking.tolist() == [3, 2, 0, 1, 4]
    assert np.isnan(by_all.agreement[4])
    assert by_all.disagreeing.tolist() == [1, 1, 1, 3, 0]


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
def test_flipped_labels_of_a_forest_trained_on_them_rank_early(min_samples_leaf: int) -> None:
    real = real_leaves("breast_cancer", "random_forest")
    wrong, rows = _flipped(real.classes("target"), 60)
    forest = RandomForestClassifier(100, min_samples_leaf=min_samples_leaf, random_state=0).fit(real.features, wrong)
    leaves = forest.apply(real.features).astype(np.int32)
    table = LeafTable.from_leaves(leaves, leaves.max(axis=0) + 1)

    ones = np.ones(100, np.int64)
    for found in (audit_by_all_rows(table, ones, wrong), audit_by_neighbors(table, ones, wrong, 10)):
        early = found.ranking[: len(rows)]
        assert np.isin(early, rows).mean() > 0.8  # by chance 0.15
        suggested = found.suggested[early][np.isin(early, rows)]
        assert (suggested == real.classes("target")[early][np.isin(early, rows)]).mean() > 0.8


def test_progress_is_reported_and_may_stop_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    real = real_leaves("breast_cancer", "random_forest")
    monkeypatch.setattr(neighborhoods, "BLOCK_CELLS", 1000)
    reported: list[float] = []

    def stop_at_half(fraction: float, stage: str) -> None:
        reported.append(fraction)
        assert stage == "finding nearest rows"
        if fraction >= 0.5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        audit_by_neighbors(real.table, real.weights, real.classes("target"), 10, stop_at_half)
    assert reported == sorted(reported)
    assert len(reported) > 1


@pytest.mark.parametrize("classes", [np.zeros(3, np.int64), np.full(400, -1)])
def test_every_row_needs_a_class(classes: NDArray[np.int64]) -> None:
    real = real_leaves("breast_cancer", "random_forest")

    with pytest.raises(InvalidInput, match="one class"):
        audit_by_neighbors(real.table, real.weights, classes, 10)
    with pytest.raises(InvalidInput, match="one class"):
        audit_by_all_rows(real.table, real.weights, classes)
