"""NodeConditions: for each node of an ensemble's trees, the bins of a raw feature that go left.

A node tests a model's column (a scaled number, an indicator, a code); its condition is translated into the bins of the
raw feature behind the column, as the ensemble's statements define them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..onnx_models.description import ModelColumn, ModelDescription
from .cut_points import Rounding, cuts_of_number
from .splits import ColumnSplits, base_of, model_value
from .statements import FeatureStatements, Statements

Flags = NDArray[np.bool_]
_ORDERED = (Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT)
_OFF = 2.0**-20  # some sixteen roundings in single precision
_OTHER = "\0"  # no category: texts of rows and of graphs hold no zero bytes that mean anything


@dataclass(frozen=True, slots=True)
class NodeConditions:
    """The condition of each node, in bins.

    At a node with a **cut**, bins below it go to one side, the others to the other side, and the missing value (the
    last bin) where ``missing_left`` says. At other nodes each bin has its own answer. A bin may hold values that go
    left and others that go right: values without a code of their own have no bin of their own.
    """

    feature: NDArray[np.int32]  # (n_nodes,) index among the statements' features
    cut: NDArray[np.int32]  # (n_nodes,) the first bin that is greater; if < 0, answers begin at -1 - cut
    low_end: NDArray[np.int32]  # (n_nodes,) each bin before it has some value that is not greater
    greater_from: NDArray[np.int32]  # (n_nodes,) each bin from it on has some value that is greater
    low_left: Flags  # (n_nodes,) bins below the cut go left
    missing_left: Flags  # (n_nodes,)
    missing_both: Flags  # (n_nodes,) a missing value is imputed by a number next to the cut
    goes_left: Flags  # the answers of nodes without a cut, by bin: its known value goes left
    may_left: Flags  # some value of the bin goes left
    may_right: Flags


def node_conditions(ensemble: TreeEnsemble, description: ModelDescription, statements: Statements) -> NodeConditions:
    """Return the conditions of all nodes, in the bins of the ensemble's own statements."""
    return _Translation(ensemble, description, statements).conditions()


@dataclass(slots=True)
class _Translation:
    ensemble: TreeEnsemble
    description: ModelDescription
    statements: Statements
    _answers: list[tuple[Flags, Flags, Flags]] = field(default_factory=list)
    _n_answers: int = 0

    def conditions(self) -> NodeConditions:
        conditions = _without_conditions(self.ensemble.n_nodes)
        index_of = {feature.raw_index: index for index, feature in enumerate(self.statements.features)}
        for column, nodes in _nodes_by_column(self.ensemble):
            raw_index = self.description.columns[column].raw_index
            if raw_index in index_of:
                conditions.feature[nodes] = index_of[raw_index]
                self._translate(self.description.columns[column], nodes, index_of[raw_index], conditions)
            else:
                # One answer for all values, the missing one included: every bin is above the cut.
                for some, split in self._by_condition(nodes):
                    left = _answer(self.description.columns[column], split, None)
                    conditions.cut[some], conditions.low_left[some], conditions.missing_left[some] = 0, not left, left
        joined = [
            np.concatenate([np.empty(0, np.bool_), *(each[index] for each in self._answers)]) for index in range(3)
        ]
        return replace(conditions, goes_left=joined[0], may_left=joined[1], may_right=joined[2])

    def _translate(self, column: ModelColumn, nodes: NDArray[np.int64], index: int, conditions: NodeConditions) -> None:
        feature = self.statements.features[index]
        is_cut = np.isin(self.ensemble.operator[nodes], _ORDERED) & _is_number(column, feature)
        cut_nodes = nodes[is_cut]
        if len(cut_nodes):
            self._translate_cuts(column, cut_nodes, feature, conditions)
        for some, split in self._by_condition(nodes[~is_cut]):
            answers = _read_answers(column, split, feature, Rounding.of(self.description, feature.raw_index))
            left, other = answers
            conditions.cut[some] = -1 - self._n_answers
            self._answers.append((left, left | other, ~left | ~other))
            self._n_answers += len(left)

    def _translate_cuts(
        self, column: ModelColumn, nodes: NDArray[np.int64], feature: FeatureStatements, conditions: NodeConditions
    ) -> None:
        splits = self._of(nodes)
        cuts, missing_greater = cuts_of_number(column, splits, Rounding.of(self.description, feature.raw_index))
        greater_left = np.isin(splits.operator, (Operator.GTE, Operator.GT)) != (column.scale < 0)
        conditions.cut[nodes] = conditions.low_end[nodes] = conditions.greater_from[nodes] = _first_greater(
            feature, cuts
        )
        if column.is_calculated:
            off = _OFF * (abs(cuts) + (abs(column.offset) + abs(splits.threshold)) / abs(column.scale))
            off[np.isinf(cuts)] = 0.0  # where only missing values are separated, nothing is rounded
            conditions.low_end[nodes] = np.minimum(np.searchsorted(feature.cuts, cuts + off) + 1, feature.missing_bin)
            conditions.greater_from[nodes] = np.searchsorted(feature.cuts, cuts - off)
            if column.imputed is not None:
                conditions.missing_both[nodes] = abs(float(column.imputed) - cuts) <= off
        conditions.low_left[nodes] = ~greater_left
        conditions.missing_left[nodes] = missing_greater == greater_left

    def _of(self, nodes: NDArray[np.int64]) -> ColumnSplits:
        ensemble = self.ensemble
        return ColumnSplits(
            ensemble.operator[nodes], ensemble.threshold[nodes], ensemble.missing_left[nodes], ensemble.members
        )

    def _by_condition(self, nodes: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], ColumnSplits]]:
        """Yield the nodes of one column that have the same condition, and this condition."""
        if not len(nodes):
            return
        splits = self._of(nodes)
        keys = np.column_stack((splits.operator, splits.threshold, splits.missing_left))
        _, first, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        for index, node in enumerate(first):
            yield nodes[same.reshape(-1) == index], self._of(nodes[node : node + 1])


def _without_conditions(n_nodes: int) -> NodeConditions:
    numbers, flags = np.zeros((4, n_nodes), np.int32), np.zeros((3, n_nodes), np.bool_)
    none = np.empty(0, np.bool_)
    return NodeConditions(
        feature=numbers[0],
        cut=numbers[1] - 1,
        low_end=numbers[2],
        greater_from=numbers[3],
        low_left=flags[0],
        missing_left=flags[1],
        missing_both=flags[2],
        goes_left=none,
        may_left=none,
        may_right=none,
    )


def _nodes_by_column(ensemble: TreeEnsemble) -> Iterator[tuple[int, NDArray[np.int64]]]:
    inner = np.flatnonzero(ensemble.operator != Operator.LEAF)
    inner = inner[np.argsort(ensemble.column[inner], kind="stable")]
    columns, starts = np.unique(ensemble.column[inner], return_index=True)
    of_columns = np.split(inner, starts[1:]) if len(inner) else []  # trees without any split have none
    yield from zip(columns.tolist(), of_columns, strict=True)


def _is_number(column: ModelColumn, feature: FeatureStatements) -> bool:
    """Return whether the column is the raw number, perhaps scaled; columns of a declared group are."""
    is_indicator = column.kind == "indicator" and not isinstance(column.category, str)
    return feature.is_number and not is_indicator and column.kind != "ordinal"


def _first_greater(feature: FeatureStatements, cuts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the first bin whose values are above each cut; the missing value's if there is none."""
    first = np.searchsorted(feature.cuts, cuts, side="right")
    return np.where(cuts == np.inf, feature.missing_bin, first)


def _read_answers(
    column: ModelColumn, split: ColumnSplits, feature: FeatureStatements, rounding: Rounding
) -> tuple[Flags, Flags]:
    """Return for which bins a condition holds, and for which it holds for values without a bin of their own."""
    if not feature.is_number:
        known = [*feature.categories, _OTHER, None]
        answers = np.array([_answer(column, split, value) for value in known])
        return answers, answers
    if column.kind == "ordinal":
        return _read_codes(column, split, feature, rounding)
    answers = (_read_indicator if not _is_number(column, feature) else _read_set)(column, split, feature, rounding)
    return answers, answers


def _answer(column: ModelColumn, split: ColumnSplits, value: float | str | None) -> bool:
    return bool(split.answer(model_value(column, base_of(column, value)))[0])


def _read_set(column: ModelColumn, split: ColumnSplits, feature: FeatureStatements, rounding: Rounding) -> Flags:
    """Read a test of equality or membership: the bins between pairs of cuts are inside."""
    cuts, _ = cuts_of_number(column, split, rounding)
    first = _first_greater(feature, cuts)
    inside = (np.arange(feature.n_bins)[:, None] >= first).sum(axis=1) % 2 == 1
    answers: Flags = inside != (split.operator[0] == Operator.NEQ)
    base = column.imputed if isinstance(column.imputed, float) else None
    answers[feature.missing_bin] = split.answer(model_value(column, base))[0]
    return answers


def _read_indicator(column: ModelColumn, split: ColumnSplits, feature: FeatureStatements, rounding: Rounding) -> Flags:
    present, absent = (bool(split.answer(model_value(column, base))[0]) for base in (1.0, 0.0))
    answers = np.full(feature.n_bins, absent)
    if isinstance(column.category, float | int):
        value = float(rounding.kept(column.category))
        low, high = _first_greater(feature, np.array([rounding.below(value), value]))
        answers[low:high] = present
    answers[feature.missing_bin] = _answer(column, split, None)
    return answers


def _read_codes(
    column: ModelColumn, split: ColumnSplits, feature: FeatureStatements, rounding: Rounding
) -> tuple[Flags, Flags]:
    """Read a column of codes: a bin has the answer of its value that has a code, other values that of unknown ones."""
    unknown = _answer(column, split, np.inf)
    answers = np.full(feature.n_bins, unknown)
    for value in column.categories:
        if isinstance(value, float | int):
            number = float(rounding.kept(value))
            answers[np.searchsorted(feature.cuts, number, side="left")] = _answer(column, split, value)
    others = np.full(feature.n_bins, unknown)
    answers[-1] = others[-1] = _answer(column, split, None)
    return answers, others
