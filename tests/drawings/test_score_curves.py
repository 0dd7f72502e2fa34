"""The drawing of curves: steps where the scores are, and the row on its own step."""

import re
from typing import Any

import pytest
from leafspace_drawings import WhyContext, draw_explanation
from leafspace_drawings.columns import ColumnNames
from leafspace_drawings.score_curves import ScoreCurves

from .documents import document

_INCOME: dict[str, Any] = {
    "feature": "income",
    "score_of": "bad",
    "value": 30,
    "steps": [{"score": 0.75}, {"from": 20.0, "score": 0.5}, {"from": 60.0, "score": 0.25}],
    "missing": 0.25,
    "resolution": 0.001,
}
_COLOUR: dict[str, Any] = {
    "feature": "colour",
    "score_of": "bad",
    "value": "c3",
    "steps": [{"value": f"c{index}", "score": 0.3 + index / 50} for index in range(12)] + [{"score": 0.3}],
    "resolution": 0.0,
    "n_left_out": 4,
}
_BANDS = [{"outcome": "approve", "below": 0.1}, {"outcome": "refer", "below": 0.4}, {"outcome": "decline"}]


def _row(**changed: Any) -> dict[str, Any]:
    scores = [{"label": "bad", "value": 0.5}, {"label": "good", "value": 0.5}]
    decision = {"outcome": "decline", "score_of": "bad", "score": 0.5, "bands": _BANDS}
    return {
        "prediction": {"task": "classification", "label": "bad", "scores": scores},
        "decision": decision,
        "curves": [_INCOME, _COLOUR],
        **changed,
    }


def _curves(row: dict[str, Any], columns: dict[str, Any] | None = None) -> ScoreCurves:
    seen = ScoreCurves.of_row(row, columns or {}, ColumnNames(None))
    assert seen is not None
    return seen


def _corners(path: str) -> list[tuple[str, float]]:
    return [(kind, float(number)) for kind, number in re.findall(r"([HV])([\d.]+)", path)]


def test_steps_turn_where_the_scores_do_and_the_row_is_on_its_own() -> None:
    columns = {"income": {"name": "income", "type": "number", "min": 0.0, "max": 100.0}}
    seen = _curves(_row(), columns)

    income = seen.first[0]
    assert income.steps is not None
    inner = ScoreCurves.WIDTH - 2 * ScoreCurves.INSET
    top, bottom = ScoreCurves.INSET, ScoreCurves.HEIGHT - ScoreCurves.INSET
    at = [pytest.approx(ScoreCurves.INSET + inner * share, abs=0.06) for share in (0.2, 0.6, 1, 0.3)]
    middle = pytest.approx((top + bottom) / 2, abs=0.06)
    assert income.steps.path.startswith(f"M{ScoreCurves.INSET} {top}")
    assert _corners(income.steps.path) == [("H", at[0]), ("V", middle), ("H", at[1]), ("V", bottom), ("H", at[2])]
    assert list(income.steps.row or ()) == [at[3], middle]
    assert income.steps.ends == (0, 100)
    assert (income.low, income.high, income.missing) == (0.25, 0.75, 0.25)
    assert [level.score for level in seen.levels] == [0.4]
    assert (top + bottom) / 2 < seen.levels[0].y < bottom


def test_quantiles_of_the_rows_make_the_axis_and_without_a_dataset_the_steps_do() -> None:
    quantiles = [0.0, 20.0, 21.0, 22.0, 100.0]
    ranked = _curves(_row(), {"income": {"name": "income", "type": "number", "min": 0, "quantiles": quantiles}})
    assert ranked.is_by_rank
    assert ranked.first[0].steps is not None
    assert _corners(ranked.first[0].steps.path)[0] == ("H", 63.5)

    alone = _curves(_row()).first[0].steps
    assert alone is not None
    assert alone.ends == (16, 64)


def test_of_many_categories_the_row_s_and_those_of_the_most_different_scores_are_listed() -> None:
    colour = _curves(_row()).first[1]

    assert colour.steps is None
    assert [each.name for each in colour.categories] == ["c11", "c10", "c3", "c1", "c0", None]
    assert [each.name for each in colour.categories if each.is_own] == ["c3"]
    assert colour.n_left == 13 - 6 + 4
    scores = [each.score for each in colour.categories]
    assert scores == sorted(scores, reverse=True)


def test_more_than_six_curves_are_folded_and_rows_without_any_have_no_card() -> None:
    seen = _curves(_row(curves=[_INCOME | {"feature": f"x{index}"} for index in range(9)]))
    assert (len(seen.first), len(seen.more)) == (6, 3)
    assert ScoreCurves.of_row(_row(curves=[]), {}, ColumnNames(None)) is None


def test_a_value_that_is_missing_has_no_mark_and_a_regression_no_class() -> None:
    curve = {**_INCOME, "value": None, "steps": [{"score": 3.0}], "missing": 9.0}
    del curve["score_of"]
    seen = _curves({"prediction": {"task": "regression", "value": 9.0}, "curves": [curve]})
    assert seen.of is None
    assert seen.first[0].steps is not None
    assert seen.first[0].steps.row is None


def test_along_the_curve_of_a_feature_that_cannot_change_no_row_is_moved() -> None:
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")
    curve = {**_INCOME, "score_of": row["prediction"]["label"]}
    for fixed, n_sliders in ((frozenset[str](), 1), (frozenset({"income"}), 0)):
        drawn = draw_explanation(row | {"curves": [curve]}, WhyContext(is_editable=True, fixed=fixed))
        assert drawn.count('type="range"') == n_sliders
        curves = drawn.partition("ls-score-curves")[2].partition("</section>")[0]
        assert ("cannot change" in curves) == (not n_sliders)


def test_names_stand_as_text_and_the_drawing_has_no_script() -> None:
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")
    label = row["prediction"]["label"]
    curve = {**_COLOUR, "feature": "<b>", "score_of": label, "value": "<i>", "steps": [{"value": "<i>", "score": 0.1}]}

    drawn = draw_explanation(row | {"curves": [{**_INCOME, "score_of": label}, curve]}, WhyContext())

    assert "How its score changes with one feature" in drawn
    assert "&lt;b&gt;" in drawn
    assert "◆ <bdi>&lt;i&gt;</bdi>" in drawn
    assert "<script" not in drawn
    assert "missing: 0.25" in drawn


def test_categories_have_the_words_of_the_dictionary_and_a_regression_has_values() -> None:
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")
    label = row["prediction"]["label"]
    steps = [{"value": "A34", "score": 0.1}, {"value": "A35", "score": 0.2}]
    curve = {**_COLOUR, "score_of": label, "value": "A34", "steps": steps}
    words = [{"value": "A34", "label": "critical account"}]
    dataset = {"columns": [{"name": "colour", "type": "category", "role": "feature", "labels": words}]}

    drawn = draw_explanation(row | {"curves": [curve]}, WhyContext(dataset=dataset)).replace("<wbr>", "")

    assert "◆ <bdi>critical account</bdi>" in drawn.partition("ls-scored")[2]
    assert "A34" not in drawn.partition("ls-scored")[2].partition("</section>")[0]
    of_values = ScoreCurves.of_row(
        {"prediction": {"task": "regression", "value": 9.0}, "curves": [{**_INCOME, "score_of": None}]},
        {},
        ColumnNames(None),
    )
    assert of_values is not None
    assert of_values.word == "value"


def test_the_row_can_be_moved_to_a_number_of_each_step_with_its_exact_score() -> None:
    columns = {"income": {"name": "income", "type": "number", "min": 0.0, "max": 100.0, "decimals": 0}}
    thresholds = [{"score": 0.75}, {"from": 20.25, "score": 0.5}, {"from": 60.5, "score": 0.25}]
    income = _curves(_row(curves=[{**_INCOME, "steps": thresholds}]), columns).first[0].steps
    assert income is not None
    assert [(stop.value, stop.score) for stop in income.stops] == [(0.0, 0.75), (30, 0.5), (61.0, 0.25)]
    assert income.own_stop == 1
    assert (income.stops[1].x, income.stops[1].y) == income.row


def test_a_step_that_no_reference_row_is_below_and_one_between_two_whole_numbers_keep_their_own_ends() -> None:
    columns = {"income": {"name": "income", "type": "number", "min": 25.0, "max": 100.0, "decimals": 0}}
    thresholds = [
        {"score": 0.75},
        {"from": 25.0, "score": 0.5},
        {"from": 60.2, "score": 0.4},
        {"from": 60.4, "score": 0.1},
    ]
    income = _curves(_row(curves=[{**_INCOME, "steps": thresholds}]), columns).first[0].steps
    assert income is not None
    assert [stop.value for stop in income.stops] == [30, 60.2, 61.0]
