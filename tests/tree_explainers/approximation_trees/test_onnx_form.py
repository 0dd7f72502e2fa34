"""An approximation tree in ONNX predicts what the tree predicts, also after it was registered as a model itself."""

from collections import Counter

import numpy as np
import onnx
import onnxruntime
import pytest

from tests.support.trees_of_conditions import REAL_TREES, TREES, grown, really_grown, with_holes
from tree_explainers.approximation_trees.onnx_form import tree_onnx
from tree_explainers.approximation_trees.trees import ApproximationTree, NodeFacts, TreeNode
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.encoding import Feeds
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows


def feeds_of(rows: Rows, runtime: onnxruntime.InferenceSession, tree: ApproximationTree) -> Feeds:
    """Return the feeds of a caller who knows only the graph's inputs and the text of a missing category."""
    feeds: Feeds = {}
    for each in runtime.get_inputs():
        (values,) = rows.select([each.name]).columns
        if each.type == "tensor(string)":
            missing = tree.missing_texts[each.name]
            values = np.array([missing if value is None else value for value in values], dtype=object)
        feeds[each.name] = values.reshape(-1, 1)
    return feeds


def registered(data: bytes) -> ReadModel:
    return read_model(data, DeclaredModel(), ModelLimits())


@pytest.mark.parametrize(("name", "method"), [*((name, None) for name in TREES), *REAL_TREES])
@pytest.mark.sampled("tenths")
def test_the_runtime_predicts_what_the_tree_does_on_every_row_whatever_is_missing(
    name: str, method: str | None
) -> None:
    known = grown(name) if method is None else really_grown(name, method)
    data = tree_onnx(known.tree, known.description)
    onnx.checker.check_model(data, full_check=True)
    runtime = onnxruntime.InferenceSession(data)

    for rows in (known.rows, with_holes(known.rows)):
        answers = runtime.run(None, feeds_of(rows, runtime, known.tree))

        np.testing.assert_array_equal(answers[-1], known.tree.scores_of(rows))  # to the last bit
        assert answers[-1].dtype == np.float64
        if known.description.task == "classification":
            labels = np.array(known.description.classes)[known.tree.labels_of(rows)]
            assert answers[0].tolist() == labels.tolist()
            assert len(set(labels)) > 1


def test_the_trees_have_conditions_of_every_kind() -> None:
    tested: Counter[tuple[str, bool]] = Counter()
    for known in map(grown, TREES):
        conditions = [node.condition for node in known.tree.nodes if node.condition is not None]
        tested.update((each.operator, each.or_missing) for each in conditions)

    assert {(operator, missing) for operator in ("<=", "is", "is one of") for missing in (False, True)} <= set(tested)
    assert tested["is missing", False] > 0


@pytest.mark.parametrize("name", TREES)
def test_the_file_can_be_registered_as_a_model_and_predicts_the_same(name: str) -> None:
    known = grown(name)
    read = registered(tree_onnx(known.tree, known.description))
    session = ModelSession(read.leaf_graph, read.description)

    for rows in (known.rows, with_holes(known.rows)):
        outcome = session.run(session.encode(rows))

        np.testing.assert_array_equal(outcome.scores, known.tree.scores_of(rows))
        if known.description.task == "classification":
            np.testing.assert_array_equal(outcome.labels, known.tree.labels_of(rows))
        of_leaf = np.flatnonzero([node.is_leaf for node in known.tree.nodes])
        np.testing.assert_array_equal(of_leaf[outcome.leaves[:, 0]], known.tree.leaves_of(rows))
    assert read.description.classes == known.description.classes
    assert (read.description.n_trees, read.description.n_leaves) == (1, known.tree.n_leaves)
    assert not [column for column in read.description.columns if column.transformed]  # all map back to features


def test_features_without_a_condition_are_left_out() -> None:
    known = grown("missing_kept")
    tested = {node.condition.column for node in known.tree.nodes if node.condition is not None}

    names = registered(tree_onnx(known.tree, known.description)).description.feature_names

    assert names == tuple(name for name in known.description.feature_names if name in tested)
    assert len(names) < len(known.description.feature_names)


@pytest.mark.parametrize("name", ["random_forest_multiclass", "random_forest_regression", "imputed_categories"])
def test_a_tree_without_conditions_predicts_the_same_for_all_rows(name: str) -> None:
    known = grown(name)
    tree = ApproximationTree((TreeNode(known.tree.nodes[0].facts),), known.tree.missing_texts)
    read = registered(tree_onnx(tree, known.description))
    session = ModelSession(read.leaf_graph, read.description)

    outcome = session.run(session.encode(known.rows))

    np.testing.assert_array_equal(outcome.scores, tree.scores_of(known.rows))
    assert read.description.n_leaves == 1


def test_a_one_hot_column_is_true_above_a_half() -> None:
    known = grown("random_forest_binary")
    column = known.description.feature_names[0]
    values = np.array([0.0, 0.5, np.nextafter(0.5, 1), 1.0, np.nan])
    rows = Rows((column,), (values,))

    for or_missing in (False, True):
        condition = Condition("stage", column, "is", "late", or_missing)
        facts = [NodeFacts(np.array(shares), label, 1) for shares, label in (([0.6, 0.4], 0), ([0.2, 0.8], 1))]
        tree = ApproximationTree((TreeNode(facts[0], condition, 1, 2), *map(TreeNode, facts)), {})
        read = registered(tree_onnx(tree, known.description))
        session = ModelSession(read.leaf_graph, read.description)

        np.testing.assert_array_equal(session.run(session.encode(rows)).labels, tree.labels_of(rows))
