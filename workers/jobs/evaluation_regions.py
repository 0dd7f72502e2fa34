"""Where a model is wrong more than elsewhere, as rules: found on one half of a sample of rows, counted on the other."""

import numpy as np
from numpy.typing import NDArray

from schemas.evaluations import MAX_SAMPLED_ROWS, ErrorRegion
from schemas.reports import ShareInterval
from schemas.rule_sets import Condition
from storage.dataset_rows import open_rows
from tree_explainers.column_words import Phrases
from tree_explainers.comparisons.changed_regions import Region, RegionLimits, changed_regions
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.evaluations.error_figures import loss_figure
from tree_explainers.questions.conditions import rule_text
from tree_explainers.rows import Rows
from tree_explainers.share_intervals import wilson_interval

from ..runtime.context import JobContext
from .evaluation_rows import EvaluatedRows
from .share_comparisons import interval_view
from .surrogates import dataset_phrases

_TEXT_BYTES = 256 << 20  # of the sampled rows


def find_error_regions(
    context: JobContext, rows: EvaluatedRows, max_regions: int, report: ReportProgress
) -> tuple[list[ErrorRegion], int]:
    """Return the rules in the words of the dataset's columns, and the number of rows on which they were counted."""
    sample = context.rng.permutation(rows.n_rows)[:MAX_SAMPLED_ROWS]
    n_checked = len(sample) // 2
    if not max_regions:
        return [], n_checked
    errors, names = rows.errors[sample], list(dict.fromkeys(rows.columns))
    with open_rows(context.objects, rows.stored.content) as file:
        columns = file.take_columns(names, rows.rows[sample].tolist(), _TEXT_BYTES)
    known = dict(zip(rows.model.description.feature_names, rows.columns, strict=True))
    texts = {known[name]: text for name, text in rows.model.description.missing_texts.items()}
    phrases = {known[name]: phrase for name, phrase in dataset_phrases(context, rows.model, rows.stored).items()}
    limits = RegionLimits(max_regions=max_regions)
    regions = changed_regions(Rows(tuple(names), tuple(columns)), errors, texts, limits, report)
    is_share = rows.labels is not None
    views = [_region_view(rank, each, errors, phrases, is_share=is_share) for rank, each in enumerate(regions, start=1)]
    return views, n_checked


def _region_view(
    rank: int, region: Region, errors: NDArray[np.float64], phrases: Phrases, *, is_share: bool
) -> ErrorRegion:
    checked = np.arange(len(errors))[1::2]
    inside, outside = errors[region.checked], errors[np.setdiff1d(checked, region.checked)]
    return ErrorRegion(
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
        error=float(inside.mean()),
        interval=_interval(inside, is_share=is_share),
        error_outside=float(outside.mean()) if len(outside) else None,
        interval_outside=_interval(outside, is_share=is_share) if len(outside) else None,
        share_of_errors=float(inside.sum() / errors[checked].sum()),
    )


def _interval(errors: NDArray[np.float64], *, is_share: bool) -> ShareInterval:
    """Return what chance leaves open about the mean of some errors; of a single value, all that it does not exclude."""
    if is_share:
        return interval_view(wilson_interval(float(errors.sum()), len(errors)))
    value, interval = loss_figure(errors)
    return ShareInterval(low=value, high=value) if interval is None else interval_view(interval)
