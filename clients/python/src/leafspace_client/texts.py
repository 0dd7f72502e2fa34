"""Texts: explanations, prototypes, rules and trees as people read them, with how well they predict.

The sentences are those that the service sends. Figures stand beside what a constant prediction scores.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from .explanation_fields import ExplanationFields
from .labels import Label
from .rows import received, spelled
from .types import (
    ApproximationNode,
    ApproximationPath,
    ApproximationTreeEvaluation,
    ApproximationTreeResult,
    AuditedRow,
    Changes,
    Contrast,
    Criticism,
    Decided,
    Difference,
    Effects,
    EstimatedWrong,
    FeatureEffect,
    FiringRule,
    LabelAuditResult,
    LeafChoice,
    NearestPrototype,
    NearestRow,
    OutcomeText,
    PathNode,
    Prototype,
    PrototypeSetResult,
    Reason,
    Rule,
    RuleSetEvaluation,
    RuleSetResult,
    Unset,
)

Said: TypeAlias = Callable[[Label], str]
"""What people call a class or an outcome; a number is one in few digits."""

_MEASURES = {
    "error": "error",
    "balanced_error": "balanced error",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "mean_squared_error": "mean squared error",
    "r2": "R2",
    "mean_absolute_error": "mean absolute error",
    "fidelity": "fidelity",
    "balanced_fidelity": "balanced fidelity",
    "unassigned": "without a prototype",
}
_SHARES = {"unassigned"}
_N_SUSPECTS = 10  # of an audit, as text
_N_CRITICISMS = 3
_ALWAYS = "always"  # the text of a rule without conditions
_LEAST_WRITTEN_OUT, _MOST_WRITTEN_OUT = 1e-9, 1e21  # numbers that nobody would write with an exponent
_ERRORS = {"error", "balanced_error"}  # against the model, these say the same as its fidelity
_IN_UNITS_OF_THE_TARGET = {"mean_squared_error", "mean_absolute_error"}


def outcome_words(texts: Sequence[OutcomeText] | Unset) -> Said:
    """Return what people call classes and outcomes: by the dictionary's words, or else as the service spells them."""
    words = {each.outcome: each.text for each in texts or ()}

    def said(label: Label) -> str:
        spelling = spelled(label)
        return words.get(spelling) or (number(label) if isinstance(label, float) else spelling)

    return said


def describe_explanation(explanation: ExplanationFields, said: Said) -> str:
    """Return what the service says about a row, a line for each of its sentences and reasons."""
    if explanation.problem is not None:
        return f"Row {explanation.row_id}: {explanation.problem.detail}"
    lines = [f"Row {explanation.row_id}: {explanation.summary}"]
    lines += [f"Warning: {warning.detail}" for warning in explanation.warnings]
    if explanation.decision is not None and explanation.decision.bands:  # otherwise it is the prediction
        lines.append(_decision_line(explanation.decision, said))
    if explanation.effects is not None:
        lines += _effect_lines(explanation.effects, said)
    if explanation.changes is not None:
        lines += _change_lines(explanation.changes, said)
    for rank, near in enumerate(explanation.nearest_prototypes, 1):
        lines += [f"{rank}. {_near(near, said)}", *_reasons(near.reasons)]
    for contrast in explanation.contrasts:
        kind = "outcome" if _is_outcome(contrast.label, explanation.decision) else "class"
        lines += [
            f"Nearest prototype of another {kind}: {_near(contrast, said)}",
            *_questions(contrast.differences or []),
        ]
    for rank, row in enumerate(explanation.nearest_rows, 1):
        lines += [f"Nearest row {rank}: {_near(row, said)}", *_reasons(row.reasons)]
    lines += _firing_rules(explanation.rules, said)
    if explanation.approximation_path is not None:
        lines.append(_path_line(explanation.approximation_path, said))
    return _lines(lines)


def _is_outcome(label: Label, decided: Decided | None) -> bool:
    return decided is not None and any(band.outcome == label for band in decided.bands or [])


def _change_lines(changes: Changes, said: Said) -> list[str]:
    """Return a line for each change that gives the wished outcome; the summary says so where there is none."""
    return [
        f"{changes.outcome_text or said(changes.outcome)} if {' and '.join(part.text for part in option.changes)}"
        for option in changes.options
    ]


def _decision_line(decided: Decided, said: Said) -> str:
    """Return the outcome, the score that decides, and where the bands end."""
    score = "value" if isinstance(decided.score_of, Unset) else f"score of {said(decided.score_of)}"
    bands = [
        f"{said(band.outcome)} below {number(band.below)}"
        if isinstance(band.below, float | int)
        else said(band.outcome)
        for band in decided.bands or []
    ]
    ends = f" ({', '.join(bands[:-1])}, else {bands[-1]})" if bands else ""
    return f"Decision: {decided.outcome_text or said(decided.outcome)}, by the {score}, {number(decided.score)}{ends}"


def _effect_lines(effects: Effects, said: Said) -> list[str]:
    """Return what the effects are on and against, then a line for each feature, and one for all others."""
    from leafspace_drawings.words import reference_case  # importing the client stays quick

    of = "" if isinstance(effects.of, Unset) else f" of {said(effects.of)}"
    words = {"probability": "score", "log_odds": "log-odds"}.get(effects.scale, effects.scale)
    scores = f"{number(effects.reference.score)} to {number(effects.score)}"
    reference = effects.reference.to_dict()
    if effects.reference.outcome:
        reference["outcome"] = effects.reference.outcome_text or said(effects.reference.outcome)
    begin = f"Effects on the {words}{of}, from {reference_case(reference)}: {scores}"
    features = [
        f"   {_signed(each.effect)} {each.feature_text or each.feature}{_values(each)}{_points(each)}"
        f"{', protected' if each.protected else ''}"
        for each in effects.features
    ]
    n_others = effects.rest.n_features
    others = "1 other feature" if n_others == 1 else f"{n_others:,} other features"
    return [begin, *features, *([f"   {_signed(effects.rest.effect)} {others}"] if n_others else [])]


def _values(effect: FeatureEffect) -> str:
    """Return the values of the row and of the reference case, where there are any."""
    if isinstance(effect.value, Unset):
        return ""
    pairs = ((effect.value, effect.value_text), (effect.reference_value, effect.reference_text))
    known = [words or _cell(value) for value, words in pairs if not isinstance(value, Unset)]
    return f" ({', there '.join(dict.fromkeys(known))})"


def _cell(value: Any) -> str:  # of a row
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, float | int) else str(received(value))


def _points(effect: FeatureEffect) -> str:
    return "" if isinstance(effect.points, Unset) else f", {_signed(effect.points)} in probability"


def _signed(size: float) -> str:
    """Return a difference with its sign, in three digits."""
    return f"{'+' if size >= 0 else ''}{number(float(f'{size:.3g}'))}"


def _near(near: NearestPrototype | NearestRow | Contrast, said: Said) -> str:
    return f"row {near.row_id} ({_case(near, said)}), proximity {_percent(near.proximity)}"


def _case(case: NearestPrototype | NearestRow | Contrast | Prototype | Criticism, said: Said) -> str:
    """Return what the model predicts for a row, and what came of it where that differs."""
    from leafspace_drawings.words import outcome  # importing the client stays quick

    known = [_given(case, "predicted"), _given(case, "label"), _given(case, "value")]
    predicted = next(each for each in known if each is not None)
    actual = _given(case, "target")
    return outcome(said(predicted), None if actual is None else said(actual))


def _given(case: object, name: str) -> Any:  # a label, a number or None
    value = getattr(case, name, None)
    return None if isinstance(value, Unset) else value


def tenths(share: float) -> str:
    """Return a share in per cent with one decimal, or with as many as tell it from 0 and from 1."""
    from leafspace_drawings import words  # importing the client stays quick

    return words.tenths(share)


def _percent(share: float) -> str:
    from leafspace_drawings.words import share as percent  # importing the client stays quick

    return percent(share)


def _reasons(reasons: Sequence[Reason] | Sequence[Difference]) -> list[str]:
    return [f"   {reason.text}" for reason in reasons]


def _questions(differences: Sequence[Difference]) -> list[str]:
    """Return what the trees ask that separate two rows, below a line that says so."""
    return ["   The trees that tell the two apart ask most often", *_reasons(differences)] if differences else []


def _firing_rules(rules: Sequence[FiringRule], said: Said) -> list[str]:
    """Return the rules that hold: all decide by their weights, or the first alone."""
    if any(rule.weight for rule in rules):
        return [f"Rule {rule.rank} (weight {_weight(rule)}): {_condition_of(rule, said)}" for rule in rules]
    holds = ["decides", *["holds, too"] * len(rules)]
    return [f"Rule {rule.rank} {word}: {_condition_of(rule, said)}" for rule, word in zip(rules, holds, strict=False)]


def describe_rules(rules: Sequence[Rule], default_prediction: float | str, said: Said) -> str:
    """Return rules one a line, in the order in which they are tested; with their weights where these decide."""
    if any(rule.weight for rule in rules):
        weighted = [f"weight {_weight(rule)}: {_weighted(rule)}" for rule in rules]
        second = rules[0].scores[1].label if rules[0].scores else None
        of_share = "" if second is None else f" of the share of {said(second)}, which is predicted above 50%"
        return _lines([f"weighted mean of the rules that hold{of_share}:", *weighted])
    return _lines([*(_rule(rule, said) for rule in rules), f"otherwise {said(default_prediction)}"])


def describe_tree(nodes: Sequence[ApproximationNode], said: Said) -> str:
    """Return a tree one node a line; below a condition its two branches."""
    return _lines("  " * node.depth + line for node, line in zip(nodes, _node_lines(nodes, said), strict=True))


def _lines(lines: Iterable[str]) -> str:
    """Return lines as a text, with characters escaped that would turn a line round or end it."""
    return "\n".join("".join(each if each.isprintable() else ascii(each)[1:-1] for each in line) for line in lines)


def number(value: float | None) -> str:
    """Return a number in six digits, or in all that are before its point; only beyond 20 places with an exponent."""
    if value is None:
        return "missing"
    text = f"{value:,.6g}"
    if "e" not in text or not _LEAST_WRITTEN_OUT <= abs(value) < _MOST_WRITTEN_OUT:
        return text
    return f"{value:,.0f}" if abs(value) > 1 else f"{Decimal(text):f}"


def _weighted(rule: Rule) -> str:
    """Return the value of a rule, or its share of the second class, which is what is averaged."""
    share = tenths(rule.scores[1].value) if rule.scores else number(float(rule.prediction))
    return f"{share} {rule.text if rule.text == _ALWAYS else f'if {rule.text}'}"


def _weight(rule: Rule | FiringRule) -> str:
    return f"{rule.weight or 0:.3g}"


def _path_line(path: ApproximationPath, said: Said) -> str:
    conditions = ", ".join(map(_answered, path.nodes)) or "no condition"
    agrees = "" if isinstance(path.agrees, Unset) else ", as the model" if path.agrees else ", unlike the model"
    return f"In the tree: {conditions}: {said(path.leaf.prediction)}{agrees}."


def _answered(node: PathNode) -> str:
    return f"{node.text}? {'yes' if node.holds else 'no'}"


def _node_lines(nodes: Sequence[ApproximationNode], said: Said) -> list[str]:
    answers = [""] * len(nodes)
    for node in nodes:
        if node.left is not None and node.right is not None:
            answers[node.left], answers[node.right] = "yes: ", "no: "
    texts = [_leaf(node, said) if node.text is None else f"{node.text}?" for node in nodes]
    return [answer + line for answer, line in zip(answers, texts, strict=True)]


def _leaf(node: ApproximationNode, said: Said) -> str:
    share = next((f" ({_percent(score.value)})" for score in node.scores if score.label == node.prediction), "")
    return f"{said(node.prediction)}{share}"


def _rule(rule: Rule | FiringRule, said: Said) -> str:
    return f"{rule.rank}. {_condition_of(rule, said)}"


def _condition_of(rule: Rule | FiringRule, said: Said) -> str:
    condition = rule.text if rule.text == _ALWAYS else f"if {rule.text} then"
    return f"{condition} {said(rule.prediction)}"


def describe_prototypes(result: PrototypeSetResult) -> str:
    """Return the prototypes of a ready set, how near they are to the best there can be, and how well they predict."""
    own, said = result.evaluation[-1], outcome_words(result.outcome_texts)
    scores = {
        f"nearest of {own.n_prototypes} prototypes": own,
        "nearest of all rows": result.baseline.one_nearest_neighbor,
        "model": result.baseline.model,
    }
    lines = [
        *(_prototype(each, said) for each in result.prototypes),
        *_certificates(result),
        *_row_coverage(result),
        *_leaf_choice(result),
    ]
    if result.classes_without_prototypes:
        lacking = ", ".join(repr(said(each)) for each in result.classes_without_prototypes)
        lines.append(f"Classes without a prototype: {lacking}.")
    lines += _criticisms(result, said)
    lines += [
        _measured_on(result.evaluated_on, result.quality.n_rows),
        *_scores(scores, result.baseline.constant, said),
    ]
    return "\n".join([*lines, *caution_lines(result)])


def _leaf_choice(found: PrototypeSetResult) -> Iterator[str]:
    """Yield in which leaves rows are compared, where these were chosen by what nearest prototypes predict."""
    from leafspace_drawings.words import counted  # importing the client stays quick

    choice = found.leaf_choice
    if not isinstance(choice, LeafChoice) or choice.decided_by != "score":
        return
    used = next(
        step
        for step in found.leaf_steps or ()
        if (step.min_leaf_rows, step.proximity_kind) == (found.min_leaf_rows, found.proximity_kind)
    )
    n_used, n_before = (counted(each, "row") for each in (used.min_leaf_rows, choice.min_leaf_rows_by_coverage))
    yield (
        f"Rows are compared by leaves of at least {n_used}, by {used.proximity_kind}: nearest "
        f"prototypes predict better by {used.gain:.3g} ± {used.standard_error:.2g} ({choice.measure}) than in leaves "
        f"of at least {n_before}, which reach enough rows, too."
    )


def describe_suspects(found: LabelAuditResult) -> str:
    """Return the rows of an audit whose labels look most wrong, one a line, and how many there are."""
    said = outcome_words(found.outcome_texts)
    suspects = [row for row in found.rows if row.suggested_label is not None]
    lines = [
        f"{row.rank}. row {row.row_id}: labelled {said(row.label)}, suggested {said(row.suggested_label or row.label)} "
        f"({tenths(row.agreement or 0)} of the votes agree with its label{_own_score(row)})"
        for row in suspects[:_N_SUSPECTS]
    ]
    n_more, estimated = found.n_suggested - len(lines), describe_wrong_labels(found)
    lines += [f"and {n_more:,} more to look at"] if n_more > 0 else []
    if estimated is not None:
        lines.append(f"Labels that are wrong, of {found.n_rows:,}: {estimated}.")
    elif lines:
        lines.append("These are rows to look at, and no count of errors.")
    return "\n".join([*(lines or ["No other label is suggested."]), *caution_lines(found)])


def describe_wrong_labels(found: LabelAuditResult) -> str | None:
    """Return how many labels an audit estimates to be wrong, in words; ``None`` without an estimate."""
    wrong = found.estimated_wrong
    if not isinstance(wrong, EstimatedWrong):
        return None
    return f"about {wrong.number:,} ({wrong.low:,} to {wrong.high:,} with a probability of {wrong.level:.0%})"


def _own_score(row: AuditedRow) -> str:
    """Return the model's probability of an audited row's label in words; nothing where it does not count."""
    return f", to which the model gives {tenths(row.score)}" if isinstance(row.score, float) else ""


def _criticisms(result: PrototypeSetResult, said: Said) -> Iterator[str]:
    """Yield the first rows that prototypes represent least; nothing of a set that is older than these."""
    if not result.criticisms:
        return
    shown = [
        f"row {each.row_id} ({_case(each, said)}, proximity {each.proximity:.3g})"
        for each in result.criticisms[:_N_CRITICISMS]
    ]
    n_more = len(result.criticisms) - len(shown)
    yield f"Represented least: {', '.join(shown)}{f' and {n_more} more' if n_more else ''}."


def _row_coverage(result: PrototypeSetResult) -> Iterator[str]:
    """Yield how many rows are near a prototype, and by which leaves; nothing of a set that is older than these."""
    if not result.row_coverage:
        return
    share, minimum = result.row_coverage.share, result.row_coverage.minimum_proximity
    leaves = "the trees' own leaves" if result.min_leaf_rows == 1 else f"leaves of {result.min_leaf_rows} rows or more"
    trees = "" if result.n_trees_used == result.n_trees else f" in {result.n_trees_used} of {result.n_trees} trees"
    yield f"By {leaves}{trees}, {tenths(share)} of the rows have a proximity of at least {minimum:.0%} to one of them."


def describe_rule_figures(result: RuleSetResult) -> str:
    """Return how well the rules of a ready set predict."""
    evaluation: RuleSetEvaluation = result.evaluation
    scores: dict[str, Any] = {"printed rules": evaluation.as_printed}
    if evaluation.as_fitted:  # a rule list has no regions
        scores["regions (MAP)"] = evaluation.as_fitted
    scores["model"] = evaluation.model
    return _figures(result, evaluation, scores)


def describe_tree_figures(result: ApproximationTreeResult) -> str:
    """Return how well a ready tree approximates the model."""
    from leafspace_drawings.tree_texts import of_repeats, of_validation  # as above

    evaluation: ApproximationTreeEvaluation = result.evaluation
    figures = _figures(result, evaluation, {"tree": evaluation, "model": evaluation.model})
    return "\n".join([figures, *of_validation(result), *of_repeats(result)])


def _figures(result: Any, evaluation: Any, scores: dict[str, Any]) -> str:  # of several nouns
    is_of_model = getattr(evaluation, "measured_against", None) == "model"
    head = _measured_on(evaluation.evaluated_on, evaluation.n_rows, " against the model" if is_of_model else "")
    measures = {name: words for name, words in _MEASURES.items() if not (is_of_model and name in _ERRORS)}
    said = outcome_words(result.outcome_texts)
    return "\n".join([head, *_scores(scores, evaluation.constant, said, measures), *caution_lines(result)])


def _measured_on(evaluated_on: str, n_rows: int, against: str = "") -> str:
    rows = (
        "rows of evaluation_dataset" if evaluated_on == "evaluation_dataset" else "rows, the rows that it was made from"
    )
    return f"Measured{against} on {n_rows:,} {rows}:"


def _scores(  # of several nouns
    scores: dict[str, Any], constant: Any, said: Said, measured: Iterable[str] = _MEASURES
) -> Iterator[str]:
    """Yield a line for each that is scored; the constant prediction's has the measures of the first."""
    measures = [name for name in measured if _is_number(getattr(next(iter(scores.values())), name, None))]
    scored = {name: own for name, own in scores.items() if own}
    if constant:
        has_fidelity = any(_is_number(getattr(constant, name, None)) for name in measures if "fidelity" in name)
        scored[_constant(constant, said, has_fidelity=has_fidelity)] = constant
    for name, own in scored.items():
        known = [measure for measure in measures if _is_number(getattr(own, measure, None))]
        yield f"  {name}: {', '.join(_measure(measure, getattr(own, measure)) for measure in known)}"


def _constant(constant: Any, said: Said, *, has_fidelity: bool) -> str:  # of several nouns
    of_truth, of_model = (_prediction(each, said) for each in (constant.prediction, constant.model_prediction))
    is_one = of_truth == of_model or not has_fidelity
    return f"always {of_truth}" if is_one else f"always {of_truth}, for fidelity always {of_model}"


def _measure(name: str, value: float) -> str:
    words = _MEASURES[name]
    if name in _SHARES:
        return f"{words} {tenths(value)}"
    return f"{words} {number(value)}" if name in _IN_UNITS_OF_THE_TARGET else f"{words} {value:.3f}"


def _certificates(result: Any) -> Iterator[str]:  # see above
    if result.certificate is None:
        yield "Rows are compared by plain distance, not by the trees, so that no bound is known."
        return
    n_prototypes = "1 prototype" if result.n_selected == 1 else f"{result.n_selected:,} prototypes"
    yield f"Surely {tenths(result.all_rows_certificate)} of the best that {n_prototypes} among all rows could reach."
    if result.certificate_scope == "candidates":
        yield (
            f"Surely {tenths(result.certificate)} of the best that {n_prototypes} among the {result.n_candidates:,} "
            "sampled candidates could reach."
        )


def caution_lines(result: Any) -> list[str]:  # see above
    """Return a line for each caution of a result, with what can be requested instead."""
    return [f"Caution: {'; '.join(filter(None, (each.detail, each.remedy)))}." for each in result.cautions or ()]


def _prototype(prototype: Prototype, said: Said) -> str:
    represented = f"{prototype.coverage.n_rows:,} rows ({_percent(prototype.coverage.share)})"
    return f"{prototype.rank}. row {prototype.row_id} ({_case(prototype, said)}) represents {represented}"


def _prediction(value: float | str, said: Said) -> str:
    return repr(said(value)) if isinstance(value, str) else number(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
