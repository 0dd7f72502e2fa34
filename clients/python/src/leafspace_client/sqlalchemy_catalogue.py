"""The catalogue of an SQLAlchemy engine or connection: PostgreSQL, SQLite, and whatever else has a dialect."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from .arrow_tables import pyarrow
from .catalogues import Catalogue, CatalogueKey, CatalogueTable, rows_a_batch
from .errors import Invalid
from .relational_tables import BAD_TABLES


@contextmanager
def opened_sqlalchemy(database: sa.Engine | sa.Connection) -> Iterator[Catalogue]:
    """Yield the catalogue of an engine or a connection, within the connection's transaction or one that is undone."""
    if isinstance(database, sa.Connection):
        was_in_transaction = database.in_transaction()
        try:
            yield _SqlAlchemy(database)
        finally:
            if not was_in_transaction:
                database.rollback()
        return
    with database.connect() as connection:
        if connection.dialect.name == "postgresql":  # elsewhere this is the default, or there is nothing like it
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield _SqlAlchemy(connection)


class _SqlAlchemy(Catalogue):
    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._inspector = sa.inspect(connection)

    def names(self) -> list[str]:
        return sorted(self._inspector.get_table_names())

    def table(self, name: str) -> CatalogueTable:
        schema = self._inspector.default_schema_name
        try:
            primary = self._inspector.get_pk_constraint(name)["constrained_columns"]
            foreign = self._inspector.get_foreign_keys(name)
        except sa.exc.NoSuchTableError:
            detail = f"the database has no table {name!r} in the schema that it searches by default"
            raise Invalid(BAD_TABLES, detail) from None
        keys = [
            CatalogueKey(tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"]))
            for key in foreign
            if key["referred_schema"] in {None, schema}
        ]
        return CatalogueTable(name, tuple(primary), tuple(keys))

    def schema(self, name: str) -> Any:  # of Arrow
        columns = self._inspector.get_columns(name)
        return pyarrow().schema([(column["name"], _arrow_type(column["type"])) for column in columns])

    def batches(self, name: str, schema: Any, order: Sequence[str]) -> Iterable[Any]:  # of Arrow
        types = {column["name"]: _read_as(column["type"]) for column in self._inspector.get_columns(name)}
        table = sa.table(name, *[sa.column(column, types[column]) for column in schema.names])
        query = sa.select(*[table.c[column] for column in schema.names]).order_by(*[table.c[key] for key in order])
        size = rows_a_batch(schema)
        result = self._connection.execute(query, execution_options={"stream_results": True, "yield_per": size})
        for rows in result.partitions(size):
            columns = zip(*rows, strict=True)
            arrays = [_array(name, field, cells) for field, cells in zip(schema, columns, strict=True)]
            yield pyarrow().record_batch(arrays, schema=schema)


def _array(table: str, field: Any, cells: Sequence[Any]) -> Any:  # of Arrow
    pa = pyarrow()
    if pa.types.is_string(field.type):
        cells = [None if cell is None else str(cell) for cell in cells]
    try:
        return pa.array(cells, field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        # SQLite keeps whatever it is given, whatever the column's type says.
        detail = f"column {field.name!r} of table {table!r} has a value that is no {field.type}: {error}"
        raise Invalid("dataset_bad_columns", detail) from error


def _read_as(kind: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """Return the type by which values are read: decimals as floats."""
    return sa.Float() if isinstance(kind, sa.Numeric | sa.Float) else kind


def _arrow_type(kind: sa.types.TypeEngine[Any]) -> Any:  # of Arrow
    pa = pyarrow()
    types: list[tuple[type[sa.types.TypeEngine[Any]], Any]] = [
        (sa.Boolean, pa.bool_()),
        (sa.Integer, pa.int64()),
        (sa.Numeric, pa.float64()),
        (sa.Float, pa.float64()),
        (sa.DateTime, pa.timestamp("us", "UTC" if getattr(kind, "timezone", False) else None)),
        (sa.Date, pa.date32()),
        (sa.String, pa.string()),  # enumerations are a kind of it
        (sa.Time, pa.string()),
        (sa.Uuid, pa.string()),
    ]
    # What is none of these comes as bytes, which are not sent.
    return next((arrow for sql, arrow in types if isinstance(kind, sql)), pa.binary())
