"""The page of a service that requires keys: it asks for one, keeps it in its tab, and forgets it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import Watched
from tests.support.guarded import Guarded, serving_with_keys

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_REFUSED = ("401", "403")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with serving_with_keys(tmp_path_factory.mktemp("guarded") / "data") as found:
        yield found


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


def test_a_key_without_the_scope_is_told_which_is_missing(browser: "Browser", guarded: Guarded) -> None:
    tab = Watched(browser.new_context().new_page(), _REFUSED)
    tab.open(f"{guarded.url}/ui/#/explainers/xpl_nothing/rows/0", "dialog[open]")
    _log_in(tab, guarded.keys["read"])
    tab.page.wait_for_selector("text=this needs the scope explain")
    tab.close()


def test_views_need_the_scopes_of_what_they_show(guarded: Guarded) -> None:
    views = {"/page/parts/overview": "read", "/page/parts/models/mdl_1": "read"}
    views |= {"/page/parts/explainers/xpl_1/rows/0": "explain", "/page/parts/questions/apt_1": "explain"}
    for path, scope in views.items():
        assert guarded.call("GET", path).status_code == 401
        for held, key in guarded.keys.items():
            status = guarded.call("GET", path, key).status_code
            assert (status not in {401, 403}) == (held == scope), (path, held, status)
    for path in ("/", "/ui", "/ui/", "/ui/shell.js"):
        assert guarded.call("GET", path).status_code in {200, 307}
