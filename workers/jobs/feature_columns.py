"""Columns of features as an ordinary dataset: one row for each example, with its id and its target."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from explanations.feature_sets import dataset_identifier
from schemas.datasets import DatasetMetadata
from schemas.relational_features import RelationalFeature
from storage.dataset_files import DatasetLimits, DeclaredColumns
from storage.dataset_files.layout import (
    ARROW_TYPES,
    ColumnType,
    OddCell,
    check_declaration,
    check_names,
    lay_out,
    refuse_many_columns,
    rows_per_block,
)
from storage.dataset_files.normalising import write_normalised
from storage.datasets import NewDataset
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.errors import RowRefused
from tree_explainers.relational.queries import Feature
from tree_explainers.relational.query_trie import FeatureColumn, QueryTrie
from tree_explainers.relational.schema import ColumnSchema
from tree_explainers.relational.tables import MISSING

from .relational_inputs import RelationalInput

_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """The features of all examples: a source of columns, as the readers of uploads are."""

    input: RelationalInput
    described: Sequence[RelationalFeature]
    kinds: Sequence[ColumnSchema]  # what the columns hold
    columns: Sequence[FeatureColumn]
    row_id: str | None  # names of its columns beside the features
    target: str | None

    @classmethod
    def of(
        cls,
        read: RelationalInput,
        described: Sequence[RelationalFeature],
        kinds: Sequence[ColumnSchema],
        columns: Sequence[FeatureColumn],
    ) -> "FeatureTable":
        """Return the table; names of its id and target that features have as well end in ``_``."""
        taken = {each.name for each in described}
        examples = next(table for table in read.view.tables if table.name == read.view.examples.table)
        row_id = _free(",".join(examples.primary_key), taken) if examples.primary_key else None
        target = None if read.view.examples.target is None else _free(read.view.examples.target, taken)
        return cls(read, described, kinds, columns, row_id, target)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns: id and target first, where there are any."""
        return (*(name for name in (self.row_id, self.target) if name), *(each.name for each in self.described))

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """Types in the same order."""
        types: list[ColumnType] = ["category"] if self.row_id else []
        if self.target is not None:
            types.append("number" if self.input.rows.labels is None else "category")
        return (*types, *(each.type for each in self.described))

    natural_types = types

    @property
    def odd_cells(self) -> dict[str, OddCell]:
        """There are none."""
        return {}

    @property
    def ignored(self) -> tuple[str, ...]:
        """Return nothing: all features are numbers, texts or booleans."""
        return ()

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows."""
        n_rows, length = self.input.rows.n_examples, rows_per_block(len(self.names))
        for start in range(0, n_rows, length):
            rows = slice(start, min(start + length, n_rows))
            features = [_arrow(column[rows], kind) for column, kind in zip(self.columns, self.kinds, strict=True)]
            yield [*self._own_columns(rows), *features]

    def _own_columns(self, rows: slice) -> Iterator[pa.Array]:
        if self.row_id is not None:
            yield pa.array(self.input.row_ids[rows], pa.string())
        if self.target is None:
            return
        of = self.input.rows
        if of.labels is not None:
            yield _texts(of.labels[rows], of.classes)
        elif of.values is not None:
            yield pa.array(of.values[rows], pa.float64(), from_pandas=True)


def evaluate_table(
    features: Sequence[Feature], described: Sequence[RelationalFeature], read: RelationalInput, report: ReportProgress
) -> FeatureTable:
    """Return the features of all examples.

    Raises
    ------
    RowRefused
        ``relational_too_many_combinations``, naming the query, the example and the limit.
    """
    stage = "evaluating features"
    report(0.0, stage)
    trie = QueryTrie(features, read.rows.schema)
    try:
        columns = trie.evaluate(read.rows, lambda: report(0.0, stage))
    except RowRefused as refusal:
        named = f"example {read.row_ids[refusal.row or 0]!r}: {refusal.detail}"
        raise RowRefused(refusal.code, named, refusal.row) from refusal
    return FeatureTable.of(read, described, trie.columns, columns)


def _free(name: str, taken: set[str]) -> str:
    name = name[:_LONGEST_NAME]
    while name in taken:
        name = f"{name[: _LONGEST_NAME - 1]}_"
    taken.add(name)
    return name


def _arrow(column: FeatureColumn, kind: ColumnSchema) -> pa.Array:
    if column.dtype == np.bool_:
        return pa.array(column, ARROW_TYPES["boolean"])
    if kind.kind == "boolean":
        return pa.array(column == 1, ARROW_TYPES["boolean"], mask=column == MISSING)
    if kind.kind == "category":
        return _texts(column, kind.levels)
    return pa.array(column.astype(np.float64), ARROW_TYPES["number"], from_pandas=True)


def _texts(codes: Any, levels: Sequence[str]) -> pa.Array:  # an array of integers
    return pa.array(levels, pa.string()).take(pa.array(codes, pa.int64(), mask=codes == MISSING))


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """A dataset that lies in a job's workspace, ready to be kept."""

    id: str
    path: Path
    summary: dict[str, Any]
    metadata: dict[str, Any]
    feature_set: str

    def keep(self, objects: ObjectStore) -> NewDataset:
        """Keep its file; return its row."""
        n_bytes, content = self.path.stat().st_size, objects.put_file(self.path)
        name = self.metadata["name"]
        return NewDataset(self.id, name, content, n_bytes, content, self.summary, self.metadata, self.feature_set)


def write_dataset(table: FeatureTable, feature_set: str, name: str, into: Path) -> WrittenDataset:
    """Write the features of all examples as a normalised file.

    Raises
    ------
    DatasetRefused
        Where there are more rows, columns or cells than a dataset may have, or ids of over 255 characters.
    """
    limits = DatasetLimits()
    refuse_many_columns(len(table.names), limits)
    check_names(table.names)
    declared = DeclaredColumns(target=table.target, row_id=table.row_id)
    check_declaration(table.names, declared)
    n_rows, columns = write_normalised(table, lay_out(table.names, table.types, declared), into, limits)
    summary = {"n_rows": n_rows, "columns": [asdict(column) for column in columns]}
    metadata = DatasetMetadata(name=name[:_LONGEST_NAME], target=table.target, row_id=table.row_id)
    of_labels = table.input.view.examples.classes is not None and table.input.rows.labels is None
    identifier = dataset_identifier(feature_set, table.input.view.id, values_of_labels=of_labels)
    return WrittenDataset(identifier, into, summary, metadata.model_dump(mode="json"), feature_set)
