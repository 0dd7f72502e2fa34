"""Leaf probabilities without counting rows: P(Y|A) where the tests above a leaf are independent of what is known.

ISM's equation 4 needs the probability that a row in A reaches each leaf of each tree. Where A decides a test on the
path, it is known; where it does not, the share of the training rows at that node is taken, whatever A says. A test
that no training row of a node decides can gain information in this way.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.partitions import Partitions, check_cancelled
from ..ensemble import TreeEnsemble
from ..errors import MethodNotApplicable
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows, Bins
from ..questions.node_conditions import node_conditions
from .bin_boxes import BinBox
from .class_bounds import RawScores, raw_scores
from .reachable_leaves import Forest, RemainingBins, may_go, reached_leaves, remaining_in

Floats = NDArray[np.float64]
_ROWS_AT_ONCE = 4_096  # of a partition, whose leaves are held
_TOLERANCE = 1e-4  # of scores that sums of leaf values reproduce


@dataclass(frozen=True, slots=True)
class IndependentLeaves:
    """An ensemble's leaves, and how often training rows take each side of each node."""

    forest: Forest
    values: Floats  # (n_leaves, n_classes) what each leaf adds to the score of each class
    offsets: Floats  # (n_classes,)
    shares: Floats  # (n_nodes,) of the training rows at a node that go left; 1/2 where there are none

    @classmethod
    def of(
        cls, ensemble: TreeEnsemble, description: ModelDescription, binned: BinnedRows, scores: Floats
    ) -> "IndependentLeaves":
        """Return the leaves of an ensemble, given training rows and its scores of them, (n_rows, n_classes).

        Raises
        ------
        MethodNotApplicable
            If the scores are not sums of leaf values, as those of forests are.
        """
        forest = Forest.of(ensemble, node_conditions(ensemble, description, binned.statements), binned.statements)
        reached = reached_leaves(forest, binned.bins)
        raw = raw_scores(ensemble, reached, scores)
        if raw is None or _largest_difference(raw, reached, scores) >= _TOLERANCE:
            raise not_of_means()
        n_reached = np.bincount(reached.ravel(), minlength=len(raw.values))
        return cls(forest, raw.values, raw.offsets, _left_shares(forest, n_reached))

    @classmethod
    def of_parts(
        cls, ensemble: TreeEnsemble, description: ModelDescription, some: BinnedRows, scores: Floats, parts: Partitions
    ) -> "IndependentLeaves":
        """Return the same of training rows in partitions, each of which has ``bins`` and ``scores``.

        ``some`` are those of ``rows_to_fit``, and ``scores`` are the ensemble's scores of them.
        """
        statements = some.statements
        forest = Forest.of(ensemble, node_conditions(ensemble, description, statements), statements)
        raw = raw_scores(ensemble, reached_leaves(forest, some.bins), scores)
        if raw is None:
            raise not_of_means()
        n_reached = np.zeros(len(raw.values), np.int64)
        for of_part, difference in parts.map(_count_leaves, forest, raw):
            if difference >= _TOLERANCE:
                raise not_of_means()
            n_reached += of_part
        return cls(forest, raw.values, raw.offsets, _left_shares(forest, n_reached))

    def scores(self, box: BinBox) -> Floats:
        """Return P(C|A) of a box, (n_classes,): equation 4, with independent tests."""
        raw = _expected(self.forest, remaining_in(self.forest, box), self.shares, self.values) + self.offsets
        shares: Floats = np.clip(_centred(raw[None])[0], 0, 1)
        return shares


def _centred(raw: Floats) -> Floats:
    return np.asarray(raw - raw.mean(axis=1, keepdims=True) + 1 / raw.shape[1])


def not_of_means() -> MethodNotApplicable:
    """Return the refusal of models whose scores are not means of their leaves'."""
    msg = (
        "`leaf_probabilities: independent` needs scores that are means of the leaves', as those of random forests are; "
        "leave it out."
    )
    return MethodNotApplicable(msg, field="leaf_probabilities")


def _largest_difference(raw: RawScores, reached: NDArray[np.int64], scores: Floats) -> float:
    """Return how far the scores are from those that follow from the leaves that rows reach, (n_rows, n_trees)."""
    return float(np.abs(_centred(raw.values[reached].sum(axis=1) + raw.offsets) - scores).max())


class _BinnedPart(Protocol):
    @property
    def bins(self) -> Bins: ...

    @property
    def scores(self) -> Floats: ...


def _count_leaves(part: _BinnedPart, forest: Forest, raw: RawScores) -> tuple[NDArray[np.int64], float]:
    """Return how many rows of a partition reach each leaf, and how far their scores are from those of the leaves."""
    n_reached, difference = np.zeros(len(raw.values), np.int64), 0.0
    for start in range(0, len(part.scores), _ROWS_AT_ONCE):
        check_cancelled()
        block = slice(start, start + _ROWS_AT_ONCE)
        reached = reached_leaves(forest, np.ascontiguousarray(part.bins[:, block]))
        n_reached += np.bincount(reached.ravel(), minlength=len(n_reached))
        difference = max(difference, _largest_difference(raw, reached, part.scores[block]))
    return n_reached, difference


def _left_shares(forest: Forest, n_reached: NDArray[np.int64]) -> Floats:
    """Return the shares of rows that go left at each node, given how many reach each leaf."""
    n_rows = np.zeros(len(forest.leaf))
    is_leaf = forest.leaf >= 0
    n_rows[is_leaf] = n_reached[forest.leaf[is_leaf]]
    inner = np.flatnonzero(~is_leaf)
    for node in inner[::-1]:  # every child comes after its parent
        n_rows[node] = n_rows[forest.left[node]] + n_rows[forest.right[node]]
    shares = np.full(len(n_rows), 0.5)
    known = inner[n_rows[inner] > 0]
    shares[known] = n_rows[forest.left[known]] / n_rows[known]
    return shares


@compiled
def _expected(forest: Forest, remaining: RemainingBins, shares: Floats, values: Floats) -> Floats:
    """Return the sum of the leaves' values, each weighted by the probability that a row of a box reaches it."""
    total, weights = np.zeros(values.shape[1]), np.zeros(len(forest.leaf))
    for tree in range(len(forest.roots)):
        weights[forest.roots[tree]] = 1.0
    for node in range(len(weights)):
        weight, leaf = weights[node], forest.leaf[node]
        if weight == 0:
            continue
        if leaf >= 0:
            total += weight * values[leaf]
            continue
        goes_left, goes_right = _possible_sides(forest, node, remaining)
        share = shares[node] if goes_left and goes_right else 1.0 if goes_left else 0.0
        weights[forest.left[node]] += weight * share
        weights[forest.right[node]] += weight * (1 - share)
    return total


@inlined
def _possible_sides(forest: Forest, node: int, remaining: RemainingBins) -> Any:  # two of numba's bool
    """Return whether rows of a box can go left at a node, and right."""
    feature = forest.feature[node]
    sides = np.zeros(2, np.bool_)
    if forest.is_set[feature]:
        start = forest.set_starts[feature]
        for bin_ in range(forest.set_starts[feature + 1] - start):
            if remaining.sets[start + bin_]:
                sides[0] |= may_go(forest, np.int64(node), bin_, np.int64(0))
                sides[1] |= may_go(forest, np.int64(node), bin_, np.int64(1))
        return sides[0], sides[1]
    low, high = remaining.low[feature], remaining.high[feature]
    low_side = 0 if forest.low_left[node] else 1
    if low <= high:
        sides[low_side] = low < forest.low_end[node]
        sides[1 - low_side] = high >= forest.greater_from[node]
    if remaining.missing[feature]:
        sides[0] |= forest.missing_both[node] or forest.missing_left[node]
        sides[1] |= forest.missing_both[node] or not forest.missing_left[node]
    return sides[0], sides[1]
