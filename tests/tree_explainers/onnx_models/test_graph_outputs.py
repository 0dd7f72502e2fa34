"""Labels, scores and numbers of rows as graphs have them in practice, against onnxruntime on all rows."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from tests.support.models import Estimator
from tests.support.tree_graphs import classifier_graph, regressor, stump
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.interface import find_outputs
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.plausible_trial import DerivedModel
from tree_explainers.rows import Rows

CUT_OFF = 0.25


def derived(model: ModelProto | bytes, classes: Sequence[str] | None = None) -> DerivedModel:
    data = model if isinstance(model, bytes) else model.SerializeToString()
    return derive_model(data, DeclaredModel(classes=tuple(classes) if classes else None), ModelLimits())


def values(n_features: int = 3, n_rows: int = 200) -> NDArray[np.float32]:
    return np.random.default_rng(7).normal(size=(n_rows, n_features)).astype(np.float32)


def rows_of(features: NDArray[np.float32]) -> Rows:
    names = tuple(f"x{column}" for column in range(features.shape[1]))
    return Rows(names, tuple(features.T.astype(np.float64)))


def runtime_outputs(model: ModelProto, features: NDArray[np.float32]) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    outputs: list[Any] = session.run(None, {session.get_inputs()[0].name: features})
    return outputs


def forest_graph(n_classes: int = 3) -> ModelProto:
    model: ModelProto = ModelProto.FromString(_forest(n_classes))
    return model


@functools.cache
def _forest(n_classes: int) -> bytes:
    """Return the ONNX form of a forest: many graphs of tests begin with it, and change it."""
    features = values()
    target = (
        np.digitize(features[:, 0] + features[:, 1] ** 2, [0.3, 1.5])[:] if n_classes == 3 else features[:, 0] > 0.7
    )
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(features, target.astype(int))
    model: ModelProto = to_onnx(forest, features[:1], options={"zipmap": False}, target_opset={"": 17, "ai.onnx.ml": 3})
    del model.opset_import[:]
    model.opset_import.extend([helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])
    return bytes(model.SerializeToString())


def with_label(
    n_classes: int, nodes: Sequence[Any], constants: dict[str, Any], element: int = TensorProto.INT64
) -> ModelProto:
    """Return a forest's graph whose label is calculated from its probabilities."""
    model = forest_graph(n_classes)
    model.graph.node.extend(nodes)
    for name, value in constants.items():
        model.graph.initializer.append(numpy_helper.from_array(np.array(value), name))
    scores = next(value for value in model.graph.output if "prob" in value.name)
    del model.graph.output[:]
    model.graph.output.extend([helper.make_tensor_value_info("made", element, None), scores])
    return model


def highest(keepdims: int = 1) -> list[Any]:
    return [helper.make_node("ArgMax", ["probabilities"], ["made"], axis=1, keepdims=keepdims)]


def cut_off(*after: NodeProto) -> list[Any]:
    return [
        helper.make_node("ArrayFeatureExtractor", ["probabilities", "one"], ["second"], domain="ai.onnx.ml"),
        helper.make_node("GreaterOrEqual", ["second", "threshold"], ["is_above"]),
        *after,
    ]


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


def fixed(model: ModelProto, n_rows: int = 1) -> ModelProto:
    """Return a graph with a fixed number of rows in all its shapes."""
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        if value.type.HasField("tensor_type") and value.type.tensor_type.shape.dim:
            value.type.tensor_type.shape.dim[0].dim_value = n_rows
    return model


@pytest.mark.parametrize("n_rows", [1, 4])
@pytest.mark.parametrize("sizes", [[1, -1], [1, 3]])
def test_a_graph_for_a_fixed_number_of_rows_predicts_any_number(n_rows: int, sizes: list[int]) -> None:
    free = forest_graph()
    model = ModelProto.FromString(free.SerializeToString())
    tree = next(node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    reshape = helper.make_node("Reshape", [tree.input[0], "shape"], ["reshaped"])
    tree.input[0] = "reshaped"
    model.graph.node.insert(0, reshape)
    model.graph.value_info.append(helper.make_tensor_value_info("reshaped", TensorProto.FLOAT, [n_rows, 3]))
    model.graph.initializer.append(numpy_helper.from_array(np.array([n_rows, *sizes[1:]]), "shape"))
    features = values()
    label, scores = runtime_outputs(free, features)

    outcome = derived(fixed(model, n_rows)).session.run_in_chunks(rows_of(features))

    assert outcome.labels is not None
    assert outcome.labels.tolist() == label.tolist()
    np.testing.assert_allclose(outcome.scores, scores, atol=1e-6)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(4, max_depth=3, random_state=0),
        GradientBoostingClassifier(n_estimators=4, random_state=0),
        AdaBoostClassifier(n_estimators=4, random_state=0),
        make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=3)),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_conversion_for_one_row_predicts_all_rows(estimator: Estimator) -> None:
    features = values()
    estimator.fit(features, (features[:, 0] > 0.2).astype(int))
    types = [("X", FloatTensorType([1, 3]))]
    model = to_onnx(
        estimator, initial_types=types, options=None if "Pipe" in type(estimator).__name__ else {"zipmap": False}
    )

    outcome = derived(fixed(model)).session.run_in_chunks(rows_of(features))

    if outcome.labels is None:
        np.testing.assert_allclose(outcome.scores[:, 0], estimator.predict(features), rtol=1e-5)
    else:
        np.testing.assert_allclose(outcome.scores, estimator.predict_proba(features), atol=1e-5)
        assert outcome.labels.tolist() == estimator.predict(features).tolist()


def test_a_graph_that_mixes_its_fixed_rows_is_refused() -> None:
    model = fixed(forest_graph(2), 2)
    tree = next(node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    mean = helper.make_node("ReduceMean", [tree.input[0]], ["mean"], axes=[0], keepdims=1)
    added = helper.make_node("Add", [tree.input[0], "mean"], ["added"])
    tree.input[0] = "added"
    model.graph.node.insert(0, mean)
    model.graph.node.insert(1, added)

    with pytest.raises(ModelRefused, match="is for 2 rows at a time") as refusal:
        derived(model)

    assert refusal.value.code == "model_invalid_graph"


@pytest.mark.parametrize("op_type", ["ReduceMean", "ReduceMax", "ReduceSum"])
def test_a_graph_whose_prediction_of_a_row_depends_on_other_rows_is_refused(op_type: str) -> None:
    model = regressor(stump())
    value = model.graph.output[0].name
    axes: dict[str, Any] = {} if op_type == "ReduceSum" else {"axes": [0]}
    inputs = [value, "rows"] if op_type == "ReduceSum" else [value]
    model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "rows"))
    model.graph.node.append(helper.make_node(op_type, inputs, ["of_all"], keepdims=1, **axes))
    model.graph.node.append(helper.make_node("Sub", [value, "of_all"], ["difference"]))
    model.graph.output[0].name = "difference"

    with pytest.raises(ModelRefused, match="depends on the rows that are sent with it") as refusal:
        derived(model)

    assert refusal.value.code == "model_invalid_graph"


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


def test_several_outputs_of_values_are_refused_by_name() -> None:
    model = regressor(stump())
    value = model.graph.output[0]
    model.graph.node.append(helper.make_node("Neg", [value.name], ["lower"]))
    model.graph.output.append(helper.make_tensor_value_info("lower", TensorProto.FLOAT, [None, 1]))

    with pytest.raises(ModelRefused, match=f"2 outputs of values \\('{value.name}', 'lower'\\)") as refusal:
        derived(model)

    assert refusal.value.code == "model_unsupported_input"


def test_sizes_that_only_one_row_fits_are_named_and_not_taken_for_a_lack_of_memory() -> None:
    model = forest_graph(2)
    tree = next(node for node in model.graph.node if node.op_type == "TreeEnsembleClassifier")
    model.graph.node.insert(0, helper.make_node("Reshape", [tree.input[0], "shape"], ["reshaped"]))
    tree.input[0] = "reshaped"
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 3]), "shape"))

    with pytest.raises(ModelRefused, match=r"predicts one row, but not 1,000 rows together") as refusal:
        derived(model)

    assert refusal.value.code == "model_invalid_graph"


@pytest.mark.parametrize("target", [np.array(["a", "b", "c"]), np.array([7, 8, 2])])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_in_one_output_for_each_class_are_read(target: NDArray[Any], n_classes: int) -> None:
    features = values()
    classes = target[np.digitize(features[:, 0], [0.0, 0.7][: n_classes - 1])]
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(features, classes)
    model = to_onnx(forest, features[:1], options={"zipmap": "columns"})

    read = derived(model)
    outcome = read.session.run_in_chunks(rows_of(features))

    assert outcome.labels is not None
    assert read.session.description.classes == tuple(map(str, forest.classes_))
    np.testing.assert_allclose(outcome.scores, forest.predict_proba(features), atol=1e-6)
    assert forest.classes_[outcome.labels].tolist() == forest.predict(features).tolist()


LEAVES: dict[str, tuple[list[list[float]], dict[str, Any]]] = {
    "votes": ([[1.0, 0.0, 0.0], [0.4, 0.25, 0.35]], {}),
    "two above 1": ([[1.4, 1.3, 0.1], [1.2, 1.5, 0.0]], {}),
    "base values": ([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], {"base_values": [1.0, 0.5, -0.25]}),
    "softmax": ([[1.0, 0.0, 2.0], [0.4, 0.25, 0.35]], {"post_transform": "SOFTMAX"}),
    "logistic": ([[1.0, -2.0, 2.0], [0.4, 0.25, -0.35]], {"post_transform": "LOGISTIC"}),
    "probit": ([[0.1, 0.45, 0.2], [0.2, 0.05, 0.35]], {"post_transform": "PROBIT"}),
    "shares": ([[0.5, 0.0, 0.0], [0.2, 0.1, 0.2]], {}),
    "one of two": ([[0.9], [0.8]], {}),
    "one of two with signs": ([[1.7], [-0.2]], {}),
}


@pytest.mark.parametrize("name", LEAVES)
def test_scores_outside_of_0_to_1_are_shown_as_they_are(name: str) -> None:
    leaf_values, more = LEAVES[name]
    model = classifier_graph(leaf_values, n_trees=2, **more)
    features = np.array([[-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], np.float32)
    label, scores = runtime_outputs(model, features)

    session = derived(model).session
    outcome = session.run(session.encode(rows_of(features)))

    np.testing.assert_allclose(outcome.scores, scores, atol=1e-7)
    assert outcome.labels is not None
    assert [session.description.classes[index] for index in outcome.labels] == [str(each) for each in label]
    assert session.description.score_kind == ("probability" if name in ("softmax", "logistic", "shares") else "raw")


@pytest.mark.parametrize(("weights", "kind"), [([0.2, 0.9], "probability"), ([-0.2, 0.9], "raw"), ([0.2, 1.9], "raw")])
def test_one_value_from_0_to_1_is_the_probability_of_the_second_class(weights: list[float], kind: str) -> None:
    model = regressor(stump() | {"target_weights": weights})
    model.graph.node.extend(
        [
            helper.make_node("Greater", ["Y", "half"], ["is_high"]),
            helper.make_node("Cast", ["is_high"], ["label"], to=TensorProto.INT64),
        ]
    )
    model.graph.initializer.append(numpy_helper.from_array(np.array([0.5], np.float32), "half"))
    model.graph.output.append(helper.make_tensor_value_info("label", TensorProto.INT64, [None, 1]))
    features = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], np.float32)

    session = derived(model).session
    outcome = session.run(session.encode(rows_of(features)))

    assert session.description.score_kind == kind
    first = [1 - weight if kind == "probability" else -weight for weight in weights]
    np.testing.assert_allclose(outcome.scores, np.column_stack([first, weights]), rtol=1e-6)
    assert outcome.labels is not None
    assert outcome.labels.tolist() == [0, 1]


def _summed_over_rows() -> ModelProto:
    model = classifier_graph([[0.2, 0.8], [0.6, 0.4]])
    model.graph.node.append(helper.make_node("ReduceSum", ["scores", "rows"], ["summed"], keepdims=1))
    model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "rows"))
    model.graph.output[1].name = "summed"
    return model


def _texts_for_scores() -> ModelProto:
    model = classifier_graph([[0.2, 0.8], [0.6, 0.4]])
    model.graph.node.append(helper.make_node("Cast", ["scores"], ["texts"], to=TensorProto.STRING))
    model.graph.output[1].name = "texts"
    return model


@pytest.mark.parametrize("model", [_summed_over_rows(), _texts_for_scores()], ids=["one row for all", "texts"])
@pytest.mark.parametrize("oracle_only", [False, True])
def test_outputs_that_are_no_scores_of_each_row_are_refused_by_their_shape(
    model: ModelProto,
    oracle_only: bool,  # a parameter of the test
) -> None:
    with pytest.raises(ModelRefused, match="output of scores has the shape") as refusal:
        derive_model(model.SerializeToString(), DeclaredModel(oracle_only=oracle_only), ModelLimits())

    assert refusal.value.code == "model_invalid_graph"


def test_a_model_of_fixed_rows_keeps_its_graph_as_it_came_out_of_what_is_stored() -> None:
    read = derived(fixed(forest_graph())).read

    stored = onnx.load_from_string(read.leaf_graph)

    assert [dim.dim_value for dim in stored.graph.input[0].type.tensor_type.shape.dim] == [0, 3]
