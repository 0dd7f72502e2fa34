import json
import time

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper
from skl2onnx import to_onnx
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier

from tests.support.models import ALL_MODELS, fitted, matrix_data
from tests.support.naive_trees import walk_leaves
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.tree_graphs import graph_of, regressor, stump
from tree_explainers.ensemble import Operator
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession


def read(data: bytes, declared: DeclaredModel | None = None) -> ReadModel:
    return read_model(data, declared or DeclaredModel(), ModelLimits())


@pytest.mark.parametrize("name", ALL_MODELS)
@pytest.mark.sampled("thirds")
def test_nodes_keep_the_invariants_of_the_arrays(name: str) -> None:
    ensemble = fitted(name).read.ensemble
    nodes = np.arange(ensemble.n_nodes)
    is_leaf = ensemble.operator == Operator.LEAF
    tree = np.repeat(np.arange(ensemble.n_trees), np.diff(ensemble.offsets))

    for children in (ensemble.left, ensemble.right):
        assert (children[is_leaf] == nodes[is_leaf]).all()
        assert (children[~is_leaf] > nodes[~is_leaf]).all()
        assert (tree[children] == tree).all()
    np.testing.assert_array_equal(ensemble.leaf_nodes, np.flatnonzero(is_leaf))
    np.testing.assert_array_equal(tree[ensemble.leaf_nodes], np.repeat(np.arange(ensemble.n_trees), ensemble.n_leaves))
    assert np.isfinite(ensemble.threshold).all()
    assert ensemble.leaf_values.shape[0] == ensemble.leaf_offsets[-1] == len(ensemble.leaf_nodes)


@pytest.mark.parametrize("name", ALL_MODELS)
def test_the_added_output_leaves_predictions_as_they_are_to_the_last_bit(name: str) -> None:
    model = fitted(name)
    description = model.read.description
    original = onnx.load_from_string(model.onnx)
    original.graph.output.append(onnx.ValueInfoProto(name=description.score_output))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if description.score_output in [value.name for value in original.graph.output[:-1]]:
        del original.graph.output[-1]
    runtime = onnxruntime.InferenceSession(original.SerializeToString(), options)

    (scores,) = runtime.run([description.score_output], {runtime.get_inputs()[0].name: model.features})

    outcome = model.session.run(model.session.encode(model.rows))
    expected_scores = scores.reshape(len(scores), -1)
    expected_scores = expected_scores.clip(0, 1) if description.score_kind == "probability" else expected_scores
    np.testing.assert_array_equal(outcome.scores, expected_scores)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_description_survives_being_kept_as_json(name: str) -> None:
    description = fitted_pipeline(name).read.description

    kept = json.dumps(description.to_json(), allow_nan=False)

    assert ModelDescription.from_json(json.loads(kept)) == description


@pytest.mark.parametrize(
    ("family", "ensemble"),
    [
        ("random_forest", "random_forest"),
        ("extra_trees", "random_forest"),
        ("bagging", "random_forest"),
        ("bagging_of_features", "random_forest"),
        ("gradient_boosting", "boosting"),
        ("catboost", "boosting"),
        ("ada_boost", None),
    ],
)
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_kind_of_ensemble_is_inferred_where_it_is_certain(family: str, ensemble: str | None, task: str) -> None:
    description = fitted(f"{family}_{task}").read.description

    assert description.ensemble == ensemble
    assert description.ensemble_inferred == (ensemble is not None)


def test_an_average_of_boosted_trees_is_not_taken_for_a_forest() -> None:
    features, target = matrix_data("binary")
    boosted = GradientBoostingClassifier(n_estimators=3, random_state=0)
    bag = BaggingClassifier(boosted, n_estimators=3, random_state=0).fit(features, target)

    description = read(to_onnx(bag, features[:1]).SerializeToString()).description

    assert description.n_trees == 9
    assert description.ensemble is None


def test_a_forest_that_knows_one_class_only_predicts_it() -> None:
    features, target = matrix_data("binary")
    forest = RandomForestClassifier(3, random_state=0).fit(features, np.full_like(target, 7))
    found = read(to_onnx(forest, features[:1]).SerializeToString())
    session = ModelSession(found.leaf_graph, found.description)

    outcome = session.run(session.encode_matrix(features.astype(float)))

    assert found.description.classes == ("7",)
    assert set(np.asarray(outcome.labels)) == {0}
    np.testing.assert_array_equal(outcome.scores, np.ones((len(features), 1)))


def test_what_the_caller_declares_goes_before_what_is_inferred() -> None:
    declared = DeclaredModel(ensemble="other", classes=("malignant", "benign"))

    description = read(fitted("random_forest_binary").onnx, declared).description

    assert (description.ensemble, description.ensemble_inferred) == ("other", False)
    assert description.classes == ("malignant", "benign")


def test_declared_classes_name_the_labels_of_the_graph() -> None:
    model = fitted("random_forest_multiclass")
    found = read(model.onnx, DeclaredModel(classes=("barolo", "grignolino", "barbera")))
    session = ModelSession(found.leaf_graph, found.description)

    labels = session.run(session.encode_matrix(model.features.astype(float))).labels

    np.testing.assert_array_equal(labels, model.estimator.predict(model.features))


@pytest.mark.parametrize(
    "declared",
    [
        DeclaredModel(classes=("a", "b", "c")),
        DeclaredModel(classes=("a", "a")),
        DeclaredModel(classes=("1", "0")),
        DeclaredModel(feature_names=("a", "b")),
        DeclaredModel(feature_names=("a",) * 30),
    ],
)
def test_declarations_that_cannot_be_true_are_refused(declared: DeclaredModel) -> None:
    with pytest.raises(ModelRefused) as caught:
        read(fitted("random_forest_binary").onnx, declared)

    assert caught.value.code == "validation_failed"


def test_classes_that_are_texts_are_found_by_their_names() -> None:
    features, target = matrix_data("multiclass")
    names = np.array(["red", "white", "green"])[target]
    forest = RandomForestClassifier(5, random_state=0).fit(features, names)
    found = read(to_onnx(forest, features[:1]).SerializeToString())
    session = ModelSession(found.leaf_graph, found.description)

    labels = session.run(session.encode_matrix(features.astype(float))).labels

    assert found.description.classes == ("green", "red", "white")
    np.testing.assert_array_equal(np.array(found.description.classes)[labels], forest.predict(features))


def test_features_have_default_names_by_position() -> None:
    assert read(fitted("random_forest_multiclass").onnx).description.feature_names[:2] == ("x0", "x1")


def test_a_leaf_without_weight_is_worth_nothing() -> None:
    attributes = stump()
    for name in ("target_treeids", "target_nodeids", "target_ids", "target_weights"):
        attributes[name] = attributes[name][:1]

    assert read(regressor(attributes).SerializeToString()).ensemble.leaf_values.ravel().tolist() == [10.0, 0.0]


def test_scores_without_zip_map_are_found_as_well() -> None:
    model = fitted("gradient_boosting_multiclass")
    plain = to_onnx(model.estimator, model.features[:1], options={"zipmap": False}).SerializeToString()

    found = read(plain)

    assert found.description.classes == ("0", "1", "2")
    session = ModelSession(found.leaf_graph, found.description)
    outcome = session.run(session.encode_matrix(model.features.astype(float)))
    np.testing.assert_array_equal(outcome.scores, model.session.run_in_chunks(model.rows).scores)


def test_raw_scores_are_called_so() -> None:
    model = fitted("gradient_boosting_binary")
    options = {id(model.estimator): {"raw_scores": True, "zipmap": False}}

    raw = read(to_onnx(model.estimator, model.features[:1], options=options).SerializeToString())

    assert raw.description.score_kind == "raw"
    assert model.read.description.score_kind == "probability"


def test_double_precision_is_kept() -> None:
    model = fitted("random_forest_regression")
    features = (model.features.astype(np.float64) * (1 + 1e-9))[:50]
    found = read(to_onnx(model.estimator, features[:1]).SerializeToString())
    session = ModelSession(found.leaf_graph, found.description)

    outcome = session.run(session.encode_matrix(features))

    assert found.description.inputs[0].type == "double"
    np.testing.assert_array_equal(outcome.leaves, walk_leaves(found.ensemble, features))


@pytest.mark.long
def test_a_forest_of_a_million_nodes_is_read_in_seconds() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(2000, 5)).astype(np.float32)
    forest = RandomForestClassifier(10, random_state=0).fit(features, rng.integers(0, 2, 2000))
    one = onnx.load_from_string(to_onnx(forest, features[:1]).SerializeToString())
    _repeat_trees(one.graph.node[0], 100)
    data = one.SerializeToString()

    started = time.process_time()
    found = read(data)
    seconds = time.process_time() - started

    assert found.description.n_trees == 1000
    assert found.description.n_nodes > 700_000
    assert seconds < 10


def _repeat_trees(node: onnx.NodeProto, times: int) -> None:
    """Write all trees of an operator again and again, each time with tree ids of their own."""
    for attribute in node.attribute:
        if attribute.name.endswith("treeids"):
            ids = np.array(attribute.ints)
            attribute.ints[:] = np.concatenate([ids + 10 * at for at in range(times)]).tolist()
        elif attribute.name.startswith(("nodes_", "class_")):
            for field in (attribute.ints, attribute.floats, attribute.strings):
                values = list(field)
                field.extend(values * (times - 1))


@pytest.mark.long
def test_a_forest_of_many_classes_is_read_in_seconds() -> None:
    n_trees, depth, n_classes = 50, 9, 60
    data = _full_classifier(n_trees, depth, n_classes)

    began = time.process_time()
    ensemble = read(data).ensemble
    seconds = time.process_time() - began

    assert ensemble.leaf_values.shape == (n_trees * 2**depth, n_classes)
    assert np.allclose(ensemble.leaf_values.sum(axis=1), 1 / n_trees)
    assert (
        seconds < 1.6
    )  # of the processor, for 1.5 million weights; a third of that at rest, and 2.7 where each is looked up


def _full_classifier(n_trees: int, depth: int, n_classes: int) -> bytes:
    """Return trees as deep everywhere as this, each of whose leaves has an equal share for each class."""
    n_branches = 2**depth - 1
    node = np.arange(2 * n_branches + 1)
    is_branch = node < n_branches
    leaves = np.repeat(node[~is_branch], n_classes)
    n_weights = n_trees * len(leaves)
    attributes = {
        "nodes_treeids": np.repeat(np.arange(n_trees), len(node)),
        "nodes_nodeids": np.tile(node, n_trees),
        "nodes_featureids": np.zeros(n_trees * len(node), np.int64),
        "nodes_truenodeids": np.tile(np.where(is_branch, 2 * node + 1, 0), n_trees),
        "nodes_falsenodeids": np.tile(np.where(is_branch, 2 * node + 2, 0), n_trees),
        "class_treeids": np.repeat(np.arange(n_trees), len(leaves)),
        "class_nodeids": np.tile(leaves, n_trees),
        "class_ids": np.tile(np.arange(n_classes), n_weights // n_classes),
        "classlabels_int64s": np.arange(n_classes),
    }
    node_proto = helper.make_node(
        "TreeEnsembleClassifier",
        ["X"],
        ["label", "Y"],
        domain="ai.onnx.ml",
        nodes_modes=np.tile(np.where(is_branch, "BRANCH_LEQ", "LEAF"), n_trees).tolist(),
        nodes_values=np.tile(np.where(is_branch, node / len(node), 0.0), n_trees).tolist(),
        class_weights=np.full(n_weights, 1 / n_classes / n_trees).tolist(),
        **{name: values.tolist() for name, values in attributes.items()},
    )
    model = graph_of([node_proto])
    model.graph.output.insert(0, helper.make_tensor_value_info("label", onnx.TensorProto.INT64, [None]))
    return bytes(model.SerializeToString())
