"""inTrees from its paper: conditions as sets of rows, everything counted again each time; slow and obvious."""

from collections import Counter
from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tree_explainers.rule_sets.in_trees import InTreesSettings
from tree_explainers.rule_sets.rule_forest import RuleForestSettings

RowSet = frozenset[int]


def commonest(classes: Sequence[int]) -> int:
    """Return the commonest class; the lower of equals."""
    counts = Counter(classes)
    return min(counts, key=lambda each: (-counts[each], each))


def error(rows: RowSet, label: int, classes: NDArray[np.int64]) -> float:
    """Return the share of rows of another class."""
    return sum(int(classes[row]) != label for row in rows) / len(rows)


def prune(conditions: Sequence[RowSet], classes: NDArray[np.int64], settings: InTreesSettings) -> tuple[list[int], int]:
    """Return which conditions of a rule are kept, and its class: leave one out, from the last to the first."""
    whole = frozenset.intersection(*conditions)
    label = commonest([int(classes[row]) for row in whole])
    of_whole = error(whole, label, classes)
    kept = list(range(len(conditions)))
    for index in reversed(range(len(conditions))):
        rest = [each for each in kept if each != index]
        if rest:
            decay = error(frozenset.intersection(*(conditions[each] for each in rest)), label, classes) - of_whole
            limit = settings.max_decay * (max(of_whole, 1e-6) if settings.decay == "relative" else 1)
            if of_whole + decay <= of_whole + limit:
                kept = rest
    return kept, label


def gini_gain(node: RowSet, rule: RowSet, classes: NDArray[np.int64]) -> float:
    """Return the decrease of the Gini index times the number of rows."""

    def impurity(rows: RowSet) -> float:
        shares = [n / len(rows) for n in Counter(int(classes[row]) for row in rows).values()]
        return len(rows) * (1 - sum(share**2 for share in shares))

    inside, outside = node & rule, node - rule
    return impurity(node) - impurity(inside) - impurity(outside) if inside and outside else 0.0


def importances(
    rules: Sequence[RowSet],
    lengths: Sequence[int],
    classes: NDArray[np.int64],
    settings: RuleForestSettings,
    rng: np.random.Generator,
) -> list[float]:
    """Return the summed gains of rules in a regularised forest: a rule that is not used yet is penalised."""
    used: set[int] = set()
    found = [0.0] * len(rules)
    for _ in range(settings.n_trees):
        n_rows = len(classes)
        nodes = [frozenset(rng.permutation(n_rows)[: ceil(0.632 * n_rows)].tolist())]
        n_leaves = 1
        for node in nodes:
            if n_leaves >= settings.max_leaves:
                break
            best, best_weighted, n_unused = None, 1e-9, 0
            for rule in rng.permutation(len(rules)).tolist():
                factor = 1.0
                if rule not in used:
                    n_unused += 1
                    if n_unused > max(1, int(settings.share_of_rules * len(rules))):
                        continue
                    factor = settings.coefficient - settings.length_penalty * lengths[rule] / max(lengths)
                weighted = factor * gini_gain(node, rules[rule], classes)
                if weighted > best_weighted + 1e-9:
                    best, best_weighted = rule, weighted
            if best is not None:
                used.add(best)
                found[best] += gini_gain(node, rules[best], classes)
                n_leaves += 1
                nodes += [node & rules[best], node - rules[best]]
    return found


def ordered_list(
    rules: Sequence[RowSet],
    labels: Sequence[int],
    lengths: Sequence[int],
    classes: NDArray[np.int64],
    min_frequency: float,
) -> tuple[list[int], int]:
    """Return the rules of the simplified tree ensemble learner in order, and the default's class."""
    left, chosen = frozenset(range(len(classes))), list[int]()
    while left:
        default = commonest([int(classes[row]) for row in left])
        able = [index for index, rule in enumerate(rules) if len(rule & left) >= max(1, min_frequency * len(classes))]
        ranked = {
            index: (error(rules[index] & left, labels[index], classes), -len(rules[index] & left), lengths[index])
            for index in able
        }
        best = min(able, key=lambda index: (ranked[index], index), default=None)
        if best is None or ranked[best][0] >= error(left, default, classes):
            return chosen, default
        chosen.append(best)
        left -= rules[best]
    return chosen, commonest(classes.tolist())
