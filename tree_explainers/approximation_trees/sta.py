"""Single tree approximation: a tree whose questions are chosen by tests on pseudo rows that the ensemble answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.conditions import Condition
from ..rows import Rows
from .candidates import Candidates, candidates_of
from .node_boxes import NodeBox
from .oracle import AnswerScale, Floats, Oracle, ask_about
from .pseudo_samples import Answers, PseudoSample
from .smoothing import Smoother
from .split_choice import FIRST_SIZE, choose_split
from .tree_growth import Examined, Heartbeat, Parting, TreeLimits, grow
from .trees import ApproximationTree, NodeFacts, facts_of


@dataclass(frozen=True, slots=True)
class StaSettings:
    """How a tree is grown."""

    limits: TreeLimits = field(default_factory=TreeLimits)
    significance: float = 0.1  # in (0, 1): the summed p-value at which a question counts as sure
    max_pseudo_samples: int = 100_000  # at each node, at least 1; N_ps in the paper


def grow_sta(
    rows: Rows,
    oracle: Oracle,
    settings: StaSettings,
    rng: np.random.Generator,
    missing_texts: Mapping[str, str] | None = None,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Grow a tree that stands for an ensemble.

    A node's candidates come from the training rows that reach it (``candidates_of``); the best is chosen on pseudo rows
    near those rows (``Smoother``) by ``choose_split``. A leaf says the mean answer of the pseudo rows that reached it
    in the last sample of its parent; a node that asks, that of its own. A node stays a leaf where no more depth is
    allowed, no candidate leaves enough training rows on both sides, or the model says the same of all pseudo rows.

    Parameters
    ----------
    rows
        Training rows, at least one.
    oracle
        Answers with shares of classes, (n_rows, n_classes), or values, (n_rows, 1).
    settings
        Limits, significance and cap.
    rng
        Source of the pseudo rows. Each node has a seed of its own, so the order of growth does not matter, nor the
        number of cores.
    missing_texts
        By column: a text that stands for a missing category.
    report
        Told how far training rows are on their way to leaves, also while a node's rows are drawn; may raise to stop.

    Raises
    ------
    RowRefused
        Where the model does not take a row.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", algorithm 1. doi:10.48550/arXiv.1610.09036
    """
    texts = dict(missing_texts or {})
    heart = Heartbeat(report)
    grower = _Grower.of(rows, oracle, settings, texts, heart)
    seed = np.random.SeedSequence(rng.integers(2**63, size=4).tolist())
    root = _Node(np.arange(len(rows)), NodeBox(texts), seed, None)
    return ApproximationTree(grow(root, grower.examine, settings.limits, heart), texts)


@dataclass(frozen=True, slots=True)
class _Node:
    rows: NDArray[np.int64]  # training rows that reach the node
    box: NodeBox
    seed: np.random.SeedSequence
    scores: Floats | None  # (n_scores,) from the parent's pseudo rows; None at the root


@dataclass(frozen=True, slots=True)
class _Grower:
    """Examines nodes of one tree."""

    rows: Rows
    answers: Floats  # (n_rows, n_scores) what the model says of the training rows
    oracle: Oracle
    settings: StaSettings
    missing_texts: Mapping[str, str]
    smoother: Smoother
    scale: AnswerScale
    heart: Heartbeat

    @classmethod
    def of(
        cls, rows: Rows, oracle: Oracle, settings: StaSettings, missing_texts: Mapping[str, str], heart: Heartbeat
    ) -> "_Grower":
        answers = ask_about(rows, oracle, heart)
        smoother = Smoother.of(rows, missing_texts, heart.beat)
        scale = AnswerScale.of(answers, is_classifier=oracle.is_classifier)
        return cls(rows, answers, oracle, settings, missing_texts, smoother, scale, heart)

    def examine(self, node: _Node, n_levels: int) -> Examined[_Node, Condition]:
        """Find a node's question; see ``grow_sta`` for when there is none."""
        if n_levels == 0 and node.scores is not None:
            return Examined(self._facts(node.scores, node), None)
        at_node = self.rows.take(node.rows)
        found = candidates_of(at_node, self.missing_texts, self.settings.limits.min_samples_leaf, self.heart.beat)
        if n_levels == 0 or found.n_candidates == 0:
            scores = self._first_scores(node, at_node) if node.scores is None else node.scores
            return Examined(self._facts(scores, node), None)
        return self._parted(node, at_node, found)

    def _parted(self, node: _Node, at_node: Rows, found: Candidates) -> Examined[_Node, Condition]:
        center = self.answers[node.rows].mean(axis=0)
        own, *below = node.seed.spawn(3)
        sample = PseudoSample(
            partial(self.smoother.draw, at_node, node.box), partial(self._ask, center), found, own, self.heart.beat
        )
        most_rows = self.settings.max_pseudo_samples
        choice = choose_split(sample, self.scale.n_targets, self.settings.significance, most_rows)
        facts = self._facts(self.scale.scores(choice.mean, center), node, sample.n_rows)
        if choice.candidate is None:
            return Examined(facts, None)
        condition = sample.candidates.condition(choice.candidate)
        means = (self.scale.scores(mean, center) for mean in (choice.mean_left, choice.mean_right))
        goes_left = NodeBox(self.missing_texts).below(condition, holds=True).contains(at_node)
        sides = (node.rows[goes_left], node.rows[~goes_left])
        left, right = (
            _Node(rows, node.box.below(condition, holds=holds), seed, mean)
            for rows, holds, seed, mean in zip(sides, (True, False), below, means, strict=True)
        )
        improvement = choice.gain * len(node.rows) / len(self.rows)
        return Examined(facts, Parting(condition, left, right, improvement, choice.confidence))

    def _facts(self, scores: Floats, node: _Node, n_pseudo_samples: int = 0) -> NodeFacts:
        return facts_of(scores, len(node.rows), n_pseudo_samples, is_classifier=self.scale.is_classifier)

    def _ask(self, center: Floats, rows: Rows) -> Answers:
        return self.scale.targets(self.oracle.ask(rows), center)

    def _first_scores(self, node: _Node, at_node: Rows) -> Floats:
        rows = self.smoother.draw(at_node, node.box, FIRST_SIZE, np.random.default_rng(node.seed))
        scores: Floats = self.oracle.ask(rows).mean(axis=0)
        return scores
