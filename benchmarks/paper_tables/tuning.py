"""Forests and boosted trees, their settings chosen on the validation rows as in Tan et al.'s supplement.

Forests: 1,000 unrestricted trees that look at sqrt(p), 0.33p, 0.5p, 0.7p or 7 features. Boosting: the first t of at
most 200 trees of depth 3 to 5, learning rate 0.1 or 0.01; scikit-learn's, which has a step for each leaf, or with one
multiplier for each tree, as the authors changed it. What gives the smallest log loss is taken.
"""

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import log_loss

from .one_multiplier_boosting import MOST_STEP, Multiplier, OneMultiplierBoosting
from .rows import Split
from .tree_spaces import TreeSpace, all_features, by_part, kept, leaves_within_trees

N_TREES, N_BOOSTED = 1000, 200
MAX_FEATURES: tuple[str | float, ...] = ("sqrt", 0.33, 0.5, 0.7, 7)
DEPTHS, LEARNING_RATES = (3, 4, 5), (0.1, 0.01)
_MANY_CELLS = 10**6  # with as many, 200 trees of the smaller rate are far from enough
_MANY_FEATURES, _N_TREES_TO_TUNE = 100, 200  # with many features a fifth of the trees settles which setting is best


def forest(split: Split, max_features: str | float, seed: int, n_trees: int = N_TREES) -> TreeSpace:
    """Return the tree space of an unrestricted forest with this setting."""
    settings = {"max_features": max_features, "seed": seed, "n_trees": n_trees}
    return kept(split.name, settings, lambda: _forest_space(split, settings))


def tuned_forest(split: Split, seed: int) -> TreeSpace:
    """Return the tree space of the forest whose log loss on the validation rows is smallest."""
    n_trees = _N_TREES_TO_TUNE if split.train.features.shape[1] > _MANY_FEATURES else N_TREES
    candidates = [forest(split, max_features, seed, n_trees) for max_features in MAX_FEATURES]
    best = min(candidates, key=lambda space: float(space.settings["valid_log_loss"]))
    return forest(split, best.settings["max_features"], seed)


def tuned_boosting(
    split: Split, seed: int, depths: tuple[int, ...] = DEPTHS, learning_rates: tuple[float, ...] = LEARNING_RATES
) -> TreeSpace:
    """Return the tree space of the boosted trees whose log loss on the validation rows is smallest."""
    settings = {"boosting": N_BOOSTED, "depths": depths, "learning_rates": learning_rates, "seed": seed}
    return kept(split.name, settings, lambda: _boosting_space(split, seed, depths, learning_rates))


def tuned_one_multiplier(split: Split, seed: int, multiplier: Multiplier) -> TreeSpace:
    """Return the same of boosted trees that have one multiplier each; of many cells (MNIST) with the larger rate."""
    learning_rates = LEARNING_RATES[:1] if split.train.features.size > _MANY_CELLS else LEARNING_RATES
    settings = {
        "boosting": N_BOOSTED,
        "depths": DEPTHS,
        "learning_rates": learning_rates,
        "seed": seed,
        "multiplier": multiplier,
        "most_step": MOST_STEP,
    }
    return kept(split.name, settings, lambda: _one_multiplier_space(split, seed, multiplier, learning_rates))


def _forest_space(split: Split, settings: dict[str, Any]) -> TreeSpace:
    estimator = RandomForestClassifier(
        settings["n_trees"], max_features=settings["max_features"], random_state=settings["seed"], n_jobs=os.cpu_count()
    ).fit(split.train.features, split.train.classes)
    rows = all_features(split)
    leaves, n_leaves, values = leaves_within_trees(estimator.estimators_, estimator.apply(rows))
    found = settings | {"valid_log_loss": _log_loss(split, estimator.predict_proba(split.valid.features))}
    predicted = by_part(split, estimator.predict(rows).astype(np.int64))
    return TreeSpace("random_forest", by_part(split, leaves), predicted, n_leaves, values, found)


def _boosting_space(split: Split, seed: int, depths: tuple[int, ...], learning_rates: tuple[float, ...]) -> TreeSpace:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = itertools.product(depths, learning_rates)
        found = list(pool.map(lambda setting: _boosted(split, seed, *setting), tried))
    _, estimator, settings = min(found, key=lambda one: one[0])
    n_trees, rows = settings["n_trees"], all_features(split)
    trees = estimator.estimators_[:n_trees, 0].tolist()
    leaves, n_leaves, values = leaves_within_trees(trees, estimator.apply(rows)[:, :n_trees, 0])
    predicted = next(itertools.islice(estimator.staged_predict(rows), n_trees - 1, None))
    parts = by_part(split, predicted.astype(np.int64))
    return TreeSpace("boosting", by_part(split, leaves), parts, n_leaves, values, settings)


def _boosted(split: Split, seed: int, depth: int, learning_rate: float) -> tuple[float, Any, dict[str, Any]]:
    estimator = GradientBoostingClassifier(
        n_estimators=N_BOOSTED, max_depth=depth, learning_rate=learning_rate, random_state=seed
    ).fit(split.train.features, split.train.classes)
    losses = [_log_loss(split, given) for given in estimator.staged_predict_proba(split.valid.features)]
    n_trees = int(np.argmin(losses)) + 1
    settings = {"depth": depth, "learning_rate": learning_rate, "n_trees": n_trees, "valid_log_loss": min(losses)}
    return min(losses), estimator, settings


def _one_multiplier_space(
    split: Split, seed: int, multiplier: Multiplier, learning_rates: tuple[float, ...]
) -> TreeSpace:
    def fit(setting: tuple[int, float]) -> tuple[OneMultiplierBoosting, dict[str, Any]]:
        depth, learning_rate = setting
        estimator = OneMultiplierBoosting(N_BOOSTED, depth, learning_rate, multiplier, seed)
        estimator.fit(split.train.features, split.train.classes)
        losses = [_log_loss(split, given) for given in estimator.staged_predict_proba(split.valid.features)]
        found = {"n_trees": int(np.argmin(losses)) + 1, "valid_log_loss": min(losses)}
        return estimator, {"depth": depth, "learning_rate": learning_rate, **found}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = list(pool.map(fit, itertools.product(DEPTHS, learning_rates)))
    estimator, settings = min(tried, key=lambda one: float(one[1]["valid_log_loss"]))
    n_stages, rows = settings["n_trees"], all_features(split)
    leaves, n_leaves, values = leaves_within_trees(estimator.first_trees(n_stages), estimator.apply(rows, n_stages))
    probabilities = next(itertools.islice(estimator.staged_predict_proba(rows), n_stages - 1, None))
    predicted = by_part(split, probabilities.argmax(axis=1).astype(np.int64))
    found = settings | {"multiplier": multiplier, "n_long_steps": estimator.n_long_steps(n_stages)}
    return TreeSpace("boosting", by_part(split, leaves), predicted, n_leaves, values, found)


def _log_loss(split: Split, probabilities: NDArray[np.float64]) -> float:
    return float(log_loss(split.valid.classes, probabilities, labels=np.unique(split.train.classes)))
