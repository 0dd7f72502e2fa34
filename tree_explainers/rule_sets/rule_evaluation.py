"""Printed rules on rows that lie in partitions: where their thresholds may be, of which rows they hold, how they score.

Raw values are read where the rows lie, of those columns alone that conditions are about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.pairwise_sums import BlockSum, total_of
from ..prediction_scores import PredictionScores, Targets
from ..questions.binned_rows import Layout
from ..questions.statements import Statements
from .regions import BinTables, RegionModel, nearest_regions
from .row_parts import Floats, Ints, RowParts, RowsPart, sum_of_squares, sum_of_values
from .rule_lists import FiringCounts, PrintedRules, RuleList

# Values: where thresholds may be.


@dataclass(frozen=True, slots=True)
class ValueRanges:
    """The ends of the training values in each bin of some features."""

    statements: Statements
    ends: dict[int, tuple[Floats, Floats]]  # by feature: the least and the largest value in each bin, (n_bins,) each
    n_rows: Ints  # (n_bins,) in each bin of all features

    @staticmethod
    def of(rows: RowParts, features: Sequence[int]) -> "ValueRanges":
        """Return the ranges of some features.

        Values count both as they are and as the model rounds them, so that a threshold in between separates them with
        and without rounding.
        """
        numbers = [feature for feature in features if rows.statements.features[feature].is_number]
        ends: dict[int, tuple[Floats, Floats]] = {}
        for of_part in rows.map(_ends_of_part, numbers) if numbers else ():
            for feature, range_ in zip(numbers, of_part, strict=True):
                low, high = ends.get(feature, range_)
                ends[feature] = (np.minimum(low, range_[0]), np.maximum(high, range_[1]))
        return ValueRanges(rows.statements, ends, rows.bin_counts)

    def gap(self, feature: int, cut: int) -> tuple[float, float]:
        """Return the largest value not above a cut of a number, and the smallest above it; infinite where none is."""
        low, high = self.ends[feature]
        missing_bin = self.statements.features[feature].missing_bin
        return float(high[: cut + 1].max(initial=-np.inf)), float(low[cut + 1 : missing_bin].min(initial=np.inf))

    def has_missing(self, feature: int) -> bool:
        """Return whether some training row misses a feature."""
        return bool(self.n_rows[self.statements.bin_starts[feature + 1] - 1])


def _ends_of_part(part: RowsPart, features: Sequence[int]) -> list[tuple[Floats, Floats]]:
    statements = part.binned.statements
    of_features = [statements.features[feature] for feature in features]
    ends = [(np.full(each.n_bins, np.inf), np.full(each.n_bins, -np.inf)) for each in of_features]
    for rows in part.blocks():
        for at, column in enumerate(part.raw_values([each.name for each in of_features], rows).columns):
            values = column.astype(np.float64)
            with np.errstate(over="ignore"):
                rounded = values.astype(statements.precision).astype(np.float64)
            bins = part.binned.bins[features[at], rows]
            np.fmin.at(ends[at][0], bins, np.fmin(values, rounded))  # which pass over missing values
            np.fmax.at(ends[at][1], bins, np.fmax(values, rounded))
    return ends


# Scores, of sums over rows alone.


class Predictor(Protocol):
    """Predicts rows from which rules hold for them."""

    def predict(self, fires: NDArray[np.bool_]) -> NDArray[np.int64] | Floats:
        """Return the class or value of rows, (n_rows,); ``fires`` is (n_rows, n_rules)."""


@dataclass(frozen=True, slots=True)
class TargetSums:
    """What is known of the targets of rows before anything is predicted for them."""

    n_rows: int
    of_truth: Floats  # (n_classes,) rows of each class; of values: their mean, and the sum of squares about it
    of_model: Floats  # the same of what the model predicts
    is_regression: bool
    has_truth: bool  # otherwise the model's predictions count as the truth

    @staticmethod
    def of(rows: RowParts) -> "TargetSums":
        """Return the sums of rows whose parts know what the model predicts for them, and perhaps their truth."""
        has_truth = next(iter(rows.map(_has_truth)))
        if not rows.is_regression:
            counts = rows.counts(_count_targets).reshape(2, -1).astype(np.float64)
            return TargetSums(rows.n_rows, counts[0], counts[1], is_regression=False, has_truth=has_truth)
        means = rows.sums(_sum_targets) / rows.n_rows
        squares = rows.sums(_squares_of_targets, means)
        both = np.stack([means, squares], axis=1)
        return TargetSums(rows.n_rows, both[0], both[1], is_regression=True, has_truth=has_truth)

    @property
    def constants(self) -> tuple[int | float, int | float]:
        """The constants that predict the truth and the model best: the commonest class (ties: the first), the mean."""
        if self.is_regression:
            return float(self.of_truth[0]), float(self.of_model[0])
        return int(self.of_truth.argmax()), int(self.of_model.argmax())

    def scores(self, sums: Floats) -> PredictionScores:
        """Return the scores of predictions, of which these are the sums (``_score_sums``)."""
        first, second = np.split(sums, 2)
        if self.is_regression:
            return PredictionScores(
                mean_squared_error=float(first[0]) / self.n_rows,
                r2=_r2(float(first[0]), float(self.of_truth[1])),
                fidelity=_r2(float(second[0]), float(self.of_model[1])),
            )
        return PredictionScores(
            error=float(first.sum()) / self.n_rows,
            balanced_error=_balanced(first, self.of_truth),
            fidelity=float(second.sum()) / self.n_rows,
            balanced_fidelity=_balanced(second, self.of_model),
        )

    def scores_of_constants(self) -> PredictionScores:
        """Return the scores of constants: each measure is that of the constant that is best at it."""
        if self.is_regression:
            return self.scores(np.array([self.of_truth[1], self.of_model[1]]))
        truth, model = self.constants
        classes = np.arange(len(self.of_truth))
        wrong, alike = np.where(classes == truth, 0, self.of_truth), np.where(classes == model, self.of_model, 0)
        return self.scores(np.concatenate([wrong, alike]))


def _r2(squares: float, spread: float) -> float | None:
    return 1 - squares / spread if spread > 0 else None


def _balanced(n_held: Floats, n_rows: Floats) -> float:
    return float((n_held[n_rows > 0] / n_rows[n_rows > 0]).mean())


# Rules, on all rows.


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """What printed rules do on rows."""

    targets: TargetSums
    firing: FiringCounts
    as_printed: PredictionScores
    as_fitted: PredictionScores | None  # of the regions that were fitted, where there are any
    of_model: PredictionScores | None  # of the model itself, where rows have a truth


def evaluate_rules(
    rows: RowParts, printed: PrintedRules, rules: RuleList, predictor: Predictor, regions: RegionModel | None
) -> RuleFigures:
    """Evaluate printed rules on rows, which know their raw values, and what the model predicts for them.

    Parameters
    ----------
    rows
        In parts that have ``raw`` and ``predicted``, and perhaps ``truth``.
    printed
        The rules' conditions.
    rules
        What each of them predicts.
    predictor
        What they predict together.
    regions
        The regions that they were made from, for those who compare.
    """
    fitted = None
    if regions is not None:
        fitted = BinTables.of(regions, Layout.of(rows.statements)), regions.predictions()
    targets, firing, sums = TargetSums.of(rows), None, []
    for counts, of_part in rows.map(_evaluate_part, printed, rules, predictor, fitted):
        firing = counts if firing is None else firing.plus(counts)
        sums += of_part
    assert firing is not None  # for the type checker: there is at least one part
    by_predictor = total_of(sums).reshape(3, -1)
    return RuleFigures(
        targets,
        firing,
        as_printed=targets.scores(by_predictor[0]),
        as_fitted=None if fitted is None else targets.scores(by_predictor[1]),
        of_model=targets.scores(by_predictor[2]) if targets.has_truth else None,
    )


Fitted = tuple[BinTables, NDArray[np.int64] | Floats]


def _evaluate_part(
    part: RowsPart, printed: PrintedRules, rules: RuleList, predictor: Predictor, fitted: Fitted | None
) -> tuple[FiringCounts, list[BlockSum]]:
    """Return the rules' counts, and the sums of what rules, regions and model predict, one after the other."""
    names = {condition.column for conditions in printed.rules for condition in conditions}
    predicted = _predicted(part)
    regions = None if fitted is None else fitted[1][nearest_regions(part, fitted[0])]
    counts: list[FiringCounts] = []

    def of_block(rows: slice) -> Floats:
        fires = printed.fires(part.raw_values(sorted(names), rows))
        counts.append(FiringCounts.of(rules, fires, part.targets.take(np.arange(rows.start, rows.stop))))
        by_rules = _score_sums(predictor.predict(fires), part, rows)
        by_regions = np.zeros_like(by_rules) if regions is None else _score_sums(regions[rows], part, rows)
        return np.concatenate([by_rules, by_regions, _score_sums(predicted.classes_or_values[rows], part, rows)])

    sums = part.sums(of_block)
    total = counts[0]
    for count in counts[1:]:
        total = total.plus(count)
    return total, sums


def _score_sums(predicted: NDArray[np.int64] | Floats, part: RowsPart, rows: slice) -> Floats:
    """Return the wrong rows of each true class, and those alike of each of the model's; of values: sums of squares."""
    truth, model = (of.classes_or_values[rows] for of in (_truth(part), _predicted(part)))
    if _predicted(part).is_regression:
        return np.array([sum_of_squares(np.asarray(predicted - of, np.float64), 0.0) for of in (truth, model)])
    n_classes = _predicted(part).n_classes
    wrong, alike = np.bincount(truth[predicted != truth], minlength=n_classes), model[predicted == model]
    return np.concatenate([wrong, np.bincount(alike, minlength=n_classes)]).astype(np.float64)


def _predicted(part: RowsPart) -> Targets:
    assert part.predicted is not None  # those who evaluate rules know what the model predicts
    return part.predicted


def _truth(part: RowsPart) -> Targets:
    return _predicted(part) if part.truth is None else part.truth


def _has_truth(part: RowsPart) -> bool:
    return part.truth is not None


def _count_targets(part: RowsPart) -> Ints:
    n_classes = _predicted(part).n_classes
    both = (of.classes_or_values for of in (_truth(part), _predicted(part)))
    return np.concatenate([np.bincount(classes, minlength=n_classes) for classes in both])


def _sum_targets(part: RowsPart) -> list[BlockSum]:
    both = _values(_truth(part)), _values(_predicted(part))
    return part.sums(lambda rows: np.array([sum_of_values(of[rows]) for of in both]))


def _squares_of_targets(part: RowsPart, means: Floats) -> list[BlockSum]:
    both = _values(_truth(part)), _values(_predicted(part))
    return part.sums(
        lambda rows: np.array([sum_of_squares(of[rows], mean) for of, mean in zip(both, means, strict=True)])
    )


def _values(targets: Targets) -> Floats:
    assert targets.values is not None  # for the type checker: this is a regression
    return targets.values
