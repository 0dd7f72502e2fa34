"""Tables as people hold them: columns by name, structured arrays, odd targets, open files, texts among numbers."""

import enum
import fractions
import io
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from leafspace_client import Invalid
from leafspace_client.nested_rows import nested_instances
from leafspace_client.rows import instances_of, plain_cell
from leafspace_client.tables import TableNames, table_file

COLUMNS: dict[str, list[Any]] = {"a": [1.5, 2.0, 4.0], "b": ["u", None, "w"]}
ROWS = [{"a": 1.5, "b": "u"}, {"a": 2.0, "b": None}, {"a": 4.0, "b": "w"}]
NO_NAMES = TableNames(None, None, None)
BY_COLUMN: dict[str, Callable[[], Any]] = {
    "lists": lambda: COLUMNS,
    "tuples": lambda: {name: tuple(values) for name, values in COLUMNS.items()},
    "arrays": lambda: {name: np.array(values, object) for name, values in COLUMNS.items()},
    "series": lambda: {name: pd.Series(values, dtype=object) for name, values in COLUMNS.items()},
    "polars": lambda: {name: pl.Series(values) for name, values in COLUMNS.items()},
    "arrow": lambda: {name: pa.array(values) for name, values in COLUMNS.items()},
    "structured": lambda: np.array(list(zip(*COLUMNS.values(), strict=True)), [("a", float), ("b", object)]),
    "records": lambda: pd.DataFrame(COLUMNS).to_records(index=False),
}


def written(data: Any, names: TableNames = NO_NAMES) -> dict[str, list[Any]]:  # any form of table
    columns: dict[str, list[Any]] = pq.read_table(table_file(data, names)[0].content).to_pydict()
    return columns


@pytest.mark.parametrize("kind", BY_COLUMN)
def test_columns_by_name_are_rows_and_datasets(kind: str) -> None:
    assert instances_of(BY_COLUMN[kind]()) == ROWS
    assert written(BY_COLUMN[kind]()) == COLUMNS


def test_one_row_of_a_structured_array_is_a_row() -> None:
    assert instances_of(BY_COLUMN["structured"]()[2]) == [ROWS[2]]


def test_series_that_name_other_rows_are_refused() -> None:
    with pytest.raises(Invalid, match="indices differ"):
        instances_of({"a": pd.Series([1, 2]), "b": pd.Series([1, 2], index=[1, 0])})


@pytest.mark.parametrize("row", [{"a": 1.0, "tags": [1, 2]}, {"a": 1.0, "tags": {"x": 1}}, {"a": [1.0], "b": ["u"]}])
def test_a_cell_that_is_a_list_makes_no_row_of_several_tables(row: Any) -> None:  # a dict
    assert nested_instances(row) is None
    assert nested_instances([row, row]) is None


@pytest.mark.parametrize(
    "target",
    [
        pd.DataFrame({"y": [0, 1, 0]}),
        np.array([[0], [1], [0]]),
        pl.DataFrame({"y": [0, 1, 0]}),
        pa.table({"y": [0, 1, 0]}),
        [[0], [1], [0]],
    ],
    ids=lambda target: type(target).__name__,
)
def test_a_target_may_be_a_table_of_one_column(target: Any) -> None:  # any table
    assert written((pd.DataFrame(COLUMNS), target)) == COLUMNS | {"target": [0, 1, 0]}


def test_features_and_target_may_be_a_list_of_two() -> None:
    rows, target = pd.DataFrame(COLUMNS), np.array([0, 1, 0])
    assert written([rows, target]) == written((rows, target))
    assert written([rows, rows]) == {name: values * 2 for name, values in COLUMNS.items()}


@pytest.mark.parametrize("opened", [io.BytesIO, lambda data: io.StringIO(data.decode())])
def test_an_open_file_is_sent_as_it_is(opened: Callable[[bytes], Any]) -> None:
    assert table_file(opened(b"a,b\n1,2\n"), NO_NAMES)[0].content.read() == b"a,b\n1,2\n"


@pytest.mark.parametrize("name", ["target", "row_id"])
def test_a_column_in_place_of_its_name_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match=f"{name} is a ndarray; give the name of a column"):
        TableNames.checked(**{"target": None, "row_id": None, "features": None, name: np.zeros(3)})


def test_names_that_are_numbers_are_texts_and_one_name_is_no_list() -> None:
    names = TableNames.checked(3, 0, [1, 2], [2])
    assert (names.target, names.row_id, names.features, names.categories) == ("3", "0", ["1", "2"], ["2"])
    with pytest.raises(Invalid, match="features is 'age'; give a list"):
        TableNames.checked(None, None, "age")


@pytest.mark.parametrize("frame", [pd.DataFrame, dict, lambda columns: pd.DataFrame(columns).to_dict("records")])
def test_texts_that_stand_for_missing_values_leave_numbers_numbers(frame: Callable[[Any], Any]) -> None:
    names = TableNames(None, None, None, missing_values=["?", -999])
    odd = {"a": [1.5, "?", 4], "b": ["u", "?", "w"]}
    assert written(frame(odd), names) == {"a": [1.5, None, 4.0], "b": ["u", "?", "w"]}  # the service removes the latter


def test_texts_among_numbers_are_a_column_of_texts() -> None:
    frame = pd.DataFrame({"a": [7.0, "x", None, True, 2.5], "b": [1, True, 2, False, 3]})
    assert written(frame) == {"a": ["7", "x", None, "true", "2.5"], "b": [1, 1, 2, 0, 3]}


@pytest.mark.parametrize(
    "cells", [[[1], []], [{"x": 1}, None], [b"x", b"y"], [1j, 2], [object(), 3.0], [np.zeros(2), np.zeros(2)]]
)
def test_a_column_without_values_becomes_one_of_lists(cells: list[Any]) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "odd": pd.Series(cells, dtype=object)})
    assert written(frame) == {"a": [1.0, 2.0], "odd": [[], []]}
    rows = instances_of(frame)
    assert any(isinstance(row["odd"], list) for row in rows if isinstance(row, dict))


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_a_column_of_lists_of_any_table_becomes_one_of_empty_lists(make: Callable[[Any], Any]) -> None:
    assert written(make({"a": [1.0, 2.0], "odd": [[1, 2], [3]]})) == {"a": [1.0, 2.0], "odd": [[], []]}


def test_frames_that_count_their_rows_each_from_0_are_counted_together() -> None:
    frame = pd.DataFrame(COLUMNS)
    assert written(part for part in (frame, frame)) == {name: values * 2 for name, values in COLUMNS.items()}
    halves = (frame[:2], frame[2:])
    assert written(part for part in halves) == COLUMNS


class _Kind(enum.Enum):
    LOW = "low"


def test_objects_that_stand_for_a_value_are_that_value() -> None:
    key = uuid.UUID(int=7)
    values = [key, _Kind.LOW, fractions.Fraction(1, 4), Path("a") / "b"]
    assert [plain_cell(value, "it") for value in values] == [str(key), "low", 0.25, str(Path("a") / "b")]
    assert written(pd.DataFrame({"id": [key], "a": [1]}), TableNames(None, "id", None)) == {"id": [str(key)], "a": [1]}
