"""How well the tree stands for the model, in the form that readers get."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from schemas.approximation_trees import AgainstTarget, ApproximationTreeEvaluation, ConstantTreeScores
from tree_explainers.approximation_trees.fidelity import AgainstTarget as Measured
from tree_explainers.approximation_trees.fidelity import ConstantScores, measure_fidelity
from tree_explainers.approximation_trees.trees import ApproximationTree

from ..row_targets import constant_predictions
from .material import JudgedRows


def judge(
    tree: ApproximationTree,
    judged: JudgedRows,
    classes: Sequence[str],
    evaluated_on: Literal["dataset", "evaluation_dataset"],
) -> ApproximationTreeEvaluation:
    """Hold what tree and model say of a dataset's rows against each other, and against what is true of them."""
    found = measure_fidelity(tree, judged.rows, judged.answers, judged.truth)
    return ApproximationTreeEvaluation(
        n_rows=len(judged.rows),
        evaluated_on=evaluated_on,
        fidelity=found.fidelity,
        balanced_fidelity=found.balanced_fidelity,
        probability_l1=found.probability_l1,
        mean_questions=found.mean_questions,
        model=None if found.model is None else AgainstTarget(**asdict(found.model)),
        constant=_constant(found.constant, judged, classes),
        **_against_target(found.tree),
    )


def _constant(found: ConstantScores, judged: JudgedRows, classes: Sequence[str]) -> ConstantTreeScores:
    """Return what always the same prediction scores."""
    return ConstantTreeScores(
        fidelity=found.fidelity,
        balanced_fidelity=found.balanced_fidelity,
        **_against_target(found.against_target),
        **constant_predictions(judged.truth, judged.answers.targets, classes),
    )


def _against_target(found: Measured | None) -> dict[str, float | None]:
    return {} if found is None else asdict(found)
