"""A row that is not in the data: its form, rows that are pasted, and what-if from there."""

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from tests.support.api import Api
from tests.support.browser import Watched

from .conftest import Shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def _form(shown: Shown) -> str:
    return shown.address(f"explainers/{shown.explainer}/form")


def _rows(shown: Shown, api: Api, n: int) -> list[dict[str, float]]:
    """Return values by feature of the first rows of the reference data."""
    rows = api.get(f"/v1/datasets/{shown.registered.dataset['id']}/rows?limit={n}").json()["data"]
    names = shown.registered.model["feature_names"]
    values = [{cell["name"]: cell["value"] for cell in row["values"]} for row in rows]
    return [{name: of[name] for name in names} for of in values]


def test_a_row_is_pasted_opened_changed_and_shared_by_its_address(tab: Watched, shown: Shown, api: Api) -> None:
    rows = _rows(shown, api, 2)
    names = list(rows[0])
    lines = [names, *([str(value) for value in row.values()] for row in rows)]
    tab.open(_form(shown), ".ls-new-row")
    tab.page.fill("#ls-pasted", "\n".join("\t".join(line) for line in lines))
    tab.page.click('[data-action="paste"]')
    tab.page.wait_for_selector(".ls-pasted")
    assert tab.page.locator(".ls-pasted tbody tr").count() == len(rows)
    tab.page.locator(".ls-pasted a").last.click()
    tab.page.wait_for_selector(".ls-why")

    address = parse_qs(tab.page.url.partition("?")[2])
    assert {name: float(address[f"of.{name}"][0]) for name in names} == rows[1]
    answer = api.post(f"/v1/explainers/{shown.explainer}/explanations", {"instances": [rows[1]]}).json()["data"][0]
    assert answer["prediction"]["label"] in tab.page.locator(".ls-three > div").first.inner_text()

    changed = [tab.page.locator(f'[data-feature="{name}"]').first for name in names[:2]]
    for field in changed:
        field.evaluate("field => field.closest('details')?.setAttribute('open', '')")
        field.fill("3.25")
        field.press("Enter")
        tab.page.wait_for_selector(f".ls-changed >> text={field.get_attribute('data-feature')}")
    note = tab.page.locator(".ls-changed").inner_text()
    assert "by each alone" in note
    assert note.count("→") == 2 * len(changed)  # the value, and the score
    tab.page.click("text=Undo all")
    tab.page.wait_for_selector(".ls-changed", state="detached")
    tab.page.click("text=Its values as a form")
    tab.page.wait_for_selector(".ls-new-row")
    assert float(tab.page.locator(f'input[name="{names[0]}"]').input_value()) == rows[1][names[0]]


def test_the_form_says_at_the_field_what_is_no_value_and_explains_the_row_when_it_is_mended(
    tab: Watched, shown: Shown, api: Api
) -> None:
    row = _rows(shown, api, 1)[0]
    tab.open(_form(shown), ".ls-new-row")
    fields = {name: tab.page.locator(f'.ls-fields [name="{name}"]') for name in row}
    for name, value in row.items():
        fields[name].fill(str(value))
    first = next(iter(row))
    fields[first].fill("12,5")
    fields[first].press("Enter")
    tab.page.wait_for_selector("[aria-invalid]")
    about = fields[first].get_attribute("aria-describedby")
    assert "'12,5' is not a finite number" in tab.page.locator(f"#{about}").inner_text()
    fields[first].fill("12.5")
    fields[first].press("Enter")
    tab.page.wait_for_selector(".ls-why")
    assert "new row" in tab.page.locator("h1").inner_text()
    assert "missing" not in tab.page.locator(".ls-why").inner_text().partition("By how much")[0]


def test_a_row_whose_columns_are_not_all_read_is_not_opened_before_that_is_said(
    tab: Watched, shown: Shown, api: Api
) -> None:
    row = _rows(shown, api, 1)[0]
    tab.open(_form(shown), ".ls-new-row")
    pasted = {f"{name} (years)" if name == next(iter(row)) else name: value for name, value in row.items()}
    tab.page.fill("#ls-pasted", json.dumps(pasted))
    tab.page.click('[data-action="paste"]')
    tab.page.wait_for_selector(".ls-pasted")
    said = tab.page.locator(".ls-pasted").inner_text()
    assert f"no such feature: {next(iter(row))} (years)" in said
    assert "No row names 1 feature" in said
    assert "/form" in tab.page.url


def test_a_pasted_row_has_its_warnings_and_an_empty_form_is_sent_back(tab: Watched, shown: Shown, api: Api) -> None:
    rows = _rows(shown, api, 2)
    first = next(iter(rows[0]))
    tab.open(_form(shown), ".ls-new-row")
    tab.page.fill("#ls-pasted", json.dumps([rows[0], {**rows[1], first: 1e9}]))
    tab.page.click('[data-action="paste"]')
    tab.page.wait_for_selector(".ls-pasted")
    warned = tab.page.locator(".ls-pasted tbody tr:has(.ls-warn) th").all_inner_texts()
    assert warned == ["2"]
    tab.page.click("text=Explain this row")
    tab.page.wait_for_selector(".ls-warn >> text=Write one value at least")


def test_what_is_no_row_is_refused_where_it_was_pasted(browser: "Browser", shown: Shown) -> None:
    tab = Watched(browser.new_page(), ("422",))
    tab.open(_form(shown), ".ls-new-row")
    for text, problem in (("", "0 rows were pasted"), ("{", "begins as JSON and is none")):
        tab.page.fill("#ls-pasted", text)
        tab.page.click('[data-action="paste"]')
        tab.page.wait_for_selector(f"[data-problem] >> text={problem}")
    tab.close()


def test_on_a_curve_the_row_moves_by_the_keyboard_and_is_explained_with_the_number_it_has_there(
    tab: Watched, shown: Shown
) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-move")
    slider = tab.page.locator(".ls-move input").first
    own, begun = slider.get_attribute("aria-valuetext"), slider.input_value()
    slider.focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):  # there is a step on one side of its own at least
        slider.press(key)
        said = tab.page.locator(".ls-move output").first.inner_text()
        if said != own:
            break
    assert slider.get_attribute("aria-valuetext") == said != own
    assert slider.input_value() != begun
    value, _, score = said.partition(": score ")
    tab.page.locator(".ls-move button").first.click()
    tab.page.wait_for_selector(".ls-changed")
    assert f"→ {value}" in tab.page.locator(".ls-changed").inner_text()
    assert f"◆ is this row, {score}" in tab.page.locator(".ls-score-curves").inner_text()


def test_the_handle_of_a_curve_stands_below_the_mark_of_the_row_and_both_move_alike(tab: Watched, shown: Shown) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-move")
    tab.page.locator(".ls-score-curves summary").click()
    sliders, handle = tab.page.locator(".ls-move input"), 16  # pixels
    for at in range(sliders.count()):
        slider = sliders.nth(at)
        mark = tab.page.locator("figure:has(.ls-move)").nth(at).locator(".ls-own")
        for key in ("", "End", "Home"):
            if key:
                slider.press(key)
            box, marked = slider.bounding_box(), mark.bounding_box()
            assert box is not None
            assert marked is not None
            low, high = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))
            value = float(slider.input_value())
            middle = box["x"] + handle / 2 + (box["width"] - handle) * (value - low) / (high - low)
            assert middle == pytest.approx(marked["x"] + marked["width"] / 2, abs=2)


def test_a_change_that_would_give_another_outcome_is_tried_and_gives_it(tab: Watched, shown: Shown, api: Api) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    request = {"dataset": shown.registered.dataset["id"], "row_ids": [shown.row], "include": ["changes"]}
    row = api.post(f"/v1/explainers/{shown.explainer}/explanations", request).json()["data"][0]
    tab.page.locator('[data-action="try"]').first.click()
    tab.page.wait_for_selector(".ls-changed")
    address = parse_qs(tab.page.url.partition("?")[2])
    made = {change["feature"]: change["to"] for change in row["changes"]["options"][0]["changes"]}
    assert {name: float(address[f"set.{name}"][0]) for name in made} == made
    assert row["changes"]["outcome"] in tab.page.locator("h1").inner_text()
