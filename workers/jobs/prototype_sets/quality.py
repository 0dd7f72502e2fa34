"""How the quality of prototypes is measured and told."""

import math
from dataclasses import asdict

from schemas.prototype_quality import ClassQuality, PrototypeQuality, SetQuality
from tree_explainers.prototype_sets.quality import Classes, Quality, measure_quality

from ...runtime.context import JobContext
from ...runtime.progress import part_of
from .choosing import ChosenPrototypes
from .judged import Judged
from .stages import MEASURING


def measure(context: JobContext, chosen: ChosenPrototypes, judged: Judged) -> Quality:
    """Measure the prototypes for the rows that they are judged on."""
    classes = Classes(max(1, len(chosen.model.view.classes)), judged.classes, chosen.selection.classes)
    report = part_of(context.report, *MEASURING)
    return measure_quality(judged.seen.table, chosen.weights, chosen.leaves, classes, report)


def view_of_each(quality: Quality) -> list[PrototypeQuality]:
    """Return each prototype's measures, in the order in which they were chosen."""
    measures = asdict(quality.of_each)
    lines = zip(*(values.tolist() for values in measures.values()), strict=True)
    return [PrototypeQuality(**_with_nulls(dict(zip(measures, line, strict=True)))) for line in lines]


def view_of_all(quality: Quality, chosen: ChosenPrototypes, judged: Judged) -> SetQuality:
    """Return the measures of the set and of each class's part of it."""
    by_class = _view_by_class(quality, chosen.model.view.classes)
    own = _with_nulls(asdict(quality.of_all))
    return SetQuality(n_rows=quality.n_rows, labels=judged.labels, by_class=by_class, **own)


def _view_by_class(quality: Quality, classes: list[str]) -> list[ClassQuality]:
    labels: list[str | None] = [*classes] or [None]
    own = quality.by_class
    return [
        ClassQuality(
            label=label,
            n_rows=int(own.n_rows[position]),
            n_prototypes=int(own.n_prototypes[position]),
            coverage=_number(float(own.coverage[position])),
            hubness_entropy=_number(float(own.hubness_entropy[position])),
        )
        for position, label in enumerate(labels)
    ]


def _with_nulls(measures: dict[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in measures.items()}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
