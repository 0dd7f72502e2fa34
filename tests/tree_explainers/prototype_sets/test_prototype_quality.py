import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import entropy

from tests.support import naive
from tests.support.naive_quality import NaiveQuality
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, REGRESSION, RealLeaves, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.classifier import classes_of, nearest_by_size, score_classes
from tree_explainers.prototype_sets.coverage import measure_coverage
from tree_explainers.prototype_sets.prototype_quality import Quality, measure_quality
from tree_explainers.prototype_sets.prototype_votes import Classes, nearest_of_own_class

PROTOTYPES = [7, 250, 33, 34, 120, 3, 311]
_MEASURES_OF_ONE = (
    *("coverage", "voting_frequency", "consistent_votes", "vote_entropy"),
    *("in_class_similarity", "out_of_class_similarity", "mean_distance", "distance_deviation"),
)


def _classes(real: RealLeaves, labels: str, prototypes: list[int]) -> Classes:
    own = real.classes(labels)
    return Classes(int(own.max()) + 1, own, own[prototypes])


def _measured(real: RealLeaves, labels: str, prototypes: list[int]) -> Quality:
    return measure_quality(real.table, real.weights, real.leaves[prototypes], _classes(real, labels, prototypes))


def _twin(real: RealLeaves, labels: str, prototypes: list[int]) -> NaiveQuality:
    own = _classes(real, labels, prototypes)
    proximity = naive.proximity_matrix(real.leaves, real.weights)[:, prototypes] / real.weights.sum()
    return NaiveQuality(proximity, own.of_rows.tolist(), own.of_prototypes.tolist(), own.n_classes)


def _close(found: Any, wanted: Any) -> bool:  # numbers, one or many
    return np.allclose(found, wanted, rtol=1e-9, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("labels", ["predicted", "target"])
@pytest.mark.parametrize("dataset", [*CLASSIFICATIONS, REGRESSION])
def test_each_row_is_represented_by_the_nearest_prototype_of_its_class(dataset: str, labels: str) -> None:
    real = real_leaves(dataset, KINDS[0])
    classes = _classes(real, labels, PROTOTYPES)
    matrix = naive.proximity_matrix(real.leaves, real.weights)[:, PROTOTYPES]

    owner, proximity = nearest_of_own_class(real.table, real.weights, real.leaves[PROTOTYPES], classes)

    for row, own in enumerate(classes.of_rows.tolist()):
        near = [0 if of != own else int(each) for of, each in zip(classes.of_prototypes, matrix[row], strict=True)]
        assert proximity[row] == max(near)
        assert owner[row] == (near.index(max(near)) if max(near) else -1)


@pytest.mark.parametrize("labels", ["predicted", "target"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", [*CLASSIFICATIONS, REGRESSION])
@pytest.mark.sampled("pairs")
def test_every_measure_is_that_of_its_definition(dataset: str, kind: ProximityKind, labels: str) -> None:
    real = real_leaves(dataset, kind)
    twin = _twin(real, labels, PROTOTYPES)

    found = _measured(real, labels, PROTOTYPES)

    for name in _MEASURES_OF_ONE:
        wanted = [getattr(twin, name)(prototype) for prototype in twin.prototypes]
        assert _close(getattr(found.of_each, name), wanted), name
    for name, value in twin.set_measures().items():
        assert _close(getattr(found.of_all, name), value), name
    classes = range(twin.n_classes)
    assert _close(found.by_class.coverage, [twin.class_coverage(own) for own in classes])
    assert _close(found.by_class.hubness_entropy, [twin.class_hubness_entropy(own) for own in classes])
    assert found.by_class.n_rows.tolist() == [len(twin.rows_of(own)) for own in classes]
    assert found.by_class.n_prototypes.tolist() == [len(twin.of_class(own)) for own in classes]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
def test_votes_are_the_classifiers_and_coverage_is_the_selections(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    own = real.classes("target")
    *_, nearest = nearest_by_size(real.table, real.weights, real.leaves[PROTOTYPES])
    scores = score_classes(classes_of(nearest, own[PROTOTYPES]), own, None)
    covered = measure_coverage(real.table, real.weights, own, np.array(PROTOTYPES))

    found = _measured(real, "target", PROTOTYPES)

    assert found.of_all.voting_frequency == pytest.approx(1 - scores.unassigned)
    assert found.of_all.consistent_votes * found.of_all.voting_frequency == pytest.approx(scores.accuracy)
    assert found.of_each.voting_frequency.tolist() == [(nearest == each).mean() for each in range(len(PROTOTYPES))]
    n_covered = found.of_each.coverage * found.by_class.n_rows[own[PROTOTYPES]]
    assert n_covered.round(9).tolist() == covered.n_covered.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_measures_of_the_set_follow_from_those_of_its_prototypes(kind: ProximityKind) -> None:
    real = real_leaves("covertype_20k", kind)
    found = _measured(real, "predicted", PROTOTYPES)
    of_all, of_each = found.of_all, found.of_each

    voted = of_each.voting_frequency
    assert of_all.voting_frequency == pytest.approx(voted.sum())
    assert of_all.mean_distance == pytest.approx(np.nansum(voted * of_each.mean_distance) + 1 - voted.sum())
    assert of_all.consistent_votes == pytest.approx(np.nansum(voted * of_each.consistent_votes) / voted.sum())
    assert of_all.coverage == pytest.approx(np.nansum(found.by_class.coverage * found.by_class.n_rows) / found.n_rows)


def test_entropies_are_scipys_over_the_largest_possible() -> None:
    real = real_leaves("covertype_20k", "random_forest")
    twin, found = _twin(real, "target", PROTOTYPES), _measured(real, "target", PROTOTYPES)

    for own in range(twin.n_classes):
        counts = [len(twin.covers(prototype)) for prototype in twin.of_class(own)]
        if len(counts) > 1:
            assert found.by_class.hubness_entropy[own] == pytest.approx(entropy(counts) / math.log(len(counts)))
    voters = np.bincount([twin.row_classes[row] for row in twin.votes(0)], minlength=twin.n_classes)
    assert found.of_each.vote_entropy[0] == pytest.approx(entropy(voters) / math.log(twin.n_classes))


def _table(leaves: list[list[int]]) -> tuple[LeafTable, NDArray[np.int32]]:
    matrix = np.array(leaves, dtype=np.int32)
    return LeafTable.from_leaves(matrix, matrix.max(axis=0) + 1), matrix


def test_what_there_is_nothing_to_average_over_has_no_measure() -> None:
    table, leaves = _table([[0, 0], [0, 0], [1, 1], [2, 2]])
    classes = Classes(3, np.array([0, 0, 0, 0]), np.array([0, 1, 1]))

    found = measure_quality(table, np.array([1, 1]), leaves[[0, 1, 3]], classes)

    each = {name: values.tolist() for name, values in asdict(found.of_each).items()}
    assert each["voting_frequency"] == [0.5, 0, 0.25]  # row 1 is as near to the earlier prototype
    assert each["coverage"] == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)
    assert each["consistent_votes"] == pytest.approx([1, math.nan, 0], nan_ok=True)
    assert each["vote_entropy"] == pytest.approx([0, math.nan, 0], nan_ok=True)
    assert each["mean_distance"] == pytest.approx([0, math.nan, 0], nan_ok=True)
    assert each["in_class_similarity"] == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)
    assert each["out_of_class_similarity"] == pytest.approx([math.nan, 0.5, 0.25], nan_ok=True)
    assert found.by_class.coverage.tolist() == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)
    assert np.isnan(found.by_class.hubness_entropy).all()
    assert found.of_all.mean_distance == 0.25  # row 2 shares no leaf: it is as far as can be
    assert found.of_all.distance_deviation == pytest.approx(math.sqrt(3) / 4)


def test_prototypes_that_share_their_class_evenly_have_entropy_one_and_a_hub_brings_it_to_zero() -> None:
    table, leaves = _table([[0], [1], [2], [0], [1], [2], [3], [3]])
    classes = Classes(2, np.array([0, 0, 0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1]))

    found = measure_quality(table, np.array([1]), leaves[[0, 1, 2, 6, 7]], classes)

    assert found.by_class.hubness_entropy.tolist() == pytest.approx([1, 0])
    assert found.of_all.hubness_entropy == pytest.approx(0.5)


def test_no_measure_is_minus_zero_or_beyond_one() -> None:
    for dataset in (*CLASSIFICATIONS, REGRESSION):
        found = _measured(real_leaves(dataset, "boosting"), "target", PROTOTYPES)
        values = np.concatenate([*asdict(found.of_each).values(), list(asdict(found.of_all).values())])
        numbers = values[~np.isnan(values)]
        assert (numbers <= 1).all()
        assert not np.signbit(numbers).any()


def test_measuring_reports_how_far_it_is_and_can_be_stopped() -> None:
    real = real_leaves("titanic", "random_forest")
    reported: list[float] = []

    def stop_half_way(fraction: float, stage: str) -> None:  # part of the callback
        reported.append(fraction)
        if fraction >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_quality(
            real.table,
            real.weights,
            real.leaves[PROTOTYPES],
            _classes(real, "predicted", PROTOTYPES),
            stop_half_way,
        )
    assert reported == sorted(reported)
    assert len(reported) == 4


@pytest.mark.parametrize(
    ("rows", "prototypes", "message"),
    [([0, 1, 2], [0], "rows"), ([0, 1], [0], "rows"), ([0, 1, 1], [2], "prototypes"), ([0, 1, 1], [], "no prototype")],
)
def test_classes_that_do_not_fit_are_refused(rows: list[int], prototypes: list[int], message: str) -> None:
    table, leaves = _table([[0], [1], [1]])

    with pytest.raises(InvalidInput, match=message):
        measure_quality(table, np.array([1]), leaves[prototypes], Classes(2, np.array(rows), np.array(prototypes)))
