"""WarmEvidence: what happened to the reference rows that are most like a row, as explanations have it."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.evidence import TRAINING_NOT_KNOWN
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.evidence import LEVEL, MOST_ROWS, SCORE_WINDOW, Evidence, gather_evidence, weights_of_rows_like
from tree_explainers.leaf_space.reference_rows import Restriction
from tree_explainers.onnx_models.session import ModelSession

from .nearest_rows import WarmReference
from .scored_reference import ScoredRows, score_reference

_N_FIRST = 4 * MOST_ROWS  # rows that are searched first; of most rows the nearest are enough
_DIGITS = 6  # of shares
_CAUTION = TRAINING_NOT_KNOWN.model_dump()


class WarmEvidence:
    """The reference rows of an explainer, predicted when they are first needed. Safe to use from any thread.

    Where it is known which trees learned from which of them, a row is scored and compared by the other trees alone.

    Parameters
    ----------
    session
        The open model.
    reference
        Its reference rows.
    ensemble
        Reads the model's trees.
    classes
        Of the model.
    are_held_out
        Whether their dataset declares that the model was not trained on them.
    """

    def __init__(
        self,
        session: ModelSession,
        reference: WarmReference,
        ensemble: Callable[[], TreeEnsemble],
        classes: Sequence[str],
        *,
        are_held_out: bool,
    ) -> None:
        self._session, self._reference, self._classes = session, reference, list(classes)
        self._ensemble = ensemble
        self._are_held_out = are_held_out
        self._scored: ScoredRows | None = None
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

    def open(self) -> ScoredRows:
        """Return the reference rows, predicted if need be; only where they have targets."""
        if self._scored is None:
            with self._lock:
                file = self._reference.open()
                self._scored = self._scored or score_reference(self._session, file, self._ensemble, len(self._classes))
        return self._scored

    def document(
        self, leaves: NDArray[np.int32], scores: NDArray[np.floating[Any]], column: int, row: int | None = None
    ) -> dict[str, Any]:
        """Return the evidence of a row, in the plain values of ``schemas.evidence.Evidence``.

        Parameters
        ----------
        leaves : (n_trees,)
            Of the row, in the model's own trees.
        scores : (n_classes,)
            Of the row.
        column
            Index of the class whose score the rows are to have nearly.
        row
            Its index among the reference rows, where it is one of them: then it is no evidence of itself.
        """
        scored, score = self.open(), float(str(scores[column]))  # in as few digits as its own precision takes
        at = None if row is None else scored.index_of(row)
        if at is not None and scored.is_out_of_bag:
            score = round(float(scored.scores[at, column]), _DIGITS)
        evidence = self._evidence(leaves, score, column, at)
        shares = [
            {
                "label": self._classes[share.outcome],
                "share": round(share.share, _DIGITS),
                "low": round(share.low, _DIGITS),
                "high": round(share.high, _DIGITS),
            }
            for share in evidence.shares
        ]
        is_out_of_bag = scored.is_out_of_bag
        return {
            "n_rows": evidence.n_rows,
            "effective_rows": round(evidence.effective_rows, _DIGITS),
            "score_of": self._classes[column],
            "score": score,
            "shares": shares,
            "level": LEVEL,
            "out_of_bag": is_out_of_bag,
            **({} if at is None else {"is_reference_row": True}),
            **({"agrees": evidence.agrees(score, column)} if shares else {}),
            **({} if is_out_of_bag or self._are_held_out else {"cautions": [_CAUTION]}),
        }

    def _evidence(self, leaves: NDArray[np.int32], score: float, column: int, at: int | None) -> Evidence:
        """Return the true classes of the rows that are most like a row and have nearly its score.

        Searched are the nearest rows until no other could be more like it: its nearness in scores is 1 at most.
        """
        scored = self.open()
        scores = scored.scores[:, column].astype(np.float64)
        is_near = np.abs(scores - score) < SCORE_WINDOW
        if at is not None:
            is_near[at] = False
        allowed = np.zeros(scored.file.n_rows, np.bool_)
        allowed[scored.rows[is_near]] = True
        n_searched, searched_leaves = _N_FIRST, scored.file.leaves(leaves[None])[0]
        while True:
            nearest = scored.file.search.nearest(searched_leaves, n_searched, Restriction(allowed))
            indices = np.searchsorted(scored.rows, nearest.rows)
            proximities = scored.proximities(nearest, indices, at)
            weights = weights_of_rows_like(proximities, scores[indices], score)
            if len(indices) < n_searched:
                return gather_evidence(weights, scored.targets[indices], len(self._classes))
            others = scored.most_proximity(int(nearest.proximities[-1]), at)
            if _is_settled(weights, proximities, scores[indices] - score, others):
                return gather_evidence(weights, scored.targets[indices], len(self._classes))
            n_searched *= 4


def _is_settled(
    weights: NDArray[np.float64], proximities: NDArray[np.float64], differences: NDArray[np.float64], others: float
) -> bool:
    """Return whether no row whose proximity is at most ``others`` could be among those most like the row."""
    is_weighted = weights > 0
    nearness = 1 - (differences[is_weighted] / SCORE_WINDOW) ** 2
    least = float((proximities[is_weighted] * nearness).min(initial=np.inf))
    return len(nearness) >= MOST_ROWS and least > others
