"""An evaluation: its curves lie where the figures are, and everything that was measured stands as text."""

import re
from itertools import pairwise
from typing import Any

import pytest
from leafspace_drawings import EvaluationContext, Links, ModelContext, draw_evaluation, draw_model, report
from leafspace_drawings.square_plots import (
    Plot,
    calibration_plot,
    precision_recall_plot,
    roc_plot,
    values_plot,
)

from .documents import document

Json = dict[str, Any]
_LABELS = [1, 1, 0, 1, 0, 0, 1, 0]  # of rows by falling score, each with a score of its own
_SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.1]


def _share(n_counted: int, n_rows: int) -> Json:
    """Return a counted share; its interval is no matter of drawings."""
    if not n_rows:
        return {"share": None, "n_counted": 0, "n_rows": 0, "interval": None}
    return {
        "share": n_counted / n_rows,
        "n_counted": n_counted,
        "n_rows": n_rows,
        "interval": {"low": 0.1, "high": 0.9},
    }


def _cutoff(n_predicted: int, source: str) -> Json:
    taken, n_positive = _LABELS[:n_predicted], sum(_LABELS)
    n_true, n_others = sum(taken), len(_LABELS) - n_positive
    return {
        "cutoff": _SCORES[n_predicted - 1],
        "source": source,
        "outcome": None,
        "true_positive_rate": _share(n_true, n_positive),
        "false_positive_rate": _share(n_predicted - n_true, n_others),
        "precision": _share(n_true, n_predicted),
        "predicted": _share(n_predicted, len(_LABELS)),
        "accuracy": _share(n_true + n_others - (n_predicted - n_true), len(_LABELS)),
    }


def _outcome() -> Json:
    points: list[Json] = [{"cutoff": None, "true_positive_rate": 0.0, "false_positive_rate": 0.0, "precision": None}]
    for n_predicted in range(1, len(_LABELS) + 1):
        figures = _cutoff(n_predicted, "share")
        rates = ("true_positive_rate", "false_positive_rate", "precision")
        points.append({"cutoff": figures["cutoff"]} | {name: figures[name]["share"] for name in rates})
    bins = [{"low": 0.1, "high": 0.5, "mean_score": 0.3, "observed": _share(1, 4)}]
    brier = {"value": 0.2, "interval": None, "constant": 0.25}
    return {
        "outcome": "bad",
        "share": _share(4, 8),
        "roc_area": {"value": _roc_area(), "interval": {"low": 0.4, "high": 0.9}, "constant": 0.5},
        "average_precision": {"value": _average_precision(), "interval": None, "constant": 0.5},
        "points": points,
        "cutoffs": [_cutoff(2, "share"), _cutoff(5, "model"), _cutoff(7, "share")],
        "calibration": {"mean_score": 0.5, "brier_score": brier, "calibration_error": 0.05, "bins": bins},
    }


def _roc_area() -> float:
    """Return how often a row of the class comes before one of the others, pair by pair."""
    pairs = [(i, j) for i, one in enumerate(_LABELS) for j, other in enumerate(_LABELS) if one and not other]
    return sum(i < j for i, j in pairs) / len(pairs)


def _average_precision() -> float:
    """Return the mean precision at the rows of the class."""
    precisions = [sum(_LABELS[: i + 1]) / (i + 1) for i, label in enumerate(_LABELS) if label]
    return sum(precisions) / len(precisions)


def _evaluation(**more: Any) -> Json:
    cells = [("good", "good", 2), ("good", "bad", 2), ("bad", "bad", 3), ("bad", "good", 1)]
    accuracy = _share(5, 8)
    classification = {
        "n_classes": 2,
        "accuracy": accuracy,
        "constant": "good",
        "constant_accuracy": 0.5,
        "balanced_accuracy": {"value": 0.625, "interval": {"low": 0.3, "high": 0.8}, "constant": 0.5},
        "log_loss": None,
        "classes": [
            {"label": label, "n_rows": 4, "n_predicted": 4, "recall": _share(2, 4), "precision": _share(2, 4)}
            for label in ("good", "bad")
        ],
        "confusion": [{"label": label, "predicted": predicted, "n_rows": n} for label, predicted, n in cells],
        "outcomes": [_outcome()],
    }
    wrong = {"rank": 1, "row": 4, "row_id": "case 4", "label": "good", "predicted": "bad", "score": 0.7}
    wrong |= {"label_score": 0.3, "value": None, "predicted_value": None, "residual": None}
    region = {"rank": 1, "text": "age is below 30", "conditions": [], "n_rows": 40, "error": 0.4}
    region |= {"interval": {"low": 0.26, "high": 0.55}, "share_of_errors": 0.61}
    region |= {"error_outside": 0.11, "interval_outside": {"low": 0.05, "high": 0.2}}
    result = {
        "summary": "5 of 8 labels are predicted.",
        "task": "classification",
        "n_rows": 9,
        "n_evaluated": 8,
        "held_out": True,
        "measured_on": "8 rows, which are held out",
        "positive": "bad",
        "classification": classification,
        "regression": None,
        "bands": [],
        "n_comparisons": 2,
        "groups": [_column()],
        "n_rows_checked": 4,
        "regions": [region],
        "n_wrong": 3,
        "wrong_rows": [wrong],
        "cautions": [{"code": "few_rows", "detail": "figures of 8 rows are uncertain", "remedy": None}],
    }
    request = {"model": "mdl_1", "dataset": "ds_2", "positive": None, "group_by": ["sex"]}
    return {"object": "evaluation", "id": "evl_1", "request": request, "result": result | more}


def _column() -> Json:
    rest = _share(1, 4)
    share = {**_share(2, 4), "rest": rest, "difference_interval": {"low": 0.1, "high": 0.6}, "differs": True}
    none = {**_share(0, 0), "rest": rest, "difference_interval": None, "differs": False}
    rates = dict.fromkeys(("true_share", "predicted_share", "true_positive_rate"), share)
    group: Json = {"text": "f", "value": "f", "low": None, "high": None, "n_rows": 4, "errors": share, **rates}
    group |= {"false_positive_rate": none, "outcomes": [], "mean_absolute_error": None, "mean_residual": None}
    return {"column": "sex", "is_feature": False, "groups": [group | {"differs": ["errors"]}]}


def _text(drawing: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", drawing.replace("<wbr>", "")).split())


def _corners(path: str) -> list[tuple[float, float]]:
    """Return the corners of a path of M, L, H and V as shares of the axes."""
    x = y = 0.0
    corners = []
    for letter, numbers in re.findall(r"([MLHV])([^MLHV]+)", path):
        values = [float(each) for each in numbers.split()]
        if letter in "ML":
            x, y = values
        x, y = (values[0], y) if letter == "H" else (x, values[0]) if letter == "V" else (x, y)
        corners.append(((x - Plot.x(0)) / (Plot.RIGHT - Plot.x(0)), (Plot.BOTTOM - y) / (Plot.BOTTOM - Plot.TOP)))
    return corners


def _area(corners: list[tuple[float, float]]) -> float:
    return sum((end[0] - start[0]) * (end[1] + start[1]) / 2 for start, end in pairwise(corners))


def test_the_area_below_the_drawn_roc_curve_is_that_of_all_pairs() -> None:
    assert _area(_corners(roc_plot(_outcome(), None).path)) == pytest.approx(_roc_area(), abs=0.005)


def test_the_area_below_the_drawn_precision_recall_curve_is_the_average_precision() -> None:
    assert _area(_corners(precision_recall_plot(_outcome(), None).path)) == pytest.approx(
        _average_precision(), abs=0.005
    )


@pytest.mark.parametrize(
    ("sources", "shown"),
    [
        (("share", "model", "share"), 5),
        (("share", "band", "band"), 5),  # the highest end of a band
        (("share", "share", "share"), 5),  # five rows are predicted, and four are of the class
    ],
)
def test_the_first_cutoff_is_declared_or_predicts_about_as_many_rows_as_there_are(
    sources: tuple[str, ...], shown: int
) -> None:
    document = _evaluation()
    outcome = document["result"]["classification"]["outcomes"][0]
    outcome["cutoffs"] = [_cutoff(n, source) for n, source in zip((1, 5, 8), sources, strict=True)]
    assert f"<b>{shown}</b> of 8 rows" in draw_evaluation(document, EvaluationContext()).replace(",", "")


def test_the_chosen_cutoff_stands_on_both_curves() -> None:
    outcome = _outcome()
    chosen = outcome["cutoffs"][1]
    roc, precise = roc_plot(outcome, chosen), precision_recall_plot(outcome, chosen)
    assert roc.own == (Plot.x(0.5), Plot.y(0.75))  # 3 of 4 found, 2 of 4 others
    assert precise.own == (Plot.x(0.75), Plot.y(0.6))
    assert roc_plot(outcome, _cutoff(1, "share") | {"true_positive_rate": _share(0, 0)}).own is None


def test_a_bin_stands_at_its_mean_score_with_its_interval() -> None:
    (dot,) = calibration_plot(_outcome()["calibration"]["bins"]).dots
    assert (dot.x, dot.y, dot.low, dot.high) == (Plot.x(0.3), Plot.y(0.25), Plot.y(0.1), Plot.y(0.9))


def test_values_and_predictions_have_axes_of_the_same_ends() -> None:
    means = [
        {"value": 20.0, "interval": {"low": 10.0, "high": 30.0}, "constant": None},
        {"value": 40.0, "interval": None},
    ]
    bins = [{"mean_prediction": at, "n_rows": 3, "mean_value": mean} for at, mean in zip((20, 50), means, strict=True)]
    first, last = values_plot(bins).dots
    assert (first.x, first.y, first.low, first.high) == (Plot.x(0.25), Plot.y(0.25), Plot.y(0), Plot.y(0.5))
    assert (last.x, last.y, last.low) == (Plot.x(1), Plot.y(0.75), None)
    assert [text for _, text in values_plot(bins).x_ticks] == ["10", "30", "50"]


@pytest.mark.parametrize(("largest", "n_across"), [(450_000.0, 3), (1_234_567_890.0, 2)])
def test_large_values_have_room_beside_their_axis(largest: float, n_across: int) -> None:
    bins = [
        {"mean_prediction": at, "n_rows": 3, "mean_value": {"value": at, "interval": None}} for at in (1.0, largest)
    ]
    plot = values_plot(bins)
    assert plot.left >= 6 + 6 * max(len(text) for _, text in plot.y_ticks)  # words end 6 units before it
    assert (plot.dots[0].x, plot.dots[-1].x) == (plot.left, Plot.RIGHT)
    assert len(plot.x_ticks) == n_across
    assert len(plot.y_ticks) == 3


def test_a_cutoff_is_chosen_by_the_address_and_is_the_model_s_own_by_default() -> None:
    at_default = _text(draw_evaluation(_evaluation(), EvaluationContext(links=Links(""))))
    assert "From a score of 0.5 on, as the model itself predicts, 5 of 8 rows" in at_default
    drawing = draw_evaluation(_evaluation(), EvaluationContext(links=Links(""), cutoff=2))
    assert "From a score of 0.3 on, 7 of 8 rows" in _text(drawing)
    assert 'data-parameter="cutoff"' in drawing
    assert 'data-parameter="cutoff"' not in draw_evaluation(_evaluation(), EvaluationContext())
    assert "From a score of 0.5 on" in _text(draw_evaluation(_evaluation(), EvaluationContext(cutoff=99)))


def test_wrong_rows_lead_to_their_explanations_and_groups_say_what_differs() -> None:
    target = {"name": "risk", "role": "target", "labels": [{"value": "bad", "label": "Defaulted"}]}
    column = {"name": "sex", "role": "feature", "title": "Sex", "labels": [{"value": "f", "label": "female"}]}
    dataset = {"id": "ds_2", "name": "newer", "columns": [target, column]}
    context = EvaluationContext({"name": "v1"}, dataset, Links(""), "xpl_1")

    drawing = draw_evaluation(_evaluation(), context)

    text = _text(drawing)
    assert 'href="#/explainers/xpl_1/rows/case%204?dataset=ds_2"' in drawing
    assert "female 4 50% 10% to 90% differs from 25% elsewhere" in text
    assert "The model does not read it." in text
    assert "no row" in text
    assert "Defaulted 25% 1 row 75% 3 rows 4" in text
    assert "if age is below 30 40% 26% to 55% 11% 61% 40" in text
    assert "Figures of 8 rows are uncertain." in text


def test_a_group_has_the_share_of_each_decision_and_what_differs_is_said() -> None:
    column = _column()
    (group,) = column["groups"]
    differing, alike = group["errors"], group["errors"] | {"differs": False}
    outcomes = [{"outcome": "decline", "rows": differing}, {"outcome": "approve", "rows": alike}]
    group |= {"outcomes": outcomes, "differs": ["outcome decline"]}
    band = {"is_adverse": False, "low": None, "below": None, "rows": _share(1, 4), "positive": None, "mean_value": None}
    bands = [band | {"outcome": "approve", "below": 0.5}, band | {"outcome": "decline", "low": 0.5}]
    target = {"name": "risk", "role": "target", "labels": [{"value": "decline", "label": "declined"}]}
    dataset = {"id": "ds_2", "name": "newer", "columns": [target]}
    found = _evaluation(groups=[column], bands=bands)
    text = _text(draw_evaluation(found, EvaluationContext(None, dataset)))
    assert "group decided declined decided approve f 50% 10% to 90% differs from 25% elsewhere 50%" in text
    beside = ModelContext(evaluation=found, columns=dataset)
    differs = "the share that is decided as declined is 50%, of all other rows 25%"
    assert differs in _text(draw_model(document("Model"), beside))
    filed = _text(report.draw_evaluation(found["result"], document("Model"), dataset))
    assert f"f 4 50% 10% to 90%, 2 of 4 {differs}" in filed
    assert "declined 25%" in filed


def test_that_nothing_was_found_is_said() -> None:
    column = _column()
    column["groups"][0]["differs"] = []
    text = _text(draw_evaluation(_evaluation(groups=[column], regions=[]), EvaluationContext()))
    assert "No group differs from the other rows by more than chance would explain." in text
    assert "No rule says where it is wrong more than elsewhere, on 4 rows that the search did not see." in text
    assert "No group differs" not in _text(draw_evaluation(_evaluation(), EvaluationContext()))


def test_the_slider_of_cut_offs_has_the_lowest_at_the_left() -> None:
    drawing = draw_evaluation(_evaluation(), EvaluationContext(links=Links("")))
    assert 'dir="rtl" min="0"' in drawing  # the first cut-off of the answer is the highest


def test_the_view_of_a_model_has_the_short_form() -> None:
    drawing = draw_model(document("Model"), ModelContext(evaluation=_evaluation(), links=Links(""), explainer="xpl_1"))
    text = _text(drawing)
    assert "62% right, 95% between 10% and 90%" in text
    assert "always “ good ”: 50%" in text
    assert "on 8 rows, which are held out" in text
    assert "if age is below 30 : 40% are wrong, 26% to 55%; elsewhere 11%; 61% of all errors." in text
    assert "the share of wrong predictions is 50%, of all other rows 25%" in text
    assert 'href="#/evaluations/evl_1"' in drawing
    assert "predicted bad with a score of 0.7, was good" in text


def test_classes_beyond_a_grid_are_listed_by_how_often_they_are_taken_for_others() -> None:
    found = _evaluation()
    names = [f"class {number}" for number in range(12)]
    of_class = found["result"]["classification"]["classes"][0]
    found["result"]["classification"]["classes"] = [of_class | {"label": name} for name in names]
    cell = {"label": names[3], "predicted": names[7], "n_rows": 5}
    found["result"]["classification"]["confusion"] = [cell, cell | {"predicted": names[3], "n_rows": 4}]
    assert "What is most often taken for what label predicted rows class 3 class 7 5 By cut-off" in _text(
        draw_evaluation(found, EvaluationContext())
    )


def test_a_grid_of_many_classes_has_figures_alone() -> None:
    found = _evaluation()
    names = [f"class {number}" for number in range(10)]
    of_class = found["result"]["classification"]["classes"][0]
    found["result"]["classification"]["classes"] = [of_class | {"label": name} for name in names]
    found["result"]["classification"]["confusion"] = [{"label": name, "predicted": name, "n_rows": 4} for name in names]
    drawing = draw_evaluation(found, EvaluationContext())
    grid = drawing.partition('aria-label="Confusion"')[2].partition("</table>")[0]
    assert "label, down; predicted, across" in grid
    assert grid.count("<b>100%</b>") == 10
    assert "ls-share" not in grid
