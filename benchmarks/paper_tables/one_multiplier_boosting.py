"""Gradient boosting with one multiplier for each tree, where scikit-learn's has a Newton step for each leaf.

Friedman (2001), "Greedy function approximation", algorithms 1, 5 and 6 without their step for each leaf: a tree h is
fitted to the residuals y - p, and the scores become F + rate gamma h. With more than two classes a stage has one tree
for each class, each with a multiplier of its own, found from the scores at the beginning of the stage. Tan et al.
(2020) "modified scikit-learn to train GBT models with one gamma multiplier per tree". There are two multipliers:

- ``line_search``: gamma = argmin of the loss along h, which the paper calls the typical one. A tree that separates the
  classes has no such minimum: no score moves by more than ``MOST_STEP`` before it is multiplied by the rate.
- ``authors``: gamma = n / sum of p (1 - p), that of the program which the authors published later
  (github.com/shftan/tree_ensemble_distance): a Newton step along h that counts all rows alike.

Trees are scikit-learn's, by squared error; ``friedman_mse``, the authors', orders the splits of a node in the same
way. Stored leaf values are rate x gamma x the mean residual of the leaf, so that the variance of what a tree stores is
the paper's w = gamma^2 Var, but for the rate that all trees share.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logsumexp, softmax
from sklearn.tree import DecisionTreeRegressor

Multiplier = Literal["line_search", "authors"]

MOST_STEP = 10.0  # in log odds: a probability of 0.99995
_TWO = 2


class OneMultiplierBoosting:
    """Boosted trees of a given depth, fitted to binomial or multinomial deviance.

    ``trees`` and ``multipliers`` (gamma, without the rate) go stage by stage, class by class in each. With two
    classes there is one score, the log odds of the second; otherwise there is one for each class.
    """

    def __init__(self, n_stages: int, depth: int, learning_rate: float, multiplier: Multiplier, seed: int) -> None:
        self._n_stages, self._depth, self._learning_rate = n_stages, depth, learning_rate
        self._multiplier, self._seed = multiplier, seed
        self._first_scores: NDArray[np.float64] = np.zeros(0)
        self.trees: list[DecisionTreeRegressor] = []
        self.multipliers: list[float] = []
        self._largest_steps: list[float] = []

    def fit(self, features: NDArray[np.float32], classes: NDArray[np.int64]) -> "OneMultiplierBoosting":
        """Fit to rows of classes 0, 1, …; scores begin with the logarithms of the classes' shares, or their odds."""
        shares = np.bincount(classes) / len(classes)
        targets = (classes[:, None] == np.arange(len(shares))).astype(np.float64)
        self._first_scores = np.log(shares)
        if len(shares) == _TWO:
            targets, self._first_scores = targets[:, 1:], np.log(shares[1:] / shares[0])
        scores = np.tile(self._first_scores, (len(classes), 1))
        random = np.random.RandomState(self._seed)  # as scikit-learn's trees take it
        for _ in range(self._n_stages):
            odds = _log_odds(scores)
            for column, target in enumerate(targets.T):
                scores[:, column] += self._fit_tree(features, odds[:, column], target, random)
        return self

    def apply(self, features: NDArray[np.float32], n_stages: int) -> NDArray[np.int64]:
        """Return the node that each row ends in, (n_rows, n_trees), in each tree of the first stages."""
        return np.column_stack([tree.apply(features) for tree in self.first_trees(n_stages)])

    def first_trees(self, n_stages: int) -> list[DecisionTreeRegressor]:
        """Return the trees of the first stages."""
        return self.trees[: n_stages * len(self._first_scores)]

    def staged_predict_proba(self, features: NDArray[np.float32]) -> Iterator[NDArray[np.float64]]:
        """Yield the probabilities of the classes, (n_rows, n_classes), after 1, 2, … stages."""
        n_scores = len(self._first_scores)
        scores = np.tile(self._first_scores, (len(features), 1))
        for number, tree in enumerate(self.trees):
            scores[:, number % n_scores] += tree.predict(features)
            if number % n_scores == n_scores - 1:
                yield _probabilities(scores)

    def n_long_steps(self, n_stages: int) -> int:
        """Return how many trees of the first stages move a score by ``MOST_STEP`` or more, but for the rate."""
        return sum(step >= MOST_STEP * (1 - 1e-9) for step in self._largest_steps[: len(self.first_trees(n_stages))])

    def _fit_tree(
        self,
        features: NDArray[np.float32],
        odds: NDArray[np.float64],
        target: NDArray[np.float64],
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        """Add a tree fitted to target - p, its values multiplied; return what it adds to the rows' scores."""
        tree = DecisionTreeRegressor(max_depth=self._depth, random_state=random)
        tree.fit(features, target - expit(odds))
        fitted = tree.predict(features)
        multiplier = _MULTIPLIERS[self._multiplier](odds, fitted, target)
        tree.tree_.value[...] *= self._learning_rate * multiplier
        self.trees.append(tree)
        self.multipliers.append(multiplier)
        self._largest_steps.append(multiplier * float(np.abs(fitted).max()))
        added: NDArray[np.float64] = self._learning_rate * multiplier * fitted
        return added


def line_search(odds: NDArray[np.float64], direction: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """Return the gamma of 0 or more for which log odds of ``odds + gamma direction`` have the least binomial deviance.

    The loss is convex in gamma, so its derivative is 0 there; it is searched for where no score moves by more than
    ``MOST_STEP``. With more than two classes the loss along one class's scores is the binomial one, too: of its log
    odds against all others. All arrays are (n_rows,); ``target`` is 0 or 1.
    """

    def derivative(multiplier: float) -> float:
        return float(direction @ (expit(odds + multiplier * direction) - target))

    largest = float(np.abs(direction).max())
    if largest == 0 or derivative(0.0) >= 0:
        return 0.0
    most = MOST_STEP / largest
    return most if derivative(most) <= 0 else float(brentq(derivative, 0.0, most, xtol=1e-10 * most))


def _authors_multiplier(
    odds: NDArray[np.float64], _direction: NDArray[np.float64], _target: NDArray[np.float64]
) -> float:
    probabilities = expit(odds)
    return len(odds) / max(float((probabilities * (1 - probabilities)).sum()), np.finfo(np.float64).tiny)


def _log_odds(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds of each class against all others, (n_rows, n_scores)."""
    if scores.shape[1] == 1:
        return scores.copy()
    others = [logsumexp(np.delete(scores, column, axis=1), axis=1) for column in range(scores.shape[1])]
    odds: NDArray[np.float64] = scores - np.column_stack(others)
    return odds


def _probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if scores.shape[1] > 1:
        return np.asarray(softmax(scores, axis=1))
    second = expit(scores[:, 0])
    return np.column_stack([1 - second, second])


_MULTIPLIERS = {"line_search": line_search, "authors": _authors_multiplier}
