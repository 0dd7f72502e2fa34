"""Reference rows with their scores: out of bag where it is known which trees of a forest learned from which of them."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.bags import unpacked
from tree_explainers.effects.leaf_scores_in_scale import LeafScores
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.leaf_space.reference_rows import Nearest
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

from .reference_file import ReferenceFile, evenly_spaced

_MAX_ROWS, _MAX_SCORES = 100_000, 5_000_000  # that are looked at, evenly spaced, so that they are predicted in seconds
_BLOCK_CELLS = 8_000_000  # rows x trees, or x features, that are looked at together

Floats = NDArray[np.float64]


class ScoredRows(NamedTuple):
    """Some of the reference rows, those that have a target."""

    file: ReferenceFile
    rows: NDArray[np.int64]  # (n_rows,) ascending
    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes)
    targets: NDArray[np.int64]  # (n_rows,)
    is_out: NDArray[np.uint8] | None = None  # (n_rows, n_bytes) bits of trees that did not learn from a row; None: all
    least_weight_out: int = 0  # of these trees, of any row

    @property
    def is_out_of_bag(self) -> bool:
        """Whether a row is scored and compared by those trees alone that did not learn from it."""
        return self.is_out is not None

    def index_of(self, row: int) -> int | None:
        """Return the index of a reference row, or ``None`` where it is not among these."""
        index = int(np.searchsorted(self.rows, row))
        return index if index < len(self.rows) and self.rows[index] == row else None

    def proximities(self, nearest: Nearest, indices: NDArray[np.int64], index: int | None) -> Floats:
        """Return the proximities of the nearest rows to a row, (n_nearest,).

        Out of bag they are shares, by weight, of the trees that learned neither from them nor from the row.

        Parameters
        ----------
        nearest
            Of the row.
        indices : (n_nearest,)
            Of these rows here.
        index
            Of the row itself, if it is one of these.
        """
        if self.is_out is None:
            return nearest.proximities.astype(np.float64)
        weights = self.file.search.tree_weights.astype(np.int64)
        counts = unpacked(self.is_out[indices], len(weights))
        if index is not None:
            counts &= unpacked(self.is_out[index], len(weights))
        shared, weights_out = (nearest.shared & counts) @ weights, counts @ weights
        return np.asarray(shared / np.maximum(1, weights_out), np.float64)

    def most_proximity(self, farthest: int, index: int | None) -> float:
        """Return the most that the proximity of a row can be of whose shared trees count no more than ``farthest``."""
        if self.is_out is None:
            return float(farthest)
        return 1.0 if index is not None else farthest / max(1, self.least_weight_out)


def score_reference(
    session: ModelSession,
    file: ReferenceFile,
    read_ensemble: Callable[[], TreeEnsemble],
    n_classes: int,
) -> ScoredRows:
    """Return at most 100,000 of the reference rows, evenly spaced; those without a target are left out.

    Out of bag, a row that all trees learned from is left out, too.
    """
    assert file.targets is not None  # callers know
    rows = evenly_spaced(file.n_rows, min(_MAX_ROWS, _MAX_SCORES // n_classes))
    rows = rows[file.targets[rows] >= 0]
    if file.in_bag is None or not _are_means(session.description):
        scores = [session.predict(read_rows(session, file, part)).scores for part in blocks_of(rows, session)]
        joined = np.concatenate([np.empty((0, n_classes), np.float32), *scores])
        return ScoredRows(file, rows, joined, file.targets[rows].astype(np.int64))
    weights = file.search.tree_weights.astype(np.int64)
    weights_out = np.concatenate(
        [np.empty(0, np.int64), *(_is_out(file, part, weights) @ weights for part in blocks_of(rows, session))]
    )
    rows, least_weight_out = rows[weights_out > 0], int(weights_out[weights_out > 0].min(initial=0))
    ensemble = read_ensemble()
    raw = session.description.raw_scores
    assert raw is not None  # they are means
    of_leaves, offsets = LeafScores.of(ensemble, raw), ensemble.leaf_offsets[:-1]
    means = [np.empty((0, n_classes))]
    for part in blocks_of(rows, session):
        leaves = session.run_in_chunks(read_rows(session, file, part)).leaves
        means.append(of_leaves.means(offsets + leaves, _is_out(file, part, weights)))
    return ScoredRows(
        file,
        rows,
        np.concatenate(means),
        file.targets[rows].astype(np.int64),
        np.asarray(~file.in_bag[rows]),
        least_weight_out,
    )


def _are_means(description: ModelDescription) -> bool:
    """Whether scores are means over the trees of one ensemble, so that those of some trees are scores, too."""
    raw = description.raw_scores
    return raw is not None and raw.link is None and len(raw.terms) == 1 and description.score_kind == "probability"


def _is_out(file: ReferenceFile, rows: NDArray[np.int64], weights: NDArray[np.int64]) -> NDArray[np.bool_]:
    assert file.in_bag is not None  # callers know
    return ~unpacked(file.in_bag[rows], len(weights))


def blocks_of(rows: NDArray[np.int64], session: ModelSession) -> Iterator[NDArray[np.int64]]:
    """Yield the indices of some rows in blocks that are run together."""
    description = session.description
    n_together = max(1, _BLOCK_CELLS // max(description.n_trees, description.n_features))
    for start in range(0, len(rows), n_together):
        yield rows[start : start + n_together]


def read_rows(session: ModelSession, file: ReferenceFile, rows: NDArray[np.int64]) -> Rows:
    """Return some of the reference rows as the model takes them."""
    return Rows(tuple(session.description.feature_names), tuple(file.columns(rows)))
