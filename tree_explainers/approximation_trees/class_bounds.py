"""ClassBounds: whether an ensemble gives all rows in a box the same class, seen in training or not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows
from .bin_boxes import BinBox
from .node_questions import node_questions
from .reachable_leaves import Forest, left_of, reached_leaves, worst_leads

Floats = NDArray[np.float64]

_TOLERANCE = 2e-5  # of a score: sums, links and their arguments are calculated in single precision
_NEAR = 1e-3  # of a whole or half scale
_FEWEST_ROWS = 5  # that tell what went into a link
_ROUNDING = 2.0**-23  # of one operation in single precision, with as much again to spare


@dataclass(frozen=True, slots=True)
class RawScores:
    """The class that a row's label is: the one of which ``offsets + the sum of values`` of its leaves is largest.

    Where the largest leads by less than ``margin``, rounding may decide otherwise.
    """

    values: Floats  # (n_leaves, n_classes), one entry for each leaf of the ensemble
    offsets: Floats  # (n_classes,)
    margin: float


@dataclass(frozen=True, slots=True)
class _Link:
    """What happens to raw scores, forth and back; back is told up to what all classes have in common."""

    forth: Callable[[Floats], Floats]  # (n_rows, n_classes) to scores
    back: Callable[[Floats], Floats]
    surely_above: float  # rows all of whose scores are above it tell what went into the link
    slack: float  # by which what went in, calculated back from scores, may be off


@dataclass(frozen=True, slots=True)
class _Fit:
    scale: float
    offsets: Floats
    off: float  # by which scores differ from what the model said, at most


def raw_scores(
    ensemble: TreeEnsemble, reached: NDArray[np.int64], scores: Floats, share: float = 1.0
) -> RawScores | None:
    """Return how scores follow from leaves; ``None`` where no link is known that brings back what the model said.

    Known are plain sums and means, and softmax, of which the logistic function of two classes is one. A single output
    of two classes speaks for one of them.

    Parameters
    ----------
    ensemble
        With the values of its leaves.
    reached : (n_rows, n_trees)
        The leaves of some rows, counted through all trees.
    scores : (n_rows, n_classes)
        What the model says of them: shares that sum to 1.
    share
        Of the rows, whose scores must come out: less than 1 where leaves are known of most rows only.
    """
    values = _by_class(ensemble.leaf_values, scores.shape[1])
    if values is None:
        return None
    sums = np.zeros(scores.shape)
    for leaves in reached.T:
        sums += values[leaves]
    largest = np.maximum.reduceat(abs(values).max(axis=1), ensemble.leaf_offsets[:-1]).sum()
    for link in _LINKS:
        found = _fitted(link, sums, scores, share)
        if found is not None:
            rounding = abs(found.scale) * largest * ensemble.n_trees * _ROUNDING
            return RawScores(values * found.scale, found.offsets, 2 * (rounding + link.slack + found.off))
    return None


def _by_class(values: Floats, n_classes: int) -> Floats | None:
    """Return leaf values with a column for each class, of a lone output of two classes half against the first."""
    if values.shape[1] == n_classes:
        return values
    if n_classes == 2 and values.shape[1] == 1:  # noqa: PLR2004  # one output stands for two
        return np.hstack((-values, values)) / 2
    return None


def _fitted(link: _Link, sums: Floats, scores: Floats, share: float) -> _Fit | None:
    """Return the scale and the offsets with which a link gives the scores, if it does."""
    given = _centred(sums)
    is_sure = (scores > link.surely_above).all(axis=1)
    if is_sure.sum() < _FEWEST_ROWS:
        return None
    argument = _centred(link.back(scores[is_sure]))
    scale = _scale(given[is_sure], argument)
    if scale is None:
        return None
    offsets = np.median(argument - scale * given[is_sure], axis=0)
    off = abs(link.forth(scale * given + offsets) - scores).max(axis=1)
    fits = off <= _TOLERANCE
    return _Fit(scale, offsets, float(off[fits].max())) if fits.mean() >= share else None


def _scale(given: Floats, wanted: Floats) -> float | None:
    """Return by what sums are multiplied: the median over rows of what each tells that is far from the middle."""
    given, wanted = given - np.median(given, axis=0), wanted - np.median(wanted, axis=0)
    far = abs(given) >= max(0.5 * abs(given).max(initial=0.0), _TOLERANCE)
    if not far.any():
        return None
    scale = float(np.median(wanted[far] / given[far]))
    nearest = round(2 * scale) / 2  # links are of plain sums, or of half of them
    return nearest if nearest and abs(scale - nearest) < _NEAR else scale


def _centred(scores: Floats) -> Floats:
    """Return scores less their mean over the classes: what is common to all decides nothing."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _shares(raw: Floats) -> Floats:
    return np.asarray(_centred(raw) + 1 / raw.shape[1])


def _softmax(raw: Floats) -> Floats:
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


_LINKS = (
    _Link(_shares, lambda scores: scores, surely_above=-1, slack=0.0),
    _Link(_softmax, np.log, surely_above=0.001, slack=1e-4),
)


_ROWS_TO_FIT = 500  # training rows, evenly spread, on which the way from leaves to scores is found
_LEAST_SHARE = 0.8  # of these, where numbers are scaled: those at a cut may be in another leaf than their bins say


@dataclass(frozen=True, slots=True)
class ClassBounds:
    """Bounds on the scores of an ensemble in a box, from the leaves that its rows can possibly reach."""

    forest: Forest
    raw: RawScores

    @classmethod
    def of(
        cls, ensemble: TreeEnsemble, description: ModelDescription, binned: BinnedRows, scores: Floats
    ) -> "ClassBounds | None":
        """Return the bounds of an ensemble; ``None`` where its scores do not follow from its leaves in a known way.

        Parameters
        ----------
        ensemble, description
            The model.
        binned
            Training rows.
        scores : (n_rows, n_classes)
            What the model says of them: shares that sum to 1.
        """
        statements = binned.statements
        if not statements.features or not binned.n_rows:
            return None
        forest = Forest.of(ensemble, node_questions(ensemble, description, statements), statements)
        some = np.unique(np.linspace(0, binned.n_rows - 1, _ROWS_TO_FIT).astype(np.int64))
        is_scaled = any(column.kind == "affine" for column in description.columns)
        share = _LEAST_SHARE if is_scaled else 1.0
        raw = raw_scores(ensemble, reached_leaves(forest, binned.take(some).bins), scores[some], share)
        return None if raw is None else cls(forest, raw)

    def surely(self, box: BinBox, label: int, bins: NDArray[np.unsignedinteger[Any]]) -> bool:
        """Return whether the ensemble labels every row in a box alike, as far as the leaves' values can tell.

        The lead of each other class over ``label`` is bounded tree by tree by its largest among the leaves that are
        possibly reached. That is never less than what the paper's bounds on single classes tell: they let one leaf be
        the worst for one class, and another of the same tree the best for the other.

        Parameters
        ----------
        box
            The box.
        label
            The class.
        bins : (n_features, n_rows)
            Rows in the box. They change nothing but the time: the leaves that they reach may show early that another
            class may lead, before all leaves are looked at.

        References
        ----------
        Van Assche, Blockeel (2007), "Seeing the Forest through the Trees", section 2.4.
        """
        offsets = self.raw.offsets - self.raw.offsets[label]
        witnesses = reached_leaves(self.forest, np.ascontiguousarray(bins))
        leads = worst_leads(self.forest, left_of(self.forest, box), self.raw.values, offsets, label, witnesses)
        return bool((np.delete(leads, label) < -self.raw.margin).all())
