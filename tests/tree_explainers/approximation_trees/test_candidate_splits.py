"""Candidates of real training rows, against values and midpoints collected one by one."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import fitted
from tests.support.naive_rules import holds, is_missing
from tests.support.naive_sta import rounded_midway, thresholds
from tests.support.pipelines import adult, rows_of_frame, sick_thyroid, titanic
from tree_explainers.approximation_trees.candidate_splits import (
    Candidates,
    GivenSplits,
    candidates_of,
    round_midpoints,
)
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.unusable_splits import unusable_splits
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.rule_lists import PrintedRules

MIXED = {"titanic": titanic, "adult": adult, "sick_thyroid": sick_thyroid}


def rows_at_node(name: str) -> Rows:
    """Return some sixty training rows; of a mixed table one column has a text that represents a missing category."""
    if name not in MIXED:
        return fitted(name).rows.take(slice(0, None, 3))
    rows = rows_of_frame(MIXED[name]().features).take(slice(0, None, 24))
    return Rows(rows.names, tuple(map(_with_text, rows.names, rows.columns)))


MISSING_TEXTS = {"embarked": "unknown", "occupation": "unknown", "sex": "unknown"}
NAMES = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression", *MIXED)


@pytest.mark.parametrize("min_samples_leaf", [1, 5])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled("thirds")
def test_candidates_are_the_values_and_midpoints_that_leave_enough_rows_on_either_side(
    name: str, min_samples_leaf: int
) -> None:
    rows = rows_at_node(name)

    found = conditions_of(candidates_of(rows, MISSING_TEXTS, min_samples_leaf))

    expected = [each for each in suggested(rows) if fewest(each, rows) >= min_samples_leaf]
    assert found == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_candidate_sends_pseudo_rows_left_where_its_condition_holds(name: str) -> None:
    rows = rows_at_node(name)
    candidates = candidates_of(rows, MISSING_TEXTS)
    drawn = Smoother.of(rows, MISSING_TEXTS).draw(rows, NodeBox(MISSING_TEXTS), 50, np.random.default_rng(1))

    bins = candidates.bins_of(drawn)

    for number, condition in list(enumerate(conditions_of(candidates)))[::7]:
        assert candidates.sends_left(number, bins).tolist() == answers(condition, drawn).tolist()


def test_the_callers_own_splits_are_candidates_where_they_leave_enough_rows() -> None:
    rows = rows_at_node("titanic")
    given = {
        "age": GivenSplits(thresholds=(40.0, 18.0, 500.0)),
        "embarked": GivenSplits(categories=("S", "Q", "nowhere"), missing=True),
        "sex": GivenSplits(),
    }

    found = conditions_of(candidates_of(rows, MISSING_TEXTS, 1, given=given))

    wanted = [
        *(("age", "<=", cut, or_missing) for cut in (18.0, 40.0) for or_missing in (False, True)),
        *(("embarked", "is", port, False) for port in ("Q", "S")),
        *(("sex", "is", sex, False) for sex in ("female", "male")),
    ]
    # A threshold of 500 would part all known ages from those that are missing, which is another question.
    assert {(each.column, each.operator, each.value, each.or_missing) for each in found} == set(wanted)
    alone = candidates_of(rows, MISSING_TEXTS, 1, given={"age": GivenSplits(missing=True)})
    assert [(each.column, each.operator) for each in conditions_of(alone)] == [("age", "is missing")]
    assert {each.column for each in found} == {"age", "embarked", "sex"}


def test_a_category_that_no_training_row_at_the_node_has_is_sent_right() -> None:
    rows = rows_at_node("titanic")
    candidates = candidates_of(rows, MISSING_TEXTS)
    strange = Rows(rows.names, tuple(_strange(column) for column in rows.columns))

    for number, condition in enumerate(conditions_of(candidates)):
        if condition.column == "sex" and condition.operator == "is":
            assert not candidates.sends_left(number, candidates.bins_of(strange)).any()


def test_neighbouring_doubles_have_no_midpoint_and_the_largest_have_one() -> None:
    nearly, most = float(np.nextafter(1.0, 2.0)), float(np.finfo(np.float64).max)
    rows = Rows(("near", "far"), (np.array([1.0, nearly]), np.array([most / 2, most])))

    found = [(each.column, each.value) for each in conditions_of(candidates_of(rows, {}))]

    assert found == [("near", 1.0), ("far", most / 2), ("far", most / 4 * 3)]


def conditions_of(candidates: Candidates) -> list[Condition]:
    return [candidates.condition(number) for number in range(candidates.n_candidates)]


def suggested(rows: Rows) -> Iterator[Condition]:
    """Yield what the rows suggest, however few rows it sends to a side."""
    for name, column in zip(rows.names, rows.columns, strict=True):
        missing = is_missing(column, MISSING_TEXTS.get(name))
        known, has_missing = column[~missing], missing.any()
        if column.dtype == object:
            yield from (Condition(name, name, "is", each, or_missing=False) for each in sorted(set(known.tolist())))
        else:
            for cut in thresholds(known):
                for or_missing in [False, True][: 1 + has_missing]:
                    yield Condition(name, name, "<=", cut, or_missing)
        if has_missing:
            yield Condition(name, name, "is missing", None, or_missing=False)


def fewest(condition: Condition, rows: Rows) -> int:
    """Return how many rows are on the side that has fewer."""
    n_left = int(answers(condition, rows).sum())
    return min(n_left, len(rows) - n_left)


def answers(condition: Condition, rows: Rows) -> NDArray[np.bool_]:
    (column,) = rows.select([condition.column]).columns
    return holds(condition, column, PrintedRules((), np.float64, MISSING_TEXTS))


def _with_text(name: str, column: Any) -> Any:  # an array of either kind
    text = MISSING_TEXTS.get(name)
    if text is None or column.dtype != object:
        return column
    return np.array([text if value is None else value for value in column], object)


def _strange(column: Any) -> Any:
    return np.full(len(column), "strange", object) if column.dtype == object else column


@pytest.mark.parametrize("name", ["random_forest_binary", "random_forest_multiclass", "random_forest_regression"])
@pytest.mark.sampled("thirds")
def test_midpoints_of_real_columns_are_those_of_the_twin(name: str) -> None:
    for column in fitted(name).rows.columns:
        values = np.unique(column)

        found = round_midpoints(values[:-1], values[1:])

        assert found.tolist() == rounded_midway(values[:-1], values[1:]).tolist()
        assert ((values[:-1] < found) & (found < values[1:])).all()


def test_midpoints_are_as_short_as_their_gap_allows() -> None:
    gaps = [(1.1, 1.2), (1.100000023841858, 1.2000000476837158), (0.05124, 0.05127), (2.0, 3.0), (1203.0, 1297.0)]
    gaps += [(-1.0, 1.0), (-1e-9, 3e-9), (0.0, 5e300)]

    found = round_midpoints(*np.array(gaps).T)

    assert found.tolist() == [1.15, 1.15, 0.051255, 2.5, 1250.0, 0.0, 1e-9, 2.5e300]


def test_midpoints_of_the_narrowest_and_the_widest_gaps_stay_inside() -> None:
    most, tiny = float(np.finfo(np.float64).max), 5e-324
    low = np.array([1.0, -most, most / 2, 0.0, tiny, 1e22, 123456789.0, 1e-30])
    high = np.array([np.nextafter(1.0, 2.0), most, most, tiny, 3 * tiny, np.nextafter(1e22, 2e22), 123456789.1, 2e-30])

    found = round_midpoints(low, high)

    assert ((low <= found) & (found <= high)).all()
    assert found[1] == 0.0
    assert found[6] == 123456789.05


def test_there_may_be_no_gaps() -> None:
    assert len(round_midpoints(np.empty(0), np.empty(0))) == 0


def test_splits_that_leave_too_few_training_rows_anywhere_are_named() -> None:
    rows = rows_at_node("titanic")
    n_children = int((rows.select(["age"]).columns[0] <= 18.0).sum())
    assert n_children > 0
    given = {
        "age": GivenSplits(thresholds=(-5.0, 18.0, 40.0), missing=True),
        "embarked": GivenSplits(categories=("S", "nowhere")),
        "sex": GivenSplits(missing=True),
        "pclass": GivenSplits(),
    }

    found, fewer, more = (unusable_splits(rows, MISSING_TEXTS, least, given) for least in (1, n_children, len(rows)))

    named = [each if isinstance(each, str) else (each.column, each.operator, each.value) for each in found]
    n_missing = int(np.isnan(rows.select(["age"]).columns[0]).sum())
    assert n_missing > 0
    assert named == [("age", "<=", -5.0), ("embarked", "is", "nowhere"), ("sex", "is missing", None)]
    assert found == fewer
    assert "pclass" in more
