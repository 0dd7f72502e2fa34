"""What the masks of leaves gain when leaves are joined, and adding up masks of which most are nobody's.

Where trees are cut back further, a leaf is made of leaves of the tree before. A row that was in one of these shares its
leaf with the rows of the others then: they are what its mask gains, and in most trees that is nobody.
"""

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from .leaf_masks import (
    MASKS_AT_ONCE,
    MASKS_IN_A_COUNT,
    TARGETS_AT_ONCE,
    WORDS,
    AddingPlan,
    LeafMasks,
    Targets,
    add_count,
    aligned_words,
    copy_mask,
    count_masks,
)

_NONE = np.uint64(0)


def masks_of_nobody(n_leaves: int) -> LeafMasks:
    """Return the masks of leaves that hold no row of a block."""
    return LeafMasks(np.zeros(WORDS, dtype=np.uint64), np.zeros(n_leaves, dtype=np.uint32))


def gained_masks(before: LeafMasks, now: LeafMasks) -> tuple[LeafMasks, int]:
    """Return for each leaf of the uncut trees whom its mask has gained, and how many masks there are.

    Both are by the leaves of the uncut trees, (n_leaves,); of those that were one leaf before, all have the same masks.
    """
    words = aligned_words(len(before.words) + len(now.words))
    positions, known = np.empty_like(now.positions), np.zeros(len(words) // WORDS, dtype=np.uint32)
    n_words = _write_gained(before, now, known, words, positions)
    return LeafMasks(words[:n_words], positions), n_words // WORDS


@compiled
def _write_gained(
    before: LeafMasks,
    now: LeafMasks,
    known: NDArray[np.uint32],
    words: NDArray[np.uint64],
    positions: NDArray[np.uint32],
) -> int:
    """Write the masks; return where the last one ends. ``known`` is 1 more than where those written already begin."""
    words[:WORDS] = 0
    following, n_before = WORDS, len(before.words) // WORDS
    for leaf in range(len(positions)):
        old, new = np.int64(before.positions[leaf]), np.int64(now.positions[leaf])
        # What was nobody's gains all; what was somebody's is of one leaf now.
        index = n_before + new // WORDS if old == 0 else old // WORDS
        if new > 0 and known[index] == 0:
            anybody = _NONE
            for w in range(WORDS):
                gained = now.words[new + w] & ~before.words[old + w]
                words[following + w] = gained
                anybody |= gained
            known[index] = 1 if anybody == _NONE else following + 1
            following += 0 if anybody == _NONE else WORDS
        positions[leaf] = known[index] - np.uint32(1) if new > 0 else np.uint32(0)
    return following


@compiled
def add_some_masks(targets: Targets, masks: LeafMasks, plan: AddingPlan, sums: NDArray[np.uint64]) -> None:
    """Write in how many trees each target's leaf has a row of the block in its mask; see ``leaf_masks.add_masks``.

    Masks of nobody are passed over, so that it takes as long as there are others. The plan is of weights of 1.
    """
    n_targets, last = len(targets.rows), len(plan.ends) - 1
    memory = np.zeros(25 * WORDS, dtype=np.uint64)
    work = memory[-(memory.ctypes.data // 8) % WORDS :]
    lists = np.zeros((TARGETS_AT_ONCE, np.diff(plan.groups).max() + MASKS_AT_ONCE), dtype=np.uint32)
    n_listed = np.zeros(TARGETS_AT_ONCE, dtype=np.int64)
    sums[:] = 0
    for group in range(len(plan.groups) - 1):
        for first in range(0, n_targets, TARGETS_AT_ONCE):
            end = min(first + TARGETS_AT_ONCE, n_targets)
            trees = plan.groups[group], plan.groups[group + 1]
            _list_masks(targets, (first, end), trees, masks, (lists, n_listed))
            for target in range(first, end):
                line, n_masks = lists[target - first], n_listed[target - first]
                line[n_masks : n_masks + MASKS_AT_ONCE] = 0  # the mask of nobody
                for start in range(0, n_masks, MASKS_IN_A_COUNT):
                    work[16 * WORDS :] = 0
                    for chunk in range(start, min(start + MASKS_IN_A_COUNT, n_masks), MASKS_AT_ONCE):
                        for mask in range(MASKS_AT_ONCE):
                            copy_mask(masks.words, line[chunk + mask], work, mask)
                        count_masks(work, plan.n_words)
                    add_count(work, sums[target], plan, last)


@compiled_for_loops
def _list_masks(
    targets: Targets,
    some: tuple[int, int],
    trees: tuple[int, int],
    masks: LeafMasks,
    room: tuple[NDArray[np.uint32], NDArray[np.int64]],
) -> None:
    """List where the masks of some targets' leaves in some trees begin, without those of nobody, and count them."""
    lists, n_listed = room
    n_listed[:] = 0
    for tree in range(trees[0], trees[1]):
        codes, of_tree = targets.codes[tree], masks.positions[targets.offsets[tree] : targets.offsets[tree + 1]]
        for target in range(some[1] - some[0]):
            position = of_tree[np.uint64(codes[np.uint64(targets.rows[some[0] + target])])]
            lists[target, n_listed[target]] = position  # over the last one, if that was nobody's
            n_listed[target] += position != 0
