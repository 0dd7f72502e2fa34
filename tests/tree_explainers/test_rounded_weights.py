import numpy as np
import pytest

from tests.support import naive
from tree_explainers.leaf_space.binary_sums import BlockLimits
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.proximity_block_sums import BlockSums
from tree_explainers.leaf_space.rounded_weights import RoundedSums, round_weights

_NEVER = 2**62


def n_masks(weights: list[int]) -> int:
    return sum(weight.bit_count() for weight in weights)


@pytest.mark.parametrize("n_trees", [2, 40, 3000])
def test_rounded_weights_never_make_a_proximity_too_small(n_trees: int) -> None:
    rng = np.random.default_rng(n_trees)
    weights = rng.multinomial(2**31, rng.dirichlet(np.full(n_trees, 0.5)))
    rounded = round_weights(weights)
    assert rounded is not None

    is_shared = rng.random((100, n_trees)) < rng.random((100, 1))
    proximities, sums = is_shared @ weights, is_shared @ rounded.units

    at_most = (sums << rounded.n_dropped) + rounded.left_out
    assert (proximities <= at_most).all()
    assert (at_most - proximities <= weights.sum() / 20).all()
    assert 2 * n_masks(rounded.units.tolist()) <= n_masks(weights.tolist())
    for limits in (proximities - 1, proximities, rng.integers(0, 2**31, 100)):
        assert (sums > rounded.limits(np.maximum(limits, 0)))[proximities > limits].all()


@pytest.mark.parametrize("weights", [[1] * 300, [0, 0], [2**31], [3, 1, 2], [2**20] * 8])
def test_weights_of_few_digits_are_left_alone(weights: list[int]) -> None:
    assert round_weights(np.array(weights)) is None


@pytest.mark.parametrize("n_block", [512, 70])
def test_pairs_that_rounded_weights_leave_open_are_compared(n_block: int) -> None:
    rng = np.random.default_rng(n_block)
    leaves = rng.integers(0, 4, (600, 30)).astype(np.int32)
    weights = rng.integers(0, 2**26, 30)
    table = LeafTable.from_leaves(leaves, np.full(30, 4))
    block, targets = rng.permutation(600)[:n_block], np.arange(3, 400)
    proximity = naive.proximity_matrix(leaves, weights)[np.ix_(targets, block)]
    limits = np.stack([rng.choice(proximity.ravel(), len(targets)), np.zeros(len(targets), dtype=np.int64)])
    of_block = np.quantile(proximity, 0.99, axis=0).astype(np.int64)
    sums_of = BlockSums(table, weights)

    ((part, sums),) = sums_of.of(targets, sums_of.block(table.codes, block))

    assert isinstance(sums, RoundedSums) and part == slice(0, len(targets))  # noqa: PT018  # for the type checker
    found = np.zeros((2, 2, 512), dtype=np.int64)
    sums.tally(limits, found)
    excess = np.maximum(proximity - limits[:, :, None], 0)
    assert (found[1, :, :n_block] == excess.sum(axis=1)).all()
    assert not found[:, :, n_block:].any()
    assert (found[0, :, :n_block] == (excess > 0).sum(axis=1)).all()
    assert listed(sums, limits[0], sums_of.limits(of_block)) == [
        sorted((int(row), int(target), int(proximity[target, row])) for target, row in np.argwhere(is_above))
        for is_above in (proximity > limits[0][:, None], proximity > of_block)
    ]
    never = np.full(len(targets), _NEVER)
    assert listed(sums, never, sums_of.limits(np.full(n_block, _NEVER))) == [[], []]


def listed(sums: RoundedSums, thresholds: np.ndarray, limits: BlockLimits) -> list[list[tuple[int, ...]]]:
    """Return the pairs of both kinds, listed a few at a time."""
    rooms = [(np.empty(600, np.int32), np.empty(600, np.int32), np.empty(600, np.uint32)) for _ in range(2)]
    found: list[list[tuple[int, ...]]] = [[], []]
    target = 0
    while target < len(thresholds):
        *counts, target = sums.list_both(thresholds, limits, target, (rooms[0], rooms[1]))
        for of_kind, room, n_found in zip(found, rooms, counts, strict=True):
            of_kind.extend(zip(*(part[:n_found].tolist() for part in room), strict=True))
    return [sorted(of_kind) for of_kind in found]
