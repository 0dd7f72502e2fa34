"""How value axes are made: the model's own graph computes what trees compare, for numbers on both sides of each cut.

Scaling, imputing and encoding are thereby exact to the last digit: where two numbers are told apart, the border between
them is found by halving the numbers between, of all features at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator
from ..onnx_models.description import ModelColumn, ModelDescription, column_type
from ..onnx_models.monotone_functions import defined_between
from ..onnx_models.tree_inputs import TreeInputs
from ..rows import Rows
from .number_grid import NumberGrid
from .value_axes import AxisKind, ValueAxes, ValueAxis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Values = NDArray[Any]  # (n_values, n_raw_indices) numbers, or objects: texts and None

_N_NAMED_SOURCES = 3  # a mixed column that names more has sources that it does not name
_NEIGHBOURS = np.arange(-2, 4)  # of a cut that was calculated: most are off by a rounding, or by none
_ROWS_AT_ONCE = 16_384
_NO_VALUES: Values = np.empty((0, 1))


def find_axes(inputs: TreeInputs, template: Rows) -> ValueAxes:
    """Return the axes of a model's features.

    Parameters
    ----------
    inputs
        Of the model.
    template
        At least one row that the model takes; features that are not looked at have the values of the first.

    Raises
    ------
    InvalidInput
        ``schema_mismatch`` where the row lacks a feature.
    RowRefused
        Where the model does not take the row.
    """
    parts = _parts_of(inputs)
    is_test = inputs.tests.leaf < 0
    column, cut = inputs.tests.column[is_test], inputs.tests.cut[is_test]
    cuts = {at: np.unique(cut[column == at]) for at in np.unique(column).tolist()}
    probe = _Probe(inputs, template.select(inputs.description.feature_names).take(slice(0, 1)), cuts)
    numbers = {at: part for at, part in enumerate(parts) if part.kind == "number"}
    bins = _bins_of_numbers(probe, numbers)
    lists = {at: part.values for at, part in enumerate(parts)}
    lists |= {at: _one_each(lows, highs, parts[at]) for at, (lows, highs) in bins.items()}
    compared = probe.compared({at: (parts[at], values) for at, values in lists.items()})
    nothing = np.empty(0), np.empty(0)
    axes = tuple(part.axis(compared[at], *bins.get(at, nothing)) for at, part in enumerate(parts))
    return ValueAxes(axes, _obscure_features(inputs))


@dataclass(frozen=True, slots=True)
class _Part:
    """A feature before its bins are known."""

    feature: str
    kind: AxisKind
    raw_indices: tuple[int, ...]
    columns: Ints
    grid: NumberGrid | None
    seeds: Ints  # of a number: indices of its grid, ascending
    values: Values  # of all others: of each bin
    categories: tuple[str | None, ...]
    has_missing: bool
    is_list: bool = False  # the model refuses all numbers but the seeds

    def axis(self, compared: Floats, lows: Floats, highs: Floats) -> ValueAxis:
        return ValueAxis(
            *(self.feature, self.kind, self.raw_indices, self.columns, compared, self.has_missing, lows, highs),
            grid=self.grid,
            categories=self.categories,
        )


def _parts_of(inputs: TreeInputs) -> list[_Part]:
    description = inputs.description
    tested = np.unique(inputs.tests.column[inputs.tests.leaf < 0])
    obscure = set(_obscure_features(inputs))
    by_feature: dict[str, list[int]] = {}
    for at in tested.tolist():
        column = description.columns[at]
        if column.feature is not None and column.feature not in obscure:
            by_feature.setdefault(column.feature, []).append(at)
    return [_part_of(inputs, feature, columns) for feature, columns in by_feature.items()]


def _obscure_features(inputs: TreeInputs) -> tuple[str, ...]:
    """Return the features from which a tested column is computed in a way that is not known."""
    description = inputs.description
    names = list(dict.fromkeys(feature_names(description)))
    obscure: set[str] = set()
    for at in np.unique(inputs.tests.column[inputs.tests.leaf < 0]).tolist():
        column = description.columns[at]
        if column.transformed:
            obscure.update(_sources_of(column, description) or names)
    return tuple(name for name in names if name in obscure)


def feature_names(description: ModelDescription) -> list[str]:
    """Return the feature of each raw column, (n_features,): those of a one-hot group have the same."""
    names = list(description.feature_names)
    for column in description.columns:
        if column.raw_index is not None and column.feature is not None:
            names[column.raw_index] = column.feature
    return names


def _sources_of(column: ModelColumn, description: ModelDescription) -> set[str]:
    """Return the features that a column is computed from; none where not all of them are known."""
    raw = column.sources or ((column.feature,) if column.feature is not None else ())
    by_name = dict(zip(description.feature_names, feature_names(description), strict=True))
    by_name |= {feature: feature for feature in by_name.values()}
    is_known = 0 < len(raw) <= _N_NAMED_SOURCES and all(name in by_name for name in raw)
    return {by_name[name] for name in raw} if is_known else set()


def _part_of(inputs: TreeInputs, feature: str, columns: Sequence[int]) -> _Part:
    description = inputs.description
    models = [description.columns[at] for at in columns]
    members = _group_of(description, feature)
    if members:
        return _one_hot_part(feature, columns, members)
    raw_index = models[0].raw_index
    assert raw_index is not None  # only a transformed column has none
    closed = {each.raw_index: each.categories for each in description.closed_features}.get(raw_index)
    if description.missing_tokens[raw_index] is not None:
        return _category_part(feature, columns, models, raw_index, closed)
    input_type = column_type(description.inputs, raw_index)
    takes_missing = input_type in ("float", "double")
    grid = NumberGrid(input_type, is_whole=not takes_missing or bool(np.isin(columns, inputs.of_sets).any()))
    known = [each for each in closed or () if isinstance(each, int | float)]
    has_missing = takes_missing and (closed is None or None in closed)
    seeds = grid.index_of(np.array(known, np.float64)) if closed is not None else _seeds(inputs, columns, grid)
    return _Part(
        *(feature, "number", (raw_index,), np.array(columns), grid, np.unique(seeds), _NO_VALUES, (), has_missing),
        is_list=closed is not None,
    )


def _group_of(description: ModelDescription, feature: str) -> dict[int, str]:
    """Return the category of each raw column of a declared one-hot group; none where the feature is no group."""
    return {
        column.raw_index: column.category
        for column in description.columns
        if column.feature == feature
        and column.raw_index is not None
        and isinstance(column.category, str)
        and description.missing_tokens[column.raw_index] is None
    }


def _one_hot_part(feature: str, columns: Sequence[int], members: Mapping[int, str]) -> _Part:
    raw_indices = tuple(sorted(members))
    values = np.eye(len(raw_indices) + 1, len(raw_indices))
    categories = (*(members[at] for at in raw_indices), None)
    nothing = np.empty(0, np.int64)
    return _Part(
        feature, "one_hot", raw_indices, np.array(columns), None, nothing, values, categories, has_missing=False
    )


def _category_part(
    feature: str, columns: Sequence[int], models: Sequence[ModelColumn], raw_index: int, closed: tuple[Any, ...] | None
) -> _Part:
    named = [each for model in models for each in (model.category, *model.categories)] if closed is None else closed
    categories: list[str | None] = list(dict.fromkeys(each for each in named if isinstance(each, str)))
    unknown = max((each for each in categories if each is not None), key=len, default="") + "?"
    texts = [*categories, *([unknown] if closed is None else [])]
    has_missing = closed is None or None in closed
    values = np.array([[*texts, *([None] if has_missing else [])]], dtype=object).T
    known = (*categories, *([None] if closed is None else []))
    nothing = np.empty(0, np.int64)
    return _Part(feature, "category", (raw_index,), np.array(columns), None, nothing, values, known, has_missing)


def _seeds(inputs: TreeInputs, columns: Sequence[int], grid: NumberGrid) -> Ints:
    """Return the numbers to look at first, as indices: around cuts, categories, and where functions are defined."""
    parts = [np.array([*grid.ends, 0.0])]
    for at in columns:
        model = inputs.description.columns[at]
        parts.append((_thresholds(inputs, at) - model.offset) / (model.scale or 1.0))
        parts.append(np.array(defined_between(model.functions)))
        named = (model.imputed, model.category, *model.categories)
        parts.append(np.array([each for each in named if isinstance(each, int | float)], np.float64))
    values = np.concatenate(parts)
    around = grid.index_below(values[~np.isnan(values)])[:, None] + _NEIGHBOURS
    return np.unique(grid.index_of(grid.numbers(around.ravel())))


def _thresholds(inputs: TreeInputs, column: int) -> Floats:
    """Return the distinct thresholds of a column, in raw units where functions come before the trees."""
    ensemble, tests = inputs.ensemble, inputs.tests
    is_compared = (ensemble.column == column) & (ensemble.operator != Operator.LEAF)
    is_compared &= ensemble.operator != Operator.MEMBER
    of_sets = tests.cut[(tests.column == column) & (tests.leaf < 0)] if column in inputs.of_sets else np.empty(0)
    return np.unique(np.concatenate((ensemble.threshold[is_compared], of_sets)))


@dataclass(frozen=True, slots=True)
class _Probe:
    """What the trees compare, for rows in which some features have other values than a template."""

    inputs: TreeInputs
    template: Rows
    cuts: Mapping[int, Floats]  # of each model-side column, ascending

    def compared(self, lists: Mapping[int, tuple[_Part, Values]]) -> dict[int, Floats]:
        """Return for each feature what its columns are for a list of values, (n_values, n_columns).

        Each model-side column is of one feature, so that all features are moved at once.
        """
        n_rows = max((len(values) for _, values in lists.values()), default=0)
        bounds = [(start, min(start + _ROWS_AT_ONCE, n_rows)) for start in range(0, n_rows, _ROWS_AT_ONCE)]
        blocks = [self.inputs.columns(self._rows(lists, *some)) for some in bounds]
        columns = np.concatenate([np.empty((0, len(self.inputs.description.columns))), *blocks])
        return {key: columns[: len(values), part.columns] for key, (part, values) in lists.items()}

    def _rows(self, lists: Mapping[int, tuple[_Part, Values]], start: int, end: int) -> Rows:
        columns = [np.repeat(column, end - start) for column in self.template.columns]
        for part, values in lists.values():
            some = values[start:end]
            for at, raw_index in enumerate(part.raw_indices):
                columns[raw_index][: len(some)] = some[:, at]
        return Rows(self.template.names, tuple(columns))


def _bins_of_numbers(probe: _Probe, parts: Mapping[int, _Part]) -> dict[int, tuple[Floats, Floats]]:
    """Return for each number the first and the last number of each bin, both (n_values,)."""
    indices = {at: part.seeds for at, part in parts.items()}
    answers = _answers(probe, parts, indices)
    while new := dict(_halfway(parts, indices, answers)):
        new_answers = _answers(probe, parts, new)
        for at, between in new.items():
            joined = np.concatenate((indices[at], between))
            order = np.argsort(joined)
            indices[at] = joined[order]
            answers[at] = np.concatenate((answers[at], new_answers[at]))[order]
    return {at: _ends(part, indices[at], answers[at]) for at, part in parts.items()}


def _ends(part: _Part, indices: Ints, answers: Ints) -> tuple[Floats, Floats]:
    assert part.grid is not None
    numbers = part.grid.numbers(indices)
    turns = (np.diff(answers, axis=0) != 0).any(axis=1)
    return numbers[np.append(True, turns)], numbers[np.append(turns, True)]


def _halfway(
    parts: Mapping[int, _Part], indices: Mapping[int, Ints], answers: Mapping[int, Ints]
) -> Iterable[tuple[int, Ints]]:
    """Yield the numbers halfway between neighbours that are told apart, where there are any between."""
    for at, part in parts.items():
        low, high = indices[at][:-1], indices[at][1:]
        middle = (low & high) + ((low ^ high) >> 1)  # without overflow
        has_other_answers = (np.diff(answers[at], axis=0) != 0).any(axis=1)
        between = middle[has_other_answers & (middle > low)]
        if len(between) and not part.is_list:
            yield at, between


def _answers(probe: _Probe, parts: Mapping[int, _Part], indices: Mapping[int, Ints]) -> dict[int, Ints]:
    """Return for numbers what all tests of their columns answer: the number of cuts below, -1 where it is missing."""
    lists = {}
    for at, some in indices.items():
        grid = parts[at].grid
        assert grid is not None
        lists[at] = (parts[at], grid.numbers(some)[:, None])
    return {at: _ranks(values, probe.cuts, parts[at].columns.tolist()) for at, values in probe.compared(lists).items()}


def _ranks(compared: Floats, cuts: Mapping[int, Floats], columns: Sequence[int]) -> Ints:
    pairs = zip(columns, compared.T, strict=True)
    ranks = [np.where(np.isnan(values), -1, np.searchsorted(cuts[column], values)) for column, values in pairs]
    return np.stack(ranks, axis=1)


def _one_each(lows: Floats, highs: Floats, part: _Part) -> Values:
    """Return a number of each bin, and behind them a missing one."""
    numbers = np.clip(0.0, lows, highs)
    return np.append(numbers, [np.nan] * part.has_missing)[:, None]
