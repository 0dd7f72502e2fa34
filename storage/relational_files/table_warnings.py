"""Warnings about tables: rows that may reveal the target, tables that nothing leads to, and ids that are no keys."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .declaration import RelationalDeclaration
from .shared_columns import KeyDoubt
from .table_files import ReadTable

_NAMED_COLUMNS, _LISTED_COLUMNS = 5, 100  # in a sentence, and in the list beside it


def warnings_of(
    table: ReadTable,
    declared: RelationalDeclaration,
    tables: Mapping[str, ReadTable],
    reached: Collection[str],
    ids: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield the reasons to look at a table again, as in the contract.

    Parameters
    ----------
    table
        The table.
    declared
        What the metadata say of all tables.
    tables
        All tables by name.
    reached
        Names of those that relationships lead to from the examples.
    ids
        Names of the table's columns that hold ids.
    """
    if table.name not in reached:
        yield _not_joined(table, tables, declared.examples)
        return
    if table.name != declared.examples:
        yield from _of_times(table, has_cutoff=declared.cutoff is not None)
    if ids:
        detail = (
            f"trees do not test {_listed(ids)} of table {table.name}: nearly each row has another value there, as ids "
            "have, by which rows are learned by heart; a column that is no id is tested if the table's `features` have "
            "it"
        )
        yield _warning("column_of_ids", table.name, ids, detail)


def warning_of_doubt(doubt: KeyDoubt) -> dict[str, Any]:
    """Return a key that was not inferred, as in the contract."""
    return _warning("key_in_doubt", doubt.table, doubt.columns, doubt.detail)


def _not_joined(table: ReadTable, tables: Mapping[str, ReadTable], examples: str) -> dict[str, Any]:
    shared = [name for name in table.uploaded.names if name in tables[examples].uploaded.names]
    both = f"; both have {_listed(shared)}, from which no key was inferred" if shared else ""
    detail = (
        f"no relationship leads from the examples in table {examples} to table {table.name}, so that nothing is "
        "learned from it: declare a foreign key of either table, and the primary key of the other, to which it "
        f"refers{both}"
    )
    return _warning("table_not_joined", table.name, shared, detail)


def _of_times(table: ReadTable, *, has_cutoff: bool) -> Iterator[dict[str, Any]]:
    """Yield why a table's rows may reveal the target: what was made after the moment of the prediction is seen."""
    sees = "each example sees all of its rows, also those made after the moment of the prediction, which may reveal the"
    time = table.declared.time
    if time is None and (columns := table.columns_of_dates()):
        detail = f"table {table.name} has dates ({_listed(columns)}) and no time: {sees} target; name the column in "
        yield _warning("dates_without_time", table.name, columns, f"{detail}`time`, and a `cutoff`")
    if time is not None and not has_cutoff:
        detail = f"table {table.name} has a time ({time}), but the examples have no cutoff: {sees} target; name a "
        yield _warning("time_without_cutoff", table.name, [time], f"{detail}`cutoff`, unless no row is later")


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(columns[:_NAMED_COLUMNS]) + (", …" if len(columns) > _NAMED_COLUMNS else "")


def _warning(code: str, table: str, columns: Sequence[str], detail: str) -> dict[str, Any]:
    return {"code": code, "table": table, "columns": list(columns[:_LISTED_COLUMNS]), "detail": detail}
