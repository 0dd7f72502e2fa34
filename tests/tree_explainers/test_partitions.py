"""Rows in partitions: each primitive and each method gives what it gives of a table that is whole."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, REGRESSION, RealLeaves, real_leaves
from tree_explainers.compute.partitions import BLOCK_ROWS, LocalPartitions, bounds_of_partitions
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.leaf_space.nearest_rows import nearest_rows
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.leaf_space.proximity import columns
from tree_explainers.leaf_space.votes import votes_of_all_rows
from tree_explainers.prototype_sets.certificate import certify
from tree_explainers.prototype_sets.criticisms import find_criticisms
from tree_explainers.prototype_sets.goal import Method
from tree_explainers.prototype_sets.prototype_quality import measure_quality
from tree_explainers.prototype_sets.prototype_votes import Classes
from tree_explainers.prototype_sets.selection import sample_candidates, select_prototypes
from tree_explainers.prototype_sets.supervised import EvaluatedRows

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids")
CUTS = {1: [0, 400], 2: [0, 190, 400], 5: [0, 1, 90, 200, 393, 400]}  # a partition of one row, too
N_PROTOTYPES = 9


def partitioned(table: LeafTable, n_parts: int) -> PartitionedTable:
    return PartitionedTable.cut(table, np.array(CUTS[n_parts]))


@pytest.fixture(params=KINDS)
def real(request: pytest.FixtureRequest) -> RealLeaves:
    kind: ProximityKind = request.param
    return real_leaves("covertype_20k", kind)


@pytest.mark.parametrize("n_parts", CUTS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.sampled("values")
def test_methods_choose_what_their_slow_twins_choose_of_all_rows(
    method: Method, real: RealLeaves, n_parts: int
) -> None:
    classes = real.classes("target")
    candidates = sample_candidates(classes, 60, np.random.default_rng(3))
    task: dict[str, Any] = {"n_prototypes": N_PROTOTYPES, "candidates": candidates}

    found = select_prototypes(partitioned(real.table, n_parts), classes, real.weights, method, **task)

    proximity = naive.proximity_matrix(real.leaves, real.weights)
    n_or_alpha = 0.05 if method == "a_pete" else N_PROTOTYPES
    assert found.rows.tolist() == naive.SELECTIONS[method](proximity, classes, n_or_alpha, candidates.tolist())
    whole = select_prototypes(real.table, classes, real.weights, method, **task)
    assert pickle.dumps(found) == pickle.dumps(whole)


@pytest.mark.parametrize("n_parts", [2, 5])
@pytest.mark.parametrize("n_candidates", [60, 400])
@pytest.mark.sampled("values")
def test_swaps_and_certificates_are_the_same(real: RealLeaves, n_parts: int, n_candidates: int) -> None:
    classes = real.classes("predicted")
    candidates = sample_candidates(classes, n_candidates, np.random.default_rng(0))
    found = []
    for table in (real.table, partitioned(real.table, n_parts)):
        chosen = select_prototypes(
            table, classes, real.weights, "k_medoids", n_prototypes=12, refine="swap", candidates=candidates
        )
        proven = certify(
            table, classes, real.weights, chosen.rows,
            method="k_medoids", greedy_rows=chosen.rows_before_swaps, candidates=candidates,
        )  # fmt: skip
        found.append((chosen, proven))

    assert found[0][0].n_swaps > 0 or n_candidates == 60
    assert pickle.dumps(found[0]) == pickle.dumps(found[1])


@pytest.mark.parametrize("n_parts", [2, 5])
def test_quality_and_criticisms_are_the_same(real: RealLeaves, n_parts: int) -> None:
    classes = real.classes("predicted")
    rows = np.array([3, 17, 100, 250, 399])
    found = []
    for table in (real.table, partitioned(real.table, n_parts)):
        of_all = Classes(int(classes.max()) + 1, classes, classes[rows])
        quality = measure_quality(table, real.weights, table.leaves_of(rows), of_all)
        found.append((quality, find_criticisms(table, real.weights, classes, rows, 7)))

    assert pickle.dumps(found[0]) == pickle.dumps(found[1])


@pytest.mark.parametrize("n_parts", CUTS)
def test_votes_of_all_rows_add_up(real: RealLeaves, n_parts: int) -> None:
    classes = real.classes("target")

    found = [
        votes_of_all_rows(table, real.weights, classes) for table in (real.table, partitioned(real.table, n_parts))
    ]

    for name in ("own", "total", "best"):
        assert np.array_equal(*(getattr(votes, name) for votes in found))


@pytest.mark.parametrize("n_parts", CUTS)
@pytest.mark.parametrize("n_neighbors", [1, 7, 395])
def test_nearest_rows_are_merged_with_their_ties(real: RealLeaves, n_parts: int, n_neighbors: int) -> None:
    whole, parts = (nearest_rows(table, real.weights) for table in (real.table, partitioned(real.table, n_parts)))
    rows = np.array([0, 5, 89, 90, 399])

    for own, other in zip(
        (*whole.of_rows(rows, n_neighbors), *whole.of_leaves(real.leaves[rows], n_neighbors)),
        (*parts.of_rows(rows, n_neighbors), *parts.of_leaves(real.leaves[rows], n_neighbors)),
        strict=True,
    ):
        assert np.array_equal(own, other)


def test_sg_may_be_judged_by_rows_of_other_partitions(real: RealLeaves) -> None:
    classes = real.classes("target")
    first, second = (LeafTable.from_leaves(real.leaves[rows], np.diff(real.table.offsets)) for rows in
                     (slice(0, 250), slice(250, 400)))  # fmt: skip
    found = []
    for table, other in ((first, second), (PartitionedTable.cut(first, np.array([0, 100, 250])),
                                           PartitionedTable.cut(second, np.array([0, 149, 150])))):  # fmt: skip
        evaluated = EvaluatedRows(classes[250:], other)
        found.append(
            select_prototypes(table, classes[:250], real.weights, "sg", n_prototypes=5, evaluated=evaluated).rows
        )

    assert found[0].tolist() == found[1].tolist()


def test_weights_and_columns_of_regression_are_the_same() -> None:
    real = real_leaves(REGRESSION, "boosting")
    parts = partitioned(real.table, 5)

    assert tree_weights("boosting", parts, np.concatenate(real.leaf_values)).tolist() == real.weights.tolist()
    assert np.array_equal(
        columns(parts, real.weights, real.leaves[:3]), naive.proximity_matrix(real.leaves, real.weights)[:3]
    )
    assert np.array_equal(parts.here().codes, real.table.codes)
    with pytest.raises(TypeError, match="in its partitions"):
        _ = parts.codes


def test_partitions_are_whole_blocks() -> None:
    assert bounds_of_partitions(3 * BLOCK_ROWS + 5, 2 * BLOCK_ROWS + 9).tolist() == [
        0, 2 * BLOCK_ROWS, 3 * BLOCK_ROWS + 5,
    ]  # fmt: skip
    assert bounds_of_partitions(7, 1).tolist() == [0, 7]


def test_results_come_in_order_and_a_failure_ends_the_rest() -> None:
    parts = LocalPartitions([(number,) for number in range(7)], n_threads=3)

    assert list(parts.keep(_squared).beside_values("abcdefg").map(_shown, "!")) == [
        f"{number**2}{letter}!" for number, letter in enumerate("abcdefg")
    ]
    with pytest.raises(ZeroDivisionError):
        list(parts.map(_divided, 10))
    assert list(parts.some([1, 4]).followed_by(parts.some([0])).map(_squared)) == [1, 16, 0]


def _squared(number: int) -> int:
    return number**2


def _shown(number: int, letter: str, end: str) -> str:
    return f"{number}{letter}{end}"


def _divided(number: int, by: int) -> NDArray[np.float64] | float:
    return by / number


def test_tables_are_sent_without_their_lists(real: RealLeaves) -> None:
    table = LeafTable.from_leaves(real.leaves, np.diff(real.table.offsets))
    n_bytes = len(pickle.dumps(table))
    _ = table.members

    sent = pickle.dumps(table)

    assert len(sent) == n_bytes
    received = pickle.loads(sent)  # noqa: S301  # our own bytes, of this moment
    assert not received.codes.flags.writeable
    assert np.array_equal(received.members, table.members)
