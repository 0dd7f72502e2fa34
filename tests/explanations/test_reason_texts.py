"""Reasons whose ends were calculated: texts of few digits that are true of both rows."""

from typing import Any

import pytest

from explanations.reason_texts import BriefText
from tree_explainers.wording import Interval

TEXT = BriefText(
    "age is above 0.07940501378649611", "age is above 0.0794051", Interval(0.07940501378649611), Interval(0.0794051)
)


@pytest.mark.parametrize("values", [(0.1, 3.5), (0.1, 0.07), (None, 0.5), ("unknown",)])
def test_the_brief_text_is_taken_where_it_separates_the_rows_as_the_exact_one(values: tuple[Any, ...]) -> None:
    assert TEXT.of(*values) == TEXT.brief


def test_a_row_between_both_ends_takes_the_exact_text() -> None:
    assert TEXT.of(0.5, 0.07940505) == TEXT.exact
