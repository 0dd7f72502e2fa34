"""Make a comparison: two models on the same rows, or one model on two datasets.

Of two models: which rows changed, where, which of them stand for others, and whose effects moved.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from explanations.comparison_texts import summary_of_models
from schemas.comparisons import (
    N_NEIGHBORS,
    ComparisonRequest,
    ComparisonResult,
    EffectChange,
    ModelChange,
    NeighborAgreement,
    OutcomeChange,
)
from tree_explainers.comparisons.common_neighbors import common_neighbors
from tree_explainers.comparisons.feature_effects import FeatureEffects
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.share_intervals import wilson_interval

from ..runtime.context import JobContext, Produced
from .cautions import Consequence, known_cautions
from .comparison_changes import prototypes_of_change, regions_of_change, rows_changed_most
from .comparison_of_datasets import compare_datasets
from .comparison_rows import (
    N_EXPLAINED,
    N_REFERENCES,
    ModelPair,
    caution_of_no_effects,
    caution_of_rows,
    effects_of,
    features_of,
    load_pair,
    read_columns,
)
from .share_comparisons import interval_view


def make_comparison(context: JobContext) -> Produced:
    """Make the artefact that a ``ComparisonRequest`` describes."""
    request = ComparisonRequest(**context.request)
    compare = compare_models if request.other_model is not None else compare_datasets
    return Produced(compare(context, request).model_dump_json().encode())


_MOST_CHANGES, _MOST_EFFECTS = 20, 20
_NEIGHBOR_ROWS = 300  # whose nearest are compared
_UNKNOWN = -1  # the score of a class that a model does not have
_TINY = 1e-300  # in place of no effects at all, that are divided by
_LOADED, _SEARCHED, _EXPLAINED = 0.6, 0.8, 0.95
_MEMORY = Consequence(
    "measured_on_training_rows",
    "where a model was trained on them, it repeats what it learned, and the models may differ in more of other rows",
    "name rows that neither was trained on as dataset",
)


def compare_models(context: JobContext, request: ComparisonRequest) -> ComparisonResult:
    """Compare two models on the rows of a dataset."""
    pair = load_pair(context, request, part_of(context.report, 0, _LOADED))
    first, second = pair.sides
    columns = read_columns(context, first, list(dict.fromkeys((*first.scored.columns, *second.scored.columns))))
    changed = _changed(context, request, pair, columns)
    report = part_of(context.report, _SEARCHED, _EXPLAINED)
    cautions = known_cautions(*dict.fromkeys(caution_of_rows(context, side, _MEMORY) for side in pair.sides))
    try:
        effects = _effects(pair, columns, report)
    except MethodNotApplicable as refusal:
        effects = None
        cautions.append(caution_of_no_effects(refusal))
    moved, scale = ([], None) if effects is None else _effect_changes(*effects)
    return ComparisonResult(
        summary=summary_of_models(changed, first.scored.n_rows),
        n_rows=first.scored.n_rows,
        n_other_rows=None,
        models=changed,
        datasets=None,
        effects=moved,
        effects_scale=scale,
        cautions=cautions,
    )


def _changed(
    context: JobContext, request: ComparisonRequest, pair: ModelPair, columns: Mapping[str, NDArray[Any]]
) -> ModelChange:
    changes = pair.changes
    n_rows, n_changed = len(changes), int(np.count_nonzero(changes))
    is_outcome = pair.outcomes is not None
    values = None if is_outcome else pair.values
    report = part_of(context.report, _LOADED, _SEARCHED)
    return ModelChange(
        compared_by="outcomes" if is_outcome else "values",
        n_changed=n_changed if is_outcome else None,
        share_changed=n_changed / n_rows if is_outcome else None,
        interval=interval_view(wilson_interval(n_changed, n_rows)) if is_outcome else None,
        changes=_outcome_changes(pair),
        mean_difference=None if values is None else float((values[1] - values[0]).mean()),
        mean_absolute_difference=None if values is None else float(changes.mean()),
        n_rows_checked=len(pair.sides[0].sample) // 2,
        regions=regions_of_change(context, pair, columns, request.max_regions, report),
        prototypes=prototypes_of_change(context, pair),
        neighbors=_neighbors(pair, part_of(context.report, _EXPLAINED, 1.0)),
        rows=rows_changed_most(context, pair),
    )


def _outcome_changes(pair: ModelPair) -> list[OutcomeChange]:
    if pair.outcomes is None:
        return []
    counts = Counter(zip(*(each.tolist() for each in pair.outcomes), strict=True))
    pairs = sorted(((n, key) for key, n in counts.items() if key[0] != key[1]), key=lambda each: (-each[0], each[1]))
    return [
        OutcomeChange(outcome=pair.names[one], other_outcome=pair.names[two], n_rows=n)
        for n, (one, two) in pairs[:_MOST_CHANGES]
    ]


def _neighbors(pair: ModelPair, report: ReportProgress) -> NeighborAgreement | None:
    first, second = pair.sides
    n_sampled = len(first.sample)
    n_neighbors = min(N_NEIGHBORS, n_sampled - 1)
    if n_neighbors < 1:
        return None
    rows = np.arange(min(_NEIGHBOR_ROWS, n_sampled))
    agreement = common_neighbors(
        (first.table, second.table), (first.weights, second.weights), rows, n_neighbors, report
    )
    if agreement is None:
        return None
    return NeighborAgreement(
        n_neighbors=n_neighbors, n_rows=agreement.n_rows, share=agreement.share, by_chance=agreement.by_chance
    )


# Effects.


def _effects(
    pair: ModelPair, columns: Mapping[str, NDArray[Any]], report: ReportProgress
) -> tuple[FeatureEffects, FeatureEffects]:
    """Return the effects of the same rows by both models, against the same reference rows."""
    n_sampled = len(pair.sides[0].sample)
    explained, references = np.arange(min(N_EXPLAINED, n_sampled)), np.arange(n_sampled)[-N_REFERENCES:]
    scores = _score_names(pair, explained)
    both_decide = all(side.description.decision is not None for side in pair.sides)
    effects = []
    for at, side in enumerate(pair.sides):
        rows, known = features_of(side, columns), list(side.description.classes)
        of_side = np.array([known.index(name) if name in known else _UNKNOWN for name in scores], np.int64)
        rule = side.description.decision
        if not known or (rule is not None and both_decide):
            of_side[:] = 0 if rule is None or not known else rule.column
        is_known = of_side != _UNKNOWN
        part = part_of(report, at / 2, (at + 1) / 2)
        some = effects_of(side, rows.take(explained[is_known]), rows.take(references), of_side[is_known], part)
        whole = np.zeros((len(explained), len(some.names)))
        whole[is_known] = some.effects
        effects.append(FeatureEffects(some.names, some.scale, whole))
    return effects[0], effects[1]


def _score_names(pair: ModelPair, explained: NDArray[np.int64]) -> list[str]:
    """Return the class, by the first model, whose score the effects of each row are on."""
    first = pair.sides[0]
    labels = first.scored.labels
    if labels is None:
        return [""] * len(explained)
    return [first.description.classes[label] for label in labels[first.sample[explained]].tolist()]


Scale = Literal["probability", "log_odds", "value", "share"]


def _effect_changes(first: FeatureEffects, second: FeatureEffects) -> tuple[list[EffectChange], Scale]:
    """Return how the effects of features moved, the largest move first, and what they are in."""
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    sizes, other = (np.array([np.abs(side.of(name)).mean() for name in names]) for side in (first, second))
    scale: Scale = first.scale
    moved = np.array([np.abs(first.of(name) - second.of(name)).mean() for name in names])
    if first.scale != second.scale:
        sizes, other = sizes / max(sizes.sum(), _TINY), other / max(other.sum(), _TINY)
        scale, moved = "share", np.abs(sizes - other)
    order = [at for at in np.argsort(-moved, kind="stable").tolist() if sizes[at] or other[at]]
    changes = [
        EffectChange(
            feature=names[at],
            mean_effect=float(sizes[at]),
            other_mean_effect=float(other[at]),
            moved=float(moved[at]),
            distance=None,
            p_value=None,
        )
        for at in order[:_MOST_EFFECTS]
    ]
    return changes, scale
