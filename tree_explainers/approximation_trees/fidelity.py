"""Fidelity and stability of approximation trees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rows import Rows
from ..scoring import PredictionScores, Targets, score_constants, score_predictions
from .trees import ApproximationTree


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What the ensemble says of some rows."""

    scores: NDArray[np.float64]  # as oracles answer: (n_rows, n_classes) shares, or (n_rows, 1) values
    told: Targets  # its labels or values, which it tells callers: of tied shares it may take another than the first


@dataclass(frozen=True, slots=True)
class AgainstTarget:
    """How well predictions meet what is true; ``None`` where it has no meaning."""

    accuracy: float | None = None
    balanced_accuracy: float | None = None  # mean over the classes that rows have of their share of right labels
    mse: float | None = None
    r2: float | None = None  # None where all targets are alike


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What is measured of a tree on some rows."""

    fidelity: float | None  # share of rows with the ensemble's own label; of values r2 to its own, None where all alike
    balanced_fidelity: float | None  # mean over the ensemble's labels of that share of their rows; None for regression
    probability_l1: float | None  # mean over rows of sum_c |p_c - q_c|, in [0, 2]; None for regression
    mean_questions: float  # asked from the root to the leaf, mean over rows
    tree: AgainstTarget | None  # None without targets
    model: AgainstTarget | None
    constant: "ConstantScores"


@dataclass(frozen=True, slots=True)
class ConstantScores:
    """What is always the same prediction scores on the same rows: for each measure the constant that is best at it."""

    fidelity: float | None
    balanced_fidelity: float | None
    against_target: AgainstTarget | None  # None without targets


def measure_fidelity(
    tree: ApproximationTree, rows: Rows, answers: ModelAnswers, targets: Targets | None = None
) -> Fidelity:
    """Measure a tree on rows, one at least.

    Parameters
    ----------
    tree
        The tree.
    rows
        Raw rows.
    answers
        What the ensemble says of them.
    targets
        What is true of them; ``None`` where that is not known.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 4, reports agreement of labels.
    """
    leaves = tree.leaves_of(rows)
    scores = np.array([node.facts.scores for node in tree.nodes])[leaves]
    told = scores[:, 0] if answers.told.is_regression else _labels(tree)[leaves]
    to_model = score_predictions(told, None, answers.told)
    return Fidelity(
        fidelity=to_model.fidelity,
        balanced_fidelity=to_model.balanced_fidelity,
        probability_l1=None if answers.told.is_regression else _mean_distance(scores, answers.scores),
        mean_questions=float(tree.depths[leaves].mean()),
        tree=None if targets is None else against_target(told, targets),
        model=None if targets is None else against_target(_told(answers.told), targets),
        constant=_score_constants(answers.told, targets),
    )


def against_target(told: NDArray[np.int64] | NDArray[np.float64], targets: Targets) -> AgainstTarget:
    """Measure predictions, (n_rows,) classes or values, against targets."""
    return _against_target(score_predictions(told, targets, targets))


def _against_target(scores: PredictionScores) -> AgainstTarget:
    accuracy, balanced = (None if error is None else 1 - error for error in (scores.error, scores.balanced_error))
    return AgainstTarget(accuracy, balanced, scores.mse, scores.r2)


def _score_constants(told: Targets, targets: Targets | None) -> ConstantScores:
    found = score_constants(targets, told)
    return ConstantScores(found.fidelity, found.balanced_fidelity, None if targets is None else _against_target(found))


def _labels(tree: ApproximationTree) -> NDArray[np.int64]:
    return np.array([node.facts.label for node in tree.nodes], np.int64)


def _mean_distance(scores: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    return float(np.abs(scores - others).sum(axis=1).mean())


def _told(targets: Targets) -> NDArray[np.int64] | NDArray[np.float64]:
    found = targets.values if targets.classes is None else targets.classes
    assert found is not None  # noqa: S101  # for the type checker: there is one of the two
    return found


def count_structures(trees: Sequence[ApproximationTree]) -> NDArray[np.int64]:
    """Return how many different trees there are down to each depth, (depth of the deepest,), at least (1,).

    Element d - 1 counts the trees that differ in some question of their first d levels. It never falls with d, as trees
    that differ above a depth differ down to it. Questions are the same where feature and threshold or categories are.

    Parameters
    ----------
    trees
        One or more, grown alike from different pseudo rows.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 4.1, figure 3.
    """
    counts = np.full(max(1, *(tree.depth for tree in trees)), len(trees))
    for level in range(len(counts)):
        counts[level] = len({tree.structure(level + 1) for tree in trees})
        if counts[level] == len(trees):
            break  # deeper down they all differ, too
    return counts
