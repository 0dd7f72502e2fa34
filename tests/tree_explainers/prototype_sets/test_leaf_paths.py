import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.models import fitted
from tree_explainers.ensemble import Operator, TreeEnsemble, join_ensembles
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.leaf_paths import LeafPaths, path_arrays
from tree_explainers.prototype_sets.readable import feature_numbers
from tree_explainers.prototype_sets.reasons import Reasons

from .test_block_reasons import COLUMNS, QUESTIONS
from .test_reasons import MODELS, PROTOTYPES, chain


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
    for row in range(0, 150, 10):
        shared = leaves[PROTOTYPES] == leaves[row]
        shared[0] = False
        expected = reasons.of(np.arange(len(PROTOTYPES)), shared)
        assert paths.reasons(leaves[row], shared).tolist() == expected.tolist()
        n_reasons += len(expected)
    assert n_reasons > 50


@settings(deadline=None, max_examples=150)
@given(answers=st.lists(st.lists(QUESTIONS, min_size=1, max_size=6), min_size=1, max_size=5), data=st.data())
def test_any_questions_give_the_same_reasons(
    answers: list[list[tuple[int, Operator, float, bool]]], data: st.DataObject
) -> None:
    ensemble = join_ensembles([chain(path, missing_left=data.draw(st.booleans())) for path in answers])
    leaves = np.array([len(path) for path in answers], np.int32)
    some = st.lists(st.booleans(), min_size=len(answers), max_size=len(answers)).filter(any)
    shared = np.array(data.draw(st.lists(some, min_size=1, max_size=4)))
    features = feature_numbers(COLUMNS)
    expected = Reasons.build(leaf_boxes(ensemble, leaves[None], features)).of(np.zeros(len(shared), np.int64), shared)

    assert paths_of(ensemble, features).reasons(leaves, shared).tolist() == expected.tolist()
