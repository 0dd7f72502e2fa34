"""Oracle: the ensemble as a function of raw rows, its scores as targets of splits, and rows labelled by it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from ..compute.threads import in_order
from ..onnx_models.description import ModelDescription
from ..onnx_models.session import Predictions
from ..rows import Rows

BLOCK_ROWS = 4_096  # at most, so that a cancellation takes effect soon

Floats = NDArray[np.float64]
DrawRows = Callable[[int, np.random.Generator], tuple[Rows, NDArray[np.int64]]]
"""Draws a number of pseudo rows; returns them, and the training row that each was made from."""


class Oracle(Protocol):
    """A model that predicts any raw rows."""

    @property
    def is_classifier(self) -> bool:
        """Whether scores are shares of classes; otherwise they are values."""

    @property
    def n_at_once(self) -> int | None:
        """How many blocks of rows it answers at once; ``None``: one for each core of this machine."""

    def predict(self, rows: Rows) -> Floats:
        """Return shares of classes, (n_rows, n_classes), which sum to 1 in each row, or values, (n_rows, 1)."""


class Answering(Protocol):
    """What predicts for a model: its session in this process, or workers on other machines."""

    @property
    def description(self) -> ModelDescription:
        """What is known of the model."""

    def predict(self, rows: Rows) -> Predictions:
        """Return scores and labels of rows; see ``ModelSession.predict``."""


class DecidedAnswers:
    """What a model decides, as predictions of a classifier: its classes are the outcomes, each has the whole share."""

    def __init__(self, answering: Answering) -> None:
        self.answering = answering
        self.description = decided_description(answering.description)

    def predict(self, rows: Rows) -> Predictions:
        """Return the outcomes of rows; see ``Answering.predict``."""
        predictions = self.answering.predict(rows)
        outcomes = self.answering.description.outcome_indices(predictions.scores, predictions.labels)
        return Predictions(np.eye(len(self.description.classes))[outcomes], outcomes)


def decided_description(description: ModelDescription) -> ModelDescription:
    """Return the description of a classifier that predicts what a model with a decision decides."""
    outcomes = description.outcomes
    return replace(
        description,
        task="classification",
        classes=outcomes,
        label_values=outcomes,
        score_kind="raw",
        labels_are_highest=False,
        scoring=None,
        raw_scores=None,
        decision=None,
    )


class SessionOracle:
    """A registered model as an oracle.

    If the model's scores are no probabilities, or its labels come about otherwise than by the highest score, such as by
    a cut-off, its label gets the whole share.
    """

    def __init__(self, session: Answering, n_at_once: int | None = None) -> None:
        self._session, self.n_at_once = session, n_at_once

    @property
    def is_classifier(self) -> bool:
        """Whether the model predicts classes, of which there may be only one."""
        return self._session.description.task == "classification"

    def predict(self, rows: Rows) -> Floats:
        """Return the scores of rows that have the model's features by name; see ``Oracle.predict``.

        Raises
        ------
        RowRefused
            If the model does not accept a row.
        """
        return oracle_scores(self._session.predict(rows), self._session.description)


def oracle_scores(predictions: Predictions, description: ModelDescription) -> Floats:
    """Return a model's predictions in the shape of ``Oracle.predict``; see ``SessionOracle``."""
    scores = predictions.scores.astype(np.float64)
    if predictions.labels is None:
        return scores
    if description.score_kind == "raw" or not description.labels_are_highest:
        return np.eye(scores.shape[1])[predictions.labels]
    totals = scores.sum(axis=1, keepdims=True)
    some = totals > 0
    return np.where(some, scores / np.where(some, totals, 1), np.eye(scores.shape[1])[predictions.labels])


def predict_in_blocks(rows: Rows, oracle: Oracle, report: ReportProgress) -> Floats:
    """Return the model's scores of rows, (n_rows, n_scores), in blocks that the cores share."""
    blocks = [rows.take(slice(start, start + BLOCK_ROWS)) for start in range(0, len(rows), BLOCK_ROWS)]
    scores = []
    with closing(in_order(oracle.predict, blocks, oracle.n_at_once)) as predicted:
        for _, of_block in predicted:
            scores.append(of_block)
            report(len(scores) / len(blocks), "evaluating the model")
    return np.concatenate(scores)


@dataclass(frozen=True, slots=True)
class TargetTransform:
    """A shift and a rotation of scores into few centred targets, which changes neither gains nor their comparison.

    Shares of C classes sum to 1, so C - 1 numbers determine them: the coordinates in an orthonormal basis of the
    vectors that sum to 0. The share of a single class is always 1, and remains one constant number. A value is divided
    by the standard deviation of the model's values on the training rows, which multiplies all gains by one factor.
    Scores are centred on the mean of a node's training rows, so that few digits are lost in single precision.
    """

    basis: Floats  # (n_scores, n_targets)
    scale: float  # 1 for classification
    is_classifier: bool

    @classmethod
    def of(cls, scores: Floats, *, is_classifier: bool) -> Self:
        """Return the transform for a model, given its scores of the training rows, (n_rows, n_scores)."""
        n_scores = scores.shape[1]
        if n_scores == 1:
            spread = 1.0 if is_classifier else float(scores.std())
            return cls(np.ones((1, 1)), spread or 1.0, is_classifier)
        # Helmert contrasts: a class against the mean of those before it.
        basis = np.zeros((n_scores, n_scores - 1))
        for column in range(n_scores - 1):
            basis[: column + 1, column], basis[column + 1, column] = 1, -(column + 1)
        return cls(basis / np.linalg.norm(basis, axis=0), 1.0, is_classifier)

    @property
    def n_targets(self) -> int:
        """Number of targets of a row."""
        return int(self.basis.shape[1])

    def targets(self, scores: Floats, center: Floats) -> NDArray[np.float32]:
        """Return the targets, (n_rows, n_targets), of scores, (n_rows, n_scores), relative to ``center``."""
        return ((scores - center) @ (self.basis / self.scale)).astype(np.float32)

    def scores(self, mean: Floats, center: Floats) -> Floats:
        """Return the mean scores, (n_scores,), that have the mean targets ``mean``, (n_targets,)."""
        scores = center + self.basis @ mean * self.scale
        return np.clip(scores, 0, 1) if self.is_classifier else scores


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Pseudo rows with the model's predictions as targets."""

    rows: Rows
    origins: NDArray[np.int64]  # (n_rows,) the training row that each was made from
    targets: NDArray[np.float32]  # (n_rows, n_targets)
    transform: TargetTransform
    center: Floats  # (n_scores,) to which targets are relative

    def scores(self, targets: Floats) -> Floats:
        """Return the scores, (n_scores,), that have the given targets, (n_targets,)."""
        return self.transform.scores(targets, self.center)


def label_rows(
    training: Rows, draw: DrawRows, oracle: Oracle, n: int, seed: np.random.SeedSequence, report: ReportProgress
) -> LabelledRows:
    """Draw pseudo rows and label them by the model, in blocks that the cores share.

    The training rows are predicted first, for the transform; ``report`` is called with the share of the pseudo rows
    that are labelled, and with 0 before.
    """
    scores = predict_in_blocks(training, oracle, lambda _, stage: report(0.0, stage))
    transform, center = TargetTransform.of(scores, is_classifier=oracle.is_classifier), scores.mean(axis=0)
    n_blocks = -(-n // BLOCK_ROWS)
    sizes = np.diff(np.linspace(0, n, n_blocks + 1).round().astype(int))

    def made(block: tuple[int, np.random.SeedSequence]) -> tuple[Rows, NDArray[np.int64], NDArray[np.float32]]:
        rows, origins = draw(block[0], np.random.default_rng(block[1]))
        return rows, origins, transform.targets(oracle.predict(rows), center)

    parts = []
    seeds = zip(map(int, sizes), seed.spawn(n_blocks), strict=True)
    with closing(in_order(made, seeds, oracle.n_at_once)) as blocks:
        for _, part in blocks:
            parts.append(part)
            report(len(parts) / n_blocks, "evaluating the model")
    rows = Rows(training.names, tuple(map(np.concatenate, zip(*(part[0].columns for part in parts), strict=True))))
    origins, targets = (np.concatenate([part[index] for part in parts]) for index in (1, 2))
    return LabelledRows(rows, origins, targets, transform, center)
