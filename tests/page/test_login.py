"""The page of a service that requires keys: it requests one, keeps it in its tab, and forgets it."""

from typing import TYPE_CHECKING

import pytest

from tests.support.api import csv_of, frame_of
from tests.support.browser import Watched
from tests.support.guarded import Guarded
from tests.support.models import fitted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload

_REFUSED = ("401", "403")


def _log_in(tab: Watched, key: str) -> None:
    tab.page.fill("#key", key)
    tab.page.press("#key", "Enter")


def test_a_key_opens_the_page_for_all_tabs_until_it_is_locked(browser: "Browser", guarded: Guarded) -> None:
    context = browser.new_context()
    first = Watched(context.new_page(), _REFUSED)
    first.open(f"{guarded.url}/ui/", "dialog[open]")
    _log_in(first, "lsk_wrong")
    first.page.wait_for_selector("text=This key is not known")
    _log_in(first, guarded.keys["read"])
    first.page.wait_for_selector(".ls-overview")

    second = Watched(context.new_page(), _REFUSED)
    second.open(f"{guarded.url}/ui/", ".ls-overview")

    second.page.click("#lock")
    second.page.wait_for_selector("dialog[open]")
    first.page.wait_for_selector("dialog[open]")
    assert guarded.keys["read"] not in first.page.url
    first.close()
    second.close()
    context.close()


def test_a_program_with_a_key_opens_the_page_by_a_code_that_works_once(browser: "Browser", guarded: Guarded) -> None:
    code = guarded.call("POST", "/page/codes", guarded.keys["read"]).json()["code"]
    address = f"{guarded.url}/ui/#/?code={code}"
    tab = Watched(browser.new_context().new_page(), _REFUSED)
    tab.open(address, ".ls-overview")
    assert code not in tab.page.url
    other = Watched(browser.new_context().new_page(), (*_REFUSED, "404"))
    other.open(address, "dialog[open]")
    tab.close()
    other.close()


@pytest.mark.long
def test_a_key_without_the_scope_is_told_which_is_missing(browser: "Browser", guarded: Guarded) -> None:
    tab = Watched(browser.new_context().new_page(), _REFUSED)
    tab.open(f"{guarded.url}/ui/#/explainers/xpl_nothing/rows/0", "dialog[open]")
    _log_in(tab, guarded.keys["read"])
    tab.page.wait_for_selector("text=/this needs the scope .*explain/")
    tab.close()


def test_every_form_says_beside_it_which_scope_the_key_lacks(browser: "Browser", guarded: Guarded) -> None:
    api, model = guarded.api("read", "write"), fitted("decision_tree_binary")
    names = {"feature_names": list(model.rows.names), "ensemble": "other", "name": "not for readers"}
    of_model = api.upload("/v1/models", model.onnx, names).json()["id"]
    rows = csv_of(frame_of(model))
    api.upload("/v1/datasets", rows, {"target": "t"})
    tab = Watched(browser.new_context().new_page(), _REFUSED)
    tab.open(f"{guarded.url}/ui/#/models/{of_model}", "dialog[open]")
    _log_in(tab, guarded.keys["read"])
    tab.page.wait_for_selector(".ls-model")

    forms = tab.page.locator('form[data-action="request"]')
    assert forms.count() > 4
    for form in forms.all():
        form.locator("button").click()
        said = form.locator("xpath=..").locator("[data-problem]")
        said.filter(has_text="this needs the scope write; the key").wait_for()
        said.evaluate("place => { place.textContent = ''; }")

    tab.open(f"{guarded.url}/ui/#/register", ".ls-registration")
    upload = tab.page.locator('[data-upload="/v1/datasets"]')
    file: FilePayload = {"name": "rows.csv", "mimeType": "text/csv", "buffer": rows}
    upload.locator('[type="file"]').set_input_files([file])
    upload.locator("button").click()
    upload.locator("[data-problem]:has-text('this needs the scope write')").wait_for()
    tab.close()


def test_files_of_the_page_need_no_key(guarded: Guarded) -> None:
    for path in ("/", "/ui", "/ui/", "/ui/shell.js"):
        assert guarded.call("GET", path).status_code in {200, 307}


def test_from_login_to_stored_decisions_by_keyboard_alone(browser: "Browser", guarded: Guarded) -> None:
    api, model = guarded.api("read", "write", "review"), fitted("decision_tree_binary")
    names = {"feature_names": list(model.rows.names), "ensemble": "other"}
    frame = frame_of(model)
    frame.loc[:29, "t"] = 1 - frame.loc[:29, "t"]
    about = {
        "model": api.upload("/v1/models", model.onnx, names).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame), {"target": "t"}).json()["id"],
    }
    audit = api.made("/v1/label-audits", about)
    path = f"/v1/label-audits/{audit['id']}"
    queue = [row for row in api.pages(f"{path}/content", 1000) if row["suggested_label"] is not None]

    tab = Watched(browser.new_context().new_page(), _REFUSED)
    tab.open(f"{guarded.url}/ui/", "dialog[open]")
    keys = tab.page.keyboard
    keys.type(guarded.new_key("reviewer", "read", "review"))
    keys.press("Enter")
    tab.page.wait_for_selector(".ls-overview")
    keys.type(f"/{audit['id']}")
    keys.press("Enter")
    tab.page.wait_for_selector(".ls-audit")
    link = tab.page.locator("a", has_text="Review them one by one")
    while not link.evaluate("element => element === document.activeElement"):
        keys.press("Tab")
    keys.press("Enter")

    def shown(row: int) -> str:
        return f'.ls-review[data-row="{row}"]'

    tab.page.wait_for_selector(shown(queue[0]["row"]))
    keys.press("a")
    tab.page.wait_for_selector(shown(queue[1]["row"]))
    keys.press("u")
    tab.page.wait_for_selector(shown(queue[2]["row"]))
    keys.press("r")
    keys.press("ArrowDown")
    tab.page.wait_for_selector(shown(queue[3]["row"]))
    keys.press("z")
    tab.page.wait_for_selector(shown(queue[2]["row"]))
    keys.press("l")
    tab.page.wait_for_selector(shown(queue[1]["row"]))
    keys.press("k")
    tab.page.wait_for_selector(shown(queue[2]["row"]))

    assert f"2 of {len(queue)}" in tab.page.locator(".ls-review .ls-lead").inner_text()
    in_force = api.get(f"{path}/decisions?latest=true").json()["data"]
    assert [(each["row"], each["decision"]) for each in in_force] == [
        (queue[1]["row"], "keep"),
        (queue[0]["row"], "accept"),
    ]
    assert len(api.get(f"{path}/decisions").json()["data"]) == 5
    with tab.page.expect_download() as saved:
        tab.page.locator('[data-export="csv"]').focus()
        keys.press("Enter")
    assert saved.value.suggested_filename == "labels.csv"
    tab.close()
