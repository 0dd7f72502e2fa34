"""How well the tree stands for the model, in the form that readers get."""

from dataclasses import asdict
from typing import Literal

from schemas.approximation_trees import AgainstTarget, ApproximationTreeEvaluation
from tree_explainers.approximation.fidelity import measure_fidelity
from tree_explainers.approximation.trees import ApproximationTree

from .material import JudgedRows


def judge(
    tree: ApproximationTree, judged: JudgedRows, evaluated_on: Literal["dataset", "evaluation_dataset"]
) -> ApproximationTreeEvaluation:
    """Hold what tree and model say of a dataset's rows against each other, and against what is true of them."""
    found = measure_fidelity(tree, judged.rows, judged.answers, judged.truth)
    return ApproximationTreeEvaluation(
        n_rows=len(judged.rows),
        evaluated_on=evaluated_on,
        fidelity=found.fidelity,
        probability_l1=found.probability_l1,
        mean_questions=found.mean_questions,
        model=None if found.model is None else AgainstTarget(**asdict(found.model)),
        **({} if found.tree is None else asdict(found.tree)),
    )
