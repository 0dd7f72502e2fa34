"""Notices: what a letter says about a decision, and what it never does."""

from typing import Any

from leafspace_drawings import draw_letter
from leafspace_drawings.notice import notice_of

Json = dict[str, Any]

_REFERENCE = {"kind": "contrast", "row_id": "loan-813", "outcome": "approve", "outcome_text": "approved", "score": 0.1}
_CHANGED = [{"feature": "late", "value": 2, "to": 0, "text": "times late is 0 instead of 2"}]


def _row(**more: Any) -> Json:
    decision = {"outcome": "decline", "outcome_text": "declined <at once>", "score_of": "bad", "score": 0.68}
    reasons = [{"feature": "late", "code": "R7", "text": "Payments were late"}, {"feature": "age_*", "text": "age_*"}]
    effects = {"reference": _REFERENCE, "features": [], "principal_reasons": reasons}
    changes = {"outcome": "approve", "outcome_text": "approved", "options": [{"changes": _CHANGED, "score": 0.1}]}
    near = [{"row_id": "loan-813", "label": "approve", "proximity": 0.4, "reasons": []}]
    row = {"row_id": "4711", "status": "ok", "decision": decision, "effects": effects, "changes": changes}
    return row | {"prediction": {"task": "classification", "label": "bad"}, "nearest_prototypes": near} | more


def test_a_letter_has_the_outcome_its_reasons_and_what_would_change_it() -> None:
    letter = notice_of(_row(), "Your loan")
    assert letter.reasons == ("Payments were late (R7)", "age_*")
    assert letter.changes == ("times late is 0 instead of 2",)
    assert letter.markdown.splitlines()[:5:2] == [
        "# Your loan",
        r"The decision is: declined \<at once\>.",
        "## Principal reasons",
    ]
    assert r"2. age\_\*" in letter.markdown
    assert "After this change, all else as it is, the decision of the same model would be: approved." in letter.markdown
    assert "a typical case whose decision is: approved" in letter.html


def test_beside_a_letter_stands_on_the_screen_what_is_missing_of_the_case_and_what_it_is_warned_of() -> None:
    values = [{"feature": "late", "value": None}, {"feature": "age", "value": 41}]
    warnings = [{"code": "unseen_category", "detail": "'Mars' is in no reference row"}]
    view = draw_letter(_row(values=values, warnings=warnings), "", "#/why")
    outside, sheet = view[: view.index("ls-sheet")], view[view.index("ls-sheet") :]
    assert "1 value of the case is missing" in outside
    assert "&#39;Mars&#39; is in no reference row." in outside
    assert outside.count("ls-warn ls-on-screen") == 2
    assert "missing" not in sheet
    assert "Mars" not in sheet


def test_a_letter_names_no_other_case() -> None:
    letter = notice_of(_row())
    texts = (letter.markdown, letter.html, draw_letter(_row(), "", "#/why"))
    assert not [text for text in texts if "813" in text]
    assert not [text for text in texts[1:] if "<at once>" in text]


def test_a_letter_about_an_outcome_that_is_not_adverse_is_its_outcome_and_the_view_says_why() -> None:
    row = _row(effects={"reference": _REFERENCE, "features": []})
    letter = notice_of(row)
    assert letter.outcome == "The decision is: declined <at once>."
    assert not letter.compared
    assert not letter.remark
    assert "states no reasons and no changes, as neither" in draw_letter(row, "", "#/why")
    assert "states no reasons" not in draw_letter(_row(), "", "#/why")


def test_a_letter_advises_nobody_to_leave_a_value_out() -> None:
    left_out = [{"feature": "income", "value": 40, "to": None, "text": "income is missing instead of 40"}]
    options = [{"changes": left_out, "score": 0.1}, {"changes": [*_CHANGED, *left_out], "score": 0.1}]
    changes = {"outcome": "approve", "outcome_text": "approved", "options": options}
    assert notice_of(_row(changes=changes)).changes == ()
    assert notice_of(_row(changes=changes)).remark.startswith("No single change was found")
    changes["options"] = [*options, {"changes": _CHANGED, "score": 0.1}]
    assert notice_of(_row(changes=changes)).changes == ("times late is 0 instead of 2",)


def test_reasons_are_not_said_to_count_most_of_all_where_a_protected_feature_may() -> None:
    def row(age: float) -> Json:
        features = [
            {"feature": "age", "feature_text": "age in years", "protected": True, "effect": age},
            {"feature": "late", "effect": -0.2},
        ]
        reasons = [{"feature": "late", "text": "Payments were late"}]
        return _row(effects={"reference": _REFERENCE, "features": features, "principal_reasons": reasons})

    assert notice_of(row(-0.5)).compared == (
        "Of all that may be named as a reason, this counted most in a comparison with a typical case whose decision "
        "is: approved."
    )
    beside = draw_letter(row(-0.5), "", "#/why")
    assert "the letter does not name them: <bdi>age in years</bdi>" in beside[: beside.index("ls-sheet")]
    assert "age in years" not in beside[beside.index("ls-sheet") :]
    for age in (-0.1, 0.5):
        assert "age in years" not in draw_letter(row(age), "", "#/why")


def test_where_no_feature_speaks_for_an_adverse_outcome_a_letter_says_so() -> None:
    letter = notice_of(_row(effects={"reference": _REFERENCE, "features": [], "principal_reasons": []}))
    assert letter.outcome.endswith(" No feature that may be named as a reason speaks for it.")
    assert not letter.reasons


def test_where_no_change_was_found_a_letter_says_so() -> None:
    letter = notice_of(_row(changes={"outcome": "approve", "options": []}))
    assert letter.remark == "No single change was found after which the decision would be: approve."


def test_a_value_that_decides_nothing_is_no_decision() -> None:
    row = _row(prediction={"task": "regression", "value": 0.5}, decision=None)
    assert notice_of(row).outcome == "The predicted value is: 0.5."
