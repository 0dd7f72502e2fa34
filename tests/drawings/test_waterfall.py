"""The drawing of effects and of decisions: bars that add up, and words beside them."""

from typing import Any

import pytest
from leafspace_drawings import WhyContext, draw_explanation, draw_explanations, words
from leafspace_drawings.columns import ColumnNames
from leafspace_drawings.waterfall import DecisionBar, Waterfall, effects_on

from .documents import document

_NAMES = ColumnNames(None)


def _effects(**changed: Any) -> dict[str, Any]:
    features = [
        {"feature": "late", "value": 2, "reference_value": None, "effect": 1.5, "points": 0.3},
        {"feature": "age", "value": 30, "reference_value": 30, "effect": 0.0, "points": 0.0},
        {"feature": "component", "effect": -0.5, "points": -0.1},
    ]
    reference = {"kind": "contrast", "row_id": "813", "outcome": "approve", "n_rows": 1, "score": -1.0}
    reference["probability"] = 0.2689414
    rest = {"n_features": 57, "effect": 0.25}
    effects = {"of": "bad", "scale": "log_odds", "score": 0.25, "reference": reference, "features": features}
    return {**effects, "rest": rest, **changed}


def test_bars_lead_from_the_reference_to_the_row() -> None:
    fall = Waterfall.of_effects(_effects(), _NAMES)

    assert fall.scale == "probability"
    assert [fall.before, fall.after] == pytest.approx([0.268941, 0.562177], abs=1e-6)
    assert sum(step.effect for step in fall.steps) == pytest.approx(fall.after - fall.before)
    assert [after.start for after in fall.steps[1:]] == [before.end for before in fall.steps[:-1]]
    assert [step.said for step in fall.steps][-1] == "57 other features"
    places = [fall.steps[0].start, *(step.end for step in fall.steps)]
    assert (min(places), max(places)) == (8, 232)
    (raised, same, lowered, rest) = (step.end - step.start for step in fall.steps)
    assert raised / lowered == pytest.approx(0.3 / -0.1, abs=0.01)
    assert same == 0
    assert rest / raised == pytest.approx((fall.after - fall.before - 0.2) / 0.3, abs=0.01)


def test_effects_without_points_stay_in_their_scale() -> None:
    listed = [{"feature": "rooms", "value": 4, "reference_value": 2, "effect": -12.0}]
    fall = Waterfall.of_effects(
        _effects(
            scale="value",
            score=3.0,
            reference={"kind": "nearest", "row_id": "1", "score": 15.0},
            features=listed,
            rest={"n_features": 0, "effect": 0.0},
        ),
        _NAMES,
    )

    assert (fall.scale, fall.direction, fall.before, fall.after) == ("value", "lower", 15, 3)
    assert [(step.start, step.end) for step in fall.steps] == [(232, 8)]


def test_a_mean_over_rows_is_named_as_such_and_begins_at_their_mean_probability() -> None:
    reference = {"kind": "rows", "outcome": "x<y", "n_rows": 1200, "score": -1.0, "probability": 0.4}
    features = [{"feature": "late", "value": 2, "effect": 1.5, "points": 0.16}]
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")

    fall = Waterfall.of_effects(_effects(reference=reference, features=features), _NAMES)
    drawn = draw_explanation(row | {"effects": _effects(reference=reference, features=features)}, WhyContext())

    assert (fall.before, fall.mean) == (0.4, "the mean of 1,200 reference rows of x<y")
    assert "Compared with <bdi>the mean of 1,200 reference rows of x&lt;y</bdi>" in drawn
    assert "there <bdi>" not in drawn.partition("ls-fall")[2].partition("</ol>")[0]


def test_rows_of_one_score_have_no_bars() -> None:
    nothing = _effects(features=[], rest={"n_features": 0, "effect": 0.0}, score=-1.0)

    assert Waterfall.of_effects(nothing, _NAMES).direction == "as high"


def test_the_score_stands_in_the_band_that_decides() -> None:
    bands = [{"outcome": "approve", "below": 0.12}, {"outcome": "refer", "below": 0.35}, {"outcome": "decline"}]

    bar = DecisionBar.of_decision({"outcome": "refer", "score_of": "bad", "score": 0.3, "bands": bands})

    assert bar is not None
    assert [band.ends for band in bar.bands] == ["below 0.12", "0.12 to below 0.35", "from 0.35"]
    (decided,) = [band for band in bar.bands if band.is_decided]
    assert decided.outcome == "refer"
    assert decided.low <= bar.place <= decided.low + decided.width
    assert sum(band.width for band in bar.bands) == pytest.approx(DecisionBar.WIDTH)
    beyond = DecisionBar.of_decision(
        {"outcome": "high", "score": 900.0, "bands": [{"outcome": "low", "below": 20.0}, {"outcome": "high"}]}
    )
    assert beyond is not None
    assert 0 < beyond.bands[0].width < beyond.place < DecisionBar.WIDTH


def test_a_score_next_to_the_end_of_a_band_is_not_printed_as_that_end() -> None:
    bands = [{"outcome": "refer", "below": 0.8}, {"outcome": "decline"}]
    for score, printed in ((0.799999, "0.799999"), (0.79996, "0.79996"), (0.8, "0.8"), (0.512345, "0.5123")):
        outcome = "refer" if score < 0.8 else "decline"
        bar = DecisionBar.of_decision({"outcome": outcome, "score_of": "bad", "score": score, "bands": bands})
        assert bar is not None
        assert bar.score == printed


def test_a_protected_feature_is_marked_wherever_its_effect_stands() -> None:
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")
    effects = _effects()
    effects["features"][0]["protected"] = True

    drawn = draw_explanation(row | {"effects": effects}, WhyContext())

    fall = drawn.partition("ls-fall")[2].partition("</ol>")[0]
    assert [line.count("protected") for line in fall.split("<li>")[1:4]] == [1, 0, 0]
    assert drawn.partition("What counts most")[2].partition("</ul>")[0].count("(protected)") == 1
    assert "protected" not in draw_explanation(row | {"effects": _effects()}, WhyContext())


def test_signs_and_values_stand_as_words() -> None:
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok") | {
        "effects": _effects(),
        "decision": {"outcome": "x<y", "score": 5.0, "bands": [{"outcome": "low", "below": 2.0}, {"outcome": "x<y"}]},
    }

    drawn = draw_explanation(row, WhyContext())

    for text in ("<b>+0.3</b>", "<b>\N{MINUS SIGN}0.1</b>", "<b>0</b>", "there <bdi>missing</bdi>"):
        assert text in drawn
    assert "x&lt;y" in drawn
    assert "from 2, decided" in drawn
    assert "and not in the world" in drawn


def test_of_many_features_the_largest_have_lines_and_the_others_are_added_up() -> None:
    features = [{"feature": f"x{index}", "effect": 2.0**-index} for index in range(12)]
    effects = _effects(features=features, rest={"n_features": 3, "effect": 0.25}, score=0.0)

    waterfall = Waterfall.of_effects(effects, _NAMES)

    assert len(waterfall.steps) == 9
    assert waterfall.steps[-1].said == "7 other features"
    assert waterfall.steps[-1].effect == sum(2.0**-index for index in range(8, 12)) + 0.25


def test_values_that_four_digits_do_not_distinguish_have_more() -> None:
    listed = [{"feature": "longitude", "value": -117.04, "reference_value": -117.05, "effect": 766.0}]
    fall = Waterfall.of_effects(_effects(features=listed), _NAMES)

    assert fall.steps[0].values == ("-117.04", "-117.05")


def test_effects_of_several_rows_say_what_they_are_on() -> None:
    listed = {"feature": "x", "effect": -1.2}
    in_log_odds = {"scale": "log_odds", "of": "bad", "features": [listed]}
    in_points = in_log_odds | {"features": [listed | {"points": -0.1}]}
    assert effects_on([]) == ""
    assert effects_on([in_log_odds]) == "on the score in log-odds of bad"
    assert effects_on([in_points], {"bad": "defaulted"}.__getitem__) == "on the probability of defaulted"
    assert effects_on([in_points, in_points | {"of": "good"}]) == "on the probability of the predicted class"
    assert effects_on([{"scale": "value", "features": [listed]}]) == "on the value"
    row = next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")
    drawn = draw_explanations([row | {"effects": row["effects"] | in_points}])
    assert "largest effects on the probability of bad" in drawn
    assert f"{words.signed(-0.1)}</b>" in drawn
