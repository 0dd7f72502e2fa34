"""Figures: how good prototypes, rules and trees are, in lines; each beside what always the same prediction scores."""

from collections.abc import Iterator
from typing import Any

from ._generated.models import (
    ApproximationTreeEvaluation,
    ApproximationTreeResult,
    Prototype,
    PrototypeSetResult,
    RuleSetEvaluation,
    RuleSetResult,
)
from .sentences import number

_MEASURES = {
    "error": "error",
    "balanced_error": "balanced error",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "mse": "mean squared error",
    "r2": "R2",
    "mean_absolute_error": "mean absolute error",
    "fidelity": "fidelity",
    "balanced_fidelity": "balanced fidelity",
    "unassigned": "without a prototype",
}
_SHARES = {"unassigned"}
_IN_UNITS_OF_THE_TARGET = {"mse", "mean_absolute_error"}


def describe_prototypes(found: PrototypeSetResult) -> str:
    """Return the prototypes of a ready set, how near they are to the best there can be, and how well they predict."""
    own = found.evaluation[-1]
    scores = {
        f"nearest of {own.n_prototypes} prototypes": own,
        "nearest of all rows": found.baseline.one_nearest_neighbor,
        "model": found.baseline.model,
    }
    lines = [*map(_prototype, found.prototypes), *_certificates(found)]
    if found.classes_without_prototypes:
        lines.append(f"Classes without a prototype: {', '.join(map(repr, found.classes_without_prototypes))}.")
    lines += [_measured_on(found.evaluated_on, found.quality.n_rows), *_scores(scores, found.baseline.constant)]
    return "\n".join([*lines, *_caution(found)])


def describe_rule_figures(found: RuleSetResult) -> str:
    """Return how well the rules of a ready set predict."""
    evaluation: RuleSetEvaluation = found.evaluation
    scores = {"printed rules": evaluation.printed, "regions (MAP)": evaluation.map_, "model": evaluation.model}
    return _figures(found, evaluation, scores)


def describe_tree_figures(found: ApproximationTreeResult) -> str:
    """Return how well a ready tree stands for the model."""
    evaluation: ApproximationTreeEvaluation = found.evaluation
    return _figures(found, evaluation, {"tree": evaluation, "model": evaluation.model})


def _figures(found: Any, evaluation: Any, scores: dict[str, Any]) -> str:  # noqa: ANN401  # of several nouns
    head = _measured_on(evaluation.evaluated_on, evaluation.n_rows)
    return "\n".join([head, *_scores(scores, evaluation.constant), *_caution(found)])


def _measured_on(evaluated_on: str, n_rows: int) -> str:
    rows = "other rows" if evaluated_on == "evaluation_dataset" else "the rows that it was made from"
    return f"Measured on {n_rows:,} rows, {rows}:"


def _scores(scores: dict[str, Any], constant: Any) -> Iterator[str]:  # noqa: ANN401  # of several nouns
    """Yield a line for each that is scored; the constant prediction's has the measures of the first."""
    measures = [name for name in _MEASURES if _is_number(getattr(next(iter(scores.values())), name, None))]
    told = {name: own for name, own in scores.items() if own}
    if constant:
        told[_constant(constant)] = constant
    for name, own in told.items():
        yield f"  {name}: {', '.join(_measure(measure, getattr(own, measure, None)) for measure in measures)}"


def _constant(constant: Any) -> str:  # noqa: ANN401  # of several nouns
    of_truth, of_model = (_prediction(told) for told in (constant.prediction, constant.model_prediction))
    return f"always {of_truth}" if of_truth == of_model else f"always {of_truth}, for fidelity always {of_model}"


def _measure(name: str, value: float | None) -> str:
    words = _MEASURES[name]
    if not _is_number(value):
        return f"{words} -"
    if name in _SHARES:
        return f"{words} {value:.1%}"
    return f"{words} {number(value)}" if name in _IN_UNITS_OF_THE_TARGET else f"{words} {value:.3f}"


def _certificates(found: Any) -> Iterator[str]:  # noqa: ANN401  # see above
    n_prototypes = "1 prototype" if found.n_selected == 1 else f"{found.n_selected:,} prototypes"
    yield f"Surely {found.all_rows_certificate:.1%} of the best that {n_prototypes} among all rows could reach."
    if found.certificate_scope == "candidates":
        yield (
            f"Surely {found.certificate:.1%} of the best that {n_prototypes} among the {found.n_candidates:,} sampled "
            "candidates could reach."
        )


def _caution(found: Any) -> list[str]:  # noqa: ANN401  # see above
    return [f"Caution: {found.caution}."] if found.caution else []


def _prototype(prototype: Prototype) -> str:
    told = number(prototype.value) if prototype.label is None else prototype.label
    coverage = prototype.coverage
    return (
        f"{prototype.rank}. row {prototype.row_id} ({told}) stands for {coverage.n_rows:,} rows ({coverage.share:.0%})"
    )


def _prediction(told: float | str) -> str:
    return repr(told) if isinstance(told, str) else number(told)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
