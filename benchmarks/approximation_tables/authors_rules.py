"""STA by the rules of the authors' published program, where these differ from the paper's text.

Five rivals alone are compared with the best candidate; the factor 2 of equation (4) is left out; pseudo rows are
clamped to the border of a node instead of drawn again; from 10,000 pseudo rows on, the variance stays. Which five is
not known: here those of the largest gains, found again in each test.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from tree_explainers.approximation_trees.candidate_splits import candidates_of
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import TargetTransform, predict_in_blocks
from tree_explainers.approximation_trees.pseudo_samples import PseudoSample
from tree_explainers.approximation_trees.split_choice import FIRST_SIZE, Comparison, best_split, compare_with, next_size
from tree_explainers.approximation_trees.split_sums import SplitSums
from tree_explainers.approximation_trees.tree_growth import ExaminedNode, Split, TreeLimits, grow
from tree_explainers.approximation_trees.trees import ApproximationTree, Confidence, facts_of
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

from .oracles import OracleCase

N_RIVALS = 5
FROZEN_FROM = 10_000  # pseudo rows, from which on the variance stays
_LEAST_GAIN = 1e-12
Floats = NDArray[np.float64]


def grow_by_authors_rules(  # what the paper's algorithm takes
    case: OracleCase,
    limits: TreeLimits,
    smoother: Smoother,
    significance: float,
    n_pseudo: int,
    rng: np.random.Generator,
) -> ApproximationTree:
    """Grow a tree by the rules of the program; otherwise as ``grow_sta``."""
    scores = predict_in_blocks(case.rows, case.oracle, ignore_progress)
    transform = TargetTransform.of(scores, is_classifier=True)
    grower = _Grower(case, scores, transform, smoother, limits, significance, n_pseudo)
    seed = np.random.SeedSequence(rng.integers(2**63, size=4).tolist())
    root = _Node(np.arange(len(case.rows)), NodeBox({}), seed, scores.mean(axis=0))
    return ApproximationTree(grow(root, grower.examine, limits), {})


@dataclass(frozen=True, slots=True)
class _Node:
    rows: NDArray[np.int64]  # training rows that reach the node
    box: NodeBox
    seed: np.random.SeedSequence
    scores: Floats  # (n_scores,) from the parent's pseudo rows


@dataclass(frozen=True, slots=True)
class _Grower:
    case: OracleCase
    scores: Floats  # (n_rows, n_scores) of the training rows
    transform: TargetTransform
    smoother: Smoother
    limits: TreeLimits
    significance: float
    n_pseudo: int

    def examine(self, node: _Node, n_levels: int) -> ExaminedNode[_Node, Condition]:
        """Find a node's split by the program's test."""
        at_node = self.case.rows.take(node.rows)
        found = candidates_of(at_node, {}, self.limits.min_samples_leaf)
        facts = facts_of(node.scores, len(node.rows), is_classifier=True)
        if n_levels == 0 or found.n_candidates == 0:
            return ExaminedNode(facts, None)
        center = self.scores[node.rows].mean(axis=0)
        own, *seeds = node.seed.spawn(3)
        sample = PseudoSample(
            lambda n, rng: clamped(self.smoother.draw(at_node, NodeBox({}), n, rng), node.box),
            lambda rows: self.transform.targets(self.case.oracle.predict(rows), center),
            found,
            own,
            ignore_progress,
        )
        sums, compared, confidence = self._tested(sample)
        if compared.gains[compared.best] <= _LEAST_GAIN:
            return ExaminedNode(facts, None)
        condition = found.condition(compared.best)
        goes_left = NodeBox({}).below(condition, holds=True).contains(at_node)
        means = self._means(sums, center)
        left, right = (
            _Node(node.rows[side], node.box.below(condition, holds=holds), seed, mean)
            for side, holds, seed, mean in zip((goes_left, ~goes_left), (True, False), seeds, means, strict=True)
        )
        return ExaminedNode(facts, Split(condition, left, right, 0.0, confidence))

    def _tested(self, sample: PseudoSample) -> tuple[SplitSums, Comparison, Confidence]:
        """Compare the best with its rivals on more and more pseudo rows."""
        size, frozen = min(FIRST_SIZE, self.n_pseudo), None
        sums = sample.summed(self.transform.n_targets, None, size)
        best = -1
        while True:
            if best_split(sums) != best:
                best = best_split(sums)
                sums = sample.summed(self.transform.n_targets, best)
            compared = compare_with(sums, best, sample.rows(best))
            p_value = rivals_p_value(compared, compared.variances if frozen is None else frozen)
            if p_value <= self.significance or size >= self.n_pseudo:
                return sums, compared, Confidence(p_value, at_cap=p_value > self.significance)
            if frozen is None and size >= FROZEN_FROM:
                frozen = compared.variances
            size = next_size(size, p_value, self.significance, self.n_pseudo)
            sample.grow(sums, size, best)

    def _means(self, sums: SplitSums, center: Floats) -> tuple[Floats, Floats]:
        """Return the mean scores on the left and on the right of the best."""
        right, left = (side[1:] / max(1.0, side[0]) for side in sums.totals[:, : 1 + sums.n_targets])
        return self.transform.scores(left, center), self.transform.scores(right, center)


def rivals_p_value(compared: Comparison, variances: Floats) -> float:
    """Return the summed p-value of the five candidates of the largest gains after the best, without the factor 2."""
    counted = np.flatnonzero(compared.counted)
    rivals = counted[np.argsort(-compared.gains[counted], kind="stable")[:N_RIVALS]]
    differences = compared.gains[compared.best] - compared.gains[rivals]
    spread = np.sqrt(variances[rivals] / compared.n_rows)
    away = np.divide(differences, spread, out=np.where(differences > 0, inf, 0.0), where=spread > 0)
    return min(1.0, float(ndtr(-away).sum()))


def clamped(rows: Rows, box: NodeBox) -> Rows:
    """Return rows of numbers with values outside a node's box moved to its border; a lower border is outside."""
    columns = []
    for name, values in zip(rows.names, rows.columns, strict=True):
        within = box.range_of(name)
        low = np.nextafter(within.low, inf) if within.low > -inf else -inf
        columns.append(np.clip(values, low, within.high))
    return Rows(rows.names, tuple(columns))
