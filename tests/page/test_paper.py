"""What leaves the view of a row: a letter, a text that is copied, and a report."""

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from leafspace_drawings.notice import notice_of

from tests.support.api import Api
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


def test_a_report_of_the_row_is_made_from_its_view(tab: Watched, shown: Shown, api: Api) -> None:
    tab.open(shown.address(f"explainers/{shown.explainer}/rows/{shown.row}"), ".ls-why")
    tab.page.click("text=Make a report of it")
    tab.page.wait_for_selector(".ls-filed")
    report = api.get(f"/v1/reports/{tab.page.url.rpartition('/')[2]}").json()
    assert report["request"]["rows"] == [shown.row]


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
