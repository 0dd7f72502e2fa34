import re

import pytest

from tests.support.sources import ROOT


@pytest.mark.parametrize("name", ["methods.md", "operations.md"])
def test_each_section_of_a_long_page_begins_with_a_sentence_that_says_what_is_in_it(name: str) -> None:
    page = re.sub(
        r"^```.*?^```", "", (ROOT / "docs" / name).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    sections = re.findall(r"^(##[^\n]*)\n\n(.*?)\n\n", page, re.DOTALL | re.MULTILINE)
    assert len(sections) == len(re.findall("^##", page, re.MULTILINE)) > 20

    assert [heading for heading, first in sections if not re.fullmatch(r"\*[^*]+\.\*", first)] == []
