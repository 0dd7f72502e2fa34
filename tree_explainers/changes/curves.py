"""Exact curves: how the scores of a row change with one feature, all else as it is.

With all else fixed, an ensemble's score is a step function of one feature. Each tree is walked with that feature left
open, so that all steps of all features of a row are known after one pass, without a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.session import ModelSession
from ..onnx_models.tree_inputs import TreeInputs
from ..rows import Rows
from .axis_search import find_axes
from .open_walks import OpenFeatures, WalkedTrees, sum_pieces, walk_openly
from .value_axes import RawValue, ValueAxes, ValueAxis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NumberCurve:
    """The scores of a row for all numbers that one of its features can have.

    Step ``s`` is of the numbers from ``lows[s]`` to ``highs[s]``, both included, as the model reads them: rounded to
    single precision where it takes that. Between ``highs[s]`` and ``lows[s + 1]`` there is no number, or none that the
    model takes. Scores of neighbouring steps differ.
    """

    feature: str
    lows: Floats  # (n_steps,) ascending; -inf at first
    highs: Floats  # (n_steps,) ascending; inf at last
    scores: NDArray[np.floating[Any]]  # (n_steps, n_scores) as the model returns them
    missing: NDArray[np.floating[Any]] | None  # (n_scores,) of a missing value; None where the model takes none
    own: int | None  # the row's own step; None where its value is missing, or the model takes no such number


@dataclass(frozen=True, slots=True)
class CategoryCurve:
    """The scores of a row for all categories that one of its features can have."""

    feature: str
    categories: tuple[str | None, ...]  # (n_categories,) None: any other, or, of a one-hot group, none of them
    scores: NDArray[np.floating[Any]]  # (n_categories, n_scores) as the model returns them
    missing: NDArray[np.floating[Any]] | None  # (n_scores,) of a missing value; None where the model takes none
    own: int | None  # the row's own category; None where it is missing


Curve = NumberCurve | CategoryCurve


@dataclass(frozen=True, slots=True)
class RowSteps:
    """All steps of a row's scores, by axis and bin: what curves and changes are made of."""

    row: tuple[RawValue, ...]  # (n_features,) raw values in the order of the model's features
    own_bins: tuple[int | None, ...]  # (n_axes,)
    bounds: Ints  # (n_axes + 1,) the steps of axis ``a`` are ``bounds[a]`` to ``bounds[a + 1]``
    starts: Ints  # (n_steps,) the first bin of each; that of a missing value is a step of its own
    scores: NDArray[np.floating[Any]]  # (n_steps, n_scores)
    own_scores: NDArray[np.floating[Any]]  # (n_scores,) of the row as it is

    def of(self, axis: int) -> tuple[Ints, NDArray[np.floating[Any]]]:
        """Return the first bins, (n_steps,), and the scores, (n_steps, n_scores), of one axis."""
        steps = slice(*self.bounds[axis : axis + 2])
        return self.starts[steps], self.scores[steps]


class CurveModel:
    """A model made ready for curves: made once, used for any number of rows, by any number of threads.

    Parameters
    ----------
    session
        The open model.
    inputs
        What its trees compare.
    axes
        See ``find_axes``.
    """

    def __init__(self, session: ModelSession, inputs: TreeInputs, axes: ValueAxes) -> None:
        self.session = session
        self.axes = axes
        self._inputs = inputs
        ensemble, tests = inputs.ensemble, inputs.tests
        self.trees = WalkedTrees(
            ensemble.offsets[:-1].astype(np.int64),
            *(tests.column, tests.cut, tests.low, tests.high, tests.missing_low, tests.leaf),
        )
        self.features = OpenFeatures(*axes.arrays(tests, len(session.description.columns)))
        self.leaf_starts = ensemble.leaf_offsets[:-1].astype(np.int64)
        scoring = session.description.scoring
        dtype = np.float32 if scoring is None or scoring.sums == "single" else np.float64
        self.leaf_values = np.array(ensemble.leaf_values, dtype, order="C")

    @classmethod
    def of(cls, session: ModelSession, inputs: TreeInputs, template: Rows) -> Self:
        """Return the model; ``template`` is at least one row that it takes, see ``find_axes``."""
        return cls(session, inputs, find_axes(inputs, template))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The raw features, in the model's order."""
        return self.session.description.feature_names

    def columns(self, row: Rows) -> Floats:
        """Return what the trees compare of the first of some rows, (n_columns,)."""
        columns: Floats = self._inputs.columns(row.take(slice(0, 1)))[0]
        return columns

    def steps(self, row: Rows) -> RowSteps:
        """Return all steps of the scores of a row, the first of those that are given.

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a feature is lacking.
        RowRefused
            Where the model does not take the row.
        """
        row = row.select(self.feature_names).take(slice(0, 1))
        leaves, pieces = walk_openly(self.trees, self.features, self.columns(row))
        pieces = pieces[np.lexsort((pieces[:, 2], pieces[:, 1], pieces[:, 0]))]
        steps, sums = sum_pieces(pieces, leaves, self.leaf_starts, self.leaf_values)
        values = tuple(_plain(column[0]) for column in row.columns)
        bins = tuple(axis.bin_of(tuple(values[at] for at in axis.raw_indices)) for axis in self.axes.axes)
        steps, index = self._with_constant(steps)
        if self.session.description.scoring is not None:
            none = np.zeros((1, 4), np.int64)
            none[0] = 0, 0, 0, leaves[0]
            row_sums = sum_pieces(none, leaves, self.leaf_starts, self.leaf_values)[1]
            scores = self.session.scores_of_sums(np.concatenate((sums, row_sums))[np.append(index, -1)])
        else:
            scores = self.predicted(values, [*([(axis, first)] for axis, first in steps.tolist()), []]).scores
        bounds = np.searchsorted(steps[:, 0], np.arange(len(self.axes.axes) + 1))
        return RowSteps(values, bins, bounds, steps[:, 1].copy(), scores[:-1], scores[-1])

    def _with_constant(self, steps: Ints) -> tuple[Ints, Ints]:
        """Return the steps with one for each axis that the row's trees do not test, and whose sums they have."""
        n_bins, n_values = self.features.n_bins, self.features.n_values
        constant = np.setdiff1d(np.arange(len(n_bins)), steps[:, 0])
        firsts = [(axis, 0) for axis in constant.tolist() if n_values[axis]]
        missing = [(axis, int(n_values[axis])) for axis in constant.tolist() if n_bins[axis] > n_values[axis]]
        own = np.array([*firsts, *missing], np.int64).reshape(-1, 2)
        index = np.concatenate((np.arange(len(steps)), np.full(len(own), len(steps))))
        joined = np.concatenate((steps, own))
        order = np.lexsort((joined[:, 1], joined[:, 0]))
        return joined[order], index[order]

    def changed_rows(self, row: Sequence[RawValue], bins: Sequence[Sequence[tuple[int, int]]]) -> Rows:
        """Return rows that differ from a row in some features: for each, axes and the bins to which they are moved."""
        changes = []
        for moves in bins:
            values: dict[int, RawValue] = {}
            for axis, bin_index in moves:
                moved = self.axes.axes[axis]
                values |= dict(zip(moved.raw_indices, moved.raw_values(bin_index), strict=True))
            changes.append(values)
        return rows_with(self.session.description.feature_names, row, changes)

    def predicted(self, row: Sequence[RawValue], bins: Sequence[Sequence[tuple[int, int]]]) -> Any:
        """Return the model's own predictions of such rows, see ``ModelSession.predict``."""
        return self.session.predict(self.changed_rows(row, bins))

    def curves(self, row: Rows, features: Sequence[str] | None = None) -> list[Curve]:
        """Return the curves of a row, see ``steps``: of all features that have an axis, or of some of them."""
        steps = self.steps(row)
        return [
            curve_of(axis, *steps.of(at), steps.own_bins[at])
            for at, axis in enumerate(self.axes.axes)
            if features is None or axis.feature in features
        ]


def rows_with(names: Sequence[str], row: Sequence[RawValue], changes: Sequence[dict[int, RawValue]]) -> Rows:
    """Return a row as often as there are changes, with these other values, by index among the features."""
    columns = []
    for at, own in enumerate(row):
        values = [change.get(at, own) for change in changes]
        is_text = isinstance(own, str) or own is None or any(isinstance(value, str) for value in values)
        columns.append(np.array(values, dtype=object if is_text else np.float64))
    return Rows(tuple(names), tuple(columns))


def curve_of(axis: ValueAxis, starts: Ints, scores: NDArray[np.floating[Any]], own: int | None) -> Curve:
    """Return the curve of one axis from its steps, see ``RowSteps.of``."""
    missing = scores[-1] if axis.has_missing else None
    is_value = starts < axis.n_values
    starts, scores = starts[is_value], scores[is_value]
    own = None if own is None or own >= axis.n_values else own
    if axis.kind != "number":
        by_category = scores[np.searchsorted(starts, np.arange(axis.n_values), side="right") - 1]
        return CategoryCurve(axis.feature, axis.categories, by_category, missing, own)
    turns = np.append(True, (scores[1:] != scores[:-1]).any(axis=1))
    starts, scores = starts[turns], scores[turns]
    lows, highs = axis.lows[starts], axis.highs[np.append(starts[1:] - 1, axis.n_values - 1)]
    if axis.is_unbounded:
        lows[0], highs[-1] = -np.inf, np.inf
    step = None if own is None else int(np.searchsorted(starts, own, side="right")) - 1
    return NumberCurve(axis.feature, lows, highs, scores, missing, step)


def merged(curve: NumberCurve, column: int, resolution: float) -> NumberCurve:
    """Return a curve with the steps joined whose scores are as good as equal, so that fewer are shown.

    Parameters
    ----------
    curve
        Of one row.
    column
        Of the scores that are shown.
    resolution
        Steps are joined while this score differs by less from that of the first; the row's own step has its own score.

    Returns
    -------
    NumberCurve
        Each step has the scores of the first of those that it is made of, or of the row's own.
    """
    first, opens = 0, [0]
    scores = curve.scores[:, column]
    for step in range(1, len(scores)):
        if abs(scores[step] - scores[first]) >= resolution:
            first = step
            opens.append(step)
    starts = np.array(opens)
    shown = starts.copy()
    own = None if curve.own is None else int(np.searchsorted(starts, curve.own, side="right")) - 1
    if own is not None:
        shown[own] = curve.own
    ends = np.append(starts[1:], len(scores)) - 1
    return NumberCurve(curve.feature, curve.lows[starts], curve.highs[ends], curve.scores[shown], curve.missing, own)


def _plain(value: Any) -> RawValue:
    return value if value is None or isinstance(value, str) else float(value)
