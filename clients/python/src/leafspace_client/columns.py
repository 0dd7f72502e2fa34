"""Columns: the cells of one column, all of one kind, the same for a model's rows and for a dataset.

Nothing here imports numpy or pandas: their columns are recognised by what they can do.
"""

from collections.abc import Container, Iterable, Sequence
from logging import getLogger
from types import NoneType
from typing import Any, TypeAlias

from .errors import Invalid
from .row_kinds import listed
from .rows import NO_VALUE, Cell, plain_cell, spelled

Values: TypeAlias = Any
"""The values of a column: a list of cells, or a numpy array of numbers or booleans, which is kept as it is."""
FIRST_INEXACT = 2**53
"""From here on a number in double precision stands for several whole numbers."""
_LOG = getLogger("leafspace_client")
_MIXED = "column %r mixes texts with other values, such as %r: it is registered as texts"
_ROUNDED = (
    "column %r holds %d, and numbers are exact below 2**53: it is registered as %r, as models read it; where it names "
    "something, make it text (astype(str)), or pass its name as row_id"
)


def column_cells(column: Any, name: str, *, is_exact: bool = False) -> Values:  # a Series
    """Return the cells of a column, whole numbers of 2**53 or more in double precision.

    Parameters
    ----------
    column : (n_rows,)
        A Series, an array or a list.
    name
        Its name in an error.
    is_exact
        Whether large whole numbers stay what they are: row ids and labels.

    Raises
    ------
    Invalid
        For values that the API does not have, and for a column that mixes texts with others.
    """
    if is_plain_array(column):
        values = column.to_numpy() if hasattr(column, "to_numpy") else column
        return values if is_exact else _in_doubles(values, name)
    cells = [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(listed(column))]
    return cells_of_one_kind(cells, name, is_exact=is_exact)


def table_column(column: Any, name: str, *, is_exact: bool = False, missing: Container[str] = ()) -> Values:
    """Return the cells of a column of a dataset, which no model need read.

    Where texts are mixed with other values, all become texts; a column with other than numbers, texts and booleans
    becomes one of empty lists, which the service leaves out and names.

    Parameters
    ----------
    column, name
        As in ``column_cells``.
    is_exact
        Whether this is the column of row ids or labels: large whole numbers stay what they are.
    missing
        Texts that stand for a missing value; where they are the only ones, the other values stay what they are.

    Raises
    ------
    Invalid
        For infinities, and for row ids and labels of another kind.
    """
    if is_plain_array(column):
        return column_cells(column, name, is_exact=is_exact)
    values = listed(column)
    try:
        cells = [plain_cell(value, f"row {row}, column {name!r},") for row, value in enumerate(values)]
    except Invalid as error:
        if is_exact or error.code != NO_VALUE:
            raise
        return [[] for _ in values]
    return table_cells(cells, name, is_exact=is_exact, missing=missing)


def table_cells(cells: list[Cell], name: str, *, is_exact: bool = False, missing: Container[str] = ()) -> list[Cell]:
    """Return the cells of a column of a dataset, all of one kind; see ``table_column``."""
    if _are_mixed(cells):
        cells = [None if isinstance(cell, str) and cell.strip() in missing else cell for cell in cells]
    if _are_mixed(cells):
        _LOG.warning(_MIXED, name, next(cell for cell in cells if not isinstance(cell, str | NoneType)))
        return [None if cell is None else spelled(cell) for cell in cells]
    return cells_of_one_kind(cells, name, is_exact=is_exact)


def _are_mixed(cells: Iterable[Cell]) -> bool:
    kinds = {type(cell) for cell in cells} - {type(None)}
    return len(kinds) > 1 and str in kinds


def cells_of_one_kind(cells: list[Cell], name: str, *, is_exact: bool = False) -> list[Cell]:
    """Return cells that are all texts, booleans or numbers; among numbers, a boolean is 0 or 1."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    if _are_mixed(cells):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        detail = f"column {name!r} mixes values of the types {names}; make it one of them, for example by astype(str)"
        raise Invalid("dataset_bad_columns", detail)
    if len(kinds) > 1:
        cells = [int(cell) if isinstance(cell, bool) else cell for cell in cells]
    return cells if is_exact or int not in kinds else _cells_in_doubles(cells, name)


def is_plain_array(values: Any) -> bool:  # anything
    """Whether these are numbers or booleans of numpy's own types: what is missing in them is not-a-number."""
    dtype: Any = getattr(values, "dtype", None)
    return type(dtype).__module__.startswith("numpy") and dtype.kind in "iufb" and dtype.itemsize in {1, 2, 4, 8}


def _in_doubles(values: Any, name: str) -> Any:  # an array
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not len(values):  # bytes
        return values
    extremes = [int(values.min()), int(values.max())]
    if max(map(abs, extremes)) < FIRST_INEXACT:
        return values
    _warn_of_rounding((int(value) for value in values), name)
    return values.astype("float64")


def _cells_in_doubles(cells: Sequence[Cell], name: str) -> list[Cell]:
    if all(abs(cell) < FIRST_INEXACT for cell in cells if isinstance(cell, int)):
        return list(cells)
    _warn_of_rounding((cell for cell in cells if isinstance(cell, int)), name)
    return [float(cell) if isinstance(cell, int) else cell for cell in cells]


def _warn_of_rounding(numbers: Iterable[int], name: str) -> None:
    rounded = next((number for number in numbers if int(float(number)) != number), None)
    if rounded is not None:
        _LOG.warning(_ROUNDED, name, rounded, float(rounded))
