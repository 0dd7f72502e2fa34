"""What two models, or two sets of rows, differ by: what its figures are, and which differences are no chance."""

from typing import Any

import pytest
from leafspace_drawings import ComparisonContext, draw_comparison

from .documents import document

Json = dict[str, Any]


def _drawn(datasets: Json | None = None, **result: Any) -> str:
    found = document("Comparison")
    more = {} if datasets is None else {"models": None, "datasets": datasets, "n_other_rows": 90}
    drawing = draw_comparison(found | {"result": found["result"] | more | result}, ComparisonContext())
    return drawing.partition("Effects that moved")[2].partition("</section>")[0].replace("<wbr>", "")


def _effect(feature: str, moved: float, p_value: float | None = None) -> Json:
    means = {"mean_effect": -0.25, "other_mean_effect": 0.125}
    return {"feature": feature, "moved": moved, "p_value": p_value, "distance": None} | means


def _drift(*moved: str) -> Json:
    nowhere = {"share": 0.0, "interval": None, "reference_share": 0.0, "reference_interval": None}
    unreachable = nowhere | {"difference_interval": None, "differs": False}
    distance = {"distance": 0.1, "p_value": 0.0001, "detectable_distance": 0.08}
    typicality = distance | {"median": 0.2, "other_median": 0.1, "unreachable": unreachable}
    return {"typicality": typicality, "outcomes": [], "values": None, "features_moved": list(moved)}


@pytest.mark.parametrize(
    ("scale", "about", "size"),
    [
        ("share", "share of all mean effect sizes", ">13%<"),
        ("probability", "Mean size of the effect on the score,", ">0.13<"),
        ("log_odds", "Mean size of the effect on the score in log-odds,", ">0.13<"),
    ],
)
def test_effects_of_two_models_say_what_they_are_in(scale: str, about: str, size: str) -> None:
    effect = _effect("age", 0.05) | {"mean_effect": 0.13, "other_mean_effect": 0.2}
    drawing = _drawn(effects=[effect], effects_scale=scale)
    assert about in drawing
    assert size in drawing


def test_features_that_moved_by_more_than_chance_are_marked_and_all_shown() -> None:
    effects = [_effect(f"x{i}", 0.5 - i / 100, 1e-9 if i == 14 else 0.3) for i in range(16)]
    drawing = _drawn(_drift("x14"), effects=effects, effects_scale="log_odds")
    shown = [f"x{i}" for i in range(16) if f">x{i}<" in drawing]
    assert shown == [*(f"x{i}" for i in range(10)), "x14"]
    assert drawing.count("more than by chance") == 1
    assert drawing.index(">x14<") < drawing.index("more than by chance")
    assert "&lt; 0.001" in drawing
    assert "\N{MINUS SIGN}0.25" in drawing


def test_shares_of_effects_move_by_points_and_not_by_per_cent() -> None:
    assert "<b>4.8 points</b>" in _drawn(effects=[_effect("age", 0.048)], effects_scale="share")
    assert "<b>0.048</b>" in _drawn(effects=[_effect("age", 0.048)], effects_scale="probability")
