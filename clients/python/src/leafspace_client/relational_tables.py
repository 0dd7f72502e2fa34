"""Relational tables: several tables with keys, as callers hold them, as files to send with what is known of their keys.

A caller has data frames or files by name, or a database: ``databases.py`` reads the tables, keys and times of one. What
the caller declares comes before what a catalogue says; keys that nobody names are left for the service to infer.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from .arrow_tables import TableFile, has_arrow_stream, stream_file, time_columns_of
from .columns import Values, column_cells
from .errors import Invalid
from .row_kinds import is_frame
from .rows import column_names, with_named_index
from .tables import Columns, TableNames, mapping_columns, table_file, written

Names: TypeAlias = str | Sequence[str]
"""One column, or several that are a key together."""
BAD_TABLES = "relational_schema_invalid"
_LARGEST_WHOLE_NUMBER = 2**53  # of double precision
_ENCODED = '%"/\\'  # in names of files: what forms write otherwise, or take for folders
_SUFFIXES = {"application/vnd.apache.parquet": ".parquet", "application/json": ".json"}


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values name rows of another table."""

    columns: tuple[str, ...]
    references: str


@dataclass(frozen=True, slots=True)
class Source:
    """One table before it is sent."""

    name: str
    write: Callable[[], TableFile]
    suffix: str | None = None  # of the file's name; None: by its type
    times: tuple[str, ...] = ()  # columns of dates or moments, as far as that is known here
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """A caller's description of several tables."""

    examples: str
    target: str | None = None
    cutoff: str | None = None
    keys: Mapping[str, Names] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    times: Mapping[str, str | None] = field(default_factory=dict)
    categories: Mapping[str, Names] = field(default_factory=dict)
    features: Mapping[str, Names] = field(default_factory=dict)
    infer_keys: bool = True


@dataclass(frozen=True, slots=True)
class Upload:
    """Files by their names, and the description of the tables in them; the caller closes it."""

    files: Mapping[str, TableFile]
    metadata: dict[str, Any]
    closing: ExitStack


def sources_of(tables: Mapping[str, Any]) -> list[Source]:
    """Return tables that a caller holds by name.

    Parameters
    ----------
    tables
        Data frames of pandas; what has an Arrow stream, such as frames of Polars and tables of pyarrow; lists of dicts;
        or paths of CSV, Parquet or JSON files.

    Raises
    ------
    Invalid
        For anything else.
    """
    if not isinstance(tables, Mapping):
        detail = f"tables are a {type(tables).__name__}; give data frames or paths by name, or a database's connection"
        raise Invalid(BAD_TABLES, detail)
    return [_source(str(name), data) for name, data in tables.items()]


def upload_of(sources: Sequence[Source], declared: Declared) -> Upload:
    """Write all tables, and return them with what is known of their keys.

    Raises
    ------
    Invalid
        Where something is declared of a table that is not there, and for values that the service does not have.
    """
    known = list(_with_declared(sources, declared))
    files: dict[str, TableFile] = {}
    with ExitStack() as closing:
        for source in known:
            file = source.write()
            closing.callback(file.content.close)
            files[_file_name(source.name) + (source.suffix or _SUFFIXES[file.media_type])] = file
        return Upload(files, _metadata(known, declared), closing.pop_all())


def _file_name(table: str) -> str:
    """Return the table's name as a form may hold it; the service reads its percent-encoding."""
    return "".join(quote(each, safe="") if each in _ENCODED else each for each in table)


def _source(name: str, data: Any) -> Source:  # any form of table
    if isinstance(data, str | Path):
        path = Path(data)
        return Source(name, lambda: table_file(path, TableNames(None, None, None))[0], suffix=path.suffix or ".csv")
    if is_frame(data):
        columns = _frame_columns(data)
        return Source(name, lambda: written(columns), times=tuple(_times_in(columns)))
    if has_arrow_stream(data):
        return Source(name, lambda: stream_file(name, data), times=time_columns_of(data))
    if isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data):
        return Source(name, lambda: written(mapping_columns(data)))
    detail = f"table {name!r} is of type {type(data).__name__}; give a data frame, a list of dicts, or a file's path"
    raise Invalid(BAD_TABLES, detail)


def _frame_columns(frame: Any) -> Columns:  # a DataFrame
    """Return the columns, and the index where it has a name."""
    frame = with_named_index(frame)
    return {name: _cells(frame.iloc[:, index], name) for index, name in enumerate(column_names(frame))}


def _cells(column: Any, name: str) -> Values:  # a Series
    """Return the cells of a column; moments and texts stay as pandas has them, which is quick."""
    kind = getattr(column.dtype, "kind", "")
    if kind == "M" or str(column.dtype) in {"str", "string"}:
        return column
    if kind == "f" and _is_whole(column):
        return column.astype("Int64")  # pandas has keys that are missing somewhere as floats
    return column_cells(column, name, is_exact=True)  # it may be a key


def _is_whole(column: Any) -> bool:  # a Series of floats
    present = column.dropna()
    is_whole = len(present) < len(column) and (present % 1 == 0).all()
    return bool(is_whole and (present.abs() < _LARGEST_WHOLE_NUMBER).all())


def _times_in(columns: Columns) -> Iterator[str]:
    return (name for name, cells in columns.items() if getattr(getattr(cells, "dtype", None), "kind", "") == "M")


def _with_declared(sources: Sequence[Source], declared: Declared) -> Iterator[Source]:
    """Yield each table with the keys and the time that the caller declares, or else with its own."""
    names = [source.name for source in sources]
    _refuse_unknown(names, declared)
    references = [_reference(text, parent, names) for text, parent in declared.references.items()]
    for source in sources:
        own = [foreign for child, foreign in references if child == source.name]
        key = _as_tuple(declared.keys[source.name]) if source.name in declared.keys else source.primary_key
        taken = {foreign.columns for foreign in own}
        others = [foreign for foreign in source.foreign_keys if foreign.columns not in taken]
        time = _time_of(source, declared)
        yield replace(source, primary_key=key, foreign_keys=(*own, *others), times=() if time is None else (time,))


def _refuse_unknown(names: Sequence[str], declared: Declared) -> None:
    named: dict[str, Iterable[str]] = {
        "examples": [declared.examples],
        "keys": declared.keys,
        "references": declared.references.values(),
        "times": declared.times,
        "categories": declared.categories,
        "features": declared.features,
    }
    for what, tables in named.items():
        for table in tables:
            if table not in names:
                detail = f"{what} names the table {table!r}, but the tables are {', '.join(map(repr, names))}"
                raise Invalid(BAD_TABLES, detail)


def _reference(text: str, parent: str, names: Sequence[str]) -> tuple[str, ForeignKey]:
    """Return the child and its foreign key, of the name that a relationship has: ``account.customer_id``."""
    children = [name for name in names if text.startswith(f"{name}.")]
    if not children:
        detail = f"references has {text!r}; name a foreign key as table.column, or table.column,column of several"
        raise Invalid(BAD_TABLES, detail)
    child = max(children, key=len)
    return child, ForeignKey(tuple(column.strip() for column in text[len(child) + 1 :].split(",")), parent)


def _as_tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _time_of(source: Source, declared: Declared) -> str | None:
    """Return the column that says when a row became known: declared, or the only one where there is a cutoff."""
    if source.name in declared.times:
        return declared.times[source.name]
    is_sought = declared.cutoff is not None and source.name != declared.examples
    return source.times[0] if is_sought and len(source.times) == 1 else None


def _metadata(sources: Iterable[Source], declared: Declared) -> dict[str, Any]:
    examples = {"table": declared.examples, "target": declared.target, "cutoff": declared.cutoff}
    return {
        "examples": {name: value for name, value in examples.items() if value is not None},
        "tables": [_described(source, declared) for source in sources],
        "infer_keys": declared.infer_keys,
    }


def _described(source: Source, declared: Declared) -> dict[str, Any]:
    described: dict[str, Any] = {"name": source.name}
    if source.primary_key:
        described["primary_key"] = list(source.primary_key)
    if source.foreign_keys:
        described["foreign_keys"] = [
            {"columns": list(foreign.columns), "references": foreign.references} for foreign in source.foreign_keys
        ]
    if source.times:
        described["time"] = source.times[0]
    for kind, by_table in (("categories", declared.categories), ("features", declared.features)):
        if names := by_table.get(source.name):
            described[kind] = list(_as_tuple(names))
    return described


def left_out(what: str, why: str) -> None:
    """Warn of a part of a database that is not sent."""
    warnings.warn(f"{what} is left out: {why}", UserWarning, stacklevel=2)
