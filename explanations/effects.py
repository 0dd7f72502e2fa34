"""Effects of a row's features on its score, against a prototype of another class or outcome: exact Shapley values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import floor, log10
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.json_numbers import json_number
from tree_explainers.effects.ensemble_effects import EnsembleEffects, points_per_log_odds
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.rows import Rows

DIGITS = 7
"""Of an effect, counted from the first of the larger score."""


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """A prototype that rows may be compared with."""

    row_id: str
    outcome: str | None  # its class or outcome; None of a regression
    values: Sequence[Any]  # (n_features,) in the model's order
    is_sure: bool  # its own label, where that is known, is what the model predicts


class RowEffects(NamedTuple):
    """The effects of one row, as they are calculated."""

    reference: int  # index of the prototype that it is compared with
    score: int  # index of the score that effects are on
    of_players: NDArray[np.float64]  # (n_players,)


@dataclass(frozen=True, slots=True, eq=False)
class WarmEffects:
    """A model and its prototypes, ready for effects; nothing in it changes: threads may share it."""

    effects: EnsembleEffects
    columns: TreeColumns
    cases: tuple[ReferenceCase, ...]  # (n_prototypes,)
    candidates: Mapping[int | None, NDArray[np.int64]]  # prototypes that rows are compared with, by the rows' class
    score: int | None  # index of the score that effects are on; None: that of the predicted class
    ranks: NDArray[np.uint16]  # (n_prototypes, n_ranked)
    raw: NDArray[np.float64]  # (n_prototypes, n_scores)
    shown: Mapping[int, tuple[str, int | None]]  # by player: its name, and its index among the raw features

    @staticmethod
    def of(
        description: ModelDescription,
        arrays: Mapping[str, NDArray[Any]],
        cases: tuple[ReferenceCase, ...],
        classes: NDArray[np.int64],
        *,
        by_outcome: bool,
        shown: frozenset[str] | None,
    ) -> "WarmEffects | None":
        """Return the effects of a model whose arrays these are; ``None`` where its scores are no sums over trees."""
        ensemble, parts = TreeEnsemble.from_arrays(arrays), WalkedParts.from_arrays(arrays)
        try:
            effects = EnsembleEffects.of(description, parts.as_read(ensemble))
        except MethodNotApplicable:
            return None
        columns = TreeColumns(description, parts)
        ranks = effects.ranks(columns.of(rows_of_values(description, [case.values for case in cases])))
        players = effects.players
        raw_index = {name: index for index, name in enumerate(description.feature_names)}
        return WarmEffects(
            effects=effects,
            columns=columns,
            cases=cases,
            candidates=_candidates(description, cases, classes, by_outcome=by_outcome),
            score=description.decision.column if by_outcome and description.decision is not None else None,
            ranks=ranks,
            raw=effects.raw_scores(ranks),
            shown={
                player: (name, None if transformed else raw_index.get(name))
                for player, (name, transformed) in enumerate(zip(players.names, players.transformed, strict=True))
                if shown is None or name in shown
            },
        )

    def of_rows(
        self,
        rows: Rows | NDArray[np.float64],
        proximities: NDArray[np.int64],
        compared: Sequence[int | None],
        labels: NDArray[np.int64] | None,
    ) -> list[RowEffects | None]:
        """Return the effects of rows that the model takes; ``None`` where all prototypes are of the row's class.

        A row is compared with the nearest prototype of another class or, where outcomes are better and worse, of the
        best other outcome that has one; of a regression with the nearest of all. Prototypes whose own label is what the
        model predicts come first. Rows that have the same one are calculated together.

        Parameters
        ----------
        rows : (n_rows, n_features)
            Raw values.
        proximities : (n_rows, n_prototypes)
            To the prototypes.
        compared : (n_rows,)
            The class or outcome of each row; None of a regression.
        labels : (n_rows,)
            Indices of predicted classes; None of a regression.
        """
        ranks = self.effects.ranks(self.columns.of(rows))
        together: dict[tuple[int, int], list[int]] = {}
        for row, class_index in enumerate(compared):
            candidates = self.candidates[class_index]
            if len(candidates):
                reference = int(candidates[proximities[row, candidates].argmax()])
                score = self.score if self.score is not None else 0 if labels is None else int(labels[row])
                together.setdefault((reference, score), []).append(row)
        written: list[RowEffects | None] = [None] * len(compared)
        for (reference, score), places in together.items():
            some = ranks if len(places) == len(ranks) else ranks[places]
            effects = self.effects.mean_effects(some, self.ranks[reference : reference + 1], score)
            for row, of_players in zip(places, effects, strict=True):
                written[row] = RowEffects(reference, score, of_players)
        return written

    @property
    def scale(self) -> str:
        """What effects are in: ``probability``, ``log_odds`` or ``value``."""
        return self.effects.scale

    def document(self, row: RowEffects, values: Sequence[Any], n_features: int | None) -> dict[str, Any]:
        """Return the effects of one row, in the plain values of ``Effects`` but for ``of``.

        Parameters
        ----------
        values : (n_features,)
            Of the row, as sent.
        n_features
            How many features are listed; None: all that have an effect.
        """
        effects, case = row.of_players, self.cases[row.reference]
        reference_raw = float(self.raw[row.reference, row.score])
        raw = reference_raw + float(effects.sum())
        digits = _decimals(max(abs(raw), abs(reference_raw)))
        per_unit = self._points_per_unit(raw, reference_raw)
        raw, reference_raw = round(raw, digits), round(reference_raw, digits)
        order = np.argsort(-np.abs(effects), kind="stable")[: np.count_nonzero(effects)].tolist()
        listed = list(islice((player for player in order if player in self.shown), n_features))
        features = [
            self._entry(player, round(effect, digits), None if per_unit is None else effect * per_unit, values, case)
            for player, effect in zip(listed, effects[listed].tolist(), strict=True)
        ]
        n_others = len(order) - len(listed)
        # What is left by rounding is in it, too, so that the printed numbers add up.
        rest = round(raw - reference_raw - sum(entry["effect"] for entry in features), digits) + 0.0
        outcome = {} if case.outcome is None else {"outcome": case.outcome}
        kind = "nearest" if case.outcome is None else "contrast"
        return {
            "scale": self.effects.scale,
            "score": raw,
            "reference": {"kind": kind, "row_id": case.row_id, **outcome, "score": reference_raw},
            "features": features,
            "rest": {"n_features": n_others, "effect": rest},
        }

    def _points_per_unit(self, raw: float, reference_raw: float) -> float | None:
        if self.effects.scale != "log_odds" or self.effects.link != "logistic":
            return None
        return points_per_log_odds(raw, reference_raw)

    def _entry(
        self, player: int, effect: float, points: float | None, values: Sequence[Any], case: ReferenceCase
    ) -> dict[str, Any]:
        name, index = self.shown[player]
        entry: dict[str, Any] = {"feature": name}
        if index is not None:
            entry["value"] = json_number(values[index])
            entry["reference_value"] = json_number(case.values[index])
        entry["effect"] = effect
        if points is not None:
            entry["points"] = round(points, DIGITS)
        return entry


def _candidates(
    description: ModelDescription, cases: Sequence[ReferenceCase], classes: NDArray[np.int64], *, by_outcome: bool
) -> dict[int | None, NDArray[np.int64]]:
    """Return the prototypes that rows may be compared with, by the rows' class or outcome; None of a regression."""
    are_sure = np.array([case.is_sure for case in cases])
    best_first = _best_first(description) if by_outcome else ()
    n_classes = len(description.outcomes if by_outcome else description.classes)

    def chosen(allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.flatnonzero(allowed & are_sure if (allowed & are_sure).any() else allowed)

    candidates: dict[int | None, NDArray[np.int64]] = {None: chosen(np.ones(len(cases), np.bool_))}
    for class_index in range(n_classes):
        others = (classes == outcome for outcome in best_first if outcome != class_index)
        best = next((allowed for allowed in others if allowed.any()), classes != class_index)
        candidates[class_index] = chosen(best)
    return candidates


def _best_first(description: ModelDescription) -> tuple[int, ...]:
    """Return outcomes in the order of their goodness; none where none is better than another."""
    rule = description.decision
    if rule is None:
        return ()
    order = range(len(rule.outcomes))
    return tuple(order if rule.best_first else reversed(order))


def _decimals(largest: float) -> int:
    return DIGITS if largest == 0 else max(0, DIGITS - 1 - floor(log10(largest)))


def rows_of_values(description: ModelDescription, values: Sequence[Sequence[Any]]) -> Rows:
    """Return rows of raw values, as they are kept of prototypes."""
    columns = []
    for at, token in enumerate(description.missing_tokens):
        cells = [row[at] for row in values]
        if token is not None:
            columns.append(np.array([None, *cells], np.object_)[1:])
        else:
            columns.append(np.array([np.nan if cell is None else cell for cell in cells], np.float64))
    return Rows(tuple(description.feature_names), tuple(columns))
