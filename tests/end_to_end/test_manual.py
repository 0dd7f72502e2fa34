"""The tutorial and the how-to guides do what they show: their blocks run as readers would run them, and print the same.

After a change of output, ``LEAFSPACE_TEST_WRITE_PAGES=1 pytest tests/end_to_end/test_manual.py`` writes the pages.
"""

import os
from pathlib import Path

import pytest

from tests.support.page_sessions import with_outputs
from tests.support.serving import Service
from tests.support.sources import ROOT, name_of

_PAGES = [ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
_NOT_RUN_HERE = {"index.md", "python.md"}  # a list of links; the client's README, which has tests of its own


@pytest.mark.parametrize("page", [page for page in _PAGES if page.name not in _NOT_RUN_HERE], ids=name_of)
def test_a_page_prints_what_it_shows(page: Path, service: Service, tmp_path: Path) -> None:
    written = page.read_text(encoding="utf-8")

    printed = with_outputs(written, service.url, tmp_path)

    if "LEAFSPACE_TEST_WRITE_PAGES" in os.environ:
        page.write_text(printed, encoding="utf-8")
    assert printed == written
