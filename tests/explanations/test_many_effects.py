"""Sentences and numbers of many effects are those of each alone."""

import numpy as np
import pytest

from explanations.cell_texts import SentRows
from explanations.effect_numbers import numbers_of_many, printed_numbers
from explanations.effect_pieces import EffectsOfRows, RowsOfEffects
from explanations.effect_texts import EffectScale, EffectTexts
from explanations.reference_cases import ReferenceCase
from explanations.sentences import signed, signed_texts
from explanations.shown_players import ShownPlayer
from tests.support.texts import list_of
from tree_explainers.effects.ensemble_effects import players_in_order


def test_differences_of_many_rows_are_written_as_each_is() -> None:
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-24, 4, 9_000) * rng.choice([-1, 1], 9_000)
    digits = np.concatenate([np.arange(1, 1000) / 10.0**power for power in range(1, 8)])
    halves = [np.nextafter(digits + 0.5 * 10.0**power, end) for power in range(-6, 2) for end in (0, 1e9)]
    below_one = 1 - np.concatenate([10.0 ** rng.uniform(-12, -1, 3_000), 0.5 * 10.0 ** np.arange(-12, 0)])
    numbers = np.concatenate(
        [sizes, digits, -digits, *halves, below_one, -below_one, [0.0, -0.0, 0.99, 1.0, 99.0, 100.0, 1e-4, 1e12, -1e-9]]
    )

    assert list_of(signed_texts(numbers)) == list(map(signed, numbers.tolist()))
    assert list_of(signed_texts(np.empty(0))) == []


def test_numbers_of_many_rows_are_those_of_each_where_they_are_sure() -> None:
    rng = np.random.default_rng(0)
    n_rows = 3_000
    rows = np.repeat(np.arange(n_rows), rng.integers(0, 6, n_rows))
    sizes = 10.0 ** rng.integers(-12, 5, n_rows)
    scores = rng.normal(size=n_rows) * sizes, rng.normal(size=n_rows) * sizes
    scores[0][:200] = 10.0 ** rng.integers(-7, 7, 200)
    scores[0][200:300], scores[1][200:300] = 0.0, 0.0
    effects = rng.normal(size=len(rows)) * sizes[rows]
    effects[:500] = rng.integers(-300, 300, 500) / 256  # many of which are in the middle between two decimals
    for points in (None, rng.normal(size=len(rows))):
        many = numbers_of_many(scores, effects, points, rows)

        texts = np.array(list_of(many.texts))
        of_rows = [[row, n_rows + row, 2 * n_rows + row] for row in range(n_rows)]
        listed = [np.flatnonzero(rows == row).tolist() for row in range(n_rows)]
        for row in np.flatnonzero(many.are_sure).tolist():
            of_row = np.array(listed[row], np.int64)
            in_points = [] if points is None else points[of_row].tolist()
            alone = printed_numbers(float(scores[0][row]), float(scores[1][row]), effects[of_row].tolist(), in_points)
            places = [*of_rows[row], *(3 * n_rows + of_row)]
            places += [] if points is None else [*(3 * n_rows + len(rows) + of_row)]
            assert texts[places].tolist() == [text.decode() for text in alone.texts]
            assert many.effects[of_row].tolist() == alone.effects
        assert 0.5 < many.are_sure.mean() < 1


@pytest.mark.parametrize(
    "scale", [EffectScale("probability", None), EffectScale("log_odds", "logistic", has_points=True)]
)
@pytest.mark.parametrize("n_features", [None, 3])
def test_effects_of_many_rows_are_written_as_those_of_each_are(scale: EffectScale, n_features: int | None) -> None:
    rng = np.random.default_rng(0)
    n_rows, n_players, names = 400, 6, ("age", 'the "one", a, b', "sex", "sum", "flag")
    shown = {
        player: ShownPlayer({"feature": name, **({"protected": True} if name == "sex" else {})}, index, None, None)
        for player, (name, index) in enumerate(zip(names, (0, 1, 2, None, 3), strict=True))  # one is hidden
    }
    cases = [ReferenceCase(str(row), "good", [1.5, "a, b", 2, None], is_sure=True) for row in range(4)]
    texts = EffectTexts(scale, cases, rng.normal(size=(4, 2)), ("good", 'b"ad'), shown=shown)
    effects = rng.integers(-5, 6, (n_rows, n_players)) * 10.0 ** rng.integers(-9, 1, (n_rows, 1))
    effects[:100] = rng.integers(-300, 300, (100, n_players)) / 256
    effects[100:110] = 0.0
    references, scores = rng.integers(0, 4, n_rows), rng.integers(0, 2, n_rows)
    of_rows = EffectsOfRows(
        [*range(5, 5 + n_rows)], references, None, scores, effects, *players_in_order(effects), None
    )
    values = [[rng.normal() * 1e3, "x, \u00e9", int(rng.integers(9)), None] for _ in range(n_rows)]
    adverse = [[None, True, False][row % 3] for row in range(n_rows)]
    many = RowsOfEffects(of_rows, SentRows.of(values, None), adverse)

    together = texts.write_many(many, n_features, "contrast")

    alone = [texts.write(many.row(row), n_features, "contrast") for row in range(n_rows)]
    assert [together.get(5 + row) for row in range(n_rows)] == alone
    assert together.get(0) is None
    assert len({each.causes.sentence for each in alone}) > 100
