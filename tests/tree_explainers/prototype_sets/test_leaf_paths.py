import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support.models import fitted
from tests.support.sampling import drawn
from tree_explainers.ensemble import Operator, TreeEnsemble, join_ensembles
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.leaf_paths import LeafPaths, path_arrays
from tree_explainers.prototype_sets.reasons import Reasons

from .test_reasons import MODELS, PROTOTYPES, chain

# A column of its own, two that are one feature, and one of categories.
_FEATURES = np.array([0, 1, 1, 2], dtype=np.int32)
_OPERATORS = [each for each in Operator if each is not Operator.LEAF]
QUESTIONS = st.tuples(
    st.integers(0, 3), st.sampled_from(_OPERATORS), st.integers(0, 4).map(float), st.booleans()
)  # column, test, value or set, answer


def paths_of(ensemble: TreeEnsemble, features: np.ndarray) -> LeafPaths:
    arrays = path_arrays(ensemble, ensemble.leaf_nodes, ensemble.leaf_offsets)
    for array in arrays.values():
        array.flags.writeable = False  # as mapped ones are
    return LeafPaths.of_arrays(arrays, features)


@pytest.mark.parametrize("n_features", [3, 1000])
@pytest.mark.parametrize("name", MODELS)
def test_paths_of_the_explained_row_give_the_reasons_that_boxes_of_prototypes_give(name: str, n_features: int) -> None:
    model = fitted(name)
    ensemble, leaves = model.read.ensemble, model.session.run_in_chunks(model.rows).leaves
    features = (np.arange(len(model.read.description.columns)) % n_features).astype(np.int32)  # columns of a feature
    reasons = Reasons.build(leaf_boxes(ensemble, leaves[PROTOTYPES], features))
    paths, n_reasons = paths_of(ensemble, features), 0
    weights = np.arange(leaves.shape[1], dtype=np.uint32) % np.uint32(4)  # some trees count nothing
    for row in range(0, 150, 10):
        shared = leaves[PROTOTYPES] == leaves[row]
        shared[0] = False
        expected = reasons.of(np.arange(len(PROTOTYPES)), shared, weights)
        assert paths.reasons(leaves[row], shared, weights).tolist() == expected.tolist()
        n_reasons += len(expected)
    assert n_reasons > 50


@drawn(50, 150, answers=st.lists(st.lists(QUESTIONS, min_size=1, max_size=6), min_size=1, max_size=5), data=st.data())
def test_any_questions_give_the_same_reasons(
    answers: list[list[tuple[int, Operator, float, bool]]], data: st.DataObject
) -> None:
    ensemble = join_ensembles([chain(path, missing_left=data.draw(st.booleans())) for path in answers])
    leaves = np.array([len(path) for path in answers], np.int32)
    some = st.lists(st.booleans(), min_size=len(answers), max_size=len(answers)).filter(any)
    shared = np.array(data.draw(st.lists(some, min_size=1, max_size=4)))
    weights = np.arange(1, len(leaves) + 1, dtype=np.uint32)
    boxes = leaf_boxes(ensemble, leaves[None], _FEATURES)
    expected = Reasons.build(boxes).of(np.zeros(len(shared), np.int64), shared, weights)

    assert paths_of(ensemble, _FEATURES).reasons(leaves, shared, weights).tolist() == expected.tolist()
