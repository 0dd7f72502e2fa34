"""ClassBounds: whether an ensemble gives all rows in a box the same class, seen in training or not.

Averages, weights, base values and links all affect a model's scores, and a graph may hold them in several operators. So
they are not read from the graph: the map from sums of leaf values to scores is fitted to the model's scores of training
rows, and if the fit does not reproduce them, no bound is claimed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows
from ..questions.node_conditions import node_conditions
from .bin_boxes import BinBox
from .reachable_leaves import Forest, reached_leaves, remaining_in, worst_leads

Floats = NDArray[np.float64]
_ROWS_TO_FIT = 500  # training rows, evenly spread, to which the map from leaves to scores is fitted
_LEAST_SHARE = 0.8  # of these, if numbers are scaled: rows at a cut may be in another leaf than their bins say
_TOLERANCE = 2e-5  # of a score: sums, links and their arguments are calculated in single precision
_NEAR = 1e-3  # of a whole or half scale
_FEWEST_ROWS = 5  # from which the argument of a link can be recovered
_ROUNDING = 2.0**-23  # of one operation in single precision, twice


@dataclass(frozen=True, slots=True)
class RawScores:
    """Contributions of leaves to raw scores. A row's label is the class with the largest ``offsets + sum of values``.

    If the largest leads by less than ``margin``, rounding may decide otherwise.
    """

    values: Floats  # (n_leaves, n_classes), one entry for each leaf of the ensemble
    offsets: Floats  # (n_classes,)
    margin: float


@dataclass(frozen=True, slots=True)
class ClassBounds:
    """Bounds on the scores of an ensemble in a box, from the leaves that its rows can possibly reach."""

    forest: Forest
    raw: RawScores

    @classmethod
    def of(
        cls, ensemble: TreeEnsemble, description: ModelDescription, binned: BinnedRows, scores: Floats
    ) -> "ClassBounds | None":
        """Return the bounds of an ensemble; ``None`` if its scores do not follow from its leaves by a known link.

        Parameters
        ----------
        ensemble, description
            The model.
        binned
            Training rows, or those of ``rows_to_fit``.
        scores : (n_rows, n_classes)
            The model's scores of them: shares that sum to 1.
        """
        statements = binned.statements
        if not statements.features or not binned.n_rows:
            return None
        forest = Forest.of(ensemble, node_conditions(ensemble, description, statements), statements)
        some = rows_to_fit(binned.n_rows)
        is_scaled = any(column.is_calculated for column in description.columns)
        share = _LEAST_SHARE if is_scaled else 1.0
        raw = raw_scores(ensemble, reached_leaves(forest, binned.take(some).bins), scores[some], share)
        return None if raw is None else cls(forest, raw)

    def is_certain(self, box: BinBox, label: int, bins: NDArray[np.unsignedinteger[Any]]) -> bool:
        """Return whether the leaves' values prove that the ensemble gives every row in a box the same label.

        The lead of each other class over ``label`` is bounded tree by tree by its largest value among the reachable
        leaves. This is at least as tight as the paper's bounds on single classes, which let one leaf be the worst for
        one class, and another of the same tree the best for the other.

        Parameters
        ----------
        box
            The box.
        label
            The class.
        bins : (n_features, n_rows)
            Rows in the box. They affect only the running time: the leaves that they reach may show that another class
            leads before all leaves are visited.

        References
        ----------
        Van Assche, Blockeel (2007), "Seeing the Forest through the Trees", section 2.4.
        """
        offsets = self.raw.offsets - self.raw.offsets[label]
        witnesses = reached_leaves(self.forest, np.ascontiguousarray(bins))
        leads = worst_leads(self.forest, remaining_in(self.forest, box), self.raw.values, offsets, label, witnesses)
        return bool((np.delete(leads, label) < -self.raw.margin).all())


def rows_to_fit(n_rows: int) -> NDArray[np.int64]:
    """Return the training rows, ascending, to whose scores the map from leaves is fitted."""
    return np.unique(np.linspace(0, n_rows - 1, _ROWS_TO_FIT).astype(np.int64))


def raw_scores(
    ensemble: TreeEnsemble, reached: NDArray[np.int64], scores: Floats, share: float = 1.0
) -> RawScores | None:
    """Return how scores follow from leaves; ``None`` if no known link reproduces the model's scores.

    Plain sums and means are known, and softmax, which includes the logistic function of two classes. A single output
    for two classes is the score of one of them.

    Parameters
    ----------
    ensemble
        With the values of its leaves.
    reached : (n_rows, n_trees)
        The leaves of some rows, numbered through all trees.
    scores : (n_rows, n_classes)
        The model's scores of them: shares that sum to 1.
    share
        Share of the rows whose scores must be reproduced: below 1 if the leaves of some rows are uncertain.
    """
    values = _by_class(ensemble.leaf_values, scores.shape[1])
    if values is None:
        return None
    sums = np.zeros(scores.shape)
    for leaves in reached.T:
        sums += values[leaves]
    largest = np.maximum.reduceat(abs(values).max(axis=1), ensemble.leaf_offsets[:-1]).sum()
    for link in _LINKS:
        fit = _fitted(link, sums, scores, share)
        if fit is not None:
            rounding = abs(fit.scale) * largest * ensemble.n_trees * _ROUNDING
            return RawScores(values * fit.scale, fit.offsets, 2 * (rounding + link.slack + fit.off))
    return None


def _by_class(values: Floats, n_classes: int) -> Floats | None:
    """Return leaf values with a column for each class; a single output for two classes is divided between them."""
    if values.shape[1] == n_classes:
        return values
    if n_classes == 2 and values.shape[1] == 1:  # one output represents two
        return np.hstack((-values, values)) / 2
    return None


@dataclass(frozen=True, slots=True)
class _Link:
    """A link function and its inverse, which is determined up to what all classes have in common."""

    forth: Callable[[Floats], Floats]  # (n_rows, n_classes) to scores
    back: Callable[[Floats], Floats]
    safe_above: float  # the argument can be recovered for rows with all scores above it
    slack: float  # possible error of a recovered argument


@dataclass(frozen=True, slots=True)
class _Fit:
    scale: float
    offsets: Floats
    off: float  # largest difference from the model's scores


def _fitted(link: _Link, sums: Floats, scores: Floats, share: float) -> _Fit | None:
    """Return the scale and the offsets with which a link reproduces the scores, if it does."""
    arguments = _centred(sums)
    is_sure = (scores > link.safe_above).all(axis=1)
    if is_sure.sum() < _FEWEST_ROWS:
        return None
    argument = _centred(link.back(scores[is_sure]))
    scale = _scale(arguments[is_sure], argument)
    if scale is None:
        return None
    offsets = np.median(argument - scale * arguments[is_sure], axis=0)
    off = abs(link.forth(scale * arguments + offsets) - scores).max(axis=1)
    fits = off <= _TOLERANCE
    return _Fit(scale, offsets, float(off[fits].max())) if fits.mean() >= share else None


def _scale(arguments: Floats, wanted: Floats) -> float | None:
    """Return the factor of sums: the median ratio over entries far from the median, which are the least uncertain."""
    arguments, wanted = arguments - np.median(arguments, axis=0), wanted - np.median(wanted, axis=0)
    far = abs(arguments) >= max(0.5 * abs(arguments).max(initial=0.0), _TOLERANCE)
    if not far.any():
        return None
    scale = float(np.median(wanted[far] / arguments[far]))
    nearest = round(2 * scale) / 2  # links are of plain sums, or of half of them
    return nearest if nearest and abs(scale - nearest) < _NEAR else scale


def _centred(scores: Floats) -> Floats:
    """Return scores less their mean over the classes: what is common to all does not affect labels."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _shares(raw: Floats) -> Floats:
    return np.asarray(_centred(raw) + 1 / raw.shape[1])


def _softmax(raw: Floats) -> Floats:
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


_LINKS = (
    _Link(_shares, lambda scores: scores, safe_above=-1, slack=0.0),
    _Link(_softmax, np.log, safe_above=0.001, slack=1e-4),
)
