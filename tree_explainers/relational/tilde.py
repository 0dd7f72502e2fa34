"""TILDE: top-down induction of first-order trees (Blockeel & De Raedt 1998; Van Assche & Blockeel 2007, table 1).

Each node tests whether one component of its query, with the node's own condition, succeeds. All other components
succeeded above. So the test is closed: a column of a table of examples.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..compute.threads import in_order
from ..errors import MethodNotApplicable
from .bindings import Bindings, Component, Joins
from .c45_pruning import prune
from .candidate_families import Candidate, Families, satisfying
from .candidate_scores import TIE, Targets, logs_of, mixed
from .candidate_tests import Candidates, Node
from .closed_tests import closed_test, refined_query
from .column_values import TableColumns
from .node_goals import NodeGoal
from .queries import EXAMPLE, AggregateTerm
from .tables import MISSING, RelationalRows
from .tilde_trees import TildeNode, TildeSettings, TildeTree

_ALONE = 5_000  # bindings of a node up to which threads cost more than they save


def grow_tilde(
    rows: RelationalRows,
    weights: NDArray[np.float64],
    settings: TildeSettings,
    key: tuple[int, int] = (0, 0),
    report: ReportProgress = ignore_progress,
    n_threads: int | None = None,
) -> TildeTree:
    """Grow one tree.

    Parameters
    ----------
    rows
        All tables, with labels; or with values, and no labels: a tree of regression, which reduces the variance.
    weights
        (n_examples,) what each example counts: 1, or how often a bootstrap drew it; those of weight 0 or without a
        label (or value) are not learned from.
    settings
        How it is grown.
    key
        Seed and number of the tree: what ``test_share`` keeps depends on them, the node's path and the test alone.
    report
        Progress callback; may raise to stop.
    n_threads
        Threads that share the tests of a node; None: one for each core. The tree is the same with any number.

    Raises
    ------
    MethodNotApplicable
        No example counts.
    """
    goal = _goal(rows, weights)
    families = Families(rows, settings, TableColumns(rows, settings.language, settings.n_bins), Joins(rows))
    tree = _Growth(Candidates(families), goal, report, n_threads).grow(mixed(*key))
    return prune(tree) if settings.pruning == "c45" and goal.n_classes > 0 else tree


@dataclass(frozen=True, slots=True)
class _Goal:
    """The targets, and what a leaf predicts for the examples in it."""

    learned: NDArray[np.int32]  # examples, ascending
    targets: Targets
    means: NDArray[np.float64]  # (n_examples,) the values whose means are predicted; none where there are classes
    n_classes: int  # 0 in regression
    logs: NDArray[np.float64]

    def totals(self, examples: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the weight of each class; in regression the weight and the weighted sum of the targets."""
        labels, weights, values = self.targets
        if self.n_classes == 0:
            return np.array([weights[examples].sum(), weights[examples] @ values[examples]])
        return np.bincount(labels[examples], weights[examples], self.n_classes).astype(np.float64)

    def leaf(self, examples: NDArray[np.int32], totals: NDArray[np.float64]) -> TildeNode:
        """Return a node that predicts for these examples."""
        if self.n_classes > 0:
            return TildeNode(totals)
        return TildeNode(totals[:1], mean=float(np.average(self.means[examples], weights=self.targets[1][examples])))


def _goal(rows: RelationalRows, weights: NDArray[np.float64]) -> _Goal:
    """Return what is predicted, of the examples that count: classes, or else values, scaled to a variance of 1."""
    exact, nothing = weights.astype(np.float64), np.empty(0)
    if rows.labels is not None or rows.values is None:
        labels = np.full(rows.n_examples, MISSING) if rows.labels is None else rows.labels
        learned = _learned(labels >= 0, exact)
        targets = (labels.astype(np.int32), exact, nothing)
        return _Goal(learned, targets, nothing, len(rows.classes), logs_of(exact[learned]))
    learned = _learned(~np.isnan(rows.values), exact)
    spread = float(rows.values[learned].std())
    scaled = (rows.values - rows.values[learned].mean()) / (spread or 1.0)
    return _Goal(learned, (np.zeros(rows.n_examples, np.int32), exact, scaled), rows.values, 0, nothing)


def _learned(known: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.int32]:
    learned = np.flatnonzero(known & (weights > 0)).astype(np.int32)
    if len(learned) == 0:
        detail = "No example has a label and a weight above 0. Give labels to some examples."
        raise MethodNotApplicable(detail)
    return learned


@dataclass(slots=True)
class _Growth:
    """One tree while it grows: nodes are settled depth first, the yes-branch before the no-branch."""

    candidates: Candidates
    goal: _Goal
    report: ReportProgress
    n_threads: int | None
    nodes: list[TildeNode] = field(default_factory=list)
    settled: float = 0.0  # weight of the examples in leaves

    def grow(self, key: int) -> TildeTree:
        """Grow from the root."""
        waiting = [(Node(self.goal.learned, (), (), key, 0), -1, False)]
        while waiting:
            node, parent, is_yes = waiting.pop()
            index = len(self.nodes)
            if parent >= 0:
                above = self.nodes[parent]
                self.nodes[parent] = replace(above, yes=index) if is_yes else replace(above, no=index)
            below = self._settle(node)
            del node  # its bindings are not held while its children grow
            # The no-branch, then the yes-branch, which is settled first.
            waiting.extend((child, index, child is below[-1]) for child in below)
        return TildeTree(tuple(self.nodes), tuple(self.candidates.skipped.values()))

    def _settle(self, node: Node) -> tuple[Node, ...]:
        """Add a node, and return its children, the no-branch first; none of a leaf."""
        totals = self.goal.totals(node.examples)
        leaf = self.goal.leaf(node.examples, totals)
        candidate = self._best(node, totals)
        if candidate is None:
            self.nodes.append(leaf)
            self.settled += float(leaf.class_weights.sum())
            return ()
        self.nodes.append(replace(leaf, test=closed_test(candidate, node.component(candidate.component))))
        return branches(self.candidates.families, node, candidate)

    def _best(self, node: Node, totals: NDArray[np.float64]) -> Candidate | None:
        """Return the first best test of a node; None where it is a leaf."""
        settings = self.candidates.families.settings
        too_deep = settings.max_depth is not None and node.depth >= settings.max_depth
        pure = self.goal.n_classes > 0 and np.count_nonzero(totals) <= 1
        weight = float(totals.sum() if self.goal.n_classes > 0 else totals[0])
        if too_deep or pure or weight < 2 * settings.min_samples_leaf:
            return None
        ratio = settings.criterion == "gain_ratio"
        least, share = settings.min_samples_leaf, settings.test_share
        goal = NodeGoal(self.goal.targets, totals, self.goal.logs, least, ratio, share, node.key)
        best: Candidate | None = None
        questions = self.candidates.of(node)
        done = self.settled / float(self.nodes[0].class_weights.sum()) if self.nodes else 0.0
        for _, candidate in in_order(lambda question: question(goal), questions, self._threads(node)):
            self.report(min(1.0, done), "growing")
            if candidate is not None and (best is None or candidate.score > best.score + TIE):
                best = candidate
        return best

    def _threads(self, node: Node) -> int | None:
        n_bindings = len(node.examples) + sum(len(component.bindings) for component in node.components)
        return 1 if n_bindings <= _ALONE else self.n_threads


def branches(families: Families, node: Node, candidate: Candidate) -> tuple[Node, Node]:
    """Return the nodes below a test: of the examples that fail it, and of those that pass it, with what it binds."""
    refined = _refined(families, node.component(candidate.component), candidate)
    passed = np.zeros(families.rows.n_examples, np.bool_)
    passed[refined.bindings.examples] = True
    return _no(node, passed), _yes(node, candidate, refined, passed)


def _refined(families: Families, component: Component, candidate: Candidate) -> Component:
    """Return the component with the candidate's variable and condition, and the bindings that satisfy both."""
    bindings, query = component.bindings, refined_query(candidate, component.query)
    variable = candidate.variable
    if candidate.step is not None:
        joined = families.joins.follow(bindings.examples, bindings.of(variable), (candidate.step,))
        known = tuple(rows[joined.owners] for rows in bindings.rows)
        bindings, variable = Bindings(bindings.examples[joined.owners], (*known, joined.rows)), len(known)
    wider = Component(query, bindings)
    if candidate.term is None or candidate.operator is None:
        return wider
    values, levels = families.values_of(wider, variable, candidate.term, candidate.via)
    return Component(query, bindings.where(satisfying(values, levels, candidate.operator, candidate.value)))


def _yes(node: Node, candidate: Candidate, refined: Component, passed: NDArray[np.bool_]) -> Node:
    components = [component.among(passed) for component in node.components]
    aggregates = node.aggregates
    if candidate.component != EXAMPLE:
        components[candidate.component] = refined
    elif refined.query.variables:
        components.append(refined)
    elif isinstance(candidate.term, AggregateTerm) and len(candidate.term.where) == 1:
        aggregates = tuple(dict.fromkeys((*aggregates, (candidate.via, candidate.term))))
    return Node(node.examples[passed[node.examples]], tuple(components), aggregates, mixed(node.key, 1), node.depth + 1)


def _no(node: Node, passed: NDArray[np.bool_]) -> Node:
    failed = ~passed
    components = tuple(component.among(failed) for component in node.components)
    return Node(node.examples[failed[node.examples]], components, node.aggregates, mixed(node.key, 2), node.depth + 1)
