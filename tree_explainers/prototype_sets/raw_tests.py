"""Tests of raw features, as the splits of nodes make them: nearly all are about the numbers up to a cut."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..errors import MethodNotApplicable
from ..onnx_models.description import ModelColumn, ModelDescription
from ..questions.cut_points import Rounding, cuts_of_number
from ..questions.splits import ColumnSplits, base_of, model_value

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# By operator.
_IS_EQUALITY, _GREATER_IS_LEFT = (
    np.isin(np.arange(len(Operator)), some)
    for some in ((Operator.EQ, Operator.NEQ, Operator.MEMBER), (Operator.GTE, Operator.GT))
)


class RawValues(NamedTuple):
    """Some values of a feature."""

    ranges: tuple[tuple[float, float], ...]  # of numbers: above the first end, up to the second, which may be infinite
    texts: tuple[str, ...]  # of categories


class RawTests(NamedTuple):
    """Tests of one raw feature each; a value for which a test holds takes the first branch."""

    features: Ints  # (n_tests,) indices among the model's features
    cuts: Floats  # (n_tests,) tests are about the numbers up to the cut, which may be infinite
    values: Mapping[int, RawValues]  # what others are about, by their index; their cut is 0
    are_among: Flags  # (n_tests,) whether it holds for these values, or else for all others
    or_missing: Flags  # (n_tests,) whether it holds for a missing value

    @staticmethod
    def of(feature: int, cuts: Floats, are_among: Flags, or_missing: Flags) -> "RawTests":
        """Return tests of one feature, each about the numbers up to its cut."""
        return RawTests(np.full(len(cuts), feature), cuts, {}, are_among, or_missing)

    @staticmethod
    def none() -> "RawTests":
        """Return no tests."""
        no_flags = np.zeros(0, np.bool_)
        return RawTests.of(0, np.zeros(0), no_flags, no_flags)

    @staticmethod
    def joined(parts: "Sequence[RawTests]") -> "RawTests":
        """Return the tests of all parts."""
        parts = [RawTests.none(), *parts]
        starts = np.cumsum([0, *(len(part.features) for part in parts)]).tolist()
        values = {start + at: of for start, part in zip(starts, parts, strict=False) for at, of in part.values.items()}
        return RawTests(
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.cuts for part in parts]),
            values,
            np.concatenate([part.are_among for part in parts]),
            np.concatenate([part.or_missing for part in parts]),
        )

    def take(self, tests: Ints) -> "RawTests":
        """Return some tests, by their indices."""
        values = {}
        if self.values:  # as of few models
            values = {at: self.values[test] for at, test in enumerate(tests.tolist()) if test in self.values}
        return RawTests(self.features[tests], self.cuts[tests], values, self.are_among[tests], self.or_missing[tests])

    def distinct(self) -> tuple[Ints, Ints]:
        """Return the first of each distinct test, and the number of each test's among these, (n_tests,)."""
        values = np.zeros(len(self.features), np.int64)
        numbers: dict[RawValues, int] = {}
        for test, of_test in self.values.items():
            values[test] = numbers.setdefault(of_test, len(numbers) + 1)
        return _distinct([self.or_missing, self.are_among, values, self.cuts, self.features])


@dataclass(frozen=True, slots=True)
class RawTestReader:
    """Reads the splits of nodes as tests of raw features, and numbers those that differ."""

    ensemble: TreeEnsemble
    description: ModelDescription

    def tests(self, nodes: Ints) -> tuple[RawTests, Ints]:
        """Return the tests that nodes make, by their first node, and the number of each node's test, (n_nodes,).

        A test holds where a value goes left. Equal splits are read once, those of one column together.

        Raises
        ------
        MethodNotApplicable
            Where a node tests a column that cannot be mapped back to one raw feature.
        """
        trees = self.ensemble
        keys = [values[nodes] for values in (trees.missing_left, trees.threshold, trees.operator, trees.column)]
        split_nodes, split_of_node = _distinct(keys)
        of_splits = self._of_splits(nodes[split_nodes])
        test_splits, test_of_split = of_splits.distinct()
        test_nodes = np.full(len(test_splits), len(nodes))
        np.minimum.at(test_nodes, test_of_split, split_nodes)
        by_node = np.argsort(test_nodes)
        number = np.empty_like(by_node)
        number[by_node] = np.arange(len(by_node))
        return of_splits.take(test_splits[by_node]), number[test_of_split][split_of_node]

    def _of_splits(self, nodes: Ints) -> RawTests:
        """Return the tests of some nodes, which are in the order of their columns."""
        columns, starts = np.unique(self.ensemble.column[nodes], return_index=True)
        of_columns = np.split(nodes, starts[1:]) if len(nodes) else []  # trees without any split have none
        named = (self.description.columns[column] for column in columns.tolist())
        return RawTests.joined([self._of_column(*each) for each in zip(named, of_columns, strict=True)])

    def _of_column(self, column: ModelColumn, nodes: Ints) -> RawTests:
        if column.transformed or column.raw_index is None:
            msg = (
                f"The trees test {column.name!r}, which cannot be mapped back to one raw feature: the classifier can "
                "be written as ONNX only."
            )
            raise MethodNotApplicable(msg)
        if self.description.missing_tokens[column.raw_index] is not None:
            return self._one_by_one(column, nodes, self._of_text)
        rounding = Rounding(Rounding.of(self.description, column.raw_index).reads, np.float64)
        if column.kind in ("indicator", "ordinal") and not isinstance(column.category, str):
            return self._one_by_one(column, nodes, partial(self._of_values, rounding))
        is_ordered = ~_IS_EQUALITY[self.ensemble.operator[nodes]]
        of_order = self._of_order(column, nodes[is_ordered], rounding)
        if is_ordered.all():
            return of_order
        of_equality = self._one_by_one(column, nodes[~is_ordered], partial(self._of_equality, rounding))
        in_order = np.argsort(np.concatenate([np.flatnonzero(is_ordered), np.flatnonzero(~is_ordered)]))
        return RawTests.joined([of_order, of_equality]).take(in_order)

    def _one_by_one(
        self, column: ModelColumn, nodes: Ints, read: Callable[[ModelColumn, int], tuple[RawValues, bool, bool]]
    ) -> RawTests:
        values, are_among, or_missing = zip(*(read(column, node) for node in nodes.tolist()), strict=True)
        flags = (np.array(each, np.bool_) for each in (are_among, or_missing))
        return RawTests.of(_index(column), np.zeros(len(nodes)), *flags)._replace(values=dict(enumerate(values)))

    def _splits(self, nodes: NDArray[np.int64]) -> ColumnSplits:
        trees = self.ensemble
        return ColumnSplits(trees.operator[nodes], trees.threshold[nodes], trees.missing_left[nodes], trees.members)

    def _of_text(self, column: ModelColumn, node: int) -> tuple[RawValues, bool, bool]:
        named = column.categories if column.kind == "ordinal" else (column.category,)
        known = [each for each in dict.fromkeys((*named, column.imputed)) if isinstance(each, str)]
        splits = self._splits(np.array([node]))
        goes_left = [
            bool(splits.answer(model_value(column, base_of(column, each)))[0]) for each in (*known, "\0", None)
        ]
        *of_known, of_others, of_missing = goes_left
        texts = tuple(each for each, left in zip(known, of_known, strict=True) if left != of_others)
        return RawValues((), texts), not of_others, of_missing

    def _of_order(self, column: ModelColumn, nodes: Ints, rounding: Rounding) -> RawTests:
        """Return the tests of nodes that compare by order."""
        splits = self._splits(nodes)
        cuts, missing_greater = cuts_of_number(column, splits, rounding)
        is_above = _GREATER_IS_LEFT[splits.operator] != (column.scale < 0)
        return RawTests.of(_index(column), cuts, ~is_above, missing_greater == is_above)

    def _of_equality(self, rounding: Rounding, column: ModelColumn, node: int) -> tuple[RawValues, bool, bool]:
        splits = self._splits(np.array([node]))
        cuts, _ = cuts_of_number(column, splits, rounding)
        ranges = tuple((low, high) for low, high in np.sort(cuts).reshape(-1, 2).tolist())
        is_among = self.ensemble.operator[node] != Operator.NEQ
        imputed = column.imputed if isinstance(column.imputed, float | int) else None
        return RawValues(ranges, ()), bool(is_among), bool(splits.answer(model_value(column, imputed))[0])

    def _of_values(self, rounding: Rounding, column: ModelColumn, node: int) -> tuple[RawValues, bool, bool]:
        """Return the test of a column of indicators or codes of numbers, which are equal or are not."""
        named = column.categories if column.kind == "ordinal" else (column.category,)
        known = [float(each) for each in dict.fromkeys((*named, column.imputed)) if isinstance(each, float | int)]
        splits = self._splits(np.array([node]))
        answers = [splits.answer(model_value(column, base_of(column, each)))[0] for each in (*known, inf, None)]
        *of_known, of_others, of_missing = map(bool, answers)
        values = [each for each, left in zip(known, of_known, strict=True) if left != of_others]
        return RawValues(tuple(_around(value, rounding) for value in sorted(values)), ()), not of_others, of_missing


def _distinct(keys: Sequence[NDArray[Any]]) -> tuple[Ints, Ints]:
    """Return the first index of each distinct entry, in the order of the last key, and the number of each entry's.

    Keys are (n,) each.
    """
    sorting = [key for key in keys[:-1] if (key != key[:1]).any()] + [keys[-1]]  # others sort nothing, and take time
    order = np.lexsort(sorting)  # in the order of the entries where all are equal
    is_new = np.zeros(len(order), dtype=np.bool_)
    is_new[:1] = True
    for key in sorting:
        in_order = key[order]
        is_new[1:] |= in_order[1:] != in_order[:-1]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return order[is_new], numbers


def _around(value: float, rounding: Rounding) -> tuple[float, float]:
    """Return the numbers that the model reads as a value: those above the first end, up to the second."""
    read = rounding.reads(value)
    below = np.nextafter(read, rounding.reads(-np.inf))
    low, high = rounding.lower(np.array([below, read], dtype=np.float64)).tolist()
    return low, high


def _index(column: ModelColumn) -> int:
    assert column.raw_index is not None  # for the type checker: others were refused
    return column.raw_index
