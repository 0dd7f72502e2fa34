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
from ..prediction_scores import Targets
from ..questions.binned_rows import BinnedRows, Layout
from .box_sweep import SweepLimits
from .draft_search import SEARCHING, Grower, Pruner
from .drafts import Draft, DraftRule, boxes_of_draft, description_length, n_errors
from .pseudo_rows import PseudoRows
from .regions import BinTables, RegionModel, count_regions, nearest_regions
from .row_parts import RowParts, RowsPart, reporting
from .rule_counts import fit_rule_list, tallies_of
from .rule_lists import RuleList
from .search_goal import Groups, SearchGoal, SearchRows, search_goal

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
    rows: RowParts,
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
    return replace(fit_rule_list(best.boxes, rows), predictions=best.predictions)


def _merit(rules: RuleList, rows: RowParts, pseudo: PseudoRows) -> float:
    """Return the mean of the fidelity on the rows and on pseudo rows; for values, that on the rows.

    Where columns determine each other, pseudo rows are unlike all rows. Labels of rows may be memorised, so that they
    alone choose badly; values of rows are hardly.
    """
    on_rows = fidelity(rules, rows)
    if rows.is_regression:
        return on_rows
    return (on_rows + float(np.mean([fidelity(rules, part) for part in pseudo.choosing]))) / 2


def fidelity(rules: RuleList, rows: RowParts) -> float:
    """Return the share of rows for which rules predict the label; for values 1 less the share of the variance left."""
    center = rows.mean if rows.is_regression else 0.0
    (tally,) = tallies_of(rows, [rules.boxes], center)
    if not rows.is_regression:
        return float(tally[np.arange(len(tally)), rules.predictions].sum()) / rows.n_rows
    # Of each rule: squares about the mean of all, and how far its prediction is from there.
    shift = rules.predictions - center
    squares = rows.squares - 2 * float((shift * tally[:, 1]).sum()) + float((shift**2 * tally[:, 0]).sum())
    return 1 - squares / (rows.squares or rows.n_rows)


def _begin(begin: tuple["ListSearch", Begin], report: ReportProgress) -> Draft:
    search, draft_of = begin
    with reporting(report, SEARCHING):
        return draft_of(search, report)


def _from_nothing(search: "ListSearch", report: ReportProgress) -> Draft:
    return search.grower(report).grow(())


def _from_tree(search: "ListSearch", report: ReportProgress) -> Draft:
    return search.grower(report).refine(draft_of_tree(search.tree(), search.rows.groups))


@dataclass(frozen=True, slots=True)
class _FromRegions:
    model: RegionModel

    def __call__(self, search: "ListSearch", report: ReportProgress) -> Draft:
        """Return the list grown from rules that distinguish the model's regions."""
        tables = BinTables.of(self.model, Layout.of(search.rows.rows.statements))
        n_rows = search.rows.rows.counts(count_regions, tables)
        numbers, n_regions = np.cumsum(n_rows > 0) - 1, int((n_rows > 0).sum())
        rows = search.rows.relabelled(search.rows.rows.relabelled(_with_regions, n_regions, tables, numbers, n_regions))
        grower = search.grower(report)
        goal, max_rules = search_goal(rows, _STRICTNESS_OF_REGIONS), min(n_regions, grower.max_rules)
        return grower.grow(replace(grower, rows=rows, goal=goal, max_rules=max_rules).grow(()))


def _with_regions(part: RowsPart, tables: BinTables, numbers: NDArray[np.int64], n_regions: int) -> RowsPart:
    """Return the rows with their region as class, numbered among those that some row is in."""
    return part.with_targets(Targets.of_classes(numbers[nearest_regions(part, tables)], n_regions))


class ListSearch:
    """The rows, goal and limits that all starts of one search share."""

    def __init__(
        self,
        labelled: RowParts,
        limits: RuleLimits,
        strictness: float = STRICTNESS,
        rows: SearchRows | None = None,  # the same rows, if they are prepared
    ) -> None:
        self.labelled, self._limits = labelled, limits
        self.rows = SearchRows(labelled) if rows is None else rows
        self._goal: SearchGoal = search_goal(self.rows, strictness)

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
        return description_length(draft, self._goal, self.rows)

    def tree(self) -> FittedTree:
        """Return the CART tree of the labels with as many leaves as there may be rules, on rows in one piece."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # heavy, for jobs alone

        kind = DecisionTreeRegressor if self.labelled.is_regression else DecisionTreeClassifier
        some = self.labelled.some_rows()
        tree = kind(max_leaf_nodes=max(2, self._limits.max_rules), random_state=0)
        weights = None if (some.weights == 1).all() else some.weights
        return tree.fit(_groups_as_numbers(some.binned, self.rows.groups), some.labels, sample_weight=weights).tree_

    def finish(self, draft: Draft, report: ReportProgress, most_conditions: int | None = None) -> RuleList:
        """Prune a list, to at most this number of conditions in all, and fit the predictions of its rules."""

        def report_done(fraction: float, stage: str) -> None:  # the searches are done
            report(1.0, stage)

        pruner, limits = Pruner(self.rows, self._cost, report_done), self._limits
        with reporting(report_done, SEARCHING):
            draft = pruner.within(pruner.prune(draft), limits.max_conditions, limits.max_median, most_conditions)
            return fit_rule_list(boxes_of_draft(draft, self.rows.groups, self.labelled.statements), self.labelled)

    def _cost(self, draft: Draft) -> float:
        """Return the errors and what conditions and rules cost in errors; for values the description."""
        if self.labelled.is_regression:
            return self.length(draft)
        of_condition = max(_ERRORS_PER_CONDITION, _SHARE_PER_CONDITION * self.rows.n_rows)
        n_conditions = sum(rule.total_conditions for rule in draft)
        return n_errors(draft, self.rows) + of_condition * n_conditions + _ERRORS_PER_RULE * len(draft)


# Trees, by scikit-learn, on the groups that rows are in.


def _groups_as_numbers(binned: BinnedRows, groups: Groups) -> NDArray[np.float32]:
    """Return the groups of rows as a matrix, (n_rows, n_features); missing values are NaN.

    Categories are in the order of their bins, so that one split of a tree separates the first from the last.
    """
    matrix = np.empty((binned.n_rows, groups.n_features), np.float32)
    for feature, bins in enumerate(binned.bins):
        group = np.searchsorted(groups.bins[groups.slice_of(feature)], bins).astype(np.float32)
        if groups.has_missing[feature]:
            group[bins == binned.statements.features[feature].missing_bin] = np.nan
        matrix[:, feature] = group
    return matrix


def draft_of_tree(tree: FittedTree, groups: Groups) -> Draft:
    """Return a list that predicts as a tree does; its last leaf is the default.

    Of each split, the side with fewer leaves comes first (ties: the left) and has the condition; rows that get past it
    are on the other side, whose rules do without.
    """
    n_leaves = _leaves_below(tree)

    def rules_of(node: int, path: DraftRule) -> list[DraftRule]:
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            return [path]
        feature, admitted = int(tree.feature[node]), _left_groups(tree, node, groups)
        if n_leaves[left] > n_leaves[right]:
            left, right, admitted = right, left, ~admitted
        inside = path.admits[groups.slice_of(feature)] & admitted
        return rules_of(left, path.with_condition(groups, feature, inside)) + rules_of(right, path)

    return tuple(rules_of(0, DraftRule.of_all(groups))[:-1])


def _left_groups(tree: FittedTree, node: int, groups: Groups) -> NDArray[np.bool_]:
    feature = int(tree.feature[node])
    indices = np.arange(groups.group_starts[feature + 1] - groups.group_starts[feature])
    goes_left: NDArray[np.bool_] = indices <= tree.threshold[node]
    if groups.has_missing[feature]:
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
