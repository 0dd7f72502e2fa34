"""CART among the candidates of STA: one draw of pseudo rows, and the best candidate of each node, untested."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tree_explainers.approximation_trees.candidate_splits import candidates_of
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.split_choice import best_split
from tree_explainers.approximation_trees.split_sums import SplitSums
from tree_explainers.approximation_trees.tree_growth import ExaminedNode, Split, TreeLimits, grow
from tree_explainers.approximation_trees.trees import ApproximationTree, facts_of
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

from .oracles import OracleCase
from .records import GENERATOR

_Reached = tuple[NDArray[np.int64], NDArray[np.int64]]  # training rows and pseudo rows that reach a node


def grow_among_candidates(
    case: OracleCase, limits: TreeLimits, n_pseudo: int, rng: np.random.Generator
) -> ApproximationTree:
    """Grow CART whose thresholds are values and midpoints of training rows, so that two trees can be the same."""
    drawn = Smoother.of(case.rows, {}, GENERATOR).draw(case.rows, NodeBox({}), n_pseudo, rng)
    grower = _Grower(case.rows, drawn, case.oracle.predict(drawn), limits.min_samples_leaf)
    root = np.arange(len(case.rows)), np.arange(n_pseudo)
    return ApproximationTree(grow(root, grower.examine, limits), {})


@dataclass(frozen=True, slots=True)
class _Grower:
    rows: Rows
    drawn: Rows
    answers: NDArray[np.float64]  # (n_pseudo, n_scores)
    min_samples_leaf: int

    def examine(self, reached: _Reached, n_levels: int) -> ExaminedNode[_Reached, Condition]:
        """Find the candidate that parts the pseudo rows best."""
        training, pseudo = reached
        own = self.answers[pseudo]
        facts = facts_of(own.mean(axis=0), len(training), len(pseudo), is_classifier=True)
        candidates = candidates_of(self.rows.take(training), {}, self.min_samples_leaf)
        if n_levels == 0 or candidates.n_candidates == 0:
            return ExaminedNode(facts, None)
        sums = SplitSums.of(candidates, own.shape[1])
        bins = candidates.bins_of(self.drawn.take(pseudo))
        sums.add(bins, own - own.mean(axis=0), np.zeros(len(pseudo), np.uint8))
        best = best_split(sums)
        condition = candidates.condition(best)
        left = candidates.sends_left(best, bins)
        trained_left = NodeBox({}).below(condition, holds=True).contains(self.rows.take(training))
        sides = ((training[trained_left], pseudo[left]), (training[~trained_left], pseudo[~left]))
        return ExaminedNode(facts, Split(condition, *sides, improvement=0.0) if 0 < left.sum() < len(left) else None)
