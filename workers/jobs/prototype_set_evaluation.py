"""How good chosen prototypes are: how well the nearest one predicts, beside baselines, and quality measures."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from leafspace_drawings.words import tenths
from numpy.typing import NDArray

from schemas.cautions import Caution
from schemas.prototype_quality import ClassQuality, PrototypeQuality, SetQuality
from schemas.prototype_sets import (
    Baseline,
    BaselineScore,
    ClassRowCoverage,
    ConstantScore,
    LeafStep,
    PrototypeSetEvaluation,
    PrototypeSetRequest,
    RowCoverage,
    TypicalityScale,
)
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.leaf_space.nearest_by_masks import NearestWithin
from tree_explainers.prediction_scores import constant_class, constant_value
from tree_explainers.prototype_sets.classifier import (
    Scores,
    classes_of,
    nearest_by_size,
    nearest_other_rows,
    nearest_training_rows,
    score_classes,
    score_constant_class,
    score_constant_value,
    score_values,
    values_of,
)
from tree_explainers.prototype_sets.prototype_quality import Quality, measure_quality
from tree_explainers.prototype_sets.prototype_votes import Classes
from tree_explainers.prototype_sets.row_coverage import MINIMUM_SHARE, MinimumProximity, near_rows
from tree_explainers.prototype_sets.selection import PrototypeSelection
from tree_explainers.prototype_sets.typicality import LEAST_SHARE, proximity_quantiles

from .cautions import TYPICALITY_OF_MEMORISED_ROWS, caution_of_figures
from .inputs import OpenModel, ScoredDataset
from .row_targets import has_unlabelled, true_classes, true_values
from .spaces import LeafSpace, Space

SUFFICIENT_COVERAGE = 0.95
"""Share of rows near a prototype with which ``min_leaf_rows`` "auto" is content."""

_N_CLASSES_SHOWN = 30  # in a caution; `classes_without_prototypes` has them all
_MAX_COMPARISONS = 2e11  # rows x rows x trees for the nearest-row baseline: some 10 s


@dataclass(frozen=True, slots=True)
class ChosenPrototypes:
    """The prototypes to evaluate, and the rows that they were chosen from."""

    space: Space
    classes: NDArray[np.int64]  # (n_rows,) as predicted or as in the target; all 0 for regression
    selection: PrototypeSelection

    @property
    def leaf_space(self) -> LeafSpace:
        """The space, for what looks into leaves: files beside the result, and certificates."""
        assert isinstance(self.space, LeafSpace)  # callers know
        return self.space

    @property
    def leaves(self) -> NDArray[np.int32]:
        """Leaves of the prototypes, (n_prototypes, n_trees); by plain distance their positions."""
        return self.space.dataset.leaves_of(self.selection.rows)

    def predictions(self, nearest: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the class or value that each row gets from its ``nearest`` among the dataset's ``rows``."""
        if self.space.dataset.labels is None:
            return values_of(nearest, self.space.dataset.scores[rows, 0].astype(np.float64))
        return classes_of(nearest, self.classes[rows])


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """The rows to evaluate prototypes on, with their true and predicted targets."""

    dataset: ScoredDataset
    is_training: bool  # they are the rows that prototypes were chosen from
    truth: NDArray[Any] | None  # (n_rows,) classes or values; None without a target
    predicted: NDArray[Any]  # (n_rows,) classes or values that the model predicts
    labels: Literal["predicted", "target"] | None  # which of the two are the rows' classes; None for regression

    @staticmethod
    def of(
        objects: ObjectStore,
        model: OpenModel,
        dataset: ScoredDataset,
        labels: Literal["predicted", "target"],
        *,
        is_training: bool,
    ) -> "EvaluationRows":
        """Return the rows of a dataset; refuse a target that does not fit the model."""
        if dataset.labels is None:
            values = dataset.scores[:, 0].astype(np.float64)
            true = None if has_unlabelled(dataset) else true_values(objects, dataset)
            return EvaluationRows(dataset, is_training, true, values, None)
        is_unknown = model.by_outcome or has_unlabelled(dataset)  # what is decided is no class
        truth = None if is_unknown else true_classes(objects, model, dataset)
        return EvaluationRows(dataset, is_training, truth, dataset.labels, "predicted" if truth is None else labels)

    def within(self, space: Space) -> "EvaluationRows":
        """Return the same rows with the leaves of the space that prototypes are chosen in."""
        return replace(self, dataset=space.dataset if self.is_training else space.rows_of(self.dataset))

    @property
    def classes(self) -> NDArray[np.int64]:
        """Class of each row, (n_rows,); all 0 for regression."""
        if self.labels is None:
            return np.zeros(self.dataset.n_rows, dtype=np.int64)
        return self.truth if self.truth is not None and self.labels == "target" else self.predicted

    @property
    def measured_against(self) -> NDArray[Any]:
        """The targets that predictions are compared with, (n_rows,): the true ones, or else the model's."""
        return self.predicted if self.truth is None else self.truth

    def score(self, predictions: NDArray[Any], rows: NDArray[np.int64] | slice = slice(None)) -> Scores:
        """Score the predictions for these rows."""
        truth = None if self.truth is None else self.truth[rows]
        if self.labels is None:
            return score_values(predictions, self.measured_against[rows])
        return score_classes(predictions, truth, self.predicted[rows])

    def score_constant(self) -> Scores:
        """Score always the same prediction."""
        if self.labels is None:
            return score_constant_value(self.measured_against)
        return score_constant_class(self.truth, self.predicted)


# How many rows are near enough to a prototype.


def measure_row_coverage(chosen: ChosenPrototypes) -> RowCoverage | None:
    """Count the rows that have at least the minimum proximity to a prototype, by class as well.

    By plain distance nearly all have, so that nothing is said.
    """
    if not chosen.space.is_explainable:
        return None
    near = near_rows(chosen.space.dataset.table, chosen.space.weights, chosen.leaves)
    minimum, names = MinimumProximity.of(chosen.space.weights), chosen.space.model.view.classes
    sizes = np.bincount(chosen.classes, minlength=max(1, len(names))).tolist()
    n_near = np.bincount(chosen.classes[near], minlength=len(sizes)).tolist()
    labels: list[str | None] = [*names] or [None]
    by_class = [
        ClassRowCoverage(label=label, n_rows=size, share=n / size if size else None)
        for label, size, n in zip(labels, sizes, n_near, strict=True)
    ]
    return RowCoverage(
        share=float(near.mean()), minimum_proximity=MINIMUM_SHARE, minimum_trees=minimum.n_trees, by_class=by_class
    )


def caution_of_row_coverage(
    request: PrototypeSetRequest, leaf_steps: list[LeafStep], row_coverage: RowCoverage | None
) -> Caution | None:
    """Return a caution if prototypes are near enough to fewer rows than requested; nothing otherwise."""
    if row_coverage is None:
        return None
    share = row_coverage.share
    near = f"{tenths(share)} of the rows have the minimum proximity to a prototype"
    if request.coverage is not None and share < request.coverage:
        return Caution(
            code="few_rows_covered",
            detail=f"{near}, less than the requested coverage",
        )
    if leaf_steps and all(step.coverage < SUFFICIENT_COVERAGE for step in leaf_steps):
        return Caution(
            code="few_rows_covered",
            detail=f"{near}, and no min_leaf_rows gives {SUFFICIENT_COVERAGE:.0%}: the other rows will have no reasons",
            remedy="request more prototypes, or a coverage",
        )
    return None


# How well the nearest prototype predicts, for each number of prototypes.


def evaluate_by_size(
    chosen: ChosenPrototypes, rows: EvaluationRows, report: ReportProgress
) -> Iterator[PrototypeSetEvaluation]:
    """Yield the scores of the first prototype, the first two, and so on; only of all where sets are not nested."""
    prototypes = chosen.selection.rows
    for index, nearest in enumerate(nearest_by_size(rows.dataset.table, chosen.space.weights, chosen.leaves)):
        report(index / len(prototypes), "evaluating")
        if chosen.selection.nested or index == len(prototypes) - 1:
            scores = rows.score(chosen.predictions(nearest, prototypes))
            yield PrototypeSetEvaluation(n_prototypes=index + 1, **asdict(scores))


# Baselines: the model itself, the nearest of all rows, and always the same prediction.


def evaluate_baselines(
    chosen: ChosenPrototypes,
    rows: EvaluationRows,
    rng: np.random.Generator,
    report: ReportProgress,
    within: NearestWithin | None = None,
) -> Baseline:
    """Return the scores of the baselines; the nearest row's on a random sample where there are very many rows.

    ``within`` is what is known of the nearest of the dataset's rows in classes.
    """
    n_rows = rows.dataset.n_rows
    model = None if rows.truth is None else BaselineScore(n_rows=n_rows, **asdict(rows.score(rows.predicted)))
    n_affordable = max(1, int(_MAX_COMPARISONS / chosen.space.n_steps_each))
    sample = np.arange(n_rows)
    if n_affordable < n_rows:
        sample = np.sort(rng.choice(n_rows, n_affordable, replace=False))
    nearest = _nearest_of_all(chosen, rows, sample, report, within)
    scores = rows.score(chosen.predictions(nearest, np.arange(chosen.space.dataset.n_rows)), sample)
    return Baseline(
        model=model,
        one_nearest_neighbor=BaselineScore(n_rows=len(sample), **asdict(scores)),
        constant=_constant(rows, chosen.space.model.view.classes),
    )


def _nearest_of_all(
    chosen: ChosenPrototypes,
    rows: EvaluationRows,
    sample: NDArray[np.int64],
    report: ReportProgress,
    within: NearestWithin | None,
) -> NDArray[np.int64]:
    """Return the nearest of the dataset's rows for each row of the sample; never the row itself."""
    table = chosen.space.dataset.table
    if rows.is_training:
        return nearest_other_rows(table, chosen.space.weights, sample, report, within)
    return nearest_training_rows(table, chosen.space.weights, rows.dataset.leaves_of(sample), report)


def _constant(rows: EvaluationRows, classes: list[str]) -> ConstantScore:
    constants = [
        classes[constant_class(values)] if classes else constant_value(values)
        for values in (rows.measured_against, rows.predicted)
    ]
    return ConstantScore(
        n_rows=rows.dataset.n_rows,
        prediction=constants[0],
        model_prediction=constants[1],
        **asdict(rows.score_constant()),
    )


# Cautions: what to know before the figures are believed.


def classes_without_prototypes(chosen: ChosenPrototypes) -> list[str]:
    """Return the classes that rows of the dataset have and no prototype has, in the model's order."""
    names = chosen.space.model.view.classes
    left_out = np.setdiff1d(chosen.classes, chosen.selection.classes).tolist()
    return [names[index] for index in left_out] if names else []


def caution_of_outcomes(chosen: ChosenPrototypes) -> Caution | None:
    """Return which outcomes of a decision no row has; nothing where each is some row's, or classes are predicted."""
    model = chosen.space.model
    if not model.by_outcome:
        return None
    unreached = np.setdiff1d(np.arange(len(model.view.classes)), chosen.classes).tolist()
    if not unreached:
        return None
    named = ", ".join(repr(model.view.classes[index]) for index in unreached)
    detail = (
        f"no row of the dataset is decided as {named}, so that nothing is compared with such rows: check the ends of "
        "the bands, or take a dataset with such rows"
    )
    return Caution(code="outcomes_without_rows", detail=detail)


def caution_of_rows(rows: EvaluationRows, model: BaselineScore | None) -> Caution | None:
    """Return a caution about the figures of rows that prototypes were chosen from; nothing of other rows."""
    if not rows.is_training:
        return None
    accuracy, r2 = (None, None) if model is None else (model.accuracy, model.r2)
    return caution_of_figures(accuracy=accuracy, r2=r2, are_held_out=rows.dataset.stored.view.held_out)


def caution_of_classes(left_out: list[str]) -> Caution | None:
    """Return a caution that classes have no prototype; nothing where each has one."""
    if not left_out:
        return None
    named = ", ".join(map(repr, left_out[:_N_CLASSES_SHOWN])) + (", …" if len(left_out) > _N_CLASSES_SHOWN else "")
    classes = "1 class has" if len(left_out) == 1 else f"{len(left_out)} classes have"
    return Caution(
        code="classes_without_prototype",
        detail=f"{classes} no prototype ({named}): the nearest prototype never gives their rows their own class",
        remedy="request more prototypes, or the method sm_u, which chooses as many of each class",
    )


# Quality measures of each prototype, each class and the set.


def measure(chosen: ChosenPrototypes, rows: EvaluationRows, report: ReportProgress) -> Quality:
    """Measure the quality of the prototypes for the rows that they are evaluated on."""
    classes = Classes(max(1, len(chosen.space.model.view.classes)), rows.classes, chosen.selection.classes)
    return measure_quality(rows.dataset.table, chosen.space.weights, chosen.leaves, classes, report)


def view_quality_of_each(quality: Quality) -> list[PrototypeQuality]:
    """Return each prototype's measures, in the order in which they were chosen."""
    measures = asdict(quality.of_each)
    lines = zip(*(values.tolist() for values in measures.values()), strict=True)
    return [PrototypeQuality(**_with_nulls(dict(zip(measures, line, strict=True)))) for line in lines]


def view_quality_of_set(quality: Quality, chosen: ChosenPrototypes, rows: EvaluationRows) -> SetQuality:
    """Return the measures of the set and of each class's part of it."""
    by_class = _view_by_class(quality, chosen.space.model.view.classes)
    of_all = _with_nulls(asdict(quality.of_all))
    return SetQuality(n_rows=quality.n_rows, labels=rows.labels, by_class=by_class, **of_all)


def _view_by_class(quality: Quality, classes: list[str]) -> list[ClassQuality]:
    labels: list[str | None] = [*classes] or [None]
    by_class = quality.by_class
    return [
        ClassQuality(
            label=label,
            n_rows=int(by_class.n_rows[index]),
            n_prototypes=int(by_class.n_prototypes[index]),
            coverage=_number(float(by_class.coverage[index])),
            hubness_entropy=_number(float(by_class.hubness_entropy[index])),
        )
        for index, label in enumerate(labels)
    ]


# Typicality: how near rows are to their nearest prototype, the prototypes themselves left out.


def typicality_quantiles(quality: Quality, chosen: ChosenPrototypes, rows: EvaluationRows) -> NDArray[np.int64]:
    """Return the quantiles of the rows' best proximities, in units of weight, (101,), or none where no row is left."""
    return proximity_quantiles(quality.best, chosen.selection.rows if rows.is_training else None)


def view_typicality(
    quantiles: NDArray[np.int64], chosen: ChosenPrototypes, rows: EvaluationRows
) -> TypicalityScale | None:
    """Return the quantiles as proximities, and which rows they are of; nothing where no rows will be explained."""
    if not chosen.space.is_explainable:
        return None
    return TypicalityScale(
        rows="dataset" if rows.is_training else "evaluation_dataset",
        n_rows=rows.dataset.n_rows - (len(chosen.selection.rows) if rows.is_training else 0),
        percentiles=(quantiles / chosen.selection.total_weight).tolist(),
        least_proximity=float(LEAST_SHARE),
        caution=TYPICALITY_OF_MEMORISED_ROWS if rows.is_training and not rows.dataset.stored.view.held_out else None,
    )


def _with_nulls(measures: dict[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in measures.items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
