"""Prototypes per class: counts and rows of the slow twins; nobody who is one in a hundred goes without a prototype."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import naive, naive_quotas
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.certificate import certify
from tree_explainers.prototype_sets.quotas import counts_by_rows, counts_with_small_classes, equal_counts
from tree_explainers.prototype_sets.selection import select_prototypes

SIZES = st.lists(st.integers(0, 30), min_size=1, max_size=6).filter(any)


@given(SIZES, st.integers(1, 40))
def test_counts_are_those_of_the_slow_twins(sizes: list[int], n_prototypes: int) -> None:
    assert equal_counts(np.array(sizes), n_prototypes).tolist() == naive_quotas.equal(sizes, n_prototypes)
    assert counts_by_rows(np.array(sizes), n_prototypes).tolist() == naive_quotas.by_rows(sizes, n_prototypes)


def test_the_last_by_gain_make_room_for_classes_of_one_row_in_a_hundred() -> None:
    sizes = np.array([900, 80, 10, 9])  # the last has less than one row in a hundred

    assert counts_with_small_classes(np.array([0, 0, 1, 0]), sizes, sizes) is not None
    assert counts_with_small_classes(np.array([0, 0, 1, 0]), sizes, sizes).tolist() == [2, 1, 1, 0]  # type: ignore[union-attr]
    assert counts_with_small_classes(np.array([0, 0, 3]), sizes, sizes).tolist() == [1, 1, 1, 0]  # type: ignore[union-attr]
    assert counts_with_small_classes(np.array([0, 1, 2]), sizes, sizes) is None
    assert counts_with_small_classes(np.array([0, 0]), sizes, sizes) is None  # fewer than classes
    assert counts_with_small_classes(np.array([0, 0, 1]), sizes, np.array([900, 80, 0, 9])) is None  # no candidate


@pytest.mark.parametrize("n_prototypes", [3, 6, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_auto_leaves_out_no_class_that_the_twin_has(kind: ProximityKind, n_prototypes: int) -> None:
    real = real_leaves("covertype_20k", kind, n_rows=200)
    classes = real.classes("predicted")
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    found = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=n_prototypes, per_class="auto")

    assert set(found.rows.tolist()) == naive_quotas.auto(proximity, classes, n_prototypes)
    by_gain = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=n_prototypes)
    is_changed = set(by_gain.rows.tolist()) != set(found.rows.tolist())
    assert (found.per_class, found.nested) == (is_changed, not is_changed)


@pytest.mark.parametrize("rule", ["equal", "by_rows"])
def test_rows_of_each_class_are_chosen_in_it_alone(rule: Any) -> None:
    real = real_leaves("covertype_20k", "random_forest", n_rows=200)
    classes, n_classes = real.classes("predicted"), int(real.classes("predicted").max()) + 1
    sizes = np.bincount(classes, minlength=n_classes).tolist()
    twin = naive_quotas.equal if rule == "equal" else naive_quotas.by_rows
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    found = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=11, per_class=rule)

    counts = twin(sizes, 11)
    assert np.bincount(classes[found.rows], minlength=n_classes).tolist() == counts
    assert set(found.rows.tolist()) == naive_quotas.of_counts(proximity, classes, counts)
    assert (found.nested, found.stopped_by) == (False, "n_prototypes")
    gains = np.diff([naive.objective(proximity, classes, found.rows[:k].tolist()) for k in range(12)])
    assert found.gains.tolist() == gains.tolist() == sorted(gains.tolist(), reverse=True)


@pytest.mark.parametrize("method", ["sm_a", "sm_wa"])
def test_given_counts_are_kept_by_swaps_and_have_a_bound(method: Any) -> None:
    real = real_leaves("covertype_20k", "random_forest", n_rows=200)
    classes = real.classes("predicted")
    counts = np.zeros(int(classes.max()) + 1, np.int64)
    present = np.unique(classes)
    counts[present[:2]] = (1, 3)  # and none of the others

    found = select_prototypes(
        real.table, classes, real.weights, method, n_prototypes=4, per_class=counts, refine="swap"
    )
    certificate = certify(
        real.table, classes, real.weights, found.rows,
        method=method, per_class=found.per_class, greedy_rows=found.rows_before_swaps, pairs=found.pairs,
    )  # fmt: skip

    assert np.bincount(classes[found.rows], minlength=len(counts)).tolist() == counts.tolist()
    assert certificate.constraint == "n_prototypes_per_class"
    assert certificate.objective <= certificate.upper_bound
    if method == "sm_a":
        assert certificate.objective >= found.objectives[-1] * 0.999


@pytest.mark.parametrize(("method", "more"), [("sg", {}), ("sm_u", {}), ("k_medoids", {}), ("sm_a", {"coverage": 0.5})])
def test_methods_that_share_in_their_own_way_refuse_counts(method: Any, more: dict[str, Any]) -> None:
    real = real_leaves("covertype_20k", "random_forest", n_rows=200)

    with pytest.raises((MethodNotApplicable, InvalidInput), match="sm_a and sm_wa"):
        select_prototypes(real.table, real.classes("predicted"), real.weights, method, per_class="equal", **more)
