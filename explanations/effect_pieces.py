"""What effects of rows are written of: the effects, and what is the same of many rows."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.column_words import ColumnWords
from tree_explainers.compute.byte_texts import Texts

from .cell_texts import CellTexts, LateTexts, SentRows
from .effect_references import MeanReference
from .sentences import NO_CAUSES, Causes

LEAST_SHARE = 0.05
"""Of the difference of two scores: features that move it less are not named beside the first."""

MOSTLY, IN_PART = ", mostly by ", ", in part by "
"""How a sentence names features: those that make up more than half of the difference of two scores, or others."""

END_OF_ENTRY = b"},"
"""What ends the entry of a feature behind which there is another one."""


def is_most(moved: Any, difference: Any) -> Any:  # numbers, or arrays of such
    """Return whether the effects that are named, added up, make up more than half of a difference."""
    return abs(moved) > 0.5 * abs(difference)


class RowEffects(NamedTuple):
    """The effects of one row, as they are calculated."""

    reference: int | MeanReference  # index of the prototype that it is compared with, or the rows
    score: int  # index of the score that effects are on
    of_players: NDArray[np.float64]  # (n_players,)
    order: list[int]  # players that have some, largest first
    total: float  # the sum of all
    points: NDArray[np.float64] | None = None  # (n_players,) in points of probability; None: as those of one case


class EffectsOfRows(NamedTuple):
    """The effects of those rows that have something to be compared with, as they are calculated."""

    rows: list[int]  # (n,) their indices among all
    references: NDArray[np.int64]  # (n,) prototypes that they are compared with; where there is a mean, of no meaning
    mean: MeanReference | None  # the rows that all are compared with
    scores: NDArray[np.int64]  # (n,) the score that effects are on
    of_players: NDArray[np.float64]  # (n, n_players)
    orders: NDArray[np.int64]  # (n, n_players) the players, largest effect first
    counts: NDArray[np.int64]  # (n,) players that have some
    totals: NDArray[np.float64]  # (n,) sums of all
    points: NDArray[np.float64] | None  # (n, n_players) in points of probability; None: as those of one case

    def row(self, number: int) -> "RowEffects":
        """Return the effects of one of them."""
        return RowEffects(
            self.references.item(number) if self.mean is None else self.mean,
            self.scores.item(number),
            self.of_players[number],
            self.orders[number, : self.counts.item(number)].tolist(),
            self.totals.item(number),
            None if self.points is None else self.points[number],
        )


class WrittenEffects(NamedTuple):
    """The effects of one row, as explanations have them."""

    text: bytes  # JSON
    causes: Causes  # the same as a sentence


class RowsOfEffects(NamedTuple):
    """Rows whose effects are written together."""

    effects: EffectsOfRows  # of n rows
    sent: SentRows  # (n,)
    adverse: Sequence[bool | None]  # (n,) as ``EffectRow`` has it

    def row(self, number: int) -> "EffectRow":
        """Return one of the rows."""
        values = self.sent.values[number]
        return EffectRow(self.effects.row(number), values, LateTexts(values), self.adverse[number])


def listed_players(
    effects: EffectsOfRows, are_shown: NDArray[np.bool_], n_features: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the listed effects of rows, row by row and the largest first: the row and the player of each.

    Parameters
    ----------
    are_shown : (n_players,)
        Players that may be listed.
    n_features
        How many there are of each row at most; None: all that have an effect.
    """
    orders, places = effects.orders, np.arange(effects.orders.shape[1])
    if are_shown.all() and n_features is not None:  # as of most
        orders = orders[:, :n_features]
    are_listed = (places[: orders.shape[1]] < effects.counts[:, None]) & are_shown[orders]
    if n_features is not None:
        are_listed &= np.cumsum(are_listed, axis=1) <= n_features
    rows, at = np.nonzero(are_listed)
    return rows, orders[rows, at]


class TextsOfEffects(NamedTuple):
    """The effects of rows, as explanations have them."""

    numbers: Mapping[int, int]  # n, ascending, by row, of those that have some
    json: Texts  # (n,)
    sentences: Texts  # (n,) as parts of texts that are JSON; empty: no feature is named
    references: Sequence["EffectReference"]  # distinct ones
    reference_of: NDArray[np.int64]  # (n,) of each row among these

    def with_others(self, numbers: NDArray[np.int64], others: Sequence[WrittenEffects]) -> Self:
        """Return the same but for some rows, by their numbers, which have the same references."""
        sentences = [orjson.dumps(each.causes.sentence)[1:-1] for each in others]
        json = self.json.with_others(numbers, [each.text for each in others])
        return self._replace(json=json, sentences=self.sentences.with_others(numbers, sentences))

    def get(self, row: int) -> WrittenEffects | None:
        """Return the effects of one row; ``None`` where it has none."""
        if (number := self.numbers.get(row)) is None:
            return None
        sentence = orjson.loads(b'"%b"' % self.sentences.as_bytes(number))
        row_id = self.references[self.reference_of[number]].row_id
        return WrittenEffects(self.json.as_bytes(number), Causes(sentence, row_id) if sentence else NO_CAUSES)


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
