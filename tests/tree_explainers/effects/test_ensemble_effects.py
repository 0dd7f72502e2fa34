"""Effects are the Shapley values of what the model itself predicts for mixtures of two rows."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.effects_of_models import explained
from tests.support.models import ALL_MODELS, fitted
from tests.support.native_models import NATIVE
from tests.support.pipelines import PIPELINES
from tree_explainers.effects.ensemble_effects import (
    EnsembleEffects,
    mean_absolute_effects,
    players_in_order,
    points_of_probability,
    points_per_log_odds,
    probabilities,
)
from tree_explainers.errors import InvalidInput, MethodNotApplicable

Floats = NDArray[np.float64]
WITHOUT_SUMS = ("ada_boost_binary", "ada_boost_multiclass", "ada_boost_regression")
MODELS = tuple(name for name in (*ALL_MODELS, *PIPELINES, *NATIVE) if name not in WITHOUT_SUMS)
PAIRS = ((0, 60), (30, 7))


@pytest.mark.parametrize("name", [name for name in MODELS if name != "principal_components"])
@pytest.mark.sampled("thirds")
def test_effects_are_shapley_values_of_the_models_own_predictions(name: str) -> None:
    model = explained(name)

    for row, reference in PAIRS:
        naive, error = model.naive(row, reference)
        np.testing.assert_allclose(model.margins_of_effects(row, reference), naive, rtol=0, atol=error.max())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sampled("thirds")
def test_effects_add_up_and_raw_scores_are_the_models(name: str) -> None:
    model = explained(name)
    rows = model.model.rows.take(slice(0, 60))
    ranks = model.ranks(rows)
    raw = model.effects.raw_scores(ranks)
    weights = np.arange(1, 21) / 210

    for score in range(raw.shape[1]):
        effects = model.effects.mean_effects(ranks[:40], ranks[40:], score, weights * 3)
        expected = raw[:40, score] - weights @ raw[40:, score]
        np.testing.assert_allclose(effects.sum(axis=1), expected, rtol=0, atol=1e-12 * np.abs(raw).max().clip(1))
    scores = model.model.session.run_in_chunks(rows).scores
    np.testing.assert_allclose(probabilities(raw, model.effects.link), scores, rtol=1e-6, atol=1e-6)


def _number_of_ties(name: str) -> int:
    model = explained(name)
    matrix = model.inputs.columns(model.model.rows.take(slice(0, 60)))
    ensemble = model.model.read.for_walker.as_read(model.model.read.ensemble)
    pairs = set(zip(ensemble.column.tolist(), ensemble.threshold.tolist(), strict=True))
    return sum((column, value) in pairs for row in matrix.tolist() for column, value in enumerate(row))


def test_the_rows_of_the_twin_lie_on_thresholds_and_miss_values() -> None:
    ties = [_number_of_ties(name) for name in ("native_histogram", "native_xgboost", "ordinal_categories")]
    rows = explained("missing_kept").model.rows.take(slice(0, 61))

    assert max(ties) > 0
    assert sum(int(np.isnan(column).sum()) for column in rows.columns if column.dtype.kind == "f") > 0


def test_columns_made_of_several_features_are_players_of_their_own() -> None:
    model = explained("principal_components")
    names = model.effects.players.names
    transformed = dict(zip(names, model.effects.players.transformed, strict=True))

    assert transformed["pclass"] is False
    assert [name for name in names if transformed[name]] == [
        "component 1 of 2 of fare, age",
        "component 2 of 2 of fare, age",
    ]
    ranks = model.ranks(model.model.rows.take(slice(0, 40)))
    effects = model.effects.mean_effects(ranks[:20], ranks[20:21], 0)
    assert (effects[:, names.index("fare")] == 0).all()
    assert (effects[:, names.index("component 1 of 2 of fare, age")] != 0).any()


@pytest.mark.parametrize("name", ["random_forest_multiclass", "random_forest_binary", "random_forest_regression"])
def test_effects_of_pairs_are_those_of_each_row_alone(name: str) -> None:
    model = explained(name)
    ranks, n_scores = model.ranks(model.model.rows.take(slice(0, 40))), len(model.effects.scores.signs)
    references, scores = 3 * np.arange(30) % 10, np.arange(30) % n_scores

    effects = model.effects.effects_of_pairs(ranks[10:], ranks[:10], references, scores)

    for row, (reference, score) in enumerate(zip(references.tolist(), scores.tolist(), strict=True)):
        alone = model.effects.mean_effects(ranks[10 + row : 11 + row], ranks[reference : reference + 1], score)[0]
        assert effects[row].tobytes() == alone.tobytes()
    leaves = model.effects.trees.leaves(ranks)
    known = model.effects.effects_of_pairs(ranks[10:], ranks[:10], references, scores, (leaves[10:], leaves[:10]))
    assert known.tobytes() == effects.tobytes()
    assert (leaves[10:] == leaves[references]).any()


def test_players_are_in_order_of_their_effects_and_sums_are_those_of_numpy_to_the_last_digit() -> None:
    rng = np.random.default_rng(0)
    for n_players in (1, 7, 8, 9, 30, 64, 65):
        effects = rng.normal(size=(50, n_players)) * 10.0 ** rng.integers(-3, 3, (50, n_players))
        effects[rng.random(effects.shape) < 0.2] = 0.0

        orders, counts, totals = players_in_order(effects)

        assert orders.tolist() == np.argsort(-np.abs(effects), axis=1, kind="stable").tolist()
        assert counts.tolist() == (effects != 0).sum(axis=1).tolist()
        assert totals.tolist() == effects.sum(axis=1).tolist()


def test_a_row_has_no_effects_against_itself() -> None:
    model = explained("random_forest_binary")
    ranks = model.ranks(model.model.rows.take(slice(0, 1)))

    assert (model.effects.mean_effects(ranks, ranks, 1) == 0).all()


@pytest.mark.parametrize("name", WITHOUT_SUMS)
def test_scores_that_are_no_sums_have_no_effects(name: str) -> None:
    read = fitted(name).read

    with pytest.raises(MethodNotApplicable, match="sums over the trees"):
        EnsembleEffects.of(read.description, read.ensemble)


def _refused(ranks: NDArray[np.uint16], case: str) -> dict[str, Any]:
    return {
        "no reference": {"references": ranks[:0], "score": 0},
        "a weight too many": {"references": ranks[:1], "score": 0, "weights": np.ones(2)},
        "no weight above 0": {"references": ranks[:1], "score": 0, "weights": np.zeros(1)},
        "a negative weight": {"references": ranks[:2], "score": 0, "weights": np.array([2.0, -1.0])},
        "an infinite weight": {"references": ranks[:1], "score": 0, "weights": np.array([np.inf])},
        "an unknown score": {"references": ranks[:1], "score": 2},
    }[case]


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("no reference", "at least one reference case"),
        ("a weight too many", "one weight each"),
        ("no weight above 0", "some above"),
        ("a negative weight", "none below 0"),
        ("an infinite weight", "one weight each"),
        ("an unknown score", "has 2 scores"),
    ],
)
def test_what_does_not_fit_is_refused(case: str, text: str) -> None:
    model = explained("random_forest_binary")
    ranks = model.ranks(model.model.rows.take(slice(0, 2)))

    with pytest.raises(InvalidInput, match=text):
        model.effects.mean_effects(ranks, **_refused(ranks, case))


@pytest.mark.parametrize("name", [*MODELS, "random_forest_binary"])
@pytest.mark.sampled("thirds")
def test_means_over_many_references_are_those_of_one_after_the_other(name: str) -> None:
    model = explained(name)
    ranks = model.ranks(model.model.rows.take(slice(0, 60)))
    weights = np.arange(30) / 435  # one counts nothing
    score = len(model.effects.scores.signs) - 1
    alone = [model.effects.mean_effects(ranks[:30], ranks[at : at + 1], score) for at in range(30, 60)]
    expected = np.tensordot(weights, np.stack(alone), 1)

    effects = model.effects.mean_effects(ranks[:30], ranks[30:], score, weights)

    np.testing.assert_allclose(effects, expected, rtol=0, atol=1e-12 * np.abs(expected).max().clip(1))


def test_points_of_probability_are_those_of_each_reference_case_and_add_up() -> None:
    model = explained("xgboost_binary")
    rows = model.model.rows.take(slice(0, 24))
    ranks, weights = model.ranks(rows), np.arange(1, 21) / 210
    raw = model.effects.raw_scores(ranks)[:, 1]
    scores = np.asarray(model.model.session.run_in_chunks(rows).scores, np.float64)[:, 1]
    expected = np.zeros((4, model.effects.n_players))
    for at, weight in enumerate(weights.tolist(), 4):
        effects = model.effects.mean_effects(ranks[:4], ranks[at : at + 1], 1)
        with np.errstate(invalid="ignore"):
            slopes = np.nan_to_num((_logistic(raw[:4]) - _logistic(raw[at])) / (raw[:4] - raw[at]))
        expected += weight * effects * slopes[:, None]

    points = points_of_probability(model.effects, ranks[:4], ranks[4:], 1, weights)

    np.testing.assert_allclose(points, expected, atol=1e-12)
    np.testing.assert_allclose(points.sum(axis=1), scores[:4] - weights @ scores[4:], atol=1e-6)


def _logistic(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


@pytest.mark.parametrize("raw", [0.0, 0.3, -5.0, 30.0, -800.0])
@pytest.mark.parametrize("difference", [0.0, 1e-13, 1e-6, 0.9, 1.1, 20.0])
def test_points_for_each_log_odds_are_the_slope_between_two_rows(raw: float, difference: float) -> None:
    with localcontext(prec=400):
        ends = [1 / (1 + (-Decimal(each)).exp()) for each in (raw, raw + difference)]
        gap = Decimal(raw + difference) - Decimal(raw)
        expected = ends[0] * (1 - ends[0]) if gap == 0 else (ends[1] - ends[0]) / gap

    assert points_per_log_odds(raw + difference, raw) == pytest.approx(float(expected), rel=1e-9, abs=1e-16)


def test_mean_absolute_effects() -> None:
    assert mean_absolute_effects(np.array([[1.0, -2.0], [-3.0, 0.0]])).tolist() == [2.0, 1.0]
    with pytest.raises(InvalidInput, match="at least one row"):
        mean_absolute_effects(np.empty((0, 2)))
