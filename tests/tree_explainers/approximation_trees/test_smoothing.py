"""Pseudo rows near the rows of real tables, against rows drawn one by one and rejected."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, ks_2samp

from tests.support.models import fitted
from tests.support.naive_smoothing import NaiveSmoother
from tests.support.pipelines import adult, rows_of_frame, sick_thyroid, titanic
from tree_explainers.approximation_trees.node_boxes import NodeBox, is_missing
from tree_explainers.approximation_trees.smoothing import Smoother
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

TABLES = {"titanic": titanic, "adult": adult, "sick_thyroid": sick_thyroid}


def number(name: str, value: float, *, or_missing: bool = False) -> Condition:
    return Condition(name, name, "<=", value, or_missing)


def category(name: str, value: str) -> Condition:
    return Condition(name, name, "is", value, or_missing=False)


def missing(name: str) -> Condition:
    return Condition(name, name, "is missing", None, or_missing=False)


NODES: dict[str, tuple[str, list[tuple[Condition, bool]]]] = {
    "the root of titanic": ("titanic", []),
    "adults with fares in an interval": (
        "titanic",
        [(number("age", 16.0), False), (number("fare", 26.0), True), (number("fare", 7.9), False)],
    ),
    "young or of unknown age, not from one port, of two classes": (
        "titanic",
        [
            (number("age", 22.0, or_missing=True), True),
            (category("embarked", "S"), False),
            (number("pclass", 1.0), False),
        ],
    ),
    "of unknown age, men": ("titanic", [(missing("age"), True), (category("sex", "male"), True)]),
    "few occupations, long hours": (
        "adult",
        [
            (category("occupation", "Craft-repair"), False),
            (category("workclass", "Private"), True),
            (number("hours_per_week", 40.0), False),
            (number("age", 35.5), True),
        ],
    ),
    "low hormones, known sex": (
        "sick_thyroid",
        [(number("T3", 1.5), True), (number("TSH", 2.0, or_missing=True), True), (missing("sex"), False)],
    ),
}


def at_node(name: str) -> tuple[Rows, Rows, NodeBox]:
    """Return all training rows of a table, those that reach a node, and its box."""
    table, questions = NODES[name]
    rows, box = rows_of_frame(TABLES[table]().features), NodeBox({})
    for condition, holds in questions:
        box = box.below(condition, holds=holds)
    return rows, rows.take(np.flatnonzero(box.contains(rows))), box


@pytest.mark.parametrize("name", NODES)
def test_pseudo_rows_lie_in_the_box(name: str) -> None:
    rows, here, box = at_node(name)

    drawn = Smoother.of(rows, {}).draw(here, box, 20_000, np.random.default_rng(0))

    assert len(drawn) == 20_000
    assert box.contains(drawn).all()


@pytest.mark.parametrize("name", NODES)
def test_pseudo_rows_are_distributed_as_rows_that_are_drawn_again_outside_the_box(name: str) -> None:
    rows, here, box = at_node(name)

    drawn = Smoother.of(rows, {}).draw(here, box, 20_000, np.random.default_rng(0))
    naive = NaiveSmoother(rows).draw(here, box, 1_500, np.random.default_rng(1))

    for ours, theirs in zip(drawn.columns, naive.columns, strict=True):
        assert _chance_of_such_a_difference(ours, theirs) > 1e-4


def test_noise_has_a_tenth_of_the_standard_deviation_of_the_feature() -> None:
    rows = fitted("random_forest_multiclass").rows
    row = rows.take(np.array([7]))

    drawn = Smoother.of(rows, {}).draw(row, NodeBox({}), 50_000, np.random.default_rng(0))

    for values, column, smoothed in zip(rows.columns, row.columns, drawn.columns, strict=True):
        if (values != np.floor(values)).any():
            assert smoothed.std() == pytest.approx(0.1 * values.std(), rel=0.02)
            assert smoothed.mean() == pytest.approx(column[0], abs=0.01 * values.std())


@pytest.mark.parametrize("name", TABLES)
def test_whole_numbers_and_categories_stay_what_training_rows_have(name: str) -> None:
    rows = rows_of_frame(TABLES[name]().features)

    drawn = Smoother.of(rows, {}).draw(rows, NodeBox({}), 5_000, np.random.default_rng(0))

    n_checked = 0
    for values, smoothed in zip(rows.columns, drawn.columns, strict=True):
        known, found = values[~is_missing(values, None)], smoothed[~is_missing(smoothed, None)]
        if values.dtype == object or (known == np.floor(known)).all():
            n_checked += 1
            assert set(found) <= set(known)
    assert n_checked >= 4


def test_a_text_that_represents_a_missing_category_stays() -> None:
    frame = titanic().features.fillna({"embarked": "unknown"})
    rows = rows_of_frame(frame)
    here = rows.take(np.flatnonzero(frame["embarked"] == "unknown"))

    drawn = Smoother.of(rows, {"embarked": "unknown"}).draw(here, NodeBox({}), 500, np.random.default_rng(0))
    others = Smoother.of(rows, {"embarked": "unknown"}).draw(rows, NodeBox({}), 5_000, np.random.default_rng(0))

    assert set(drawn.select(["embarked"]).columns[0]) == {"unknown"}
    assert Counter(others.select(["embarked"]).columns[0])["unknown"] < 40  # two rows of 1,309


def test_a_box_one_number_wide_is_no_trouble() -> None:
    rows = fitted("random_forest_regression").rows
    name, value = rows.names[2], float(rows.columns[2][0])
    box = NodeBox({}).below(number(name, value), holds=True)
    box = box.below(number(name, float(np.nextafter(value, -1))), holds=False)

    drawn = Smoother.of(rows, {}).draw(rows.take(np.array([0])), box, 1_000, np.random.default_rng(0))

    assert (drawn.columns[2] == value).all()


@pytest.mark.parametrize("largest", [3.4e38, 1e308])
def test_no_number_becomes_larger_than_models_read(largest: float) -> None:
    values = fitted("random_forest_regression").rows.columns[2]
    rows = Rows(("huge",), (values / np.abs(values).max() * largest,))

    drawn = Smoother.of(rows, {}).draw(rows, NodeBox({}), 5_000, np.random.default_rng(0))

    assert np.abs(drawn.columns[0]).max() <= largest


def test_the_same_generator_draws_the_same_rows() -> None:
    rows, here, box = at_node("few occupations, long hours")
    smoother = Smoother.of(rows, {})

    one, same, other = (smoother.draw(here, box, 100, np.random.default_rng(seed)) for seed in (3, 3, 4))

    assert all(np.array_equal(a, b) for a, b in zip(one.columns, same.columns, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one.columns, other.columns, strict=True))


def _chance_of_such_a_difference(ours: NDArray[Any], theirs: NDArray[Any]) -> float:
    """Return the p-value of a test that two columns have one distribution."""
    missing_ours, missing_theirs = is_missing(ours, None), is_missing(theirs, None)
    if ours.dtype != object and len(set(ours[~missing_ours])) > 200:
        assert missing_ours.mean() == pytest.approx(missing_theirs.mean(), abs=0.06)
        return float(ks_2samp(ours[~missing_ours], theirs[~missing_theirs]).pvalue)
    counts = [Counter(map(str, column.tolist())) for column in (ours, theirs)]
    common = [each for each, n in counts[0].most_common(12) if n > 100]
    table = [[own[each] for each in common] + [own.total() - sum(own[each] for each in common)] for own in counts]
    filled = np.array(table)[:, np.array(table).sum(axis=0) > 0]
    return float(chi2_contingency(filled).pvalue) if filled.shape[1] > 1 else 1.0
