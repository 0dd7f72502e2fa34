"""Tables: what callers hold as DataFrames, arrays, rows or files, as a file to send.

Parquet where pyarrow is installed, else JSON: both keep the types of values, so that texts of digits stay texts, and
what is missing stays missing.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from .arrow_tables import TableFile, arrow_columns
from .columns import Values, cells_of_one_kind, column_cells, is_plain_array
from .errors import Invalid, MissingExtra
from .row_batches import gathered
from .rows import (
    Cell,
    collected,
    column_names,
    index_names,
    instances_of,
    is_frame,
    is_sparse,
    is_table,
    listed,
    plain_cell,
    positions,
)

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


def table_file(data: Any, names: TableNames) -> tuple[TableFile, TableNames]:  # noqa: ANN401  # see register_dataset
    """Return data as a file, and the names of its columns completed where the caller gives none.

    Raises
    ------
    Invalid
        For data of another form, and for values that the API does not have.
    """
    if isinstance(data, str | Path):
        return TableFile(_opened(Path(data)), "application/octet-stream"), names
    if isinstance(data, bytes):
        return TableFile(BytesIO(data), "application/octet-stream"), names
    data = gathered(data)
    if is_frame(data):
        columns, row_id = _frame_columns(data, names.row_id, exact=(names.target,))
        return written(columns), TableNames(names.target, row_id, names.features)
    if isinstance(data, tuple) and len(data) == 2:  # noqa: PLR2004  # features and target
        return _pair_file(data[0], data[1], names)
    if isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data):
        return written(mapping_columns(data, exact=_exact(names))), names
    columns = _table_columns(data, _exact(names)) if is_table(data) else _array_columns(data, names)
    return written(columns), names


def _exact(names: TableNames) -> tuple[str | None, ...]:
    """Return the columns whose whole numbers are names of rows or of classes, and not rounded."""
    return names.target, names.row_id


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        detail = f"cannot read {path}: {error.strerror}; give the path of a CSV, Parquet or JSON file"
        raise Invalid("dataset_parse_error", detail) from error


def _pair_file(rows: Any, target: Any, names: TableNames) -> tuple[TableFile, TableNames]:  # noqa: ANN401  # X and y
    name, row_id, rows = names.target or DEFAULT_TARGET, names.row_id, gathered(rows)
    if is_frame(rows):
        _refuse_other_index(rows, target)
        columns, row_id = _frame_columns(rows, row_id, taken=(name,))
    elif is_table(rows):
        columns = _table_columns(rows, _exact(names))
    else:
        columns = _array_columns(rows, names)
    if names.target is not None and name in columns:
        detail = f"the rows have a column {name!r} already: give the target another name, or leave the column out"
        raise Invalid("dataset_bad_columns", detail)
    name = _free_name(name, columns)
    columns[name] = _target_cells(target, len(next(iter(columns.values()), [])))
    return written(columns), TableNames(name, row_id, names.features)


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number behind it where it is taken."""
    columns = {*taken}
    candidates = (name, *(f"{name}_{number}" for number in range(1, len(columns) + 2)))
    return next(candidate for candidate in candidates if candidate not in columns)


def _refuse_other_index(rows: Any, target: Any) -> None:  # noqa: ANN401  # a DataFrame, and y in any form
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
    frame: Any,  # noqa: ANN401  # a DataFrame
    row_id: str | None,
    taken: Sequence[str] = (),
    exact: Sequence[str | None] = (),
) -> tuple[Columns, str | None]:
    """Return the columns, with the index as one of them where it names the rows; and the name of the row_id column."""
    names = column_names(frame)
    exact = (*exact, row_id)
    columns = {
        name: column_cells(frame.iloc[:, index], name, is_exact=name in exact) for index, name in enumerate(names)
    }
    if row_id in columns or (row_id is not None and row_id != frame.index.name):
        return columns, row_id
    row_ids = index_names(frame, "dataset_bad_columns", "row_id, the name of a column of ids")
    if row_ids is None and row_id is None:
        return columns, None
    name = row_id or _name_of_index(frame.index.name, {*columns, *taken})
    return {name: row_ids or positions(len(frame))} | columns, name


def _name_of_index(name: Any, taken: set[str]) -> str:  # noqa: ANN401  # a name in pandas
    candidates = (str(name or "row_id"), *(f"row_id_{number}" for number in range(1, len(taken) + 2)))
    return next(candidate for candidate in candidates if candidate not in taken)


def _table_columns(data: Any, exact: Sequence[str | None]) -> Columns:  # noqa: ANN401  # a table
    table = collected(data)
    try:
        return arrow_columns(table, exact)
    except MissingExtra:  # a frame of Polars
        columns = table.to_dict(as_series=False)
    return {name: column_cells(cells, name, is_exact=name in exact) for name, cells in columns.items()}


def _array_columns(data: Any, of: TableNames) -> Columns:  # noqa: ANN401  # arrays, lists
    data = data.toarray() if is_sparse(data) else data
    if is_plain_array(data) and data.ndim == 2 and len(data):  # noqa: PLR2004  # rows by features
        names = _names(of.features, data.shape[1])
        return {name: column_cells(column, name) for name, column in zip(names, data.T, strict=True)}
    rows = instances_of(data)
    named = [row for row in rows if isinstance(row, dict)]
    if named and len(named) == len(rows):
        return mapping_columns(named, _exact(of))
    if not rows or not all(isinstance(row, list) for row in rows):
        raise Invalid("dataset_empty", "send rows by features, at least one row: a DataFrame, an array, or a path")
    names = _names(of.features, len(rows[0]))
    wrong = next((index for index, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        detail = f"row {wrong} has {len(rows[wrong])} values, row 0 has {len(names)}; give one for each feature"
        raise Invalid("dataset_bad_columns", detail)
    return {name: cells_of_one_kind([row[index] for row in rows], name) for index, name in enumerate(names)}  # type: ignore[index]


def _names(features: Sequence[str] | None, n_columns: int) -> list[str]:
    if features is None:
        return [f"x{index}" for index in range(n_columns)]
    if len(features) != n_columns:
        raise Invalid("dataset_bad_columns", f"{len(features)} features are named for {n_columns} columns; name each")
    return [str(name) for name in features]


def _target_cells(target: Any, n_rows: int) -> Values:  # noqa: ANN401  # an array, a Series, a list
    values = listed(target)
    if len(values) != n_rows:
        raise Invalid(
            "dataset_bad_columns", f"the target has {len(values)} values for {n_rows} rows; give one for each"
        )
    if hasattr(target, "iloc"):
        return column_cells(target, DEFAULT_TARGET, is_exact=True)
    cells = [plain_cell(value, f"target of row {row}") for row, value in enumerate(values)]
    return cells_of_one_kind(cells, DEFAULT_TARGET, is_exact=True)


def mapping_columns(rows: Sequence[Mapping[Any, Any]], exact: Sequence[str | None] | None = None) -> Columns:
    """Return the columns of rows by name; what a row lacks is missing.

    Whole numbers stay what they are in the columns of ``exact``; default: in all.
    """
    plain = [{str(name): value for name, value in row.items()} for row in rows]
    names = dict.fromkeys(name for row in plain for name in row)
    return {
        name: column_cells([row.get(name) for row in plain], name, is_exact=exact is None or name in exact)
        for name in names
    }


def written(columns: Columns) -> TableFile:
    """Return columns as a file: Parquet where pyarrow is installed, else JSON."""
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra
        import pyarrow.parquet as pq  # noqa: PLC0415  # an extra
    except ImportError:
        return TableFile(BytesIO(_json_rows(columns)), "application/json")
    sink = BytesIO()
    pq.write_table(pa.table({name: _arrow(cells, pa) for name, cells in columns.items()}), sink, compression="zstd")
    return TableFile(BytesIO(sink.getvalue()), "application/vnd.apache.parquet")


def _arrow(cells: Values, pa: Any) -> Any:  # noqa: ANN401  # pyarrow has no types
    if hasattr(cells, "dtype"):
        return pa.array(cells, from_pandas=True)
    if isinstance(cells, pa.ChunkedArray):
        return cells
    if any(type(cell) is float for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    if any(type(cell) is int and abs(cell) >= 2**63 for cell in cells):  # names: no type of Arrow has them all
        return pa.array([None if cell is None else str(cell) for cell in cells])
    return pa.array(cells)


def _json_rows(columns: Columns) -> bytes:
    listed = [_listed(cells, name) for name, cells in columns.items()]
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*listed, strict=True))
    return "\n".join(json.dumps(row, allow_nan=False, ensure_ascii=False) for row in rows).encode()


def _listed(cells: Values, name: str) -> list[Cell]:
    return [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(list(cells))]
