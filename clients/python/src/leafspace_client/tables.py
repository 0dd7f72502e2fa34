"""Tables: what callers hold as DataFrames, arrays, rows or files, as a file to send.

Parquet where pyarrow is installed, else JSON: both keep the types of values, so that texts of digits stay texts, and
what is missing stays missing.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from .arrow_tables import TableFile, arrow_columns
from .columns import Values, column_cells, is_plain_array, table_cells, table_column
from .errors import Invalid, MissingExtra
from .row_batches import gathered
from .row_kinds import (
    collected,
    holds_columns,
    is_batch,
    is_frame,
    is_row,
    is_series,
    is_sparse,
    is_structured,
    is_table,
    listed,
    listed_columns,
)
from .rows import Cell, Instance, column_names, index_names, instances_of, plain_cell, positions, sent

Columns: TypeAlias = dict[str, Values]
DEFAULT_TARGET = "target"


@dataclass(frozen=True, slots=True)
class TableNames:
    """How the caller names what is in a table."""

    target: str | None
    row_id: str | None
    features: Sequence[str] | None
    columns: Sequence[Mapping[str, Any]] = ()  # what they mean, for people
    images: Sequence[Mapping[str, Any]] = ()  # which of them are pixels
    categories: Sequence[str] = ()  # columns of texts, whatever their values look like
    missing_values: Sequence[str | float] = ()
    separator: str | None = None
    held_out: bool = False  # no model was trained on the rows

    @classmethod
    def checked(cls, target: Any, row_id: Any, features: Any, categories: Any = (), **others: Any) -> "TableNames":
        """Return the names as texts.

        Raises
        ------
        Invalid
            Where a column is given instead of its name, or one name instead of a list.
        """
        feature_names = None if features is None else _names_in(features, "features")
        texts = _names_in(categories, "categories")
        return cls(_name_of(target, "target"), _name_of(row_id, "row_id"), feature_names, categories=texts, **others)


def _name_of(name: Any, what: str) -> str | None:  # whatever a caller gives
    if hasattr(name, "__len__") and not isinstance(name, str | tuple):
        detail = f"{what} is a {type(name).__name__}; give the name of a column, or send labels in a pair (X, y)"
        raise Invalid("validation_failed", detail)
    return None if name is None else str(name)


def _names_in(names: Any, what: str) -> list[str]:  # whatever a caller gives
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise Invalid("validation_failed", f"{what} is {str(names)[:80]!r}; give a list of the names of columns")
    return [str(name) for name in names]


def table_file(data: Any, names: TableNames) -> tuple[TableFile, TableNames]:  # see register_dataset
    """Return data as a file, and the names of its columns completed where the caller gives none.

    Raises
    ------
    Invalid
        For data of another form, and for values that the API does not have.
    """
    content = _content(data)
    if content is not None:
        return TableFile(content, "application/octet-stream"), names
    if _is_pair(data):
        return _pair_file(data[0], data[1], names)
    data = gathered(data)
    if is_frame(data):
        columns, row_id = _frame_columns(data, names)
        return written(columns), replace(names, row_id=row_id)
    return written(_table_columns(data, names) if is_table(data) else _array_columns(data, names)), names


def _content(data: Any) -> BinaryIO | None:  # anything
    """Return a file that is sent as it is: a path, bytes, or an open file; ``None`` for rows."""
    if isinstance(data, str | Path):
        return _opened(data)
    if isinstance(data, bytes | bytearray | memoryview):
        return BytesIO(data)
    if hasattr(data, "read"):
        content = data.read()
        return BytesIO(content.encode() if isinstance(content, str) else content)
    return None


def _is_pair(data: Any) -> bool:  # anything
    """Whether these are features and target: a tuple of two, or a list of a table and one column."""
    if not isinstance(data, tuple | list) or len(data) != 2:  # see above
        return False
    return isinstance(data, tuple) or (is_batch(data[0]) and not is_batch(data[1]) and not isinstance(data[1], Mapping))


def _exact(names: TableNames) -> tuple[str | None, ...]:
    """Return the columns whose whole numbers are names of rows or of classes, and not rounded."""
    return names.target, names.row_id


def _opened(path: str | Path) -> BinaryIO:
    if "\n" in str(path):
        detail = "the data are a text of several lines, and no path; send rows of a file as bytes: text.encode()"
        raise Invalid("dataset_parse_error", detail)
    try:
        return Path(path).open("rb")
    except OSError as error:
        detail = f"cannot read {path}: {error.strerror}; give the path of a CSV, Parquet or JSON file"
        raise Invalid("dataset_parse_error", detail) from error


def _pair_file(rows: Any, target: Any, names: TableNames) -> tuple[TableFile, TableNames]:  # X and y
    name, row_id, rows = names.target or DEFAULT_TARGET, names.row_id, gathered(rows)
    if is_frame(rows):
        _refuse_other_index(rows, target)
        columns, row_id = _frame_columns(rows, replace(names, target=None), taken=(name,))
    elif is_table(rows):
        columns = _table_columns(rows, names)
    else:
        columns = _array_columns(rows, names)
    if names.target is not None and name in columns:
        detail = f"the rows have a column {name!r} already: give the target another name, or leave the column out"
        raise Invalid("dataset_bad_columns", detail)
    name = _free_name(name, columns)
    columns[name] = _target_cells(target, len(next(iter(columns.values()), [])))
    return written(columns), replace(names, target=name, row_id=row_id)


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number behind it where it is taken."""
    columns = {*taken}
    candidates = (name, *(f"{name}_{number}" for number in range(1, len(columns) + 2)))
    return next(candidate for candidate in candidates if candidate not in columns)


def _refuse_other_index(rows: Any, target: Any) -> None:  # a DataFrame, and y in any form
    """Refuse a Series whose index names other rows than that of the DataFrame, or the same in another order."""
    if not hasattr(target, "index") or not hasattr(target, "iloc"):
        return
    of_rows, of_target = rows.index.tolist(), target.index.tolist()
    counts = list(range(len(of_rows)))
    # Where either of them only counts rows, they belong together by their order, as everywhere in scikit-learn.
    if len(of_target) == len(of_rows) and counts not in (of_rows, of_target) and of_rows != of_target:
        detail = "the target's index differs from the rows' index; align them (y.loc[X.index]), or send y.to_numpy()"
        raise Invalid("dataset_bad_columns", detail)


def _frame_columns(
    frame: Any,  # a DataFrame
    of: TableNames,
    taken: Sequence[str] = (),
) -> tuple[Columns, str | None]:
    """Return the columns, with the index as one of them where it names the rows; and the name of the row_id column."""
    names, row_id = column_names(frame), of.row_id
    columns = {name: _column(frame.iloc[:, index], name, of) for index, name in enumerate(names)}
    if row_id in columns or (row_id is not None and row_id != frame.index.name):
        return columns, row_id
    row_ids = index_names(frame, "dataset_bad_columns", "row_id, the name of a column of ids")
    if row_ids is None and row_id is None:
        return columns, None
    name = row_id or _name_of_index(frame.index.name, {*columns, *taken})
    return {name: row_ids or positions(len(frame))} | columns, name


def _column(column: Any, name: str, of: TableNames) -> Values:  # a Series, an array, a list
    return table_column(column, name, is_exact=name in _exact(of), missing=_missing_texts(of, name))


def _missing_texts(of: TableNames, name: str) -> frozenset[str]:
    return frozenset() if name == of.row_id else frozenset(str(value) for value in of.missing_values)


def _name_of_index(name: Any, taken: set[str]) -> str:  # a name in pandas
    candidates = (str(name or "row_id"), *(f"row_id_{number}" for number in range(1, len(taken) + 2)))
    return next(candidate for candidate in candidates if candidate not in taken)


def _table_columns(data: Any, of: TableNames) -> Columns:  # a table
    table = collected(data)
    try:
        return arrow_columns(table, _exact(of))
    except MissingExtra:  # a frame of Polars
        columns = table.to_dict(as_series=False)
    return {name: _column(cells, name, of) for name, cells in columns.items()}


def _array_columns(data: Any, of: TableNames) -> Columns:  # arrays, lists, dicts
    data = data.toarray() if is_sparse(data) else data
    if is_structured(data) and data.ndim:
        return {name: _column(data[name], name, of) for name in data.dtype.names}
    if holds_columns(data):
        return {name: _column(column, name, of) for name, column in listed_columns(data).items()}
    if is_plain_array(data) and data.ndim == 2 and len(data):  # rows by features
        names = _names(of.features, data.shape[1])
        return {name: column_cells(column, name) for name, column in zip(names, data.T, strict=True)}
    is_values = isinstance(data, list | tuple) and bool(data) and not any(map(is_row, data))
    if is_values or is_series(data) or getattr(data, "ndim", 0) == 1:
        detail = "the data are one column or one row of values; send rows by features: X.to_frame(), X.reshape(-1, 1)"
        raise Invalid("dataset_bad_columns", detail)
    if isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data):
        return mapping_columns(data, of)
    rows = instances_of(data)
    if rows and all(isinstance(row, dict) for row in rows):
        return mapping_columns([row for row in rows if isinstance(row, dict)], of)
    return _columns_in_order(rows, of)


def _columns_in_order(rows: Sequence[Instance], of: TableNames) -> Columns:
    if not rows or not all(isinstance(row, list) for row in rows):
        raise Invalid("dataset_empty", "send rows by features, at least one row: a DataFrame, an array, or a path")
    names = _names(of.features, len(rows[0]))
    wrong = next((index for index, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        detail = f"row {wrong} has {len(rows[wrong])} values, row 0 has {len(names)}; give one for each feature"
        raise Invalid("dataset_bad_columns", detail)
    columns: Iterable[Any] = zip(*rows, strict=True)
    return {
        name: table_cells(list(cells), name, missing=_missing_texts(of, name))
        for name, cells in zip(names, columns, strict=True)
    }


def _names(features: Sequence[str] | None, n_columns: int) -> list[str]:
    if features is None:
        return [f"x{index}" for index in range(n_columns)]
    if len(features) != n_columns:
        raise Invalid("dataset_bad_columns", f"{len(features)} features are named for {n_columns} columns; name each")
    return [str(name) for name in features]


def _target_cells(target: Any, n_rows: int) -> Values:  # an array, a Series, a list
    if target is None:
        raise Invalid("dataset_bad_columns", "the target is None; send a label for each row, or the rows alone")
    values = _one_column(target) if is_batch(target) else listed(target)
    if len(values) != n_rows:
        raise Invalid(
            "dataset_bad_columns", f"the target has {len(values)} values for {n_rows} rows; give one for each"
        )
    if hasattr(target, "iloc") and not is_frame(target):
        return table_column(target, DEFAULT_TARGET, is_exact=True)
    cells = [plain_cell(value, f"target of row {row}") for row, value in enumerate(values)]
    return table_cells(cells, DEFAULT_TARGET, is_exact=True)


def _one_column(table: Any) -> list[Any]:  # rows by features
    """Return the values of a table of one column."""
    rows = [list(row.values()) if isinstance(row, dict) else row for row in instances_of(table)]
    n_columns = len(rows[0]) if rows else 1
    if n_columns != 1:
        raise Invalid(
            "dataset_bad_columns", f"the target has {n_columns} columns; give one label or value for each row"
        )
    return [row[0] for row in rows]


def mapping_columns(rows: Sequence[Mapping[Any, Any]], of: TableNames | None = None) -> Columns:
    """Return the columns of rows by name; what a row lacks is missing.

    Whole numbers stay what they are in the columns of ids and labels; default: in all.
    """
    plain = [{str(name): value for name, value in row.items()} for row in rows]
    names = dict.fromkeys(name for row in plain for name in row)
    columns = {name: [row.get(name) for row in plain] for name in names}
    if of is None:
        return {name: column_cells(column, name, is_exact=True) for name, column in columns.items()}
    return {name: _column(column, name, of) for name, column in columns.items()}


def written(columns: Columns) -> TableFile:
    """Return columns as a file: Parquet where pyarrow is installed, else JSON."""
    try:
        import pyarrow as pa  # an extra
        import pyarrow.parquet as pq  # an extra
    except ImportError:
        listed = [_listed(cells, name) for name, cells in columns.items()]
        rows = (dict(zip(columns, values, strict=True)) for values in zip(*listed, strict=True))
        return TableFile(
            BytesIO("\n".join(json.dumps(row, allow_nan=False, ensure_ascii=False) for row in rows).encode()),
            "application/json",
        )
    sink = BytesIO()
    pq.write_table(pa.table({name: _arrow(cells, pa) for name, cells in columns.items()}), sink, compression="zstd")
    return TableFile(BytesIO(sink.getvalue()), "application/vnd.apache.parquet")


def _arrow(cells: Values, pa: Any) -> Any:  # pyarrow has no types
    if hasattr(cells, "dtype"):
        return pa.array(cells, from_pandas=True)
    if isinstance(cells, pa.ChunkedArray):
        return cells
    if any(isinstance(cell, list) for cell in cells):  # of what are no values
        return pa.array(cells, pa.list_(pa.int8()))
    if any(type(cell) is float for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if any(type(cell) is int and abs(cell) >= 2**63 for cell in cells):  # names: no type of Arrow has them all
        return pa.array([None if cell is None else str(cell) for cell in cells])
    return pa.array(cells)


def _listed(cells: Values, name: str) -> list[Cell]:
    if any(isinstance(cell, list) for cell in cells):  # of what are no values
        return list(cells)
    column = [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(list(cells))]
    return list(*sent([column]))
