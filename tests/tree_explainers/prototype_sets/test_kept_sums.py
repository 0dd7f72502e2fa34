"""Proximities that are kept between two passes: the second pass lists what a first one would."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, RealLeaves, real_leaves
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.certificate import certify
from tree_explainers.prototype_sets.goal import Refine
from tree_explainers.prototype_sets.kept_sums import MOST_BYTES, KeptSums
from tree_explainers.prototype_sets.pair_lists import MirroredPairs
from tree_explainers.prototype_sets.selection import select_prototypes
from tree_explainers.prototype_sets.sweep import Sweep

_BLOCKS = [slice(0, 512), slice(512, 1024), slice(1024, 1100)]


def _real(kind: ProximityKind = "random_forest") -> tuple[RealLeaves, NDArray[np.int64]]:
    """Rows of a real dataset, and 1,100 of them: three blocks."""
    return real_leaves("spambase", kind, n_rows=1800), np.sort(np.random.default_rng(0).permutation(1800)[:1100])


def _n_bytes(real: RealLeaves, n_rows: int) -> int:
    """What the proximities of so many rows to each other take: a bit for each digit, in blocks of 512."""
    return 64 * int(real.weights.sum()).bit_length() * sum(range(n_rows, 0, -512))


def _pass(real: RealLeaves, rows: NDArray[np.int64], thresholds: NDArray[np.int64], kept: KeptSums) -> MirroredPairs:
    pairs = Sweep(real.table, real.weights, rows, kept=kept).pairs_of_targets(thresholds)
    assert pairs is not None
    return pairs


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_pass_lists_the_pairs_above_its_own_thresholds(kind: ProximityKind) -> None:
    real, rows = _real(kind)
    proximity = naive.proximity_matrix(real.leaves, real.weights)[np.ix_(rows, rows)]
    high, low = (np.quantile(proximity, share, axis=1).astype(np.int64) for share in (0.95, 0.8))
    kept = KeptSums()
    list(_pass(real, rows, high, kept))

    found = list(_pass(real, rows, low, kept))

    listed = [
        (first + candidate, int(target), int(near))
        for part, first in zip(found, (0, 512, 1024), strict=True)
        for candidate, start in enumerate(part.starts[:-1].tolist())
        for target, near in zip(
            part.targets[start : part.starts[candidate + 1]],
            part.proximities[start : part.starts[candidate + 1]],
            strict=True,
        )
    ]
    assert sorted(listed) == [(c, t, int(proximity[t, c])) for c, t in np.argwhere((proximity > low[:, None]).T)]


def test_a_class_is_kept_whole_or_not_at_all() -> None:
    real, rows = _real()
    thresholds = np.zeros(len(rows), np.int64)
    n_bytes = _n_bytes(real, len(rows))
    for most_bytes in (n_bytes, n_bytes - 1):
        kept = KeptSums(most_bytes)

        list(_pass(real, rows, thresholds, kept))

        assert [kept.of(rows, block) is not None for block in _BLOCKS] == [most_bytes == n_bytes] * 3
        kept.clear()
        assert [kept.of(rows, block) for block in _BLOCKS] == [None] * 3


def test_what_a_pass_left_undone_is_added_up_by_the_next() -> None:
    real, rows = _real()
    thresholds, kept = np.zeros(len(rows), np.int64), KeptSums()
    list(islice(_pass(real, rows, thresholds, kept), 2))
    assert [kept.of(rows, block) is not None for block in _BLOCKS] == [True, True, False]

    list(_pass(real, rows, thresholds, kept))

    assert [kept.of(rows, block) is not None for block in _BLOCKS] == [True, True, True]


@pytest.mark.parametrize("refine", ["none", "swap"])
@pytest.mark.parametrize("n_kept", [2, 1, 0])
def test_choice_and_certificate_are_the_same_as_without(refine: Refine, n_kept: int) -> None:
    real, _ = _real()
    classes = real.classes("target")
    largest = _n_bytes(real, int(np.bincount(classes).max()))  # there is room for both classes, one, or none
    most_bytes = {2: MOST_BYTES, 1: largest, 0: 0}[n_kept]
    plain = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=9, refine=refine)
    kept = KeptSums(most_bytes)

    chosen = select_prototypes(real.table, classes, real.weights, "sm_a", n_prototypes=9, refine=refine, kept=kept)
    are_kept = [kept.of(np.flatnonzero(classes == each), _BLOCKS[0]) is not None for each in (0, 1)]
    found, expected = (
        certify(
            real.table,
            classes,
            real.weights,
            each.rows,
            method="sm_a",
            greedy_rows=each.rows_before_swaps,
            pairs=each.pairs,
            kept=each.kept,
        )
        for each in (chosen, plain)
    )

    assert chosen.rows.tolist() == plain.rows.tolist()
    assert replace(found, nearest=None) == replace(expected, nearest=None)
    assert chosen.without_pairs().kept is None
    assert sum(are_kept) == (
        0 if refine == "swap" else {MOST_BYTES: 2, 0: 0}.get(most_bytes, 1)
    )  # swaps have read them
