from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support import naive
from tests.support.models import FittedModel, fitted
from tests.support.sampling import drawn
from tree_explainers.ensemble import Operator, TreeEnsemble, join_ensembles
from tree_explainers.errors import InvalidInput
from tree_explainers.prototype_sets.leaf_boxes import LeafBoxes, Side, leaf_boxes
from tree_explainers.prototype_sets.nearest import PrototypeIndex
from tree_explainers.prototype_sets.reasons import Reasons
from tree_explainers.rows import Rows

MODELS = (
    "random_forest_binary",
    "extra_trees_multiclass",
    "random_forest_regression",
    "gradient_boosting_multiclass",
    "xgboost_binary",
    "catboost_binary",
    "lightgbm_multiclass",
)
PROTOTYPES = np.array([3, 40, 77, 120])
INSTANCES = (10, 64, 131)


@dataclass(frozen=True)
class Pair:
    """A row and a prototype, the trees that they share, and the reasons given."""

    prototype: int  # row
    row: int
    leaves: NDArray[np.int32]  # (n_trees,) of the prototype
    shared: NDArray[np.bool_]  # (n_trees,)
    reasons: NDArray[Any]


ONE = np.ones(1, np.uint32)  # tree, and what it counts


def weights_of(model: FittedModel) -> NDArray[np.uint32]:
    return np.arange(model.read.ensemble.n_trees, dtype=np.uint32) % np.uint32(3) + np.uint32(1)


def pairs_of(model: FittedModel) -> list[Pair]:
    ensemble, leaves = model.read.ensemble, model.session.run_in_chunks(model.rows).leaves
    features = np.arange(len(model.read.description.columns), dtype=np.int32)
    reasons = Reasons.build(leaf_boxes(ensemble, leaves[PROTOTYPES], features))
    index = PrototypeIndex.build(leaves[PROTOTYPES], np.ones(leaves.shape[1], np.int64), np.zeros(4, np.int64))
    pairs = []
    for row in INSTANCES:
        every = np.arange(len(PROTOTYPES))
        shared = index.leaves == leaves[row]
        found = reasons.of(every, shared, weights_of(model))
        for place, prototype in enumerate(PROTOTYPES.tolist()):
            own = found[found["pair"] == place]
            pairs.append(Pair(prototype, row, leaves[prototype], shared[place], own))
    assert sum(bool(pair.shared.any()) for pair in pairs) > 3
    return pairs


def admits(reason: Any, value: float) -> bool:  # a record
    if np.isnan(value):
        return bool(reason["side"] & Side.MISSING_STAYS)
    above = value > reason["low"] or (value == reason["low"] and reason["side"] & Side.LOW_INCLUSIVE)
    below = value < reason["high"] or (value == reason["high"] and reason["side"] & Side.HIGH_INCLUSIVE)
    return bool(above and below)


def probes(reason: Any) -> list[float]:  # a record
    """Return float32 values around both ends, far out, in the middle, and a missing one."""
    ends = [np.float32(end) for end in (reason["low"], reason["high"]) if np.isfinite(end)]
    near = [value for end in ends for value in (np.nextafter(end, -np.inf), end, np.nextafter(end, np.inf))]
    middle = [np.float32(sum(map(float, ends)) / len(ends))] if ends else []
    return [float(value) for value in [*near, *middle, np.float32(-1e30), np.float32(1e30), np.float32(np.nan)]]


@pytest.mark.parametrize("name", MODELS)
def test_inside_the_interval_all_shared_trees_keep_their_leaf_and_outside_one_of_them_does_not(name: str) -> None:
    model = fitted(name)
    description = model.read.description
    n_checked = 0
    for pair in pairs_of(model):
        for reason in pair.reasons:
            column = description.columns[reason["column"]]
            assert column.kind == "identity"
            values = probes(reason)
            raw = model.rows.take(np.full(len(values), pair.prototype))
            changed = list(raw.columns)
            changed[column.raw_index or 0] = np.array(values)
            leaves = model.session.run_in_chunks(Rows(raw.names, tuple(changed))).leaves
            stays = (leaves[:, pair.shared] == pair.leaves[pair.shared]).all(axis=1)
            assert stays.tolist() == [admits(reason, value) for value in values]
            n_checked += len(values)
    assert n_checked > 100


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sampled("thirds")
def test_reasons_are_those_of_the_twin_that_follows_every_path(name: str) -> None:
    model = fitted(name)
    ensemble, weights = model.read.ensemble, weights_of(model).tolist()
    for pair in pairs_of(model)[:6]:
        shared = np.flatnonzero(pair.shared).tolist()
        thresholds = {tree: naive.columns_tested(ensemble, pair.leaves, tree) for tree in shared}
        columns = sorted(set().union(*thresholds.values()))
        assert pair.reasons["column"].tolist() == columns
        for reason in pair.reasons:
            column = int(reason["column"])
            testing = sum(weights[tree] for tree, own in thresholds.items() if column in own)
            assert reason["share_of_trees"] == testing / sum(weights[tree] for tree in shared)
            for value in probes(reason):
                expected = naive.stays_in_leaves(ensemble, pair.leaves, shared, column, value)
                assert admits(reason, value) == expected


def test_boxes_can_be_kept_as_plain_arrays() -> None:
    model = fitted("random_forest_binary")
    leaves = model.session.run_in_chunks(model.rows).leaves
    boxes = leaf_boxes(model.read.ensemble, leaves[PROTOTYPES], np.zeros(30, dtype=np.int32))

    arrays = boxes.to_arrays()
    again = LeafBoxes.from_arrays(arrays)

    assert {array.dtype.kind for array in arrays.values()} <= {"i", "f"}
    assert (again.entries == boxes.entries).all()
    assert (again.starts == boxes.starts).all()


def test_a_row_that_shares_no_tree_with_any_prototype_has_no_reasons() -> None:
    reasons = Reasons.build(one_tree([(0, Operator.LEQ, 1.0, True)]))

    assert len(reasons.of(np.array([0]), np.array([[False]]), ONE)) == 0
    assert len(reasons.of(np.empty(0, dtype=np.int64), np.empty((0, 1), dtype=np.bool_), ONE)) == 0


MEMBERS = tuple(np.array(own, np.float64) for own in ([0, 1], [2], [1, 3, 4], [0, 1], [-1, 2, 3]))


def chain(path: list[tuple[int, Operator, float, bool]], *, missing_left: bool = False) -> TreeEnsemble:
    """Return one tree whose leaf 0 is reached by answering these questions so (true: left); column, test, value.

    The value of membership is an index into ``MEMBERS``.
    """
    n = len(path)
    nodes = np.arange(2 * n + 1)
    # Inner nodes first, each with the next as one child and a leaf as the other; the last node is the goal.
    goal_or_next = np.append(np.arange(1, n), 2 * n)
    other = np.arange(n, 2 * n)
    left, right = nodes.copy(), nodes.copy()
    goes_left = np.array([step[3] for step in path])
    left[:n] = np.where(goes_left, goal_or_next, other)
    right[:n] = np.where(goes_left, other, goal_or_next)
    leaf_nodes = np.arange(n, 2 * n + 1)

    def padded(values: list[Any], dtype: type) -> NDArray[Any]:
        return np.array([*values, *[0] * (n + 1)], dtype=dtype)

    return TreeEnsemble(
        offsets=np.array([0, 2 * n + 1], np.int32),
        column=padded([step[0] for step in path], np.int32),
        operator=padded([step[1] for step in path], np.uint8),
        threshold=padded([step[2] for step in path], np.float64),
        missing_left=padded([missing_left] * n, np.bool_),
        left=left.astype(np.int32),
        right=right.astype(np.int32),
        leaf_nodes=leaf_nodes.astype(np.int32),
        leaf_offsets=np.array([0, n + 1], np.int32),
        leaf_values=np.zeros((n + 1, 1)),
        members=MEMBERS,
    )


def one_tree(path: list[tuple[int, Operator, float, bool]], *, missing_left: bool = False) -> LeafBoxes:
    ensemble = chain(path, missing_left=missing_left)
    return leaf_boxes(ensemble, np.array([[len(path)]], np.int32), np.zeros(5, np.int32))


@pytest.mark.parametrize("went_left", [True, False])
@pytest.mark.parametrize("operator", [Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT, Operator.EQ, Operator.NEQ])
def test_each_operator_and_answer_admits_what_the_tree_lets_pass(operator: Operator, went_left: bool) -> None:
    path = [(0, operator, 2.0, went_left)]
    ensemble = chain(path)
    reasons = Reasons.build(one_tree(path)).of(np.array([0]), np.array([[True]]), ONE)
    interval, holes = reasons[0], reasons[1:]

    for value in (-9.0, 1.0, 2.0, 3.0, 9.0, float("nan")):
        is_hole = value in holes["low"].tolist()
        expected = naive.stays_in_leaves(ensemble, np.array([1], np.int32), [0], 0, value)
        assert (admits(interval, value) and not is_hole) == expected


STEPS = st.tuples(
    st.integers(0, 1),
    st.sampled_from([Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT, Operator.EQ, Operator.NEQ, Operator.MEMBER]),
    st.integers(0, 4).map(float),
    st.booleans(),
)


@drawn(50, 150, paths=st.lists(st.lists(STEPS, min_size=1, max_size=5), min_size=1, max_size=4), data=st.data())
def test_any_questions_of_any_shared_trees_are_intersected_as_the_twin_says(
    paths: list[list[tuple[int, Operator, float, bool]]], data: st.DataObject
) -> None:
    n = len(paths)
    ensemble = join_ensembles([chain(path, missing_left=data.draw(st.booleans())) for path in paths])
    shared = np.array([data.draw(st.lists(st.booleans(), min_size=n, max_size=n))])
    leaves = np.array([len(path) for path in paths], np.int32)
    boxes = leaf_boxes(ensemble, leaves[None, :], np.arange(2, dtype=np.int32))
    reasons = Reasons.build(boxes)

    found = reasons.of(np.array([0]), shared, np.ones(shared.shape[1], np.uint32))

    trees = np.flatnonzero(shared[0]).tolist()
    thresholds = [naive.columns_tested(ensemble, leaves, tree) for tree in trees]
    assert set(found["column"].tolist()) == set().union(*thresholds)
    for column in set().union(*thresholds):
        interval, *holes = found[found["column"] == column]
        assert interval["share_of_trees"] == sum(column in own for own in thresholds) / len(trees)
        assert all(hole["side"] & Side.HOLE for hole in holes)
        for value in (*np.arange(-0.5, 5.0, 0.5).tolist(), float("nan")):
            expected = naive.stays_in_leaves(ensemble, leaves, trees, column, value)
            assert (
                admits(interval, value) and not any(shuts_out(hole, value, boxes.sets) for hole in holes)
            ) == expected


def shuts_out(hole: Any, value: float, sets: Sequence[NDArray[np.float64]]) -> bool:  # a record
    """Return whether a hole or a set excludes a value; it says nothing of a missing one."""
    if np.isnan(value):
        return False
    if not hole["side"] & Side.SET:
        return bool(value == hole["low"])
    is_member = value in sets[int(hole["low"])].tolist()
    return is_member != bool(hole["side"] & Side.INSIDE)


def test_holes_outside_the_interval_or_listed_twice_are_left_out() -> None:
    path = [
        (0, Operator.EQ, 2.0, False),
        (0, Operator.NEQ, 2.0, True),
        (0, Operator.EQ, 5.0, False),
        (0, Operator.LEQ, 4.0, True),
        (1, Operator.EQ, 3.0, False),
    ]

    reasons = Reasons.build(one_tree(path)).of(np.array([0]), np.array([[True]]), ONE)

    is_hole = (reasons["side"] & Side.HOLE) != 0
    assert reasons["column"].tolist() == [0, 0, 1, 1]
    assert is_hole.tolist() == [False, True, False, True]
    assert reasons["low"][is_hole].tolist() == [2.0, 3.0]
    assert (reasons["share_of_trees"] == 1).all()


def test_equal_sets_are_kept_and_listed_once_and_can_be_kept_as_plain_arrays() -> None:
    path = [
        (0, Operator.MEMBER, 0.0, True),
        (0, Operator.GT, 1.0, False),
        (0, Operator.MEMBER, 3.0, True),  # the same as 0
        (0, Operator.MEMBER, 1.0, False),
        (1, Operator.MEMBER, 2.0, True),
    ]
    boxes = one_tree(path)

    reasons = Reasons.build(boxes).of(np.array([0]), np.array([[True]]), ONE)
    again = LeafBoxes.from_arrays(boxes.to_arrays())

    is_set = (reasons["side"] & Side.SET) != 0
    assert is_set.tolist() == [False, True, True, False, True]
    assert ((reasons["side"] & Side.INSIDE) != 0).tolist() == [False, False, True, False, True]
    assert [boxes.sets[int(each)].tolist() for each in reasons["low"][is_set]] == [[2], [0, 1], [1, 3, 4]]
    assert [own.tolist() for own in again.sets] == [own.tolist() for own in boxes.sets]


def test_a_missing_value_stays_only_where_every_question_sends_it_to_the_same_side() -> None:
    path = [(0, Operator.LEQ, 2.0, True), (0, Operator.GT, 1.0, False)]

    (left,) = Reasons.build(one_tree(path[:1], missing_left=True)).of(np.array([0]), np.array([[True]]), ONE)
    (both,) = Reasons.build(one_tree(path, missing_left=True)).of(np.array([0]), np.array([[True]]), ONE)

    assert left["side"] & Side.MISSING_STAYS
    assert not both["side"] & Side.MISSING_STAYS


def test_columns_of_one_feature_are_counted_once_for_each_tree() -> None:
    model = fitted("random_forest_binary")
    leaves = model.session.run_in_chunks(model.rows).leaves
    # Columns 0 to 14 are made one feature, the others another.
    features = (np.arange(30) // 15).astype(np.int32)
    reasons = Reasons.build(leaf_boxes(model.read.ensemble, leaves[[3]], features))

    found = reasons.of(np.array([0]), np.ones((1, leaves.shape[1]), dtype=np.bool_), weights_of(model))

    thresholds = [naive.columns_tested(model.read.ensemble, leaves[3], tree) for tree in range(leaves.shape[1])]
    for feature in (0, 1):
        is_testing = [any(column // 15 == feature for column in own) for own in thresholds]
        shares = found["share_of_trees"][found["feature"] == feature]
        assert set(shares.tolist()) == {weights_of(model)[is_testing].sum() / weights_of(model).sum()}


def test_leaves_of_another_ensemble_are_refused() -> None:
    with pytest.raises(InvalidInput, match="n_prototypes, 1"):
        leaf_boxes(chain([(0, Operator.LEQ, 1.0, True)]), np.zeros((1, 2), np.int32), np.zeros(1, np.int32))
