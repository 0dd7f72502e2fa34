"""A tree written as ONNX decides as its conditions read, however near to a bound, and whatever things are called."""

from math import inf, nan
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

from tree_explainers.onnx_models.tree_writing import (
    NodeCondition,
    NumberCondition,
    RawFeature,
    RawTree,
    TextCondition,
    write_tree_onnx,
)

NUMBER, TEXT = RawFeature("x", None), RawFeature("c", "nan")
BOUNDS = (0.1, 0.3, 1 / 3, -7.1, 1e-300, 33250.0, 16777217.0, 123456.789, 3e38, 0.0)
HOSTILE = [
    "label",
    "probabilities",
    "columns",
    "leaf",
    "is_among",
    "classes",
    "leaf_number",
    'quo"ted',
    "it's; DROP TABLE x; --",
    "</text>*/",
    "new\nline\ttab\r",
    "\u2028\u202eline",
    "é 漢 😀 𐍈",
    "select",
    "a/b:c.d",
    " ",
    "",
    "long" * 5000,
]


def stump(condition: NodeCondition, *features: RawFeature) -> RawTree:
    """Return a tree with one split: yes gives ``left``, no ``right``."""
    return RawTree(
        features=features,
        conditions=(condition, None, None),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        scores=np.array([[0.5, 0.5], [1 / 3, 2 / 3], [0.9, 0.1]]),
        labels=np.array([1, 1, 0]),
        classes=("right", "left"),
    )


def run(data: bytes, **feeds: NDArray[Any]) -> list[Any]:
    onnx.checker.check_model(data, full_check=True)
    answers: list[Any] = onnxruntime.InferenceSession(data).run(None, feeds)
    return answers


def sides(condition: NodeCondition, values: NDArray[Any]) -> list[bool]:
    """Return for which values the runtime goes left."""
    feature = NUMBER if isinstance(condition, NumberCondition) else TEXT
    data = write_tree_onnx(stump(condition, feature))
    label, scores = run(data, **{feature.name: values.reshape(-1, 1)})
    left = [each == "left" for each in label]
    np.testing.assert_array_equal(scores, np.where(np.array(left)[:, None], [1 / 3, 2 / 3], [0.9, 0.1]))
    return left


@pytest.mark.parametrize("or_missing", [False, True])
@pytest.mark.parametrize("is_above", [False, True])
def test_numbers_are_compared_in_double_precision_however_near_they_are(*, is_above: bool, or_missing: bool) -> None:
    for bound in BOUNDS:
        near = [np.nextafter(bound, -inf), bound, np.nextafter(bound, inf), float(np.float32(bound)), -bound]
        values = np.array([*near, nan, inf, -inf])

        found = sides(NumberCondition(0, bound, is_above, or_missing), values)

        assert found == [or_missing if value != value else (value > bound) == is_above for value in values.tolist()]


def test_whether_there_is_a_value_is_tested_for_the_largest_ones_too() -> None:
    values = np.array([nan, 0.0, -0.0, 1e308, -1.7e308, inf, -inf])

    missing = sides(NumberCondition(0, inf, is_above=True, or_missing=True), values)
    there = sides(NumberCondition(0, inf, is_above=False, or_missing=False), values)

    assert missing == [True, *[False] * 6]
    assert there == [False, *[True] * 6]


@pytest.mark.parametrize("is_among", [False, True])
def test_texts_are_distinguished_from_all_others(*, is_among: bool) -> None:
    texts = np.array(["a", "b", "nan", "", "A", "a ", "unseen"], dtype=object)

    assert sides(TextCondition(0, ("a",), is_among), texts) == [(text == "a") == is_among for text in texts]
    assert sides(TextCondition(0, (), is_among), texts) == [not is_among] * len(texts)
    with_missing = TextCondition(0, ("a", "b", "nan"), is_among)
    assert sides(with_missing, texts) == [(text in ("a", "b", "nan")) == is_among for text in texts]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_that_of_an_input(name: str) -> None:
    shown = name or "unnamed"
    of_number = write_tree_onnx(stump(NumberCondition(0, 0.5, True, False), RawFeature(name, None)))  # noqa: FBT003
    of_text = write_tree_onnx(stump(TextCondition(0, (name, "other"), True), RawFeature(name, "")))  # noqa: FBT003

    number_label, number_scores = run(of_number, **{shown: np.array([[1.0], [0.0]])})
    text_label, _ = run(of_text, **{shown: np.array([[name], ["no"]], dtype=object)})

    assert number_label.tolist() == text_label.tolist() == ["left", "right"]
    np.testing.assert_array_equal(number_scores, [[1 / 3, 2 / 3], [0.9, 0.1]])


def test_outputs_step_back_behind_features_of_their_names() -> None:
    names = ("label", "probabilities", "probabilities_")
    condition = NumberCondition(1, 0.5, is_above=True, or_missing=False)
    data = write_tree_onnx(stump(condition, *(RawFeature(name, None) for name in names)))

    runtime = onnxruntime.InferenceSession(data)

    assert [each.name for each in runtime.get_inputs()] == list(names)
    assert [each.name for each in runtime.get_outputs()] == ["label_", "probabilities__"]


def test_labels_are_the_trees_own_where_scores_are_as_good_as_equal_or_say_otherwise() -> None:
    tree = stump(NumberCondition(0, 0.0, is_above=True, or_missing=False), NUMBER)
    tree.scores[1:] = [[0.5 + 1e-12, 0.5 - 1e-12], [0.2, 0.8]]

    label, scores = run(write_tree_onnx(tree), x=np.array([[1.0], [-1.0]]))

    assert label.tolist() == ["left", "right"]
    np.testing.assert_array_equal(scores, tree.scores[1:])


@pytest.mark.parametrize("feature", [NUMBER, TEXT])
def test_a_tree_of_one_leaf_and_one_class_answers_each_row(feature: RawFeature) -> None:
    leaf = np.array([-1])
    tree = RawTree((feature,), (None,), leaf, leaf, np.ones((1, 1)), np.zeros(1, np.int64), ("only",))
    values = np.array([[1.0], [nan]]) if feature is NUMBER else np.array([["a"], ["nan"]], dtype=object)

    label, scores = run(write_tree_onnx(tree), **{feature.name: values})

    assert label.tolist() == ["only", "only"]
    assert scores.tolist() == [[1.0], [1.0]]


def test_values_of_a_regression_keep_their_last_digit() -> None:
    tree = stump(NumberCondition(0, 0.1, is_above=False, or_missing=True), NUMBER)
    values = np.array([[0.0], [0.1 + 0.2], [1e22 / 3]])
    tree = RawTree(tree.features, tree.conditions, tree.left, tree.right, values, None, ())

    (value,) = run(write_tree_onnx(tree), x=np.array([[0.1], [0.2], [nan]]))

    assert value.tolist() == [[0.1 + 0.2], [1e22 / 3], [0.1 + 0.2]]


def test_no_rows_are_rows_too() -> None:
    data = write_tree_onnx(stump(TextCondition(0, ("a",), is_among=True), TEXT))

    label, scores = run(data, c=np.empty((0, 1), dtype=object))

    assert (label.shape, scores.shape) == ((0,), (0, 2))


def test_the_same_tree_gives_the_same_bytes() -> None:
    tree = stump(TextCondition(0, ("a", "b"), is_among=True), TEXT, NUMBER)

    assert write_tree_onnx(tree) == write_tree_onnx(tree)
