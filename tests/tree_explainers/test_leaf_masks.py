from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.leaf_space.leaf_masks import (
    BLOCK,
    WORDS,
    Targets,
    add_masks,
    leaf_masks,
    plan_adding,
    room_for_sums,
)
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind


def sums_of(
    table: LeafTable,
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    block: NDArray[np.int64],
    n_masks_per_tree: float = 20,
) -> NDArray[np.int64]:
    """Proximities of rows to a block by masks, as plain numbers."""
    plan = plan_adding(weights, n_masks_per_tree)
    masks = leaf_masks(table.codes, table.offsets, block)
    sums = room_for_sums(len(rows), plan)
    add_masks(Targets(table.codes, table.offsets, rows), masks, plan, sums)
    words = sums.reshape(len(rows), plan.n_lines, WORDS)
    bits = np.unpackbits(words.view(np.uint8), axis=2, bitorder="little").astype(np.int64)
    assert not bits[:, plan.n_digits :].any()
    return np.asarray((bits << np.arange(plan.n_lines)[:, None]).sum(axis=1)[:, : len(block)])


@pytest.mark.parametrize("n_masks_per_tree", [1, 20, 400], ids=["one group", "few groups", "many groups"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled("thirds")
def test_masks_add_up_to_the_dense_matrix(kind: ProximityKind, n_masks_per_tree: float) -> None:
    real = real_leaves("covertype_20k", kind, n_rows=600, n_trees=90)
    rows, block = np.arange(3, 600, 2), np.arange(600)[::-1][:BLOCK].copy()

    found = sums_of(real.table, real.weights, rows, block, n_masks_per_tree)

    assert (found == naive.proximity_matrix(real.leaves, real.weights)[np.ix_(rows, block)]).all()


@pytest.mark.parametrize("largest", [1, 2**22])
def test_more_trees_than_a_count_can_hold_are_added_in_several_counts(largest: int) -> None:
    rng = np.random.default_rng(0)
    leaves = rng.integers(0, 3, (40, 1000)).astype(np.int32)
    weights = rng.integers(1, largest + 1, 1000)
    table = LeafTable.from_leaves(leaves, np.full(1000, 3))

    found = sums_of(table, weights, np.arange(40), np.arange(40))

    assert (found == naive.proximity_matrix(leaves, weights)).all()
    assert (np.diag(found) == weights.sum()).all()


@pytest.mark.parametrize(
    "n_leaves", [200, 1000, pytest.param(70_000, marks=pytest.mark.long)], ids=["uint8", "uint16", "int32"]
)
def test_codes_may_be_a_file_that_cannot_be_written_to(n_leaves: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    leaves = rng.integers(0, n_leaves, (30, 8)).astype(np.int32)
    leaves[:15] = leaves[15:]
    kept = LeafTable.from_leaves(leaves, np.full(8, n_leaves)).codes
    np.save(tmp_path / "codes.npy", kept)
    table = LeafTable.from_codes(np.load(tmp_path / "codes.npy", mmap_mode="r"), np.full(8, n_leaves))

    found = sums_of(table, np.arange(8), np.arange(30), np.arange(30))

    assert (found == naive.proximity_matrix(leaves, np.arange(8))).all()


def test_leaves_without_rows_of_the_block_take_no_room() -> None:
    table = LeafTable.from_leaves(np.arange(50_000, dtype=np.int32)[:, None], np.array([50_000]))

    masks = leaf_masks(table.codes, table.offsets, np.arange(100))

    assert masks.words.nbytes == 101 * BLOCK // 8
