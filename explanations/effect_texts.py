"""EffectTexts: the effects of a row as JSON, and as a sentence.

Both are put together from pieces that are prepared for each feature and each case that rows are compared with: of many
rows, objects would take longer than the pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import tanh
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
from tree_explainers.wording import rounded_texts

from .cell_texts import CellTexts
from .dictionary_words import DictionaryWords
from .effect_numbers import DIGITS, PrintedNumbers, printed_numbers
from .effect_references import MeanReference
from .reference_cases import ReferenceCase
from .sentences import AS_THEY_ARE, N_FEATURES, NO_CAUSES, Causes, Naming, listed, signed
from .shown_players import ShownPlayer

_MOST_REASONS = 4  # as lenders state
_LEAST_SHARE = 0.05  # of the difference of two scores: features that move it less are not named beside the first
_END_OF_ENTRY = b"},"
_MANY_VALUES = 100  # of fewer, arrays would take longer
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


class EffectRow(NamedTuple):
    """A row whose effects are written."""

    effects: RowEffects
    values: Sequence[Any]  # (n_features,) as sent
    cells: CellTexts  # (n_features,) the same as JSON
    adverse: bool | None  # whether effects above 0 are principal reasons, or else those below; None: there are none


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


class _Entry(NamedTuple):
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
    principal: dict[int, bytes] = field(default_factory=dict)  # reasons, by player
    references: dict[tuple[object, ...], _Reference] = field(default_factory=dict)
    entries: dict[tuple[int | None, int], _Entry] = field(default_factory=dict)  # by case and player

    def write(self, rows: Sequence[EffectRow], n_features: int | None, kind: ReferenceKind) -> list[WrittenEffects]:
        """Return the effects of rows.

        Parameters
        ----------
        n_features
            How many features are listed; None: all that have an effect.
        kind
            Of the reference.
        """
        effects = [row.effects for row in rows]
        references = [self._reference(each, kind) for each in effects]
        players = [self._listed(each.order, n_features) for each in effects]
        scores = [(other.raw + each.total, other.raw) for each, other in zip(effects, references, strict=True)]
        parts = [each.of_players[listed].tolist() for each, listed in zip(effects, players, strict=True)]
        points = [self._points(*each) for each in zip(effects, players, parts, scores, strict=True)]
        numbers = printed_numbers(scores, parts, points)
        entries = [self._entries(each.case, listed) for each, listed in zip(references, players, strict=True)]
        return list(map(self._written, rows, references, entries, numbers, _value_texts(rows, entries)))

    def _entries(self, case: int | None, players: list[int]) -> list[_Entry]:
        known = self.entries
        return [known.get((case, player)) or self._entry(case, player) for player in players]

    def _listed(self, order: list[int], n_features: int | None) -> list[int]:
        shown = self.shown
        first = order[:n_features]
        if shown.keys() >= set(first):  # as by far the most are
            return first
        return list(islice((player for player in order if player in shown), n_features))

    def _points(
        self, row: RowEffects, players: list[int], parts: list[float], scores: tuple[float, float]
    ) -> list[float]:
        """Return the effects of listed players in points of probability; none where there are none."""
        if row.points is not None:
            return list(row.points[players].tolist())
        if not self.scale.has_points:
            return []
        slope = points_per_log_odds(*scores)
        return [effect * slope for effect in parts]

    def _written(
        self,
        row: EffectRow,
        reference: _Reference,
        entries: list[_Entry],
        numbers: PrintedNumbers,
        value_texts: list[str | None],
    ) -> WrittenEffects:
        values, cells = row.values, row.cells
        score, reference_score, rest, *texts = numbers.texts
        pieces = [reference.start, score, reference.head, reference_score, reference.tail]
        points = texts[len(entries) :]
        for index, (start, feature, end, words, text, *_) in enumerate(entries):
            pieces += start, b"" if feature is None else cells[feature], end
            if words is not None and feature is not None:
                pieces += orjson.dumps(words.value(values[feature])), text
            pieces.append(texts[index])
            if points:
                pieces += b',"points":', points[index]
        if entries:
            pieces[5] = pieces[5][len(_END_OF_ENTRY) :]  # none is before the first
            pieces.append(b"}")
        pieces += b'],"rest":{"n_features":%d,"effect":' % (len(row.effects.order) - len(entries)), rest, b"}"
        if row.adverse is not None:
            reasons = self._principal_reasons(row.effects, upwards=row.adverse)
            pieces += b',"principal_reasons":[', reasons, b"]"
        pieces.append(b"}")
        return WrittenEffects(b"".join(pieces), self._causes(reference, numbers, entries, values, value_texts))

    def _entry(self, case: int | None, player: int) -> _Entry:
        """Return a player's entry, with its value in the case that a row is compared with, where it has one."""
        shown = self.shown[player]
        start, end, text, compared = _END_OF_ENTRY + orjson.dumps(shown.head)[:-1], b"", b"", ": "
        if shown.index is not None:
            start += b',"value":'
            if case is not None:
                value = self.cases[case].values[shown.index]
                end = b',"reference_value":%b' % orjson.dumps(json_number(value))
                text = b"" if shown.words is None else b',"reference_text":%b' % orjson.dumps(shown.words.value(value))
                compared = f", there {self.naming.value(shown.name, json_number(value))}: "
        has_words = shown.words is not None and shown.index is not None
        entry = _Entry(
            start=start,
            feature=shown.index,
            end=end + (b',"value_text":' if has_words else b',"effect":'),
            words=shown.words,
            text=text + b',"effect":',
            name=shown.name,
            mention=f"{self.naming.mention(shown.name)} (",
            compared="" if shown.index is None else compared,
            is_protected=shown.is_protected,
            is_plain=self.words.of(shown.name).is_plain,
        )
        return _kept(self.entries, (case, player), entry)

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

    def _principal_reasons(self, row: RowEffects, *, upwards: bool) -> bytes:
        """Return the features, or groups, that move a row's score most in one direction, four at most, as JSON.

        Protected ones, and those that callers may not see, are none.
        """
        effects, shown = row.of_players, self.shown
        moving = (player for player in row.order if (effects[player] > 0) == upwards and player in shown)
        reasons = (self._principal(player) for player in moving if not shown[player].is_protected)
        return b",".join(islice(reasons, _MOST_REASONS))

    def _principal(self, player: int) -> bytes:
        reason = self.principal.get(player)
        return reason or _kept(self.principal, player, orjson.dumps(self.shown[player].reason()))

    def _causes(
        self,
        reference: _Reference,
        numbers: PrintedNumbers,
        entries: Sequence[_Entry],
        values: Sequence[Any],
        value_texts: Sequence[str | None],
    ) -> Causes:
        """Return by how much the score differs from that of the reference, and which features have it differ most.

        ``value_texts`` are the values of the entries in words, as far as they are known.
        """
        in_points, parts = bool(numbers.points), numbers.points or numbers.effects
        difference = numbers.score - numbers.reference_score
        if in_points:
            difference = 0.5 * (1 + tanh(numbers.score / 2)) - reference.probability
        named, least, n_causes = list[str](), _LEAST_SHARE * abs(difference), 0
        for entry, part, value_text in zip(entries, parts, value_texts, strict=True):
            _, feature, _, _, _, name, mention, compared, is_protected, _ = entry
            if is_protected or not part * difference > 0:
                continue
            n_causes += 1
            if not named or abs(part) >= least:
                value = value_text
                if value is None:
                    value = "" if feature is None else self.naming.value(name, json_number(values[feature]))
                named.append(f"{mention}{value}{compared}{signed(part)})")
            if n_causes == N_FEATURES:
                break
        if not named:
            return NO_CAUSES
        direction, size = "higher" if difference > 0 else "lower", signed(abs(difference)).removeprefix("+")
        return Causes(f"{reference.words} {size} {direction}, mostly by {listed(named)}.", reference.row_id)


def _value_texts(rows: Sequence[EffectRow], entries: Sequence[list[_Entry]]) -> list[list[str | None]]:
    """Return the values of each row's entries in words, where they are plain fractions of many; else ``None``."""
    if sum(map(len, entries)) < _MANY_VALUES:
        return [[None] * len(of_row) for of_row in entries]
    features = [
        (row.values, entry.feature if entry.is_plain else None)
        for row, of_row in zip(rows, entries, strict=True)
        for entry in of_row
    ]
    values = (None if feature is None else of_row[feature] for of_row, feature in features)
    fractions = [value if type(value) is float else 0.0 for value in values]
    texts = iter(rounded_texts(np.array(fractions)))
    return [[*islice(texts, len(of_row))] for of_row in entries]


def _kept(kept: dict[Any, Made], key: object, made: Made) -> Made:
    if len(kept) > _KEPT_PIECES:
        kept.clear()
    kept[key] = made
    return made
