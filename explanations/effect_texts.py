"""EffectTexts: the effects of a row as JSON, and as a sentence.

Both are put together from pieces that are prepared for each feature and each case that rows are compared with: of many
rows, objects would take longer than the pieces.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf, tanh
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson
from leafspace_drawings.words import effect_scale, reference_case
from numpy.typing import NDArray

from schemas.explanation_parts import ReferenceKind
from schemas.json_numbers import json_number
from tree_explainers.effects.ensemble_effects import Scale, points_per_log_odds, probabilities
from tree_explainers.onnx_models.description import Link
from tree_explainers.wording import rounded_text

from .dictionary_words import DictionaryWords
from .effect_numbers import (
    DIGITS,
    PrintedNumbers,
    numbers_of_many,
    printed_numbers,
)
from .effect_pieces import (
    END_OF_ENTRY,
    IN_PART,
    LEAST_SHARE,
    MOSTLY,
    EffectEntry,
    EffectReference,
    EffectRow,
    EffectsOfRows,
    RowEffects,
    RowsOfEffects,
    TextsOfEffects,
    WrittenEffects,
    is_most,
    listed_players,
)
from .effect_references import MeanReference
from .many_effects import ListedEffects, ManyEffects, ranks_within, write_effects
from .reference_cases import ReferenceCase
from .sentences import AS_THEY_ARE, N_FEATURES, NO_CAUSES, Causes, Naming, listed, signed
from .shown_players import ShownPlayer

_MOST_REASONS = 4  # as lenders state
_KEPT_PIECES = 10_000  # of an explainer: about half a kilobyte each
Made = TypeVar("Made")
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class EffectScale(NamedTuple):
    """What effects are in."""

    name: Scale
    link: Link | None  # what makes probabilities of raw scores; None: they are what the model returns
    has_points: bool = False  # of probability


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
    references: dict[tuple[object, ...], EffectReference] = field(default_factory=dict)
    entries: dict[tuple[int | None, int], EffectEntry] = field(default_factory=dict)  # by case and player

    def write(self, row: EffectRow, n_features: int | None, kind: ReferenceKind) -> WrittenEffects:
        """Return the effects of a row.

        Parameters
        ----------
        n_features
            How many features are listed; None: all that have an effect.
        kind
            Of the reference.
        """
        effects = row.effects
        reference = self._reference(effects.reference, effects.score, kind)
        players = self._listed(effects.order, n_features)
        score, parts = reference.raw + effects.total, list(map(effects.of_players.item, players))
        points = self._points(effects, players, parts, (score, reference.raw))
        numbers = printed_numbers(score, reference.raw, parts, points)
        entries = self._entries(reference.case, players)
        return WrittenEffects(
            self._json(row, reference, entries, numbers), self._causes(reference, numbers, entries, row.values)
        )

    def write_many(self, many: RowsOfEffects, n_features: int | None, kind: ReferenceKind) -> TextsOfEffects:
        """Return the effects of many rows, the same as ``write`` of each."""
        effects = many.effects
        are_shown = np.zeros(effects.of_players.shape[1], np.bool_)
        are_shown[list(self.shown)] = True
        rows, players = listed_players(effects, are_shown, n_features)
        references, reference_of = self._references(effects, kind)
        raw = np.array([reference.raw for reference in references], np.float64)[reference_of]
        scores, parts = (raw + effects.totals, raw), effects.of_players[rows, players]
        points = self._points_of_many(effects, (rows, players), parts, scores)
        numbers = numbers_of_many(scores, parts, points, rows)
        listed = self._listed_effects(many, references, reference_of[rows], (rows, players))
        adverse = [row for row, upwards in enumerate(many.adverse) if upwards is not None]
        closings = {row: self._principal_reasons(many.row(row)) for row in adverse}
        texts = write_effects(
            ManyEffects(effects.rows, references, reference_of, listed, numbers, effects.counts, closings), self.naming
        )
        unsure = np.flatnonzero(~numbers.are_sure)
        return texts.with_others(unsure, [self.write(many.row(row), n_features, kind) for row in unsure.tolist()])

    def _references(self, effects: EffectsOfRows, kind: ReferenceKind) -> tuple[list[EffectReference], Ints]:
        """Return the distinct references of rows, and that of each row among them."""
        of_rows = np.stack((effects.references, effects.scores))
        distinct, reference_of = np.unique(of_rows, axis=1, return_inverse=True)
        pairs = distinct.T.tolist()
        references = [self._reference(case if effects.mean is None else effects.mean, of, kind) for case, of in pairs]
        return references, reference_of.ravel()

    def _points_of_many(
        self, effects: EffectsOfRows, listed: tuple[Ints, Ints], parts: Floats, scores: tuple[Floats, Floats]
    ) -> Floats | None:
        """Return the listed effects in points of probability; ``None`` where there are none."""
        if effects.points is not None:
            return np.asarray(effects.points[listed])
        if not self.scale.has_points:
            return None
        slopes = list(map(points_per_log_odds, *(of_rows.tolist() for of_rows in scores)))
        return np.asarray(parts * np.array(slopes, np.float64)[listed[0]])

    def _listed_effects(
        self, many: RowsOfEffects, references: Sequence[EffectReference], of_listed: Ints, listed: tuple[Ints, Ints]
    ) -> ListedEffects:
        """Return the listed effects of rows, with their entries."""
        (rows, players), n_players = listed, many.effects.of_players.shape[1]
        distinct, entry_of = np.unique(of_listed * n_players + players, return_inverse=True)
        entries = [
            entry
            for reference, player in (divmod(each, n_players) for each in distinct.tolist())
            for entry in self._entries(references[reference].case, [player])
        ]
        features = np.array([-1 if entry.feature is None else entry.feature for entry in entries], np.int64)
        counts = np.bincount(rows, minlength=len(many.effects.rows))
        return ListedEffects(rows, ranks_within(rows, counts), counts, entries, entry_of, features[entry_of], many.sent)

    def _entries(self, case: int | None, players: list[int]) -> list[EffectEntry]:
        known = self.entries
        return [known.get((case, player)) or self._entry(case, player) for player in players]

    def _listed(self, order: list[int], n_features: int | None) -> list[int]:
        shown = self.shown
        first = order[:n_features]
        if all(map(shown.__contains__, first)):  # as by far the most are
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

    def _json(
        self, row: EffectRow, reference: EffectReference, entries: list[EffectEntry], numbers: PrintedNumbers
    ) -> bytes:
        values, cells, n_listed = row.values, row.cells, len(entries)
        score, reference_score, rest, *texts = numbers.texts
        pieces = [reference.start, score, reference.head, reference_score, reference.tail]
        for index, (start, feature, end, words, text, _, _, _, _, _) in enumerate(entries):
            pieces += start, b"" if feature is None else cells[feature], end
            if words is not None and feature is not None:
                pieces += orjson.dumps(words.value(values[feature])), text
            pieces.append(texts[index])
            if numbers.points:
                pieces += b',"points":', texts[n_listed + index]
        if entries:
            pieces[5] = pieces[5][len(END_OF_ENTRY) :]  # none is before the first
            pieces.append(b"}")
        pieces += b'],"rest":{"n_features":%d,"effect":' % (len(row.effects.order) - n_listed), rest, b"}"
        if row.adverse is not None:
            pieces.append(self._principal_reasons(row))
        pieces.append(b"}")
        return b"".join(pieces)

    def _entry(self, case: int | None, player: int) -> EffectEntry:
        """Return a player's entry, with its value in the case that a row is compared with, where it has one."""
        shown = self.shown[player]
        start, end, text, compared = END_OF_ENTRY + orjson.dumps(shown.head)[:-1], b"", b"", ": "
        if shown.index is not None:
            start += b',"value":'
            if case is not None:
                value = self.cases[case].values[shown.index]
                end = b',"reference_value":%b' % orjson.dumps(json_number(value))
                text = b"" if shown.words is None else b',"reference_text":%b' % orjson.dumps(shown.words.value(value))
                compared = f", there {self.naming.value(shown.name, json_number(value))}: "
        has_words = shown.words is not None and shown.index is not None
        entry = EffectEntry(
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

    def _reference(self, of_row: int | MeanReference, score: int, kind: ReferenceKind) -> EffectReference:
        """Return what a row is compared with, for the score that its effects are on."""
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
    ) -> EffectReference:
        """Return a reference from its head in answers, and its raw score with the probability of that."""
        raw, probability = raw_score[0], round(raw_score[1], DIGITS)
        of_score = {"probability": probability} if self.scale.has_points else {}
        behind = orjson.dumps({**of_score, **self.words.outcome_text(head.get("outcome"))})[1:-1]
        named = {"outcome": self.naming.outcome(head["outcome"])} if "outcome" in head else {}
        of = {"of": self.classes[score]} if self.classes else {}
        of_words = f" of {self.naming.outcome_text(of['of'])}" if of else ""
        scale_words = "probability" if self.scale.has_points else effect_scale(self.scale.name)
        return EffectReference(
            case,
            raw,
            probability,
            start=b'%b,"score":' % orjson.dumps({**of, "scale": self.scale.name})[:-1],
            head=b',"reference":%b,"score":' % orjson.dumps(head)[:-1],
            tail=b'%b%b},"features":[' % (b"," if behind else b"", behind),
            words=f"Compared with {reference_case({**head, **named})}, its {scale_words}{of_words} is",
            row_id=head.get("row_id"),
        )

    def _principal_reasons(self, row: EffectRow) -> bytes:
        """Return the features, or groups, that move a row's score most in its direction, four at most, as a field.

        Protected ones, and those that callers may not see, are none, nor are those that move it by less than a
        twentieth of what the first of all moves it by.
        """
        effects, shown = row.effects.of_players, self.shown
        moving = [player for player in row.effects.order if (effects[player] > 0) == row.adverse]
        least = LEAST_SHARE * abs(effects[moving[0]]) if moving else 0.0
        named = (player for player in moving if player in shown and not shown[player].is_protected)
        reasons = (self._principal(player) for player in named if abs(effects[player]) >= least)
        return b',"principal_reasons":[%b]' % b",".join(islice(reasons, _MOST_REASONS))

    def _principal(self, player: int) -> bytes:
        reason = self.principal.get(player)
        return reason or _kept(self.principal, player, orjson.dumps(self.shown[player].reason()))

    def _causes(
        self,
        reference: EffectReference,
        numbers: PrintedNumbers,
        entries: Sequence[EffectEntry],
        values: Sequence[Any],
    ) -> Causes:
        """Return by how much the score differs from that of the reference, and which features have it differ most."""
        parts, difference = _moved_by(numbers, reference)
        named, moved, least, n_causes = list[str](), 0.0, LEAST_SHARE * abs(difference), 0
        for entry, part in zip(entries, parts, strict=True):
            _, feature, _, _, _, name, mention, compared, is_protected, is_plain = entry
            if is_protected or not part * difference > 0:
                continue
            n_causes += 1
            if not named or abs(part) >= least:
                if feature is None:
                    words = ""
                elif is_plain and type(value := values[feature]) is float and abs(value) < inf:  # as most are
                    words = rounded_text(value)
                else:
                    words = self.naming.value(name, json_number(values[feature]))
                named.append(f"{mention}{words}{compared}{signed(part)})")
                moved += part
            if n_causes == N_FEATURES:
                break
        if not named:
            return NO_CAUSES
        direction, size = "higher" if difference > 0 else "lower", signed(abs(difference)).removeprefix("+")
        how = MOSTLY if is_most(moved, difference) else IN_PART
        return Causes(f"{reference.words} {size} {direction}{how}{listed(named)}.", reference.row_id)


def _moved_by(numbers: PrintedNumbers, reference: EffectReference) -> tuple[list[float], float]:
    """Return the effects that sentences name, and the difference that they make: in points where there are some."""
    if numbers.points:
        return numbers.points, 0.5 * (1 + tanh(numbers.score / 2)) - reference.probability
    return numbers.effects, numbers.score - numbers.reference_score


def _kept(kept: dict[Any, Made], key: object, made: Made) -> Made:
    if len(kept) > _KEPT_PIECES:
        kept.clear()
    kept[key] = made
    return made
