"""Boxes are narrowed by what follows, and by nothing else: no possible row is lost, and safe pruning settles more."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.implied_columns import breaks, implications_of_case, implied_case
from tree_explainers.approximation_trees.bin_boxes import BinBox
from tree_explainers.approximation_trees.closed_boxes import ClosedBoxes
from tree_explainers.approximation_trees.ism import IsmSettings, grow_ism
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.implications import ColumnTest, Implications, repaired
from tree_explainers.questions.statements import FeatureStatements, Statements
from tree_explainers.rows import Rows


def _number(name: str, raw_index: int, cuts: list[float], *, missing_greater: bool) -> FeatureStatements:
    return FeatureStatements(name, raw_index, np.array(cuts), np.full(len(cuts), missing_greater))


STATEMENTS = Statements(
    (
        _number("a", 0, [0.5], missing_greater=False),
        _number("b", 1, [0.5], missing_greater=False),
        _number("largest", 2, [10.0, 20.0], missing_greater=False),
        _number("smallest", 3, [1.0, 2.0], missing_greater=True),
    ),
    np.float32,
)
TESTS = (
    *(ColumnTest(name, ">", 0.5) for name in ("a", "b")),
    *(ColumnTest("largest", ">", cut) for cut in (10.0, 20.0)),
    *(ColumnTest("smallest", "<=", cut) for cut in (1.0, 2.0)),
)
VALUES = {"a": (0.0, 1.0), "b": (0.0, 1.0), "largest": (np.nan, 5.0, 15.0, 25.0), "smallest": (np.nan, 0.5, 1.5, 2.5)}
EVERY = list(product(*VALUES.values()))
ROWS = Rows(tuple(VALUES), tuple(np.array(column) for column in zip(*EVERY, strict=True)))
BINNED = BinnedRows.of(STATEMENTS, ROWS)
STEPS = [(feature, own) for feature, about in enumerate(STATEMENTS.features) for own in range(about.n_statements)]


def _inside(box: BinBox, rows: BinnedRows) -> NDArray[np.bool_]:
    """Return which rows lie in a box, bin by bin."""
    inside = np.ones(rows.n_rows, np.bool_)
    for feature, remaining in box.remaining.items():
        about, bins = box.statements.features[feature], rows.bins[feature]
        assert not isinstance(remaining, np.ndarray)
        known = (bins >= remaining.low) & (bins <= remaining.high) & (bins != about.missing_bin)
        inside &= known | (remaining.missing & (bins == about.missing_bin))
    return inside


def _naively_closed(inside: NDArray[np.bool_], pairs: list[tuple[ColumnTest, ColumnTest]]) -> NDArray[np.bool_]:
    """Drop the values of columns in which a test, decided for all rows of a product, has an opposite consequence."""

    def truths(test: ColumnTest) -> NDArray[np.bool_]:
        column = ROWS.select([test.column]).columns[0]
        return column > test.cut if test.operator == ">" else column <= test.cut

    before = None
    while before is None or (before != inside).any():
        before = inside.copy()
        for given_test, then in pairs:
            if inside.any() and truths(given_test)[inside].all():
                inside = inside & truths(then)
            if inside.any() and not truths(then)[inside].any():
                inside = inside & ~truths(given_test)
    return inside


@given(
    st.lists(st.tuples(st.sampled_from(TESTS), st.sampled_from(TESTS)), max_size=6),
    st.lists(st.tuples(st.sampled_from(STEPS), st.booleans()), min_size=1, max_size=4),
)
def test_a_closed_box_is_the_twin_s_and_loses_no_possible_row(
    pairs: list[tuple[ColumnTest, ColumnTest]], steps: list[tuple[tuple[int, int], bool]]
) -> None:
    boxes = ClosedBoxes.of(BINNED, Implications.of(pairs))
    possible = np.array([not breaks(dict(zip(VALUES, row, strict=True)), pairs) for row in EVERY])
    plain = closed = BinBox.of_rows(BINNED)
    naive = np.ones(len(EVERY), np.bool_)

    for (feature, own), is_true in steps:
        if not (possible & _inside(plain.narrowed(feature, own, is_true=is_true), BINNED)).any():
            return  # nobody can be there: no node has such a box
        plain = plain.narrowed(feature, own, is_true=is_true)
        closed = boxes.narrowed(closed, feature, own, is_true=is_true)
        naive = _naively_closed(
            naive & _inside(BinBox.of_rows(BINNED).narrowed(feature, own, is_true=is_true), BINNED), pairs
        )

        found = _inside(closed, BINNED)
        assert not (possible & _inside(plain, BINNED) & ~found).any()
        np.testing.assert_array_equal(found, naive)


@pytest.mark.parametrize("n_levels", [6, 30])
def test_safe_pruning_settles_more_and_changes_no_label_of_any_possible_row(n_levels: int) -> None:
    case, implications = implied_case(), implications_of_case()
    limits = TreeLimits(n_levels, 1)
    training = replace(case.training, implications=implications)

    whole, pruned = case.grow(limits, prune_safely=False), case.grow(limits)
    closed = grow_ism(training, case.read.ensemble, case.read.description, IsmSettings(limits))

    assert closed.n_leaves < pruned.n_leaves <= whole.n_leaves
    possible = repaired(case.unseen(3000), implications)
    for rows in (case.rows, possible):
        np.testing.assert_array_equal(closed.labels_of(rows), whole.labels_of(rows))
