"""A forest over columns as ONNX decides exactly as its trees read, ties and missing values included."""

from fractions import Fraction
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from tests.support.naive_trees import walk_leaves
from tree_explainers.ensemble import Operator, TreeEnsemble, join_ensembles
from tree_explainers.errors import ModelRefused
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.forest_writing import rounded_values, write_forest_onnx
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

_N_COLUMNS = 5


@pytest.mark.parametrize(("n_trees", "n_classes"), [(1, 2), (3, 3), (33, 2), (200, 3)])
def test_labels_and_scores_are_those_of_exact_sums(n_trees: int, n_classes: int) -> None:
    rng = np.random.default_rng(n_trees)
    ensemble = join_ensembles([_tree(rng, n_classes) for _ in range(n_trees)])
    classes = [f"c{index}" for index in range(n_classes)]
    rows = _rows(rng, ensemble)

    labels, scores = _run(write_forest_onnx(ensemble, _N_COLUMNS, classes), rows)

    sums = [_exact_sums(ensemble, leaves) for leaves in walk_leaves(ensemble, rows).tolist()]
    assert labels.tolist() == [classes[each.index(max(each))] for each in sums]
    assert scores.tolist() == [[float(value / n_trees) for value in each] for each in sums]


def test_equal_sums_of_unequal_leaves_tie_and_the_first_class_wins() -> None:
    leaves = [[0.3, 0.7], [0.6, 0.4], [0.7, 0.3], [0.4, 0.6]]
    ensemble = join_ensembles([_leaf(values) for values in leaves])

    labels, scores = _run(write_forest_onnx(ensemble, 1, ["first", "second"]), np.zeros((3, 1), np.float32))

    assert labels.tolist() == ["first"] * 3
    assert (scores[:, 0] == scores[:, 1]).all()


def test_a_limit_of_classes_counts_no_parts_of_leaves() -> None:
    rng = np.random.default_rng(3)
    classes = [f"c{index}" for index in range(40)]
    forest = write_forest_onnx(join_ensembles([_tree(rng, 40) for _ in range(9)]), _N_COLUMNS, classes)

    read = read_model(forest, DeclaredModel(), ModelLimits(max_outputs=40))
    assert read.description.classes == tuple(classes)
    with pytest.raises(ModelRefused, match="has 40 classes or targets; at most 39 are accepted"):
        read_model(forest, DeclaredModel(), ModelLimits(max_outputs=39))


def test_it_reads_back_as_the_same_trees_with_the_same_leaves() -> None:
    rng = np.random.default_rng(7)
    ensemble = join_ensembles([_tree(rng, 3) for _ in range(20)])
    declared = DeclaredModel(tuple("vwxyz"), None, "random_forest", ())

    read = read_model(write_forest_onnx(ensemble, _N_COLUMNS, ["a", "b", "c"]), declared, ModelLimits())

    assert (read.description.task, read.description.classes) == ("classification", ("a", "b", "c"))
    for name, array in ensemble.to_arrays().items():
        assert np.array_equal(array, read.ensemble.to_arrays()[name]), name
    rows = _rows(rng, ensemble)
    session = ModelSession(read.leaf_graph, read.description)
    outcome = session.run(session.encode(Rows(tuple("vwxyz"), tuple(rows.T.astype(np.float64)))))
    assert np.array_equal(outcome.leaves, walk_leaves(ensemble, rows))


def _run(data: bytes, rows: NDArray[np.float32]) -> list[NDArray[Any]]:
    found: list[NDArray[Any]] = onnxruntime.InferenceSession(data).run(None, {"features": rows})
    return found


def _rows(rng: np.random.Generator, ensemble: TreeEnsemble) -> NDArray[np.float32]:
    """Return rows of missing values, numbers, and the thresholds themselves."""
    thresholds = ensemble.threshold[ensemble.operator != Operator.LEAF]
    rows = np.where(rng.random((20, _N_COLUMNS)) < 0.5, rng.choice(thresholds, (20, _N_COLUMNS)), 0.25)
    return np.where(rng.random(rows.shape) < 0.2, np.nan, rows).astype(np.float32)


def _tree(rng: np.random.Generator, n_classes: int) -> TreeEnsemble:
    """Return a random tree: every inner node is split further with probability 0.7, up to five deep."""
    nodes: list[tuple[int, float, int, int]] = []  # operator, threshold, yes, no

    def grow(depth: int) -> int:
        own = len(nodes)
        nodes.append((Operator.LEAF, 0.0, own, own))
        if depth < 5 and rng.random() < 0.7:
            operator = int(rng.choice([Operator.GT, Operator.LEQ]))
            nodes[own] = operator, float(np.float32(rng.normal())), grow(depth + 1), grow(depth + 1)
        return own

    grow(0)
    operators = np.array([node[0] for node in nodes], np.uint8)
    leaves = np.flatnonzero(operators == Operator.LEAF).astype(np.int32)
    column = np.where(operators == Operator.LEAF, 0, rng.integers(_N_COLUMNS, size=len(nodes)))
    values = rng.multinomial(8, np.full(n_classes, 1 / n_classes), size=len(leaves)) / 8
    mixed = (values * 5 + 2 / n_classes) / 7
    return TreeEnsemble(
        offsets=np.array([0, len(nodes)], np.int32),
        column=column.astype(np.int32),
        operator=operators,
        threshold=np.array([node[1] for node in nodes]),
        missing_left=np.zeros(len(nodes), np.bool_),
        left=np.array([node[2] for node in nodes], np.int32),
        right=np.array([node[3] for node in nodes], np.int32),
        leaf_nodes=leaves,
        leaf_offsets=np.array([0, len(leaves)], np.int32),
        leaf_values=rounded_values(mixed),
    )


def _leaf(values: list[float]) -> TreeEnsemble:
    return TreeEnsemble(
        *(np.array([0, 1], np.int32), np.zeros(1, np.int32), np.zeros(1, np.uint8), np.zeros(1), np.zeros(1, np.bool_)),
        *(np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32), np.array([0, 1], np.int32)),
        leaf_values=rounded_values(np.array([values])),
    )


def _exact_sums(ensemble: TreeEnsemble, leaves: list[int]) -> list[Fraction]:
    values = ensemble.leaf_values[ensemble.leaf_offsets[:-1] + np.array(leaves)]
    return [sum(map(Fraction, of_class), Fraction(0)) for of_class in values.T.tolist()]
