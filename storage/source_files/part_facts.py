"""Facts of parts: what the child found in each file, and what that means for all files together.

A dataset's columns have one type in all of its files. Files that differ only in that one holds nothing but missing
values, or integers beyond 2^53 (which are texts), are brought to agree; all others are refused, naming two files.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..dataset_files.layout import refuse_columns, shown
from ..dataset_files.normalising import ColumnSummary, is_free_text, with_quantiles, without_excess
from ..dataset_files.quantiles import RowSample

PART = "part.parquet"
FACTS = "facts.json"
"""What the child writes of each file."""
NATURAL = "natural_type"
"""What facts of a column have beside its summary."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The declaration of the columns of all files, and what was found in the files read so far."""

    target: str | None
    row_id: str | None
    features: tuple[str, ...] | None
    names: tuple[str, ...] | None = None  # in the order of the first file; None while that is read
    texts: tuple[str, ...] = ()  # columns that are categories whatever a file holds
    types: Mapping[str, Any] | None = None  # of columns in files that hold no value of theirs

    def for_one(self, differing: Iterable[str], types: Mapping[str, Any]) -> "Agreement":
        """Return the agreement for a file in which these columns are of another type than in others."""
        of_file = {name: types[name] for name in differing}
        texts = tuple(sorted(name for name, kind in of_file.items() if kind == "category"))
        return replace(self, texts=texts, types={name: kind for name, kind in of_file.items() if kind != "category"})


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What was found in one file."""

    n_rows: int
    group_rows: tuple[int, ...]  # of its normalised form
    names: tuple[str, ...]  # in its own order
    columns: tuple[Mapping[str, Any], ...]  # ColumnSummary and the natural type, in the order of the normalised form
    tag: str  # of the file, as a manifest knows it

    @classmethod
    def of_json(cls, document: Mapping[str, Any]) -> "PartFacts":
        """Return the facts that were written as JSON."""
        lists = {name: tuple(document[name]) for name in ("group_rows", "names", "columns")}
        return cls(n_rows=document["n_rows"], tag=document["tag"], **lists)

    def type_of(self, index: int) -> str | None:
        """Return the type of a column, or nothing where the file holds no value of it."""
        column = self.columns[index]
        return None if column["n_missing"] == self.n_rows else str(column["type"])


def agreed_types(parts: Sequence[tuple[str, PartFacts]]) -> dict[str, str]:
    """Return the type of each column in all files, given their names and facts.

    Raises
    ------
    DatasetRefused
        Where a column holds values of two types.
    """
    types: dict[str, str] = {}
    for index, column in enumerate(parts[0][1].columns):
        files: dict[tuple[str, str | None], str] = {}  # type and natural type -> the first file with it
        for name, facts in parts:
            if (kind := facts.type_of(index)) is not None:
                files.setdefault((kind, facts.columns[index][NATURAL]), name)
        types[column["name"]] = _agreed(column["name"], files) or str(column["type"])
    return types


def _agreed(column: str, files: Mapping[tuple[str, str | None], str]) -> str | None:
    # Long integers are texts, although they are numbers by nature: so are then the shorter ones of other files.
    kinds = {kind for kind, _ in files}
    if len({natural or kind for kind, natural in files}) > 1:
        (first, one), (second, other) = list(files.items())[:2]
        refuse_columns(
            f"column {shown(column)} is of type {first[0]} in file {shown(one)}, and of type {second[0]} in file "
            f"{shown(other)}; files need the same types"
        )
    return "category" if "category" in kinds else min(kinds, default=None)


def differing(facts: PartFacts, types: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns whose type in a file is not that in all files."""
    return tuple(column["name"] for column in facts.columns if column["type"] != types[column["name"]])


def merged_columns(
    parts: Sequence[PartFacts], n_distinct: Mapping[str, int], sample: RowSample
) -> tuple[ColumnSummary, ...]:
    """Return the summary of each column over all files, the same as if they had been one.

    Parameters
    ----------
    parts
        Facts of files that agree.
    n_distinct
        Number of distinct values of the columns that ``uncounted`` names.
    sample
        Of the rows of all files.
    """
    columns = [_merged([part.columns[index] for part in parts]) for index in range(len(parts[0].columns))]
    counted = [
        replace(column, n_categories=n_distinct[column.name]) if column.name in n_distinct else column
        for column in columns
    ]
    return without_excess([with_quantiles(column, sample) for column in counted])


def uncounted(parts: Sequence[PartFacts]) -> tuple[str, ...]:
    """Return the columns of texts whose distinct values are too many to be listed, and have to be counted."""
    columns = [_merged([part.columns[index] for part in parts]) for index in range(len(parts[0].columns))]
    return tuple(column.name for column in columns if column.type == "category" and column.categories is None)


def _merged(columns: Sequence[Mapping[str, Any]]) -> ColumnSummary:
    first = columns[0]
    n_missing = sum(column["n_missing"] for column in columns)
    lows = [column["min"] for column in columns if column["min"] is not None]
    highs = [column["max"] for column in columns if column["max"] is not None]
    decimals = [column["decimals"] for column in columns if column["min"] is not None]
    counts: Counter[str] | None = None
    if first["type"] == "category" and all(column["categories"] is not None for column in columns):
        counts = Counter()
        for column in columns:
            counts.update(dict(zip(column["categories"], column["category_counts"], strict=True)))
        counts = None if is_free_text(counts) else counts
    named = {"name": first["name"], "type": first["type"], "role": first["role"]}
    return ColumnSummary(
        **named,
        n_missing=n_missing,
        n_categories=None if counts is None else len(counts),
        categories=None if counts is None else tuple(sorted(counts)),
        category_counts=None if counts is None else tuple(counts[text] for text in sorted(counts)),
        min=min(lows, default=None),
        max=max(highs, default=None),
        n_infinite=sum(column["n_infinite"] for column in columns),
        decimals=None if None in decimals else max(decimals, default=None),
        is_single_precision=None not in decimals and any(column["is_single_precision"] for column in columns),
    )


def as_json(columns: Sequence[ColumnSummary]) -> tuple[dict[str, Any], ...]:
    """Return summaries as plain values."""
    return tuple(asdict(column) for column in columns)
