"""What evaluations found in sentences: by their job, and in the words of a dictionary whenever one is read."""

from collections.abc import Callable, Iterator

from leafspace_drawings.words import counted, number, share, tenths

from schemas.evaluations import ClassificationEvaluation, ErrorRegion, EvaluationResult, RegressionEvaluation


def summary_of_evaluation(result: EvaluationResult, class_name: Callable[[str], str] = str) -> str:
    """Return what was found, in a few sentences; ``class_name`` returns what a class is called."""
    return " ".join(_sentences(result, class_name))


def _sentences(result: EvaluationResult, class_name: Callable[[str], str]) -> Iterator[str]:
    if result.classification is not None:
        yield from _of_classes(result.classification, result.n_evaluated, class_name)
    if result.regression is not None:
        yield _of_values(result.regression, result.n_evaluated)
    if result.regions:
        yield _of_region(result.regions[0], is_share=result.classification is not None)


def _of_classes(measured: ClassificationEvaluation, n_rows: int, class_name: Callable[[str], str]) -> Iterator[str]:
    accuracy = measured.accuracy
    assert accuracy.share is not None  # a row at least is evaluated
    assert accuracy.interval is not None  # likewise
    yield (
        f"{accuracy.n_counted:,} of {counted(n_rows, 'label')} are predicted ({tenths(accuracy.share)}, 95 % interval "
        f"{tenths(accuracy.interval.low)} to {tenths(accuracy.interval.high)}); always answering "
        f"“{class_name(measured.constant)}” would predict {tenths(measured.constant_accuracy)}. With each class "
        f"counted alike the model predicts {tenths(measured.balanced_accuracy.value)}, and always the same answer "
        f"{tenths(measured.balanced_accuracy.constant or 0)}."
    )
    if len(measured.outcomes) == 1 and (area := measured.outcomes[0].roc_area) is not None:
        outcome = class_name(measured.outcomes[0].outcome)
        between = (
            "" if area.interval is None else f" (95 % interval {area.interval.low:.3f} to {area.interval.high:.3f})"
        )
        yield f"The area under the ROC curve of “{outcome}” is {area.value:.3f}{between}."


def _of_values(measured: RegressionEvaluation, n_rows: int) -> str:
    error, r2 = measured.mean_absolute_error, measured.r2
    spread = "" if r2 is None else f"; R² is {r2.value:.3f}"
    constant = "" if error.constant is None else f", always answering the median by {number(error.constant)}"
    return f"Predictions of {counted(n_rows, 'value')} are off by {number(error.value)} on average{constant}{spread}."


def _of_region(first: ErrorRegion, *, is_share: bool) -> str:
    inside = f"{share(first.error)} are wrong" if is_share else f"predictions are off by {number(first.error)}"
    outside = ""
    if first.error_outside is not None:
        outside = f" ({share(first.error_outside) if is_share else number(first.error_outside)} elsewhere)"
    return f"Where {first.text}, {inside}{outside}: {share(first.share_of_errors)} of all errors."
