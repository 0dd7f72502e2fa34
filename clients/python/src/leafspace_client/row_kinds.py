"""Kinds of rows: what callers hold them in, recognised by what it can do, and the less usual kinds as lists of dicts.

Nothing here imports numpy or pandas.
"""

from collections.abc import Mapping
from typing import Any

from .errors import Invalid


def familiar_rows(rows: Any) -> Any:  # any rows
    """Return rows of the less usual kinds in a usual one, all else unchanged.

    Frames of Polars, tables of Arrow, structured arrays and columns by name become lists of dicts, sparse matrices
    arrays.

    Raises
    ------
    Invalid
        For columns of several lengths, or Series of several indices.
    """
    if is_sparse(rows):
        return rows.toarray()
    if is_table(rows):
        table = collected(rows)
        return table.to_dicts() if hasattr(table, "to_dicts") else table.to_pylist()
    if is_structured(rows):
        values = rows.tolist()
        return [dict(zip(rows.dtype.names, row, strict=True)) for row in (values if rows.ndim else [values])]
    if holds_columns(rows):
        columns = listed_columns(rows)
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return rows


def is_structured(rows: object) -> bool:
    """Whether this is an array of numpy, or one row of it, whose values have names."""
    return bool(getattr(getattr(rows, "dtype", None), "names", None)) and hasattr(rows, "tolist")


def holds_columns(rows: object) -> bool:
    """Whether this is a mapping of columns by name: each of them a list, an array or a Series of cells, not of rows."""
    return isinstance(rows, Mapping) and bool(rows) and all(map(_is_column, rows.values()))


def listed_columns(columns: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """Return columns by name as lists.

    Raises
    ------
    Invalid
        Where they have several lengths, or are Series of several indices, which have no order in common.
    """
    lists = {str(name): listed(column) for name, column in columns.items()}
    first, length = next((name, len(column)) for name, column in lists.items())
    other = next((name for name, column in lists.items() if len(column) != length), None)
    if other is not None:
        detail = f"column {first!r} has {length} values and column {other!r} {len(lists[other])}; give one for each row"
        raise Invalid("dataset_bad_columns", detail)
    indices = [column.index.tolist() for column in columns.values() if is_series(column)]
    if any(index != indices[0] for index in indices):
        detail = "the columns' indices differ; align them, for example as pd.DataFrame(columns)"
        raise Invalid("dataset_bad_columns", detail)
    return lists


def _is_column(value: Any) -> bool:  # a column, or a cell
    is_sequence = isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1 or is_series(value)
    is_sequence = is_sequence or (hasattr(value, "to_list") or hasattr(value, "to_pylist"))
    return is_sequence and not is_frame(value) and not is_table(value) and not any(map(is_row, listed(value[:1])))


def listed(values: Any) -> list[Any]:  # an array, a Series, a list
    """Return the values of a column of any library as a list."""
    listing = next((name for name in ("tolist", "to_list", "to_pylist") if hasattr(values, name)), None)
    return list(getattr(values, listing)() if listing else values)


def is_sparse(rows: object) -> bool:
    """Whether this is a sparse matrix or array of scipy."""
    return hasattr(rows, "toarray") and hasattr(rows, "nnz")


def is_table(rows: object) -> bool:
    """Whether this is a frame of Polars, lazy or not, or a table or record batch of Arrow."""
    return hasattr(rows, "collect_schema") or (
        hasattr(rows, "column_names") and hasattr(rows, "to_pylist") and hasattr(rows, "num_rows")
    )


def collected(table: Any) -> Any:  # a table
    """Return a lazy frame as a frame, and any other table unchanged."""
    return table.collect() if hasattr(table, "collect") else table


def is_frame(rows: object) -> bool:
    """Whether this is a pandas DataFrame, or something that is like one."""
    return hasattr(rows, "iloc") and hasattr(rows, "columns")


def is_series(value: object) -> bool:
    """Whether this is a Series of pandas, or something that is like one."""
    return hasattr(value, "iloc") and hasattr(value, "index") and not hasattr(value, "columns")


def is_row(value: object) -> bool:
    """Whether this holds the values of a row, which one of several rows may be."""
    is_array = hasattr(value, "ndim") and value.ndim > 0
    return is_array or isinstance(value, Mapping | list | tuple) or is_series(value) or hasattr(value, "to_list")


def is_batch(value: object) -> bool:
    """Whether this holds several rows: a table, a matrix, or a list of rows."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(is_row, value))
    is_matrix = getattr(value, "ndim", 0) == 2  # rows by features
    return is_frame(value) or is_table(value) or is_sparse(value) or is_matrix
