"""Cases of frames: dtypes, libraries, names of columns, columns too many, of rows that a model is registered with."""

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn import compose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from .cases import Case, Estimator, Group, Prediction, Rows
from .estimators import cat, forest, histogram, lgb, xgb
from .library import predict_with

_NAMES = ["age", "fare", "size", "rate"]


def _polars(rows: Rows) -> Rows:
    import polars as pl  # heavy

    return pl.DataFrame({name: rows[name].to_numpy() for name in rows.columns})


def _polars_mixed(rows: Rows) -> Rows:
    import polars as pl  # heavy

    return pl.DataFrame({name: rows[name].tolist() for name in rows.columns}, nan_to_null=True)


def _arrow(rows: Rows) -> Rows:
    import pyarrow as pa  # heavy

    return pa.Table.from_pandas(rows, preserve_index=False)


def _of_pandas(change: Callable[[Rows], Rows]) -> Callable[[Estimator, Rows], Prediction]:
    """Return a prediction by the rows as the library takes them, for frames that it does not take."""
    return lambda model, rows: predict_with(model, change(rows))


def _to_pandas(rows: Rows) -> Rows:
    return rows.to_pandas() if hasattr(rows, "to_pandas") else pd.DataFrame(rows, columns=_NAMES)


def _plain(rows: Rows) -> Rows:
    return pd.DataFrame({name: np.asarray(rows[name], np.float64) for name in _NAMES})


def _only(names: list[str]) -> Callable[[Estimator, Rows], Prediction]:
    return lambda model, rows: predict_with(model, rows[names])


def _as(dtype: Any) -> Callable[[Rows], Rows]:
    return lambda rows: rows.astype(dtype)


def _whole(dtype: Any, factor: int = 10, base: int = 0) -> Callable[[Rows], Rows]:
    def change(rows: Rows) -> Rows:
        whole = (rows * factor).round().fillna(0).astype("int64") + base
        return whole.astype(dtype)

    return change


def _renamed(*names: Any) -> Callable[[Rows], Rows]:
    return lambda rows: rows.set_axis(list(names), axis=1)


def _fit_on(change: Callable[[Rows], Rows]) -> Any:
    return lambda estimator, rows, target: estimator.fit(change(rows), target)


def _both(name: str, change: Callable[[Rows], Rows], make: Callable[[], Estimator] = forest, **settings: Any) -> Case:
    """Return a case whose model is fitted on the frame that is registered."""
    return Case(name, make, settings.pop("data", "binary"), _fit_on(change), rows=change, **settings)


def _with_extra(rows: Rows) -> Rows:
    return rows.assign(note="x", day=pd.date_range("2024-01-01", periods=len(rows)), target=1)


def _sparse_frame(rows: Rows) -> Rows:
    return rows.mask(rows < 0, 0).astype(pd.SparseDtype("float64", 0.0))


def _objects(rows: Rows) -> Rows:
    return rows.to_numpy().astype(object)


def _decimals(rows: Rows) -> Rows:
    return rows.assign(age=[decimal.Decimal(str(round(each, 3))) for each in rows["age"]])


_LIBRARIES: dict[str, Callable[[], Estimator]] = {
    "random forest": forest,
    "HistGradientBoosting": histogram,
    "XGBoost": xgb(),
    "LightGBM": lgb(),
    "CatBoost": cat(),
}
_ONE_HOT = OneHotEncoder(handle_unknown="ignore")


def _by_column() -> Estimator:
    parts = [("n", "passthrough", ["age", "parch"]), ("c", _ONE_HOT, ["sex"])]
    return make_pipeline(compose.ColumnTransformer(parts), forest())


FRAMES = Group(
    "Frames and arrays",
    "What rows are in when a model is registered, its rows are predicted, and they are registered as a dataset.",
    (
        *(_both(f"float32, {name}", _as("float32"), make) for name, make in _LIBRARIES.items()),
        *(
            _both(f"float16, {name}", _as("float16"), make)
            for name, make in _LIBRARIES.items()
            if name not in {"CatBoost", "LightGBM"}
        ),
        *(_both(f"int64, {name}", _whole("int64"), make) for name, make in _LIBRARIES.items()),
        *(_both(f"int8, {name}", _whole("int8"), make) for name, make in _LIBRARIES.items()),
        *(_both(f"uint64 below 2**53, {name}", _whole("uint64", base=1000), make) for name, make in _LIBRARIES.items()),
        *(_both(f"booleans, {name}", lambda x: x > 0, make) for name, make in _LIBRARIES.items()),
        *(
            _both(f"nullable Float64, {name}", _as("Float64"), make, data="holes")
            for name, make in _LIBRARIES.items()
            if name != "CatBoost"
        ),
        *(_both(f"nullable Int64, {name}", _whole("Int64"), make) for name, make in _LIBRARIES.items()),
        *(
            _both(f"nullable boolean, {name}", lambda x: (x > 0).astype("boolean"), make)
            for name, make in _LIBRARIES.items()
        ),
        *(
            _both(f"arrow double, {name}", _as("double[pyarrow]"), make)
            for name, make in _LIBRARIES.items()
            if name != "LightGBM"
        ),
        *(
            _both(f"arrow int64, {name}", _whole("int64[pyarrow]"), make)
            for name, make in _LIBRARIES.items()
            if name not in {"CatBoost", "LightGBM"}
        ),
        *(
            _both(f"fully missing column, {name}", lambda x: x.assign(rate=np.nan), make)
            for name, make in _LIBRARIES.items()
            if name != "HistGradientBoosting"
        ),
        *(
            _both(f"infinite cells, {name}", lambda x: x.assign(rate=np.where(x["rate"] > 1, np.inf, x["rate"])), make)
            for name, make in _LIBRARIES.items()
            if name in {"HistGradientBoosting", "LightGBM", "CatBoost"}
        ),
        *(
            _both(f"array of float32, {name}", lambda x: x.to_numpy(np.float32), make)
            for name, make in _LIBRARIES.items()
        ),
        *(
            _both(f"array of float64 in Fortran's order, {name}", lambda x: np.asfortranarray(x.to_numpy()), make)
            for name, make in _LIBRARIES.items()
        ),
        *(
            _both(f"array of int64, {name}", lambda x: _whole("int64")(x).to_numpy(), make)
            for name, make in _LIBRARIES.items()
        ),
        *(_both(f"array of booleans, {name}", lambda x: x.to_numpy() > 0, make) for name, make in _LIBRARIES.items()),
        *(
            _both(f"scipy CSR matrix, {name}", lambda x: sp.csr_matrix(np.maximum(x.to_numpy(), 0)), make)
            for name, make in _LIBRARIES.items()
            if name not in {"HistGradientBoosting", "XGBoost"}
        ),
        _both("scipy CSC matrix, random forest", lambda x: sp.csc_matrix(np.maximum(x.to_numpy(), 0))),
        _both("scipy CSR array, random forest", lambda x: sp.csr_array(np.maximum(x.to_numpy(), 0))),
        _both(
            "scipy COO matrix, random forest",
            lambda x: sp.coo_matrix(np.maximum(x.to_numpy(), 0)),
            predict=lambda m, x: predict_with(m, x.tocsr()),
        ),
        _both("sparse columns of pandas, random forest", _sparse_frame),
        *(
            Case(f"polars, {name}", make, "binary", rows=_polars, predict=_of_pandas(_plain))
            for name, make in _LIBRARIES.items()
        ),
        *(
            Case(f"pyarrow Table, {name}", make, "binary", rows=_arrow, predict=_of_pandas(_to_pandas))
            for name, make in _LIBRARIES.items()
        ),
        Case(
            "polars with texts, ColumnTransformer",
            _by_column,
            "titanic",
            rows=_polars_mixed,
            predict=_of_pandas(lambda x: x.to_pandas()),
            ways=(True,),
        ),
        Case(
            "pyarrow Table with texts, ColumnTransformer",
            _by_column,
            "titanic",
            rows=_arrow,
            predict=_of_pandas(_to_pandas),
            ways=(True,),
        ),
        _both("array of objects, random forest", _objects),
        _both("array of objects, HistGradientBoosting", _objects, histogram),
        _both("columns of objects, random forest", _as(object)),
        _both("columns of decimals, random forest", _decimals),
        _both("whole numbers beyond 2**53, HistGradientBoosting", _whole("int64", 10**3, 2**60), histogram),
        _both("whole numbers beyond 2**53, random forest", _whole("int64", 10**3, 2**60)),
        _both("time stamps as whole numbers, HistGradientBoosting", _whole("int64", 10**5, 1_700_000_000), histogram),
        _both("time stamps as whole numbers, LightGBM", _whole("int64", 10**5, 1_700_000_000), lgb()),
        _both("time stamps as whole numbers, random forest", _whole("int64", 10**5, 1_700_000_000)),
        _both(
            "time stamps as floats with halves, HistGradientBoosting",
            lambda x: 1_700_000_000.5 + (x * 1000).round(),
            histogram,
        ),
        Case("lists of rows, random forest", forest, "array", rows=lambda x: x.tolist()),
        Case("tuples of rows, random forest", forest, "array", rows=lambda x: [tuple(row) for row in x.tolist()]),
        Case(
            "dictionaries of rows, random forest",
            forest,
            "binary",
            rows=lambda x: x.to_dict("records"),
            predict=lambda m, x: predict_with(m, pd.DataFrame(x)),
            ways=(True,),
        ),
        Case(
            "a dictionary of columns, random forest",
            forest,
            "binary",
            rows=lambda x: {name: x[name].tolist() for name in x},
            predict=lambda m, x: predict_with(m, pd.DataFrame(x)),
            ways=(True,),
        ),
        _both("an index of texts, random forest", lambda x: x.set_axis([f"row {at}" for at in range(len(x))])),
        _both("an index that skips, random forest", lambda x: x.set_axis(range(100, 100 + 3 * len(x), 3))),
        Case(
            "columns in another order, random forest",
            forest,
            "binary",
            rows=lambda x: x[_NAMES[::-1]],
            predict=_only(_NAMES),
        ),
        Case("columns too many, random forest", forest, "binary", rows=_with_extra, predict=_only(_NAMES)),
        Case("columns too many, LightGBM", lgb(), "binary", rows=_with_extra, predict=_only(_NAMES)),
        Case("columns too many, CatBoost", cat(), "binary", rows=_with_extra, predict=_only(_NAMES)),
        Case(
            "a column lacks, random forest",
            forest,
            "binary",
            rows=lambda x: x.drop(columns="age"),
            predict=lambda *_: None,
            ways=(True,),
        ),
        Case("one row, random forest", forest, "binary", rows=lambda x: x.iloc[:1], ways=(True,)),
        Case(
            "no rows, random forest",
            forest,
            "binary",
            rows=lambda x: x.iloc[:0],
            predict=lambda *_: None,
            ways=(True,),
        ),
    ),
)

_ODD_NAMES: dict[str, Callable[[Rows], Rows]] = {
    "whole numbers": _renamed(0, 1, 2, 3),
    "numbers and texts": _renamed("a", 1, "b", 2),
    "with blanks": _renamed("the age", " fare", "size ", "r  ate"),
    "in Unicode": _renamed("größe", "年齢", "💧", "naïve"),
    "with quotes and brackets": _renamed('say "age"', "it's", "a[0]", "<b>"),
    "with a line end": _renamed("a\nb", "fare", "size", "rate"),
    "with a tabulator": _renamed("a\tb", "fare", "size", "rate"),
    "an empty text": _renamed("", "fare", "size", "rate"),
    "twice the same": _renamed("age", "age", "size", "rate"),
    "differing in case": _renamed("age", "AGE", "Age", "aGe"),
    "of 300 letters": _renamed("a" * 300, "fare", "size", "rate"),
    "with points and slashes": _renamed("a.b", "c/d", "e:f", "g~h"),
    "of several levels": lambda x: x.set_axis(pd.MultiIndex.from_product([["a", "b"], ["c", "d"]]), axis=1),
    "called target": _renamed("target", "fare", "size", "rate"),
    "called as fields of the API": _renamed("row_id", "label", "prediction", "instances"),
    "x0 to x3": _renamed("x0", "x1", "x2", "x3"),
    "x1 to x4": _renamed("x1", "x2", "x3", "x4"),
    "truth values": _renamed("True", "False", "None", "nan"),
    "numbers as texts": _renamed("0", "00", "1.0", "1e3"),
}

NAMES = Group(
    "Names of columns",
    "Frames whose columns are called so.",
    (
        *(
            _both(f"{name}, random forest", change)
            for name, change in _ODD_NAMES.items()
            if name not in {"numbers and texts", "of several levels", "twice the same"}
        ),
        Case(
            "twice the same, random forest",
            forest,
            "array",
            rows=lambda x: pd.DataFrame(x, columns=["age", "age", "size", "rate"]),
            predict=lambda m, x: predict_with(m, x.to_numpy()),
        ),
        Case(
            "numbers and texts, random forest",
            forest,
            "array",
            rows=lambda x: pd.DataFrame(x, columns=["a", 1, "b", 2]),
            predict=lambda m, x: predict_with(m, x.to_numpy()),
        ),
        Case(
            "of several levels, random forest",
            forest,
            "array",
            rows=lambda x: _ODD_NAMES["of several levels"](pd.DataFrame(x)),
            predict=lambda m, x: predict_with(m, x.to_numpy()),
        ),
        *(
            _both(f"{name}, LightGBM", _ODD_NAMES[name], lgb())
            for name in ("with blanks", "in Unicode", "whole numbers")
        ),
        *(
            _both(f"{name}, XGBoost", _ODD_NAMES[name], xgb())
            for name in ("with blanks", "in Unicode", "whole numbers")
        ),
        *(
            _both(f"{name}, CatBoost", _ODD_NAMES[name], cat())
            for name in ("with blanks", "in Unicode", "whole numbers")
        ),
    ),
)

_WARDS = [10, 20, 30, 40]


def _ward(dtype: Callable[[Any], Any]) -> Callable[[Rows], Rows]:
    return lambda rows: rows.assign(ward=dtype(np.resize(_WARDS, len(rows))))


def _with_gaps(values: Any) -> Any:
    return [None if at % 7 == 0 else value for at, value in enumerate(values.tolist())]


_KINDS: dict[str, Callable[[Any], Any]] = {
    "whole numbers": pd.Categorical,
    "whole numbers with missing": lambda x: pd.Categorical(_with_gaps(x)),
    "floats": lambda x: pd.Categorical(x / 10),
    "booleans": lambda x: pd.Categorical(x > 20),
    "texts": lambda x: pd.Categorical(x.astype(str)),
    "texts with unused ones": lambda x: pd.Categorical(x.astype(str), categories=["10", "20", "30", "40", "50"]),
    "texts in another order": lambda x: pd.Categorical(x.astype(str), categories=["40", "10", "30", "20"]),
    "ordered texts": lambda x: pd.Categorical(x.astype(str), categories=["10", "20", "30", "40"], ordered=True),
    "texts with missing": lambda x: pd.Categorical(_with_gaps(x.astype(str))),
    "uint8": lambda x: pd.Categorical(x.astype(np.uint8)),
    "nullable whole numbers": lambda x: pd.Categorical(pd.array(x, "Int64")),
}
_TAKES = {
    "LightGBM": lgb(min_data_per_group=2, cat_smooth=1),
    "XGBoost": xgb(enable_categorical=True, max_cat_to_onehot=1),
    "HistGradientBoosting": histogram,
}

CATEGORIES = Group(
    "Categories of pandas",
    "A column of dtype category with such values, in models that split it themselves.",
    tuple(
        _both(f"{kind}, {name}", _ward(values), make)
        for name, make in _TAKES.items()
        for kind, values in _KINDS.items()
        if name != "XGBoost" or kind not in {"floats", "booleans", "nullable whole numbers"}  # it refuses them itself
    ),
)
GROUPS = (FRAMES, NAMES, CATEGORIES)
