"""Forest: an ensemble's trees, and a box on the way down them, as compiled loops take them."""

from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..ensemble import Operator, TreeEnsemble
from ..questions.statements import Statements
from .bin_boxes import BinBox, Span, possible_bins, whole_span
from .node_questions import NodeQuestions

Flags = NDArray[np.bool_]


class Forest(NamedTuple):
    """An ensemble's trees and what their nodes ask."""

    roots: NDArray[np.int32]  # (n_trees,)
    left: NDArray[np.int32]  # (n_nodes,)
    right: NDArray[np.int32]  # (n_nodes,)
    leaf: NDArray[np.int32]  # (n_nodes,) its position among all leaves; -1: it asks something
    feature: NDArray[np.int32]  # these as in ``NodeQuestions``
    cut: NDArray[np.int32]
    low_end: NDArray[np.int32]
    greater_from: NDArray[np.int32]
    low_left: Flags
    missing_left: Flags
    missing_both: Flags
    goes_left: Flags
    may_left: Flags
    may_right: Flags
    starts: NDArray[np.int64]  # (n_features + 1,) where each feature's bins begin
    is_set: Flags  # (n_features,) what is left of it is no interval: it is kept bin by bin
    set_starts: NDArray[np.int64]  # (n_features + 1,) where the bins of each such feature begin among those of them all
    spans: NDArray[np.int64]  # (2, n_features) the first and the last bin of each number that hold values
    sets: Flags  # (n_bins of features that are kept bin by bin,) bins that hold values
    room: NDArray[np.int64]  # (2,) the depth of the deepest tree, and the bins of the largest set

    @staticmethod
    def of(ensemble: TreeEnsemble, questions: NodeQuestions, statements: Statements) -> "Forest":
        """Put together what is walked through."""
        is_leaf = ensemble.operator == Operator.LEAF
        is_set = np.array([not feature.is_number for feature in statements.features], np.bool_)
        is_set[questions.feature[(questions.cut < 0) & ~is_leaf]] = True
        n_bins = np.where(is_set, np.diff(statements.bin_starts), 0)
        spans = [whole_span(feature) for feature in statements.features]
        depths = _depths(ensemble.left, ensemble.right)
        return Forest(
            ensemble.offsets[:-1],
            ensemble.left,
            ensemble.right,
            np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
            questions.feature,
            questions.cut,
            questions.low_end,
            questions.greater_from,
            questions.low_left,
            questions.missing_left,
            questions.missing_both,
            questions.goes_left,
            questions.may_left,
            questions.may_right,
            statements.bin_starts,
            is_set,
            np.cumsum(np.append(0, n_bins)),
            np.array([(span.low, span.high) for span in spans], np.int64).reshape(-1, 2).T.copy(),
            np.concatenate([np.empty(0, np.bool_), *map(possible_bins, compress(statements.features, is_set))]),
            np.array([depths.max() + 1, n_bins.max(initial=1)]),
        )


@compiled
def _depths(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int64]:
    depths = np.zeros(len(left), np.int64)
    for node in range(len(left)):  # every child comes after its parent
        if left[node] != node:
            depths[left[node]] = depths[right[node]] = depths[node] + 1
    return depths


class Left(NamedTuple):
    """What is left of a box on the way down a tree."""

    low: NDArray[np.int64]  # (n_features,) the first bin of an interval
    high: NDArray[np.int64]  # (n_features,) and the last
    missing: Flags  # (n_features,) beside it, the missing value
    sets: Flags  # as in ``Forest``


def left_of(forest: Forest, box: BinBox) -> Left:
    """Return a box as it is before any question of a tree."""
    (low, high), missing = forest.spans.copy(), np.ones(len(forest.is_set), np.bool_)
    sets = forest.sets.copy()
    for feature, known in box.left.items():
        own = sets[forest.set_starts[feature] : forest.set_starts[feature + 1]]
        if not isinstance(known, Span):
            own &= known
            continue
        low[feature], high[feature], missing[feature] = known.low, known.high, known.missing
        if forest.is_set[feature]:
            own[: known.low] = own[known.high + 1 : -1] = False
            own[-1] &= known.missing
    return Left(low, high, missing, sets)
