"""Make a report: one file with what is known of a model, and how newer rows drift from its reference rows.

Drift is given with what chance leaves open about each share.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from leafspace_drawings.words import tenths

from explanations.reports.document import draw_report
from explanations.reports.inputs import Figures, ReportInputs, ReportReader
from explanations.warm_explainer import WarmExplainer
from schemas.reports import Drift, DriftShare, ReportRequest, ShareComparison
from storage.datasets import DatasetStore
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.prototype_sets.nearest import contiguous_leaves

from ..runtime.context import JobContext, Produced
from .inputs import open_explainer
from .report_figures import RowSource, compare
from .share_comparisons import CHANCE, compare_shares

_FAR = frozenset({"far", "none"})
_MOST_NAMED = 5  # differences in the summary
_UNSEEN = (
    "far is measured by proximity to prototypes alone: changes of values after which rows reach the same leaves are "
    "not seen"
)
_READ, _COMPARED, _DRIFTED = 0.1, 0.5, 0.9
"""Shares of a job's progress."""


def make_report(context: JobContext) -> Produced:
    """Make the artefact that a ``ReportRequest`` describes."""
    request = ReportRequest(**context.request)
    context.report(0, "warming up the explainer")
    warm = open_explainer(context, request.explainer)
    shown = ReportReader(context.database, context.objects).read(request, warm)
    figures = _figures(context, shown, warm)
    context.report(_DRIFTED, "drawing")
    drawn = draw_report(shown, figures)
    path = context.workspace / "report.html"
    path.write_bytes(drawn.html)
    return Produced(drawn.result.model_dump_json().encode(), files={"document": path})


def _figures(context: JobContext, shown: ReportInputs, warm: WarmExplainer) -> Figures:
    """Return the figures for which all rows are looked at."""
    request, datasets = shown.request, DatasetStore(context.database)
    reference = RowSource(datasets.get(shown.own.dataset["id"]), context.objects)
    comparison = drifted = None
    if request.compare_with is not None and shown.other is not None:
        models = (warm, open_explainer(context, request.compare_with))
        report = part_of(context.report, _READ, _COMPARED)
        comparison = compare(models, (shown.own, shown.other), reference, report)
    if request.newer_dataset is not None:
        newer = RowSource(datasets.get(request.newer_dataset), context.objects)
        drifted = drift(warm, newer, reference, part_of(context.report, _COMPARED, _DRIFTED))
    return Figures(comparison, drifted)


# Drift.


@dataclass(slots=True)
class _Counts:
    """Rows, and those of them that are far, by outcome or predicted class and by nearest prototype."""

    n_refused: int = 0
    total: Counter[bool] = field(default_factory=Counter)
    by_label: Counter[tuple[int, bool]] = field(default_factory=Counter)
    by_prototype: Counter[tuple[int, bool]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows of a group in both datasets: how many are not far, and how many are."""

    name: str
    newer: tuple[int, int]
    reference: tuple[int, int]

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of newer rows, and of reference rows."""
        return sum(self.newer), sum(self.reference)


def drift(warm: WarmExplainer, newer: RowSource, reference: RowSource, report: ReportProgress) -> Drift:
    """Return how newer rows differ from the reference rows: in decisions or labels, prototypes, and far rows."""
    new = _counts(warm, newer, lambda fraction, stage: report(fraction / 2, stage))
    old = _counts(warm, reference, lambda fraction, stage: report(0.5 + fraction / 2, stage))
    total = _Group("all rows", (new.total[False], new.total[True]), (old.total[False], old.total[True]))
    description = warm.session.description
    labels = _groups(description.outcomes, new.by_label, old.by_label)
    prototypes = _groups([each.row_id for each in warm.prototypes], new.by_prototype, old.by_prototype)
    n_comparisons = _n_comparisons(total, [*labels, *prototypes])
    compared = partial(_share, total=total, confidence=1 - CHANCE / max(1, n_comparisons))
    shares = compared(total), [compared(each) for each in labels], [compared(each) for each in prototypes]
    return Drift(
        n_refused=new.n_refused,
        total=shares[0],
        by_label=shares[1],
        by_prototype=shares[2],
        n_comparisons=n_comparisons,
        summary=_summary(*shares, n_comparisons, "decided as" if description.decides_apart else "predicted"),
    )


def _counts(warm: WarmExplainer, source: RowSource, report: ReportProgress) -> _Counts:
    counts = _Counts()
    for (block,) in source.blocks([warm], report):
        proximities = warm.index.proximities(contiguous_leaves(warm.leaves(block.outcome)))
        nearest = proximities.argmax(axis=1).tolist()
        far = [_is_far(warm, each) for each in proximities.max(axis=1).tolist()]
        outcomes = warm.session.description.outcome_indices(block.outcome.scores, block.outcome.labels)
        counts.n_refused += block.n_refused
        counts.total.update(far)
        counts.by_label.update([] if outcomes is None else zip(outcomes.tolist(), far, strict=True))
        assigned = (proximities.max(axis=1) > 0).tolist()
        pairs = zip(nearest, far, assigned, strict=True)
        counts.by_prototype.update((prototype, is_far) for prototype, is_far, has_one in pairs if has_one)
    return counts


def _is_far(warm: WarmExplainer, proximity: int) -> bool:
    """Return whether a row of this integer proximity to its nearest prototype is far; without a scale: unlike all."""
    if proximity == 0 or warm.typicality is None:
        return proximity == 0
    return warm.typicality.standing(proximity).document["typicality"]["level"] in _FAR


def _groups(names: Sequence[str], new: Counter[tuple[int, bool]], old: Counter[tuple[int, bool]]) -> list[_Group]:
    return [
        _Group(name, (new[index, False], new[index, True]), (old[index, False], old[index, True]))
        for index, name in enumerate(names)
    ]


def _n_comparisons(total: _Group, groups: Sequence[_Group]) -> int:
    """Return how many shares have rows on both sides: of far rows in all and in each group, and of each group."""
    n_of_groups = len(groups) if all(total.sizes) else 0
    return sum(all(each.sizes) for each in (total, *groups)) + n_of_groups


def _share(group: _Group, total: _Group, confidence: float) -> DriftShare:
    (n_rows, n_reference_rows), (n_all, n_all_reference) = group.sizes, total.sizes
    in_group = (n_rows, n_all), (n_reference_rows, n_all_reference)
    return DriftShare(
        name=group.name,
        n_rows=n_rows,
        n_far=group.newer[1],
        n_reference_rows=n_reference_rows,
        n_reference_far=group.reference[1],
        far=compare_shares((group.newer[1], n_rows), (group.reference[1], n_reference_rows), confidence),
        group=None if group is total else compare_shares(*in_group, confidence),
    )


def _summary(
    total: DriftShare,
    labels: Sequence[DriftShare],
    prototypes: Sequence[DriftShare],
    n_comparisons: int,
    predicted: str,
) -> str:
    """Return what the intervals support, and no more."""
    difference = total.far.difference_interval
    if difference is None:
        return f"One side has no rows, so that nothing is compared; {_UNSEEN}."
    compared = f"{n_comparisons} shares are compared: of the rows in each group, and of the far rows among them"
    differing = [  # neither share is null
        f"{what} ({tenths(pair.share or 0)} of newer and {tenths(pair.reference_share or 0)} of reference rows)"
        for what, pair in _named(total, labels, prototypes, predicted)
        if pair.differs
    ]
    if differing:
        verb, n_more = "differs" if len(differing) == 1 else "differ", len(differing) - _MOST_NAMED
        listed = "; ".join(differing[:_MOST_NAMED]) + (f"; and {n_more} more" if n_more > 0 else "")
        claim = f"{len(differing)} {verb} by more than chance would explain, at 95 % for all together: {listed}."
    else:
        claim = (
            "none differs by more than chance would explain, at 95 % for all together. This does not show that nothing "
            f"has changed: the share of far rows may have moved by {100 * difference.low:+.1f} to "
            f"{100 * difference.high:+.1f} points."
        )
    return f"{compared}; {claim} The claim holds for rows that were drawn independently; {_UNSEEN}."


def _named(
    total: DriftShare, labels: Sequence[DriftShare], prototypes: Sequence[DriftShare], predicted: str
) -> Iterator[tuple[str, ShareComparison]]:
    """Yield every comparison with its words, those of most rows first."""
    yield "far rows among all", total.far
    for words, groups in ((predicted, labels), ("nearest to the prototype", prototypes)):
        for each in groups:
            if each.group is not None:
                yield f"rows {words} “{each.name}”", each.group
            yield f"far rows among those {words} “{each.name}”", each.far
