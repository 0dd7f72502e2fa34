"""Effects of features on many rows, by the dataset's columns, for two models or two sets of rows to be compared by."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..effects.ensemble_effects import EnsembleEffects, Scale
from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..onnx_models.tree_inputs import TreeColumns
from ..onnx_models.walked_parts import WalkedParts
from ..rows import Rows

Floats = NDArray[np.float64]
_ROWS_AT_ONCE = 100  # between two reports


@dataclass(frozen=True, slots=True)
class FeatureEffects:
    """The effects of features on a model's raw score, against the mean of the same reference rows."""

    names: tuple[str, ...]  # (n_features,) of what has effects
    scale: Scale
    effects: Floats  # (n_rows, n_features)

    def of(self, name: str) -> Floats:
        """Return the effects of a feature, (n_rows,); 0 of one that the model does not have."""
        return self.effects[:, self.names.index(name)] if name in self.names else np.zeros(len(self.effects))


def feature_effects(
    model: tuple[ModelDescription, TreeEnsemble, WalkedParts],
    rows: Rows,
    references: Rows,
    scores: NDArray[np.int64],
    names: Sequence[str],
    report: ReportProgress = ignore_progress,
) -> FeatureEffects:
    """Return the effects of rows.

    Parameters
    ----------
    model
        Its description, trees and what surrounds them.
    rows, references
        Raw rows, by the model's names of its features.
    scores : (n_rows,)
        Index of the raw score of each row that effects are on.
    names : (n_features,)
        What the caller calls the model's raw features.
    report
        Progress callback; may raise to stop.

    Raises
    ------
    MethodNotApplicable
        Where the model's scores are not sums over its trees.
    """
    description, ensemble, parts = model
    effects = EnsembleEffects.of(description, parts.as_read(ensemble))
    columns = TreeColumns(description, parts)
    ranks, of_references = effects.ranks(columns.of(rows)), effects.ranks(columns.of(references))
    found = np.zeros((len(rows), effects.n_players))
    n_done = 0
    for score in np.unique(scores).tolist():
        same = np.flatnonzero(scores == score)
        for start in range(0, len(same), _ROWS_AT_ONCE):
            report(n_done / len(rows), "calculating effects")
            some = same[start : start + _ROWS_AT_ONCE]
            found[some] = effects.mean_effects(ranks[some], of_references, score)
            n_done += len(some)
    renamed = dict(zip(description.feature_names, names, strict=True))
    return FeatureEffects(tuple(renamed.get(name, name) for name in effects.players.names), effects.scale, found)
