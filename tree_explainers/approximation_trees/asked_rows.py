"""Pseudo rows of a whole dataset, drawn and asked at once."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from ..rows import Rows
from .answer_scale import AnswerScale, Floats
from .heartbeat import Heartbeat
from .oracle import Oracle

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
