"""Rule lists: ordered boxes of bins, of which the first that covers a row decides it; how they predict, and print.

A box admits bins of the training statements; its printed conditions are about raw values, and need neither the model
nor its statements to be applied.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..prediction_scores import Targets
from ..questions.binned_rows import BinnedRows
from ..questions.conditions import Condition, ConditionReader, PrintedValues, conditions_on
from ..questions.statements import FeatureStatements, Statements
from ..rows import Rows
from .regions import RegionModel

CERTAINTY = 1e-6  # kappa: how close to 0 or 1 eta must be for a statement to belong to a region's box


@dataclass(frozen=True, slots=True)
class Box:
    """The bins that a rule admits of each feature it restricts: one interval of a number, a set of categories.

    The bin of missing values is admitted or not like any other. A feature of which every bin is admitted is left out.
    """

    features: tuple[int, ...]  # ascending indices into ``Statements.features``
    admitted: tuple[NDArray[np.bool_], ...]  # (n_bins,) of each of these

    def covers(self, binned: BinnedRows) -> NDArray[np.bool_]:
        """Return the rows that every feature admits, (n_rows,)."""
        covered = np.ones(binned.n_rows, dtype=np.bool_)
        for feature, admitted in zip(self.features, self.admitted, strict=True):
            covered &= admitted[binned.bins[feature]]
        return covered


def boxes_of(model: RegionModel, statements: Statements, certainty: float = CERTAINTY) -> tuple[Box, ...]:
    """Return the box of each region, in the order of regions.

    A statement that is true for a share of the region above ``1 - certainty`` must be true, one with a share below
    ``certainty`` must be false; any other has its boundary inside the region and is no condition. The same statements
    decide whether a missing value is admitted.

    References
    ----------
    Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", section 4.1; the
    default certainty is that of the authors' program.
    """
    starts = statements.statement_starts.tolist()
    boxes = []
    for eta in model.eta:
        admitted = [
            _certain_bins(feature, eta[starts[index] : starts[index + 1]], certainty)
            for index, feature in enumerate(statements.features)
        ]
        restricted = tuple(index for index, bins in enumerate(admitted) if not bins.all())
        boxes.append(Box(restricted, tuple(admitted[index] for index in restricted)))
    return tuple(boxes)


def _certain_bins(feature: FeatureStatements, eta: NDArray[np.float64], certainty: float) -> NDArray[np.bool_]:
    """Return the bins of a feature that agree with the region on every certain statement, (n_bins,)."""
    is_true, is_false = eta > 1 - certainty, eta < certainty
    if feature.answers is not None:
        contradicts = np.concatenate([~feature.answers[is_true], feature.answers[is_false]])
        return ~np.asarray(contradicts.any(axis=0), dtype=np.bool_)
    bins = np.arange(feature.n_bins)
    low = np.flatnonzero(is_true)[-1] + 1 if is_true.any() else 0
    high = np.flatnonzero(is_false)[0] if is_false.any() else len(feature.cuts)
    admitted = (bins >= low) & (bins <= high)
    admitted[feature.missing_bin] = (
        feature.missing_greater[is_true].all() and not feature.missing_greater[is_false].any()
    )
    return admitted


@dataclass(frozen=True, slots=True)
class RuleList:
    """An ordered list of boxes and a default; in the arrays the default comes last."""

    boxes: tuple[Box, ...]
    predictions: NDArray[np.int64] | NDArray[np.float64]  # (n_rules + 1,) class or value
    scores: NDArray[np.float64] | None  # (n_rules + 1, n_classes) share of each class where it decides; None for values
    n_decided: NDArray[np.int64]  # (n_rules + 1,) training rows

    @property
    def n_rules(self) -> int:
        """Number of rules, without the default."""
        return len(self.boxes)

    def fires(self, binned: BinnedRows) -> NDArray[np.bool_]:
        """Return which boxes cover each row, (n_rows, n_rules)."""
        covered = [box.covers(binned) for box in self.boxes]
        return np.array(covered, dtype=np.bool_).reshape(len(self.boxes), binned.n_rows).T

    def predict(self, fires: NDArray[np.bool_]) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return the class or value of rows, (n_rows,), from which rules hold for them, (n_rows, n_rules)."""
        return self.predictions[first_firing(fires)]


def first_firing(fires: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first rule that covers each row, (n_rows,); where none does, the number of rules: the default."""
    none = np.ones((len(fires), 1), dtype=np.bool_)
    first: NDArray[np.int64] = np.concatenate([fires, none], axis=1).argmax(axis=1)
    return first


@dataclass(frozen=True, slots=True)
class FiringCounts:
    """Of how many rows rules hold; counts of several partitions of rows are added."""

    n_rows: int
    n_covered: NDArray[np.int64]  # (n_rules,) rows for which a rule's conditions hold
    n_decided: NDArray[np.int64]  # (n_rules + 1,) rows for which no earlier rule holds; the default comes last
    n_right: NDArray[np.int64]  # (n_rules,) covered rows that are of the rule's class; 0 for values
    n_decided_right: NDArray[np.int64]  # (n_rules,) those of them that it decides

    @staticmethod
    def of(rules: RuleList, fires: NDArray[np.bool_], targets: Targets) -> "FiringCounts":
        """Count the rows for which rules hold, (n_rows, n_rules), and their targets."""
        first = first_firing(fires)
        n_right = n_decided_right = np.zeros(rules.n_rules, np.int64)
        if targets.classes is not None:
            n_right = (fires & (targets.classes[:, None] == rules.predictions[:-1])).sum(axis=0)
            right = first[targets.classes == rules.predictions[first]]
            n_decided_right = np.bincount(right, minlength=rules.n_rules + 1)[:-1]
        n_decided = np.bincount(first, minlength=rules.n_rules + 1)
        return FiringCounts(len(fires), fires.sum(axis=0), n_decided, n_right, n_decided_right)

    def plus(self, other: "FiringCounts") -> "FiringCounts":
        """Return the counts of these rows and others."""
        return FiringCounts(
            self.n_rows + other.n_rows,
            self.n_covered + other.n_covered,
            self.n_decided + other.n_decided,
            self.n_right + other.n_right,
            self.n_decided_right + other.n_decided_right,
        )


@dataclass(frozen=True, slots=True)
class MeasuresOfEach:
    """Measures of each rule, without the default; shares of no rows are NaN."""

    n_covered: NDArray[np.int64]  # (n_rules,) rows for which its conditions hold
    coverage: NDArray[np.float64]  # (n_rules,) share of all rows
    support: NDArray[np.int64]  # (n_rules,) rows that it decides: no earlier rule covers them
    precision: NDArray[np.float64]  # (n_rules,) share of the covered rows that are of its class; NaN for values
    decided_precision: NDArray[np.float64]  # (n_rules,) the same of the rows that it decides


@dataclass(frozen=True, slots=True)
class MeasuresOfAll:
    """Measures of the rules together."""

    coverage: float  # share of rows that some rule covers
    mean_rules_per_row: float  # number of rules that cover a row, without the default: table 3 of the paper


def measure_each(rules: RuleList, counts: FiringCounts) -> MeasuresOfEach:
    """Measure each rule by the rows for which it holds."""
    n_covered, n_decided = counts.n_covered, counts.n_decided[:-1]
    precisions = [_share(counts.n_right, n_covered), _share(counts.n_decided_right, n_decided)]
    if rules.scores is None:
        precisions = [np.full(rules.n_rules, np.nan)] * 2
    return MeasuresOfEach(n_covered, _share(n_covered, counts.n_rows), n_decided, *precisions)


def measure_all(counts: FiringCounts) -> MeasuresOfAll:
    """Measure the rules together, by a row at least."""
    n_rows = counts.n_rows
    return MeasuresOfAll((n_rows - int(counts.n_decided[-1])) / n_rows, int(counts.n_covered.sum()) / n_rows)


def _share(part: NDArray[np.int64] | NDArray[np.float64], whole: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """Divide; NaN where the whole is 0."""
    quotients = np.full(part.shape, np.nan)
    np.divide(part, whole, out=quotients, where=np.broadcast_to(np.asarray(whole) > 0, part.shape))
    return quotients


@dataclass(frozen=True, slots=True)
class PrintedRules:
    """The conditions of an ordered list of rules, as they are printed."""

    rules: tuple[tuple[Condition, ...], ...]
    precision: type[np.float32 | np.float64]  # numbers are rounded to this, as by the model, before they are compared
    missing_texts: Mapping[str, str]  # by column: a text that represents a missing category

    def fires(self, rows: Rows) -> NDArray[np.bool_]:
        """Return for which rows each rule's conditions hold, (n_rows, n_rules).

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a column that some condition reads is missing.
        """
        reader = ConditionReader(self.precision, self.missing_texts)
        held: dict[Condition, NDArray[np.bool_]] = {}
        fires = np.ones((len(rows), len(self.rules)), dtype=np.bool_)
        for index, rule in enumerate(self.rules):
            for condition in rule:
                if condition not in held:
                    held[condition] = reader.holds(condition, rows)
                fires[:, index] &= held[condition]
        return fires

    def deciding(self, rows: Rows) -> NDArray[np.int64]:
        """Return the first rule that holds for each row, (n_rows,); the number of rules where none does."""
        return first_firing(self.fires(rows))


def print_rules(rules: RuleList, values: PrintedValues) -> PrintedRules:
    """Return the conditions of each rule; on training rows they hold exactly where the rule's box covers the row."""
    statements, conditions = values.statements, tuple(conditions_of(box, values) for box in rules.boxes)
    return PrintedRules(conditions, statements.precision, statements.missing_texts)


def conditions_of(box: Box, values: PrintedValues) -> tuple[Condition, ...]:
    """Return a box's conditions, in the order of features; see ``conditions_on``."""
    pairs = zip(box.features, box.admitted, strict=True)
    return tuple(condition for feature, admitted in pairs for condition in conditions_on(feature, admitted, values))
