"""Slow, obvious twins of the fast algorithms, written from the papers: dense matrices, no bounds, no batches."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import floor, lcm

import numpy as np
from numpy.typing import NDArray

from tree_explainers.ensemble import Operator, TreeEnsemble

Matrix = NDArray[np.int64]


def boosting_weights(
    leaf_values: list[NDArray[np.float64]], leaves: NDArray[np.int32], power: int = 2, *, is_root: bool = False
) -> list[int]:
    """Definition 3 of Tan et al. in rationals: each row's own value is looked up and the variance taken of all.

    With the power 1 it is the mean absolute deviation. The root of the variance is taken to 50 digits.
    """
    variances = []
    for tree, values in enumerate(leaf_values):
        variance = Fraction(0)
        for output in range(values.shape[1]):
            seen = [Fraction(float(values[leaf, output])) for leaf in leaves[:, tree]]
            mean = sum(seen, Fraction(0)) / len(seen)
            variance += sum((abs(value - mean) ** power for value in seen), Fraction(0)) / len(seen)
        variances.append(_square_root(variance) if is_root else variance)
    total = sum(variances, Fraction(0))
    shares = [v / total if total else Fraction(1, len(variances)) for v in variances]
    quotas = [share * 2**31 for share in shares]
    weights = [floor(quota) for quota in quotas]
    while sum(weights) < 2**31:
        tree = max(range(len(quotas)), key=lambda tree: quotas[tree] - weights[tree])  # the first of equal ones
        weights[tree] += 1
    return weights


def _square_root(number: Fraction) -> Fraction:
    with localcontext(prec=50):
        return Fraction((Decimal(number.numerator) / Decimal(number.denominator)).sqrt())


def proximity_matrix(leaves: NDArray[np.int32], weights: NDArray[np.int64]) -> Matrix:
    """Return the summed weight of the trees in which each pair of rows shares a leaf."""
    n_rows, n_trees = leaves.shape
    proximity = np.zeros((n_rows, n_rows), dtype=np.int64)
    for tree in range(n_trees):
        proximity += weights[tree] * (leaves[:, tree][:, None] == leaves[:, tree][None, :])
    return proximity


def objective(proximity: Matrix, classes: NDArray[np.int64], chosen: list[int]) -> int:
    """g(M): each row's proximity to its nearest prototype of its own class, summed."""
    total = 0
    for row in range(len(classes)):
        total += max((int(proximity[row, m]) for m in chosen if classes[m] == classes[row]), default=0)
    return total


def _gains(proximity: Matrix, classes: NDArray[np.int64], chosen: list[int]) -> list[int]:
    same = classes[:, None] == classes[None, :]
    near = np.where(same, proximity, 0)
    covered = near[:, chosen].max(axis=1) if chosen else np.zeros(len(classes), dtype=np.int64)
    return [int(gain) for gain in np.maximum(near - covered[:, None], 0).sum(axis=0)]


Agrees = NDArray[np.bool_] | None  # of each row, whether it comes first among equals; None: no row does


def _first_of_equals(agrees: Agrees, row: int) -> tuple[bool, int]:
    return agrees is not None and bool(agrees[row]), -row


def _greedy(
    proximity: Matrix,
    classes: NDArray[np.int64],
    candidates: list[int],
    worth: Callable[[int], int],
    agrees: Agrees = None,
) -> Iterator[tuple[int, int]]:
    """Algorithm 1 of Tan et al.: the row of largest worth x gain until none gains.

    Of equal ones those that agree come first, and of these the lowest.
    """
    chosen: list[int] = []
    while True:
        gains = _gains(proximity, classes, chosen)
        best = max(candidates, key=lambda row: (gains[row] * worth(row), _first_of_equals(agrees, row)))
        if gains[best] == 0:
            return
        chosen.append(best)
        yield best, gains[best]


def _first(choices: Iterator[tuple[int, int]], n: int) -> list[int]:
    return [row for row, _ in zip((row for row, _ in choices), range(n), strict=False)]


def _eligible(classes: NDArray[np.int64], candidates: list[int] | None) -> list[int]:
    return list(range(len(classes))) if candidates is None else candidates


def sm_a(
    proximity: Matrix,
    classes: NDArray[np.int64],
    n_prototypes: int,
    candidates: list[int] | None = None,
    agrees: Agrees = None,
) -> list[int]:
    eligible = _eligible(classes, candidates)
    return _first(_greedy(proximity, classes, eligible, lambda _: 1, agrees), n_prototypes)


def sm_wa(
    proximity: Matrix,
    classes: NDArray[np.int64],
    n_prototypes: int,
    candidates: list[int] | None = None,
    agrees: Agrees = None,
) -> list[int]:
    """Gains are weighed by one over the size of their class: by whole numbers in the same ratio."""
    sizes = dict(zip(*(each.tolist() for each in np.unique(classes, return_counts=True)), strict=True))
    multiple, eligible = lcm(*sizes.values()), _eligible(classes, candidates)
    return _first(
        _greedy(proximity, classes, eligible, lambda row: multiple // sizes[int(classes[row])], agrees), n_prototypes
    )


def sm_u(
    proximity: Matrix,
    classes: NDArray[np.int64],
    n_prototypes: int,
    candidates: list[int] | None = None,
    agrees: Agrees = None,
) -> list[int]:
    present = sorted(set(classes.tolist()))
    n_each = max(1, floor(Fraction(n_prototypes, len(present)) + Fraction(1, 2)))
    chosen: list[int] = []
    for value in present:
        rows = np.flatnonzero(classes == value)
        alone = proximity[np.ix_(rows, rows)]
        own = [place for place, row in enumerate(rows) if row in _eligible(classes, candidates)]
        if own:
            of_rows = None if agrees is None else agrees[rows]
            alike = np.zeros(len(rows), dtype=np.int64)
            chosen += [int(rows[row]) for row in sm_a(alone, alike, n_each, own, of_rows)]
    return chosen


def a_pete(
    proximity: Matrix,
    classes: NDArray[np.int64],
    alpha: float,
    candidates: list[int] | None = None,
    agrees: Agrees = None,
) -> list[int]:
    chosen: list[int] = []
    previous = 0
    for row, improvement in _greedy(proximity, classes, _eligible(classes, candidates), lambda _: 1, agrees):
        chosen.append(row)
        if abs(previous - improvement) / improvement <= alpha:
            break
        previous = improvement
    return chosen


def sg(
    proximity: Matrix,
    classes: NDArray[np.int64],
    n_prototypes: int,
    candidates: list[int] | None = None,
    agrees: Agrees = None,
) -> list[int]:
    """Supervised greedy: each candidate is tried out on all rows."""
    chosen: list[int] = []
    accuracy = Fraction(0)
    while len(chosen) < n_prototypes:
        tried = {
            row: balanced_accuracy(nearest_prototype_classes(proximity, classes, [*chosen, row]), classes)
            for row in _eligible(classes, candidates)
        }
        if max(tried.values()) <= accuracy:
            break
        gains = _gains(proximity, classes, chosen)
        best = max(tried, key=lambda row: (tried[row], gains[row], _first_of_equals(agrees, row)))
        chosen.append(best)
        accuracy = tried[best]
    return chosen


def sg_on_other_rows(
    proximity: Matrix, classes: NDArray[np.int64], truth: NDArray[np.int64], n_prototypes: int, *, is_balanced: bool
) -> list[int]:
    """Supervised greedy, evaluated on the last rows of the matrix alone: those with a ``truth`` (n_evaluated,)."""
    n_rows, n_evaluated = len(proximity) - len(truth), len(truth)
    evaluated, near = range(n_rows, n_rows + n_evaluated), proximity[n_rows:, :n_rows]

    def measure(prototypes: list[int]) -> Fraction:
        given = nearest_prototype_classes(near, classes, prototypes)
        return balanced_accuracy(given, truth) if is_balanced else Fraction(int((given == truth).sum()), n_evaluated)

    def gain(row: int, prototypes: list[int]) -> int:
        total = 0
        for place, judge in enumerate(evaluated):
            if truth[place] == classes[row]:
                own = [int(proximity[judge, each]) for each in prototypes if classes[each] == truth[place]]
                total += max(0, int(proximity[judge, row]) - max(own, default=0))
        return total

    chosen: list[int] = []
    while len(chosen) < n_prototypes:
        now = measure(chosen) if chosen else Fraction(0)
        tried = {row: measure([*chosen, row]) for row in range(n_rows)}
        if max(tried.values()) <= now:
            break
        chosen.append(max(tried, key=lambda row: (tried[row], gain(row, chosen), -row)))
    return chosen


def k_medoids(
    proximity: Matrix,
    classes: NDArray[np.int64],
    n_prototypes: int,
    candidates: list[int] | None = None,
    agrees: Agrees = None,
) -> list[int]:
    """The greedy first phase of PAM: the row by which the sum of all rows' proximities to their nearest grows most."""
    return sm_a(proximity, np.zeros(len(classes), dtype=np.int64), n_prototypes, candidates, agrees)


def criticisms(proximity: Matrix, classes: NDArray[np.int64], prototypes: list[int], n: int) -> list[int]:
    """Again and again the row that is farthest from all prototypes and criticisms of its class; the lowest of equal."""
    chosen: list[int] = []
    for _ in range(n):
        others = [row for row in range(len(classes)) if row not in {*prototypes, *chosen}]
        nearest = {
            row: max(
                (int(proximity[row, each]) for each in [*prototypes, *chosen] if classes[each] == classes[row]),
                default=0,
            )
            for row in others
        }
        if others:
            chosen.append(min(others, key=lambda row: (nearest[row], row)))
    return chosen


def nearest_prototype_classes(
    proximity: Matrix, classes: NDArray[np.int64], prototypes: list[int]
) -> NDArray[np.int64]:
    """Return the class of each row's nearest prototype (the earlier of equal ones), -1 for proximity 0 to all."""
    near = proximity[:, prototypes]
    first_largest = near.argmax(axis=1)
    given = classes[np.array(prototypes)[first_largest]]
    return np.where(near.max(axis=1) == 0, -1, given)


def balanced_accuracy(given: NDArray[np.int64], classes: NDArray[np.int64]) -> Fraction:
    _, class_of, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    n_right = np.bincount(class_of[given == classes], minlength=len(sizes))
    return sum(map(Fraction, n_right.tolist(), sizes.tolist()), Fraction(0)) / len(sizes)


def coverage(proximity: Matrix, classes: NDArray[np.int64], prototypes: list[int]) -> list[int]:
    """Count the rows for which each prototype is the nearest of their class."""
    counts = [0] * len(prototypes)
    for row in range(len(classes)):
        best, best_proximity = None, 0
        for rank, prototype in enumerate(prototypes):
            if classes[prototype] == classes[row] and proximity[row, prototype] > best_proximity:
                best, best_proximity = rank, int(proximity[row, prototype])
        if best is not None:
            counts[best] += 1
    return counts


SELECTIONS: dict[str, Callable[..., list[int]]] = {
    "sm_u": sm_u,
    "sm_a": sm_a,
    "sm_wa": sm_wa,
    "sg": sg,
    "a_pete": a_pete,
    "k_medoids": k_medoids,
}


def goes_left(ensemble: TreeEnsemble, node: int, value: float) -> bool:
    """Answer one node's question for a value, which may be missing."""
    if np.isnan(value):
        return bool(ensemble.missing_left[node])
    threshold = float(ensemble.threshold[node])
    if ensemble.operator[node] == Operator.MEMBER:
        return value in ensemble.members[int(threshold)].tolist()
    return {
        Operator.LEQ: value <= threshold,
        Operator.LT: value < threshold,
        Operator.GTE: value >= threshold,
        Operator.GT: value > threshold,
        Operator.EQ: value == threshold,
        Operator.NEQ: value != threshold,
    }[Operator(ensemble.operator[node])]


def path_to_leaf(ensemble: TreeEnsemble, tree: int, leaf: int) -> list[tuple[int, bool]]:
    """Return the nodes on the way to a leaf, and whether the way goes left there, by searching the whole tree."""
    goal = int(ensemble.leaf_nodes[ensemble.leaf_offsets[tree] + leaf])
    stack: list[tuple[int, list[tuple[int, bool]]]] = [(int(ensemble.offsets[tree]), [])]
    while stack:
        node, path = stack.pop()
        if node == goal:
            return path
        if ensemble.operator[node] != Operator.LEAF:
            stack.append((int(ensemble.left[node]), [*path, (node, True)]))
            stack.append((int(ensemble.right[node]), [*path, (node, False)]))
    msg = f"tree {tree} has no leaf {leaf}"
    raise AssertionError(msg)


def stays_in_leaves(
    ensemble: TreeEnsemble, leaves: NDArray[np.int32], trees: list[int], column: int, value: float
) -> bool:
    """Return whether, with this value in this column, all of these trees still lead to the same leaves."""
    paths = [path_to_leaf(ensemble, tree, int(leaves[tree])) for tree in trees]
    return _follows(ensemble, _splits_of(ensemble, paths, column), value)


def _splits_of(ensemble: TreeEnsemble, paths: list[list[tuple[int, bool]]], column: int) -> list[tuple[int, bool]]:
    return [(node, left) for path in paths for node, left in path if ensemble.column[node] == column]


def _follows(ensemble: TreeEnsemble, splits: list[tuple[int, bool]], value: float) -> bool:
    return all(goes_left(ensemble, node, value) == left for node, left in splits)


def columns_tested(ensemble: TreeEnsemble, leaves: NDArray[np.int32], tree: int) -> set[int]:
    """Return the columns that a tree tests on the path to a leaf."""
    return {int(ensemble.column[node]) for node, _ in path_to_leaf(ensemble, tree, int(leaves[tree]))}


def nearest_rows(
    leaves: NDArray[np.int32], weights: NDArray[np.int64], row: int, n_neighbors: int
) -> tuple[list[int], list[int]]:
    """Return the rows nearest to one, itself excluded, and their proximities: all others sorted, ties by row."""
    proximities = ((leaves == leaves[row]) * weights).sum(axis=1).tolist()
    others = sorted((-proximity, other) for other, proximity in enumerate(proximities) if other != row)
    nearest = [other for _, other in others[:n_neighbors]]
    return nearest, [proximities[other] for other in nearest]


@dataclass(frozen=True)
class StayingValues:
    """What may stand in a column so that some trees still lead to the same leaves."""

    numbers: list[float]  # one of each stretch between two thresholds, and all thresholds and their neighbours, that do
    missing: bool


def values_that_stay(ensemble: TreeEnsemble, leaves: NDArray[np.int32], trees: list[int], column: int) -> StayingValues:
    """Try all values that trees could distinguish, one by one: thresholds, their neighbours, and what lies between."""
    splits = _splits_of(ensemble, [path_to_leaf(ensemble, tree, int(leaves[tree])) for tree in trees], column)
    single = sorted({np.float32(float(ensemble.threshold[node])) for node, _ in splits})
    largest = np.finfo(np.float32).max
    near = [np.nextafter(each, end) for each in single for end in (-largest, largest)]
    between = [(low + high) / 2 for low, high in pairwise(single)]
    tried = sorted({float(each) for each in (*single, *near, *between)})
    stay = [value for value in tried if _follows(ensemble, splits, value)]
    return StayingValues(stay, _follows(ensemble, splits, np.nan))


def nearest_allowed_rows(
    proximities: list[int],
    n_rows: int,
    allowed: list[bool],
    groups: list[int],
    max_per_group: int,
    agrees: Agrees = None,
) -> list[tuple[int, int]]:
    """Return rows and proximities, from near to far, passing over those whose group is full.

    Of rows as near those that agree come first, and of these the lower row.
    """
    found: list[tuple[int, int]] = []
    for row in sorted(
        range(len(proximities)), key=lambda row: (proximities[row], _first_of_equals(agrees, row)), reverse=True
    ):
        n_own = sum(groups[other] == groups[row] for other, _ in found)
        if proximities[row] and allowed[row] and n_own < max_per_group and len(found) < n_rows:
            found.append((row, proximities[row]))
    return found


def quantiles_of(values: Sequence[float | None], n_points: int) -> tuple[float, ...] | None:
    """Return for 0, …, 1 at equal steps the smallest value that at least this share of the known values reaches."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    reached = [(n_points - 1) * bisect_right(known, value) for value in known]
    enough = [point * len(known) for point in range(n_points)]
    return tuple(next(value for value, each in zip(known, reached, strict=True) if each >= least) for least in enough)
