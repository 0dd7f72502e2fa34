"""LeafScores: what each leaf adds to each raw score."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..onnx_models.description import RawScores, ScoreTerm

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LeafScores:
    """What each leaf adds to each raw score; of two scores one of which falls as the other rises, one is kept."""

    values: Floats  # (n_distinct, n_leaves)
    distinct: tuple[int, ...]  # (n_scores,) index of each score's values
    signs: Floats  # (n_scores,) by which they are multiplied: 1 or -1
    offsets: Floats  # (n_scores,)
    trees: tuple[Ints, ...]  # (n_distinct,) the trees whose leaves do not all have the same value

    @classmethod
    def of(cls, ensemble: TreeEnsemble, raw: RawScores) -> Self:
        """Return what the leaves of an ensemble add to its raw scores."""
        n_scores = len(raw.offsets)
        if n_scores == 2 and all(_are_opposite(part) for part in raw.terms):
            distinct, signs, kept = [0, 0], np.array([-1.0, 1.0]), [1]
        else:
            distinct, signs, kept = list(range(n_scores)), np.ones(n_scores), list(range(n_scores))
        values = np.stack([_of_score(ensemble, raw, score) for score in kept])
        trees = tuple(_varying(ensemble, column) for column in values)
        return cls(values, tuple(distinct), signs, np.array(raw.offsets, np.float64), trees)

    def values_of(self, score: int) -> Floats:
        """Return the values of all leaves, (n_leaves,), before the score's sign."""
        return np.asarray(self.values[self.distinct[score]])

    def trees_of(self, score: int) -> Ints:
        """Return the numbers of the trees that make a difference to a score."""
        return self.trees[self.distinct[score]]

    def of_rows(self, leaves: NDArray[np.integer[Any]]) -> Floats:
        """Return the raw scores, (n_rows, n_scores), of rows in these leaves among all, (n_rows, n_trees)."""
        sums = np.stack([column[leaves].sum(axis=1) for column in self.values], axis=1)
        return np.asarray(sums[:, list(self.distinct)] * self.signs + self.offsets)

    def means(self, leaves: NDArray[np.integer[Any]], counts: NDArray[np.bool_]) -> Floats:
        """Return the scores of rows by some of the trees, where scores are means over trees.

        Parameters
        ----------
        leaves : (n_rows, n_trees)
            Among all leaves.
        counts : (n_rows, n_trees)
            Which trees count; one at least of each row.

        Returns
        -------
        (n_rows, n_scores) float64
        """
        sums = np.stack([(column[leaves] * counts).sum(axis=1) for column in self.values], axis=1)
        means = sums * (counts.shape[1] / counts.sum(axis=1))[:, None]
        return np.asarray(means[:, list(self.distinct)] * self.signs + self.offsets)


def _are_opposite(part: tuple[ScoreTerm, ...]) -> bool:
    second = {output: factor for output, score, factor in part if score == 1}
    return {output: -factor for output, score, factor in part if score == 0} == second


def _of_score(ensemble: TreeEnsemble, raw: RawScores, score: int) -> Floats:
    values = np.zeros(len(ensemble.leaf_nodes))
    for leaves, part in _parts(ensemble, raw):
        for term in part:
            if term.score == score:
                values[leaves] += ensemble.leaf_values[leaves][:, term.output] * term.factor
    return values


def _parts(ensemble: TreeEnsemble, raw: RawScores) -> Iterator[tuple[slice, tuple[ScoreTerm, ...]]]:
    ends = np.cumsum(raw.n_trees).tolist()
    for first, end, part in zip([0, *ends], ends, raw.terms, strict=False):
        yield slice(int(ensemble.leaf_offsets[first]), int(ensemble.leaf_offsets[end])), part


def _varying(ensemble: TreeEnsemble, values: Floats) -> Ints:
    starts = ensemble.leaf_offsets[:-1]
    return np.flatnonzero(np.minimum.reduceat(values, starts) != np.maximum.reduceat(values, starts))
