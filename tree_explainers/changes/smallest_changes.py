"""The smallest changes of one feature, and of two, that give a wished outcome; and the proof where there are none.

Changes of one feature follow from the row's exact curves. Those of two are searched on the exact grid of both features'
steps, of all pairs, up to a number of cells. Where there is none of either, one of more features has the values of a
reference row. The model itself predicts each change before it is returned.

References
----------
The exact search for counterfactuals of tree ensembles by mixed-integer programmes is Parmentier and Vidal (2021),
"Optimal Counterfactual Explanations in Tree Ensembles"; for one or two features no programme is needed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..rows import Rows
from .axis_search import feature_names
from .curves import CurveModel, RowSteps, rows_with
from .feature_moves import CONSTRAINTS, Constraint, FeatureMoves, ReferenceValues
from .pair_walks import sum_rectangles, walk_pair
from .real_cases import RealCases
from .row_changes import Change, Changes, FeatureChange
from .value_axes import RawValue
from .wishes import Wish

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CELLS_OF_PAIR = 256  # of each pair that the model predicts before the pair counts as not searched
_VERIFIED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """How far a search goes."""

    max_features: int = 2  # of a change; those of one and two are searched for all, those of more in real rows
    n_options: int = 3  # of each number of features
    max_cells: int = 4_000_000  # of the grids of all pairs together
    max_pairs: int = 10_000  # of features; those that bring the scores nearest to the wish are searched first

    @property
    def n_searched(self) -> int:
        """All changes of at most so many features together are searched: of one or of two."""
        return min(self.max_features, 2)


class ChangeSearch:
    """A model and its reference rows made ready for searches: made once, used for any number of rows.

    Parameters
    ----------
    model
        Ready for curves.
    reference
        The reference rows, by whose quantiles changes are measured, and whose values may be written into a row.
    """

    def __init__(self, model: CurveModel, reference: Rows) -> None:
        self.model = model
        names = model.feature_names
        self._cases = RealCases(model, reference)
        self._values = [ReferenceValues.of(axis, names, reference) for axis in model.axes.axes]
        self._features = tuple(dict.fromkeys(feature_names(model.session.description)))
        magnitude = np.abs(model.leaf_values).max(axis=1) if model.leaf_values.size else np.zeros(0)
        largest = np.maximum.reduceat(magnitude, model.leaf_starts).sum() if magnitude.size else 0.0
        precision = float(np.spacing(np.ones(1, model.leaf_values.dtype))[0])
        self._slack = 2 * (len(model.leaf_starts) + 2) * precision * float(largest)

    def find(
        self,
        row: Rows,
        wish: Wish,
        constraints: Mapping[str, Constraint] | None = None,
        limits: SearchLimits | None = None,
    ) -> Changes:
        """Return the smallest changes of a row, the first of those that are given, that give the wished outcome.

        Parameters
        ----------
        row
            A row that the model takes.
        wish
            The outcome.
        constraints
            By feature (a one-hot group is one): ``fixed``, ``only_up`` or ``only_down``; the latter two of numbers.
        limits
            How far the search goes; by default changes of two features, three of one and of two.

        Raises
        ------
        InvalidInput
            Where the row has the outcome already, or a constraint names no feature of the model or does not fit it;
            ``schema_mismatch`` where the row lacks a feature.
        RowRefused
            Where the model does not take the row.
        """
        limits = limits or SearchLimits()
        constraints = constraints or {}
        self._check(constraints)
        steps = self.model.steps(row)
        if self.verified(steps, wish, [{}])[0] is not None:
            msg = "The row has the wished outcome already: no change is needed."
            raise InvalidInput(msg)
        search = _Search(self, steps, wish, self._moves(steps, constraints), self.model.columns(row), limits)
        singles = search.singles()
        pairs, n_pairs_left, is_settled = search.pairs() if limits.max_features > 1 else ([], 0, False)
        more = [] if singles or pairs else search.of_real_row(self._cases)
        obscure = tuple(name for name in self.model.axes.obscure if constraints.get(name) != "fixed")
        return Changes(
            (*singles, *pairs, *more),
            limits.n_searched,
            none_of_one=not singles and not obscure,
            none_of_two=not singles and not pairs and not obscure and is_settled,
            not_searched=obscure,
            n_pairs_left=n_pairs_left,
        )

    @property
    def slack(self) -> float:
        """How far the scores of a grid, which are added in another order, may be from the model's."""
        return self._slack

    def _check(self, constraints: Mapping[str, Constraint]) -> None:
        numbers = {axis.feature for axis in self.model.axes.axes if axis.kind == "number"}
        tested = {axis.feature for axis in self.model.axes.axes}
        for name, constraint in constraints.items():
            if name not in self._features:
                msg = f"The constraint {constraint!r} is of {name!r}, which is no feature of the model."
                raise InvalidInput(msg, field=name)
            if constraint not in CONSTRAINTS:
                msg = f"The constraint of {name!r} is {constraint!r}; it must be 'fixed', 'only_up' or 'only_down'."
                raise InvalidInput(msg, field=name)
            if constraint != "fixed" and name in tested - numbers:
                msg = (
                    f"{name!r} has categories, which have no order: its constraint can be 'fixed', not {constraint!r}."
                )
                raise InvalidInput(msg, field=name)

    def _moves(self, steps: RowSteps, constraints: Mapping[str, Constraint]) -> list[FeatureMoves]:
        moves = []
        for axis, values, own_bin in zip(self.model.axes.axes, self._values, steps.own_bins, strict=True):
            own = steps.row[axis.raw_indices[0]]
            if axis.kind == "one_hot":
                own = None if own_bin is None else axis.categories[own_bin]
            moves.append(FeatureMoves(axis, values, own, own_bin, constraints.get(axis.feature)))
        return moves

    def verified(
        self, steps: RowSteps, wish: Wish, changes: Sequence[Mapping[int, RawValue]]
    ) -> list[tuple[NDArray[np.floating[Any]], int | None] | None]:
        """Return for each change the scores and the label that the model itself predicts, where the wish holds."""
        if not changes:
            return []
        rows = rows_with(self.model.feature_names, steps.row, [dict(each) for each in changes])
        predictions = self.model.session.predict(rows)
        labels = predictions.labels
        return [
            (scores, None if labels is None else int(labels[at])) if holds else None
            for at, (scores, holds) in enumerate(
                zip(predictions.scores, wish.holds(predictions.scores, labels), strict=True)
            )
        ]


class _Candidate(NamedTuple):
    size: float
    group: tuple[int, ...]  # of which one option is enough: an axis and a direction, or two axes
    bins: tuple[tuple[int, int, int], ...]  # of each part: axis, first bin, end


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for one row."""

    owner: ChangeSearch
    steps: RowSteps
    wish: Wish
    moves: list[FeatureMoves]
    columns: Floats
    limits: SearchLimits
    holding: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # by axis: ranges of bins that suffice

    def singles(self) -> list[Change]:
        """Return the smallest changes of one feature: of a number the nearest on each side."""
        candidates = []
        for axis, moves in enumerate(self.moves):
            starts, scores = self.steps.of(axis)
            ends = np.append(starts[1:], moves.axis.n_bins)
            may_hold = self.wish.may_hold(scores, 0.0)
            sizes = np.where(may_hold, moves.sizes(starts), np.inf)
            self.holding[axis] = [(int(starts[at]), int(ends[at])) for at in np.flatnonzero(may_hold).tolist()]
            for at in np.flatnonzero(np.isfinite(sizes)).tolist():
                side = _side(moves, int(starts[at]))
                part = (axis, int(starts[at]), int(ends[at]))
                candidates.append(_Candidate(float(sizes[at]), (axis, side), (part,)))
        return self._options(sorted(candidates))[0]

    def pairs(self) -> tuple[list[Change], int, bool]:
        """Return the smallest changes of two features, the number of pairs left, and whether no cell was left out."""
        candidates: list[Iterator[_Candidate]] = []
        n_cells, is_complete = 0, True
        pairs, n_left = self._promising_pairs()
        for pair in pairs:
            grid = _Grid.of(self, pair)
            n_cells += grid.n_cells
            if n_cells > self.limits.max_cells:
                n_cells -= grid.n_cells
                n_left += 1
                continue
            cells, has_more = grid.smallest(self)
            is_complete &= not has_more
            candidates.append(cells)
        options, n_failed = self._options(merge(*candidates))
        return options, n_left, n_left == 0 and (is_complete or n_failed == 0)

    def of_real_row(self, cases: RealCases) -> list[Change]:
        """Return the change of the fewest features, of those looked at, that all have the values of one real row."""
        values = cases.fewest_values(self.steps, self.wish, self.moves, self.limits.max_features)
        if values is None:
            return []
        parts = tuple(self._part_of(axis, to) for axis, to in values.items())
        (prediction,) = self.owner.verified(self.steps, self.wish, [_joined(parts)])
        return [] if prediction is None else [self._change(parts, *prediction)]

    def _promising_pairs(self) -> tuple[list[tuple[int, int]], int]:
        """Return the first pairs of features that may both be changed, and the number of others.

        Those come first that bring the scores nearest; of equal ones, those of the first features.
        """
        own = float(self.wish.distance(self.steps.own_scores[None])[0])
        gain = {}
        for axis, moves in enumerate(self.moves):
            starts, scores = self.steps.of(axis)
            if moves.constraint != "fixed":
                open_steps = np.isfinite(moves.sizes(starts))
                gain[axis] = own - float(self.wish.distance(scores[open_steps]).min(initial=own))
        # Each pair of a later feature has as many pairs before it as may be searched.
        ranked = sorted(gain, key=lambda axis: (-gain[axis], axis))[: self.limits.max_pairs + 1]
        axes = np.array(sorted(ranked), np.int64)
        gains = np.array([gain[axis] for axis in axes.tolist()])
        firsts, seconds = np.triu_indices(len(axes), 1)
        order = np.argsort(-gains[firsts] - gains[seconds], kind="stable")[: self.limits.max_pairs]
        pairs = zip(axes[firsts[order]].tolist(), axes[seconds[order]].tolist(), strict=True)
        return list(pairs), len(gain) * (len(gain) - 1) // 2 - len(order)

    def _options(self, candidates: Iterable[_Candidate]) -> tuple[list[Change], int]:
        """Return the smallest that the model confirms, one of each group, and how many it did not.

        Parameters
        ----------
        candidates
            By size.
        """
        options: list[Change] = []
        done: set[tuple[int, ...]] = set()
        waiting = iter(candidates)
        n_failed = 0
        while len(options) < self.limits.n_options and (first := list(islice(waiting, _VERIFIED_AT_ONCE))):
            some = [each for each in first if each.group not in done]
            parts = [tuple(self._part(*bins) for bins in each.bins) for each in some]
            predicted = self.owner.verified(self.steps, self.wish, [_joined(each) for each in parts])
            for candidate, changed, prediction in zip(some, parts, predicted, strict=True):
                if prediction is None:
                    n_failed += 1
                elif candidate.group not in done:
                    done.add(candidate.group)
                    options.append(self._change(changed, *prediction))
        return sorted(options, key=lambda option: option.size)[: self.limits.n_options], n_failed

    def _part(self, axis: int, first: int, end: int) -> FeatureChange:
        return self._part_of(axis, self.moves[axis].value_in(first, end))

    def _part_of(self, axis: int, to: RawValue) -> FeatureChange:
        moves = self.moves[axis]
        own = None if moves.own != moves.own else moves.own  # NaN
        return FeatureChange(moves.axis.feature, own, to, moves.raw_values(to), moves.size_of(to))

    def _change(self, parts: tuple[FeatureChange, ...], scores: NDArray[np.floating[Any]], label: int | None) -> Change:
        values = _joined(parts)
        row = tuple(values.get(at, own) for at, own in enumerate(self.steps.row))
        return Change(parts, row, scores, label)


def _joined(parts: Sequence[FeatureChange]) -> dict[int, RawValue]:
    return {at: value for part in parts for at, value in part.raw_values.items()}


def _side(moves: FeatureMoves, first: int) -> int:
    """Return on which side of a row's own number a step is; categories and missing values are sides of their own."""
    if moves.axis.kind != "number" or first >= moves.axis.n_values:
        return 2 + first
    return int(moves.own_bin is not None and first > moves.own_bin)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The exact scores of a row for all values of two features."""

    pair: tuple[int, int]
    rectangles: Ints  # with places in the grid for bins
    starts: tuple[Ints, Ints]  # the first bins of rows and columns

    @classmethod
    def of(cls, search: _Search, pair: tuple[int, int]) -> "_Grid":
        model = search.owner.model
        rectangles = walk_pair(model.trees, model.features, search.columns, *pair)
        starts = []
        for at, axis in enumerate(pair):
            bounds = rectangles[:, 2 * at : 2 * at + 2]
            moved = model.axes.axes[axis]
            missing = [moved.n_values] if moved.has_missing else []
            firsts = np.unique(np.append(bounds[:, 0], missing)).astype(np.int64)
            bounds[:] = np.searchsorted(firsts, bounds)
            starts.append(firsts)
        return cls(pair, rectangles, (starts[0], starts[1]))

    @property
    def n_cells(self) -> int:
        return len(self.starts[0]) * len(self.starts[1])

    def smallest(self, search: _Search) -> tuple[Iterator[_Candidate], bool]:
        """Return the smallest changes that may give the outcome, by size, and whether there are more than these."""
        sizes = [search.moves[axis].sizes(starts) for axis, starts in zip(self.pair, self.starts, strict=True)]
        for at, axis in enumerate(self.pair):
            sizes[at][self._suffices(search, at, axis)] = np.inf
            sizes[at][self._is_own(search, at, axis)] = np.inf
        rows, columns = (np.flatnonzero(np.isfinite(each)) for each in sizes)
        if not len(rows) or not len(columns):
            return iter(()), False
        may_hold = np.argwhere(self._may_hold(search)[np.ix_(rows, columns)])
        positions = np.column_stack((rows[may_hold[:, 0]], columns[may_hold[:, 1]]))
        total = sizes[0][positions[:, 0]] + sizes[1][positions[:, 1]]
        has_more = len(total) > _CELLS_OF_PAIR
        best = np.argpartition(total, _CELLS_OF_PAIR)[:_CELLS_OF_PAIR] if has_more else np.arange(len(total))
        order = best[np.lexsort((*positions[best].T[::-1], total[best]))]
        bins = np.stack([self._bins(search, at, positions[order, at]) for at in (0, 1)], axis=1)
        return _by_size(self.pair, total[order], bins), has_more

    def _bins(self, search: _Search, at: int, positions: Ints) -> Ints:
        """Return the first bins and the ends of some rows or columns, (n_places, 2)."""
        starts = self.starts[at]
        ends = np.append(starts[1:], search.moves[self.pair[at]].axis.n_bins)
        return np.column_stack((starts[positions], ends[positions]))

    def _may_hold(self, search: _Search) -> NDArray[np.bool_]:
        model = search.owner.model
        shape = len(self.starts[0]), len(self.starts[1])
        if model.session.description.scoring is None:
            return self._predicted(search, shape)
        n_rows, n_columns = (np.array([each], np.int64) for each in shape)
        sums = sum_rectangles(self.rectangles, n_rows, n_columns, model.leaf_starts, model.leaf_values)
        scores = model.session.scores_of_sums(sums.reshape(shape[0] * shape[1], -1).astype(model.leaf_values.dtype))
        return search.wish.may_hold(scores, search.owner.slack).reshape(shape)

    def _predicted(self, search: _Search, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Return where the wish may hold by the model's own predictions of all cells: where sums do not say it."""
        cells = [
            [(axis, int(first)) for axis, first in zip(self.pair, bins, strict=True)]
            for bins in ((first, second) for first in self.starts[0] for second in self.starts[1])
        ]
        scores = search.owner.model.predicted(search.steps.row, cells).scores
        return search.wish.may_hold(scores, search.owner.slack).reshape(shape)

    def _suffices(self, search: _Search, at: int, axis: int) -> NDArray[np.bool_]:
        """Return the steps into which a change of one feature alone may give the outcome."""
        starts = self.starts[at]
        suffices = np.zeros(len(starts), np.bool_)
        for first, end in search.holding[axis]:
            suffices |= (starts >= first) & (starts < end)
        return suffices

    def _is_own(self, search: _Search, at: int, axis: int) -> NDArray[np.bool_]:
        own, starts = search.moves[axis].own_bin, self.starts[at]
        is_own = np.zeros(len(starts), np.bool_)
        if own is not None:
            is_own[np.searchsorted(starts, own, side="right") - 1] = True
        return is_own


def _by_size(pair: tuple[int, int], sizes: Floats, bins: Ints) -> Iterator[_Candidate]:
    """Yield changes of two features, most of which are never needed; the grid that they are of is let go.

    Parameters
    ----------
    pair
        The axes.
    sizes : (n_cells,)
        Ascending.
    bins : (n_cells, 2, 2)
        Of each axis the first bin and the end.
    """
    for size, both in zip(sizes.tolist(), bins.tolist(), strict=True):
        yield _Candidate(size, pair, tuple((axis, *ends) for axis, ends in zip(pair, both, strict=True)))
