"""What the view of a row says first: what was decided, why, on which evidence, and what would change it."""

from typing import Any

from leafspace_drawings import Links, ModelContext, WhyContext, draw_explanation, draw_model
from leafspace_drawings.classes import Classes
from leafspace_drawings.words import word_parts

from .documents import document

Json = dict[str, Any]


def _row(**more: Any) -> Json:
    return dict(next(each for each in document("ExplanationList")["data"] if each["status"] == "ok")) | more


def _glance(row: Json, **context: Any) -> str:
    drawing = draw_explanation(row, WhyContext(**context)).replace("<wbr>", "")
    return drawing.partition('class="ls-card ls-three"')[2].partition("</section>")[0]


def _evidence(shares: list[Json], score_of: str) -> Json:
    return {
        "n_rows": 84, "shares": shares, "score_of": score_of, "agrees": False, "out_of_bag": False, "level": 0.9
    }  # fmt: skip


def test_a_model_with_an_explainer_that_has_no_effects_is_promised_none() -> None:
    usage = [{"feature": "petal_length", "share_of_trees": 1.0, "share_of_questions": 1.0}]
    for explainer, is_promised in ((None, True), ("xpl_1", False)):
        context = ModelContext(feature_usage=usage, explainer=explainer, columns=document("Dataset"))
        assert ("an explainer with prototypes says" in draw_model(document("Model"), context)) == is_promised


def test_of_many_outcomes_of_rows_like_it_those_that_most_had_come_first() -> None:
    shares = [
        {"label": f"class {i}", "share": share, "low": 0, "high": 1} for i, share in enumerate([0] * 7 + [0.2, 0.8])
    ]
    drawing = draw_explanation(_row() | {"evidence": _evidence(shares, "class 0")}, WhyContext())
    card = drawing.partition("What happened to rows like it")[2].partition("</section>")[0]
    assert [f"class {i}" for i in range(9) if f"class {i}<" in card] == ["class 7", "class 8"]
    assert card.index("class 8<") < card.index("class 7<")


def test_the_nearest_rows_are_named_with_what_came_of_them_and_lead_to_their_views() -> None:
    row = _row()
    label = row["prediction"]["label"]
    near = {"row_id": "7", "label": label, "target": "other", "proximity": 0.95, "reasons": []}
    shares = [{"label": label, "share": 0.31, "low": 0.23, "high": 0.4}]
    context = WhyContext(links=Links(""), shown_by="xpl_1")
    for more in ({"evidence": _evidence(shares, label)}, {}):
        drawing = draw_explanation(row | {"nearest_rows": [near]} | more, context)
        card = drawing.partition("The nearest of all reference rows")[2].partition("</section>")[0]
        assert '<a href="#/explainers/xpl_1/rows/7">row 7</a>' in card
        assert "was <bdi>other</bdi>" in card
        assert "95% near" in card
    assert "The nearest of all" not in draw_explanation(row | {"nearest_rows": []}, context)


def test_the_largest_effects_the_evidence_and_the_first_change_stand_at_the_top() -> None:
    row = _row()
    label = row["prediction"]["label"]
    shares = [{"label": label, "share": 0.31, "low": 0.23, "high": 0.4}]
    change = {"feature": "x", "value": 2, "to": 0, "text": "times late is 0 instead of 2"}
    options = [{"changes": [change], "score": 0.1, "outcome": "other", "typicality": None}]
    glance = _glance(
        row
        | {"evidence": _evidence(shares, label)}
        | {"changes": {"outcome": "other", "n_features_searched": 1, "none_with_fewer": True, "options": options}}
    )
    assert row["effects"]["features"][0]["feature"] in glance
    assert "84 rows most like it, <b>31%</b>" in glance
    assert "score lies outside" in glance
    assert "It becomes <b><bdi>other</bdi></b> if times late is 0 instead of 2." in glance


def test_that_no_feature_counts_is_said() -> None:
    row = _row()
    nothing = "No feature moves it from the case that it is compared with."
    alike = row["effects"] | {"features": [], "rest": {"n_features": 0, "effect": 0.0}}
    assert nothing in _glance(row | {"effects": alike})
    assert nothing not in _glance(row)


def test_an_outcome_of_a_decision_is_not_held_against_the_class_that_came_of_a_case() -> None:
    classes = Classes(["good", "bad"], outcomes=["approve", "decline"])
    assert classes.has("good", "bad")
    assert not classes.has("good", "decline")
    assert classes["approve"].shape != classes["decline"].shape
    row = _row()
    near = row["nearest_prototypes"][0] | {"label": "decline", "target": row["prediction"]["label"]}
    bands = [{"outcome": "approve", "below": 0.3}, {"outcome": "decline", "below": None}]
    decision = {"outcome": "decline", "score_of": row["prediction"]["label"], "score": 0.9, "bands": bands}
    drawing = draw_explanation(row | {"nearest_prototypes": [near], "decision": decision}, WhyContext())
    assert "predicted <bdi>decline" not in drawing
    assert "was <bdi>" in drawing


def test_what_tells_two_rows_apart_leaves_out_what_nothing_can_change() -> None:
    row = _row()
    differences = [
        {"feature": name, "text": f"whether {name} is 1; it is 0 here", "share_of_trees": 0.5}
        for name in ("age", "job")
    ]
    contrast = {"row_id": "7", "label": "other", "proximity": 0.1, "differences": differences}
    drawing = draw_explanation(row | {"contrasts": [contrast]}, WhyContext(fixed=frozenset({"age"}))).replace(
        "<wbr>", ""
    )
    assert "whether job is 1" in drawing
    assert "whether age is 1" not in drawing


def test_a_sign_stays_with_its_number() -> None:
    assert word_parts("is -2.5 instead of pre-owned") == ["is ", "-2.5 ", "instead ", "of ", "pre-", "owned"]


def test_a_figure_of_the_rows_that_a_model_may_know_says_so_at_once() -> None:
    sets = [document("PrototypeSet")]
    known = sets[0]["result"] | {"evaluated_on": "dataset"}
    for held_out, is_said in ((False, True), (True, False)):
        columns = document("Dataset") | {"held_out": held_out}
        context = ModelContext(prototype_sets=[sets[0] | {"result": known}], columns=columns)
        drawing = draw_model(document("Model"), context).replace("<wbr>", "")
        assert ("too good, if the model was trained on them" in drawing) == is_said


def test_changes_lead_to_the_dictionary_where_nothing_is_fixed() -> None:
    change = {"feature": "x", "value": 2, "to": 0, "text": "x is 0 instead of 2"}
    option = {"changes": [change], "score": 0.1, "outcome": "other", "typicality": None}
    row = _row() | {
        "changes": {"outcome": "other", "n_features_searched": 1, "none_with_fewer": True, "options": [option]}
    }
    for fixed, is_offered in ((frozenset(), True), (frozenset({"age"}), False)):
        drawing = draw_explanation(row, WhyContext(document("Dataset"), links=Links(""), is_editable=True, fixed=fixed))
        assert ("Mark features that nobody can change" in drawing) == is_offered
