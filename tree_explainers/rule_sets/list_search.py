"""The search for a rule list: several lists are begun in different ways, improved and pruned, and the best is chosen.

With pseudo rows, lists are found on the rows, on the pseudo rows and on both, from nothing and from small trees, and
chosen by how well they predict what the model says. Without them there are only the rows, and the list with the
shortest description is chosen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.parallel import run_in_threads
from ..compute.progress import ReportProgress, ignore_progress
from ..scoring import Targets
from .box_sweep import SweepLimits
from .draft_search import SEARCHING, Grower, Pruner
from .drafts import Draft, DraftRule, boxes_of_draft, description_length, n_errors
from .pseudo_rows import LabelledRows, PseudoRows
from .regions import RegionModel
from .rule_lists import RuleList, first_firing, fit_rule_list
from .search_goal import SearchGoal, SearchRows, search_goal, search_rows

FittedTree = Any  # scikit-learn's, which ships no types

STRICTNESS = 0.5  # of the description length of rules that predict; see ``search_goal``
_STRICTER = 1.0  # of rules on pseudo rows: conditions have to be worth more
_STRICTNESS_OF_REGIONS = 1.0  # of rules that distinguish regions
_ERRORS_PER_CONDITION = 0.5  # a condition that corrects fewer errors is not printed
_SHARE_PER_CONDITION = 0.0005  # of the rows, where that is more
_ERRORS_PER_RULE = 1.0


@dataclass(frozen=True, slots=True)
class RuleLimits:
    """Limits of the printed rules."""

    max_rules: int = 10  # including the default
    max_conditions: int = 8  # of one rule; an interval with two ends has two
    max_median: float = 4  # of the numbers of conditions of all rules but the default
    min_rows: int = 5  # rows that a rule decides; fewer where there are fewer than 100


DEFAULT_LIMITS = RuleLimits()
Begin = Callable[["ListSearch", ReportProgress], Draft]


def search_rule_list(
    models: Sequence[RegionModel],
    rows: LabelledRows,
    limits: RuleLimits = DEFAULT_LIMITS,
    report: ReportProgress = ignore_progress,
    pseudo: PseudoRows | None = None,
) -> RuleList:
    """Return rules that predict as well as few rules of few conditions can.

    Lists of rules are grown, one rule at a time: the new one is a single condition, or a part of an existing rule; then
    all conditions are moved, added and removed, rules removed and neighbours swapped, while that shortens the
    description of the labels. One list starts without rules, others from rules that distinguish each model's regions
    (they find what no single condition finds, such as an exclusive or); on pseudo rows one starts from a tree with as
    many leaves as there may be rules. Lists are pruned: conditions and rules that correct too few errors are not
    printed, and a list found with pseudo rows has no more conditions than the paths of a tree of that size on the rows.

    Without pseudo rows the list with the shortest description wins (ties: the earlier start). With them, that with the
    largest mean of its fidelity on the rows and on pseudo rows that no list was found on; for values, on the rows.

    Parameters
    ----------
    models
        To start from, in the order in which they are tried; may be empty.
    rows
        The rows and what the rules are to predict.
    limits
        Limits of the rules' number and length.
    report
        Called with the share of starts that are done; may raise to stop, and is called often enough for that.
    pseudo
        Labelled like the rows.

    Returns
    -------
    RuleList
        Its shares of classes and numbers of rows are those of ``rows``; predictions those of the rows on which the list
        was found.
    """
    alone = ListSearch(rows, limits)
    begins: list[tuple[ListSearch, Begin]] = [(alone, _from_nothing), *((alone, _FromRegions(each)) for each in models)]
    if pseudo is None:
        drafts = run_in_threads(_begin, begins, report, SEARCHING)
        return alone.finish(min(drafts, key=alone.length), report)
    others, both = (ListSearch(each, limits) for each in (pseudo.finding, rows.followed_by(pseudo.finding)))
    begins += [(search, _from_nothing) for search in (others, others.stricter(), both)]
    begins += [(search.stricter(), _from_tree) for search in (others, both)]
    most = conditions_of_paths(alone.tree())

    def found(begin: tuple[ListSearch, Begin], own_report: ReportProgress) -> RuleList:
        search, _ = begin
        return search.finish(_begin(begin, own_report), own_report, most)

    lists = run_in_threads(found, begins, report, SEARCHING)
    best = max(lists, key=lambda each: _merit(each, rows, pseudo))
    return replace(fit_rule_list(best.boxes, rows.binned, rows.targets), predictions=best.predictions)


def _merit(rules: RuleList, rows: LabelledRows, pseudo: PseudoRows) -> float:
    """Return the mean of the fidelity on the rows and on pseudo rows; for values, that on the rows.

    Where columns determine each other, pseudo rows are unlike all rows. Labels of rows may be memorised, so that they
    alone choose badly; values of rows are hardly.
    """
    on_rows = fidelity(rules, rows)
    if rows.targets.is_regression:
        return on_rows
    return (on_rows + float(np.mean([fidelity(rules, part) for part in pseudo.choosing]))) / 2


def fidelity(rules: RuleList, rows: LabelledRows) -> float:
    """Return the share of rows for which rules predict the label; for values 1 less the share of the variance left."""
    predicted = rules.predictions[first_firing(rules.fires(rows.binned))]
    if rows.targets.values is None:
        return float(np.mean(predicted == rows.targets.classes))
    variance = float(np.var(rows.targets.values))
    return 1 - float(np.mean((predicted - rows.targets.values) ** 2)) / (variance or 1.0)


def _begin(begin: tuple["ListSearch", Begin], report: ReportProgress) -> Draft:
    search, draft_of = begin
    return draft_of(search, report)


def _from_nothing(search: "ListSearch", report: ReportProgress) -> Draft:
    return search.grower(report).grow(())


def _from_tree(search: "ListSearch", report: ReportProgress) -> Draft:
    return search.grower(report).refine(draft_of_tree(search.tree(), search.rows))


@dataclass(frozen=True, slots=True)
class _FromRegions:
    model: RegionModel

    def __call__(self, search: "ListSearch", report: ReportProgress) -> Draft:
        """Return the list grown from rules that distinguish the model's regions."""
        regions = np.unique(self.model.map_regions(search.labelled.binned), return_inverse=True)[1].astype(np.int64)
        as_classes = Targets.of_classes(regions, int(regions.max()) + 1)
        goal = search_goal(search.rows, as_classes, _STRICTNESS_OF_REGIONS)
        grower = search.grower(report)
        of_regions = replace(grower, goal=goal, max_rules=min(as_classes.n_classes, grower.max_rules))
        return grower.grow(of_regions.grow(()))


class ListSearch:
    """The rows, goal and limits that all starts of one search share."""

    def __init__(
        self,
        labelled: LabelledRows,
        limits: RuleLimits,
        strictness: float = STRICTNESS,
        rows: SearchRows | None = None,  # the same rows, if they are prepared
    ) -> None:
        self.labelled, self._limits = labelled, limits
        self.rows = search_rows(labelled.binned) if rows is None else rows
        self._goal: SearchGoal = search_goal(self.rows, labelled.targets, strictness)

    def stricter(self) -> "ListSearch":
        """Return the search of the same rows for which conditions have to be worth more."""
        return ListSearch(self.labelled, self._limits, _STRICTER, self.rows)

    def grower(self, report: ReportProgress) -> Grower:
        """Return what makes a list's description shorter."""
        min_rows = max(1, min(self._limits.min_rows, self.rows.n_rows // 20))
        limits = SweepLimits(self._limits.max_conditions, min_rows)
        return Grower(self.rows, self._goal, limits, self._limits.max_rules - 1, report)

    def length(self, draft: Draft) -> float:
        """Return the description length of a list."""
        return description_length(draft, self._goal)

    def tree(self) -> FittedTree:
        """Return the CART tree of the labels with as many leaves as there may be rules."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: PLC0415  # heavy, for jobs alone

        targets, n_leaves = self.labelled.targets, max(2, self._limits.max_rules)
        kind = DecisionTreeRegressor if targets.is_regression else DecisionTreeClassifier
        labels = targets.classes if targets.values is None else targets.values
        return kind(max_leaf_nodes=n_leaves, random_state=0).fit(_groups_as_numbers(self.rows), labels).tree_

    def finish(self, draft: Draft, report: ReportProgress, most_conditions: int | None = None) -> RuleList:
        """Prune a list, to at most this number of conditions in all, and fit the predictions of its rules."""

        def report_done(fraction: float, stage: str) -> None:  # noqa: ARG001  # the searches are done
            report(1.0, stage)

        pruner, limits = Pruner(self.rows, self._cost, report_done), self._limits
        draft = pruner.within(pruner.prune(draft), limits.max_conditions, limits.max_median, most_conditions)
        boxes = boxes_of_draft(draft, self.rows, self.labelled.binned.statements)
        return fit_rule_list(boxes, self.labelled.binned, self.labelled.targets)

    def _cost(self, draft: Draft) -> float:
        """Return the errors and what conditions and rules cost in errors; for values the description."""
        if self.labelled.targets.is_regression:
            return self.length(draft)
        of_condition = max(_ERRORS_PER_CONDITION, _SHARE_PER_CONDITION * self.rows.n_rows)
        n_conditions = sum(rule.total_conditions for rule in draft)
        return n_errors(draft, self.labelled.targets) + of_condition * n_conditions + _ERRORS_PER_RULE * len(draft)


# Trees, by scikit-learn, on the groups that rows are in.


def _groups_as_numbers(rows: SearchRows) -> NDArray[np.float32]:
    """Return the groups of rows as a matrix, (n_rows, n_features); missing values are NaN.

    Categories are in the order of their bins, so that one split of a tree separates the first from the last.
    """
    matrix = rows.groups.T.astype(np.float32)
    for feature in np.flatnonzero(rows.has_missing):
        last = rows.group_starts[feature + 1] - rows.group_starts[feature] - 1
        matrix[matrix[:, feature] == last, feature] = np.nan
    return matrix


def draft_of_tree(tree: FittedTree, rows: SearchRows) -> Draft:
    """Return a list that predicts as a tree does; its last leaf is the default.

    Of each split, the side with fewer leaves comes first (ties: the left) and has the condition; rows that get past it
    are on the other side, whose rules do without.
    """
    n_leaves = _leaves_below(tree)

    def rules_of(node: int, path: DraftRule) -> list[DraftRule]:
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            return [path]
        feature, admitted = int(tree.feature[node]), _left_groups(tree, node, rows)
        if n_leaves[left] > n_leaves[right]:
            left, right, admitted = right, left, ~admitted
        inside = path.admits[rows.slice_of(feature)] & admitted
        return rules_of(left, path.with_condition(rows, feature, inside)) + rules_of(right, path)

    return tuple(rules_of(0, DraftRule.of_all(rows))[:-1])


def _left_groups(tree: FittedTree, node: int, rows: SearchRows) -> NDArray[np.bool_]:
    feature = int(tree.feature[node])
    groups = np.arange(rows.group_starts[feature + 1] - rows.group_starts[feature])
    goes_left: NDArray[np.bool_] = groups <= tree.threshold[node]
    if rows.has_missing[feature]:
        goes_left[-1] = bool(tree.missing_go_to_left[node])
    return goes_left


def _leaves_below(tree: FittedTree) -> NDArray[np.int64]:
    """Return the number of leaves at or below each node, (n_nodes,); children come after their parents."""
    n_leaves = np.ones(tree.node_count, np.int64)
    for node in reversed(range(tree.node_count)):
        if tree.children_left[node] >= 0:
            n_leaves[node] = n_leaves[tree.children_left[node]] + n_leaves[tree.children_right[node]]
    return n_leaves


def conditions_of_paths(tree: FittedTree) -> int:
    """Return the number of conditions of all paths of a tree; those of a path on one side of a feature are one."""

    def below(node: int, path: frozenset[tuple[int, str]]) -> int:
        if tree.children_left[node] < 0:
            return len(path)
        feature = int(tree.feature[node])
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        return below(left, path | {(feature, "<=")}) + below(right, path | {(feature, ">")})

    return below(0, frozenset())
