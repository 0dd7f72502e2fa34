"""Effects of a row's features on its score, against a prototype of another class or outcome: exact Shapley values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.json_numbers import json_number
from tree_explainers.effects.ensemble_effects import EnsembleEffects, points_of_probability
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.rows import Rows

_DIGITS = 9  # of an effect, counted from the first of the larger score


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """A prototype that rows may be compared with."""

    row_id: str
    outcome: str | None  # its class or outcome; None of a regression
    values: Sequence[Any]  # (n_features,) in the model's order
    is_sure: bool  # its own label, where that is known, is what the model predicts


@dataclass(frozen=True, slots=True, eq=False)
class WarmEffects:
    """A model and its prototypes, ready for effects; nothing in it changes: threads may share it."""

    effects: EnsembleEffects
    columns: TreeColumns
    cases: tuple[ReferenceCase, ...]  # (n_prototypes,)
    classes: NDArray[np.int64]  # (n_prototypes,) of the prototypes: classes or outcomes
    best_first: tuple[int, ...]  # outcomes in the order of their goodness; empty where there is none
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
            classes=classes,
            best_first=_best_first(description) if by_outcome else (),
            ranks=ranks,
            raw=effects.raw_scores(ranks),
            shown={
                player: (name, None if transformed else raw_index.get(name))
                for player, (name, transformed) in enumerate(zip(players.names, players.transformed, strict=True))
                if shown is None or name in shown
            },
        )

    def ranks_of(self, rows: Rows) -> NDArray[np.uint16]:
        """Return raw rows, which the model takes, as they are compared, (n_rows, n_ranked)."""
        return self.effects.ranks(self.columns.of(rows))

    def reference(self, proximities: NDArray[np.int64], class_index: int | None) -> int | None:
        """Return the prototype that a row is compared with, by its index; ``None`` where all are of the row's class.

        It is the nearest of another class or, where outcomes are better and worse, of the best other outcome that has
        one; of a regression the nearest of all. One whose own label is what the model predicts comes first.
        """
        candidates = np.ones(len(self.cases), np.bool_) if class_index is None else self.classes != class_index
        for outcome in self.best_first:
            if outcome != class_index and (self.classes == outcome).any():
                candidates = self.classes == outcome
                break
        if not candidates.any():
            return None
        sure = candidates & np.array([case.is_sure for case in self.cases])
        return int(np.where(sure if sure.any() else candidates, proximities, -1).argmax())

    def document(
        self,
        ranks: NDArray[np.uint16],
        reference: int,
        score: int,
        values: Sequence[Any],
        n_features: int | None,
    ) -> dict[str, Any]:
        """Return the effects of one row, in the plain values of ``Effects`` but for ``of``.

        Parameters
        ----------
        ranks : (1, n_ranked)
            Of the row.
        reference
            Index of the prototype.
        score
            Index of the score that effects are on.
        values : (n_features,)
            Of the row, as sent.
        n_features
            How many features are listed; None: all that have an effect.
        """
        effects = self.effects.mean_effects(ranks, self.ranks[reference : reference + 1], score)
        raw, case = float(self.effects.raw_scores(ranks)[0, score]), self.cases[reference]
        reference_raw = float(self.raw[reference, score])
        digits = _decimals(max(abs(raw), abs(reference_raw)))
        points = self._points(effects, raw, reference_raw)
        raw, reference_raw = round(raw, digits), round(reference_raw, digits)
        order = [player for player in np.argsort(-np.abs(effects[0]), kind="stable").tolist() if effects[0, player]]
        listed = [player for player in order if player in self.shown][:n_features]
        features = [self._entry(player, effects, points, values, case, digits) for player in listed]
        n_others = len(order) - len(listed)
        rest = round(raw - reference_raw - sum(entry["effect"] for entry in features), digits) if n_others else 0.0
        outcome = {} if case.outcome is None else {"outcome": case.outcome}
        kind = "nearest" if case.outcome is None else "contrast"
        return {
            "scale": self.effects.scale,
            "score": raw,
            "reference": {"kind": kind, "row_id": case.row_id, **outcome, "score": reference_raw},
            "features": features,
            "rest": {"n_features": n_others, "effect": rest},
        }

    def _points(self, effects: NDArray[np.float64], raw: float, reference_raw: float) -> NDArray[np.float64] | None:
        if self.effects.scale != "log_odds" or self.effects.link != "logistic":
            return None
        return points_of_probability(effects, np.array([raw]), np.array([reference_raw]))

    def _entry(
        self,
        player: int,
        effects: NDArray[np.float64],
        points: NDArray[np.float64] | None,
        values: Sequence[Any],
        case: ReferenceCase,
        digits: int,
    ) -> dict[str, Any]:
        name, index = self.shown[player]
        entry: dict[str, Any] = {"feature": name}
        if index is not None:
            entry |= {"value": json_number(values[index]), "reference_value": json_number(case.values[index])}
        entry["effect"] = round(float(effects[0, player]), digits)
        if points is not None:
            entry["points"] = round(float(points[0, player]), _DIGITS)
        return entry


def _best_first(description: ModelDescription) -> tuple[int, ...]:
    rule = description.decision
    if rule is None:
        return ()
    order = range(len(rule.outcomes))
    return tuple(order if rule.best_first else reversed(order))


def _decimals(largest: float) -> int:
    return _DIGITS if largest == 0 else max(0, _DIGITS - 1 - floor(log10(largest)))


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
