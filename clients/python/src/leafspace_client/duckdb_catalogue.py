"""The catalogue of a DuckDB connection."""

from collections.abc import Iterable, Sequence
from typing import Any

from .catalogues import Catalogue, CatalogueKey, CatalogueTable, rows_a_batch

_TABLES = """
SELECT table_name FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = current_schema() AND NOT internal ORDER BY table_name
"""
_KEYS = """
SELECT constraint_type, constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints()
WHERE database_name = current_database() AND schema_name = current_schema() AND table_name = ?
AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY') ORDER BY constraint_index
"""


class DuckDb(Catalogue):  # its methods are described there
    """What a connection sees: within its transaction, if one was begun."""

    def __init__(self, connection: Any) -> None:  # see above
        self._connection = connection

    def names(self) -> list[str]:  # noqa: D102
        return [name for (name,) in self._connection.execute(_TABLES).fetchall()]

    def table(self, name: str) -> CatalogueTable:  # noqa: D102
        constraints = self._connection.execute(_KEYS, [name]).fetchall()
        primary = [tuple(columns) for kind, columns, _, _ in constraints if kind == "PRIMARY KEY"]
        foreign = [
            CatalogueKey(tuple(columns), parent, tuple(referred))
            for kind, columns, parent, referred in constraints
            if kind == "FOREIGN KEY"
        ]
        return CatalogueTable(name, primary[0] if primary else (), tuple(foreign))

    def schema(self, name: str) -> Any:  # noqa: D102
        return self._reader(f"SELECT * FROM {_quoted(name)} LIMIT 0", 1).schema  # noqa: S608  # the name is quoted

    def batches(self, name: str, schema: Any, order: Sequence[str]) -> Iterable[Any]:  # noqa: D102
        columns = ", ".join(map(_quoted, schema.names))
        by = f" ORDER BY {', '.join(map(_quoted, order))}" if order else ""
        query = f"SELECT {columns} FROM {_quoted(name)}{by}"  # noqa: S608  # names are quoted
        batches: Iterable[Any] = self._reader(query, rows_a_batch(schema))
        return batches

    def _reader(self, query: str, size: int) -> Any:  # of Arrow
        relation = self._connection.sql(query)
        read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader  # before DuckDB 1.4
        return read(size)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
