"""Regions that changed: the slow twin's, a planted one first, and none where nothing says where."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_comparisons
from tree_explainers.approximation_trees.candidate_splits import candidates_of
from tree_explainers.comparisons.changed_regions import Half, RegionLimits, best_conjunction, changed_regions
from tree_explainers.questions.conditions import ConditionReader
from tree_explainers.rows import Rows

_TEXTS = {"colour": ""}


def _rows(n_rows: int, seed: int = 0) -> Rows:
    """Return rows of three numbers, one of them with missing values, and a category with missing ones."""
    rng = np.random.default_rng(seed)
    numbers = [rng.normal(size=n_rows), rng.integers(0, 10, n_rows).astype(float), rng.exponential(size=n_rows)]
    numbers[2][rng.random(n_rows) < 0.1] = np.nan
    colours = rng.choice(np.array(["red", "green", "blue", "", None], object), n_rows)
    return Rows(("size", "count", "age", "colour"), (*numbers, colours))


def _column(rows: Rows, name: str) -> NDArray[Any]:
    return rows.select([name]).columns[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sampled("thirds")
def test_the_search_returns_what_the_slow_twin_returns(seed: int) -> None:
    rows, rng = _rows(200, seed), np.random.default_rng(seed)
    inside = (_column(rows, "size") > 0.2) & (_column(rows, "colour") == "red")
    changes = (rng.random(200) < np.where(inside, 0.8, 0.1)) + 0.01 * rng.random(200)  # no two rows alike: no ties
    candidates = candidates_of(rows, _TEXTS, 10)
    bins = candidates.bins_of(rows)

    steps = best_conjunction(
        candidates, Half(bins, changes), np.arange(200), RegionLimits(max_conditions=3, min_rows=10)
    )

    expected = naive_comparisons.best_conjunction(candidates, bins, changes, 3, 10)
    chosen = np.all([candidates.sends_left(step.candidate, bins) == step.holds for step in steps], axis=0)
    assert (chosen == expected).all()
    assert expected.any()


def test_a_planted_region_is_found_first_and_its_rows_are_counted_on_the_other_half() -> None:
    rows = _rows(4_000)
    planted = (_column(rows, "count") <= 3) & (_column(rows, "colour") == "green")
    noise = np.random.default_rng(1).random(4_000) < 0.02

    first, *others = changed_regions(rows, (planted ^ noise).astype(float), _TEXTS)

    assert {(each.feature, each.operator, each.value) for each in first.conditions} == {
        ("count", "<=", 3.0),
        ("colour", "is", "green"),
    } or [each.text for each in first.conditions] == ["colour is green", "count is at most 3.5"]
    holds = np.all([ConditionReader(np.float64, _TEXTS).holds(each, rows) for each in first.conditions], axis=0)
    assert (holds == planted).all()
    assert (np.sort(np.concatenate([first.searched, first.checked])) == np.flatnonzero(planted)).all()
    assert (first.searched % 2 == 0).all()
    assert (first.checked % 2 == 1).all()
    assert others == []


def test_missing_values_are_a_region() -> None:
    rows = _rows(2_000)
    planted = np.isnan(_column(rows, "age"))

    (region,) = changed_regions(rows, planted.astype(float), _TEXTS)

    assert [each.text for each in region.conditions] == ["age is missing"]


def test_the_complement_of_a_category_keeps_its_missing_values() -> None:
    rows = _rows(2_000)
    colours = _column(rows, "colour")
    planted = colours != "red"

    (region,) = changed_regions(rows, np.asarray(planted, np.float64), _TEXTS)

    (condition,) = region.conditions
    assert (condition.operator, condition.value, condition.or_missing) == ("is not", "red", True)
    assert len(region.checked) == planted[1::2].sum()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_there_is_no_region_where_all_rows_are_alike(share: float) -> None:
    assert changed_regions(_rows(400), np.full(400, share), _TEXTS) == []


def test_there_is_hardly_a_region_where_changes_are_by_chance() -> None:
    n_with_one = sum(
        bool(
            changed_regions(_rows(1_000, seed), (np.random.default_rng(seed).random(1_000) < 0.1).astype(float), _TEXTS)
        )
        for seed in range(20)
    )
    assert n_with_one <= 1
