"""The notebooks of examples/, run in a real kernel with a service of their own, and looked at in a real browser."""

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import Watched, chromium
from tests.support.notebooks import as_html, executed, printed_in, shown_in

if TYPE_CHECKING:
    from nbformat import NotebookNode

_EXAMPLES = Path(__file__).parents[2] / "examples"
_MOST_BYTES = 60_000
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def forest() -> "NotebookNode":
    return executed(_EXAMPLES / "forest.ipynb")


@pytest.fixture(scope="module")
def several_tables() -> "NotebookNode":
    return executed(_EXAMPLES / "several_tables.ipynb")


def test_every_object_of_the_forest_shows_itself(forest: "NotebookNode") -> None:
    shown = shown_in(forest)
    kinds = ("model", "dataset", "set", "rules", "tree", "tree", "why", "explanations", "audit")
    assert [re.findall(r'class="leafspace ls-(\w+)"', html)[0] for html in shown] == list(kinds)
    assert all(len(html.encode()) <= _MOST_BYTES for html in shown)
    assert "ls-strip" in shown[kinds.index("why")]
    assert "'same'" in printed_in(forest)


def test_the_planted_concept_is_found_and_printed_as_sql(several_tables: "NotebookNode") -> None:
    printed = printed_in(several_tables)
    assert "SELECT" in printed
    share = re.search(r"The SQL is right about ([\d.]+)% of the customers", printed)
    assert share is not None
    assert float(share[1]) > 95
    text = " ".join(map(_text, shown_in(several_tables)))
    assert "kind credit" in text
    assert "kind cash" in text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_notebook_reads_in_a_browser_with_its_styles(forest: "NotebookNode", tmp_path: Path, theme: str) -> None:
    page = tmp_path / "notebook.html"
    page.write_text(f'<body data-jp-theme-light="{str(theme == "light").lower()}">{as_html(forest)}</body>')
    with chromium() as browser:
        tab = Watched(browser.new_page(viewport={"width": 1280, "height": 900}))
        tab.open(page.as_uri(), ".ls-why")
        colours = {
            tab.page.locator(".ls-why").evaluate("element => getComputedStyle(element).color"),
            tab.page.locator(".ls-set").evaluate("element => getComputedStyle(element).color"),
        }
        assert colours == {"rgb(27, 36, 33)" if theme == "light" else "rgb(233, 236, 234)"}
        tab.close()


def test_a_notebook_reads_in_a_browser_without_any_style(forest: "NotebookNode", tmp_path: Path) -> None:
    page = tmp_path / "bare.html"
    bare = re.sub(r"<style\b.*?</style>", "", as_html(forest), flags=re.DOTALL)
    bare = re.sub(r' class="[^"]*"', "", bare)
    page.write_text(f"<body>{bare}</body>")
    with chromium() as browser:
        tab = Watched(browser.new_page(viewport={"width": 1280, "height": 900}))
        tab.open(page.as_uri(), "table")
        words = tab.page.locator("body").inner_text()
        for html in shown_in(forest):
            headings = [_text(found) for found in re.findall(r"<h1>.*?</h1>", html, re.DOTALL)]
            assert all(_flat(heading) in _flat(words) for heading in headings)
        tab.page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true })")
        assert tab.page.locator("table:visible").count() == tab.page.locator("table").count()
        tab.close()


def _text(html: str) -> str:
    return " ".join(
        unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style\b.*?</style>", "", html, flags=re.DOTALL))).split()
    )


def _flat(text: str) -> str:
    return re.sub(r"\W+", "", text)
