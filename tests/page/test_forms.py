"""What the page requests: every form asks for what the contract has, and what a caution asks for can be done there."""

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.api import Api, csv_of, frame_of
from tests.support.browser import Watched

from .conftest import Shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_FORM = re.compile(
    r'<form class="ls-asking" data-action="request" data-path="([^"]+)" data-part="([^"]+)" '
    r'data-body="([^"]*)">(.*?)</form>',
    re.DOTALL,
)
_CHOICE = re.compile(r'<select data-field="([^"]+)".*?>(.*?)</select>', re.DOTALL)
_OPTION = re.compile(r'<option value="([^"]+)"')


def _forms(api: Api, view: str) -> list[tuple[str, str, dict[str, Any], dict[str, list[str]]]]:
    """Return path, part, body and the choices by field of each form of a view."""
    text = api.get(f"/page/parts/{view}").text
    return [
        (
            path,
            part,
            json.loads(unescape(body)),
            {name: _OPTION.findall(options) for name, options in _CHOICE.findall(inner)},
        )
        for path, part, body, inner in _FORM.findall(text)
    ]


@pytest.fixture(scope="module")
def forms(api: Api, shown: Shown) -> list[tuple[str, str, dict[str, Any], dict[str, list[str]]]]:
    of = shown.registered
    views = (
        f"models/{of.model['id']}",
        f"prototypes/{of.prototype_set['id']}",
        f"rules/{shown.rule_set['id']}",
        f"explainers/{shown.explainer}",
        f"explainers/{shown.explainer}/report?row={shown.row}",
    )
    return [form for view in views for form in _forms(api, view)]


def test_every_choice_of_a_form_is_one_of_the_contract(api: Api, forms: list[Any]) -> None:
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it takes a second to load

    contract = api.get("/openapi.json").json()
    for path, _, body, choices in forms:
        reference = contract["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        known = contract["components"]["schemas"][reference.rpartition("/")[2]]["properties"]
        assert known.keys() >= body.keys() | choices.keys(), path
        for name, values in choices.items():
            validator = Draft202012Validator({**known[name], "components": contract["components"]})
            assert [value for value in values if not validator.is_valid(value)] == [], (path, name)


def test_a_model_a_prototype_set_and_an_explainer_offer_what_comes_next(forms: list[Any]) -> None:
    paths = {path for path, *_ in forms}
    assert paths >= {
        "/v1/prototype-sets",
        "/v1/rule-sets",
        "/v1/approximation-trees",
        "/v1/label-audits",
        "/v1/maps",
        "/v1/explainers",
        "/v1/reports",
    }


def test_a_caution_is_answered_where_it_stands_by_keyboard(tab: Watched, shown: Shown, api: Api) -> None:
    of = shown.registered
    rows = csv_of(frame_of(of.fitted).iloc[1::2])
    target = of.dataset["target"]
    new = api.upload("/v1/datasets", rows, {"target": target, "held_out": True, "name": "new rows"}).json()["id"]
    tab.open(shown.address(f"evaluations/{shown.evaluation['id']}"), ".ls-evaluation")
    note = tab.page.locator(".ls-note:has(form)")
    assert "where it was trained on these rows" in note.inner_text()
    note.locator("select").select_option(label="new rows (held out)")
    while not note.locator("button").evaluate("button => button === document.activeElement"):
        tab.page.keyboard.press("Tab")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector(".ls-evaluation >> text=declared as held out")
    made = api.get(f"/v1/evaluations/{tab.page.url.rpartition('/')[2]}").json()
    assert made["request"]["dataset"] == new
    assert note.count() == 0


def test_a_report_may_leave_out_the_evaluation(forms: list[Any]) -> None:
    of_model, of_row = [choices for path, *_, choices in forms if path == "/v1/reports"]
    assert "none" in of_model["evaluation"]
    assert "none" in of_row["evaluation"]


def test_an_explainer_and_a_report_are_made_where_one_stands(browser: "Browser", shown: Shown, api: Api) -> None:
    tab = Watched(browser.new_page())
    tab.open(shown.address(f"prototypes/{shown.registered.prototype_set['id']}"), ".ls-set")
    form = tab.page.locator('form[data-path="/v1/explainers"]')
    form.locator('[data-field="name"]').fill("made on the page")
    form.locator("button").click()
    tab.page.wait_for_selector(".ls-explainer")
    made = api.get(f"/v1/explainers/{tab.page.url.rpartition('/')[2]}").json()
    assert (made["name"], made["prototype_set"]) == ("made on the page", shown.registered.prototype_set["id"])
    form = tab.page.locator('form[data-path="/v1/reports"]')
    form.locator('[data-field="title"]').fill("May we use it?")
    form.locator('[data-field="rows"]').fill(f"{shown.row}, 3")
    form.locator('[data-field="author"]').fill("A. Reviewer")
    form.locator('[data-field="verdict"]').fill("Approved for a year.")
    form.locator("button").click()
    tab.page.wait_for_url("**/reports/**")
    report = api.get(f"/v1/reports/{tab.page.url.rpartition('/')[2]}").json()
    assert report["request"]["rows"] == [shown.row, "3"]
    assert (report["request"]["author"], report["request"]["verdict"]) == ("A. Reviewer", "Approved for a year.")
    tab.close()
