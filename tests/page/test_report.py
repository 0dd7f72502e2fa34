"""The view of a report: what is filed, and whether it is drawn the same today."""

import re
from typing import TYPE_CHECKING

from tests.support.api import Api
from tests.support.browser import Watched

from .conftest import Shown

if TYPE_CHECKING:
    from playwright.sync_api import Route


def test_a_report_is_shown_as_it_is_filed_and_verified(api: Api, shown: Shown, tab: Watched) -> None:
    request = {"title": "For the board", "explainer": shown.explainer, "rows": [shown.row]}
    made = api.made("/v1/reports", request)
    tab.open(shown.address(f"reports/{made['id']}"), ".ls-filed")
    words = tab.page.locator("main").inner_text()
    assert "For the board" in words
    assert made["result"]["sha256"] in words
    tab.page.click("text=Draw it again and compare")
    tab.page.wait_for_selector("text=it is the same byte for byte")
    tab.page.set_viewport_size({"width": 390, "height": 800})
    filed = tab.page.locator(".ls-filed-file").bounding_box()
    assert filed is not None
    assert filed["x"] + filed["width"] <= 390


def test_a_map_that_was_filed_without_words_is_shown_with_labels_as_they_are(
    api: Api, shown: Shown, tab: Watched
) -> None:
    request = {"title": "Older", "explainer": shown.explainer, "map": shown.map_id}
    made = api.made("/v1/reports", request)

    def as_filed_before(route: "Route") -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r' data-words="[^"]*"', "", answer.text()))

    tab.page.route("**/page/parts/reports/**", as_filed_before)
    tab.open(shown.address(f"reports/{made['id']}"), ".ls-map canvas")
    canvas = tab.page.locator(".ls-map canvas")
    canvas.focus()
    canvas.press("ArrowRight")
    assert tab.page.locator(".ls-named").inner_text().startswith("row ")
