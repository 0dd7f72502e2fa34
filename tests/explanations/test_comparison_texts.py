"""Summaries of comparisons read as a person writes: numbers without exponents, higher and lower rather than signs."""

import pytest

from explanations.comparison_texts import summary_of_models
from schemas.comparisons import ModelChange


@pytest.mark.parametrize(
    ("mean_difference", "words"),
    [(12345.6, "being 12,346 higher."), (-0.25, "being 0.25 lower."), (0.0, "being as high as the model's.")],
)
def test_values_of_two_models_are_higher_or_lower(mean_difference: float, words: str) -> None:
    changed = ModelChange(
        compared_by="values",
        n_changed=None,
        share_changed=None,
        interval=None,
        changes=[],
        mean_difference=mean_difference,
        mean_absolute_difference=23456.7,
        n_rows_checked=50,
        regions=[],
        prototypes=[],
        neighbors=None,
        rows=[],
    )

    summary = summary_of_models(changed, 1000)

    assert summary.startswith("The values of 1,000 rows differ by 23,457 on average, the other model's ")
    assert words in summary
