"""Single tree approximation (STA): a tree whose splits are chosen by tests on pseudo rows labelled by the ensemble.

It suits every model that can be evaluated on raw rows, whatever its trees read, for any number of classes and for
regression.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.conditions import Condition
from ..questions.implications import Implications
from ..rows import Rows
from .candidate_splits import Candidates, GivenSplits, candidates_of
from .generators import Draw, GeneratorSettings, row_generator
from .look_ahead import N_ROWS, LookAhead
from .node_boxes import NodeBox
from .oracle import Floats, Oracle, TargetTransform, predict_in_blocks
from .possible_rows import PossibleRows
from .pseudo_samples import PseudoSample, Targets
from .size_choice import before_cutting_back, validated, with_best_leaves
from .split_choice import FIRST_SIZE, Compare, Prefer, choose_split
from .tree_growth import ExaminedNode, RepeatableProgress, Split, TreeLimits, grow
from .trees import ApproximationTree, NodeFacts, facts_of

N_VALIDATION_ROWS = 10_000  # fresh pseudo rows on which the leaves and the depth are chosen


@dataclass(frozen=True, slots=True)
class StaSettings:
    """How a tree is grown."""

    limits: TreeLimits = field(default_factory=TreeLimits)
    significance: float = 0.1  # in (0, 1): the summed p-value at which a split counts as reliable
    max_pseudo_samples: int = 100_000  # at each node, at least 1; N_ps in the paper
    implications: Implications = field(default_factory=Implications)  # by which pseudo rows are repaired
    generator: GeneratorSettings = field(default_factory=GeneratorSettings)  # of pseudo rows
    compare: Compare = "all"  # other candidates whose p-values are summed
    significance_level_of: Literal["node", "tree"] = "node"  # "tree": shared by all nodes that may be split
    choose_by: Literal["gain", "fidelity"] = "fidelity"  # among candidates that the test cannot separate, and leaves
    candidates: Mapping[str, GivenSplits] | None = None  # the caller's own; None: the training rows suggest them
    validates_depth: bool = False  # the limit is the largest depth; that of the tree is found on fresh pseudo rows

    @property
    def significance_of_node(self) -> float:
        """The significance of the test at one node: of a tree, an equal part for each split (Bonferroni)."""
        if self.significance_level_of == "node":
            return self.significance
        n_splits = 2.0 ** min(self.limits.max_depth, 60) - 1
        return self.significance / min(n_splits, (self.grown.max_leaves or np.inf) - 1)

    @property
    def grown(self) -> TreeLimits:
        """The limits of the tree that is cut back to the limits of the result."""
        return before_cutting_back(self.limits) if self.choose_by == "fidelity" else self.limits


def grow_sta(
    rows: Rows,
    oracle: Oracle,
    settings: StaSettings,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow a tree that represents an ensemble.

    A node's candidates come from the training rows that reach it (``candidates_of``); the best is chosen on pseudo rows
    like those rows (``row_generator``) by ``choose_split``. A leaf predicts the mean scores of the pseudo rows that
    reached it in the last sample of its parent; an inner node those of its own sample. A node remains a leaf if no more
    depth is allowed, no candidate leaves enough training rows on both sides, or the model predicts the same for all
    pseudo rows. Where the number of leaves is limited and ``choose_by`` is ``fidelity``, a tree of up to three times as
    many is cut back to the most faithful one, on the training rows and as much on fresh pseudo rows.

    Parameters
    ----------
    rows
        Training rows, at least one.
    oracle
        Predicts shares of classes, (n_rows, n_classes), or values, (n_rows, 1).
    settings
        Limits, significance and cap.
    rng
        Source of the pseudo rows. Each node has a seed of its own, so neither the order of growth nor the number of
        cores matters.
    missing_texts
        By column: a text that represents a missing category.
    report
        Called with the progress of training rows towards leaves, also while a node's rows are drawn; may raise to stop.

    Raises
    ------
    RowRefused
        If the model does not accept a row.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", algorithm 1. doi:10.48550/arXiv.1610.09036
    """
    texts = dict(missing_texts or {})
    progress = RepeatableProgress(report)
    grower = _Grower.of(rows, oracle, settings, texts, progress.repeat)
    seed = np.random.SeedSequence(rng.integers(2**63, size=4).tolist())
    root = _Node(np.arange(len(rows)), NodeBox(texts), seed, None)
    tree = ApproximationTree(grow(root, grower.examine, settings.grown, progress), texts)
    return grower.cut_back(tree, rng)


@dataclass(frozen=True, slots=True)
class _Node:
    rows: NDArray[np.int64]  # training rows that reach the node
    box: NodeBox
    seed: np.random.SeedSequence
    scores: Floats | None  # (n_scores,) from the parent's pseudo rows; None at the root


@dataclass(frozen=True, slots=True)
class _Grower:
    """Examines the nodes of one tree."""

    rows: Rows
    scores: Floats  # (n_rows, n_scores) of the training rows
    oracle: Oracle
    settings: StaSettings
    missing_texts: Mapping[str, str]
    pseudo_rows: PossibleRows
    transform: TargetTransform
    report: ReportProgress  # of the progress within a node

    @classmethod
    def of(
        cls,
        rows: Rows,
        oracle: Oracle,
        settings: StaSettings,
        missing_texts: Mapping[str, str],
        report: ReportProgress,
    ) -> "_Grower":
        scores = predict_in_blocks(rows, oracle, report)
        pseudo_rows = PossibleRows(
            row_generator(rows, missing_texts, settings.generator, report), settings.implications
        )
        transform = TargetTransform.of(scores, is_classifier=oracle.is_classifier)
        return cls(rows, scores, oracle, settings, missing_texts, pseudo_rows, transform, report)

    def examine(self, node: _Node, n_levels: int) -> ExaminedNode[_Node, Condition]:
        """Find a node's split; see ``grow_sta`` for when there is none."""
        if n_levels == 0 and node.scores is not None:
            return ExaminedNode(self._facts(node.scores, node), None)
        at_node = self.rows.take(node.rows)
        least, given = self.settings.limits.min_samples_leaf, self.settings.candidates
        candidates = candidates_of(at_node, self.missing_texts, least, self.report, given)
        if n_levels == 0 or candidates.n_candidates == 0:
            scores = self._root_scores(node, at_node) if node.scores is None else node.scores
            return ExaminedNode(self._facts(scores, node), None)
        return self._split(node, at_node, candidates, n_levels)

    def cut_back(self, tree: ApproximationTree, rng: np.random.Generator) -> ApproximationTree:
        """Return a tree cut back to the leaves that may stay, and to the depth that fresh pseudo rows confirm."""
        is_classifier, max_leaves = self.transform.is_classifier, self.settings.limits.max_leaves
        if max_leaves is not None and tree.n_leaves > max_leaves:
            samples = ((self.rows, self.scores), self._fresh(rng))
            tree = with_best_leaves(tree, max_leaves, samples, is_classifier=is_classifier)
        if self.settings.validates_depth:
            tree = validated(tree, *self._fresh(rng), is_classifier=is_classifier)
        return tree

    def _fresh(self, rng: np.random.Generator) -> tuple[Rows, Floats]:
        """Return pseudo rows like all training rows, and the model's scores of them."""
        rows = self.pseudo_rows.at_node(self.rows, NodeBox(self.missing_texts))(N_VALIDATION_ROWS, rng)
        return rows, predict_in_blocks(rows, self.oracle, self.report)

    def _split(
        self, node: _Node, at_node: Rows, candidates: Candidates, n_levels: int
    ) -> ExaminedNode[_Node, Condition]:
        center = self.scores[node.rows].mean(axis=0)
        sample_seed, *seeds, ahead = node.seed.spawn(4)
        draw, label = self.pseudo_rows.at_node(at_node, node.box), partial(self._targets, center)
        sample = PseudoSample(draw, label, candidates, sample_seed, self.report, n_at_once=self.oracle.n_at_once)
        choice = choose_split(
            sample,
            self.transform.n_targets,
            self.settings.significance_of_node,
            self.settings.max_pseudo_samples,
            compare=self.settings.compare,
            prefer=self._look_ahead(draw, len(node.rows), n_levels, ahead),
        )
        facts = self._facts(self.transform.scores(choice.mean, center), node, sample.n_rows)
        if choice.candidate is None:
            return ExaminedNode(facts, None)
        condition = sample.candidates.condition(choice.candidate)
        means = (self.transform.scores(mean, center) for mean in (choice.mean_left, choice.mean_right))
        goes_left = NodeBox(self.missing_texts).below(condition, holds=True).contains(at_node)
        sides = (node.rows[goes_left], node.rows[~goes_left])
        left, right = (
            _Node(rows, node.box.below(condition, holds=holds), seed, mean)
            for rows, holds, seed, mean in zip(sides, (True, False), seeds, means, strict=True)
        )
        improvement = choice.gain * len(node.rows) / len(self.rows)
        return ExaminedNode(facts, Split(condition, left, right, improvement, choice.confidence))

    def _look_ahead(self, draw: Draw, n_rows: int, n_levels: int, seed: np.random.SeedSequence) -> Prefer | None:
        """Return what chooses among candidates that the test cannot separate; ``None``: the gain does."""
        if self.settings.choose_by == "gain":
            return None
        least = max(1, round(self.settings.limits.min_samples_leaf * N_ROWS / n_rows))
        limits = TreeLimits(n_levels - 1, least)
        return LookAhead(draw, self.oracle.predict, self.transform, self.missing_texts, limits, seed).prefer

    def _facts(self, scores: Floats, node: _Node, n_pseudo_samples: int = 0) -> NodeFacts:
        return facts_of(scores, len(node.rows), n_pseudo_samples, is_classifier=self.transform.is_classifier)

    def _targets(self, center: Floats, rows: Rows) -> Targets:
        return self.transform.targets(self.oracle.predict(rows), center)

    def _root_scores(self, node: _Node, at_node: Rows) -> Floats:
        """Return the mean scores at a root that is not split, from pseudo rows of its own."""
        rows = self.pseudo_rows.at_node(at_node, node.box)(FIRST_SIZE, np.random.default_rng(node.seed))
        scores: Floats = self.oracle.predict(rows).mean(axis=0)
        return scores
