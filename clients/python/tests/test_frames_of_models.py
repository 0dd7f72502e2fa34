"""One frame is the same to a model that is registered with it, as a dataset, and as rows, whatever its columns are."""

import datetime as dt
import decimal
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from leafspace_client import Invalid
from leafspace_client.conversion.declared import Declared
from leafspace_client.conversion.models import convert_model
from leafspace_client.rows import instances_of
from leafspace_client.tables import TableNames, table_file
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from scripts.models_table.cases import Case
from scripts.models_table.data import TABLES
from scripts.models_table.library import predict_with
from scripts.models_table.trial import fitted, tried

Change = Callable[[Any], Any]
LARGE = 2**60


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(4, max_depth=3, random_state=0)


def signs(rate: Any, *, with_gaps: bool = False) -> list[bool | None]:  # a Series
    return [None if with_gaps and row % 9 == 0 else bool(value > 0) for row, value in enumerate(rate)]


COLUMNS: dict[str, Change] = {
    "objects of True and False": lambda x: pd.Series(signs(x), dtype=object),
    "objects of True, False and None": lambda x: pd.Series(signs(x, with_gaps=True), dtype=object),
    "nullable booleans with gaps": lambda x: pd.array(signs(x, with_gaps=True), "boolean"),
    "booleans of Arrow": lambda x: pd.array(signs(x), "bool[pyarrow]"),
    "booleans among numbers": lambda x: pd.Series(
        [v if i % 2 else v > 0 for i, v in enumerate(x.tolist())], dtype=object
    ),
    "nullable whole numbers with gaps": lambda x: pd.array([int(v * 9) if v > -1 else None for v in x], "Int64"),
    "whole numbers of Arrow with gaps": lambda x: pd.array(
        [int(v * 9) if v > -1 else None for v in x], "int64[pyarrow]"
    ),
    "float16": lambda x: x.astype("float16"),
    "long doubles": lambda x: x.astype(np.longdouble),
    "decimals with gaps": lambda x: pd.Series([decimal.Decimal(str(round(v, 3))) if v > -1 else None for v in x]),
    "uint64 beyond int64": lambda x: 2**63 + 4096 * (x * 10 + 100).astype(int).astype("uint64"),
    "nullable uint64 beyond int64": lambda x: pd.array([2**63 + 4096 * int(v * 10 + 100) for v in x], "UInt64"),
    "the least int64": lambda x: np.where(x > 0, -(2**63), 5),
    "integers beyond all types": lambda x: pd.Series([2**70 if v > 0 else 1 for v in x], dtype=object),
}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.sampled("thirds")
def test_a_frame_is_the_same_in_model_dataset_and_rows(kind: str) -> None:
    def change(rows: Any) -> Any:  # a DataFrame
        return rows.assign(rate=COLUMNS[kind](rows["rate"]))

    case = Case(kind, forest, "binary", lambda model, rows, target: model.fit(change(rows), target), rows=change)
    assert str(tried(fitted(case), with_rows=True)) == "right"


def test_whole_numbers_that_are_rounded_are_named(caplog: pytest.LogCaptureFixture) -> None:
    frame = pd.DataFrame({"seen": [1, LARGE + 1], "key": [LARGE + 1, LARGE + 2], "label": [LARGE + 3, 0]})
    with caplog.at_level(logging.WARNING, "leafspace_client"):
        file, _names = table_file(frame, TableNames("label", "key", None))
    assert pd.read_parquet(file.content).to_dict("list") == {
        "seen": [1.0, float(LARGE)],
        "key": [LARGE + 1, LARGE + 2],
        "label": [LARGE + 3, 0],
    }
    assert [record.getMessage().split(",")[0] for record in caplog.records] == [f"column 'seen' holds {LARGE + 1}"]


@pytest.mark.parametrize(
    "make", [pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()], ids=["polars", "arrow"]
)
def test_tables_and_frames_are_the_same_dataset(make: Change) -> None:
    columns = {"a": [LARGE, None], "b": ["x", None], "c": [True, None], "d": [1.5, None]}
    file, _names = table_file(make(columns), TableNames(None, None, None))
    assert pq.read_table(file.content).to_pydict() == {**columns, "a": [float(LARGE), None]}


@pytest.mark.parametrize("cell", [[1.0], np.array([1.0]), np.array([np.nan]), b"x", {"a": 1}], ids=str)
def test_a_cell_that_is_no_value_is_refused_where_its_column_has_a_use(cell: Any) -> None:  # of any type
    frame = pd.DataFrame({"odd": pd.Series([cell, cell], dtype=object)})
    model = RandomForestClassifier(1).fit(pd.DataFrame({"odd": [0.0, 1.0]}), [0, 1])
    for read in (
        lambda x: table_file(x, TableNames("odd", None, None)),
        lambda x: table_file(x, TableNames(None, "odd", None)),
        lambda x: convert_model(model, x),
    ):
        with pytest.raises(Invalid, match="row 0, column 'odd'"):
            read(frame)
    assert all(isinstance(row, dict) and isinstance(row["odd"], list) for row in instances_of(frame))


@pytest.mark.parametrize(
    "day", [pd.Timestamp(2024, 1, 1), dt.date(2024, 1, 1), dt.time(3), pd.Timedelta(1, "D")], ids=str
)
def test_columns_of_dates_are_refused_by_models_that_read_them(day: Any) -> None:  # of any type
    model = RandomForestClassifier(1).fit(pd.DataFrame({"day": [0.0, 1.0]}), [0, 1])
    with pytest.raises(Invalid, match="column 'day' holds dates, times or durations; make it numbers"):
        convert_model(model, pd.DataFrame({"day": [day, day]}))


def unread(rows: Any) -> Any:  # a DataFrame
    return rows.assign(
        day=pd.date_range("2024-01-01", periods=len(rows)),
        note="x" * 12_000,
        target=1,
    )[["note", *rows.columns, "day", "target"]]


PICKED = {
    "by names": ["age", "parch"],
    "by numbers": [1, 3],
    "by a function": lambda frame: [name for name in frame.columns if name in {"age", "parch"}],
}


@pytest.mark.parametrize("columns", PICKED.values(), ids=PICKED)
def test_columns_that_a_pipeline_never_picks_are_no_features(columns: Any) -> None:  # as scikit-learn has it
    def make() -> Any:  # an estimator
        parts = [("n", "passthrough", columns), ("c", OneHotEncoder(handle_unknown="ignore"), ["sex"])]
        return make_pipeline(ColumnTransformer([*parts, ("d", "drop", ["fare"])]), forest())

    data = TABLES["titanic"]()
    model = make().fit(unread(data.rows), data.target)
    converted = convert_model(model, unread(data.rows))
    assert converted.declared.feature_names == ["age", "parch", "sex"]
    assert len(str(converted.metadata())) < 20_000
    truth = predict_with(model, unread(data.rows))
    case = Case("unread", lambda: model, "titanic", lambda fitted, *_: fitted, rows=unread, predict=lambda *_: truth)
    assert str(tried(fitted(case), with_rows=True)) == "right"


def test_columns_beside_the_declared_names_are_no_features() -> None:
    frame = pd.DataFrame({"id": ["u", "v"], "a": [0.0, 1.0], "b": [1.0, 0.0], "y": [0, 1]})
    model = RandomForestClassifier(2, random_state=0).fit(frame[["a", "b"]].to_numpy(), frame["y"])
    of_all = convert_model(model, frame, Declared(feature_names=["a", "b"])).metadata()
    assert of_all == convert_model(model, frame[["a", "b"]], Declared(feature_names=["a", "b"])).metadata()
