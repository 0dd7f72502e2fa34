"""A regularised random forest on rules: which of many rules are relevant, and not implied by others.

Rules are columns of zeros and ones, held as bits, 64 rows to a word; gains are counted by the bits in common.

References
----------
Deng, Runger (2012), "Feature Selection via Regularized Trees", algorithm 1; Deng (2014), "Interpreting Tree Ensembles
with inTrees", section on complexity-guided condition selection.
"""

from collections import deque
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.progress import ReportProgress, ignore_progress
from .tree_paths import packed

Words = NDArray[np.uint64]

SELECTING = "selecting rules"  # the stage that progress reports name
_ROUNDING = 1e-12  # gains below this share are rounding errors
_SHARE_OF_ROWS = 0.632  # that each tree sees, drawn without replacement: as many as differ in a bootstrap sample


@dataclass(frozen=True, slots=True)
class RuleForestSettings:
    """The forest of the paper's program: few small trees, each split sought among half of the rules."""

    n_trees: int = 50
    max_leaves: int = 10
    share_of_rules: float = 0.5  # that are examined at each split, beside those that are used already
    coefficient: float = 0.95  # by which the gain of a rule that is not used yet is multiplied …
    length_penalty: float = 0.01  # … less this times the rule's length, relative to the longest


def rule_importances(
    fires: Words,
    lengths: NDArray[np.int64],
    classes: NDArray[np.int64],
    settings: RuleForestSettings,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
) -> NDArray[np.float64]:
    """Return the importance of each rule: its decrease of the Gini index, summed over the forest, (n_rules,).

    Trees are grown one after the other, each breadth first, on a sample of rows. A rule is used once some tree of the
    forest has split by it; used rules are examined at every split, unused ones where they are drawn.

    Parameters
    ----------
    fires : (n_rules, n_words) uint64
        The rows for which each rule holds, as ``packed`` packs them.
    lengths : (n_rules,)
        Number of conditions, 1 or more.
    classes : (n_rows,) int64
        The rows' classes, 0 or more.
    settings
        Of the forest.
    rng
        Draws the rows of each tree and the rules of each split. Ties go to the rule that was drawn first.
    report
        Called with the share of trees that are grown; may raise to stop.
    """
    n_rows, penalties = len(classes), settings.coefficient - settings.length_penalty * lengths / lengths.max()
    of_class = np.array([packed(classes == each) for each in range(classes.max() + 1)])
    importances, is_used = np.zeros(len(fires)), np.zeros(len(fires), np.bool_)
    for tree in range(settings.n_trees):
        report(tree / settings.n_trees, SELECTING)
        sample = np.zeros(n_rows, np.bool_)
        sample[rng.permutation(n_rows)[: ceil(_SHARE_OF_ROWS * n_rows)]] = True
        waiting, n_leaves = deque([packed(sample)]), 1
        while waiting and n_leaves < settings.max_leaves:
            node = waiting.popleft()
            drawn = rng.permutation(len(fires))
            examined = drawn[_is_examined(is_used[drawn], settings.share_of_rules)]
            best, gain = best_rule(fires, of_class, node, examined, np.where(is_used, 1.0, penalties))
            if best < 0:
                continue
            is_used[best] = True
            importances[best] += gain
            n_leaves += 1
            waiting.extend((node & fires[best], node & ~fires[best]))
    return importances


def _is_examined(is_used: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """Return which of the rules drawn are examined: all that are used, and the first of the others."""
    n_unused = max(1, int(share * len(is_used)))
    examined: NDArray[np.bool_] = is_used | (np.cumsum(~is_used) <= n_unused)
    return examined


@compiled
def best_rule(
    fires: Words, of_class: Words, node: Words, examined: NDArray[np.int64], factors: NDArray[np.float64]
) -> tuple[int, float]:
    """Return the rule whose gain times its factor is greatest, and its gain; -1 and 0 where none divides the rows.

    The gain is the decrease of the Gini index times the number of rows.
    """
    n_classes = len(of_class)
    inside, totals = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    for word in range(len(node)):
        for each in range(n_classes):
            totals[each] += n_bits(of_class[each, word] & node[word])
    before = _purity(totals)
    best, best_gain, best_weighted = -1, 0.0, _ROUNDING * before
    for rule in examined:
        inside[:] = 0
        for word in range(len(node)):
            both = fires[rule, word] & node[word]
            for each in range(n_classes):
                inside[each] += n_bits(of_class[each, word] & both)
        gain = _purity(inside) + _purity(totals - inside) - before
        if gain * factors[rule] > best_weighted and 0 < inside.sum() < totals.sum():
            best, best_gain, best_weighted = rule, gain, gain * factors[rule]
    return best, best_gain


@inlined
def _purity(counts: NDArray[np.int64]) -> float:
    """Return the sum of squared counts over their sum; 0 without any."""
    total, squares = 0, 0.0
    for count in counts:
        total += count
        squares += float(count) * count
    return squares / total if total else 0.0


@inlined
def n_bits(word: np.uint64) -> int:
    """Return how many bits of a word are 1."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
