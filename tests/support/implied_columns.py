"""Columns that imply each other, as queries of several tables do, made of real rows; and a forest over them."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from tests.support.ism_training import IsmCase
from tests.support.models import matrix_data, onnx_of, rows_of_matrix
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.implications import ColumnTest, Implications
from tree_explainers.rows import Rows

_N_COUNTED = 6
_LEVELS = (0.2, 0.4, 0.6, 0.8)


@functools.cache
def implied_case() -> IsmCase:
    """Return a forest over 48 columns of 0 and 1 (``f0`` to ``f47``) and one that counts six of them (``f48``).

    Column 8 k + 2 l says whether the real number k is above its level l, column 8 k + 2 l + 1 whether the next number
    is, too: each implies all lower levels of its own kind, and the first of its pair.
    """
    features, target = matrix_data("binary")
    columns = []
    for number in range(_N_COUNTED):
        own, other = features[:, number], features[:, number + _N_COUNTED]
        for level in _LEVELS:
            above = own > np.quantile(own, level)
            columns += [above, above & (other > np.quantile(other, level))]
    counted = np.sum([columns[8 * number] for number in range(_N_COUNTED)], axis=0)
    matrix = np.column_stack([*columns, counted]).astype(np.float32)
    forest = RandomForestClassifier(20, max_depth=6, min_samples_leaf=2, random_state=0).fit(matrix, target)
    rows = rows_of_matrix(matrix)
    read = read_model(onnx_of(forest, matrix), DeclaredModel(feature_names=rows.names), ModelLimits())
    return IsmCase("implied", rows, np.asarray(target), read, ModelSession(read.leaf_graph, read.description))


@functools.cache
def implications_of_case() -> Implications:
    """Return what follows among the columns of ``implied_case``."""
    return Implications.of(_pairs(), rows_of_matrix(np.empty((0, 49))).names)


def _pairs() -> Iterator[tuple[ColumnTest, ColumnTest]]:
    for number, level in product(range(_N_COUNTED), range(len(_LEVELS))):
        own = 8 * number + 2 * level
        yield _is_true(own + 1), _is_true(own)
        if level:
            yield _is_true(own), _is_true(own - 2)
            yield _is_true(own + 1), _is_true(own - 1)
        yield _is_true(own), ColumnTest("f48", ">", 0.5)  # each level of a number implies its lowest, which is counted


def _is_true(column: int) -> ColumnTest:
    return ColumnTest(f"f{column}", ">", 0.5)


def breaks(row: Mapping[str, float], pairs: Iterable[tuple[ColumnTest, ColumnTest]]) -> bool:
    """Return whether a row breaks an implication, one by one."""
    return any(holds(given, row) and not holds(then, row) for given, then in pairs)


def holds(test: ColumnTest, row: Mapping[str, float]) -> bool:
    """Return whether a test holds in a row: never where the value is missing."""
    value = row[test.column]
    if np.isnan(value):
        return False
    return value > test.cut if test.operator == ">" else value <= test.cut


def named_pairs(implications: Implications) -> list[tuple[ColumnTest, ColumnTest]]:
    """Return the implications as pairs of tests."""
    return [(implications.tests[given], implications.tests[then]) for given, then in implications.pairs.tolist()]


def lines(rows: Rows) -> list[dict[str, float]]:
    """Return rows as mappings."""
    return [
        dict(zip(rows.names, line, strict=True)) for line in zip(*(each.tolist() for each in rows.columns), strict=True)
    ]
