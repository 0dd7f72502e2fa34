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

from .errors import Invalid
from .rows import (
    Cell,
    collected,
    column_names,
    index_names,
    instances_of,
    is_frame,
    is_sparse,
    is_table,
    plain_cell,
    positions,
)

Values: TypeAlias = Any
"""The values of a column: a list of cells, or a numpy array of numbers or booleans, which is kept as it is."""
Columns: TypeAlias = dict[str, Values]
DEFAULT_TARGET = "target"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file to send; the caller closes it."""

    content: BinaryIO
    media_type: str


@dataclass(frozen=True, slots=True)
class TableNames:
    """How the caller names what is in a table."""

    target: str | None
    row_id: str | None
    features: Sequence[str] | None
    columns: Sequence[Mapping[str, Any]] = ()  # what they mean, for people
    images: Sequence[Mapping[str, Any]] = ()  # which of them are pixels


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
    if is_frame(data):
        columns, row_id = _frame_columns(data, names.row_id)
        return written(columns), TableNames(names.target, row_id, names.features)
    if isinstance(data, tuple) and len(data) == 2:  # noqa: PLR2004  # features and target
        return _pair_file(data[0], data[1], names)
    if isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data):
        return written(mapping_columns(data)), names
    columns = _table_columns(data) if is_table(data) else _array_columns(data, names.features)
    return written(columns), names


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        detail = f"cannot read {path}: {error.strerror}; give the path of a CSV, Parquet or JSON file"
        raise Invalid("dataset_parse_error", detail) from error


def _pair_file(rows: Any, target: Any, names: TableNames) -> tuple[TableFile, TableNames]:  # noqa: ANN401  # X and y
    name, row_id = names.target or DEFAULT_TARGET, names.row_id
    if is_frame(rows):
        _refuse_other_index(rows, target)
        columns, row_id = _frame_columns(rows, row_id, taken=(name,))
    elif is_table(rows):
        columns = _table_columns(rows)
    else:
        columns = _array_columns(rows, names.features)
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
) -> tuple[Columns, str | None]:
    """Return the columns, with the index as one of them where it names the rows; and the name of the row_id column."""
    names = column_names(frame)
    columns = {name: column_cells(frame.iloc[:, index], name) for index, name in enumerate(names)}
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


def column_cells(column: Any, name: str) -> Values:  # noqa: ANN401  # a Series
    """Return the cells of a column; ``name`` is its name in an error."""
    if _is_plain_array(column):
        return column.to_numpy()
    cells = [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(column.tolist())]
    return _of_one_kind(cells, name)  # categories that numbers name are numbers, as they are to the model


def _of_one_kind(cells: list[Cell], name: str) -> list[Cell]:
    kinds = {type(cell) for cell in cells if cell is not None} - {type(None)}
    if len(kinds) <= 1 or kinds == {int, float}:
        return cells
    listed = ", ".join(sorted(kind.__name__ for kind in kinds))
    detail = f"column {name!r} mixes values of the types {listed}; make it one of them, for example by astype(str)"
    raise Invalid("dataset_bad_columns", detail)


def _table_columns(data: Any) -> Columns:  # noqa: ANN401  # a table
    table = collected(data)
    columns = table.to_dict(as_series=False) if hasattr(table, "to_dicts") else table.to_pydict()
    return {
        name: _of_one_kind([plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(cells)], name)
        for name, cells in columns.items()
    }


def _array_columns(data: Any, features: Sequence[str] | None) -> Columns:  # noqa: ANN401  # arrays, lists
    data = data.toarray() if is_sparse(data) else data
    if _is_plain_array(data) and data.ndim == 2 and len(data):  # noqa: PLR2004  # rows by features
        return dict(zip(_names(features, data.shape[1]), data.T, strict=True))
    rows = instances_of(data)
    if not rows or not all(isinstance(row, list) for row in rows):
        raise Invalid("dataset_empty", "send rows by features, at least one row: a DataFrame, an array, or a path")
    names = _names(features, len(rows[0]))
    wrong = next((index for index, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        detail = f"row {wrong} has {len(rows[wrong])} values, row 0 has {len(names)}; give one for each feature"
        raise Invalid("dataset_bad_columns", detail)
    return {name: _of_one_kind([row[index] for row in rows], name) for index, name in enumerate(names)}  # type: ignore[index]


def _names(features: Sequence[str] | None, n_columns: int) -> list[str]:
    if features is None:
        return [f"x{index}" for index in range(n_columns)]
    if len(features) != n_columns:
        raise Invalid("dataset_bad_columns", f"{len(features)} features are named for {n_columns} columns; name each")
    return [str(name) for name in features]


def _is_plain_array(values: Any) -> bool:  # noqa: ANN401  # anything
    """Whether these are numbers or booleans of numpy's own types: what is missing in them is not-a-number."""
    dtype: Any = getattr(values, "dtype", None)
    return type(dtype).__module__.startswith("numpy") and dtype.kind in "iufb" and dtype.itemsize in {1, 2, 4, 8}


def _target_cells(target: Any, n_rows: int) -> Values:  # noqa: ANN401  # an array, a Series, a list
    listing = next((name for name in ("tolist", "to_list", "to_pylist") if hasattr(target, name)), None)
    values = getattr(target, listing)() if listing else list(target)
    if len(values) != n_rows:
        raise Invalid(
            "dataset_bad_columns", f"the target has {len(values)} values for {n_rows} rows; give one for each"
        )
    if hasattr(target, "iloc"):
        return column_cells(target, DEFAULT_TARGET)
    return _of_one_kind([plain_cell(value, f"target of row {row}") for row, value in enumerate(values)], DEFAULT_TARGET)


def mapping_columns(rows: Sequence[Mapping[Any, Any]]) -> Columns:
    """Return the columns of rows by name; what a row lacks is missing."""
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    plain = [{str(name): value for name, value in row.items()} for row in rows]
    return {
        name: _of_one_kind([plain_cell(row.get(name), f"row {at}, {name!r},") for at, row in enumerate(plain)], name)
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
    if any(type(cell) is float for cell in cells):
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array(cells)


def _json_rows(columns: Columns) -> bytes:
    listed = [_listed(cells, name) for name, cells in columns.items()]
    rows = (dict(zip(columns, values, strict=True)) for values in zip(*listed, strict=True))
    return "\n".join(json.dumps(row, allow_nan=False, ensure_ascii=False) for row in rows).encode()


def _listed(cells: Values, name: str) -> list[Cell]:
    return [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(list(cells))]
