"""Cut-offs and curves: counts are those of a slow twin and of scikit-learn, and points of a long curve are its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from tests.support import naive_evaluations as naive
from tree_explainers.evaluations.curve_areas import average_precision, newcombe_interval, roc_area
from tree_explainers.evaluations.cutoff_counts import CutoffCounts

_ROWS = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=30)


def _drawn(n_rows: int, seed: int, decimals: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    is_positive = rng.random(n_rows) < 0.3
    scores = np.round(np.clip(rng.normal(0.4 + 0.2 * is_positive, 0.2), 0, 1), decimals)
    return scores.astype(np.float32), is_positive


@given(_ROWS)
def test_counts_at_each_cutoff_are_those_of_the_twin(rows: list[tuple[int, bool]]) -> None:
    scores, is_positive = np.array([score / 8 for score, _ in rows]), np.array([positive for _, positive in rows])
    counts = CutoffCounts.of(scores, is_positive)

    for cutoff in (*scores.tolist(), -1.0, 0.3, 2.0):
        twin = naive.rates(scores.tolist(), is_positive.tolist(), cutoff)
        true, false = counts.at(cutoff)
        assert (true, counts.n_positives) == twin["true_positive_rate"]
        assert (false, counts.n_negatives) == twin["false_positive_rate"]
        assert (true, true + false) == twin["precision"]


@given(_ROWS)
def test_areas_are_those_of_the_twin(rows: list[tuple[int, bool]]) -> None:
    scores, is_positive = np.array([score / 8 for score, _ in rows]), np.array([positive for _, positive in rows])
    counts = CutoffCounts.of(scores, is_positive)
    area, precision = roc_area(counts), average_precision(counts)

    if not is_positive.any():
        assert (area, precision) == (None, None)
        return
    assert precision is not None
    twin = naive.average_precision(scores.tolist(), is_positive.tolist())
    assert precision[0] == pytest.approx(twin)
    if is_positive.all():
        assert area is None
        return
    assert area is not None
    assert area[0] == pytest.approx(naive.roc_area(scores.tolist(), is_positive.tolist()))
    assert 0 <= area[1].low <= area[0] <= area[1].high <= 1


def test_areas_are_those_of_scikit_learn() -> None:
    for seed in range(5):
        scores, is_positive = _drawn(3_000, seed)
        counts = CutoffCounts.of(scores, is_positive)
        area, precision = roc_area(counts), average_precision(counts)

        assert area is not None
        assert precision is not None
        assert area[0] == pytest.approx(roc_auc_score(is_positive, scores), abs=1e-12)
        assert precision[0] == pytest.approx(average_precision_score(is_positive, scores), abs=1e-12)


def test_the_interval_of_the_area_is_delongs_on_the_scale_of_log_odds() -> None:
    scores, is_positive = _drawn(150, 3, decimals=1)
    found = roc_area(CutoffCounts.of(scores, is_positive))
    area = naive.roc_area(scores.tolist(), is_positive.tolist())
    error = naive.delong_variance(scores.tolist(), is_positive.tolist()) ** 0.5

    assert found is not None
    assert found[1] == pytest.approx(naive.logit_interval(area, error / (area * (1 - area))))


def test_the_interval_of_average_precision_is_that_of_boyd() -> None:
    scores, is_positive = _drawn(150, 4, decimals=1)
    found = average_precision(CutoffCounts.of(scores, is_positive))
    share = naive.average_precision(scores.tolist(), is_positive.tolist())

    assert found is not None
    error = 1 / (int(is_positive.sum()) * share * (1 - share)) ** 0.5
    assert found[1] == pytest.approx(naive.logit_interval(share, error))


@pytest.mark.parametrize(("n_positives", "n_negatives"), [(1, 1), (3, 20), (40, 40)])
def test_an_area_of_1_has_newcombes_interval(n_positives: int, n_negatives: int) -> None:
    scores = np.array([1.0] * n_positives + [0.0] * n_negatives)
    found = roc_area(CutoffCounts.of(scores, scores > 0))
    reversed_ = roc_area(CutoffCounts.of(-scores, scores > 0))

    assert found is not None
    assert reversed_ is not None
    assert found[0] == 1
    assert found[1].high == 1
    assert found[1].low == pytest.approx(naive.newcombe_low(n_positives, n_negatives), abs=1e-4)
    assert found[1] == newcombe_interval(1.0, n_positives, n_negatives)
    assert (reversed_[1].low, reversed_[1].high) == pytest.approx((0.0, 1 - found[1].low))


def test_delongs_intervals_hold_the_true_area_as_often_as_they_claim() -> None:
    rng, n_held, true_area = np.random.default_rng(0), 0, 0.7602499389065233  # of a shift by one: Phi(1 / sqrt(2))
    for _ in range(1_000):
        is_positive = np.arange(80) < 30
        found = roc_area(CutoffCounts.of(rng.normal(is_positive * 1.0), is_positive))
        assert found is not None
        n_held += found[1].low <= true_area <= found[1].high

    assert 930 <= n_held <= 970


@pytest.mark.parametrize("most", [2, 10, 200])
def test_kept_points_are_points_of_the_whole_curve_with_both_ends(most: int) -> None:
    scores, is_positive = _drawn(4_000, 5, decimals=4)
    counts = CutoffCounts.of(scores, is_positive)
    kept = counts.spaced(most)
    false_rates, true_rates, thresholds = roc_curve(is_positive, scores, drop_intermediate=False)
    precisions, recalls, cutoffs = precision_recall_curve(is_positive, scores)
    true, false = counts.predicted

    assert len(kept) <= most
    assert kept[[0, -1]].tolist() == [0, len(counts.scores) - 1]
    for at in kept.tolist():
        index = int(np.flatnonzero(thresholds == counts.scores[at])[0])
        assert true[at] / counts.n_positives == pytest.approx(true_rates[index])
        assert false[at] / counts.n_negatives == pytest.approx(false_rates[index])
        index = int(np.flatnonzero(cutoffs == counts.scores[at])[0])
        assert true[at] / (true[at] + false[at]) == pytest.approx(precisions[index])
        assert true[at] / counts.n_positives == pytest.approx(recalls[index])
    if most == 200:  # no gap along the curve is wider than two steps and what one score holds
        along = (true / counts.n_positives + false / counts.n_negatives)[kept]
        widest = float(np.diff(true / counts.n_positives + false / counts.n_negatives).max())
        assert np.diff(along).max() <= 2 / 199 + widest


def test_shares_of_rows_are_reached_by_the_highest_cutoff_that_does() -> None:
    scores, is_positive = _drawn(500, 6)
    counts = CutoffCounts.of(scores, is_positive)
    shares = np.arange(1, 20) / 20

    for share, cutoff in zip(shares.tolist(), counts.reached_by(shares).tolist(), strict=True):
        assert np.mean(scores >= cutoff) >= share - 1e-12
        assert np.mean(scores > cutoff) < share
