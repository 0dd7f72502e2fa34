"""What effects of rows are written of: the effects, and what is the same of many rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.column_words import ColumnWords

from .cell_texts import CellTexts
from .effect_references import MeanReference
from .sentences import Causes

LEAST_SHARE = 0.05
"""Of the difference of two scores: features that move it less are not named beside the first."""

END_OF_ENTRY = b"},"
"""What ends the entry of a feature behind which there is another one."""


class RowEffects(NamedTuple):
    """The effects of one row, as they are calculated."""

    reference: int | MeanReference  # index of the prototype that it is compared with, or the rows
    score: int  # index of the score that effects are on
    of_players: NDArray[np.float64]  # (n_players,)
    order: list[int]  # players that have some, largest first
    total: float  # the sum of all
    points: NDArray[np.float64] | None = None  # (n_players,) in points of probability; None: as those of one case


class WrittenEffects(NamedTuple):
    """The effects of one row, as explanations have them."""

    text: bytes  # JSON
    causes: Causes  # the same as a sentence


class EffectRow(NamedTuple):
    """A row whose effects are written."""

    effects: RowEffects
    values: Sequence[Any]  # (n_features,) as sent
    cells: CellTexts  # (n_features,) the same as JSON
    adverse: bool | None  # whether effects above 0 are principal reasons, or else those below; None: there are none


class EffectReference(NamedTuple):
    """What rows are compared with: a case, or the mean of some."""

    case: int | None  # index; None: a mean
    raw: float  # score
    probability: float  # of this score; 0 where effects have no points
    start: bytes  # of the effects, up to the row's score
    head: bytes  # from there up to its own score
    tail: bytes  # from there up to the first feature
    words: str  # the beginning of the sentence, up to the size of the difference
    row_id: str | None  # of the case


class EffectEntry(NamedTuple):
    """What is the same of a feature in all rows that are compared with one case, or with the mean of some."""

    start: bytes  # what ends the entry before, and its own up to the value, where it has one
    feature: int | None  # index of the value among the raw features
    end: bytes  # from the value up to the effect, or up to the value in words
    words: ColumnWords | None  # for its values, where there are any
    text: bytes  # from the value in words up to the effect
    name: str
    mention: str  # in sentences, up to the value
    compared: str  # in sentences, from the value up to the effect
    is_protected: bool
    is_plain: bool  # a fraction is written in sentences as ``wording.rounded_text`` has it
