"""A real Chromium: Debian's package, driven by playwright.

Its headless shell where that is installed, too: the same engine, without tabs and menus that nobody sees, takes a third
of the processor time.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from .patience import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_REQUIRED = "LEAFSPACE_REQUIRE_BROWSER"
_WITHOUT_SANDBOX = "--no-sandbox"  # as root, which tests in containers are, Chromium does not start otherwise


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Yield a browser; where there is none, the test skips and says so, unless it is required."""
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    try:
        from playwright.sync_api import sync_playwright  # where it is installed
    except ModuleNotFoundError:
        _leave("playwright is not installed: make browser")
    if executable is None:
        _leave("there is no Chromium: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=[_WITHOUT_SANDBOX])
        yield browser
        browser.close()


def _leave(reason: str) -> None:
    if os.environ.get(_REQUIRED):
        pytest.fail(f"{_REQUIRED} is set, and {reason}")
    pytest.skip(reason)


class Watched:
    """A tab whose console is watched: any error or report of the policy fails the test."""

    def __init__(self, page: "Page", expected: tuple[str, ...] = ()) -> None:
        page.set_default_timeout(1000 * PATIENCE_SECONDS)
        self.page = page
        self._expected = expected  # texts of errors that a test provokes
        self.errors: list[str] = []
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and not any(known in text for known in self._expected):
            self.errors.append(text)

    def open(self, address: str, selector: str) -> None:
        """Go to an address of the page, and wait for what it shows."""
        self.page.goto(address)
        self.page.wait_for_selector(selector)

    def close(self) -> None:
        """Close the tab; fail where its console had errors."""
        self.page.close()
        assert self.errors == [], self.errors
