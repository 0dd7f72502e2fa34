"""How well a tree represents its ensemble: compared on given rows with the ensemble and with the truth, and stability.

Fidelity is agreement with the ensemble's own labels or values. Stability counts how many different trees result from
growing them again on other pseudo rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..prediction_scores import PredictionScores, Targets, score_constants, score_predictions
from ..rows import Rows
from .trees import ApproximationTree


@dataclass(frozen=True, slots=True)
class ModelPredictions:
    """What the ensemble predicts for some rows."""

    scores: NDArray[np.float64]  # as of ``Oracle.predict``: (n_rows, n_classes) shares, or (n_rows, 1) values
    targets: Targets  # its labels or values as published: of tied shares the model may pick another than the first


@dataclass(frozen=True, slots=True)
class AgainstTarget:
    """How well predictions meet the truth; ``None`` where a measure has no meaning."""

    accuracy: float | None = None
    balanced_accuracy: float | None = None  # mean, over the classes that occur, of their share of right labels
    mean_squared_error: float | None = None
    r2: float | None = None  # None if all targets are equal


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Measures of a tree on some rows."""

    fidelity: float | None  # share of rows with the ensemble's label; of values r2 to its own, None if all are equal
    balanced_fidelity: float | None  # mean over the ensemble's labels of that share of their rows; None for regression
    probability_l1: float | None  # mean over rows of sum_c |p_c - q_c|, in [0, 2]; None for regression
    mean_questions: float  # conditions on the path from the root to the leaf, mean over rows
    tree: AgainstTarget | None  # None without targets
    model: AgainstTarget | None
    constant: "ConstantScores"


@dataclass(frozen=True, slots=True)
class ConstantScores:
    """Measures of constant predictions on the same rows: for each measure the best constant."""

    fidelity: float | None
    balanced_fidelity: float | None
    against_target: AgainstTarget | None  # None without targets


def measure_fidelity(
    tree: ApproximationTree, rows: Rows, predictions: ModelPredictions, targets: Targets | None = None
) -> Fidelity:
    """Measure a tree on rows, at least one.

    Parameters
    ----------
    tree
        The tree.
    rows
        Raw rows.
    predictions
        What the ensemble predicts for them.
    targets
        Their true labels or values; ``None`` if they are not known.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 4, reports agreement of labels.
    """
    leaves = tree.leaves_of(rows)
    scores = np.array([node.facts.scores for node in tree.nodes])[leaves]
    is_regression = predictions.targets.is_regression
    predicted = scores[:, 0] if is_regression else np.array([node.facts.label for node in tree.nodes], np.int64)[leaves]
    to_model = score_predictions(predicted, None, predictions.targets)
    constants = score_constants(targets, predictions.targets)
    return Fidelity(
        fidelity=to_model.fidelity,
        balanced_fidelity=to_model.balanced_fidelity,
        probability_l1=None if is_regression else float(np.abs(scores - predictions.scores).sum(axis=1).mean()),
        mean_questions=float(tree.depths[leaves].mean()),
        tree=None if targets is None else against_target(predicted, targets),
        model=None if targets is None else against_target(predictions.targets.classes_or_values, targets),
        constant=ConstantScores(
            constants.fidelity, constants.balanced_fidelity, None if targets is None else _against_target(constants)
        ),
    )


def against_target(predicted: NDArray[np.int64] | NDArray[np.float64], targets: Targets) -> AgainstTarget:
    """Measure predictions, (n_rows,) classes or values, against targets."""
    return _against_target(score_predictions(predicted, targets, targets))


def _against_target(scores: PredictionScores) -> AgainstTarget:
    accuracy, balanced = (None if error is None else 1 - error for error in (scores.error, scores.balanced_error))
    return AgainstTarget(accuracy, balanced, scores.mean_squared_error, scores.r2)


def count_structures(trees: Sequence[ApproximationTree]) -> NDArray[np.int64]:
    """Return the number of different trees down to each depth, (depth of the deepest,), at least (1,).

    Element d - 1 counts the trees that differ in some condition of their first d levels. It never falls with d, as
    trees that differ above a depth differ down to it. Conditions are equal if feature and threshold or categories are.

    Parameters
    ----------
    trees
        One or more, grown with the same settings on different pseudo rows.

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
