"""Out-of-bag votes: a forest's own out-of-bag shares, deaf to a row's own label."""

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import matrix_data
from tests.support.sampling import mostly_long
from tree_explainers import out_of_bag_votes as module
from tree_explainers.errors import InvalidInput
from tree_explainers.out_of_bag_votes import number_of_sampled_rows, out_of_bag_votes, votes_cost


def _data(name: str = "binary", n_rows: int = 300) -> tuple[Any, Any]:
    features, target = matrix_data(name)
    return features[:n_rows].astype(np.float32), target[:n_rows].astype(np.int64)


@pytest.mark.parametrize("name", mostly_long(["binary", "multiclass"], "multiclass"))
def test_votes_are_near_those_of_scikit_learns_forest(name: str) -> None:
    features, classes = _data(name, 150)

    votes = out_of_bag_votes(features, classes, 0)

    forest = RandomForestClassifier(300, min_samples_leaf=5, oob_score=True, random_state=0).fit(features, classes)
    assert votes.sum(axis=1) == pytest.approx(1)
    assert np.abs(votes - forest.oob_decision_function_).mean() < 0.03


def test_a_rows_own_label_has_no_part_in_what_it_hears() -> None:
    features, classes = _data()
    other = classes.copy()
    other[7] = 1 - other[7]

    before, after = out_of_bag_votes(features, classes, 0), out_of_bag_votes(features, other, 0)

    assert before[7].tolist() == after[7].tolist()
    assert not np.array_equal(before, after)


def test_the_same_seed_gives_the_same_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_TREES", 20)
    features, classes = _data()

    first, again, other = (out_of_bag_votes(features, classes, seed) for seed in (3, 3, 4))

    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)


def test_missing_and_infinite_values_and_classes_without_rows_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_TREES", 20)
    features, classes = _data()
    features[::3, 0], features[1, 1], features[2, 2] = np.nan, np.inf, -np.inf

    votes = out_of_bag_votes(features, 2 * classes, 0)

    assert votes.shape == (300, 3)
    assert (np.nan_to_num(votes[:, 1]) == 0).all()


def test_a_row_that_every_tree_learned_from_has_no_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_TREES", 1)
    features, classes = _data()

    votes = out_of_bag_votes(features, classes, 0)

    assert 0.5 < np.isnan(votes).all(axis=1).mean() < 0.8  # 63 % are drawn


def test_progress_is_reported_and_may_stop_it() -> None:
    features, classes = _data()
    reported: list[float] = []

    def stop_at_a_tenth(fraction: float, stage: str) -> None:
        reported.append(fraction)
        assert stage == "growing trees that leave rows out"
        if fraction >= 0.1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        out_of_bag_votes(features, classes, 0, stop_at_a_tenth)
    assert len(reported) == 20


@pytest.mark.parametrize("classes", [np.zeros(3, np.int64), np.full(300, -1)])
def test_every_row_needs_a_class(classes: Any) -> None:
    with pytest.raises(InvalidInput, match="one class of 0 or more is needed for each of 300 rows"):
        out_of_bag_votes(_data()[0], classes, 0)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((300, 10, 2), 300), ((10**6, 10, 2), 5_000), ((10**6, 10**5, 2), 41), ((10**6, 10, 10**3), 524), ((5, 0, 0), 5)],
)
def test_trees_grow_on_as_many_rows_as_there_is_time_for(sizes: tuple[int, int, int], expected: int) -> None:
    assert number_of_sampled_rows(*sizes) == expected
    n_bytes, seconds = votes_cost(*sizes)
    assert n_bytes < 1 << 28
    assert seconds < 100
