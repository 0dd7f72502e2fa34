"""How well prototypes classify, by how many there are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tree_explainers.leaves import LeafTable
from tree_explainers.prototypes.classifier import (
    UNASSIGNED,
    Scores,
    classes_of,
    nearest_by_size,
    nearest_training_rows,
    score_classes,
)
from tree_explainers.prototypes.selection import Method, PrototypeSelection, select_prototypes
from tree_explainers.proximity import columns

from .rows import Split
from .tree_spaces import TreeSpace

Measure = Literal["balanced_accuracy", "accuracy"]


@dataclass(frozen=True, slots=True)
class Tested:
    """A classifier judged on validation and test rows."""

    n_prototypes: int | None
    valid: Scores
    test: Scores


def original(space: TreeSpace, split: Split) -> Tested:
    """Return how well the ensemble itself does."""
    valid, test = (
        score_classes(predicted, part.classes, predicted)
        for predicted, part in zip(space.predicted[1:], (split.valid, split.test), strict=True)
    )
    return Tested(None, valid, test)


def one_nearest_neighbour(space: TreeSpace, split: Split) -> Tested:
    """Return how well all training rows do as prototypes."""
    scores = []
    for number, part in ((1, split.valid), (2, split.test)):
        nearest = nearest_training_rows(space.train, space.weights, space.leaves[number])
        given = classes_of(nearest, split.train.classes)
        scores.append(score_classes(given, part.classes, space.predicted[number]))
    return Tested(len(split.train.classes), *scores)


def curve(
    space: TreeSpace,
    split: Split,
    method: Method,
    n_prototypes: int = 1,
    alpha: float = 0.05,
    classes: NDArray[np.int64] | None = None,
) -> list[Tested]:
    """Return how well the first 1, 2, … prototypes do; SM-U, whose sets are not nested: each of its sizes.

    ``classes`` of the training rows, if not the true ones, are what prototypes are chosen for and stand for.
    """
    own = split.train.classes if classes is None else classes
    n_asked = min(n_prototypes, len(own))
    chosen = select_prototypes(space.train, own, space.weights, method, n_prototypes=n_asked, alpha=alpha)
    by_size = _given_by_class if method == "sm_u" else _given
    valid, test = (
        [score_classes(given, part.classes, predicted) for given in by_size(table, space, chosen)]
        for table, part, predicted in (
            (space.valid, split.valid, space.predicted[1]),
            (space.test, split.test, space.predicted[2]),
        )
    )
    sizes = _sizes_by_class(chosen) if method == "sm_u" else range(1, len(chosen.rows) + 1)
    return [Tested(size, *scores) for size, *scores in zip(sizes, valid, test, strict=True)]


def best_on_valid(tested: list[Tested], measure: Measure) -> Tested:
    """Return the one that does best on the validation rows; the fewest prototypes among equals."""
    return max(tested, key=lambda one: (getattr(one.valid, measure), -(one.n_prototypes or 0)))


def _given(table: LeafTable, space: TreeSpace, chosen: PrototypeSelection) -> Iterator[NDArray[np.int64]]:
    leaves = space.train.leaves_of(chosen.rows)
    for nearest in nearest_by_size(table, space.weights, leaves):
        yield classes_of(nearest, chosen.classes)


def _sizes_by_class(chosen: PrototypeSelection) -> list[int]:
    n_each = np.bincount(chosen.classes)
    n_each = n_each[n_each > 0]
    return [int(np.minimum(n_each, size).sum()) for size in range(1, int(n_each.max()) + 1)]


def _given_by_class(table: LeafTable, space: TreeSpace, chosen: PrototypeSelection) -> Iterator[NDArray[np.int64]]:
    """Give classes by the first 1, 2, … prototypes of each class; listed class by class, ties go to the lower class."""
    values = np.unique(chosen.classes)
    nearest = np.zeros((len(values), table.n_rows), dtype=np.int64)
    leaves = [space.train.leaves_of(chosen.rows[chosen.classes == value]) for value in values]
    for size in range(max(len(own) for own in leaves)):
        for line, own in enumerate(leaves):
            if size < len(own):
                column = columns(table, space.weights, own[size : size + 1])[0]
                nearest[line] = np.maximum(nearest[line], column)
        yield np.where(nearest.max(axis=0) > 0, values[nearest.argmax(axis=0)], UNASSIGNED)
