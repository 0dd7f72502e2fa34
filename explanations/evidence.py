"""WarmEvidence: what happened to the reference rows that are most like a row, as explanations have it."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.evidence import CAUTION
from tree_explainers.evidence import LEVEL, MOST_ROWS, SCORE_WINDOW, Evidence, gather_evidence, weights_of_rows_like
from tree_explainers.leaf_space.reference_rows import Nearest, Restriction
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

from .nearest_rows import WarmReference
from .reference_file import ReferenceFile, evenly_spaced

_MAX_ROWS, _MAX_SCORES = 100_000, 5_000_000  # that are looked at, evenly spaced, so that they are predicted in seconds
_BLOCK_ROWS = 20_000
_N_FIRST = 4 * MOST_ROWS  # rows that are searched first; of most rows the nearest are enough
_DIGITS = 6  # of shares


class _Scored(NamedTuple):
    """The reference rows that are looked at."""

    file: ReferenceFile
    rows: NDArray[np.int64]  # (n_scored,) ascending
    scores: NDArray[np.floating[Any]]  # (n_scored, n_classes)
    targets: NDArray[np.int64]  # (n_scored,)


class WarmEvidence:
    """The reference rows of an explainer, predicted when they are first needed. Safe to use from any thread.

    Parameters
    ----------
    session
        The open model.
    reference
        Its reference rows.
    classes
        Of the model.
    are_held_out
        Whether their dataset declares that the model was not trained on them.
    """

    def __init__(
        self, session: ModelSession, reference: WarmReference, classes: Sequence[str], *, are_held_out: bool
    ) -> None:
        self._session, self._reference, self._classes = session, reference, list(classes)
        self._are_held_out = are_held_out
        self._scored: _Scored | None = None
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        """Whether the reference rows are predicted."""
        return self._scored is not None

    @property
    def has_targets(self) -> bool:
        """Whether the true classes of reference rows are known."""
        return bool(self._classes) and self._reference.open().targets is not None

    @property
    def seconds(self) -> float:
        """Seconds of a processor that a row takes, once the reference rows are predicted."""
        file = self._reference.open()
        return 2e-4 + 1e-9 * (3 * file.search.nanoseconds + 10 * file.n_rows)

    def open(self) -> _Scored:
        """Return the reference rows, predicted if need be; only where they have targets."""
        if self._scored is None:
            with self._lock:
                self._scored = self._scored or self._predicted()
        return self._scored

    def document(self, leaves: NDArray[np.int32], scores: NDArray[np.floating[Any]], column: int) -> dict[str, Any]:
        """Return the evidence of a row, in the plain values of ``schemas.evidence.Evidence``.

        Parameters
        ----------
        leaves : (n_trees,)
            Of the row.
        scores : (n_classes,)
            Of the row.
        column
            Index of the class whose score the rows are to have nearly.
        """
        evidence = self.evidence(leaves, float(scores[column]), column)
        shares = [
            {
                "label": self._classes[share.outcome],
                "share": round(share.share, _DIGITS),
                "low": round(share.low, _DIGITS),
                "high": round(share.high, _DIGITS),
            }
            for share in evidence.shares
        ]
        return {
            "n_rows": evidence.n_rows,
            "effective_rows": round(evidence.effective_rows, _DIGITS),
            "score_of": self._classes[column],
            "score": float(str(scores[column])),  # in as few digits as its own precision takes
            "shares": shares,
            "level": LEVEL,
            "out_of_bag": False,
            **({"agrees": evidence.agrees(float(scores[column]), column)} if shares else {}),
            **({} if self._are_held_out else {"caution": CAUTION}),
        }

    def evidence(self, leaves: NDArray[np.int32], score: float, column: int) -> Evidence:
        """Return the true classes of the rows that are most like a row and have nearly its score.

        Searched are the nearest rows until no other could be more like it: its nearness in scores is 1 at most.
        """
        scored = self.open()
        scores = scored.scores[:, column].astype(np.float64)
        allowed = np.zeros(scored.file.n_rows, np.bool_)
        allowed[scored.rows[np.abs(scores - score) < SCORE_WINDOW]] = True
        n_searched = _N_FIRST
        while True:
            nearest = scored.file.search.nearest(leaves, n_searched, Restriction(allowed))
            places = np.searchsorted(scored.rows, nearest.rows)
            weights = weights_of_rows_like(nearest.proximities, scores[places], score)
            if len(nearest.rows) < n_searched or _is_settled(nearest, weights, scores[places], score):
                return gather_evidence(weights, scored.targets[places], len(self._classes))
            n_searched *= 4

    def _predicted(self) -> _Scored:
        file = self._reference.open()
        assert file.targets is not None  # ``has_targets``
        n_classes = len(self._classes)
        rows = evenly_spaced(file.n_rows, min(_MAX_ROWS, _MAX_SCORES // n_classes))
        rows = rows[file.targets[rows] >= 0]
        names = tuple(self._session.description.feature_names)
        blocks = [rows[start : start + _BLOCK_ROWS] for start in range(0, len(rows), _BLOCK_ROWS)]
        scores = [self._session.predict(Rows(names, tuple(file.columns(block)))).scores for block in blocks]
        joined = np.concatenate([np.empty((0, n_classes), np.float32), *scores])
        return _Scored(file, rows, joined, file.targets[rows].astype(np.int64))


def _is_settled(nearest: Nearest, weights: NDArray[np.float64], scores: NDArray[np.float64], score: float) -> bool:
    """Return whether a row that is no nearer than the last could not be among those most like the row."""
    is_weighted = weights > 0
    nearness = 1 - ((scores[is_weighted] - score) / SCORE_WINDOW) ** 2
    least = float((nearest.proximities[is_weighted] * nearness).min(initial=np.inf))
    return len(nearness) >= MOST_ROWS and least > float(nearest.proximities[-1])
