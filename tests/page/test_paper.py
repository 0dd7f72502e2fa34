"""What leaves the view of a row: a letter, a text that is copied, and a report."""

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from leafspace_drawings.notice import notice_of

from tests.support.api import Api, Json, csv_of, frame_of
from tests.support.browser import Watched

from .conftest import Shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_letter_is_headed_copied_and_left(browser: "Browser", shown: Shown, api: Api) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = Watched(context.new_page())
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    tab.page.click("text=A letter about it")
    tab.page.wait_for_selector(".ls-letter")
    heading = tab.page.locator('[data-parameter="letter"]')
    heading.fill("Your application & its end")
    heading.press("Enter")
    tab.page.wait_for_selector("h1 >> text=Your application & its end")
    assert parse_qs(tab.page.url.partition("?")[2])["letter"] == ["Your application & its end"]
    tab.page.click("text=Copy as text")
    tab.page.wait_for_selector("#said >> text=Copied")

    request = {"dataset": shown.registered.dataset["id"], "row_ids": [shown.row], "include": ["changes"]}
    row = api.post(f"/v1/explainers/{shown.explainer}/explanations", request).json()["data"][0]
    letter = notice_of(row, "Your application & its end")
    copied = tab.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[:2] == [letter.title, letter.outcome]
    assert [line[2:] for line in copied if line.startswith("- ")] == list(letter.changes)
    tab.page.click("text=Back to why")
    tab.page.wait_for_selector(".ls-why")
    tab.close()
    context.close()


def test_a_letter_is_about_the_row_as_it_is_changed(tab: Watched, shown: Shown) -> None:
    name = shown.registered.model["feature_names"][0]
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}?set.{name}=0.5"), ".ls-changed")
    tab.page.click("text=A letter about it")
    tab.page.wait_for_selector(".ls-letter")
    assert f"with other values of {name}" in tab.page.locator(".ls-sheet").inner_text()
    back = tab.page.locator("text=Back to why").get_attribute("href") or ""
    assert parse_qs(back.partition("?")[2])[f"set.{name}"] == ["0.5"]


def _predicted(shown: Shown, api: Api) -> str:
    request = {"dataset": shown.registered.dataset["id"], "row_ids": [shown.row]}
    answer = api.post(f"/v1/explainers/{shown.explainer}/explanations", request).json()["data"][0]
    return str(answer["prediction"]["label"])


def test_the_text_that_is_copied_says_what_was_decided_and_why(browser: "Browser", shown: Shown, api: Api) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = Watched(context.new_page())
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    tab.page.click("text=Copy as text")
    tab.page.wait_for_selector("#said >> text=Copied")
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    lines = copied.splitlines()
    assert lines[0] == f"Why is row {shown.row} predicted as {_predicted(shown, api)}?"
    assert "By how much each feature counts" in lines
    assert any(line.startswith("- ◆ this row") for line in lines)
    assert "Copy as" not in copied
    tab.close()
    context.close()


def _filed(tab: Watched, api: Api) -> tuple[Json, str]:
    """Return the report that is made by the form that is shown, and its words."""
    tab.page.click("text=Make a report of it")
    tab.page.wait_for_selector(".ls-forms")
    tab.page.click(".ls-forms button")
    tab.page.wait_for_selector(".ls-filed")
    made: Json = api.get(f"/v1/reports/{tab.page.url.rpartition('/')[2]}").json()
    return made, tab.page.locator("main").inner_text()


def _parts_of(report: Json) -> list[str]:
    return [part["name"] for part in report["result"]["parts"]]


def test_a_report_of_the_row_begins_with_the_row_alone(tab: Watched, shown: Shown, api: Api) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    report, words = _filed(tab, api)
    assert report["request"]["rows"] == [shown.row]
    assert _parts_of(report) == ["request", "summary", "rows", "methods", "limits", "manifest"]
    assert f"Row “{shown.row}”: " in words


def test_more_is_added_to_the_report_of_a_row_in_its_form(tab: Watched, shown: Shown, api: Api) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/report?row={shown.row}"), ".ls-forms")
    tab.page.check("text=its prototypes")
    tab.page.select_option('[data-field="rule_set"]', shown.rule_set["id"])
    tab.page.fill('[data-field="verdict"]', "As it should be.")
    tab.page.click(".ls-forms button")
    tab.page.wait_for_selector(".ls-filed")
    report = api.get(f"/v1/reports/{tab.page.url.rpartition('/')[2]}").json()
    assert _parts_of(report)[2:5] == ["prototypes", "rules", "rows"]
    assert report["request"]["verdict"] == "As it should be."


def test_a_new_row_is_filed_by_its_values_under_the_name_that_it_is_given(tab: Watched, shown: Shown, api: Api) -> None:
    names = shown.registered.model["feature_names"]
    values = {name: 0.5 + number for number, name in enumerate(names)}
    of = urlencode({f"of.{name}": value for name, value in values.items()})
    tab.open(shown.address(f"explainers/{shown.explainer}/new-row?{of}&set.{names[0]}=0.25"), ".ls-why")
    tab.page.click("text=Make a report of it")
    tab.page.wait_for_selector(".ls-forms")
    tab.page.fill('[data-field="instance_ids"]', "Doe, Jane")
    tab.page.click(".ls-forms button")
    tab.page.wait_for_selector(".ls-filed")
    report = api.get(f"/v1/reports/{tab.page.url.rpartition('/')[2]}").json()
    assert report["request"]["instances"] == [{**values, names[0]: 0.25}]
    words = tab.page.locator("main").inner_text()
    assert "Why is the new row Doe, Jane predicted as" in words
    assert "This row came by its values" in words
    tab.page.click("text=Draw it again and compare")
    tab.page.wait_for_selector("text=it is the same byte for byte")


def test_a_row_with_other_values_and_one_of_another_dataset_are_filed_as_they_are_shown(
    tab: Watched, shown: Shown, api: Api
) -> None:
    name = shown.registered.model["feature_names"][0]
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}?set.{name}=0.5"), ".ls-changed")
    report, words = _filed(tab, api)
    (values,) = report["request"]["instances"]
    assert values[name] == 0.5
    assert f"the new row {shown.row} with other values" in words
    later = csv_of(frame_of(shown.registered.fitted).iloc[:5])
    dataset = api.upload("/v1/datasets", later, {"target": shown.registered.dataset["target"], "name": "later"}).json()
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/4?dataset={dataset['id']}"), ".ls-why")
    report, words = _filed(tab, api)
    assert report["request"]["rows_dataset"] == dataset["id"]
    assert "This row is of “later”, and not of the reference data." in words


_FOR_WORK = ("register", "rows", "reviews", "explainers/", "dictionary")  # where people search, type and decide
_WIDTH_OF_A4 = 703  # CSS pixels between margins of 12 mm
_CUT_OFF = """() => [...document.querySelectorAll("main .ls-scroll, main .ls-card, main td, main th")]
  .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.className} ${each.innerText.slice(0, 60)}`)"""
_CONTROLS = """() =>
  [...document.querySelectorAll("main :is(select, textarea, .ls-asking, button:not(.ls-near button))")]
  .filter((each) => each.checkVisibility()).map((each) => each.outerHTML.slice(0, 80))"""


def test_no_view_is_cut_off_on_paper_or_prints_what_can_only_be_clicked(tab: Watched, shown: Shown) -> None:
    tab.page.set_viewport_size({"width": _WIDTH_OF_A4, "height": 1000})
    found: dict[str, list[str]] = {}
    to_read = {
        f"explainers/{shown.explainer}/rows/{shown.row}",
        f"explainers/{shown.explainer}/rows/{shown.row}?letter=",
    }
    views = {view: it for view, it in shown.views().items() if view in to_read or not view.startswith(_FOR_WORK)}
    for view, selector in views.items():
        tab.page.emulate_media(media="screen")
        tab.open(shown.address(view), selector)
        tab.page.emulate_media(media="print")
        found[view] = tab.page.evaluate(_CUT_OFF) + tab.page.evaluate(_CONTROLS)
    assert {view: faults for view, faults in found.items() if faults} == {}
