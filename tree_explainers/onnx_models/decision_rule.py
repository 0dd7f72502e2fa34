"""DecisionRule: from the scores of rows to the outcomes that are decided of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelRefused

_FEW_ROWS = 16  # of which numpy would take longer than a comparison each


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """Bands of one score: the lowest scores have the first outcome.

    An end belongs to the next band: ``outcomes[i]`` is that of the scores from ``ends[i - 1]`` on, below ``ends[i]``.
    """

    outcomes: tuple[str, ...]  # (n_bands,)
    ends: tuple[float, ...]  # (n_bands - 1,) ascending
    score_of: str | None  # class whose score it is; None: the value of a regression
    column: int  # its index among the scores
    best_first: bool = True  # whether the lowest scores have the best outcome
    adverse: tuple[str, ...] = ()
    labels_decide: bool = False  # the model's own labels are the outcomes: the bands only describe them

    @classmethod
    def declared(cls, decision: dict[str, Any] | None, classes: tuple[str, ...]) -> Self | None:
        """Return the rule that a caller declared of a model with these classes, if any; no classes: a regression.

        Parameters
        ----------
        decision
            A ``schemas.decisions.Decision``, in plain values.

        Raises
        ------
        ModelRefused
            ``validation_failed`` where the score is of none of the classes, or an outcome that labels decide is none.
        """
        if decision is None:
            return None
        bands = decision["bands"]
        outcomes = tuple(band["outcome"] for band in bands)
        labels_decide = bool(decision.get("labels_decide"))
        score_of = decision.get("score_of")
        for detail in _faults(score_of, outcomes if labels_decide else None, classes):
            raise ModelRefused("validation_failed", f"decision: {detail}.")
        return cls(
            outcomes=outcomes,
            ends=tuple(float(band["below"]) for band in bands[:-1]),
            score_of=score_of,
            column=0 if score_of is None else classes.index(score_of),
            best_first=bool(decision.get("best_first", True)),
            adverse=tuple(decision.get("adverse") or ()),
            labels_decide=labels_decide,
        )

    def find(self, scores: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
        """Return the index of each row's outcome among ``outcomes``, (n_rows,), from its scores, (n_rows, n_scores)."""
        column = scores[:, self.column]
        # Ends in the scores' own precision: a score that is printed as 0.35 is not below 0.35.
        ends = np.array(self.ends, column.dtype)
        if len(column) <= _FEW_ROWS:
            exact_ends = ends.tolist()
            return np.array([sum(score >= end for end in exact_ends) for score in column.tolist()], np.int64)
        indices: NDArray[np.int64] = np.searchsorted(ends, column, side="right")
        return indices

    def of_labels(self, labels: NDArray[np.int64], classes: tuple[str, ...]) -> NDArray[np.int64]:
        """Return the index of each row's outcome, (n_rows,), where labels, indices among the classes, decide."""
        return np.array([self.outcomes.index(name) for name in classes], np.int64)[labels]

    def refuse_beyond(self, low: float, high: float) -> None:
        """Refuse an end outside of the scores that there are, from ``low`` to ``high``; ``ModelRefused`` names it."""
        for outcome, end in zip(self.outcomes, self.ends, strict=False):
            if not low < end <= high:
                detail = (
                    f"decision: band {outcome[:80]!r} ends at {end:g}, and the scores are from {low:g} to {high:g}; "
                    f"give an end above {low:g} and at most {high:g}."
                )
                raise ModelRefused("validation_failed", detail)

    def better(self, outcome: int) -> int | None:
        """Return the index of the next better outcome; ``None`` of the best one."""
        next_one = outcome - 1 if self.best_first else outcome + 1
        return next_one if 0 <= next_one < len(self.outcomes) else None

    def bands(self) -> list[dict[str, Any]]:
        """Return the bands in the contract's plain values."""
        return [
            {"outcome": outcome, "below": end} for outcome, end in zip(self.outcomes, (*self.ends, None), strict=True)
        ]


def _faults(score_of: str | None, labels: tuple[str, ...] | None, classes: tuple[str, ...]) -> Iterator[str]:
    """Yield why a decision does not fit a model with these classes; ``labels`` are outcomes that are to be classes."""
    if labels is not None and sorted(labels) != sorted(classes):
        yield f"with `labels_decide` the outcomes must be the model's classes, which are {_named(classes) or 'none'}"
    if not classes and score_of is not None:
        yield f"`score_of` is {score_of[:80]!r}, and the model predicts a value, not a class; leave `score_of` out"
    if classes and score_of is None:
        yield f"`score_of` is missing; name the class whose score is in bands, one of {_named(classes)}"
    if classes and score_of is not None and score_of not in classes:
        yield f"`score_of` is {score_of[:80]!r}, which is no class of the model; its classes are {_named(classes)}"


def _named(classes: tuple[str, ...]) -> str:
    names = ", ".join(repr(name[:40]) for name in classes[:10])
    return f"{names}, …" if len(classes) > 10 else names  # shown
