"""How often a classifier is right, by class, by cut-off of a class's score, and how far scores are probabilities."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.evaluations import (
    MAX_CELLS,
    MAX_CLASSES,
    MAX_OUTCOMES,
    MAX_POINTS,
    MAX_POINTS_OF_MANY,
    Calibration,
    CalibrationBin,
    ClassificationEvaluation,
    ConfusionCell,
    CurvePoint,
    CutoffFigures,
    EvaluatedClass,
    OutcomeEvaluation,
)
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.evaluations.curve_areas import average_precision, roc_area
from tree_explainers.evaluations.cutoff_counts import CutoffCounts
from tree_explainers.evaluations.error_figures import (
    Figure,
    balanced_accuracy,
    entropy,
    log_losses,
    loss_figure,
)
from tree_explainers.evaluations.rank_bins import rank_bins
from tree_explainers.prediction_scores import constant_class

from .evaluation_figures import figure_view, share_of, share_where
from .evaluation_rows import EvaluatedRows

_N_BINS = 10
_SHARES = np.arange(1, 20) / 20  # of the rows, that cut-offs are shown for
_USUAL_CUTOFF = 0.5  # of two classes


def positive_class(rows: EvaluatedRows, requested: str | None) -> int | None:
    """Return the index of the class that figures are about; ``None`` where each of several is, or none."""
    if requested is not None:
        return rows.classes.index(requested)
    rule = rows.model.description.decision
    if rule is not None and rule.score_of is not None:
        return rows.classes.index(rule.score_of)
    return 1 if len(rows.classes) == 2 else None  # of two the second


def evaluate_classes(rows: EvaluatedRows, positive: int | None, report: ReportProgress) -> ClassificationEvaluation:
    """Return how often predicted classes are right."""
    truth, labels = rows.truth.classes, rows.labels
    assert truth is not None  # of a classifier
    assert labels is not None  # likewise
    n_classes = len(rows.classes)
    n_rows, n_predicted = (np.bincount(each, minlength=n_classes) for each in (truth, labels))
    n_right = np.bincount(truth[truth == labels], minlength=n_classes)
    most = np.argsort(-n_rows, kind="stable")
    chosen = [positive] if positive is not None else np.sort(most[:MAX_OUTCOMES]).tolist()
    constant = constant_class(truth)
    log_loss = None
    if are_probabilities(rows):
        of_labels = rows.scores[np.arange(rows.n_rows), truth]
        log_loss = figure_view(loss_figure(log_losses(of_labels)), entropy(n_rows))
    outcomes = []
    for index, each in enumerate(chosen):
        report(index / len(chosen), "evaluating cut-offs")
        outcomes.append(_evaluate_outcome(rows, each, MAX_POINTS if len(chosen) == 1 else MAX_POINTS_OF_MANY))
    return ClassificationEvaluation(
        n_classes=n_classes,
        accuracy=share_where(truth == labels),
        constant=rows.classes[constant],
        constant_accuracy=float(n_rows[constant] / rows.n_rows),
        balanced_accuracy=figure_view(balanced_accuracy(n_right, n_rows), 1 / int(np.count_nonzero(n_rows))),
        log_loss=log_loss,
        classes=[
            EvaluatedClass(
                label=rows.classes[each],
                n_rows=int(n_rows[each]),
                n_predicted=int(n_predicted[each]),
                recall=share_of(int(n_right[each]), int(n_rows[each])),
                precision=share_of(int(n_right[each]), int(n_predicted[each])),
            )
            for each in np.sort(most[:MAX_CLASSES]).tolist()
        ],
        confusion=_confusion(rows, truth, labels),
        outcomes=outcomes,
    )


def are_probabilities(rows: EvaluatedRows) -> bool:
    """Return whether scores claim to be probabilities."""
    return rows.model.description.score_kind == "probability"


def _confusion(rows: EvaluatedRows, truth: NDArray[np.int64], labels: NDArray[np.int64]) -> list[ConfusionCell]:
    """Return how many rows have each label and prediction, the most frequent first."""
    n_classes = len(rows.classes)
    cells, counts = np.unique(truth * n_classes + labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MAX_CELLS]
    return [
        ConfusionCell(label=rows.classes[cell // n_classes], predicted=rows.classes[cell % n_classes], n_rows=count)
        for cell, count in zip(cells[order].tolist(), counts[order].tolist(), strict=True)
    ]


def _evaluate_outcome(rows: EvaluatedRows, positive: int, most_points: int) -> OutcomeEvaluation:
    """Return a class against all others."""
    is_positive = np.asarray(rows.truth.classes == positive)
    scores = rows.scores[:, positive]
    counts = CutoffCounts.of(scores, is_positive)
    area, precision = roc_area(counts), average_precision(counts)
    has_both = counts.n_positives > 0 < counts.n_negatives
    share = counts.n_positives / rows.n_rows
    return OutcomeEvaluation(
        outcome=rows.classes[positive],
        share=share_of(counts.n_positives, rows.n_rows),
        roc_area=None if area is None else figure_view(Figure(*area), 0.5),
        average_precision=None if precision is None else figure_view(Figure(*precision), share),
        points=list(_curve_points(counts, most_points)) if has_both else [],
        cutoffs=_cutoffs(rows, positive, counts),
        calibration=_calibration(scores, is_positive) if are_probabilities(rows) else None,
    )


def _curve_points(counts: CutoffCounts, most: int) -> Iterator[CurvePoint]:
    """Yield points from the cut-off that no score reaches to the one that all do."""
    yield CurvePoint(cutoff=None, true_positive_rate=0.0, false_positive_rate=0.0, precision=None)
    true, false = counts.predicted
    for at in counts.spaced(most - 1).tolist():
        yield CurvePoint(
            cutoff=float(counts.scores[at]),
            true_positive_rate=int(true[at]) / counts.n_positives,
            false_positive_rate=int(false[at]) / counts.n_negatives,
            precision=int(true[at]) / int(true[at] + false[at]),
        )


def _cutoffs(rows: EvaluatedRows, positive: int, counts: CutoffCounts) -> list[CutoffFigures]:
    """Return the model's own cut-off, those of its decision, and those that shares of the rows reach."""
    known: dict[float, CutoffFigures] = {}
    own = _own_cutoff(rows, positive)
    if own is not None:
        known[own] = _cutoff_figures(counts, own, "model", None)
    rule = rows.model.description.decision
    if rule is not None and rule.score_of == rows.classes[positive]:
        # In the scores' own precision, as bands are.
        ends = np.array(rule.ends, rows.scores.dtype).astype(np.float64).tolist()
        for end, shown, outcome in zip(ends, rule.ends, rule.outcomes[1:], strict=True):
            known[end] = _cutoff_figures(counts, end, "band", outcome).model_copy(update={"cutoff": shown})
    for cutoff in np.unique(counts.reached_by(_SHARES)).tolist():
        known.setdefault(cutoff, _cutoff_figures(counts, cutoff, "share", None))
    return [known[cutoff] for cutoff in sorted(known, reverse=True)]


def _own_cutoff(rows: EvaluatedRows, positive: int) -> float | None:
    """Return the score from which on the class is predicted; None where no single one separates the rows."""
    assert rows.labels is not None  # a classifier's
    scores, is_predicted = rows.scores[:, positive], rows.labels == positive
    if np.array_equal(scores >= _USUAL_CUTOFF, is_predicted):
        return _USUAL_CUTOFF
    if not is_predicted.any():
        return None
    lowest = scores[is_predicted].min()
    return float(lowest) if np.array_equal(scores >= lowest, is_predicted) else None


def _cutoff_figures(
    counts: CutoffCounts, cutoff: float, source: Literal["model", "band", "share"], outcome: str | None
) -> CutoffFigures:
    true, false = counts.at(cutoff)
    n_positives, n_negatives = counts.n_positives, counts.n_negatives
    n_rows = n_positives + n_negatives
    return CutoffFigures(
        cutoff=cutoff,
        source=source,
        outcome=outcome,
        true_positive_rate=share_of(true, n_positives),
        false_positive_rate=share_of(false, n_negatives),
        precision=share_of(true, true + false),
        predicted=share_of(true + false, n_rows),
        accuracy=share_of(true + n_negatives - false, n_rows),
    )


def _calibration(scores: NDArray[np.floating], is_positive: NDArray[np.bool_]) -> Calibration:
    """Return how far the scores are the probabilities that they claim to be."""
    probabilities, share = scores.astype(np.float64), float(is_positive.mean())
    bins = [_calibration_bin(probabilities[rows], is_positive[rows]) for rows in rank_bins(scores, _N_BINS)]
    gaps = [each.observed.n_rows * abs(each.mean_score - (each.observed.share or 0)) for each in bins]
    return Calibration(
        mean_score=float(probabilities.mean()),
        brier_score=figure_view(loss_figure((probabilities - is_positive) ** 2), share * (1 - share)),
        calibration_error=sum(gaps) / len(scores),
        bins=bins,
    )


def _calibration_bin(scores: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> CalibrationBin:
    return CalibrationBin(
        low=float(scores.min()),
        high=float(scores.max()),
        mean_score=float(scores.mean()),
        observed=share_where(is_positive),
    )
