"""RealCases: reference rows that have an outcome, and the fewest of their values that give it to another row.

Changes of three features and more are too many to be searched for all. Those that are looked at lead to a real row:
from the nearest rows that have the outcome, values are taken over one by one, each time the one that brings the scores
nearest to it, until the model gives the outcome; then those that were not needed are given back.

References
----------
Brughmans, Leyman and Martens (2024), "NICE: an algorithm for nearest instance counterfactual explanations", which takes
values over from the nearest row alone, and gives none back.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rows import Rows
from .curves import CurveModel, RowSteps, rows_with
from .feature_moves import CATEGORY_SIZE, FeatureMoves
from .value_axes import RawValue, ValueAxis
from .wishes import Wish

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MOST_CASES = 2_000  # reference rows, evenly spaced
_N_NEAREST = 20  # of these, whose values are taken over all at once first
_N_FOLLOWED = 5  # of those that give the outcome then
_LEAST_SIZE = 1e-9  # of a change between numbers of one quantile: beyond those of the reference rows
_N_TRIED = 48  # features that are tried for each next value: those that alone bring the scores nearest


class RealCases:
    """Reference rows, made ready when they are first needed. Safe to use from any thread.

    Parameters
    ----------
    model
        Ready for curves.
    reference
        The reference rows.
    """

    def __init__(self, model: CurveModel, reference: Rows) -> None:
        self._model = model
        self._rows = reference.select(model.feature_names).take(
            slice(None, None, -(-len(reference.columns[0]) // _MOST_CASES))
        )

    def fewest_values(
        self, steps: RowSteps, wish: Wish, moves: Sequence[FeatureMoves], max_features: int
    ) -> dict[int, RawValue] | None:
        """Return by axis the values of one reference row that give a row the wished outcome; ``None``: none was found.

        Parameters
        ----------
        steps
            Of the row.
        wish
            The outcome.
        moves
            The changes that are open to the row, by axis.
        max_features
            How many values may be taken over, at most.
        """
        scores, labels = self._predictions
        cases = np.flatnonzero(wish.holds(scores, labels))
        if max_features <= 2 or not len(cases):
            return None
        sizes = self._sizes(moves, cases)
        nearest = np.argsort(sizes.sum(axis=1), kind="stable")[:_N_NEAREST]
        values = [self._values(moves, int(cases[case]), sizes[case]) for case in nearest.tolist()]
        reaches = self._holds(steps, wish, moves, values)[1]
        paths = [
            path
            for at in np.flatnonzero(reaches)[:_N_FOLLOWED].tolist()
            if (path := self._path(steps, wish, moves, values[at], max_features)) is not None
        ]
        return min(paths, key=lambda path: (len(path), _size(moves, path)), default=None)

    @cached_property
    def _predictions(self) -> tuple[NDArray[np.floating[Any]], NDArray[np.int64] | None]:
        predictions = self._model.session.predict(self._rows)
        return predictions.scores, predictions.labels

    def _sizes(self, moves: Sequence[FeatureMoves], cases: NDArray[np.int64]) -> Floats:
        """Return how large the change to each case is in each axis, (n_cases, n_axes); 0 where none is open."""
        sizes = np.zeros((len(cases), len(moves)))
        for at, move in enumerate(moves):
            columns = [self._rows.columns[index][cases] for index in move.axis.raw_indices]
            sizes[:, at] = _sizes_of(move, columns)
        return sizes

    def _values(self, moves: Sequence[FeatureMoves], case: int, sizes: Floats) -> dict[int, RawValue]:
        """Return the values of a case, by axis, where they differ from the row's and may be taken over."""
        values: dict[int, RawValue] = {}
        for axis in np.flatnonzero(sizes).tolist():
            raw = tuple(_plain(self._rows.columns[index][case]) for index in moves[axis].axis.raw_indices)
            values[axis] = raw[0] if moves[axis].axis.kind == "number" else _category(moves[axis].axis, raw)
        return values

    def _path(
        self, steps: RowSteps, wish: Wish, moves: Sequence[FeatureMoves], values: dict[int, RawValue], max_features: int
    ) -> dict[int, RawValue] | None:
        """Return the values of one case that suffice; ``None`` where it takes more than ``max_features``."""
        waiting, path = self._promising(steps, wish, moves, values), dict[int, RawValue]()
        while waiting and len(path) < max_features:
            tries = [path | {axis: values[axis]} for axis in waiting]
            distances, holds = self._holds(steps, wish, moves, tries)
            sizes = np.array([moves[axis].size_of(values[axis]) for axis in waiting])
            best = int(np.lexsort((sizes, np.where(holds, 0.0, distances), ~holds))[0])
            path = tries[best]
            waiting.pop(best)
            if holds[best]:
                return self._without_needless(steps, wish, moves, path)
        return None

    def _without_needless(
        self, steps: RowSteps, wish: Wish, moves: Sequence[FeatureMoves], path: dict[int, RawValue]
    ) -> dict[int, RawValue]:
        while len(path) > 1:
            shorter = [{axis: to for axis, to in path.items() if axis != left} for left in path]
            suffices = np.flatnonzero(self._holds(steps, wish, moves, shorter)[1]).tolist()
            if not suffices:
                break
            path = min((shorter[at] for at in suffices), key=lambda each: _size(moves, each))
        return path

    def _promising(
        self, steps: RowSteps, wish: Wish, moves: Sequence[FeatureMoves], values: dict[int, RawValue]
    ) -> list[int]:
        """Return the axes whose values alone bring the scores nearest to the wish, by the row's curves."""
        if len(values) <= _N_TRIED:
            return list(values)
        distances = {}
        for axis, value in values.items():
            raw = moves[axis].raw_values(value)
            bin_index = moves[axis].axis.bin_of(tuple(raw[index] for index in moves[axis].axis.raw_indices))
            starts, scores = steps.of(axis)
            step = int(np.searchsorted(starts, bin_index or 0, side="right")) - 1
            distances[axis] = float(wish.distance(scores[step : step + 1])[0])
        return sorted(values, key=distances.__getitem__)[:_N_TRIED]

    def _holds(
        self, steps: RowSteps, wish: Wish, moves: Sequence[FeatureMoves], tries: Sequence[dict[int, RawValue]]
    ) -> tuple[Floats, Flags]:
        """Return how far the row with these values is from the wish by what the model predicts, and where it holds."""
        changes = [
            {index: raw for axis, value in each.items() for index, raw in moves[axis].raw_values(value).items()}
            for each in tries
        ]
        predictions = self._model.session.predict(rows_with(self._model.feature_names, steps.row, changes))
        return wish.distance(predictions.scores), wish.holds(predictions.scores, predictions.labels)


def _sizes_of(move: FeatureMoves, columns: Sequence[NDArray[Any]]) -> Floats:
    """Return the sizes of the changes of one axis to cases, (n_cases,); 0 where they are none, or not open."""
    n_cases = len(columns[0])
    if move.constraint == "fixed":
        return np.zeros(n_cases)
    if move.axis.kind != "number":
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        bins = [move.axis.bin_of(tuple(map(_plain, row))) for row in rows]
        is_open = [each is not None and each != move.own_bin and move.admits(each) for each in bins]
        return np.where(is_open, CATEGORY_SIZE, 0.0)
    values = columns[0].astype(np.float64)
    own = np.nan if move.own is None else float(move.own)
    is_missing = np.isnan(values)
    if np.isnan(own):
        return np.where(is_missing | (move.constraint is not None), 0.0, CATEGORY_SIZE)
    quantiles = move.reference.quantiles(np.append(values, own))
    sizes = np.maximum(np.abs(quantiles[:-1] - quantiles[-1]), _LEAST_SIZE * (values != own))
    sizes[is_missing] = CATEGORY_SIZE * (move.constraint is None)
    forbidden = {"only_up": values < own, "only_down": values > own}.get(move.constraint or "")
    return sizes if forbidden is None else np.where(forbidden, 0.0, sizes)


def _category(axis: ValueAxis, raw: tuple[RawValue, ...]) -> RawValue:
    bin_index = axis.bin_of(raw)
    assert bin_index is not None
    return None if bin_index >= axis.n_values else axis.categories[bin_index]


def _plain(value: Any) -> RawValue:
    return value if value is None or isinstance(value, str) else float(value)


def _size(moves: Sequence[FeatureMoves], values: dict[int, RawValue]) -> float:
    return sum(moves[axis].size_of(value) for axis, value in values.items())
