"""The size of a tree, chosen by its errors: its depth by the rule of one standard error; its most faithful leaves."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..rows import Rows
from .cart_trees import CartTree, fit_cart
from .merging import in_preorder
from .oracle import LabelledRows
from .tree_growth import TreeLimits
from .trees import ApproximationTree, DepthChoice, TreeNode

N_FOLDS = 5  # of pseudo rows, in cross-validation
N_VALIDATION_FOLDS = 10  # of rows that a tree was not grown from
_GROWN_FOR_EACH = 3  # leaves that are grown for each one that may stay
_MOST_GROWN = 256  # leaves, if others are to be cut back: what is gained by it is little in large trees
_WEIGHT_OF_SCORES = 1e-6  # relative to labels: they decide only where labels do not

Floats = NDArray[np.float64]


def validated(tree: ApproximationTree, rows: Rows, scores: Floats, *, is_classifier: bool) -> ApproximationTree:
    """Return a tree cut back to the smallest depth that is within one standard error of the best on other rows.

    Its ``depth_choice`` has the errors; a single leaf is returned as it is.

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
    choice = choose_depth(folds)
    return replace(cuts[choice.depth], depth_choice=choice)


def cut_to_depth(tree: ApproximationTree, depth: int) -> ApproximationTree:
    """Return a tree without the splits below a depth; its nodes there are leaves."""
    return _cut_at(tree, np.flatnonzero(tree.depths == depth).tolist())


def before_cutting_back(limits: TreeLimits) -> TreeLimits:
    """Return the limits of a tree that is to be cut back to the leaves that ``limits`` allow; ``with_best_leaves``."""
    allowed = limits.max_leaves
    if allowed is None:
        return limits
    return replace(limits, max_leaves=max(allowed, min(_GROWN_FOR_EACH * allowed, _MOST_GROWN)))


def with_best_leaves(
    tree: ApproximationTree, max_leaves: int, samples: Sequence[tuple[Rows, Floats]], *, is_classifier: bool
) -> ApproximationTree:
    """Return the most faithful tree of at most so many leaves that a larger tree can be cut back to.

    Growth splits the node first that gains most by itself; what a split makes possible is known only when the nodes
    below it are split, too. So of all ways to cut a larger tree back that with the least error is returned.

    Parameters
    ----------
    tree
        A tree that may have more leaves.
    max_leaves
        At least 1.
    samples
        Rows, at least one, and what the model predicts for them, (n_rows, n_scores). Every sample has the same weight.
        The error of a row is whether the labels differ, and of a regression the squared difference of the values.
        Where errors of labels are equal, the squared differences of scores decide; then fewer leaves are taken.
    is_classifier
        Whether scores are shares of classes.

    References
    ----------
    Bohanec, Bratko (1994), "Trading Accuracy for Simplicity in Decision Trees", section 3. doi:10.1007/BF00993345
    """
    errors = [_errors_as_leaves(tree, rows, scores, is_classifier=is_classifier) for rows, scores in samples]
    return _cut_at(tree, _best_leaves(tree.nodes, _least_errors(tree.nodes, np.sum(errors, axis=0), max_leaves)))


def _errors_as_leaves(tree: ApproximationTree, rows: Rows, scores: Floats, *, is_classifier: bool) -> Floats:
    """Return the error of each node as a leaf, summed over the rows that reach it, of the number of all; (n_nodes,)."""
    facts, reached = [node.facts for node in tree.nodes], tree.leaves_of(rows)
    shift = facts[0].scores  # so that large values lose no digits
    node_scores, of_rows = np.array([each.scores for each in facts]) - shift, scores - shift
    terms = np.column_stack((np.ones(len(scores)), (of_rows**2).sum(axis=1), of_rows))
    n_here, squares, sums = np.split(_sums_below(tree.nodes, reached, terms), [1, 2], axis=1)
    errors: Floats = squares[:, 0] + n_here[:, 0] * (node_scores**2).sum(axis=1) - 2 * (node_scores * sums).sum(axis=1)
    if is_classifier:
        by_label = _sums_below(tree.nodes, reached, np.eye(scores.shape[1])[scores.argmax(axis=1)])
        labels = np.array([[each.label] for each in facts])
        differing = n_here - np.take_along_axis(by_label, labels, axis=1)
        errors = differing[:, 0] + _WEIGHT_OF_SCORES * errors
    return errors / len(scores)


def _sums_below(nodes: Sequence[TreeNode], reached: NDArray[np.int64], values: Floats) -> Floats:
    """Return the sums of values over the rows that reach each node, (n_nodes, n_values)."""
    sums: Floats = np.stack([np.bincount(reached, column, len(nodes)) * 1.0 for column in values.T], axis=1)
    for index in reversed(range(len(nodes))):  # children before their parents
        if not nodes[index].is_leaf:
            sums[index] = sums[nodes[index].left] + sums[nodes[index].right]
    return sums


def _least_errors(nodes: Sequence[TreeNode], errors: Floats, max_leaves: int) -> list[Floats]:
    """Return by node the least errors with 1, 2, … leaves below it, given the error of each node as a leaf."""
    least: list[Floats] = [errors[index : index + 1] for index in range(len(nodes))]
    for index in reversed(range(len(nodes))):
        if not nodes[index].is_leaf:
            left, right = least[nodes[index].left], least[nodes[index].right]
            both = np.full(len(left) + len(right) - 1, np.inf)
            for n_left, error in enumerate(left.tolist()):
                position = slice(n_left, n_left + len(right))
                both[position] = np.minimum(both[position], error + right)
            least[index] = np.append(errors[index], both)[:max_leaves]
    return least


def _best_leaves(nodes: Sequence[TreeNode], least: Sequence[Floats]) -> list[int]:
    """Return the nodes that are leaves of the tree with the least error."""
    leaves, waiting = [], [(0, int(np.argmin(least[0])))]  # a node, and how many more leaves than one it has
    while waiting:
        index, n_more = waiting.pop()
        if n_more == 0:
            leaves.append(index)
            continue
        left, right = least[nodes[index].left], least[nodes[index].right]
        ways = [n for n in range(min(len(left), n_more)) if n_more - 1 - n < len(right)]
        n_left = min(ways, key=lambda n: left[n] + right[n_more - 1 - n])
        waiting += [(nodes[index].left, n_left), (nodes[index].right, n_more - 1 - n_left)]
    return leaves


def _cut_at(tree: ApproximationTree, leaves: Collection[int]) -> ApproximationTree:
    nodes = list(tree.nodes)
    for index in leaves:
        nodes[index] = replace(nodes[index], condition=None, confidence=None)
    return replace(tree, nodes=in_preorder(nodes))


def best_depth(
    matrix: NDArray[np.float32],
    labelled: LabelledRows,
    limits: TreeLimits,
    seed: np.random.SeedSequence,
    report: ReportProgress = ignore_progress,
) -> DepthChoice | None:
    """Return the smallest depth whose squared error is within one standard error of the least, by cross-validation.

    Folds divide the training rows that pseudo rows were made from: copies of one row are never on both sides. ``None``
    if there are too few for two folds.
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
    return choose_depth(np.array(errors)) if errors else None


def choose_depth(errors: Floats) -> DepthChoice:
    """Return the first depth by the rule of one standard error, given errors of shape (n_folds, max_depth + 1)."""
    means: Floats = errors.mean(axis=0)
    spread: Floats = errors.std(axis=0, ddof=1 if len(errors) > 1 else 0) / np.sqrt(len(errors))
    least = int(np.argmin(means))
    return DepthChoice(means, spread, max(1, int(np.argmax(means <= means[least] + spread[least]))))


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
