"""Rows: what callers hold as DataFrames, arrays, lists or dicts, as instances of the API, cell by cell.

What is missing becomes ``None``. Nothing here imports numpy or pandas: their values are recognised by what they can do.
"""

import datetime as dt
import decimal
import enum
import fractions
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .errors import Invalid
from .row_kinds import familiar_rows, is_batch, is_frame, is_row, is_series, listed

Cell = float | int | bool | str | None
"""One value as JSON has it."""
Instance: TypeAlias = dict[str, Cell | list[str]] | list[Cell]
"""One row: values by feature name, or in the order of the features; a list holds a word on what is no value."""
_INSTANCES_A_CALL = 1000
_BYTES_A_CALL = 4 << 20  # half of what the service takes: rows differ in length
_VALUES_A_CALL = 200_000  # the service refuses bodies of 300,000 names
_TEXTS = ("Interval", "Period", "Timedelta", "UUID")
NO_VALUE = "bad_feature_type"
"""The code of what is neither a number, a text nor a boolean."""
_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}
_TEXTS_OF_INFINITIES = {number: text for text, number in _INFINITIES.items()}


def instances_of(rows: Any) -> list[Instance]:  # see below
    """Return rows as instances.

    Parameters
    ----------
    rows
        A DataFrame of pandas or Polars or a table of Arrow (values by column name), a structured array or a dict of
        columns, a Series or dict (one row by name), an array or a sparse matrix of shape (n_rows, n_features), an array
        of shape (n_features,), a list of values (one row), or a list of any rows.

    Raises
    ------
    Invalid
        For rows of another form, and, in rows without names, for values that the API does not have. In rows by name
        these are sent as lists: a model need not read them.
    """
    rows = familiar_rows(rows)
    if is_frame(rows):
        return _frame_instances(rows)
    if isinstance(rows, Mapping) or is_series(rows):
        return [named_instance(rows, "the row")]
    if hasattr(rows, "ndim") and hasattr(rows, "tolist"):
        return _array_instances(rows)
    return _sequence_instances(rows)


def batches(instances: Sequence[Instance]) -> Iterator[list[Instance]]:
    """Yield the instances in batches that one call may hold."""
    if not instances:
        return
    n_fitting = max(1, _BYTES_A_CALL // len(json.dumps(instances[0])))
    step = min(_INSTANCES_A_CALL, n_fitting, max(1, _VALUES_A_CALL // max(1, len(instances[0]))))
    for start in range(0, len(instances), step):
        yield sent(instances[start : start + step])


def sent(instances: Sequence[Any]) -> list[Any]:
    """Return instances as they are sent: JSON has no infinite numbers, so these are texts, ``Infinity``."""
    return [_without_infinities(each) for each in instances]


def _without_infinities(instance: Instance) -> Instance:
    if isinstance(instance, dict):
        return {name: _json_cell(value) for name, value in instance.items()}
    return [_json_cell(value) for value in instance]


def _json_cell(value: Any) -> Any:  # a cell
    return _TEXTS_OF_INFINITIES.get(value, value) if isinstance(value, float) else value


def received(value: Any) -> Any:  # a value of an answer
    """Return a value of an answer, the text of an infinite number as that number."""
    return _INFINITIES.get(value, value) if isinstance(value, str) else value


def named_instances(
    rows: Any,  # as for instances_of
    row_ids: Iterable[Any] | None = None,
    what: str = "row_ids",
) -> tuple[list[Instance], list[str]]:
    """Return rows as instances, and the id of each as text.

    Parameters
    ----------
    rows
        As for ``instances_of``.
    row_ids
        The caller's ids, one for each row; default: the index of a DataFrame, the name of each Series, or else the
        rows' 0-based indices.
    what
        How an error calls ``row_ids``.

    Raises
    ------
    Invalid
        Also where there is not one id for each row, where two rows have the same one, and for an index of several
        levels.
    """
    rows = list(rows) if isinstance(rows, Iterator) else rows
    instances = instances_of(rows)
    if row_ids is None:
        names = index_names(rows, "validation_failed", what)
        return instances, positions(len(instances)) if names is None else names
    return instances, names_of(row_ids, len(instances), what)


def names_of(row_ids: Iterable[Any] | None, n_rows: int, what: str = "row_ids") -> list[str]:
    """Return the caller's ids as texts, one for each row; ``None`` gives the rows' 0-based indices.

    Raises
    ------
    Invalid
        Where there is not one id for each row, or two rows have the same one.
    """
    if row_ids is None:
        return positions(n_rows)
    names = [id_text(row_id, f"{what}[{row}]") for row, row_id in enumerate(row_ids)]
    if len(names) != n_rows:
        detail = f"{len(names)} {what} for {n_rows} rows; give one for each, or none at all"
        raise Invalid("validation_failed", detail)
    refuse_repeats(names, f"{what} hold", "validation_failed", "give each row an id of its own")
    return names


def index_names(rows: Any, code: str, instead: str) -> list[str] | None:  # any rows
    """Return how pandas calls the rows: the index of a DataFrame, or the names of Series.

    Parameters
    ----------
    rows
        As for ``instances_of``; what has no index is ``None``.
    code
        The code of the error that is raised.
    instead
        The parameter that an error suggests beside ``reset_index()``.

    Returns
    -------
    list of str or None
        ``None`` also where the index only counts the rows: 0, 1, ….

    Raises
    ------
    Invalid
        For an index of several levels, and for one that is missing somewhere or occurs twice.
    """
    labels = _labels(rows)
    if labels is None:
        return None
    advice = f"call reset_index(), or pass {instead}"
    if any(isinstance(label, tuple) for label in labels) or getattr(getattr(rows, "index", None), "nlevels", 1) > 1:
        raise Invalid(code, f"the rows' index has several levels, but a row's id is one text; {advice}")
    names = [_label_text(label, row, code, advice) for row, label in enumerate(labels)]
    refuse_repeats(names, "the rows' index holds", code, advice)
    return None if names == positions(len(names)) else names


def positions(n_rows: int) -> list[str]:
    """Return the ids of rows that have no others: their 0-based indices."""
    return [str(row) for row in range(n_rows)]


def refuse_repeats(names: Sequence[str], subject: str, code: str, advice: str) -> None:
    """Refuse ids of which two are equal, naming the first such pair of rows."""
    first_rows: dict[str, int] = {}
    for row, name in enumerate(names):
        first = first_rows.setdefault(name, row)
        if first != row:
            detail = f"{subject} {name[:80]!r} more than once, in rows {first} and {row} (counted from 0); {advice}"
            raise Invalid(code, detail)


def id_text(value: Any, where: str) -> str:  # whatever names a row
    """Return an id as text, spelled as the service spells it."""
    return spelled(plain_cell(value, where))


def _labels(rows: Any) -> list[Any] | None:  # any rows
    if is_frame(rows):
        return list(rows.index.tolist())
    if is_series(rows):
        return None if rows.name is None else [rows.name]
    if isinstance(rows, list | tuple) and rows and all(is_series(row) for row in rows):
        names = [row.name for row in rows]
        return None if any(name is None for name in names) else names
    return None


def _label_text(label: Any, row: int, code: str, advice: str) -> str:  # a label of an index
    try:
        cell = plain_cell(label, "the label")
    except Invalid:
        return str(label)  # intervals, periods
    if cell is None:
        raise Invalid(code, f"the rows' index has no value in row {row} (counted from 0); {advice}")
    return spelled(cell)


def with_named_index(frame: Any) -> Any:  # a DataFrame
    """Return a DataFrame with its index as columns where that has names, as that of a table by its key has."""
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=named) if named else frame


def column_names(frame: Any) -> list[str]:  # a DataFrame
    """Return a DataFrame's column names as texts; refuse names that are not distinct."""
    if getattr(frame.columns, "nlevels", 1) > 1:
        detail = "the columns' names have several levels; make each one text: X.columns = X.columns.map('_'.join)"
        raise Invalid("dataset_bad_columns", detail)
    names = [str(name) for name in frame.columns]
    repeated = sorted(name for name, number in Counter(names).items() if number > 1)
    if repeated:
        raise Invalid("dataset_bad_columns", f"columns {repeated} occur more than once; give each a name of its own")
    return names


def _frame_instances(frame: Any) -> list[Instance]:  # a DataFrame
    names = column_names(frame)
    columns = [
        [_sent_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(frame.iloc[:, index].tolist())]
        for index, name in enumerate(names)
    ]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _array_instances(array: Any) -> list[Instance]:  # a numpy array, or one that is like it
    if array.ndim == 1:
        return [_in_order(array.tolist(), "the row")]
    if array.ndim == 2:  # rows by features
        return [_in_order(row, f"row {index}") for index, row in enumerate(array.tolist())]
    detail = f"an array of {array.ndim} dimensions was given; send rows by features"
    raise Invalid("schema_mismatch", detail)


def _sequence_instances(rows: Any) -> list[Instance]:  # any iterable
    is_unordered = isinstance(rows, str | bytes | set | frozenset)
    if is_unordered or hasattr(rows, "predict") or not isinstance(rows, Iterable):  # ensembles iterate over their trees
        detail = f"rows are of type {type(rows).__name__}; send a DataFrame, an array, or a list of rows or dicts"
        raise Invalid("schema_mismatch", detail)
    values = listed(rows)
    if any(map(is_batch, values)):
        return [instance for batch in values for instance in instances_of(batch if is_batch(batch) else [batch])]
    if values and not any(map(is_row, values)):
        return [_in_order(values, "the row")]
    return [_instance(row, f"row {index}") for index, row in enumerate(values)]


def _instance(row: Any, where: str) -> Instance:  # one of several rows
    if isinstance(row, Mapping) or is_series(row):
        return named_instance(row, where)
    if not is_row(row):
        raise Invalid("schema_mismatch", f"{where} is {str(row)[:80]!r}, which is no row; do not mix rows and values")
    return _in_order(listed(row), where)


def named_instance(row: Any, where: str) -> dict[str, Cell | list[str]]:  # a mapping or a Series
    """Return values by name as an instance; ``where`` names them in an error."""
    return {str(name): _sent_cell(value, f"{where}, feature {str(name)!r},") for name, value in row.items()}


def _sent_cell(value: Any, where: str) -> Cell | list[str]:  # whatever stands in a row
    """Return a value; what is none goes as a list, which the service refuses only where the model reads it."""
    try:
        return plain_cell(value, where)
    except Invalid as error:
        if error.code != NO_VALUE:
            raise
        return [f"a {type(value).__name__}: {str(value)[:40]}"]


def _in_order(values: Sequence[Any], where: str) -> Instance:
    return [plain_cell(value, f"{where}, feature {index},") for index, value in enumerate(values)]


def plain_cell(value: Any, where: str) -> Cell:  # whatever stands in a row
    """Return one value as JSON has it, or an infinity; ``where`` says in an error which one it was.

    Not-a-number, ``pandas.NA`` and ``NaT`` are missing values; moments become text in ISO 8601, durations, intervals
    and periods text as pandas prints them, paths and UUIDs text, members of an enumeration what they stand for, and
    fractions numbers.

    Raises
    ------
    Invalid
        For values that are neither numbers, texts nor booleans.
    """
    if value is None or isinstance(value, str | bool | int):
        return _without_subclass(value, where)
    if isinstance(value, float | decimal.Decimal | fractions.Fraction):
        return None if math.isnan(value) else float(value)
    if _is_missing(value):
        return None
    if isinstance(value, enum.Enum):
        return plain_cell(value.value, where)
    if (text := _text_of(value)) is not None:
        return text
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return plain_cell(_python_value(value, where), where)
    raise _refused(value, where)


def _text_of(value: object) -> str | None:
    """Return moments, durations, paths and the like as text, and ``None`` for all else."""
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    is_text = isinstance(value, dt.timedelta | os.PathLike) or type(value).__name__ in _TEXTS
    return str(value) if is_text else None


def spelled(value: Cell) -> str:
    """Return a value as the service spells it where it means a class or a category: ``7`` also for 7.0."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _without_subclass(value: str | float | None, where: str) -> Cell:
    # numpy's str_ and enumerations are strings and integers, too; what leaves here is plain.
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        detail = f"{where} is a whole number of more than 308 digits, which no number in double precision is"
        raise Invalid("non_finite_number", detail)
    for kind in (bool, int, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def _is_missing(value: object) -> bool:
    # pandas.NA, NaT and numpy's NaT are the values that do not equal themselves, or refuse to be compared.
    if getattr(value, "ndim", 0):
        return False  # an array in a cell
    try:
        return bool(value != value)  # see above
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _python_value(value: Any, where: str) -> Any:  # a numpy scalar
    plain = value.item() if getattr(getattr(value, "dtype", None), "kind", "O") != "f" else float(value)  # longdouble
    if type(plain) is type(value):
        raise _refused(value, where)
    return plain


def _refused(value: object, where: str) -> Invalid:
    detail = f"{where} is {str(value)[:80]!r} of type {type(value).__name__}; send a number, a text, a boolean or None"
    return Invalid(NO_VALUE, detail)
