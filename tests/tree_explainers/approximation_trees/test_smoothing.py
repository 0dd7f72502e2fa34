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
from tree_explainers.approximation_trees.generators import GeneratorMethod, GeneratorSettings, Smoother, row_generator
from tree_explainers.approximation_trees.node_boxes import NodeBox, is_missing
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

KERNEL, RANKS = GeneratorSettings("kernel"), GeneratorSettings("ranks")
SMOOTHED: tuple[GeneratorMethod, ...] = ("ranks", "kernel")
METHODS: tuple[GeneratorMethod, ...] = (*SMOOTHED, "residual_permutation", "bootstrap", "dataset")
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NODES)
@pytest.mark.sampled("thirds")
def test_pseudo_rows_lie_in_the_box(name: str, method: GeneratorMethod) -> None:
    rows, here, box = at_node(name)
    generator = row_generator(rows, {}, GeneratorSettings(method, rows=rows))

    drawn = generator.at_node(here, box)(5_000, np.random.default_rng(0))

    assert len(drawn) == 5_000
    assert box.contains(drawn).all()


@pytest.mark.parametrize("method", SMOOTHED)
@pytest.mark.parametrize("name", NODES)
@pytest.mark.sampled("thirds")
def test_pseudo_rows_are_distributed_as_rows_that_are_drawn_again_outside_the_box(
    name: str, method: GeneratorMethod
) -> None:
    rows, here, box = at_node(name)

    drawn = Smoother.of(rows, {}, GeneratorSettings(method)).draw(here, box, 20_000, np.random.default_rng(0))
    naive = NaiveSmoother(rows, method).draw(here, box, 1_000, np.random.default_rng(1))

    for ours, theirs in zip(drawn.columns, naive.columns, strict=True):
        assert _chance_of_such_a_difference(ours, theirs) > 1e-4


def test_noise_has_a_tenth_of_the_standard_deviation_of_the_feature() -> None:
    rows = fitted("random_forest_multiclass").rows
    row = rows.take(np.array([7]))

    drawn = Smoother.of(rows, {}, KERNEL).draw(row, NodeBox({}), 50_000, np.random.default_rng(0))

    for values, column, smoothed in zip(rows.columns, row.columns, drawn.columns, strict=True):
        if (values != np.floor(values)).any():
            assert smoothed.std() == pytest.approx(0.1 * values.std(), rel=0.02)
            assert smoothed.mean() == pytest.approx(column[0], abs=0.01 * values.std())


def test_noise_of_ranks_has_the_scale_that_the_data_have_there() -> None:
    values = np.exp(np.random.default_rng(0).normal(0, 3, 2_000))  # the standard deviation is 30 times the median
    rows = Rows(("skewed",), (values,))

    drawn = Smoother.of(rows, {}, RANKS).draw(rows, NodeBox({}), 50_000, np.random.default_rng(1)).columns[0]
    of_kernel = Smoother.of(rows, {}, KERNEL).draw(rows, NodeBox({}), 50_000, np.random.default_rng(1)).columns[0]

    assert values.min() <= drawn.min() < drawn.max() <= values.max()
    for share in (0.1, 0.5, 0.9):
        assert np.mean(drawn <= np.quantile(values, share)) == pytest.approx(share, abs=0.01)
    assert np.mean(of_kernel < 0) > 0.4  # no training value is


def test_exchanged_residuals_keep_how_columns_depend_on_each_other() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(size=1_000)
    rows = Rows(("first", "second"), (first, 3 * first + 0.1 * rng.normal(size=1_000)))

    drawn = row_generator(rows, {}, GeneratorSettings("residual_permutation")).at_node(rows, NodeBox({}))(
        5_000, np.random.default_rng(1)
    )

    for given, found in zip(rows.columns, drawn.columns, strict=True):
        assert found.std() == pytest.approx(given.std(), rel=0.05)
        assert not set(found) <= set(given)
    assert np.corrcoef(drawn.columns[0], drawn.columns[1])[0, 1] > 0.99


def test_rows_of_another_dataset_are_drawn_as_far_as_they_reach_the_node() -> None:
    rows, here, box = at_node("adults with fares in an interval")
    own = rows.take(slice(0, None, 2))
    inside = own.take(np.flatnonzero(box.contains(own)))
    generator = row_generator(rows, {}, GeneratorSettings("dataset", rows=own))

    drawn = generator.at_node(here, box)(3_000, np.random.default_rng(0))
    elsewhere = row_generator(rows, {}, GeneratorSettings("dataset", rows=own.take(np.flatnonzero(~box.contains(own)))))

    assert 0 < len(inside) < len(here)
    assert _lines(drawn) == _lines(inside)
    assert _lines(elsewhere.at_node(here, box)(3_000, np.random.default_rng(0))) == _lines(here)


def test_the_bootstrap_draws_the_rows_of_the_node() -> None:
    rows, here, box = at_node("few occupations, long hours")

    drawn = row_generator(rows, {}, GeneratorSettings("bootstrap")).at_node(here, box)(400, np.random.default_rng(0))

    assert _lines(drawn) <= _lines(here)


def _lines(rows: Rows) -> set[str]:
    return {str(line) for line in zip(*(column.tolist() for column in rows.columns), strict=True)}


@pytest.mark.parametrize("settings", [KERNEL, RANKS])
@pytest.mark.parametrize("name", TABLES)
def test_whole_numbers_and_categories_stay_what_training_rows_have(name: str, settings: GeneratorSettings) -> None:
    rows = rows_of_frame(TABLES[name]().features)

    drawn = Smoother.of(rows, {}, settings).draw(rows, NodeBox({}), 5_000, np.random.default_rng(0))

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


@pytest.mark.parametrize("method", SMOOTHED)
def test_a_box_one_number_wide_is_no_trouble(method: GeneratorMethod) -> None:
    rows = fitted("random_forest_regression").rows
    name, value = rows.names[2], float(rows.columns[2][0])
    box = NodeBox({}).below(number(name, value), holds=True)
    box = box.below(number(name, float(np.nextafter(value, -1))), holds=False)

    smoother = Smoother.of(rows, {}, GeneratorSettings(method))
    drawn = smoother.draw(rows.take(np.array([0])), box, 1_000, np.random.default_rng(0))

    assert (drawn.columns[2] == value).all()


@pytest.mark.parametrize("settings", [KERNEL, RANKS])
@pytest.mark.parametrize("largest", [3.4e38, 1e308])
def test_no_number_becomes_larger_than_models_read(largest: float, settings: GeneratorSettings) -> None:
    values = fitted("random_forest_regression").rows.columns[2]
    rows = Rows(("huge",), (values / np.abs(values).max() * largest,))

    drawn = Smoother.of(rows, {}, settings).draw(rows, NodeBox({}), 5_000, np.random.default_rng(0))

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
