"""Bags: what seeds draw is what the forest drew, and it is used with the forest's own rows alone."""

from typing import Any

import numpy as np
import pytest
from leafspace_client.conversion.bags import bags_of
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tree_explainers.bags import Bags, unpacked

_RNG = np.random.default_rng(0)
_ROWS, _TARGET = _RNG.normal(size=(120, 4)), _RNG.integers(0, 3, 120)
_FORESTS = {
    "classifier": RandomForestClassifier(11, random_state=0),
    "regressor": RandomForestRegressor(9, random_state=1),
    "max_samples": RandomForestClassifier(9, max_samples=0.4, random_state=2),
    "extra_trees": ExtraTreesClassifier(9, bootstrap=True, random_state=3),
    "class_weight": RandomForestClassifier(9, class_weight="balanced_subsample", random_state=4),
    "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(9, random_state=5)),
}


def _bags(model: Any) -> Bags:
    document = bags_of(model)
    assert document is not None
    return Bags(**{**document, "seeds": tuple(document["seeds"])})


def _leaves(model: Any, rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the leaf of each row, numbered within its tree, (n_trees, n_rows), and the number of leaves of each."""
    is_pipeline = hasattr(model, "steps")
    forest, read = (model[-1], model[:-1].transform(rows)) if is_pipeline else (model, rows)
    numbers = [np.cumsum(tree.tree_.children_left < 0) - 1 for tree in forest.estimators_]
    codes = [number[nodes] for number, nodes in zip(numbers, forest.apply(read).T, strict=True)]
    return np.stack(codes), np.array([tree.tree_.n_leaves for tree in forest.estimators_])


@pytest.mark.parametrize("name", _FORESTS)
def test_seeds_draw_what_the_forest_drew(name: str) -> None:
    model = _FORESTS[name].fit(_ROWS, _TARGET)
    bags, forest = _bags(model), model[-1] if hasattr(model, "steps") else model
    for tree, drawn in enumerate(forest.estimators_samples_):
        assert bags.counts(tree).tolist() == np.bincount(drawn, minlength=120).tolist()
    packed = bags.in_bag(*_leaves(model, _ROWS))
    assert packed is not None
    expected = np.stack([np.isin(np.arange(120), drawn) for drawn in forest.estimators_samples_], axis=1)
    assert (unpacked(packed, len(forest.estimators_)) == expected).all()


def test_other_rows_have_no_bags() -> None:
    model = RandomForestClassifier(11, random_state=0).fit(_ROWS, _TARGET)
    bags = _bags(model)
    for rows in (_ROWS[::-1], _ROWS[:-1], _ROWS + np.where(np.arange(120) == 7, 2, 0)[:, None]):
        assert bags.in_bag(*_leaves(model, rows)) is None


@pytest.mark.parametrize(
    ("model", "weights"),
    [
        (RandomForestClassifier(5, bootstrap=False, random_state=0), None),
        (ExtraTreesClassifier(5, random_state=0), None),
        (RandomForestClassifier(5, random_state=0), _RNG.random(120)),
    ],
)
def test_where_it_is_not_known_what_was_drawn_nothing_is_sent(model: Any, weights: NDArray[Any] | None) -> None:
    assert bags_of(model.fit(_ROWS, _TARGET, sample_weight=weights)) is None
