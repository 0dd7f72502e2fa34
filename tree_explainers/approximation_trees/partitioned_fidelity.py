"""How well a tree represents its ensemble on rows that lie in partitions; see ``fidelity.py`` for the measures.

Each partition counts its rows by leaf and by class, and adds up values exactly (``exact_sums.py``). So measures follow
from sums of integers, and are the same however the rows are cut.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..compute.exact_sums import LARGEST_ROOT, exact_fraction, exact_sum, exact_sum_of_squares, exact_value
from ..compute.partitions import Partitions
from ..compute.progress import ReportProgress, ignore_progress
from ..errors import MethodNotApplicable
from ..rows import Rows
from .fidelity import AgainstTarget, ConstantScores, Fidelity
from .trees import ApproximationTree

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PredictedRows:
    """Some rows with what the model predicts for them, and what is known of their targets."""

    rows: Rows
    scores: NDArray[np.float64]  # (n_rows, n_scores) as of ``Oracle.predict``
    predicted: NDArray[Any]  # (n_rows,) the classes, int64, or the values, float64, that the model publishes
    truth: NDArray[Any] | None  # (n_rows,) the true ones: below 0, or NaN, where a row's is not known; None: of none


class PredictedPart(Protocol):
    """The rows of a partition, which are read where they are worked on."""

    def blocks(self, names: Sequence[str]) -> Iterator[PredictedRows]:
        """Yield the rows in their order, block by block, with these columns alone."""


class _Agreement(Protocol):
    """How predictions agree with a reference: what is counted of a partition, and what follows from it."""

    @property
    def n_rows(self) -> int:
        """Number of rows that were compared."""

    @property
    def measures(self) -> AgainstTarget:
        """The measures of the predictions."""

    @property
    def constant(self) -> int | float:
        """The best constant prediction: the class that most rows have (ties: the first), or the mean value."""

    @property
    def measures_of_constant(self) -> AgainstTarget:
        """The measures of that constant."""

    def plus(self, other: Any) -> Any:  # of its own kind
        """Return the agreement on the rows of both."""


@dataclass(frozen=True, slots=True)
class _Classes:
    """Rows by their class in the reference, and as predicted."""

    counts: Integers  # (n_classes, n_classes)

    @classmethod
    def of(cls, predicted: Integers, reference: Integers, n_classes: int) -> "_Classes":
        """Count rows; those whose class in the reference is below 0 are left out."""
        known = reference >= 0
        pairs = reference[known] * n_classes + predicted[known]
        return cls(np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes))

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    @property
    def measures(self) -> AgainstTarget:
        return _of_right(self.counts.diagonal(), self.counts.sum(axis=1))

    @property
    def constant(self) -> int:
        return int(self.counts.sum(axis=1).argmax())

    @property
    def measures_of_constant(self) -> AgainstTarget:
        n_rows = self.counts.sum(axis=1)
        return _of_right(np.where(np.arange(len(n_rows)) == self.constant, n_rows, 0), n_rows)

    def plus(self, other: "_Classes") -> "_Classes":
        return _Classes(self.counts + other.counts)


def _of_right(n_right: Integers, n_rows: Integers) -> AgainstTarget:
    """Return accuracies, given the rows of each class, and those of them that are predicted."""
    some = n_rows > 0
    return AgainstTarget(float(n_right.sum() / n_rows.sum()), float((n_right[some] / n_rows[some]).mean()))


@dataclass(frozen=True, slots=True)
class _Values:
    """Exact sums over rows: of the reference less a shift, of its square, and of squared errors."""

    shift: float
    n_rows: int
    reference: int
    squares: int
    errors: int

    @classmethod
    def of(cls, predicted: NDArray[np.float64], reference: NDArray[np.float64], shift: float) -> "_Values":
        """Add up rows; those whose value in the reference is NaN are left out, and those of huge values refused."""
        known = ~np.isnan(reference)
        shifted, errors = reference[known] - shift, predicted[known] - reference[known]
        largest = max(np.abs(each).max(initial=0) for each in (shifted, errors))
        if not largest < LARGEST_ROOT:
            detail = f"Values differ by {largest:.3g}, whose square is no number: use another unit, in the model, too."
            raise MethodNotApplicable(detail)
        return cls(shift, len(shifted), exact_sum(shifted), exact_sum_of_squares(shifted), exact_sum(errors**2))

    @property
    def measures(self) -> AgainstTarget:
        error, variance = exact_value(self.errors, self.n_rows), self._variance
        return AgainstTarget(mean_squared_error=error, r2=1 - error / variance if variance > 0 else None)

    @property
    def constant(self) -> float:
        return self.shift + exact_value(self.reference, self.n_rows)

    @property
    def measures_of_constant(self) -> AgainstTarget:
        return AgainstTarget(mean_squared_error=self._variance, r2=0.0 if self._variance > 0 else None)

    @property
    def _variance(self) -> float:
        """The variance of the reference, which is 0 only where no two values differ by more than 1e-154."""
        mean = exact_fraction(self.reference, self.n_rows)
        return float(exact_fraction(self.squares, self.n_rows) - mean**2)

    def plus(self, other: "_Values") -> "_Values":
        ours = (self.n_rows, self.reference, self.squares, self.errors)
        others = (other.n_rows, other.reference, other.squares, other.errors)
        return _Values(self.shift, *(one + another for one, another in zip(ours, others, strict=True)))


@dataclass(frozen=True, slots=True)
class _Tally:
    """What is counted of some rows."""

    n_rows: Integers  # (n_nodes,) that reach each leaf; 0 of other nodes
    distances: int  # the exact sum of the L1 distances between the scores of tree and model
    tree_to_model: _Agreement
    tree_to_truth: _Agreement
    model_to_truth: _Agreement

    def plus(self, other: "_Tally") -> "_Tally":
        return _Tally(
            self.n_rows + other.n_rows,
            self.distances + other.distances,
            self.tree_to_model.plus(other.tree_to_model),
            self.tree_to_truth.plus(other.tree_to_truth),
            self.model_to_truth.plus(other.model_to_truth),
        )


@dataclass(frozen=True, slots=True)
class PartitionedFidelity:
    """What was measured on the rows of all partitions."""

    fidelity: Fidelity
    n_rows: Integers  # (n_nodes,) that reach each node
    constants: tuple[int | float, int | float]  # best for the target (without any, as the next), and for the model


def measure_in_partitions(
    tree: ApproximationTree, parts: Partitions, report: ReportProgress = ignore_progress
) -> PartitionedFidelity:
    """Measure a tree on the rows of partitions, one row at least; each of these is a ``PredictedPart``.

    The measures are those of ``measure_fidelity``, but for rounding; of a target that only some rows have, on these.

    Raises
    ------
    MethodNotApplicable
        If values, of a regression, are so far apart (1e144) that squares of errors could not be added up.
    """
    tally: _Tally | None = None
    for n_done, of_part in enumerate(parts.map(_tally_of, tree), 1):
        tally = of_part if tally is None else tally.plus(of_part)
        report(n_done / len(parts), "evaluating the tree")
    assert tally is not None  # for the type checker: there is a partition
    return _measured(tree, tally)


def with_counts(tree: ApproximationTree, n_rows: Integers) -> ApproximationTree:
    """Return a tree of whose nodes it is known how many training rows reach them, (n_nodes,)."""
    counted = (
        replace(node, facts=replace(node.facts, n_samples=n_samples))
        for node, n_samples in zip(tree.nodes, n_rows.tolist(), strict=True)
    )
    return replace(tree, nodes=tuple(counted))


def _tally_of(part: PredictedPart, tree: ApproximationTree) -> _Tally:
    columns = sorted({node.condition.column for node in tree.nodes if node.condition is not None})
    tallies = (_tally_of_block(block, tree) for block in part.blocks(columns))
    tally = next(tallies)
    for other in tallies:
        tally = tally.plus(other)
    return tally


def _tally_of_block(block: PredictedRows, tree: ApproximationTree) -> _Tally:
    n_rows = len(block.scores)
    leaves = tree.leaves_of(block.rows) if len(tree.nodes) > 1 else np.zeros(n_rows, np.int64)
    scores = np.array([node.facts.scores for node in tree.nodes])
    n_by_leaf = np.bincount(leaves, minlength=len(tree.nodes))
    if tree.nodes[0].facts.label is None:
        truth = np.full(n_rows, np.nan) if block.truth is None else block.truth
        predicted, shift = scores[leaves, 0], float(scores[0, 0])
        pairs = ((predicted, block.predicted), (predicted, truth), (block.predicted, truth))
        return _Tally(n_by_leaf, 0, *(_Values.of(one, other, shift) for one, other in pairs))
    truth = np.full(n_rows, -1) if block.truth is None else block.truth
    predicted = np.array([node.facts.label for node in tree.nodes], np.int64)[leaves]
    distances = exact_sum(np.abs(scores[leaves] - block.scores).sum(axis=1))
    pairs = ((predicted, block.predicted), (predicted, truth), (block.predicted, truth))
    return _Tally(n_by_leaf, distances, *(_Classes.of(one, other, scores.shape[1]) for one, other in pairs))


def _measured(tree: ApproximationTree, tally: _Tally) -> PartitionedFidelity:
    n_rows, is_regression = int(tally.n_rows.sum()), tree.nodes[0].facts.label is None
    to_model, of_constant = tally.tree_to_model.measures, tally.tree_to_model.measures_of_constant
    truth = tally.tree_to_truth if tally.tree_to_truth.n_rows else None
    fidelity = Fidelity(
        fidelity=to_model.r2 if is_regression else to_model.accuracy,
        balanced_fidelity=to_model.balanced_accuracy,
        probability_l1=None if is_regression else exact_value(tally.distances, n_rows),
        mean_questions=float(tally.n_rows @ tree.depths / n_rows),
        tree=None if truth is None else truth.measures,
        model=None if truth is None else tally.model_to_truth.measures,
        constant=ConstantScores(
            fidelity=of_constant.r2 if is_regression else of_constant.accuracy,
            balanced_fidelity=of_constant.balanced_accuracy,
            against_target=None if truth is None else truth.measures_of_constant,
        ),
    )
    constant = tally.tree_to_model.constant
    return PartitionedFidelity(
        fidelity, _of_all_nodes(tree, tally.n_rows), (constant if truth is None else truth.constant, constant)
    )


def _of_all_nodes(tree: ApproximationTree, n_rows: Integers) -> Integers:
    """Return the rows that reach each node, given those that reach each leaf."""
    n_rows = n_rows.copy()
    for index in reversed(range(len(tree.nodes))):  # children before their parents
        node = tree.nodes[index]
        if not node.is_leaf:
            n_rows[index] = n_rows[node.left] + n_rows[node.right]
    return n_rows
