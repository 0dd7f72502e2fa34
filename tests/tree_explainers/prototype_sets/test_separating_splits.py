"""Where trees part two rows, against going down each tree with both."""

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support import naive_contrasts
from tests.support.models import fitted
from tests.support.sampling import drawn
from tree_explainers.ensemble import Operator, TreeEnsemble, join_ensembles
from tree_explainers.prototype_sets.leaf_boxes import distinct_sets
from tree_explainers.prototype_sets.leaf_paths import LeafPaths, path_arrays
from tree_explainers.prototype_sets.separating_splits import parting_reasons

from .test_reasons import INSTANCES, MODELS, PROTOTYPES, admits, chain, probes, shuts_out


def paths_of(ensemble: TreeEnsemble) -> LeafPaths:
    arrays = path_arrays(ensemble, ensemble.leaf_nodes, ensemble.leaf_offsets)
    n_columns = int(ensemble.column.max()) + 1
    for array in arrays.values():
        array.flags.writeable = False  # as mapped ones are
    return LeafPaths.of_arrays(arrays, np.arange(n_columns, dtype=np.int32))


def check(ensemble: TreeEnsemble, leaves: np.ndarray, others: np.ndarray, weights: np.ndarray) -> int:
    """Compare all reasons with the twin's, and return how many there are."""
    found, (sets, _) = parting_reasons(paths_of(ensemble), leaves, others, weights), distinct_sets(ensemble)
    for pair, other in enumerate(others):
        own = found[found["pair"] == pair]
        partings = naive_contrasts.partings(ensemble, leaves, other)
        partings = {tree: place for tree, place in partings.items() if weights[tree]}
        shares = naive_contrasts.shares_by_column(ensemble, partings, weights.tolist())
        assert sorted(set(own["column"].tolist())) == sorted(shares)
        for column, share in shares.items():
            reason, *holes = own[own["column"] == column]
            assert reason["share_of_trees"] == pytest.approx(float(share), abs=1e-15)
            values = {value for each in (reason, *holes) for value in probes(each)} | {-1.0, 1.0, 2.0, 3.0, 4.0}
            for value in values:
                admitted = admits(reason, value) and not any(shuts_out(hole, value, sets) for hole in holes)
                assert admitted == naive_contrasts.goes_with_the_other(ensemble, partings, column, value)
    return len(found)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sampled("thirds")
def test_real_trees_part_rows_where_going_down_with_both_shows(name: str) -> None:
    model = fitted(name)
    ensemble, leaves = model.read.ensemble, model.session.run_in_chunks(model.rows).leaves
    weights = np.arange(leaves.shape[1]) % 5  # some trees count nothing

    n_reasons = [check(ensemble, leaves[row], leaves[PROTOTYPES], weights) for row in INSTANCES]

    assert min(n_reasons) > 0


QUESTIONS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from([each for each in Operator if each is not Operator.LEAF]),
        st.sampled_from([0.0, 2.0, 3.0]),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@drawn(40, 100, answers=st.lists(QUESTIONS, min_size=1, max_size=4), data=st.data())
def test_any_questions_part_rows_where_going_down_with_both_shows(
    answers: list[list[tuple[int, Operator, float, bool]]], data: st.DataObject
) -> None:
    ensemble = join_ensembles([chain(path, missing_left=data.draw(st.booleans())) for path in answers])
    leaf_of_each = st.tuples(*(st.integers(0, len(path)) for path in answers))
    leaves, other = (np.array(data.draw(leaf_of_each), dtype=np.int32) for _ in range(2))

    check(ensemble, leaves, other[None], np.ones(len(answers), dtype=np.int64))


def test_a_row_in_the_same_leaves_has_nothing_that_would_have_to_differ() -> None:
    model = fitted("random_forest_binary")
    leaves = model.session.run_in_chunks(model.rows).leaves[:1]

    weights = np.ones(leaves.shape[1], dtype=np.int64)
    assert len(parting_reasons(paths_of(model.read.ensemble), leaves[0], leaves, weights)) == 0
