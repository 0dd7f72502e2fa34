"""How well prototypes classify, by how many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.proximity import each_column
from tree_explainers.prototype_sets.classifier import (
    UNASSIGNED,
    Scores,
    classes_of,
    nearest_by_size,
    nearest_training_rows,
    score_classes,
)
from tree_explainers.prototype_sets.selection import Method, select_prototypes

from .rows import Split
from .tree_spaces import TreeSpace


class RowSpace(Protocol):
    """Training, validation and test rows, and how they are compared: a ``TreeSpace``, or by plain distance."""

    @property
    def train(self) -> LeafTable:
        """The training rows: all prototypes come from them."""

    @property
    def valid(self) -> LeafTable:
        """The validation rows."""

    @property
    def test(self) -> LeafTable:
        """The test rows."""

    @property
    def weights(self) -> NDArray[np.int64]:
        """What each tree counts."""

    @property
    def leaves(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Leaves of the rows, (n_rows, n_trees) each."""

    @property
    def predicted(self) -> Sequence[NDArray[np.int64] | None]:
        """Classes that a model predicts for the rows, (n_rows,) each, if there is one."""


Measure = Literal["balanced_accuracy", "accuracy"]
Ties = Literal["earlier", "lower class"]


@dataclass(frozen=True, slots=True)
class Tested:
    """A classifier evaluated on validation and test rows."""

    n_prototypes: int | None
    valid: Scores
    test: Scores


class Chosen(NamedTuple):
    """Prototypes in their order."""

    rows: NDArray[np.int64]
    classes: NDArray[np.int64]


def original(space: TreeSpace, split: Split) -> Tested:
    """Return how well the ensemble itself does."""
    valid, test = (
        score_classes(predicted, part.classes, predicted)
        for predicted, part in zip(space.predicted[1:], (split.valid, split.test), strict=True)
    )
    return Tested(None, valid, test)


def one_nearest_neighbour(space: RowSpace, split: Split) -> Tested:
    """Return how well all training rows do as prototypes."""
    scores = []
    for number, part in ((1, split.valid), (2, split.test)):
        nearest = nearest_training_rows(space.train, space.weights, space.leaves[number])
        given = classes_of(nearest, split.train.classes)
        scores.append(score_classes(given, part.classes, space.predicted[number]))
    return Tested(len(split.train.classes), *scores)


def curve(
    space: RowSpace,
    split: Split,
    method: Method,
    n_prototypes: int = 1,
    *,
    alpha: float = 0.05,
    ties: Ties = "earlier",
) -> list[Tested]:
    """Return how well the first 1, 2, … prototypes do; SM-U, whose sets are not nested: each of its sizes.

    Prototypes are chosen for the true classes of the training rows, as in both papers.
    """
    n_requested = min(n_prototypes, len(split.train.classes))
    found = select_prototypes(
        space.train, split.train.classes, space.weights, method, n_prototypes=n_requested, alpha=alpha
    )
    chosen = Chosen(found.rows, found.classes)
    if method == "sm_u":
        chosen, ties = _class_by_class(chosen), "lower class"  # its prototypes are listed by class
    given = _given_lower_class if ties == "lower class" else _given_earlier
    valid, test = (
        [score_classes(classes, part.classes, predicted) for classes in given(table, space, chosen)]
        for table, part, predicted in (
            (space.valid, split.valid, space.predicted[1]),
            (space.test, split.test, space.predicted[2]),
        )
    )
    tested = [Tested(size, *scores) for size, scores in enumerate(zip(valid, test, strict=True), 1)]
    return tested if method != "sm_u" else [tested[size - 1] for size in _sizes(chosen)]


def best_on_valid(tested: list[Tested], measure: Measure) -> Tested:
    """Return the one that does best on the validation rows; the fewest prototypes among equals."""
    return max(tested, key=lambda one: (getattr(one.valid, measure), -(one.n_prototypes or 0)))


def best_on_test(tested: list[Tested], measure: Measure) -> Tested:
    """Return the one that does best on the test rows, which is too good to be reported; among equals the smallest."""
    return max(tested, key=lambda one: (getattr(one.test, measure), -(one.n_prototypes or 0)))


def _given_earlier(table: LeafTable, space: RowSpace, chosen: Chosen) -> Iterator[NDArray[np.int64]]:
    """Give classes by the first 1, 2, … prototypes, ties to the earlier one: what the service does."""
    for nearest in nearest_by_size(table, space.weights, space.train.leaves_of(chosen.rows)):
        yield classes_of(nearest, chosen.classes)


def _given_lower_class(table: LeafTable, space: RowSpace, chosen: Chosen) -> Iterator[NDArray[np.int64]]:
    """Give classes by the first 1, 2, … prototypes, ties to the lower class."""
    values = np.unique(chosen.classes)
    nearest = np.zeros((len(values), table.n_rows), dtype=np.int64)
    for column, own in zip(
        each_column(table, space.weights, space.train.leaves_of(chosen.rows)), chosen.classes, strict=True
    ):
        line = nearest[np.searchsorted(values, own)]
        np.maximum(line, column, out=line)
        yield np.where(nearest.max(axis=0) > 0, values[nearest.argmax(axis=0)], UNASSIGNED)


def _class_by_class(chosen: Chosen) -> Chosen:
    """Put the first of each class before the second of each class: what SM-U chooses for k is then a beginning."""
    rank = np.empty(len(chosen.rows), dtype=np.int64)
    for value in np.unique(chosen.classes):
        own = chosen.classes == value
        rank[own] = np.arange(own.sum())
    order = np.lexsort((chosen.classes, rank))
    return Chosen(chosen.rows[order], chosen.classes[order])


def _sizes(chosen: Chosen) -> list[int]:
    """Return where each round ends."""
    n_each = np.unique(chosen.classes, return_counts=True)[1]
    return [int(np.minimum(n_each, size).sum()) for size in range(1, int(n_each.max()) + 1)]
