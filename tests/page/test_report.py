"""The view of a report: what is filed, and whether it is drawn the same today."""

from tests.support.api import Api
from tests.support.browser import Watched

from .conftest import Shown


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
