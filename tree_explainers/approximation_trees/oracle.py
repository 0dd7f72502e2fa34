"""Oracle: the ensemble as a function of raw rows, and rows labelled by it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from ..onnx_models.description import ModelDescription
from ..onnx_models.session import ModelSession, Predictions
from ..rows import Rows
from .tree_growth import Heartbeat


class Oracle(Protocol):
    """Answers for rows whatever they are."""

    @property
    def is_classifier(self) -> bool:
        """Whether answers are shares of classes; else they are values."""

    def ask(self, rows: Rows) -> NDArray[np.float64]:
        """Return the shares of classes of each row, (n_rows, n_classes), which sum to 1; or (n_rows, 1) a value."""


class SessionOracle:
    """A registered model as an oracle.

    A model whose scores are no probabilities gives its label the whole share.
    """

    def __init__(self, session: ModelSession) -> None:
        self._session = session

    @property
    def is_classifier(self) -> bool:
        """Whether the model predicts classes, of which there may be only one."""
        return self._session.description.task == "classification"

    def ask(self, rows: Rows) -> NDArray[np.float64]:
        """Return what the model says of rows that have its features by name; see ``Oracle.ask``.

        Raises
        ------
        RowRefused
            Where the model does not take a row.
        """
        return answers(self._session.predict(rows), self._session.description)


def answers(predictions: Predictions, description: ModelDescription) -> NDArray[np.float64]:
    """Return what a model said of rows in the shape in which oracles answer; see ``SessionOracle``."""
    scores = predictions.scores.astype(np.float64)
    if predictions.labels is None:
        return scores
    if description.score_kind == "raw":
        return np.eye(scores.shape[1])[predictions.labels]
    totals = scores.sum(axis=1, keepdims=True)
    some = totals > 0
    return np.where(some, scores / np.where(some, totals, 1), np.eye(scores.shape[1])[predictions.labels])


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AnswerScale:
    """A shift and a rotation of answers, which change neither a gain nor what is compared of it.

    Shares of C classes sum to 1, so C - 1 numbers say all: the coordinates in an orthonormal basis of the vectors that
    sum to 0. The share of a lone class is always 1, and stays one number, which parts nothing. A value is divided by
    the spread of the model's values on the training rows, which changes gains by one factor. Centred on what the model
    says of a node's training rows, few digits are lost in single precision.
    """

    basis: Floats  # (n_scores, n_targets)
    scale: float  # 1 for classification
    is_classifier: bool

    @classmethod
    def of(cls, answers: Floats, *, is_classifier: bool) -> Self:
        """Return the scale for a model, given what it says of the training rows, (n_rows, n_scores)."""
        n_scores = answers.shape[1]
        if n_scores == 1:
            spread = 1.0 if is_classifier else float(answers.std())
            return cls(np.ones((1, 1)), spread or 1.0, is_classifier)
        # Helmert: a class against the mean of those before it.
        basis = np.zeros((n_scores, n_scores - 1))
        for column in range(n_scores - 1):
            basis[: column + 1, column], basis[column + 1, column] = 1, -(column + 1)
        return cls(basis / np.linalg.norm(basis, axis=0), 1.0, is_classifier)

    @property
    def n_targets(self) -> int:
        """Numbers that say all of an answer."""
        return int(self.basis.shape[1])

    def targets(self, answers: Floats, center: Floats) -> NDArray[np.float32]:
        """Return the numbers for answers of shape (n_rows, n_scores), (n_rows, n_targets)."""
        return ((answers - center) @ (self.basis / self.scale)).astype(np.float32)

    def scores(self, mean: Floats, center: Floats) -> Floats:
        """Return the mean answer whose numbers are ``mean``, (n_scores,)."""
        scores = center + self.basis @ mean * self.scale
        return np.clip(scores, 0, 1) if self.is_classifier else scores


_MOST_ROWS = 4_096  # in a block, so that a cancel is heard soon

Draw = Callable[[int, np.random.Generator], tuple[Rows, NDArray[np.int64]]]
"""Draws so many rows; returns them, and the training rows that they were made from."""


@dataclass(frozen=True, slots=True)
class AskedRows:
    """Pseudo rows and what the model says of them."""

    rows: Rows
    origins: NDArray[np.int64]  # (n_rows,) the training row that each was made from
    targets: NDArray[np.float32]  # (n_rows, n_targets)
    scale: AnswerScale
    center: Floats  # (n_scores,) from which targets are counted

    def scores(self, targets: Floats) -> Floats:
        """Return the answer that targets stand for, (n_scores,)."""
        return self.scale.scores(targets, self.center)


def ask_about(rows: Rows, oracle: Oracle, heart: Heartbeat) -> Floats:
    """Return what the model says of given rows, (n_rows, n_scores), asked in blocks that both cores share."""
    blocks = [rows.take(slice(start, start + _MOST_ROWS)) for start in range(0, len(rows), _MOST_ROWS)]
    answers = []
    with closing(in_order(oracle.ask, blocks)) as asked:
        for _, own in asked:
            answers.append(own)
            heart.beat()
    return np.concatenate(answers)


def ask_rows(
    training: Rows, draw: Draw, oracle: Oracle, n: int, seed: np.random.SeedSequence, heart: Heartbeat
) -> AskedRows:
    """Draw pseudo rows and ask the model about them, in blocks that both cores share.

    ``heart`` is told the share that is done, as half of the work.
    """
    answers = ask_about(training, oracle, heart)
    scale, center = AnswerScale.of(answers, is_classifier=oracle.is_classifier), answers.mean(axis=0)
    n_blocks = -(-n // _MOST_ROWS)
    sizes = np.diff(np.linspace(0, n, n_blocks + 1).round().astype(int))

    def made(block: tuple[int, np.random.SeedSequence]) -> tuple[Rows, NDArray[np.int64], NDArray[np.float32]]:
        rows, origins = draw(block[0], np.random.default_rng(block[1]))
        return rows, origins, scale.targets(oracle.ask(rows), center)

    parts = []
    with closing(in_order(made, list(zip(map(int, sizes), seed.spawn(n_blocks), strict=True)))) as blocks:
        for _, part in blocks:
            parts.append(part)
            heart(len(parts) / n_blocks / 2, "asking the model")
    rows = Rows(training.names, tuple(map(np.concatenate, zip(*(part[0].columns for part in parts), strict=True))))
    return AskedRows(
        rows, np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts]), scale, center
    )
