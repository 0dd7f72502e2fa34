"""Tables as notebooks have them become files that mean the same."""

import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from leafspace_client import Invalid
from leafspace_client.tables import TableNames, table_file

from tests.support.patience import when_idle

_NOTHING = TableNames(None, None, None)


def written(data: Any, names: TableNames = _NOTHING) -> dict[str, list[Any]]:  # any form of table
    file, _ = table_file(data, names)
    columns: dict[str, list[Any]] = pq.read_table(io.BytesIO(file.content.read())).to_pydict()
    return columns


def mixed_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "n": [1.5, np.nan, 3.0],
            "i": [1, 2, 3],
            "code": ["007", "08", None],
            "kind": pd.Categorical([3, 1, None]),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "loose": [True, None, False],
        },
        index=pd.Index(["a", "b", "c"], name="key"),
    )


def test_missing_values_categories_and_booleans_keep_their_meaning() -> None:
    assert written(mixed_frame()) == {
        "key": ["a", "b", "c"],
        "n": [1.5, None, 3.0],
        "i": [1, 2, 3],
        "code": ["007", "08", None],
        "kind": [3, 1, None],
        "flag": [True, None, False],
        "loose": [True, None, False],
    }


def test_without_pyarrow_the_same_goes_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = written(mixed_frame())
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    file, _ = table_file(mixed_frame(), _NOTHING)

    rows = [json.loads(line) for line in file.content.read().decode().splitlines()]
    assert {name: [row[name] for row in rows] for name in expected} == expected


def test_the_index_names_the_rows_where_it_is_requested() -> None:
    assert written(mixed_frame(), TableNames(None, "key", None))["key"] == ["a", "b", "c"]


_NUMBERS = pd.DataFrame({"a": [1, 2, 3]})


@pytest.mark.parametrize(
    ("frame", "row_id", "expected", "column"),
    [
        (_NUMBERS, None, {"a": [1, 2, 3]}, None),
        (_NUMBERS.set_axis([0.0, 1.0, 2.0]), None, {"a": [1, 2, 3]}, None),
        (_NUMBERS.iloc[[2, 0]], None, {"row_id": ["2", "0"], "a": [3, 1]}, "row_id"),
        (_NUMBERS.rename_axis("customer").iloc[1:], None, {"customer": ["1", "2"], "a": [2, 3]}, "customer"),
        (_NUMBERS.rename_axis("a").iloc[1:], None, {"row_id_1": ["1", "2"], "a": [2, 3]}, "row_id_1"),
        (_NUMBERS.rename_axis("customer"), "customer", {"customer": ["0", "1", "2"], "a": [1, 2, 3]}, "customer"),
        (_NUMBERS.set_axis(["u", "u", "v"]), "a", {"a": [1, 2, 3]}, "a"),
        (
            _NUMBERS.iloc[[2, 0]].assign(row_id=0),
            None,
            {"row_id_1": ["2", "0"], "a": [3, 1], "row_id": [0, 0]},
            "row_id_1",
        ),
    ],
)
def test_the_index_is_the_row_id_unless_it_only_counts(
    frame: pd.DataFrame, row_id: str | None, expected: dict[str, list[Any]], column: str | None
) -> None:
    file, names = table_file(frame, TableNames(None, row_id, None))

    assert pq.read_table(file.content).to_pydict() == expected
    assert names.row_id == column


def test_rows_and_target_are_named_by_the_rows_index() -> None:
    rows, target = _NUMBERS.iloc[[2, 0]], pd.Series(["u", "v", "w"]).iloc[[2, 0]]
    expected = {"row_id": ["2", "0"], "a": [3, 1], "target": ["w", "u"]}

    assert written((rows, target)) == expected
    assert written((rows, target.reset_index(drop=True))) == expected
    assert written((rows.reset_index(drop=True), target)) == {"a": [3, 1], "target": ["w", "u"]}
    with pytest.raises(Invalid, match="the target's index differs"):
        written((rows, target.iloc[::-1]))


@pytest.mark.parametrize("index", [pd.Index([4, 5, 4]), pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])])
def test_an_index_that_cannot_name_rows_is_refused(index: pd.Index) -> None:
    frame = _NUMBERS.set_axis(index)

    for data in (frame, (frame, [1, 2, 3])):
        with pytest.raises(Invalid, match=r"call reset_index\(\), or pass row_id") as refused:
            table_file(data, _NOTHING)
        assert refused.value.code == "dataset_bad_columns"
    assert written(frame.reset_index(drop=True)) == {"a": [1, 2, 3]}


def test_arrays_get_names_and_a_target() -> None:
    file, names = table_file((np.array([[1, 2], [3, 4]]), np.array(["a", "b"])), TableNames(None, None, None))

    assert names.target == "target"
    assert pq.read_table(file.content).to_pydict() == {"x0": [1, 3], "x1": [2, 4], "target": ["a", "b"]}


def test_arrays_take_the_names_that_are_given() -> None:
    names = TableNames("y", None, ["a", "b"])

    assert written(([[1, 2.5], [3, None]], [0, 1]), names) == {"a": [1, 3], "b": [2.5, None], "y": [0, 1]}


def test_a_frame_and_its_target_keep_their_names() -> None:
    frame = pd.DataFrame({"a": [1, 2]})

    assert written((frame, pd.Series(["u", "v"])), TableNames("y", None, None)) == {"a": [1, 2], "y": ["u", "v"]}


def test_rows_by_name_may_lack_values() -> None:
    assert written([{"a": 1}, {"a": 2, "b": "x"}]) == {"a": [1, 2], "b": [None, "x"]}


def test_numbers_of_every_width_are_kept() -> None:
    kinds = ["int8", "uint16", "int64", "float16", "float32", "float64", "bool"]
    frame = pd.DataFrame({kind: np.array([0, 1], dtype=kind) for kind in kinds})

    assert written(frame) == {kind: [0, 1] for kind in kinds}


def test_a_large_table_is_written_quickly() -> None:
    began = time.monotonic()

    table_file((np.zeros((200_000, 30)), np.zeros(200_000)), _NOTHING)

    assert time.monotonic() - began < when_idle(5)


def test_a_file_is_sent_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"a,b\n1,2\n")

    file, _ = table_file(path, _NOTHING)

    with file.content as content:
        assert content.read() == b"a,b\n1,2\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((pd.DataFrame({"a": [1, 2]}), None), "the target is None"),
        ((pd.DataFrame({"a": [1, 2]}), np.zeros((2, 3))), "the target has 3 columns"),
        (pd.Series([1, 2], name="a"), "one column or one row"),
        (np.arange(3.0), "one column or one row"),
        ([1.0, 2.0], "one column or one row"),
        ("a,b\n1,2\n", "a text of several lines"),
        ({"a": [1, 2], "b": [1]}, "column 'a' has 2 values and column 'b' 1"),
        (([[1], [2]], [1]), "1 values for 2 rows"),
        ([[1, 2], [3]], "row 1 has 1 values, row 0 has 2"),
        (np.zeros((0, 3)), "at least one row"),
        ("/no/such/file.csv", "cannot read"),
    ],
)
def test_what_cannot_be_a_table_is_refused_before_anything_is_sent(data: Any, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        table_file(data, _NOTHING)


def test_a_feature_that_is_called_as_the_target_stays_a_feature() -> None:
    rows = pd.DataFrame({"target": [1.0, 2.0], "age": [3.0, 4.0]})

    file, names = table_file((rows, [0, 1]), _NOTHING)

    columns = pq.read_table(io.BytesIO(file.content.read())).to_pydict()
    assert names.target == "target_1"
    assert columns == {"target": [1.0, 2.0], "age": [3.0, 4.0], "target_1": [0, 1]}
    with pytest.raises(Invalid, match="have a column 'age' already: give the target another name"):
        table_file((rows, [0, 1]), TableNames("age", None, None))
