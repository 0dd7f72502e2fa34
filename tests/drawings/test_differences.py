"""In which features rows differ most, and how that stands beside the rows of a prototype and the worst represented."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leafspace_drawings import RepresentedRow, SetContext, draw_prototype_set, draw_represented
from leafspace_drawings.differences import Difference, Differences

from .documents import document

_DATASET = {
    "columns": [
        {"name": "age", "type": "number", "min": 0, "max": 100, "quantiles": [0, 20, 25, 30, 100]},
        {"name": "income", "type": "number", "min": 0, "max": 1000},
        {"name": "job", "type": "category"},
        {"name": "owner", "type": "boolean"},
    ]
}
_ROW = {"age": 30, "income": 600, "job": "baker", "owner": True}
_OTHER = {"age": 20, "income": 500, "job": "smith", "owner": True}


def test_numbers_are_as_far_apart_as_on_their_axis_and_all_else_is_equal_or_not() -> None:
    found = Differences.among(_DATASET, [_ROW, _OTHER]).of(_ROW, [_OTHER])
    assert [each.feature for each in found] == ["job", "age", "income"]  # 1, two of four quarters, a tenth
    assert found[1] == Difference("age", 30, (20,))


def test_features_that_more_splits_test_count_more_and_those_that_none_tests_are_left_out() -> None:
    usage = [{"feature": "income", "share_of_questions": 0.9}, {"feature": "age", "share_of_questions": 0.1}]
    found = Differences.among(_DATASET, [_ROW, _OTHER], usage).of(_ROW, [_OTHER])
    assert [each.feature for each in found] == ["income", "age"]


def test_of_several_others_the_nearest_counts_and_their_range_is_named() -> None:
    others: list[dict[str, Any]] = [
        _OTHER,
        {"age": None, "income": 599, "job": "baker", "owner": False},
        {**_OTHER, "age": 25},
    ]
    found = Differences.among(_DATASET, [_ROW, *others]).of(_ROW, others)
    assert [(each.feature, each.others) for each in found] == [("age", (20, 25, None)), ("income", (500, 599))]


_CELLS = st.fixed_dictionaries({
    "age": st.none() | st.integers(0, 100),
    "income": st.none() | st.floats(0, 1000),
    "job": st.none() | st.sampled_from(["baker", "smith"]),
    "owner": st.none() | st.booleans(),
})  # fmt: skip


@given(_CELLS, st.lists(_CELLS, min_size=1, max_size=4))
def test_a_row_differs_from_others_in_what_none_of_them_has(row: dict[str, Any], others: list[dict[str, Any]]) -> None:
    found = {each.feature for each in Differences.among(_DATASET, [row, *others]).of(row, others)}
    assert found <= {name for name in row if all(row[name] != other[name] for other in others)}
    assert ("job" in found) == all(row["job"] != other["job"] for other in others)


def _text(drawing: str) -> str:
    without = re.sub(r"</?(wbr|bdi|b)[^>]*>", "", drawing)
    return " ".join(re.sub(r"<[^>]*>", " ", without).split())


def test_a_represented_row_has_what_is_predicted_what_was_and_its_own_values_beside_the_prototypes() -> None:
    found = document("PrototypeSet")
    first, *_, last = found["result"]["prototypes"]
    cells = {each["name"]: each["value"] for each in first["features"]}
    name = next(iter(cells))
    listed = {"row_id": "r 7", "row": 7, "rank": 1, "proximity": 0.5}
    row = RepresentedRow(listed, {**cells, name: cells[name] + 1}, first["label"], last["label"])

    text = _text(draw_represented(found, 1, [row], SetContext()))

    assert f"r 7 {first['label']} was {last['label']} 50% {name} {cells[name] + 1:g} (there: {cells[name]:g})" in text


def test_of_many_represented_rows_the_nearest_are_unfolded() -> None:
    found = document("PrototypeSet")
    cells = {each["name"]: each["value"] for each in found["result"]["prototypes"][0]["features"]}
    rows = [
        RepresentedRow({"row_id": f"r{i}", "row": i, "rank": i + 1, "proximity": 0.5}, cells, None, None)
        for i in range(25)
    ]

    unfolded, _, folded = draw_represented(found, 1, rows, SetContext()).partition("<details")

    assert (unfolded.count('<th scope="row"'), folded.count('<th scope="row"')) == (20, 5)
    assert "<summary>5 more</summary>" in folded


def test_the_worst_represented_rows_say_in_what_they_are_unlike_the_prototypes_of_their_class() -> None:
    found = document("PrototypeSet")
    criticism = found["result"]["criticisms"][0]
    criticism["label"] = found["result"]["prototypes"][0]["label"]
    of_class = [each for each in found["result"]["prototypes"] if each["label"] == criticism["label"]]
    name = criticism["features"][0]["name"]
    criticism["features"][0]["value"] = 123.0
    values = [each["features"][0]["value"] for each in of_class]

    text = _text(draw_prototype_set(found, SetContext()))

    ends = " to ".join(f"{each:g}" for each in dict.fromkeys((min(values), max(values))))
    assert f"{name} 123 (they: {ends})" in text
