"""Normalising: the columns of any source, written as Parquet of three types, and summed up on the way.

The file's columns are double (``number``), string (``category``) and bool (``boolean``), each nullable; its metadata
says what each is for. The same source gives the same bytes.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import DatasetRefused
from .decimals import DecimalsTally
from .layout import (
    ARROW_TYPES,
    ColumnLayout,
    ColumnRole,
    ColumnSource,
    ColumnType,
    DatasetLimits,
    OddCell,
    refuse_columns,
    refuse_many_rows,
    rows_per_block,
    shown,
)
from .quantiles import RowSample

_MAX_ID_CHARACTERS = 255  # as callers name rows to be explained
_PAGE_ROWS = 32  # after which a page of the file may end: a reader of a few rows decodes a page at once
LAYOUT_KEY = b"leafspace.layout"
_N_PENDING_BYTES = 256 * 1024**2

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
    min: float | None  # of finite numbers
    max: float | None
    category_because: OddCell | None = None  # where nearly all other values are numbers
    quantiles: tuple[float, ...] | None = None  # of finite numbers; see ``RowSample``
    category_counts: tuple[int, ...] | None = None  # rows of each of ``categories``
    n_infinite: int = 0
    decimals: int | None = None  # the most of any number; None: many, or no numbers
    is_single_precision: bool = False  # they are decimals only in single precision


class ColumnTally:
    """What was seen so far of one column of the normalised file."""

    def __init__(self, layout: ColumnLayout) -> None:
        self.layout = layout
        self.n_missing = self.n_infinite = 0
        self._low: float | None = None
        self._high: float | None = None
        self._decimals = DecimalsTally()
        is_listed = layout.type == "category" and layout.role not in {"row_id", "key", "time"}
        self._categories: Counter[str] | None = Counter() if is_listed else None

    def add(self, values: pa.Array) -> None:
        """Count one block of values.

        Raises
        ------
        DatasetRefused
            Where a target, a key or a time is infinite.
        """
        self.n_missing += values.null_count
        if self.layout.type == "number":
            self._add_range(values)
        elif self._categories is not None:
            self._add_categories(values)

    @property
    def needs_count(self) -> bool:
        """Whether the distinct values were too many to be held, and have to be counted in the written file."""
        is_counted = self.layout.role not in {"key", "time"}
        return self.layout.type == "category" and self._categories is None and is_counted

    def summary(self, n_distinct: int | None) -> ColumnSummary:
        """Return the summary; ``n_distinct`` is given where ``needs_count``."""
        categories = None if self._categories is None else tuple(sorted(self._categories))
        counts = None if self._categories is None else tuple(self._categories[name] for name in categories or ())
        return ColumnSummary(
            name=self.layout.name,
            type=self.layout.type,
            role=self.layout.role,
            n_missing=self.n_missing,
            n_categories=n_distinct if categories is None else len(categories),
            categories=categories,
            min=self._low,
            max=self._high,
            category_counts=counts,
            n_infinite=self.n_infinite,
            decimals=None if self._low is None else self._decimals.decimals,
            is_single_precision=self._low is not None and self._decimals.is_single,
        )

    def _add_range(self, values: pa.Array) -> None:
        is_infinite = pc.is_inf(values)
        if pc.any(is_infinite).as_py():
            self.n_infinite += pc.sum(is_infinite).as_py()
            if self.layout.role not in {"feature", "ignored"}:
                refuse_infinite(self.layout.name, self.layout.role, self.n_infinite)
            values = values.filter(pc.invert(is_infinite))
        extremes = pc.min_max(values)
        low, high = extremes["min"].as_py(), extremes["max"].as_py()
        if low is not None:
            self._low = low if self._low is None else min(low, self._low)
            self._high = high if self._high is None else max(high, self._high)
            self._decimals.add(values)

    def _add_categories(self, values: pa.Array) -> None:
        counted = pc.value_counts(pc.drop_null(values))
        if len(counted) > _MAX_CATEGORIES:
            self._categories = None
            return
        counts = zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
        seen = Counter(self._categories)
        seen.update(dict(counts))
        self._categories = None if is_free_text(seen) else seen


def refuse_infinite(column: str, what: str, n_infinite: int) -> NoReturn:
    """Refuse a column that holds infinite numbers; ``what`` says why none may be infinite."""
    detail = (
        f"the {what} column {shown(column)} holds {n_infinite} infinite number{'s' * (n_infinite > 1)}; leave these "
        "cells empty, or leave out the rows"
    )
    raise DatasetRefused("dataset_bad_number", detail)


def is_free_text(categories: Collection[str]) -> bool:
    """Return whether a column's distinct texts are too many or too long to be listed."""
    return len(categories) > _MAX_CATEGORIES or sum(map(len, categories)) > _MAX_CATEGORY_CHARACTERS


def without_excess(summaries: Sequence[ColumnSummary]) -> tuple[ColumnSummary, ...]:
    """Return the summaries, the lists of categories left out from where they become too much to be shown."""
    n_listed, shortened = 0, []
    for summary in summaries:
        n_listed += len(json.dumps(summary.categories or ()))
        is_listed = n_listed <= _MAX_LISTED_BYTES
        shortened.append(summary if is_listed else replace(summary, categories=None, category_counts=None))
    return tuple(shortened)


def write_normalised(
    source: ColumnSource, layout: Sequence[ColumnLayout], into: Path, limits: DatasetLimits
) -> tuple[int, tuple[ColumnSummary, ...]]:
    """Write the source's rows to ``into``; return how many there are, and the summary of each column of ``layout``."""
    tallies, sample = [ColumnTally(column) for column in layout], RowSample(layout)
    schema = pa.schema([pa.field(column.name, ARROW_TYPES[column.type]) for column in layout])
    n_rows = 0
    options = {"write_statistics": False, "store_schema": False, "write_batch_size": _PAGE_ROWS}
    with pq.ParquetWriter(into, schema, compression="zstd", **options) as writer:
        picked = ([block[column.source] for column in layout] for block in source.blocks())
        tables = (pa.Table.from_arrays(columns, schema=schema) for columns in picked)
        for group in _row_groups(tables, rows_per_block(len(layout))):
            n_rows += group.num_rows
            refuse_many_rows(n_rows, len(layout), limits)
            for tally, values in zip(tallies, group.columns, strict=True):
                tally.add(values)
            sample.add(group)
            writer.write_table(group, row_group_size=group.num_rows)
        described = [{"name": column.name, "type": column.type, "role": column.role} for column in layout]
        writer.add_key_value_metadata({LAYOUT_KEY: json.dumps(described)})
    summaries = (_summary(tally, into, n_rows) for tally in tallies)
    return n_rows, without_excess([with_quantiles(summary, sample) for summary in summaries])


def with_quantiles(summary: ColumnSummary, sample: RowSample) -> ColumnSummary:
    """Return the summary with the quantiles of a sample, between the least and the greatest number of all rows."""
    quantiles = sample.quantiles(summary.name)
    if quantiles is None or summary.min is None or summary.max is None:
        return summary
    return replace(summary, quantiles=(summary.min, *quantiles[1:-1], summary.max))  # of all rows, not of the sample


def _row_groups(tables: Iterator[pa.Table], n_group_rows: int) -> Iterator[pa.Table]:
    """Cut and join tables into groups of ``n_group_rows`` rows, the last one smaller; long texts make smaller ones."""
    pending: pa.Table | None = None
    for table in tables:
        pending = table if pending is None else pa.concat_tables([pending, table])
        while pending.num_rows >= n_group_rows:
            yield pending.slice(0, n_group_rows)
            pending = pending.slice(n_group_rows)
        if pending.nbytes > _N_PENDING_BYTES:
            yield pending
            pending = None
    if pending is not None and pending.num_rows:
        yield pending


def _summary(tally: ColumnTally, written: Path, n_rows: int) -> ColumnSummary:
    name = tally.layout.name
    if tally.layout.role == "row_id" and tally.n_missing:
        refuse_columns(f"{tally.n_missing} rows have no value in the row_id column {shown(name)}; fill them")
    if tally.layout.role == "row_id":
        _refuse_long_ids(written, name)
    n_distinct = int(pc.count_distinct(_column(written, name)).as_py()) if tally.needs_count else None
    if tally.layout.role == "row_id" and n_distinct != n_rows:
        _refuse_repeated_id(_column(written, name), name)
    return tally.summary(n_distinct)


def _refuse_long_ids(written: Path, name: str) -> None:
    n_characters = pc.utf8_length(_column(written, name))
    longest = pc.max(n_characters).as_py() or 0
    if longest > _MAX_ID_CHARACTERS:
        row = pc.index(n_characters, longest).as_py()
        refuse_columns(
            f"the row_id column {shown(name)} holds {longest:,} characters in row {row}; an id has "
            f"{_MAX_ID_CHARACTERS} at most"
        )


def _refuse_repeated_id(row_ids: pa.ChunkedArray, name: str) -> NoReturn:
    """Name the first row whose id an earlier row has, and that row."""
    codes = row_ids.combine_chunks().dictionary_encode().indices.to_numpy()
    first_rows = np.unique(codes, return_index=True)[1]  # by code: every code occurs
    repeat = int(np.flatnonzero(first_rows[codes] != np.arange(len(codes)))[0])
    first = int(first_rows[codes[repeat]])
    refuse_columns(
        f"the row_id column {shown(name)} holds {shown(row_ids[repeat].as_py())} in row {first} and again in row "
        f"{repeat} (counted from 0); each row needs an id of its own"
    )


def _column(written: Path, name: str) -> pa.ChunkedArray:
    # A name with a dot in it selects its neighbours too.
    return pq.ParquetFile(written).read(columns=[name], use_threads=False).column(name)
