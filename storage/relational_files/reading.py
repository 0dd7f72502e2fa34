"""read_tables: from the files of several tables to normalised ones, or to a refusal that says what to change."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..array_files import write_mapped_file
from ..dataset_files.json_reading import spelled
from ..dataset_files.layout import DatasetLimits, refuse_size, shown
from ..dataset_files.normalising import without_excess
from ..errors import DatasetRefused
from .declaration import RelationalDeclaration, refuse_schema
from .keys import Link, PrimaryKeys, find_links, find_primary_keys, possible_keys
from .table_files import ColumnUses, ReadTable, described, read_column, read_table, survey_table
from .table_warnings import warnings_of
from .times import TimeKind, read_times

MAX_CLASSES = 1_000
_MAX_CLASSES_BYTES = 256 * 1024
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
PARENTS, TIMES, CUTOFFS = "parents/", "times/", "cutoffs"
"""Names in the file of arrays: of a relationship's parents and a table's times, each with its name, and of cutoffs."""

Tables = Mapping[str, ReadTable]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class UploadPaths:
    """Where the files of an upload are, and where what is read from them goes."""

    uploads: Sequence[Path]  # in the order of the metadata's tables
    contents: Sequence[Path]  # likewise: the normalised files
    arrays: Path


def read_tables(declared: RelationalDeclaration, limits: DatasetLimits, paths: UploadPaths) -> dict[str, Any]:
    """Read all tables, write their normalised files and the file of arrays, and return the summary.

    Parameters
    ----------
    declared
        What the metadata say, checked against the files' names.
    limits
        Of all tables together: rows, columns, cells.
    paths
        Files to read, and files to write, which are worthless where the upload is refused.

    Returns
    -------
    dict
        As JSON: ``tables``, ``relationships``, ``examples``, ``unused``, ``warnings``, as in the contract.

    Raises
    ------
    DatasetRefused
        Codes ``dataset_*``, ``relational_*``, ``too_many_rows`` and ``unsupported_media_type``, with a pointer.
    """
    tables, primary, links = _read_all(declared, limits, paths)
    arrays, examples = _times(declared, tables), _examples(declared, tables)
    with write_mapped_file(paths.arrays) as file:
        for name, array in arrays.items():
            file.add(name, array)
        for link in links:
            file.add(PARENTS + link.name, link.match.parents)
    reached = _reached(declared.examples, links)
    return {
        "tables": list(_descriptions(tables, primary)),
        "relationships": [link.described(tables[link.parent].n_rows) for link in links],
        "examples": examples,
        "unused": [name for name in tables if name not in reached],
        "warnings": [warning for table in tables.values() for warning in warnings_of(table, declared, tables, reached)],
    }


def _read_all(
    declared: RelationalDeclaration, limits: DatasetLimits, paths: UploadPaths
) -> tuple[dict[str, ReadTable], PrimaryKeys, list[Link]]:
    """Read the tables with all columns as texts that may be keys; those that turn out to be none are read again."""
    uploads = zip(declared.tables, paths.uploads, strict=True)
    surveyed = [survey_table(declared, table, path, limits) for table, path in uploads]
    n_columns = sum(len(table.names) for table in surveyed)
    if n_columns > limits.max_columns:
        refuse_size(f"the tables have {n_columns:,} columns in all; at most {limits.max_columns:,} are read")
    possible = possible_keys(declared, {table.declared.name: table.names for table in surveyed})
    tables: dict[str, ReadTable] = {}
    n_rows = 0
    for uploaded, content in zip(surveyed, paths.contents, strict=True):
        uses = ColumnUses.of(declared, uploaded.declared, possible[uploaded.declared.name])
        rest = replace(limits, max_rows=limits.max_rows - n_rows)
        table = tables[uploaded.declared.name] = read_table(uploaded, uses, rest, content)
        n_rows += table.n_rows
    primary = find_primary_keys(declared, tables)
    links = list(find_links(declared, tables, primary))
    _refuse_equal_names(declared, links)
    for table in tables.values():
        keys = {*primary[table.name], *(name for link in links if link.child == table.name for name in link.columns)}
        uses = ColumnUses.of(declared, table.declared, keys)
        if uses != table.uses:
            tables[table.name] = read_table(table.uploaded, uses, limits, table.content)
    return tables, primary, links


def _refuse_equal_names(declared: RelationalDeclaration, links: Sequence[Link]) -> None:
    """Refuse two relationships of one name, by which features and arrays know them."""
    first: dict[str, Link] = {}
    for link in links:
        if (other := first.setdefault(link.name, link)) is not link:
            detail = (
                f"the foreign key of table {shown(link.child)} that refers to {shown(link.parent)} and that of "
                f"{shown(other.child)} to {shown(other.parent)} are both called {shown(link.name)}, the table's name, "
                "a point and the columns parted by commas; rename a table or a column"
            )
            refuse_schema(detail, declared.table(link.child).pointer)


def _descriptions(tables: Tables, primary: PrimaryKeys) -> Iterator[dict[str, Any]]:
    shortened = without_excess([column for table in tables.values() for column in table.columns])
    start = 0
    for table in tables.values():
        columns = shortened[start : start + len(table.columns)]
        start += len(table.columns)
        yield {
            "name": table.name,
            "n_rows": table.n_rows,
            "primary_key": list(primary[table.name]),
            "time": table.declared.time,
            "columns": described(columns),
        }


def _times(declared: RelationalDeclaration, tables: Tables) -> Arrays:
    """Return the times of all tables that have one, and the cutoffs; all of them are numbers, or all are moments."""
    arrays: Arrays = {}
    kinds: dict[str, TimeKind] = {}
    for table in tables.values():
        if (name := table.declared.time) is not None:
            arrays[TIMES + table.name] = _read_times(table, name, f"{table.declared.pointer}/time", kinds)
    if declared.cutoff is not None:
        pointer = "/metadata/examples/cutoff"
        arrays[CUTOFFS] = _read_times(tables[declared.examples], declared.cutoff, pointer, kinds)
    return arrays


def _read_times(table: ReadTable, name: str, pointer: str, kinds: dict[str, TimeKind]) -> NDArray[np.float64]:
    where = f"column {shown(name)} of table {shown(table.name)}"
    kind, times = read_times(read_column(table.content, name).combine_chunks(), where, pointer)
    other = next((column for column, known in kinds.items() if kind is not None and known != kind), None)
    if other is not None:
        detail = f"{where} and {other} cannot be compared: one holds numbers, the other dates; send both alike"
        raise DatasetRefused("relational_time_type", detail, pointer)
    if kind is not None:
        kinds[where] = kind
    return times


def _examples(declared: RelationalDeclaration, tables: Tables) -> dict[str, Any]:
    table = tables[declared.examples]
    n_labelled, classes = 0, None
    if declared.target is not None:
        n_labelled = table.n_rows - table.column(declared.target).n_missing
        classes = _classes(table, declared.target)
    named = {"table": table.name, "target": declared.target, "cutoff": declared.cutoff}
    return named | {"n": table.n_rows, "n_labelled": n_labelled, "classes": classes}


def _classes(table: ReadTable, target: str) -> list[str] | None:
    distinct = pc.drop_null(pc.unique(read_column(table.content, target)))
    is_text = table.column(target).type == "category"
    n_bytes = (pc.sum(pc.binary_length(distinct)).as_py() or 0) if is_text else 0
    if is_text and (len(distinct) > MAX_CLASSES or n_bytes > _MAX_CLASSES_BYTES):
        detail = (
            f"the target {shown(target)} has {len(distinct):,} different labels of {n_bytes:,} bytes in all; at most "
            f"{MAX_CLASSES:,} classes of {_MAX_CLASSES_BYTES:,} bytes are possible"
        )
        raise DatasetRefused("method_not_applicable", detail, "/metadata/examples/target")
    if len(distinct) > MAX_CLASSES:
        return None
    return in_order({spelled(value) for value in distinct.to_pylist()})


def _reached(examples: str, links: Sequence[Link]) -> set[str]:
    """Return the tables that relationships lead to from the examples, whichever way, and theirs."""
    reached, new = {examples}, {examples}
    while new:
        ends = {(link.child, link.parent) for link in links if {link.child, link.parent} & new}
        new = {name for pair in ends for name in pair} - reached
        reached |= new
    return reached


def in_order(levels: Iterable[str]) -> list[str]:
    """Return the levels in numeric order if all are numbers (equal ones by text), else by text."""
    ordered = sorted(levels)
    if all(_NUMBER.fullmatch(level) for level in ordered):
        ordered.sort(key=float)
    return ordered
