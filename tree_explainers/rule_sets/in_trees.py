"""inTrees: the rules of an ensemble's trees, measured, pruned, selected, and summarised in an ordered list.

References
----------
Deng (2014), "Interpreting Tree Ensembles with inTrees", arXiv:1408.5456; what the paper leaves open is as in its
author's program of the same name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..prediction_scores import Targets, constant_class
from ..questions.binned_rows import BinnedRows
from .rule_forest import RuleForestSettings, Words, n_bits, rule_importances
from .rule_lists import RuleList, first_firing
from .tree_paths import Path, TreePaths, n_words, packed

PRUNING = "pruning rules"  # stages that progress reports name
_SUMMARISING = "putting rules in order"
_PATHS_PER_REPORT = 200
_LEAST_ERROR = 1e-6  # relative decays are relative to this at least
_LEAST_IMPORTANCE = 0.01  # of a rule that is selected, relative to the greatest


@dataclass(frozen=True, slots=True)
class InTreesSettings:
    """The settings of the steps, with the defaults of the author's program."""

    n_trees: int = 100  # from which rules are extracted: the first ones
    max_depth: int = 6
    decay: Literal["absolute", "relative"] = "absolute"  # what the error of a rule may grow by where it is pruned
    max_decay: float = 0.05
    selection: Literal["regularized_forest", "none"] = "regularized_forest"
    min_frequency: float = 0.01  # of a rule in the list: the share of rows that it decides
    n_levels: int = 3  # into which values are divided
    forest: RuleForestSettings = field(default_factory=RuleForestSettings)


class MeasuredRule(NamedTuple):
    """A pruned rule: what remains of a path, and its class, the commonest before it was pruned."""

    path: Path
    label: int


def in_trees_rules(
    paths: TreePaths,
    binned: BinnedRows,
    targets: Targets,
    settings: InTreesSettings,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
) -> RuleList:
    """Return the ordered list of rules (the paper's simplified tree ensemble learner).

    Values are divided into levels of as many rows each, which are the classes; a rule predicts the mean of its level.

    Parameters
    ----------
    paths
        The trees' paths down to ``settings.max_depth``.
    binned, targets
        The training rows, and what rules are to predict.
    settings
        Of the steps.
    rng
        Of the forest that selects rules.
    report
        Called between pieces of work; may raise to stop.
    """
    classes = as_classes(targets, settings.n_levels)
    rules = pruned_rules(paths, binned, classes, settings, part_of(report, 0.0, 0.5))
    fires = firing(paths, rules, binned)
    if settings.selection == "regularized_forest" and rules:
        lengths = np.array([len(rule.path) for rule in rules])
        importances = rule_importances(fires, lengths, classes, settings.forest, rng, part_of(report, 0.5, 0.9))
        important = np.flatnonzero(importances > _LEAST_IMPORTANCE * importances.max())
        rules, fires = [rules[index] for index in important], fires[important]
    report(0.9, _SUMMARISING)
    chosen, default = ordered_list(rules, fires, classes, settings.min_frequency)
    return _rule_list([rules[index] for index in chosen], default, paths, binned, targets, classes)


def as_classes(targets: Targets, n_levels: int) -> NDArray[np.int64]:
    """Return the rows' classes, or the levels of their values, (n_rows,): 0 for the lowest.

    Level j holds the values up to the quantile j / n_levels, which is an observed value (the closest, as in type 3 of
    Hyndman & Fan); levels that would be empty, because values are alike, are left out.
    """
    if targets.classes is not None:
        return targets.classes
    assert targets.values is not None  # for the type checker: there is one of the two
    shares = np.arange(1, n_levels) / n_levels
    ends = np.unique(np.quantile(targets.values, shares, method="closest_observation"))
    levels = np.searchsorted(ends, targets.values, side="left")
    return np.unique(levels, return_inverse=True)[1].astype(np.int64)


def pruned_rules(
    paths: TreePaths,
    binned: BinnedRows,
    classes: NDArray[np.int64],
    settings: InTreesSettings,
    report: ReportProgress = ignore_progress,
) -> list[MeasuredRule]:
    """Return the distinct rules that remain of the trees' paths, in the order of the paths.

    A path's class is the commonest among its rows (ties: the lower). From the last condition to the first, one is
    dropped where the share of rows of other classes does not grow by more than the decay that is allowed, beyond that
    of the whole path; the last that is left is kept. Paths that no row follows are left out.
    """
    left = paths.left_rows(binned)
    of_class = np.array([packed(classes == each) for each in range(classes.max() + 1)])
    rows = packed(np.ones(binned.n_rows, np.bool_))
    rules: dict[tuple[frozenset[tuple[int, bool]], int], MeasuredRule] = {}
    extracted = list(paths.rules())
    is_relative = settings.decay == "relative"
    for index, path in enumerate(extracted):
        if index % _PATHS_PER_REPORT == 0:
            report(index / len(extracted), PRUNING)
        label, keeps = _prune(left, of_class, rows, np.array(path), settings.max_decay, is_relative)
        if label >= 0:
            rest = tuple(side for side, is_needed in zip(path, keeps, strict=True) if is_needed)
            rules.setdefault((frozenset(rest), label), MeasuredRule(rest, label))
    return list(rules.values())


@compiled
def _prune(  # compiled code takes arrays
    left: Words,
    of_class: Words,
    rows: Words,
    path: NDArray[np.int64],
    max_decay: float,
    is_relative: bool,  # compiled code takes no keywords
) -> tuple[int, NDArray[np.bool_]]:
    """Return the class of a path (n_conditions, 2), -1 where it has no rows, and which conditions are kept."""
    keeps = np.ones(len(path), np.bool_)
    n_covered, n_of_class = 0, np.zeros(len(of_class), np.int64)
    for word in range(len(rows)):
        covered = _covered(left, rows, path, keeps, word)
        n_covered += n_bits(covered)
        for each in range(len(of_class)):
            n_of_class[each] += n_bits(covered & of_class[each, word])
    if n_covered == 0:
        return -1, keeps
    label = int(n_of_class.argmax())
    error = (n_covered - n_of_class[label]) / n_covered
    allowed = error + max_decay * (max(error, _LEAST_ERROR) if is_relative else 1.0)
    for index in range(len(path) - 1, -1, -1):
        if keeps.sum() == 1:
            break
        keeps[index] = False
        n_rows, n_right = 0, 0
        for word in range(len(rows)):
            covered = _covered(left, rows, path, keeps, word)
            n_rows += n_bits(covered)
            n_right += n_bits(covered & of_class[label, word])
        keeps[index] = (n_rows - n_right) / n_rows > allowed
    return label, keeps


@compiled_for_loops
def _covered(  # compiled code takes arrays
    left: Words, rows: Words, path: NDArray[np.int64], keeps: NDArray[np.bool_], word: int
) -> np.uint64:
    """Return the rows of a word that fulfil the conditions that are kept."""
    covered: np.uint64 = rows[word]
    for index in range(len(path)):
        if keeps[index]:
            side = left[path[index, 0], word]
            covered &= side if path[index, 1] else ~side
    return covered


def firing(paths: TreePaths, rules: Sequence[MeasuredRule], binned: BinnedRows) -> Words:
    """Return the rows for which each rule holds, as bits, (n_rules, n_words)."""
    left, rows = paths.left_rows(binned), packed(np.ones(binned.n_rows, np.bool_))
    fires = np.empty((len(rules), n_words(binned.n_rows)), np.uint64)
    for index, rule in enumerate(rules):
        fires[index] = rows
        for split, is_left in rule.path:
            fires[index] &= left[split] if is_left else ~left[split]
    return fires


def ordered_list(
    rules: Sequence[MeasuredRule], fires: Words, classes: NDArray[np.int64], min_frequency: float
) -> tuple[list[int], int]:
    """Return the rules that decide, in their order, and the class of the default.

    Again and again the rule with the least error on the rows that are left is taken (ties: more rows, fewer conditions,
    the earlier rule) out of those that hold for enough of them, and its rows are removed, until the default, the
    commonest class of the rows left (ties: the lower), has no greater error. Where no row is left, it is the commonest
    class of all.
    """
    n_rows, chosen = len(classes), list[int]()
    labels = np.array([rule.label for rule in rules], np.int64)
    lengths = np.array([len(rule.path) for rule in rules], np.int64)
    of_class = np.array([packed(classes == each) for each in range(classes.max() + 1)])
    remaining = packed(np.ones(n_rows, np.bool_))
    while True:
        n_of_class = np.array([_n_common(remaining, class_rows) for class_rows in of_class])
        n_left = int(n_of_class.sum())
        if not n_left:
            return chosen, constant_class(classes)
        n_held, n_right = _counts(fires, of_class, labels, remaining)
        frequent = np.flatnonzero((n_held >= min_frequency * n_rows) & (n_held > 0))
        errors = (n_held - n_right)[frequent] / n_held[frequent]
        order = np.lexsort((lengths[frequent], -n_held[frequent], errors))
        if not len(order) or errors[order[0]] >= (n_left - n_of_class.max()) / n_left:
            return chosen, int(n_of_class.argmax())
        chosen.append(int(frequent[order[0]]))
        remaining &= ~fires[chosen[-1]]


@compiled
def _n_common(some: Words, others: Words) -> int:
    """Return the number of rows that two sets have in common."""
    total = 0
    for word in range(len(some)):
        total += n_bits(some[word] & others[word])
    return total


@compiled
def _counts(
    fires: Words, of_class: Words, labels: NDArray[np.int64], remaining: Words
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for how many of the remaining rows each rule holds, and how many of these are of its class."""
    n_held, n_right = np.zeros(len(fires), np.int64), np.zeros(len(fires), np.int64)
    for rule in range(len(fires)):
        for word in range(len(remaining)):
            held = fires[rule, word] & remaining[word]
            n_held[rule] += n_bits(held)
            n_right[rule] += n_bits(held & of_class[labels[rule], word])
    return n_held, n_right


def _rule_list(  # what a list is made of
    chosen: Sequence[MeasuredRule],
    default: int,
    paths: TreePaths,
    binned: BinnedRows,
    targets: Targets,
    classes: NDArray[np.int64],
) -> RuleList:
    """Return the list with the shares of classes where each rule, and the default, decides."""
    labels = np.array([*(rule.label for rule in chosen), default], np.int64)
    unfitted = RuleList(tuple(paths.box(rule.path) for rule in chosen), labels, None, np.empty(0, np.int64))
    decided_by = first_firing(unfitted.fires(binned))
    n_decided = np.bincount(decided_by, minlength=len(labels))
    if targets.values is not None:
        means = np.bincount(classes, weights=targets.values) / np.bincount(classes)
        return RuleList(unfitted.boxes, means[labels], None, n_decided)
    cells = decided_by * targets.n_classes + classes
    counts = np.bincount(cells, minlength=len(labels) * targets.n_classes).reshape(-1, targets.n_classes)
    counts[n_decided == 0] = counts.sum(axis=0)
    return RuleList(unfitted.boxes, labels, counts / counts.sum(axis=1, keepdims=True), n_decided)
