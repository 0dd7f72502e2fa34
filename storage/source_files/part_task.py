"""read_source_files, in the sandbox's child: source files become normalised ones, each with facts of its columns."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sandbox.messages import Request

from ..dataset_files.layout import (
    ARROW_TYPES,
    ColumnSource,
    ColumnType,
    DatasetLimits,
    OddCell,
    lay_out,
    refuse_columns,
    refuse_large_file,
    shown,
)
from ..dataset_files.normalising import write_normalised
from ..dataset_files.reading import open_source
from ..dataset_files.sniffing import sniff
from ..errors import DatasetRefused
from .part_facts import FACTS, NATURAL, PART, Agreement, PartFacts


def read_source_files(request: Request) -> dict[str, Any]:
    """Write the normalised form of each file of the folder, and its facts; a refusal names the file."""
    agreement = Agreement(**request.metadata["agreement"])
    limits = DatasetLimits(**request.limits)
    folder = Path(request.upload).parent
    for index, name in enumerate(request.metadata["files"]):
        try:
            facts = read_source_file(folder / source_name(index), agreement, limits, folder / str(index))
        except DatasetRefused as refusal:
            raise DatasetRefused(refusal.code, f"file {shown(name)}: {refusal.detail}") from refusal
        (folder / str(index) / FACTS).write_text(json.dumps(asdict(facts)))
    return {"n_files": len(request.metadata["files"])}


def source_name(index: int) -> str:
    """Return the name of a file in the folder, by its 0-based index."""
    return f"source_{index}"


def read_source_file(path: Path, agreement: Agreement, limits: DatasetLimits, into: Path) -> PartFacts:
    """Write one file's rows to a normalised one in the folder ``into``; return its facts."""
    refuse_large_file(path.stat().st_size, limits)
    source = open_source(sniff(path, None), path, _Declaration(agreement), limits)
    agreed = _Agreed.of(source, agreement)
    part = into / PART
    n_rows, columns = write_normalised(
        agreed, lay_out(agreed.names, agreed.types, _Declaration(agreement)), part, limits
    )
    footer = pq.read_metadata(part)
    natural = dict(zip(source.names, source.natural_types, strict=True))
    return PartFacts(
        n_rows=n_rows,
        group_rows=tuple(footer.row_group(index).num_rows for index in range(footer.num_row_groups)),
        names=source.names,
        columns=tuple({**asdict(column), NATURAL: natural[column.name]} for column in columns),
        tag="",
    )


@dataclass(frozen=True, slots=True)
class _Declaration:
    """What is declared of the columns of each file; some files may have no rows."""

    agreement: Agreement
    missing_values: tuple[str, ...] | None = None
    separator: str | None = None
    may_be_empty: bool = True
    may_leave_out: bool = False

    @property
    def target(self) -> str | None:
        return self.agreement.target

    @property
    def row_id(self) -> str | None:
        return self.agreement.row_id

    @property
    def features(self) -> Sequence[str] | None:
        return self.agreement.features

    @property
    def texts(self) -> tuple[str, ...]:
        row_id = () if self.row_id is None else (self.row_id,)
        return (*row_id, *self.agreement.texts)


@dataclass(frozen=True, slots=True)
class _Agreed:
    """A file as if its columns had the order of the first file's, and the types that they have in all files."""

    source: ColumnSource
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]

    @classmethod
    def of(cls, source: ColumnSource, agreement: Agreement) -> "_Agreed":
        """Return the file's columns in the agreed order; refuse a file that has others."""
        names = tuple(agreement.names or source.names)
        if missing := set(names) - set(source.names):
            refuse_columns(f"there is no column {shown(min(missing))}, which the first file has")
        if others := set(source.names) - set(names):
            refuse_columns(f"the first file has no column {shown(min(others))}; files need the same columns")
        types: dict[str, ColumnType] = dict(zip(source.names, source.types, strict=True))
        return cls(source, names, tuple((agreement.types or {}).get(name, types[name]) for name in names))

    @property
    def natural_types(self) -> tuple[ColumnType | None, ...]:
        return self.types

    @property
    def odd_cells(self) -> dict[str, OddCell]:
        return {}

    @property
    def ignored(self) -> tuple[str, ...]:
        return ()

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows in the agreed order."""
        indices = [self.source.names.index(name) for name in self.names]
        for block in self.source.blocks():
            yield [_typed(block[index], kind) for index, kind in zip(indices, self.types, strict=True)]


def _typed(values: pa.Array, kind: ColumnType) -> pa.Array:
    """Return a column that holds nothing but missing values as one of another type."""
    if values.type == ARROW_TYPES[kind] or values.null_count < len(values):
        return values
    return pa.nulls(len(values), ARROW_TYPES[kind])
