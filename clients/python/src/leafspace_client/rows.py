"""Rows: what callers hold as DataFrames, arrays, lists or dicts, as instances of the API."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .cells import Cell, plain_cell, spelled
from .errors import Invalid

Instance: TypeAlias = dict[str, Cell] | list[Cell]
"""One row: values by feature name, or in the order of the features."""
_INSTANCES_A_CALL = 1000
_BYTES_A_CALL = 4 << 20  # half of what the service takes: rows differ in length
_VALUES_A_CALL = 200_000  # the service refuses bodies of 300,000 names


def instances_of(rows: Any) -> list[Instance]:  # noqa: ANN401  # see below
    """Return rows as instances.

    Parameters
    ----------
    rows
        A DataFrame (values by column name), a Series or dict (one row by name), an array of shape (n_rows, n_features)
        or (n_features,), a list of values (one row), or a list of any rows.

    Raises
    ------
    Invalid
        For rows of another form, and for values that the API does not have.
    """
    if hasattr(rows, "columns") and hasattr(rows, "iloc"):
        return _frame_instances(rows)
    if isinstance(rows, Mapping) or _is_series(rows):
        return [named_instance(rows, "the row")]
    if hasattr(rows, "ndim") and hasattr(rows, "tolist"):
        return _array_instances(rows)
    return _sequence_instances(rows)


def batches(instances: Sequence[Instance]) -> Iterator[list[Any]]:
    """Yield the instances in as many as one call may hold; typed loosely, as the generated code names rows anew."""
    if not instances:
        return
    n_fitting = max(1, _BYTES_A_CALL // len(json.dumps(instances[0])))
    step = min(_INSTANCES_A_CALL, n_fitting, max(1, _VALUES_A_CALL // max(1, len(instances[0]))))
    for start in range(0, len(instances), step):
        yield list(instances[start : start + step])


def row_ids_of(row_ids: Iterable[Any] | None, n_rows: int) -> list[str]:
    """Return the caller's names for rows as texts (``7`` for 7), or their positions where there are none.

    Raises
    ------
    Invalid
        If there is not one for each row.
    """
    if row_ids is None:
        return [str(row) for row in range(n_rows)]
    names = [spelled(plain_cell(row_id, f"row_ids[{position}]")) for position, row_id in enumerate(row_ids)]
    if len(names) != n_rows:
        raise Invalid("validation_failed", f"{len(names)} row_ids for {n_rows} rows; give one for each, or none at all")
    return names


def column_names(frame: Any) -> list[str]:  # noqa: ANN401  # a DataFrame
    """Return a DataFrame's column names as texts; refuse names that are not distinct."""
    names = [str(name) for name in frame.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise Invalid("dataset_bad_columns", f"columns {repeated} occur more than once; give each a name of its own")
    return names


def _frame_instances(frame: Any) -> list[Instance]:  # noqa: ANN401  # a DataFrame
    names = column_names(frame)
    columns = [_column_cells(frame.iloc[:, index].tolist(), name) for index, name in enumerate(names)]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _column_cells(values: Sequence[Any], name: str) -> list[Cell]:
    return [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(values)]


def _array_instances(array: Any) -> list[Instance]:  # noqa: ANN401  # a numpy array, or one that is like it
    if array.ndim == 1:
        return [_in_order(array.tolist(), "the row")]
    if array.ndim == 2:  # noqa: PLR2004  # rows by features
        return [_in_order(row, f"row {position}") for position, row in enumerate(array.tolist())]
    detail = f"an array of {array.ndim} dimensions was given; send rows by features"
    raise Invalid("schema_mismatch", detail)


def _sequence_instances(rows: Any) -> list[Instance]:  # noqa: ANN401  # any iterable
    if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
        detail = f"rows are of type {type(rows).__name__}; send a DataFrame, an array, or a list of rows or dicts"
        raise Invalid("schema_mismatch", detail)
    listed = list(rows)
    if listed and not any(_is_row(row) for row in listed):
        return [_in_order(listed, "the row")]
    return [_instance(row, f"row {position}") for position, row in enumerate(listed)]


def _instance(row: Any, where: str) -> Instance:  # noqa: ANN401  # one of several rows
    if isinstance(row, Mapping) or _is_series(row):
        return named_instance(row, where)
    if not _is_row(row):
        raise Invalid("schema_mismatch", f"{where} is {str(row)[:80]!r}, which is no row; do not mix rows and values")
    return _in_order(row.tolist() if hasattr(row, "tolist") else list(row), where)


def named_instance(row: Any, where: str) -> dict[str, Cell]:  # noqa: ANN401  # a mapping or a Series
    """Return values by name as an instance; ``where`` says in an error what they are."""
    return {str(name): plain_cell(value, f"{where}, feature {str(name)!r},") for name, value in row.items()}


def _in_order(values: Sequence[Any], where: str) -> Instance:
    return [plain_cell(value, f"{where}, feature {index},") for index, value in enumerate(values)]


def _is_series(value: object) -> bool:
    return hasattr(value, "iloc") and hasattr(value, "index") and not hasattr(value, "columns")


def _is_row(value: object) -> bool:
    is_array = hasattr(value, "ndim") and value.ndim > 0
    return is_array or isinstance(value, Mapping | list | tuple) or _is_series(value)
