"""How well the printed rules predict, beside the regions that they come from and the model."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

from numpy.typing import NDArray

from schemas.rule_sets import ConstantRuleScores, RuleScores, RuleSetEvaluation
from tree_explainers.rule_sets.rule_lists import PrintedRules, first_firing, measure_all
from tree_explainers.rule_sets.rule_search import FoundRules
from tree_explainers.scoring import score_constants, score_predictions

from ..row_targets import constant_predictions
from .material import JudgedRows, told_by


def judge(
    found: FoundRules,
    printed: PrintedRules,
    judged: JudgedRows,
    classes: Sequence[str],
    evaluated_on: Literal["dataset", "evaluation_dataset"],
) -> RuleSetEvaluation:
    """Hold what printed rules, regions and model say of a dataset's rows against what is true of them."""
    fires = printed.fires(judged.rows)
    return RuleSetEvaluation(
        n_rows=len(fires),
        evaluated_on=evaluated_on,
        measured_against="model" if judged.truth is None else "target",
        printed=_scores(found.rules.predictions[first_firing(fires)], judged),
        map=_scores(found.restarts.best.model.predict(judged.binned), judged),
        model=None if judged.truth is None else _scores(told_by(judged.predicted), judged),
        constant=_constant(judged, classes),
        **asdict(measure_all(fires)),
    )


def _scores(given: NDArray[Any], judged: JudgedRows) -> RuleScores:
    return RuleScores(**asdict(score_predictions(given, judged.truth, judged.predicted)))


def _constant(judged: JudgedRows, classes: Sequence[str]) -> ConstantRuleScores:
    """Return how far always the same prediction is."""
    return ConstantRuleScores(
        **asdict(score_constants(judged.truth, judged.predicted)),
        **constant_predictions(judged.truth, judged.predicted, classes),
    )
