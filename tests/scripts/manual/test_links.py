import pytest

from scripts.manual.links import with_links_to_repository
from tests.support.sources import ROOT

_REPOSITORY = "https://github.com/leafspace/leafspace"


@pytest.mark.parametrize(
    ("link", "in_the_manual"),
    [
        ("methods.md#leaves", "methods.md#leaves"),
        ("images/why.png", "images/why.png"),
        ("#here", "#here"),
        ("https://example.org/a", "https://example.org/a"),
        ("../README.md#running-it", f"{_REPOSITORY}/blob/main/README.md#running-it"),
        ("../deploy/kubernetes", f"{_REPOSITORY}/tree/main/deploy/kubernetes"),
    ],
)
def test_links_out_of_the_pages_lead_to_the_repository(link: str, in_the_manual: str) -> None:
    page = f"a [link]({link}), and [another]({link})"

    found = with_links_to_repository(page, ROOT / "docs", ROOT / "docs")

    assert found == f"a [link]({in_the_manual}), and [another]({in_the_manual})"
