from scripts.manual.index_entries import with_index_entries
from tests.support.sources import ROOT

_TABLE = "| word | here |\n|---|---|\n"


def test_the_terms_of_a_table_are_entries_above_it() -> None:
    rows = "| **counterfactual, what-if** | A **change**. |\n| **GPU** | None. |\n"
    found = with_index_entries(f"# Glossary\n\n{_TABLE}{rows}\nText.\n")
    assert found == f"# Glossary\n\n```{{index}} counterfactual, what-if, GPU\n```\n\n{_TABLE}{rows}\nText.\n"


def test_tables_without_terms_stay_as_they_are() -> None:
    page = f"{_TABLE}| word | **here** |\n"
    assert with_index_entries(page) == page


def test_words_that_others_use_are_entries_of_the_glossary() -> None:
    found = with_index_entries((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))
    entries = {each.strip() for line in found.splitlines() if "{index}" in line for each in line[10:].split(",")}
    assert {"what-if", "waterfall", "fairness", "threshold", "proximity", "prototype"} <= entries
