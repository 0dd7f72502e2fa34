"""Decision: bands of a score, and what is refused of them."""

import math

import pytest
from pydantic import ValidationError

from schemas.decisions import Decision

_BANDS = [{"outcome": "approve", "below": 0.12}, {"outcome": "refer", "below": 0.35}, {"outcome": "decline"}]


def test_bands_are_kept_in_their_order() -> None:
    decision = Decision.model_validate({"score_of": "bad", "bands": _BANDS, "adverse": ["decline"]})

    assert [(band.outcome, band.below) for band in decision.bands] == [
        ("approve", 0.12),
        ("refer", 0.35),
        ("decline", None),
    ]
    assert (decision.adverse, decision.best_first, decision.labels_decide) == (["decline"], True, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bands": [{"outcome": "a", "below": 1}, {"outcome": "a"}]}, "'a' is there more than once"),
        ({"bands": [{"outcome": "a"}, {"outcome": "b"}]}, "'a' has no end"),
        ({"bands": [{"outcome": "a", "below": 1}, {"outcome": "b", "below": 2}]}, "the last, 'b', has an end"),
        (
            {"bands": [{"outcome": "a", "below": 1}, {"outcome": "b", "below": 1}, {"outcome": "c"}]},
            "'b' ends no higher",
        ),
        (
            {"bands": [{"outcome": "a", "below": 2}, {"outcome": "b", "below": 1}, {"outcome": "c"}]},
            "'b' ends no higher",
        ),
        ({"bands": [{"outcome": "a", "below": 1}]}, "at least 2 items"),
        ({"bands": [{"outcome": "", "below": 1}, {"outcome": "b"}]}, "at least 1 character"),
        ({"bands": [{"outcome": "a", "below": math.nan}, {"outcome": "b"}]}, "finite number"),
        ({"bands": [{"outcome": str(i), "below": i} for i in range(20)] + [{"outcome": "x"}]}, "at most 20 items"),
        ({"bands": _BANDS, "adverse": ["deny"]}, "'deny' is the outcome of no band"),
        (
            {"bands": _BANDS, "adverse": ["approve"]},
            "'approve' has the lowest scores, the best ones",
        ),
        ({"bands": _BANDS, "adverse": ["decline"], "best_first": False}, "'decline' has the highest scores"),
        ({"bands": _BANDS, "cutoff": 0.5}, "Extra inputs"),
    ],
)
def test_a_decision_that_does_not_fit_itself_names_the_entry(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Decision.model_validate({"score_of": "bad", **change})
