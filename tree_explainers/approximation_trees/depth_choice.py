"""The depth of a tree, chosen by its errors: the smallest that is within one standard error of the best."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..rows import Rows
from .cart_trees import CartTree, fit_cart
from .merging import in_preorder
from .oracle import LabelledRows
from .tree_growth import TreeLimits
from .trees import ApproximationTree

N_FOLDS = 5  # of pseudo rows, in cross-validation
N_VALIDATION_FOLDS = 10  # of rows that a tree was not grown from

Floats = NDArray[np.float64]


def validated(tree: ApproximationTree, rows: Rows, scores: Floats, *, is_classifier: bool) -> ApproximationTree:
    """Return a tree cut back to the smallest depth that is within one standard error of the best on other rows.

    Parameters
    ----------
    tree
        A tree as deep as it may become.
    rows
        Rows that it was not grown from, at least ``N_VALIDATION_FOLDS``, in random order.
    scores : (n_rows, n_scores)
        What the model predicts for them. The error of a row is whether the labels differ, or the squared difference of
        the values.
    is_classifier
        Whether scores are shares of classes.

    References
    ----------
    Zhou, Hooker (2016), section 5, which suggests the predictive performance.
    """
    cuts = [cut_to_depth(tree, depth) for depth in range(tree.depth + 1)]
    if len(cuts) == 1:
        return tree
    if is_classifier:
        errors = np.stack([each.labels_of(rows) != scores.argmax(axis=1) for each in cuts], axis=1).astype(np.float64)
    else:
        errors = np.stack([(each.scores_of(rows) - scores)[:, 0] ** 2 for each in cuts], axis=1)
    folds = np.array([fold.mean(axis=0) for fold in np.array_split(errors, N_VALIDATION_FOLDS)])
    return cuts[smallest_good(folds)]


def cut_to_depth(tree: ApproximationTree, depth: int) -> ApproximationTree:
    """Return a tree without the splits below a depth; its nodes there are leaves."""
    leaves = [
        replace(node, condition=None, confidence=None) if own == depth else node
        for node, own in zip(tree.nodes, tree.depths.tolist(), strict=True)
    ]
    return replace(tree, nodes=in_preorder(leaves))


def best_depth(
    matrix: NDArray[np.float32],
    labelled: LabelledRows,
    limits: TreeLimits,
    seed: np.random.SeedSequence,
    report: ReportProgress = ignore_progress,
) -> int:
    """Return the smallest depth whose squared error is within one standard error of the least, by cross-validation.

    Folds divide the training rows that pseudo rows were made from: copies of one row are never on both sides.
    """
    rng = np.random.default_rng(seed)
    n_origins = int(labelled.origins.max()) + 1
    fold_of = rng.permutation(np.arange(n_origins) % N_FOLDS)[labelled.origins]
    errors = []
    for fold in range(N_FOLDS):
        report(0.5 + fold / N_FOLDS / 3, "choosing the depth")
        held_out = fold_of == fold
        if held_out.any() and not held_out.all():
            tree = fit_cart(matrix[~held_out], labelled.targets[~held_out], limits, int(rng.integers(2**31)))
            errors.append(errors_by_depth(tree, matrix[held_out], labelled.targets[held_out], limits.max_depth))
    return smallest_good(np.array(errors)) if errors else limits.max_depth


def smallest_good(errors: Floats) -> int:
    """Return the first depth by the rule of one standard error, given errors of shape (n_folds, max_depth + 1)."""
    means = errors.mean(axis=0)
    least = int(np.argmin(means))
    allowed = means[least] + errors[:, least].std(ddof=1 if len(errors) > 1 else 0) / np.sqrt(len(errors))
    return max(1, int(np.argmax(means <= allowed)))


def errors_by_depth(
    tree: CartTree, matrix: NDArray[np.float32], targets: NDArray[np.float32], max_depth: int
) -> list[float]:
    """Return the mean squared error of the tree cut off at each depth from 0 on."""
    reached, errors = np.zeros(len(matrix), np.int64), []
    for _ in range(max_depth + 1):
        errors.append(float(((tree.value[reached, :, 0] - targets) ** 2).sum(axis=1).mean()))
        inner = np.flatnonzero(tree.children_left[reached] >= 0)
        node = reached[inner]
        ranks = matrix[inner, tree.feature[node]]
        goes_left = np.where(np.isnan(ranks), tree.missing_go_to_left[node] > 0, ranks <= tree.threshold[node])
        reached[inner] = np.where(goes_left, tree.children_left[node], tree.children_right[node])
    return errors
