"""EffectTexts: the effects of a row as JSON, and as a sentence.

Both are put together from pieces that are prepared for each feature and each case that rows are compared with: of many
rows, objects would take longer than the pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import floor, log10, tanh
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson
from leafspace_drawings.words import effect_scale, reference_case
from numpy.typing import NDArray

from schemas.explanation_parts import ReferenceKind
from schemas.json_numbers import json_number
from tree_explainers.column_words import ColumnWords
from tree_explainers.effects.ensemble_effects import Scale, points_per_log_odds, probabilities
from tree_explainers.onnx_models.description import Link

from .cell_texts import CellTexts
from .dictionary_words import DictionaryWords
from .effect_references import MeanReference
from .reference_cases import ReferenceCase
from .sentences import AS_THEY_ARE, N_FEATURES, NO_CAUSES, Causes, Naming, listed, signed
from .shown_players import ShownPlayer

DIGITS = 7
"""Of an effect, counted from the first of the larger score."""
_MOST_REASONS = 4  # as lenders state
_LEAST_SHARE = 0.05  # of the difference of two scores: features that move it less are not named beside the first
_KEPT_PIECES = 10_000  # of an explainer: about half a kilobyte each
Made = TypeVar("Made")


class EffectScale(NamedTuple):
    """What effects are in."""

    name: Scale
    link: Link | None  # what makes probabilities of raw scores; None: they are what the model returns
    has_points: bool = False  # of probability


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


class _Start(NamedTuple):
    """What is the same of a feature in all rows."""

    text: bytes  # its entry up to the value, where it has one, or else up to the effect
    feature: int | None  # index of the value among the raw features
    words: ColumnWords | None  # for its values, where there are any
    name: str
    mention: str  # in sentences
    is_protected: bool
    reason: bytes  # as a principal reason


class _Reference(NamedTuple):
    """What rows are compared with: a case, or the mean of some."""

    case: int | None  # index; None: a mean
    raw: float  # score
    probability: float  # of this score; 0 where effects have no points
    start: bytes  # of the effects, up to the row's score
    head: bytes  # from there up to its own score
    tail: bytes  # from there up to the first feature
    words: str  # the beginning of the sentence, up to the size of the difference
    row_id: str | None  # of the case


class _Compared(NamedTuple):
    """The value of a feature in a case that rows are compared with; all is empty where it has none."""

    value: bytes  # JSON, behind the row's value
    text: bytes  # the same in words, behind the row's value in words
    words: str  # in sentences, behind the row's value


_NOT_RAW, _OF_MEAN = _Compared(b"", b"", ""), _Compared(b"", b"", ": ")


class _Numbers(NamedTuple):
    """The numbers of a row's effects as they are printed."""

    score: float
    reference_score: float
    effects: list[float]  # of listed players
    points: list[float]  # the same in points of probability; empty where there are none
    rest: float  # of all others

    def texts(self) -> list[bytes]:
        """Return them as JSON: the two scores, the rest, the effects, and the points."""
        numbers = [self.score, self.reference_score, self.rest, *self.effects, *self.points]
        return orjson.dumps(numbers)[1:-1].split(b",")


@dataclass(frozen=True, slots=True, eq=False)
class EffectTexts:
    """Writes the effects of rows; threads may share it, as what it keeps is the same whoever makes it."""

    scale: EffectScale
    cases: Sequence[ReferenceCase]  # (n_prototypes,)
    raw: NDArray[np.float64]  # (n_prototypes, n_scores)
    classes: Sequence[str]
    words: DictionaryWords = field(default_factory=DictionaryWords)
    naming: Naming = AS_THEY_ARE
    shown: Mapping[int, ShownPlayer] = field(default_factory=dict)  # by player
    starts: dict[int, _Start] = field(default_factory=dict)  # by player
    references: dict[tuple[object, ...], _Reference] = field(default_factory=dict)
    compared: dict[tuple[int, int], _Compared] = field(default_factory=dict)  # by case and player

    def write(
        self,
        row: RowEffects,
        values: Sequence[Any],
        cells: CellTexts,
        n_features: int | None,
        kind: ReferenceKind,
        adverse: bool | None,
    ) -> WrittenEffects:
        """Return the effects of one row.

        Parameters
        ----------
        values : (n_features,)
            Of the row, as sent.
        cells : (n_features,)
            The same as JSON.
        n_features
            How many features are listed; None: all that have an effect.
        kind
            Of the reference.
        adverse
            Whether effects above 0 are principal reasons, or else those below; None: there are none.
        """
        shown = self.shown
        players = list(islice((player for player in row.order if player in shown), n_features))
        starts = [self.starts.get(player) or self._start(player) for player in players]
        reference = self._reference(row, kind)
        compared = [
            self._compared(reference.case, start, player) for start, player in zip(starts, players, strict=True)
        ]
        numbers = self._numbers(row, reference, players)
        score, reference_score, rest, *texts = numbers.texts()
        pieces = [reference.start, score, reference.head, reference_score, reference.tail]
        points = texts[len(players) :]
        for number, (start, other) in enumerate(zip(starts, compared, strict=True)):
            pieces += start.text, b"" if start.feature is None else cells[start.feature], other.value
            if start.words is not None and start.feature is not None:
                pieces += b',"value_text":', orjson.dumps(start.words.value(values[start.feature])), other.text
            pieces += b',"effect":', texts[number]
            if points:
                pieces += b',"points":', points[number]
            pieces.append(b"},")
        if players:
            pieces[-1] = b"}"
        pieces += b'],"rest":{"n_features":%d,"effect":' % (len(row.order) - len(players)), rest, b"}"
        if adverse is not None:
            pieces += b',"principal_reasons":[', self._principal_reasons(row, upwards=adverse), b"]"
        pieces.append(b"}")
        causes = self._causes(reference, numbers, starts, compared, values)
        return WrittenEffects(b"".join(pieces), causes)

    def _numbers(self, row: RowEffects, reference: _Reference, players: Sequence[int]) -> _Numbers:
        raw = reference.raw + row.total
        in_effects: list[float] = row.of_players[players].tolist()
        if row.points is not None:
            in_points = row.points[players].tolist()
        elif self.scale.has_points:
            slope = points_per_log_odds(raw, reference.raw)
            in_points = [effect * slope for effect in in_effects]
        else:
            in_points = []
        digits = _decimals(max(abs(raw), abs(reference.raw)))
        score, reference_score = round(raw, digits), round(reference.raw, digits)
        effects = [round(effect, digits) for effect in in_effects]
        # What is left by rounding is in it, too, so that the printed numbers add up.
        rest = round(score - reference_score - sum(effects), digits) + 0.0
        return _Numbers(score, reference_score, effects, [round(part, DIGITS) for part in in_points], rest)

    def _start(self, player: int) -> _Start:
        shown = self.shown[player]
        text = orjson.dumps(shown.head)[:-1] + (b"" if shown.index is None else b',"value":')
        mention, reason = self.naming.mention(shown.name), orjson.dumps(shown.reason())
        start = _Start(text, shown.index, shown.words, shown.name, mention, shown.is_protected, reason)
        return _kept(self.starts, player, start)

    def _reference(self, row: RowEffects, kind: ReferenceKind) -> _Reference:
        """Return what a row is compared with, for the score that its effects are on."""
        score, of_row = row.score, row.reference
        key = of_row.head.get("outcome") if isinstance(of_row, MeanReference) else of_row, score, kind
        if (known := self.references.get(key)) is not None:
            return known
        if isinstance(of_row, MeanReference):
            made = self._reference_of(
                None, score, of_row.head, (of_row.raw_score(score), self._mean_probability(of_row, score))
            )
        else:
            case, raw = self.cases[of_row], float(self.raw[of_row, score])
            outcome = {} if case.outcome is None else {"outcome": case.outcome}
            head = {"kind": kind, "row_id": case.row_id, **outcome, "n_rows": 1}
            made = self._reference_of(of_row, score, head, (raw, 0.5 * (1 + tanh(raw / 2))))
        return _kept(self.references, key, made)

    def _mean_probability(self, reference: MeanReference, score: int) -> float:
        """Return the mean of the probabilities of some rows; 0 where effects have no points."""
        if not self.scale.has_points:
            return 0.0
        return float(reference.weights @ probabilities(reference.raw[:, score], self.scale.link))

    def _reference_of(
        self, case: int | None, score: int, head: Mapping[str, Any], raw_score: tuple[float, float]
    ) -> _Reference:
        """Return a reference from its head in answers, and its raw score with the probability of that."""
        raw, probability = raw_score[0], round(raw_score[1], DIGITS)
        of_score = {"probability": probability} if self.scale.has_points else {}
        behind = orjson.dumps({**of_score, **self.words.outcome_text(head.get("outcome"))})[1:-1]
        named = {"outcome": self.naming.outcome(head["outcome"])} if "outcome" in head else {}
        of = {"of": self.classes[score]} if self.classes else {}
        of_words = f" of {self.naming.outcome_text(of['of'])}" if of else ""
        scale_words = "probability" if self.scale.has_points else effect_scale(self.scale.name)
        return _Reference(
            case,
            raw,
            probability,
            start=b'%b,"score":' % orjson.dumps({**of, "scale": self.scale.name})[:-1],
            head=b',"reference":%b,"score":' % orjson.dumps(head)[:-1],
            tail=b'%b%b},"features":[' % (b"," if behind else b"", behind),
            words=f"Compared with {reference_case({**head, **named})}, its {scale_words}{of_words} is",
            row_id=head.get("row_id"),
        )

    def _compared(self, case: int | None, start: _Start, player: int) -> _Compared:
        """Return a feature's value in the case that a row is compared with."""
        if start.feature is None or case is None:
            return _NOT_RAW if start.feature is None else _OF_MEAN
        if (known := self.compared.get((case, player))) is not None:
            return known
        value = self.cases[case].values[start.feature]
        in_json = json_number(value)
        text = b"" if start.words is None else b',"reference_text":%b' % orjson.dumps(start.words.value(value))
        words = f", there {self.naming.value(start.name, in_json)}: "
        compared = _Compared(b',"reference_value":%b' % orjson.dumps(in_json), text, words)
        return _kept(self.compared, (case, player), compared)

    def _principal_reasons(self, row: RowEffects, *, upwards: bool) -> bytes:
        """Return the features, or groups, that move a row's score most in one direction, four at most, as JSON.

        Protected ones, and those that callers may not see, are none.
        """
        effects = row.of_players
        moving = (player for player in row.order if (effects[player] > 0) == upwards and player in self.shown)
        starts = (self.starts.get(player) or self._start(player) for player in moving)
        return b",".join(islice((start.reason for start in starts if not start.is_protected), _MOST_REASONS))

    def _causes(
        self,
        reference: _Reference,
        numbers: _Numbers,
        starts: Sequence[_Start],
        compared: Sequence[_Compared],
        values: Sequence[Any],
    ) -> Causes:
        """Return by how much the score differs from that of the reference, and which features have it differ most."""
        in_points, parts = bool(numbers.points), numbers.points or numbers.effects
        difference = numbers.score - numbers.reference_score
        if in_points:
            difference = 0.5 * (1 + tanh(numbers.score / 2)) - reference.probability
        causes = islice(
            (
                index
                for index, (start, part) in enumerate(zip(starts, parts, strict=True))
                if part * difference > 0 and not start.is_protected
            ),
            N_FEATURES,
        )
        first, least = next(causes, None), _LEAST_SHARE * abs(difference)
        if first is None:
            return NO_CAUSES
        named = []
        for index in (first, *(other for other in causes if abs(parts[other]) >= least)):
            start, value = starts[index], ""
            if start.feature is not None:
                value = self.naming.value(start.name, json_number(values[start.feature])) + compared[index].words
            named.append(f"{start.mention} ({value}{signed(parts[index])})")
        direction, size = "higher" if difference > 0 else "lower", signed(abs(difference)).removeprefix("+")
        return Causes(f"{reference.words} {size} {direction}, mostly by {listed(named)}.", reference.row_id)


def _decimals(largest: float) -> int:
    return DIGITS if largest == 0 else max(0, DIGITS - 1 - floor(log10(largest)))


def _kept(kept: dict[Any, Made], key: object, made: Made) -> Made:
    if len(kept) > _KEPT_PIECES:
        kept.clear()
    kept[key] = made
    return made
