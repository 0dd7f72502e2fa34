"""Summaries: what a dataset's columns hold, counted while the rows go by."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from .layout import ColumnLayout, ColumnRole, ColumnType, OddCell

_MAX_CATEGORIES = 1_000
_MAX_CATEGORY_CHARACTERS = 256 * 1024  # of one column; more is free text
_MAX_LISTED_BYTES = 4 * 1024**2  # of all columns, as JSON; the summary is sent whole


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column of a dataset, as it is shown."""

    name: str
    type: ColumnType
    role: ColumnRole
    n_missing: int
    n_categories: int | None  # None unless the type is category
    categories: tuple[str, ...] | None  # sorted by code point; None for row ids, and where there are over 1,000
    min: float | None  # of numbers
    max: float | None
    category_because: OddCell | None = None  # where nearly all other values are numbers


class ColumnTally:
    """What was seen so far of one column of the normalised file."""

    def __init__(self, layout: ColumnLayout) -> None:
        self.layout = layout
        self.n_missing = 0
        self._low: float | None = None
        self._high: float | None = None
        self._categories: set[str] | None = set() if layout.type == "category" and layout.role != "row_id" else None

    def add(self, values: pa.Array) -> None:
        """Count one block of values."""
        self.n_missing += values.null_count
        if self.layout.type == "number":
            self._add_range(values)
        elif self._categories is not None:
            self._add_categories(values)

    @property
    def needs_count(self) -> bool:
        """Whether the distinct values were too many to be held, and have to be counted in the written file."""
        return self.layout.type == "category" and self._categories is None

    def summary(self, n_distinct: int | None) -> ColumnSummary:
        """Return the summary; ``n_distinct`` is given where ``needs_count``."""
        categories = None if self._categories is None else tuple(sorted(self._categories))
        return ColumnSummary(
            name=self.layout.name,
            type=self.layout.type,
            role=self.layout.role,
            n_missing=self.n_missing,
            n_categories=n_distinct if categories is None else len(categories),
            categories=categories,
            min=self._low,
            max=self._high,
        )

    def _add_range(self, values: pa.Array) -> None:
        extremes = pc.min_max(values)
        low, high = extremes["min"].as_py(), extremes["max"].as_py()
        if low is not None:
            self._low = low if self._low is None else min(low, self._low)
            self._high = high if self._high is None else max(high, self._high)

    def _add_categories(self, values: pa.Array) -> None:
        distinct = pc.drop_null(pc.unique(values))
        if len(distinct) > _MAX_CATEGORIES:
            self._categories = None
            return
        seen = (self._categories or set()) | set(distinct.to_pylist())
        is_free_text = len(seen) > _MAX_CATEGORIES or sum(map(len, seen)) > _MAX_CATEGORY_CHARACTERS
        self._categories = None if is_free_text else seen


def without_excess(summaries: Sequence[ColumnSummary]) -> tuple[ColumnSummary, ...]:
    """Return the summaries, the lists of categories left out from where they become too much to be shown."""
    n_listed, kept = 0, []
    for summary in summaries:
        n_listed += len(json.dumps(summary.categories or ()))
        kept.append(summary if n_listed <= _MAX_LISTED_BYTES else _unlisted(summary))
    return tuple(kept)


def _unlisted(summary: ColumnSummary) -> ColumnSummary:
    return replace(summary, categories=None)
