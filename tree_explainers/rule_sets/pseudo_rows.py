"""Pseudo rows for rule lists: rows like the training rows, labelled by the model.

An ensemble has often memorised its training rows: its labels there contain noise that it does not predict elsewhere.
Rules that are to predict its labels of new rows are therefore found on rows that it has not seen, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..prediction_scores import Targets
from ..questions.binned_rows import BinnedRows
from ..questions.statements import Statements
from ..rows import Rows
from .row_parts import RowParts

FEWEST, MOST = 3_000, 20_000  # pseudo rows of each kind: twice as many as there are rows, within these limits
_MOST_CELLS = 1_500_000  # of each kind; the search takes time in proportion
_FEWEST_OF_WIDE = 1_000  # rows, however many features there are
_EXCHANGED = 0.2  # share of the values of a mixed row that come from other rows
_CHOOSING = 0.3  # share of the pseudo rows that lists are chosen by, and not found on

Draw = Callable[[int, np.random.Generator], Rows]
Label = Callable[[Rows], Targets]


@dataclass(frozen=True, slots=True)
class PseudoRows:
    """Pseudo rows of two kinds, near ones and mixed ones."""

    finding: RowParts  # both kinds, on which lists are found
    choosing: tuple[RowParts, ...]  # each kind, by which one of the lists is chosen


def n_pseudo_rows(n_rows: int, n_features: int) -> int:
    """Return how many pseudo rows of each kind are drawn from rows."""
    return min(max(2 * n_rows, FEWEST), MOST, max(_FEWEST_OF_WIDE, _MOST_CELLS // max(1, n_features)))


def draw_pseudo_rows(
    rows: Rows, near: Draw, label: Label, statements: Statements, rng: np.random.Generator
) -> PseudoRows:
    """Draw rows near training rows, and rows whose values come from several training rows, and label them.

    Parameters
    ----------
    rows
        The training rows, or a sample of many, with every feature that ``label`` reads.
    near
        Draws rows near the training rows.
    label
        Returns what the model predicts.
    statements
        Of the model.
    rng
        Draws the rows.
    """
    n_drawn = n_pseudo_rows(len(rows), len(rows.names))
    n_finding = n_drawn - int(_CHOOSING * n_drawn)
    kinds = [near(n_drawn, rng), mixed_rows(rows, n_drawn, rng)]
    labelled = [(BinnedRows.of(statements, each), label(each)) for each in kinds]
    finding, choosing = np.arange(n_finding), np.arange(n_finding, n_drawn)
    near_rows, mixed = (RowParts.here(binned.take(finding), targets.take(finding)) for binned, targets in labelled)
    others = (RowParts.here(binned.take(choosing), targets.take(choosing)) for binned, targets in labelled)
    return PseudoRows(near_rows.followed_by(mixed), tuple(others))


def mixed_rows(rows: Rows, n: int, rng: np.random.Generator) -> Rows:
    """Return ``n`` rows drawn from the given ones, each value replaced with probability 0.2 by that of another row."""
    drawn = rng.integers(0, len(rows), n)
    columns: list[NDArray[Any]] = []
    for column in rows.columns:
        sources = np.where(rng.random(n) < _EXCHANGED, rng.integers(0, len(rows), n), drawn)
        columns.append(column[sources])
    return Rows(rows.names, tuple(columns))
