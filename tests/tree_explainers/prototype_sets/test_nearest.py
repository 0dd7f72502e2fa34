import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.nearest import PrototypeIndex

PROTOTYPES = np.array([5, 300, 17, 80, 81, 2])


def index_of(leaves: list[list[int]], classes: list[int]) -> PrototypeIndex:
    own = np.array(leaves, dtype=np.int32)
    return PrototypeIndex.build(own, np.ones(own.shape[1], dtype=np.int64), np.array(classes))


@pytest.mark.parametrize("kind", KINDS)
def test_proximities_to_prototypes_are_those_of_the_dense_matrix(kind: ProximityKind) -> None:
    real = real_leaves("pima_diabetes", kind)
    index = PrototypeIndex.build(real.leaves[PROTOTYPES], real.weights, real.classes("target")[PROTOTYPES])

    proximities = index.proximities(real.leaves)

    assert proximities.tolist() == naive.proximity_matrix(real.leaves, real.weights)[:, PROTOTYPES].tolist()
    assert (proximities[PROTOTYPES].max(axis=1) == index.total_weight).all()


def test_a_row_that_shares_no_leaf_is_contrasted_with_the_first_of_another_class() -> None:
    index = index_of([[1, 1], [0, 0], [2, 2]], [0, 1, 1])
    proximities = index.proximities(np.array([[5, 5]], dtype=np.int32))[0]

    assert index.of_other_classes(proximities, 0).tolist() == [1]
    assert index.of_other_classes(proximities, 1, 5).tolist() == [0]


@pytest.mark.parametrize("n_classes", [1, 2, 3, 100])
def test_each_of_the_nearest_other_classes_sends_its_nearest_prototype(n_classes: int) -> None:
    real = real_leaves("covertype_20k", "random_forest")
    classes = real.classes("target")
    prototypes = np.arange(0, 40, 2)
    index = PrototypeIndex.build(real.leaves[prototypes], real.weights, classes[prototypes])
    for row, proximities in enumerate(index.proximities(real.leaves)[:100]):
        best: dict[int, tuple[int, int]] = {}  # of each class
        for place, proximity in enumerate(proximities.tolist()):
            best[int(index.classes[place])] = min(best.get(int(index.classes[place]), (1, 0)), (-proximity, place))
        best.pop(int(classes[row]), None)
        expected = [place for _, place in sorted(best.values())][:n_classes]
        assert index.of_other_classes(proximities, int(classes[row]), n_classes).tolist() == expected


def test_arrays_that_nobody_may_write_to_are_welcome() -> None:
    leaves = np.zeros((2, 3), dtype=np.int32)
    leaves.setflags(write=False)
    weights = np.ones(3, dtype=np.int64)
    weights.setflags(write=False)

    index = PrototypeIndex.build(leaves, weights, np.zeros(2, dtype=np.int64))

    assert index.proximities(leaves).tolist() == [[3, 3], [3, 3]]


@pytest.mark.parametrize("leaves", [np.zeros((2, 4), np.int32), np.zeros(3, np.int32)])
def test_rows_of_another_model_are_refused(leaves: NDArray[np.int32]) -> None:
    with pytest.raises(InvalidInput, match="3"):
        index_of([[0, 0, 0]], [0]).proximities(leaves)


def test_an_index_needs_prototypes_that_fit_its_weights() -> None:
    with pytest.raises(InvalidInput, match="prototypes"):
        PrototypeIndex.build(np.zeros((0, 3), np.int32), np.ones(3, np.int64), np.zeros(0, np.int64))
    with pytest.raises(InvalidInput, match="trees"):
        PrototypeIndex.build(np.zeros((1, 3), np.int32), np.ones(2, np.int64), np.zeros(1, np.int64))
