"""One model on two sets of rows: whether they differ in typicality, in what is predicted, and in effects (drift)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from explanations.comparison_texts import summary_of_datasets
from schemas.cautions import Caution
from schemas.comparisons import (
    MAX_SAMPLED_ROWS,
    ComparisonRequest,
    ComparisonResult,
    DatasetDrift,
    EffectChange,
    OutcomeDrift,
    SampleDistance,
    TypicalityDrift,
)
from schemas.reports import ShareComparison
from storage.models import ModelStore
from tree_explainers.comparisons.feature_effects import FeatureEffects
from tree_explainers.comparisons.two_samples import (
    MIN_ROWS,
    SIGNIFICANCE,
    TwoSamples,
    compare_samples,
    detectable_distance,
    holm,
)
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.leaf_space.nearest_rows import nearest_rows

from ..runtime.context import JobContext
from .comparison_rows import (
    N_REFERENCES,
    ComparedRows,
    caution_of_no_effects,
    draw_sample,
    effects_of,
    features_of,
    load_rows,
    read_columns,
)
from .inputs import open_model
from .share_comparisons import CHANCE, compare_shares

_SAMPLED_ROWS = 2_000  # of each dataset, whose nearest row and whose effects are compared
_LEAST_SHARE = 0.01  # of all mean absolute effects, of features that are compared: smaller effects move nothing
_MOST_EFFECTS = 20
_TWO = 2  # classes, of which one score says all
_FAMILIES = 2  # of comparisons, of shares and of distances, which share the probability of a false claim
_LOADED, _TYPICAL, _EXPLAINED = (0.3, 0.6), 0.75, 1.0
_TRAINED_ON = Caution(
    code="measured_on_training_rows",
    detail="the older rows are not declared as held out: where the model was trained on them, others may differ from "
    "them though nothing has changed",
    remedy="name rows that it was not trained on, and declare them as held_out",
)


class _Sampled(NamedTuple):
    """Numbers of sampled rows of both datasets, (n_sampled,) each."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Tested:
    """Distances of several samples, with p-values that hold together."""

    compared: list[TwoSamples]
    views: list[SampleDistance]

    @classmethod
    def of(cls, samples: Sequence[_Sampled]) -> Self:
        """Compare all samples."""
        compared = [compare_samples(*each) for each in samples]
        p_values = holm([each.p_value for each in compared])
        n_tests = _FAMILIES * len(samples)
        views = [
            SampleDistance(
                distance=each.distance,
                p_value=min(1.0, _FAMILIES * p_value),
                detectable_distance=detectable_distance(len(sample.first), len(sample.second), n_tests),
            )
            for each, p_value, sample in zip(compared, p_values, samples, strict=True)
        ]
        return cls(compared, views)


def compare_datasets(context: JobContext, request: ComparisonRequest) -> ComparisonResult:
    """Compare the rows of two datasets by a model."""
    first, second = _load(context, request)
    typicality = _typicality(first, second, part_of(context.report, _LOADED[1], _TYPICAL))
    cautions = [] if first.scored.stored.view.held_out else [_TRAINED_ON]
    try:
        effects = _effects(context, first, second, part_of(context.report, _TYPICAL, _EXPLAINED))
    except MethodNotApplicable as refusal:
        effects = None
        cautions.append(caution_of_no_effects(refusal))
    drift, moved = _drift((first, second), typicality, effects)
    return ComparisonResult(
        summary=summary_of_datasets(drift, first.scored.n_rows, second.scored.n_rows),
        n_rows=first.scored.n_rows,
        n_other_rows=second.scored.n_rows,
        models=None,
        datasets=drift,
        effects=moved[:_MOST_EFFECTS],
        effects_scale=None if effects is None else effects[0].scale,
        cautions=cautions,
    )


def _load(context: JobContext, request: ComparisonRequest) -> tuple[ComparedRows, ComparedRows]:
    assert request.other_dataset is not None  # which is looked at before
    model = open_model(ModelStore(context.database), context.objects, request.model)
    sides = []
    for dataset, start, end in zip((request.dataset, request.other_dataset), (0.0, _LOADED[0]), _LOADED, strict=True):
        sample = draw_sample(context, dataset, MAX_SAMPLED_ROWS)
        sides.append(load_rows(context, model, dataset, sample, part_of(context.report, start, end)))
    return sides[0], sides[1]


def _typicality(first: ComparedRows, second: ComparedRows, report: ReportProgress) -> _Sampled:
    """Return the proximity of sampled rows of both to the nearest other row of the first, 0 to 1."""
    nearest = nearest_rows(first.table, first.weights)
    total = int(first.weights.sum())
    others = second.table.leaves_of(np.arange(min(_SAMPLED_ROWS, len(second.sample))))
    of_other = nearest.of_leaves(others, 1, part_of(report, 0.5, 1))[1]
    if len(first.sample) == 1:  # it has no other
        return _Sampled(np.zeros(1), of_other[:, 0] / total)
    of_first = nearest.of_rows(np.arange(min(_SAMPLED_ROWS, len(first.sample))), 1, part_of(report, 0, 0.5))[1]
    return _Sampled(of_first[:, 0] / total, of_other[:, 0] / total)


def _effects(
    context: JobContext, first: ComparedRows, second: ComparedRows, report: ReportProgress
) -> tuple[FeatureEffects, FeatureEffects]:
    """Return the effects of rows of both, against the same rows of the first, on one score."""
    by_side = [features_of(side, read_columns(context, side, side.scored.columns)) for side in (first, second)]
    n_first = len(first.sample)
    references = by_side[0].take(np.arange(n_first)[-N_REFERENCES:])
    effects = []
    for at, rows in enumerate(by_side):
        some = rows.take(np.arange(min(_SAMPLED_ROWS, len(rows))))
        scores = np.full(len(some), _score_of(first), np.int64)
        effects.append(effects_of(first, some, references, scores, part_of(report, at / 2, (at + 1) / 2)))
    return effects[0], effects[1]


def _score_of(rows: ComparedRows) -> int:
    """Return the score that effects are on: that of the decision, of the second of two classes, or of the commonest."""
    description, labels = rows.description, rows.scored.labels
    if description.decision is not None:
        return description.decision.column
    n_classes = len(description.classes)
    if labels is None or n_classes <= _TWO:
        return max(0, n_classes - 1)
    return int(np.bincount(labels, minlength=n_classes).argmax())


def _drift(
    sides: tuple[ComparedRows, ComparedRows],
    typicality: _Sampled,
    effects: tuple[FeatureEffects, FeatureEffects] | None,
) -> tuple[DatasetDrift, list[EffectChange]]:
    """Return how the datasets differ, and all effects, the largest move first."""
    outcomes, unreachable = _shares(sides, typicality)
    values = [] if outcomes else [_Sampled(*(side.scored.scores[:, 0].astype(np.float64) for side in sides))]
    names = [] if effects is None else _with_effects(*effects)
    of_features = [_Sampled(effects[0].of(name), effects[1].of(name)) for name in names if effects is not None]
    tested = _Tested.of([typicality, *values, *of_features])
    moved = _moved(names, of_features, tested)
    has_rows = min(side.scored.n_rows for side in sides) >= MIN_ROWS
    differs = unreachable.differs or any(each.rows.differs for each in outcomes)
    differs = differs or any(each.p_value <= SIGNIFICANCE for each in tested.views)
    drift = DatasetDrift(
        conclusion="too_few_rows" if not has_rows else "differs" if differs else "no_difference_seen",
        min_rows=MIN_ROWS,
        n_sampled=len(typicality.first),
        n_other_sampled=len(typicality.second),
        typicality=TypicalityDrift(
            **tested.views[0].model_dump(),
            median=float(np.median(typicality.first)),
            other_median=float(np.median(typicality.second)),
            unreachable=unreachable,
        ),
        outcomes=outcomes,
        values=tested.views[1] if values else None,
        features_moved=[each.feature for each in moved if has_rows and (each.p_value or 0.0) <= SIGNIFICANCE],
    )
    return drift, moved


def _with_effects(first: FeatureEffects, second: FeatureEffects) -> list[str]:
    """Return the features that have a share of all effects on either side that is worth a test."""
    sizes = [np.abs(each.effects).mean(axis=0) for each in (first, second)]
    counts = np.any([size > 0 for size in sizes], axis=0)
    for_test = np.any([size >= _LEAST_SHARE * size.sum() for size in sizes], axis=0) & counts
    return [name for name, is_tested in zip(first.names, for_test.tolist(), strict=True) if is_tested]


def _shares(
    sides: tuple[ComparedRows, ComparedRows], typicality: _Sampled
) -> tuple[list[OutcomeDrift], ShareComparison]:
    """Return the shares of outcomes, and of the sampled rows that share no leaf; intervals hold together."""
    description = sides[0].description
    has_outcomes = description.decision is not None or bool(description.classes)
    named = [side.classes_or_outcomes(by_outcome=description.decision is not None) for side in sides if has_outcomes]
    names = named[0][0] if named else ()
    confidence = 1 - CHANCE / _FAMILIES / (1 + len(names))
    counts = [np.bincount(indices, minlength=len(names)).tolist() for _, indices in named]
    outcomes = []
    for at, name in enumerate(names):
        first, other = ((count[at], side.scored.n_rows) for count, side in zip(counts, sides, strict=True))
        outcomes.append(OutcomeDrift(outcome=name, rows=compare_shares(other, first, confidence)))
    first, other = ((int((each == 0).sum()), len(each)) for each in typicality)
    return outcomes, compare_shares(other, first, confidence)


def _moved(names: Sequence[str], of_features: Sequence[_Sampled], tested: _Tested) -> list[EffectChange]:
    n_others = len(tested.views) - len(names)
    tests = zip(names, of_features, tested.compared[n_others:], tested.views[n_others:], strict=True)
    moved = [
        EffectChange(
            feature=name,
            mean_effect=float(sample.first.mean()),
            other_mean_effect=float(sample.second.mean()),
            moved=compared.moved,
            distance=view.distance,
            p_value=view.p_value,
        )
        for name, sample, compared, view in tests
    ]
    return sorted(moved, key=lambda each: -each.moved)
