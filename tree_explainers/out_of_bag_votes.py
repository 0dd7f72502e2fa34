"""Out-of-bag votes: what trees say of the class of rows that they did not learn from.

A model that was trained on the labels which it is to judge has learned the wrong ones, too. So a forest is grown here,
each tree on rows drawn with replacement, and each row hears the trees that did not draw it, a third of them: its own
label has no part in what they say.
"""

from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from .compute.progress import ReportProgress, ignore_progress
from .compute.threads import in_order
from .errors import InvalidInput

N_TREES = 200
MIN_LEAF_ROWS = 5
"""Drawn rows of a leaf at least: votes of purer leaves are louder, and no surer."""

_MOST_ROWS = 5_000  # with which a tenth of the rows is known to less than a hundredth
_MOST_CELLS = 1 << 22  # rows x features: 16 MiB
_MOST_VOTES = 1 << 19  # rows x classes: seconds grow with both
_SECONDS_PER_SPLIT_FEATURE, _SECONDS_PER_VOTE = 1e-6, 3e-7  # of a row in a tree

_LARGEST = np.float32(1e30)  # trees refuse infinite values, and sum up all of them to find these


def number_of_sampled_rows(n_rows: int, n_features: int, n_classes: int) -> int:
    """Return how many of some rows trees are grown on: all, or as many as a job has the time for."""
    return min(n_rows, _MOST_ROWS, _MOST_CELLS // max(1, n_features), _MOST_VOTES // max(1, n_classes))


def votes_cost(n_rows: int, n_features: int, n_classes: int) -> tuple[int, float]:
    """Return the bytes and seconds that the votes on a sample of some rows take."""
    n_sampled = number_of_sampled_rows(n_rows, n_features, n_classes)
    seconds = _SECONDS_PER_SPLIT_FEATURE * n_features**0.5 + _SECONDS_PER_VOTE * n_classes
    return n_sampled * (16 * n_features + 32 * n_classes), N_TREES * n_sampled * seconds


def out_of_bag_votes(
    features: NDArray[np.float32], classes: NDArray[np.int64], seed: int, report: ReportProgress = ignore_progress
) -> NDArray[np.float64]:
    """Return the share of each class in what trees say of the rows that they did not learn from.

    Parameters
    ----------
    features : (n_rows, n_features) float32
        NaN where a value is missing; infinite values count as the largest.
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    seed
        Of the rows and splits that are drawn; the same seed gives the same votes.
    report
        Progress callback; may raise to stop.

    Returns
    -------
    (n_rows, n_classes) float64
        In [0, 1], summing to 1; NaN for a row that every tree learned from.

    Raises
    ------
    InvalidInput
        If there is not one class of 0 or more for each row.

    References
    ----------
    Breiman (2001), "Random Forests": bags, and votes out of bag.
    """
    if classes.shape != (len(features),) or classes.min(initial=0) < 0:
        msg = f"one class of 0 or more is needed for each of {len(features)} rows, got shape {classes.shape}"
        raise InvalidInput(msg)
    finite = np.clip(features, -_LARGEST, _LARGEST)
    sums, n_votes = np.zeros((len(features), int(classes.max()) + 1)), np.zeros(len(features), np.int64)
    seeds = np.random.SeedSequence(seed).generate_state(N_TREES)

    def grow(tree_seed: np.uint32) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        return _votes_of_tree(finite, classes, int(tree_seed))

    with closing(in_order(grow, seeds)) as trees:
        for n_done, (_, (rows, known, shares)) in enumerate(trees, 1):
            sums[np.ix_(rows, known)] += shares
            n_votes[rows] += 1
            report(n_done / N_TREES, "growing trees that leave rows out")
    votes = np.full_like(sums, np.nan)
    return np.divide(sums, n_votes[:, None], out=votes, where=n_votes[:, None] > 0)


def _votes_of_tree(
    features: NDArray[np.float32], classes: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows that a tree did not learn from, the classes that there are, and their shares in its leaves."""
    # Imported late: it takes longer than everything else that a worker imports (`workers.job_kinds.load_late`).
    from sklearn.tree import DecisionTreeClassifier

    n_rows = len(classes)
    counts = np.bincount(np.random.default_rng(seed).integers(0, n_rows, n_rows), minlength=n_rows)
    tree = DecisionTreeClassifier(min_samples_leaf=MIN_LEAF_ROWS, max_features="sqrt", random_state=seed)
    in_bag, out = np.flatnonzero(counts), np.flatnonzero(counts == 0)
    tree.fit(features[in_bag], classes[in_bag], sample_weight=counts[in_bag].astype(np.float64))
    shares = tree.predict_proba(features[out]) if len(out) else np.zeros((0, len(tree.classes_)))
    return out, tree.classes_.astype(np.int64), shares
