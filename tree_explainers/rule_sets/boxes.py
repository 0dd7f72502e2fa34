"""Boxes: what a rule admits, feature by feature, and the boxes of a region model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import BinnedRows
from ..questions.statements import FeatureStatements, Statements
from .regions import RegionModel

CERTAINTY = 1e-6  # kappa: how close to 0 or 1 eta must be for a statement to belong to a region's box


@dataclass(frozen=True, slots=True)
class Box:
    """The bins that a rule admits of each feature it asks about: one interval of a number, a set of categories.

    The bin of missing values is admitted or not like any other. A feature of which every bin is admitted is left out.
    """

    features: tuple[int, ...]  # ascending positions in ``Statements.features``
    admitted: tuple[NDArray[np.bool_], ...]  # (n_bins,) of each of these

    def covers(self, binned: BinnedRows) -> NDArray[np.bool_]:
        """Return the rows that every feature admits, (n_rows,)."""
        covered = np.ones(binned.n_rows, dtype=np.bool_)
        for feature, admitted in zip(self.features, self.admitted, strict=True):
            covered &= admitted[binned.bins[feature]]
        return covered


def boxes_of(model: RegionModel, statements: Statements, certainty: float = CERTAINTY) -> tuple[Box, ...]:
    """Return the box of each region, in the order of regions.

    A statement that is true of a share of the region above ``1 - certainty`` must be true, one below ``certainty`` must
    be false, any other has its boundary inside the region and asks nothing. What a missing value must answer follows
    from the same statements.

    References
    ----------
    Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", section 4.1; the
    default certainty is that of the authors' program.
    """
    starts = statements.statement_starts
    return tuple(
        _box_of(
            [feature_bins(feature, eta[starts[at] : starts[at + 1]], certainty) for at, feature in _each(statements)]
        )
        for eta in model.eta
    )


def _each(statements: Statements) -> enumerate[FeatureStatements]:
    return enumerate(statements.features)


def _box_of(admitted: list[NDArray[np.bool_]]) -> Box:
    asked = tuple(at for at, bins in enumerate(admitted) if not bins.all())
    return Box(asked, tuple(admitted[at] for at in asked))


def feature_bins(feature: FeatureStatements, eta: NDArray[np.float64], certainty: float) -> NDArray[np.bool_]:
    """Return the bins of a feature that answer every certain statement as the region does, (n_bins,)."""
    is_true, is_false = eta > 1 - certainty, eta < certainty
    if feature.answers is not None:
        contradicts = np.concatenate([~feature.answers[is_true], feature.answers[is_false]])
        return ~np.asarray(contradicts.any(axis=0), dtype=np.bool_)
    bins = np.arange(feature.n_bins)
    low = np.flatnonzero(is_true)[-1] + 1 if is_true.any() else 0
    high = np.flatnonzero(is_false)[0] if is_false.any() else len(feature.cuts)
    admitted = (bins >= low) & (bins <= high)
    admitted[feature.missing_bin] = (
        feature.missing_greater[is_true].all() and not feature.missing_greater[is_false].any()
    )
    return admitted
