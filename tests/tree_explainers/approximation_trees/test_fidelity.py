"""Trees are measured as their definitions say, row by row, and as scikit-learn measures."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_squared_error, r2_score

from tests.support import naive_scores as twin
from tests.support.models import fitted
from tests.support.trees_of_conditions import GrownTree, grown, tree_of_conditions, with_holes
from tree_explainers.approximation_trees.fidelity import Fidelity, ModelPredictions, count_structures, measure_fidelity
from tree_explainers.approximation_trees.oracle import oracle_scores
from tree_explainers.approximation_trees.trees import NO_CHILD, ApproximationTree
from tree_explainers.prediction_scores import Targets
from tree_explainers.rows import Rows


def _model_predictions(name: str, rows: Rows) -> ModelPredictions:
    predictions = fitted(name).session.predict(rows)
    scores = oracle_scores(predictions, fitted(name).session.description)
    if predictions.labels is None:
        return ModelPredictions(scores, Targets.of_values(scores[:, 0]))
    return ModelPredictions(scores, Targets.of_classes(predictions.labels, scores.shape[1]))


def _targets(name: str) -> Targets:
    target = fitted(name).target
    return Targets.of_classes(target, 3) if fitted(name).is_classifier else Targets.of_values(target.astype(float))


def _measured(made: GrownTree, name: str, targets: Targets | None) -> Fidelity:
    return measure_fidelity(made.tree, made.rows, _model_predictions(name, made.rows), targets)


def _ways(made: GrownTree) -> list[list[int]]:
    """Return the nodes that each row passes, its leaf last."""
    ways = []
    for row in range(len(made.rows)):
        alone, way = made.rows.take(np.array([row])), [0]
        leaf = int(made.tree.leaves_of(alone)[0])
        while way[-1] != leaf:
            node = made.tree.nodes[way[-1]]
            # Preorder: all nodes below a left child come before the right one.
            way.append(node.left if leaf < node.right else node.right)
        ways.append(way)
    return ways


def _l1(some: Sequence[NDArray[np.float64]], others: Sequence[NDArray[np.float64]]) -> float:
    sums = [sum(abs(p - q) for p, q in zip(one, other, strict=True)) for one, other in zip(some, others, strict=True)]
    return float(sum(sums) / len(sums))


def test_a_tree_of_classes_is_measured_against_model_and_target() -> None:
    name = "random_forest_multiclass"
    made = grown(name, 2)
    ways, of_model, targets = _ways(made), _model_predictions(name, made.rows), _targets(name)
    leaves = [made.tree.nodes[way[-1]].facts for way in ways]

    found = _measured(made, name, targets)

    labels = [leaf.label for leaf in leaves]
    assert 0.5 < accuracy_score(of_model.targets.classes, labels) < 1
    assert found.fidelity == pytest.approx(accuracy_score(of_model.targets.classes, labels))
    assert found.balanced_fidelity == pytest.approx(balanced_accuracy_score(of_model.targets.classes, labels))
    assert found.probability_l1 == pytest.approx(_l1([leaf.scores for leaf in leaves], list(of_model.scores)))
    assert found.mean_questions == pytest.approx(np.mean([len(way) - 1 for way in ways]))
    assert found.tree is not None
    assert found.model is not None
    for predicted, against in ((labels, found.tree), (of_model.targets.classes, found.model)):
        assert against.accuracy == pytest.approx(accuracy_score(targets.classes, predicted))
        assert against.balanced_accuracy == pytest.approx(balanced_accuracy_score(targets.classes, predicted))
        assert (against.mean_squared_error, against.r2) == (None, None)
    constant, most = found.constant.against_target, [twin.most_frequent(_listed(targets.classes))] * len(made.rows)
    most_of_model = [twin.most_frequent(_listed(of_model.targets.classes))] * len(made.rows)
    assert constant is not None
    assert constant.accuracy == pytest.approx(accuracy_score(targets.classes, most))
    assert constant.balanced_accuracy == pytest.approx(1 / 3)
    assert found.constant.fidelity == pytest.approx(accuracy_score(of_model.targets.classes, most_of_model))
    assert found.constant.balanced_fidelity == pytest.approx(1 / 3)


def _listed(classes: NDArray[np.int64] | None) -> list[int]:
    assert classes is not None
    return [int(each) for each in classes]


def test_a_tree_of_values_is_measured_by_squares() -> None:
    name = "random_forest_regression"
    made = grown(name, 4)
    of_model, targets = _model_predictions(name, made.rows), _targets(name)
    values = [made.tree.nodes[way[-1]].facts.scores[0] for way in _ways(made)]

    found = _measured(made, name, targets)

    assert found.fidelity == pytest.approx(r2_score(of_model.targets.values, values))
    assert found.probability_l1 is None
    assert found.tree is not None
    assert found.model is not None
    for predicted, against in ((values, found.tree), (of_model.targets.values, found.model)):
        assert against.mean_squared_error == pytest.approx(mean_squared_error(targets.values, predicted))
        assert against.r2 == pytest.approx(r2_score(targets.values, predicted))
        assert (against.accuracy, against.balanced_accuracy) == (None, None)
    constant = found.constant.against_target
    assert constant is not None
    assert targets.values is not None
    assert constant.mean_squared_error == pytest.approx(
        mean_squared_error(targets.values, [targets.values.mean()] * len(made.rows))
    )
    assert (constant.r2, found.constant.fidelity) == pytest.approx((0, 0), abs=1e-12)
    assert (found.balanced_fidelity, found.constant.balanced_fidelity) == (None, None)


def test_without_a_target_only_the_model_is_compared_with() -> None:
    made = grown("random_forest_multiclass", 2)

    found = _measured(made, "random_forest_multiclass", None)

    assert found.fidelity is not None
    assert (found.tree, found.model, found.constant.against_target) == (None, None, None)
    assert found.constant.fidelity is not None


def test_a_tree_with_the_models_predictions_has_perfect_fidelity() -> None:
    made = grown("decision_tree_multiclass", 7)
    holed = with_holes(made.rows)
    own = ModelPredictions(made.tree.scores_of(holed), Targets.of_classes(made.tree.labels_of(holed), 3))

    found = measure_fidelity(made.tree, holed, own)

    assert (found.fidelity, found.probability_l1) == (1.0, 0.0)


def test_distances_of_probabilities_go_up_to_two() -> None:
    made = grown("decision_tree_multiclass", 7)
    labels = made.tree.labels_of(made.rows)
    others = (labels + 1) % 3
    contrary = ModelPredictions(np.eye(3)[others], Targets.of_classes(others, 3))

    found = measure_fidelity(made.tree, made.rows, contrary)

    assert found.fidelity == 0.0
    own_share = made.tree.scores_of(made.rows)[np.arange(len(labels)), others]
    assert found.probability_l1 is not None
    assert found.probability_l1 == pytest.approx(2 * np.mean(1 - own_share))
    assert found.probability_l1 > 1.9


def _questions(tree: ApproximationTree, depth: int) -> list[tuple[str, str]]:
    """Return each path of at most ``depth`` branches from the root, and the condition at its end."""
    found, waiting = [], [("", 0)]
    while waiting:
        way, at = waiting.pop()
        node = tree.nodes[at]
        if node.condition is not None and len(way) < depth:
            found.append((way, repr(node.condition)))
            waiting += [(way + "L", node.left), (way + "R", node.right)]
    return sorted(found)


def _naive_counts(trees: list[ApproximationTree]) -> list[int]:
    deepest = max(max(len(way) + 1 for way, _ in _questions(tree, 99)) for tree in trees)
    counts = []
    for depth in range(1, deepest + 1):
        different: list[list[tuple[str, str]]] = []
        for tree in trees:
            if _questions(tree, depth) not in different:
                different.append(_questions(tree, depth))
        counts.append(len(different))
    return counts


@pytest.fixture(scope="module")
def trees() -> list[ApproximationTree]:
    """Return trees for one model, each grown with other labels of a few rows."""
    made, rng = grown("random_forest_multiclass"), np.random.default_rng(1)
    found = []
    for n_changed in range(0, 60, 5):
        labels = made.tree.labels_of(made.rows)
        labels[rng.integers(len(labels), size=n_changed)] = 0
        found.append(tree_of_conditions(made.rows, labels, made.description, 5))
    return found


def test_trees_are_counted_as_comparing_each_with_each_does(trees: list[ApproximationTree]) -> None:
    counts = count_structures(trees).tolist()

    assert counts == _naive_counts(trees)
    assert counts == sorted(counts)
    assert 1 <= counts[0] < counts[2] < counts[-1] == len(trees)


def test_a_tree_grown_again_and_again_is_one(trees: list[ApproximationTree]) -> None:
    assert count_structures([trees[0]] * 5).tolist() == [1] * trees[0].depth


def test_a_leaf_alone_differs_from_a_tree(trees: list[ApproximationTree]) -> None:
    leaf = ApproximationTree((next(node for node in trees[0].nodes if node.left == NO_CHILD),), {})

    assert count_structures([leaf, leaf]).tolist() == [1]
    assert count_structures([leaf, trees[0], leaf]).tolist() == [2] * trees[0].depth
