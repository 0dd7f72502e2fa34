"""Rows as notebooks have them become rows that JSON has."""

import datetime as dt
import decimal
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import Invalid
from leafspace_client.labels import labels_by_text, with_labels
from leafspace_client.rows import (
    Instance,
    batches,
    instances_of,
    named_instances,
    plain_cell,
    received,
    sent,
    spelled,
)
from leafspace_client.types import UNSET, ClassPrediction, NearestPrototype


def test_a_data_frame_is_sent_by_column_name_with_plain_values() -> None:
    frame = pd.DataFrame(
        {
            "age": [30, 31],
            "income": [1.5, np.nan],
            "sex": pd.Categorical(["f", None]),
            "member": pd.array([True, None], dtype="boolean"),
            "n": pd.array([1, None], dtype="Int64"),
            "town": pd.array(["Bonn", None], dtype="string"),
            "since": pd.to_datetime(["2026-01-02", "NaT"]),
        }
    )

    instances = instances_of(frame)

    assert instances == [
        {
            "age": 30,
            "income": 1.5,
            "sex": "f",
            "member": True,
            "n": 1,
            "town": "Bonn",
            "since": "2026-01-02T00:00:00",
        },
        {"age": 31, "income": None, "sex": None, "member": None, "n": None, "town": None, "since": None},
    ]
    assert json.loads(json.dumps(instances, allow_nan=False)) == instances


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (np.array([[1.0, np.nan], [3.0, 4.0]]), [[1.0, None], [3.0, 4.0]]),
        (np.array([1.0, 2.0], dtype=np.float32), [[1.0, 2.0]]),
        (np.array([["a", 1], ["b", None]], dtype=object), [["a", 1], ["b", None]]),
        ([1, "a", None], [[1, "a", None]]),
        ([[1, 2], (3, 4)], [[1, 2], [3, 4]]),
        ([np.array([1, 2]), np.array([3, 4])], [[1, 2], [3, 4]]),
        ({"a": np.float64(1), "b": np.nan}, [{"a": 1.0, "b": None}]),
        ([{"a": np.int8(1)}, {"a": np.True_}], [{"a": 1}, {"a": True}]),
        (pd.Series({"a": 1.5, "b": "x"}), [{"a": 1.5, "b": "x"}]),
        ([], []),
    ],
)
def test_other_forms_of_rows_are_understood(rows: Any, expected: list[Any]) -> None:  # any form
    assert instances_of(rows) == expected


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (decimal.Decimal("1.5"), 1.5),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (np.datetime64("NaT"), None),
        (pd.NaT, None),
        (pd.NA, None),
        (np.str_("a"), "a"),
        (np.float32(0.1), 0.10000000149011612),
        (2**60, 2**60),
    ],
)
def test_a_value_becomes_the_nearest_that_json_has(value: Any, plain: object) -> None:  # any value
    found = plain_cell(value, "it")

    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(
    ("rows", "as_sent"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), [{"a": 1.0}, {"a": "Infinity"}]),
        (np.array([[-np.inf, np.nan]], np.float32), [["-Infinity", None]]),
        ([{"a": float("inf"), "b": "Infinity"}], [{"a": "Infinity", "b": "Infinity"}]),
    ],
)
def test_infinite_numbers_are_sent_as_texts_that_json_can_hold(rows: Any, as_sent: list[Any]) -> None:
    instances = instances_of(rows)

    (batch,) = batches(instances)

    assert batch == sent(instances) == as_sent
    assert json.loads(json.dumps(batch, allow_nan=False)) == as_sent


def test_the_text_of_an_infinite_number_in_an_answer_is_that_number() -> None:
    assert [received(value) for value in ("Infinity", "-Infinity", "inf", 1.5, None, True)] == [
        np.inf,
        -np.inf,
        "inf",
        1.5,
        None,
        True,
    ]


@pytest.mark.parametrize("rows", ["abc", 3, np.zeros((2, 2, 2)), [[1], 2], [object()], {1, 2}, [[1j]]])
def test_what_is_no_row_is_refused_before_anything_is_sent(rows: Any) -> None:  # any value
    with pytest.raises(Invalid):
        instances_of(rows)


def test_columns_of_one_name_are_refused() -> None:
    with pytest.raises(Invalid, match="more than once"):
        instances_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_more_rows_than_a_call_may_hold_go_in_several_calls() -> None:
    assert [len(batch) for batch in batches([[row] for row in range(2500)])] == [1000, 1000, 500]
    assert list(batches([])) == []


def test_wide_rows_go_in_calls_that_the_service_takes() -> None:
    sizes = [len(batch) for batch in batches([[0.123456789012] * 10_000] * 100)]

    assert sum(sizes) == 100
    assert max(sizes) * 10_000 * 16 < 8 << 20


def test_rows_of_many_names_go_in_calls_that_the_service_takes() -> None:
    images: list[Instance] = [{f"x{pixel}": 0.0 for pixel in range(784)}] * 1000

    sizes = [len(batch) for batch in batches(images)]

    assert sum(sizes) == 1000
    assert max(sizes) * 784 < 300_000


def test_row_ids_are_texts_and_one_for_each() -> None:
    rows = np.zeros((4, 2))

    assert named_instances(rows, [1, 2.0, "c", np.int64(4)])[1] == ["1", "2", "c", "4"]
    assert named_instances(rows)[1] == ["0", "1", "2", "3"]
    with pytest.raises(Invalid, match="1 row_ids for 4 rows"):
        named_instances(rows, ["a"])
    with pytest.raises(Invalid, match=r"row_ids hold '7' more than once, in rows 1 and 3 .*id of its own"):
        named_instances(rows, [6, 7, 8, "7"])


_FRAME = pd.DataFrame({"age": [30, 31, 32], "income": [1.5, 2.5, 3.5]})


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (_FRAME, ["0", "1", "2"]),
        (_FRAME.iloc[[2, 0]], ["2", "0"]),
        (_FRAME.iloc[[0]], ["0"]),
        (_FRAME.iloc[1:], ["1", "2"]),
        (_FRAME.set_axis(["a", "b", "c"]), ["a", "b", "c"]),
        (_FRAME.set_axis([1.0, 2.0, 3.5]), ["1", "2", "3.5"]),
        (_FRAME.set_axis(pd.date_range("2026-01-30", periods=3)).iloc[:1], ["2026-01-30T00:00:00"]),
        (_FRAME.set_axis(pd.period_range("2026-01", periods=3, freq="M")).iloc[:1], ["2026-01"]),
        (_FRAME.loc[2], ["2"]),
        (pd.Series({"age": 30}), ["0"]),
        ([_FRAME.iloc[2], _FRAME.iloc[1]], ["2", "1"]),
        ([_FRAME.iloc[2], pd.Series({"age": 1})], ["0", "1"]),
        ((row for _, row in _FRAME.iloc[::-1].iterrows()), ["2", "1", "0"]),
        ([{"age": 30}, {"age": 31}], ["0", "1"]),
        ([], []),
    ],
)
def test_the_index_is_the_row_id(rows: Any, expected: list[str]) -> None:  # any form of rows
    assert named_instances(rows)[1] == expected


def test_row_ids_that_are_given_win_over_the_index() -> None:
    assert named_instances(_FRAME.set_axis(["a", "a", "c"]), ["u", "v", "w"])[1] == ["u", "v", "w"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (_FRAME.set_axis(["a", "b", "a"]), "index holds 'a' more than once, in rows 0 and 2"),
        (_FRAME.set_axis([7, "7", 8]), "index holds '7' more than once, in rows 0 and 1"),
        (_FRAME.set_axis([7, None, 8]), "no value in row 1"),
        (_FRAME.set_axis(pd.MultiIndex.from_product([["a"], [1, 2, 3]])), "several levels"),
        (_FRAME.set_axis(pd.MultiIndex.from_product([["a"], [1, 2, 3]])).iloc[0], "several levels"),
        ([_FRAME.iloc[1], _FRAME.iloc[1]], "index holds '1' more than once"),
    ],
)
def test_an_index_that_cannot_name_rows_is_refused(rows: Any, message: str) -> None:  # any form of rows
    with pytest.raises(Invalid, match=message) as refused:
        named_instances(rows)
    assert "call reset_index(), or pass row_ids" in str(refused.value)


def test_values_are_spelled_as_the_service_spells_them() -> None:
    assert [spelled(value) for value in (True, 7.0, 7, 7.5, "7")] == ["true", "7", "7", "7.5", "7"]


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [False, True], [1.0, 2.0], [0.5, 7], ["0", "1"], ["yes", 1]],
    ids=["int", "bool", "float", "mixed numbers", "str", "mixed"],
)
def test_labels_come_back_in_the_callers_own_type(labels: list[Any]) -> None:
    own = labels_by_text(np.array(labels, dtype=object) if "yes" in labels else np.array(labels))
    scores = [{"label": spelled(label), "value": 0.5} for label in labels]
    sent = ClassPrediction.from_dict({"task": "classification", "label": spelled(labels[0]), "scores": scores})

    found = with_labels(sent, own)

    expected = np.array(labels).tolist() if "yes" not in labels else labels
    assert [score.label for score in found.scores] == expected
    assert [type(score.label) for score in found.scores] == [type(label) for label in expected]
    assert (found.label, type(found.label)) == (expected[0], type(expected[0]))
    assert sent.label == spelled(labels[0])


def test_what_has_no_label_that_is_known_stays_the_same() -> None:
    near = [
        NearestPrototype(row_id=row_id, proximity=0.5, reasons=[], label=label)
        for row_id, label in (("7", UNSET), ("8", "of another release"))
    ]

    assert with_labels(near, {"0": 0}) is near
    with pytest.raises(Invalid, match="a class is missing"):
        labels_by_text([1.0, np.nan])
