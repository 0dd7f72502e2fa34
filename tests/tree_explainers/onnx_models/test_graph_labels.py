"""Labels as graphs calculate them in practice, against onnxruntime on all rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper

from tests.support.forest_graphs import derived, rows_of, runtime_outputs, values, with_label
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel
from tree_explainers.onnx_models.interface import find_outputs
from tree_explainers.onnx_models.label_index import near_ties


def highest(keepdims: int = 1) -> list[Any]:
    return [helper.make_node("ArgMax", ["probabilities"], ["made"], axis=1, keepdims=keepdims)]


def cut_off(*after: NodeProto) -> list[Any]:
    return [
        helper.make_node("ArrayFeatureExtractor", ["probabilities", "one"], ["second"], domain="ai.onnx.ml"),
        helper.make_node("GreaterOrEqual", ["second", "threshold"], ["is_above"]),
        *after,
    ]


CUT_OFF = 0.25
CUT = {"one": np.array([1]), "threshold": np.array([CUT_OFF], np.float32)}
CAST = helper.make_node("Cast", ["is_above"], ["made"], to=TensorProto.INT64)
INDEX = helper.make_node("Cast", ["is_above"], ["index"], to=TensorProto.INT64)
LABELS: dict[str, tuple[ModelProto, Sequence[str] | None, tuple[str, ...]]] = {
    "argmax": (with_label(3, highest(), {}), None, ("0", "1", "2")),
    "argmax without the dimension": (with_label(3, highest(keepdims=0), {}), None, ("0", "1", "2")),
    "argmax with values declared": (with_label(3, highest(), {}), ["0", "1", "2"], ("0", "1", "2")),
    "argmax with names declared": (with_label(3, highest(), {}), ["a", "b", "c"], ("a", "b", "c")),
    "cast": (with_label(2, cut_off(CAST), CUT), None, ("0", "1")),
    "cast with values declared": (with_label(2, cut_off(CAST), CUT), ["0", "1"], ("0", "1")),
    "cast with names declared": (with_label(2, cut_off(CAST), CUT), ["no", "yes"], ("no", "yes")),
    "boolean": (
        with_label(2, cut_off(helper.make_node("Identity", ["is_above"], ["made"])), CUT, TensorProto.BOOL),
        None,
        ("0", "1"),
    ),
    "gather of texts": (
        with_label(
            2,
            cut_off(INDEX, helper.make_node("Gather", ["names", "index"], ["made"])),
            CUT | {"names": np.array([b"no", b"yes"], object)},
            TensorProto.STRING,
        ),
        None,
        ("no", "yes"),
    ),
    "encoder": (
        with_label(
            2,
            cut_off(
                INDEX,
                helper.make_node(
                    "LabelEncoder", ["index"], ["made"], domain="ai.onnx.ml", keys_int64s=[0, 1],
                    values_strings=["no", "yes"],
                ),
            ),
            CUT,
            TensorProto.STRING,
        ),
        None,
        ("no", "yes"),
    ),
    "where": (
        with_label(
            2,
            cut_off(helper.make_node("Where", ["is_above", "high", "low"], ["made"])),
            CUT | {"low": np.array([0]), "high": np.array([1])},
        ),
        None,
        ("0", "1"),
    ),
    "where of values": (
        with_label(
            2,
            cut_off(helper.make_node("Where", ["is_above", "high", "low"], ["made"])),
            CUT | {"low": np.array([7]), "high": np.array([-2])},
        ),
        ["7", "-2"],
        ("7", "-2"),
    ),
    "signs": (
        with_label(
            2,
            cut_off(
                INDEX,
                helper.make_node("Mul", ["index", "two"], ["doubled"]),
                helper.make_node("Sub", ["doubled", "one"], ["made"]),
            ),
            CUT | {"two": np.array([2])},
        ),
        None,
        ("-1", "1"),
    ),
    "greater and not": (
        with_label(
            2,
            cut_off(
                helper.make_node("Less", ["second", "threshold"], ["is_below"]),
                helper.make_node("Not", ["is_below"], ["is_not"]),
                helper.make_node("Cast", ["is_not"], ["made"], to=TensorProto.INT32),
            ),
            CUT,
            TensorProto.INT32,
        ),
        None,
        ("0", "1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_those_of_the_graph_in_every_row(name: str) -> None:
    model, declared, classes = LABELS[name]
    features = values()
    label, scores = runtime_outputs(model, features)

    session = derived(model, declared).session
    outcome = session.run_in_chunks(rows_of(features))

    assert session.description.classes == classes
    assert outcome.labels is not None
    written = dict(zip(session.description.label_values, classes, strict=True))
    expected = [classes.index(written[value]) for value in np.asarray(label).reshape(-1).tolist()]
    assert outcome.labels.tolist() == expected
    np.testing.assert_allclose(outcome.scores, scores, atol=1e-6)
    is_cut = (outcome.labels != outcome.scores.argmax(axis=1)).any()
    assert is_cut == ("argmax" not in name)
    assert session.description.labels_are_highest == (not is_cut)


@pytest.mark.parametrize(("cut", "is_highest"), [(0.5, True), (0.0, True), (0.31, False)])
def test_a_cut_off_is_known_by_its_number_where_no_row_shows_it(cut: float, is_highest: bool) -> None:
    model = with_label(2, cut_off(CAST), CUT | {"threshold": np.array([cut], np.float32)})
    graph = ModelProto.FromString(model.SerializeToString()).graph

    assert find_outputs(graph, DeclaredModel()).labels_are_highest == is_highest


def test_rows_at_a_tie_of_scores_are_none_where_labels_come_from_a_cut_off() -> None:
    description = derived(LABELS["cast"][0]).session.description
    even = np.array([[0.5, 0.5], [1.0, 0.0]], np.float32)

    assert not near_ties(even, description).any()


@pytest.mark.parametrize(
    ("name", "declared", "complaint"),
    [
        ("where of values", None, "its labels are '-2', '7'"),
        ("where of values", ["no", "yes"], "labels are -2, 7; declare"),
        ("argmax", ["a", "b"], "2 classes are declared; the model has 3"),
        ("argmax", ["2", "1", "0"], "in another order"),
    ],
)
def test_labels_that_do_not_say_their_class_are_refused(name: str, declared: list[str] | None, complaint: str) -> None:
    with pytest.raises(ModelRefused, match=complaint) as refusal:
        derived(LABELS[name][0], declared)

    assert refusal.value.code == "validation_failed"


def of_low_scores(op_type: str, *, constant_first: bool = False, negated: bool = False) -> list[Any]:
    read = ["half", "second"] if constant_first else ["second", "half"]
    return [
        helper.make_node("ArrayFeatureExtractor", ["probabilities", "one"], ["second"], domain="ai.onnx.ml"),
        helper.make_node(op_type, read, ["compared"]),
        helper.make_node("Not" if negated else "Identity", ["compared"], ["is_that"]),
        helper.make_node("Cast", ["is_that"], ["made"], to=TensorProto.INT64),
    ]


@pytest.mark.parametrize(
    ("nodes", "classes"),
    [
        (of_low_scores("Greater"), ("0", "1")),
        (of_low_scores("Less"), ("1", "0")),
        (of_low_scores("LessOrEqual"), ("1", "0")),
        (of_low_scores("Greater", constant_first=True), ("1", "0")),
        (of_low_scores("Less", constant_first=True), ("0", "1")),
        (of_low_scores("Less", negated=True), ("0", "1")),
        (of_low_scores("GreaterOrEqual", negated=True), ("1", "0")),
    ],
    ids=["above", "below", "at most", "a cut-off above", "a cut-off below", "not below", "not above"],
)
def test_a_label_that_is_true_of_low_scores_is_the_class_of_these(
    nodes: Sequence[NodeProto], classes: tuple[str, str]
) -> None:
    model = with_label(2, nodes, {"one": np.array([1]), "half": np.array([0.5], np.float32)})
    features = values()

    session = derived(model).session
    outcome = session.run(session.encode(rows_of(features)))

    label, probabilities = runtime_outputs(model, features)
    assert session.description.classes == classes
    assert outcome.labels is not None
    assert [classes[index] for index in outcome.labels] == list(map(str, label.ravel()))
    np.testing.assert_allclose(outcome.scores, probabilities, atol=1e-6)
    is_tie = probabilities[:, 0] == probabilities[:, 1]
    np.testing.assert_array_equal(outcome.labels[~is_tie], outcome.scores.argmax(axis=1)[~is_tie])


def test_labels_in_another_order_than_the_scores_are_refused() -> None:
    lowest = [helper.make_node("Neg", ["probabilities"], ["negative"]), *highest()]
    lowest[1].input[0] = "negative"

    with pytest.raises(ModelRefused, match="labels are in another order than the scores") as refusal:
        derived(with_label(2, lowest, {}))

    assert refusal.value.code == "validation_failed"
