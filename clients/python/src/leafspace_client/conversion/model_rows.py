"""Model rows: what callers pass as X, as a DataFrame with the columns that the model was fitted on, or as a matrix."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..columns import is_plain_array
from ..errors import Invalid, LeafspaceError, missing_extra
from ..row_batches import gathered
from ..row_kinds import collected, holds_columns, is_series, is_sparse, is_structured, is_table
from ..rows import column_names, instances_of

_N_LACKING_SHOWN = 10
_NUMBER_KINDS = "fiub"


def as_pandas(rows: Any) -> Any:  # any rows
    """Return tables, and rows by name, as DataFrames, sparse matrices as arrays, all else unchanged.

    Raises
    ------
    Invalid
        For the path or the text of a file: only a library reads rows as the model was fitted on them.
    """
    if isinstance(rows, str | bytes | Path):
        detail = f"X is {str(rows)[:40]!r}; pass rows such as the model was fitted on: X=pd.read_csv(…)"
        raise Invalid("schema_mismatch", detail)
    rows = gathered(rows)
    if is_sparse(rows):
        return rows.toarray()
    if _is_array_of_texts(rows):
        return _by_column(rows)
    is_named = _is_named(rows) or (isinstance(rows, list | tuple) and any(map(_is_named, rows)))
    if not is_table(rows) and not is_named and not is_structured(rows):
        return rows
    try:
        if is_table(rows):
            return collected(rows).to_pandas()
        import pandas as pd  # an extra

        return pd.DataFrame(rows if holds_columns(rows) or is_structured(rows) else instances_of(rows))
    except ImportError as error:
        raise missing_extra("pandas", "pandas", "a table of Arrow or Polars") from error


def _is_array_of_texts(rows: Any) -> bool:  # any rows
    """Whether this is an array of rows by features with a text that spells no number."""
    if getattr(getattr(rows, "dtype", None), "kind", "f") not in "OU" or getattr(rows, "ndim", 0) != 2:
        return False
    try:
        rows.astype("float64")
    except (TypeError, ValueError):
        return any(isinstance(cell, str) for row in rows for cell in row)
    return False


def _by_column(rows: Any) -> Any:  # an array
    """Return an array as a DataFrame, each column of a type of its own."""
    try:
        import pandas as pd  # an extra
    except ImportError as error:
        raise missing_extra("pandas", "pandas", "an array of texts") from error
    names = [f"x{column}" for column in range(rows.shape[1])]
    return pd.DataFrame(rows.astype(object), columns=names).infer_objects()


def _is_named(row: Any) -> bool:  # one of several rows
    return isinstance(row, Mapping) or is_series(row)


def fitted_columns(frame: Any, fitted_names: Sequence[str] | None) -> Any:  # a DataFrame
    """Return the columns of a frame that a model was fitted on, named by texts if only some were.

    Names that occur twice are refused only where the model reads them, and numbers that may be missing in the types of
    pandas' own become numbers of numpy: steps of pipelines refuse ``pandas.NA``.
    """
    frame = _with_plain_numbers(_of_names(frame, fitted_names))
    n_texts = sum(isinstance(name, str) for name in frame.columns)
    # scikit-learn refuses a mixture of names.
    return frame.set_axis(column_names(frame), axis=1) if 0 < n_texts < len(frame.columns) else frame


def _of_names(frame: Any, fitted_names: Sequence[str] | None) -> Any:  # a DataFrame
    if fitted_names is None or frame.columns.nlevels > 1:
        column_names(frame)  # refuses what is no name
        return frame
    names = [str(name) for name in frame.columns]
    if names == list(fitted_names):
        return frame
    if not set(fitted_names) <= set(names):
        names = [name.replace(" ", "_") for name in names]  # LightGBM spells names without blanks
    lacking = [name for name in fitted_names if name not in names]
    if lacking:
        shown = ", ".join(map(repr, lacking[:_N_LACKING_SHOWN]))
        more = f" and {len(lacking) - _N_LACKING_SHOWN:,} more" if len(lacking) > _N_LACKING_SHOWN else ""
        raise Invalid("schema_mismatch", f"X lacks the columns {shown}{more}, which the model was fitted on")
    read = [at for at, name in enumerate(names) if name in set(fitted_names)]
    if len(read) > len(fitted_names):
        column_names(frame.iloc[:, read])  # refuses names that occur twice
    return frame.iloc[:, [names.index(name) for name in fitted_names]]


def _with_plain_numbers(frame: Any) -> Any:  # a DataFrame
    changed = frame
    for at, kind in enumerate(frame.dtypes):
        is_number = getattr(kind, "kind", "O") in _NUMBER_KINDS and not hasattr(kind, "categories")
        column = frame.iloc[:, at]
        if is_number and not is_plain_array(column) and not _is_sparse_column(column) and column.isna().any():
            changed = frame.copy() if changed is frame else changed
            changed.isetitem(at, column.to_numpy("float64", na_value=float("nan")))
    return changed


def of_numbers(frame: Any, names: Sequence[str]) -> Any:  # a DataFrame
    """Return a frame whose columns of texts are the numbers that they spell, as scikit-learn's trees take them.

    Raises
    ------
    Invalid
        Naming the first column with a text that is no number.
    """
    import pandas as pd  # an extra

    changed = frame
    for at, name in enumerate(names):
        column = frame.iloc[:, at]
        if not pd.api.types.is_object_dtype(column) and not pd.api.types.is_string_dtype(column):
            continue
        numbers = pd.to_numeric(column, errors="coerce")
        wrong = column[numbers.isna() & column.notna()].tolist()
        if any(isinstance(cell, str) for cell in wrong):
            detail = (
                f"column {name!r} of X holds {next(iter(wrong))!r}, which is no number, and the model reads numbers"
            )
            raise Invalid("bad_feature_type", detail)
        if not wrong:
            changed = frame.copy() if changed is frame else changed
            changed.isetitem(at, numbers)
    return changed


def _is_sparse_column(column: Any) -> bool:  # a Series
    """Whether a column of pandas holds its values sparsely."""
    return type(column.dtype).__name__ == "SparseDtype"


def names_among(names: Sequence[str] | None, frame: Any) -> list[str] | None:  # a DataFrame
    """Return the declared names where they are those of some of a frame's columns."""
    has_others = names is not None and len(names) < len(frame.columns)
    return list(names) if names is not None and has_others and set(names) <= set(map(str, frame.columns)) else None


def as_matrix(rows: Any) -> Any:  # an array, a list of rows
    """Return rows by features as a matrix of numbers; refuse all else."""
    try:
        import numpy as np  # an extra
    except ImportError as error:
        raise missing_extra("numpy", "sklearn", "a matrix of rows") from error
    try:
        matrix = rows if hasattr(rows, "dtype") else np.asarray(rows)
    except ValueError as error:
        raise Invalid("schema_mismatch", f"X has {_lengths(rows)}; give one value for each feature") from error
    if matrix.dtype.kind in "OU":
        with contextlib.suppress(TypeError, ValueError):  # texts: refused below
            matrix = matrix.astype(np.float64)
    if matrix.ndim != 2 or matrix.dtype.kind not in _NUMBER_KINDS:  # rows by features
        detail = f"X has {matrix.ndim} dimensions of type {matrix.dtype}; pass rows by features, of numbers"
        raise Invalid("schema_mismatch", detail)
    return matrix


def _lengths(rows: Any) -> str:  # a list of rows
    lengths = [len(row) if hasattr(row, "__len__") else None for row in rows]
    other = next((at for at, length in enumerate(lengths) if length != lengths[0]), None)
    if other is None:
        return "rows of several lengths"
    return f"{lengths[0]} values in row 0 and {lengths[other]} in row {other}"


def library_answer(predict: Callable[[Any], Any], rows: Any) -> Any:  # of a library
    """Return what a library predicts for rows; what it refuses is refused in its own words.

    Raises
    ------
    Invalid
        Where these rows are none that the library can predict for.
    """
    try:
        return predict(rows)
    except LeafspaceError:
        raise
    except Exception as error:  # libraries raise whatever they like
        said = " ".join(str(error).split())[:300]
        detail = f"the library itself cannot predict for X: {said}; pass rows such as the model was fitted on"
        raise Invalid("schema_mismatch", detail) from error
