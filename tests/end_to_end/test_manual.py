"""The tutorial and the how-to guides do what they show: their blocks run as readers would run them, and print the same.

After a change of output, ``LEAFSPACE_TEST_WRITE_PAGES=1 pytest tests/end_to_end/test_manual.py`` writes the pages.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.page_sessions import with_outputs
from tests.support.serving import Service, serving
from tests.support.sources import ROOT, name_of

_PAGES = [ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
_WIDTH, _HEIGHT = 1100, 1110  # down to the end of the effects
_LIGHT = "--blink-settings=preferredColorScheme=1"
_NOT_RUN_HERE = {"index.md", "python.md"}  # a list of links; the client's README, which has tests of its own


@pytest.fixture(scope="module")
def fresh_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service in which nobody has registered words or names before, as readers have it."""
    with serving(tmp_path_factory.mktemp("manual") / "data") as service:
        yield service


def _take_picture(file: Path) -> None:
    """Take the picture of a decision that README and manual show, if this page saved it and there is a Chromium."""
    chromium = shutil.which("chromium")
    if chromium and file.exists():
        picture = ROOT / "docs" / "images" / "decision.png"
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--window-size={_WIDTH},{_HEIGHT}",
        ]
        subprocess.run([chromium, *options, _LIGHT, f"--screenshot={picture}", file.as_uri()], check=True)


@pytest.mark.parametrize("page", [page for page in _PAGES if page.name not in _NOT_RUN_HERE], ids=name_of)
def test_a_page_prints_what_it_shows(page: Path, fresh_service: Service, tmp_path: Path) -> None:
    written = page.read_text(encoding="utf-8")

    printed = with_outputs(written, fresh_service.url, tmp_path)

    if "LEAFSPACE_TEST_WRITE_PAGES" in os.environ:
        page.write_text(printed, encoding="utf-8")
        _take_picture(tmp_path / "decision.html")
    assert printed == written
