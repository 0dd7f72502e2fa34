"""Databases: tables, keys and times of a DuckDB connection or an SQLAlchemy engine, read from the catalogue.

Rows are streamed into Parquet files, at most a million cells at a time: the database may be larger than memory. All is
read in one transaction of an engine, or in that of a connection, if one was begun. Neither library is required: a
caller with a connection has its library.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .arrow_tables import is_time, parquet_file, pyarrow, sent_type
from .catalogues import Catalogue, CatalogueTable
from .errors import Invalid
from .relational_tables import BAD_TABLES, Declared, ForeignKey, Source, left_out

MAX_TABLES = 64  # of a relational dataset


def is_database(tables: object) -> bool:
    """Whether this is a connection of DuckDB, or an engine or a connection of SQLAlchemy."""
    return _is_duckdb(tables) or _is_sqlalchemy(tables)


@contextmanager
def opened(database: Any) -> Iterator[Catalogue]:  # of either library
    """Yield the catalogue of a database, within the caller's transaction if there is one."""
    if _is_duckdb(database):
        from .duckdb_catalogue import DuckDb  # as below

        yield DuckDb(database)
        return
    from .sqlalchemy_catalogue import opened_sqlalchemy  # a caller with an engine has the library

    with opened_sqlalchemy(database) as catalogue:
        yield catalogue


def catalogue_sources(catalogue: Catalogue, only: Sequence[str] | None, declared: Declared) -> list[Source]:
    """Return the tables of a database that belong together.

    Parameters
    ----------
    catalogue
        The database.
    only
        Names of tables and views; default: the tables that foreign keys lead to from the examples, step by step and
        either way; or all tables, where none of them has a foreign key.
    declared
        The caller's description of the tables; declared references lead to tables, too.

    Raises
    ------
    Invalid
        For more than 64 tables, and where the table of the examples is none of them.
    """
    names = list(only) if only is not None else catalogue.names()
    tables = {name: catalogue.table(name) for name in names}
    if declared.examples not in tables:
        detail = f"the database has no table {declared.examples!r}; it has {', '.join(map(repr, tables)) or 'none'}"
        raise Invalid(BAD_TABLES, detail)
    if only is None:
        tables = _connected(tables, declared)
    if len(tables) > MAX_TABLES:
        detail = f"these are {len(tables)} tables, and at most {MAX_TABLES} can be sent; name those you need in `only`"
        raise Invalid(BAD_TABLES, detail)
    keys = {name: _key_of(table, declared) for name, table in tables.items()}
    return [_source(catalogue, table, keys) for table in tables.values()]


def _connected(tables: Mapping[str, CatalogueTable], declared: Declared) -> dict[str, CatalogueTable]:
    """Return the tables that keys lead to from the examples, in the order of the catalogue."""
    links = [(name, key.references) for name, table in tables.items() for key in table.foreign_keys]
    for text, parent in declared.references.items():
        links += [(name, parent) for name in tables if text.startswith(f"{name}.")]
    if not links:
        return dict(tables)
    reached, following = {declared.examples}, [declared.examples]
    while following:
        one = following.pop()
        others = {other for link in links if one in link for other in link if other in tables} - reached
        reached |= others
        following += others
    return {name: table for name, table in tables.items() if name in reached}


def _key_of(table: CatalogueTable, declared: Declared) -> tuple[str, ...]:
    named = declared.keys.get(table.name)
    if named is None:
        return table.primary_key
    return (named,) if isinstance(named, str) else tuple(named)


def _source(catalogue: Catalogue, table: CatalogueTable, keys: Mapping[str, tuple[str, ...]]) -> Source:
    schema = _sent_schema(table.name, catalogue.schema(table.name))
    return Source(
        table.name,
        lambda: parquet_file(schema, catalogue.batches(table.name, schema, table.primary_key)),
        times=tuple(each.name for each in schema if is_time(each.type)),
        primary_key=table.primary_key,
        foreign_keys=tuple(_foreign_keys(table, keys)),
    )


def _sent_schema(name: str, schema: Any) -> Any:  # of Arrow
    """Return the columns that can be sent, in the types in which they are."""
    for each in schema:
        if sent_type(each.type) is None:
            left_out(f"column {each.name!r} of table {name!r}", f"values of type {each.type} cannot be tested")
    kept = [(each.name, sent_type(each.type)) for each in schema if sent_type(each.type) is not None]
    return pyarrow().schema(kept)


def _foreign_keys(table: CatalogueTable, keys: Mapping[str, tuple[str, ...]]) -> Iterator[ForeignKey]:
    """Yield the foreign keys to primary keys of tables that are sent, in the order of the primary key's columns."""
    for key in table.foreign_keys:
        primary = keys.get(key.references)
        if primary is None:
            continue
        if sorted(key.referred) != sorted(primary):
            referred = ", ".join(key.referred)
            what = f"the foreign key {', '.join(key.columns)} of table {table.name!r}"
            advice = f"pass keys={{{key.references!r}: {referred!r}}} to have it"
            left_out(what, f"it refers to ({referred}), not to the primary key of {key.references!r}; {advice}")
            continue
        by_column = dict(zip(key.referred, key.columns, strict=True))
        yield ForeignKey(tuple(by_column[column] for column in primary), key.references)


def _is_duckdb(tables: object) -> bool:
    return type(tables).__name__ == "DuckDBPyConnection"


def _is_sqlalchemy(tables: object) -> bool:
    return any(
        kind.__module__.startswith("sqlalchemy.") and kind.__name__ in {"Engine", "Connection"}
        for kind in type(tables).__mro__
    )
