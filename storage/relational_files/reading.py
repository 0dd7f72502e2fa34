"""read_tables: from the files of several tables to normalised ones, or to a refusal that says what to change."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from .key_columns import why_unfit
from .keys import Link, PrimaryKeys, find_links, find_primary_keys, possible_keys
from .shared_columns import KeyDoubt, SharedColumns, SharedKeyInference
from .table_files import ColumnUses, ReadTable, described, read_column, read_table, survey_table
from .table_warnings import warning_of_doubt, warnings_of
from .times import TimeKind, read_times

MAX_CLASSES = 1_000
_FEWEST_REFERRING = 2  # rows to each row of a table, on average, if rows are shared
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
    tables, keys = _read_all(declared, limits, paths)
    arrays, examples = _times(declared, tables), _examples(declared, tables)
    with write_mapped_file(paths.arrays) as file:
        for name, array in arrays.items():
            file.add(name, array)
        for link in keys.links:
            file.add(PARENTS + link.name, link.match.parents)
    distances = _distances(declared.examples, keys.links)
    ids = {
        name: table.columns_of_ids(are_rows_shared=_are_rows_shared(table, keys.links, distances))
        for name, table in tables.items()
    }
    warned = (
        warning
        for table in tables.values()
        for warning in warnings_of(table, declared, tables, distances, ids[table.name])
    )
    return {
        "tables": list(_descriptions(tables, keys.primary, ids)),
        "relationships": [link.described(tables[link.parent].n_rows) for link in keys.links],
        "examples": examples,
        "unused": [name for name in tables if name not in distances],
        "warnings": [*map(warning_of_doubt, keys.doubts), *warned],
    }


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of all tables, and doubts where none was inferred."""

    primary: PrimaryKeys
    links: list[Link]
    doubts: list[KeyDoubt]


def _read_all(
    declared: RelationalDeclaration, limits: DatasetLimits, paths: UploadPaths
) -> tuple[dict[str, ReadTable], _Keys]:
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
    keys = _find_keys(declared, tables, possible, limits)
    _refuse_equal_names(declared, keys.links)
    for table in tables.values():
        columns = {
            *keys.primary[table.name],
            *(name for link in keys.links if link.child == table.name for name in link.columns),
        }
        _read_again(declared, tables, table.name, columns, limits)
    return tables, keys


def _find_keys(
    declared: RelationalDeclaration,
    tables: dict[str, ReadTable],
    possible: Mapping[str, Collection[str]],
    limits: DatasetLimits,
) -> _Keys:
    """Find the keys that are declared or inferred; tables are read again where shared columns may be keys."""
    primary = dict(find_primary_keys(declared, tables))
    links = list(find_links(declared, tables, primary))
    if not declared.infer_keys:
        return _Keys(primary, links, [])
    shared = SharedColumns.of(declared, tables)
    for name in tables:
        _read_again(declared, tables, name, {*possible[name], *shared.of_table(name)}, limits)
    inferred = SharedKeyInference(declared, tables, primary, links).keys_among(shared)
    order = list(tables)
    links = sorted([*links, *inferred.links], key=lambda link: (order.index(link.child), link.inferred))
    primary |= inferred.primary
    if not primary[declared.examples]:
        primary[declared.examples] = _only_id(declared, tables, links, limits)
    return _Keys(primary, links, inferred.doubts)


def _only_id(
    declared: RelationalDeclaration, tables: dict[str, ReadTable], links: Sequence[Link], limits: DatasetLimits
) -> tuple[str, ...]:
    """Return the only column of the examples that identifies them, if there is one, as their primary key."""
    name = declared.examples
    of_links = {column for link in links if link.child == name for column in link.columns}
    _read_again(declared, tables, name, of_links, limits)
    ids = [column for column in tables[name].columns_of_ids(are_rows_shared=False) if column not in of_links]
    if len(ids) != 1 or not tables[name].may_identify_rows(ids[0]):
        return ()
    _read_again(declared, tables, name, {*of_links, *ids}, limits)
    return () if why_unfit(tables[name].key(ids), are_row_ids=True) else (ids[0],)


def _read_again(
    declared: RelationalDeclaration,
    tables: dict[str, ReadTable],
    name: str,
    keys: Collection[str],
    limits: DatasetLimits,
) -> None:
    """Read a table once more where other columns are keys than were so far."""
    table = tables[name]
    uses = ColumnUses.of(declared, table.declared, keys)
    if uses != table.uses:
        tables[name] = read_table(table.uploaded, uses, limits, table.content)


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


def _descriptions(tables: Tables, primary: PrimaryKeys, ids: Mapping[str, Collection[str]]) -> Iterator[dict[str, Any]]:
    shortened = without_excess([column for table in tables.values() for column in table.columns])
    start = 0
    for table in tables.values():
        columns = shortened[start : start + len(table.columns)]
        start += len(table.columns)
        yield {
            "name": table.name,
            "n_rows": table.n_rows,
            "primary_key": list(primary[table.name]),
            "is_key_inferred": bool(primary[table.name]) and table.declared.primary_key is None,
            "time": table.declared.time,
            "columns": described(columns, ids[table.name]),
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


def _distances(examples: str, links: Sequence[Link]) -> dict[str, int]:
    """Return how many relationships away from the examples each table is that they lead to, whichever way."""
    distances = {examples: 0}
    reached = [examples]
    for name in reached:  # and those that are added below
        ends = [(link.child, link.parent) for link in links if name in (link.child, link.parent)]
        for other in dict.fromkeys(end for pair in ends for end in pair if end not in distances):
            distances[other] = distances[name] + 1
            reached.append(other)
    return distances


def _are_rows_shared(table: ReadTable, links: Sequence[Link], distances: Mapping[str, int]) -> bool:
    """Return whether several rows that are nearer to the examples refer to each row of a table."""
    far = len(distances)
    return any(
        link.parent == table.name
        and distances.get(link.child, far) < distances.get(table.name, far)
        and link.match.n_matched >= _FEWEST_REFERRING * table.n_rows
        for link in links
    )


def in_order(levels: Iterable[str]) -> list[str]:
    """Return the levels in numeric order if all are numbers (equal ones by text), else by text."""
    ordered = sorted(levels)
    if all(_NUMBER.fullmatch(level) for level in ordered):
        ordered.sort(key=float)
    return ordered
