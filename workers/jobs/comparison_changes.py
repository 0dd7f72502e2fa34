"""The rows for which two models differ: where they are, those that changed most, and those that stand for others."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.comparisons import N_ROWS_SHOWN, ChangedPrototype, ChangedRegion, ChangedRow
from schemas.reports import ShareInterval
from schemas.rule_sets import Condition
from storage.dataset_rows import open_rows
from tree_explainers.column_words import Phrases
from tree_explainers.comparisons.changed_regions import Region, RegionLimits, changed_regions
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.prototype_sets.selection import select_prototypes
from tree_explainers.questions.conditions import rule_text
from tree_explainers.rows import Rows
from tree_explainers.share_intervals import wilson_interval

from ..runtime.context import JobContext
from .comparison_rows import ModelPair
from .share_comparisons import interval_view
from .surrogates import dataset_phrases

_MOST_PROTOTYPES = 5
_PROTOTYPE_ROWS = 2_000  # changed rows among which prototypes are chosen
_SHARE_MOST_CHANGED = 0.1  # of rows with values, for which prototypes stand
_Z = 1.959963984540054  # of 95 %


def rows_changed_most(context: JobContext, pair: ModelPair) -> list[ChangedRow]:
    """Return the rows that changed most, the largest change first."""
    changes = pair.changes
    by = changes if pair.differences is None else pair.differences
    changed = np.flatnonzero(changes)
    most = changed[np.argsort(-by[changed], kind="stable")[:N_ROWS_SHOWN]]
    return [ChangedRow(**each) for each in _row_views(context, pair, most)]


def _row_views(context: JobContext, pair: ModelPair, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
    if not len(rows):
        return []
    stored = pair.sides[0].scored.stored
    with open_rows(context.objects, stored.content) as file:
        row_ids = file.row_ids(rows)
    values = None if pair.outcomes is not None else pair.values
    return [
        {
            "row": row,
            "row_id": row_id,
            "outcome": None if pair.outcomes is None else pair.names[pair.outcomes[0][row]],
            "other_outcome": None if pair.outcomes is None else pair.names[pair.outcomes[1][row]],
            "value": None if values is None else float(values[0][row]),
            "other_value": None if values is None else float(values[1][row]),
            "difference": None if pair.differences is None else float(pair.differences[row]),
        }
        for row, row_id in zip(rows.tolist(), row_ids, strict=True)
    ]


# Where.


def regions_of_change(
    context: JobContext,
    pair: ModelPair,
    columns: Mapping[str, NDArray[Any]],
    max_regions: int,
    report: ReportProgress,
) -> list[ChangedRegion]:
    """Return where the sampled rows changed, as rules in the words of the dataset's columns, (n_sampled,) each."""
    changes = pair.changes[pair.sides[0].sample]
    texts: dict[str, str] = {}
    phrases: Phrases = {}
    for side in reversed(pair.sides):
        texts |= {side.columns[name]: text for name, text in side.description.missing_texts.items()}
        of_side = dataset_phrases(context, side.model, side.scored.stored)
        phrases = {**phrases, **{side.columns[name]: phrase for name, phrase in of_side.items()}}
    rows = Rows(tuple(columns), tuple(columns.values()))
    regions = changed_regions(rows, changes, texts, RegionLimits(max_regions=max_regions), report)
    is_share = pair.outcomes is not None
    return [
        _region_view(rank, region, changes, phrases, is_share=is_share) for rank, region in enumerate(regions, start=1)
    ]


def _region_view(
    rank: int, region: Region, changes: NDArray[np.float64], phrases: Phrases, *, is_share: bool
) -> ChangedRegion:
    inside = changes[region.checked]
    mean, total = float(inside.mean()), float(changes[1::2].sum())
    half = _Z * float(inside.std()) / float(np.sqrt(len(inside)))
    interval = ShareInterval(low=mean - half, high=mean + half)
    return ChangedRegion(
        rank=rank,
        text=rule_text(region.conditions, phrases),
        conditions=[
            Condition(
                feature=each.feature,
                column=each.column,
                operator=each.operator,
                value=list(each.value) if isinstance(each.value, tuple) else each.value,
                or_missing=each.or_missing,
            )
            for each in region.conditions
        ],
        n_rows=len(inside),
        changed=mean,
        interval=interval_view(wilson_interval(float(inside.sum()), len(inside))) if is_share else interval,
        share_of_change=float(inside.sum()) / total,
    )


def prototypes_of_change(context: JobContext, pair: ModelPair) -> list[ChangedPrototype]:
    """Return rows that stand for the changed ones of the sample; of values, for those that changed most."""
    changes = pair.changes[pair.sides[0].sample]
    changed = np.flatnonzero(changes)
    if pair.outcomes is None:
        most = max(1, int(_SHARE_MOST_CHANGED * len(changes)))
        changed = np.sort(changed[np.argsort(-changes[changed], kind="stable")[:most]])
    changed = changed[:_PROTOTYPE_ROWS]
    if not len(changed):
        return []
    first = pair.sides[0]
    selection = select_prototypes(
        first.table.among(changed),
        np.zeros(len(changed), np.int64),
        first.weights,
        "k_medoids",
        n_prototypes=min(_MOST_PROTOTYPES, len(changed)),
    )
    views = _row_views(context, pair, first.sample[changed[selection.rows]])
    shares = selection.coverage_shares.tolist()
    return [ChangedPrototype(**view, represents=share) for view, share in zip(views, shares, strict=True)]
