"""Cautions: what they say of figures that hardly beat a constant answer."""

from dataclasses import dataclass

import pytest

from workers.jobs.cautions import caution_of_agreement, caution_of_figures


@dataclass(frozen=True)
class Measured:
    """Agreement with a model."""

    fidelity: float | None
    balanced_fidelity: float | None
    model_prediction: str | float = "0"


_BEHIND = (
    "this agrees with the model in 96.7% of the rows, no more than always answering '0' (97.6%); with each class "
    "counted alike, this agrees with the model in 87.8% of the rows against 50.0%"
)
_HOLLOW = (
    "with each class counted alike, this agrees with the model in 50.0% of the rows, hardly more than always answering "
    "'0' (50.0%): it says little of what the model does"
)


@pytest.mark.parametrize(
    ("measured", "constant", "expected"),
    [
        (Measured(0.79, 0.75), Measured(0.70, 0.5, "good"), None),
        (Measured(0.967, 0.878), Measured(0.976, 0.5), _BEHIND),
        (Measured(0.932, 0.5), Measured(0.932, 0.5), _HOLLOW),
        (Measured(1.0, 1.0), Measured(1.0, 1.0), None),
        (Measured(None, None), Measured(None, None, 3.5), None),
    ],
    ids=["ahead", "behind_for_unequal_classes", "one_class", "the_model_gives_one_answer", "regression"],
)
def test_what_agrees_no_more_than_a_constant_answer_says_so(
    measured: Measured, constant: Measured, expected: str | None
) -> None:
    caution = caution_of_agreement(measured, constant)
    assert (None if caution is None else caution.detail) == expected
    assert caution_of_agreement(measured, None) is None


@pytest.mark.parametrize(
    ("accuracy", "r2", "are_held_out", "beginning", "is_memorised"),
    [
        (0.973, None, False, "the model predicts 97.3% of these labels: where it was trained ", False),
        (0.995, None, False, "the model predicts 99.5% of these labels: where it was trained ", True),
        (None, 0.8, False, "the model's values have an R2 of 0.800 to these rows' own: where it was ", False),
        (None, 0.96, False, "the model's values have an R2 of 0.960 to these rows' own: where it was ", True),
        (None, None, False, "these figures were measured on the rows that this was made from: where the model ", False),
        (0.995, None, True, "these figures were measured on the rows that this was made from; the dataset decl", False),
    ],
)
def test_figures_of_the_rows_that_a_result_was_made_from_always_say_so(
    accuracy: float | None, r2: float | None, are_held_out: bool, beginning: str, is_memorised: bool
) -> None:
    caution = caution_of_figures(accuracy=accuracy, r2=r2, are_held_out=are_held_out)
    assert caution.detail.startswith(beginning)
    assert ("it may have memorised them" in caution.detail) == is_memorised
    assert (caution.remedy is None) == are_held_out
