import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, REGRESSION, RealLeaves, real_leaves
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.candidate_pairs import CandidatePairs, gather_pairs, nearest_in_pairs
from tree_explainers.prototype_sets.sweep import Sweep

PROTOTYPES = np.array([4, 90, 33])


def pairs_by_row(pairs: CandidatePairs) -> dict[tuple[int, int], int]:
    """What is known, by candidate and row."""
    found = {}
    for line, candidate in enumerate(pairs.candidates.tolist()):
        part = slice(pairs.starts[line], pairs.ends[line])
        for place, proximity in zip(pairs.members[part].tolist(), pairs.proximities[part].tolist(), strict=True):
            found[candidate, int(pairs.by_class.rows[place])] = proximity
    return found


def expected(real: RealLeaves, classes: NDArray[np.int64], pairs: CandidatePairs) -> dict[tuple[int, int], int]:
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    thresholds = np.empty(len(classes), dtype=np.int64)
    thresholds[pairs.by_class.rows] = pairs.thresholds
    close = (classes[:, None] == classes[None, :]) & (proximity > thresholds[None, :])
    return {
        (int(candidate), int(row)): int(proximity[candidate, row])
        for candidate in pairs.candidates
        for row in np.flatnonzero(close[candidate])
    }


@pytest.mark.parametrize("way", ["masks", "lists", "as is best"])
@pytest.mark.parametrize("max_pairs", [1_000_000, 15_000, 900, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled("values")
def test_all_pairs_above_the_thresholds_are_listed_and_no_more_than_allowed(
    kind: ProximityKind, max_pairs: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "as is best":
        monkeypatch.setattr(Sweep, "_cheaper", lambda sweep, *_: getattr(sweep, f"_by_{way}"))
    real = real_leaves("covertype_20k", kind, n_rows=700)
    classes = (np.arange(700) % 8 == 0).astype(np.int64)  # one of them has more rows than a block

    pairs = gather_pairs(real.table, classes, real.weights, PROTOTYPES, max_pairs=max_pairs)

    found = pairs_by_row(pairs)
    assert found == expected(real, classes, pairs)
    assert len(found) == len(pairs.members) <= max_pairs


@pytest.mark.parametrize("max_pairs", [1_000_000, 8_000, 900])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["titanic", "covertype_20k", REGRESSION])
def test_pairs_tell_the_nearest_other_row_of_the_class(dataset: str, kind: ProximityKind, max_pairs: int) -> None:
    real = real_leaves(dataset, kind)
    classes = real.classes("target")
    pairs = gather_pairs(real.table, classes, real.weights, PROTOTYPES, max_pairs=max_pairs)

    within = nearest_in_pairs(pairs)

    proximity = np.where(classes[:, None] == classes, naive.proximity_matrix(real.leaves, real.weights), 0)
    np.fill_diagonal(proximity, 0)
    known = within.is_known
    assert within.rows[known].tolist() == proximity.argmax(axis=0)[known].tolist()
    assert within.proximities[known].tolist() == proximity.max(axis=0)[known].tolist()
    assert max_pairs < 1_000_000 or known.tolist() == (proximity.max(axis=0) > 0).tolist()
    assert not within.proximities[~known].any()


def test_thresholds_are_one_share_of_what_each_row_has_and_no_higher_than_needed() -> None:
    real = real_leaves("spambase", "random_forest", n_rows=300)
    classes = real.classes("target")
    prototypes = np.array([0, 1, 2, 3, 4, 5, 6, 7])
    assert set(classes[prototypes].tolist()) == {0, 1}

    pairs = gather_pairs(real.table, classes, real.weights, prototypes, max_pairs=8_000)

    covered = pairs.by_class.coverage(real.table, real.weights, prototypes)
    shares = pairs.thresholds[covered > 0] / covered[covered > 0]
    assert shares.max() - shares.min() < 1 / covered[covered > 0].min()
    assert 4_000 < len(pairs.members) <= 8_000
    everything = gather_pairs(real.table, classes, real.weights, prototypes)
    assert not everything.thresholds.any()


def test_candidates_may_be_few_and_leave_out_classes() -> None:
    real = real_leaves("covertype_20k", "random_forest")
    classes = real.classes("target")
    candidates = np.sort(np.flatnonzero(classes == classes[0])[:7])

    pairs = gather_pairs(real.table, classes, real.weights, PROTOTYPES, candidates=candidates)

    assert pairs.candidates.tolist() == candidates.tolist()
    assert pairs_by_row(pairs) == expected(real, classes, pairs)


def test_listening_can_stop_the_gathering() -> None:
    real = real_leaves("titanic", "random_forest")

    def stop(fraction: float, stage: str) -> None:
        assert 0 <= fraction <= 1
        assert stage
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gather_pairs(real.table, real.classes("target"), real.weights, PROTOTYPES, report=stop)
