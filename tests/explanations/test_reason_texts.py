"""Reasons whose ends were calculated: texts of few digits that are true of both rows."""

from typing import Any

import numpy as np
import pytest

from explanations.brief_texts import BriefText
from explanations.reason_texts import Compared, ReasonTexts
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.printed_numbers import NumberColumn
from tree_explainers.prototype_sets.leaf_boxes import Side
from tree_explainers.prototype_sets.raw_units import share_units
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.prototype_sets.reasons import REASON
from tree_explainers.wording import Interval, short

ENDS, PRINTED = Interval(0.07940501378649611), Interval(0.0794051)
TEXT = BriefText.between("age is above 0.0794051", PRINTED, ENDS, ("age is ", ""), NumberColumn())


def test_shares_of_trees_are_rounded_as_python_rounds_each() -> None:
    halves = np.arange(20_001) / 20_000  # of a decimal, every other one
    near_halves = [np.nextafter(halves, end) for end in (0.0, 1.0)]
    shares = np.concatenate([halves, *near_halves, np.arange(33) / 32, np.random.default_rng(0).random(5_000)])

    units = [share_units(share) for share in shares.tolist()]

    assert [each / 10_000 for each in units] == [round(share, 4) for share in shares.tolist()]


@pytest.mark.parametrize("values", [(0.1, 3.5), (0.1, 0.07), (None, 0.5), ("unknown",)])
def test_the_brief_text_is_taken_where_it_separates_the_rows_as_the_exact_one(values: tuple[Any, ...]) -> None:
    assert TEXT.of(*values) == TEXT.brief


def test_a_row_between_both_ends_takes_the_exact_text() -> None:
    assert TEXT.of(0.5, 0.07940505) == TEXT.exact == "age is above 0.07940501378649611"


@pytest.mark.parametrize("is_single", [False, True])
def test_the_brief_text_is_taken_wherever_it_is_true_of_the_same_values(is_single: bool) -> None:
    column, rng = NumberColumn(is_single=is_single), np.random.default_rng(0)
    for _ in range(300):
        scale = 10.0 ** rng.integers(-44, 38)
        low, high = np.sort(rng.choice([-np.inf, -1.0, 0.0, 0.3, 1.0, np.inf], 2, replace=False)).tolist()
        ends = Interval(low * scale, high * scale, low_inclusive=bool(rng.integers(2)))
        printed = Interval(ends.low * (1 + 1e-7 * rng.normal()), ends.high * (1 + 1e-7 * rng.normal()))
        text = BriefText.between("brief", printed, ends, ("exact ", ""), column)
        known = np.array([end for end in (*ends[:2], *printed[:2]) if np.isfinite(end)])
        moved = known * (1 + 6e-8 * rng.normal(size=len(known)))
        near = np.concatenate(
            [known, known.astype(np.float32), np.nextafter(known, np.inf), moved, [0.1 * scale, -0.0]]
        )
        for value in [*near.tolist(), *np.nextafter(near.astype(np.float32), np.float32(1)).tolist()]:
            number = short(value) if is_single else value
            expected = text.brief if ends.admits(number) is printed.admits(number) else text.exact
            assert text.of(value) == expected


def test_a_feature_of_several_columns_has_brief_ends_where_they_separate_the_rows_as_the_exact_ones() -> None:
    scaled = (ModelColumn("age", "affine", "age", 0, scale=scale, offset=0.1) for scale in (0.3, 0.7))
    texts = ReasonTexts.build(ReasonReader.build(tuple(scaled)), None)
    low, high = (0, 0, 0, 0, 0.123456789012, np.inf, 0.5), (0, 0, 1, Side.HIGH_INCLUSIVE, -np.inf, 5.1, 0.5)
    reasons = np.array([low, high], dtype=REASON)

    def written(value: float) -> str:
        ((reason,),) = texts.write(reasons, Compared([value], [[2.0]]), None, with_intervals=True)
        assert reason["interval"]["low"] == 0.07818929670666663
        return str(reason["text"])

    assert written(1.0) == "age is above 0.0781893 and at most 7.14285"
    assert written(0.07818929999) == "age is above 0.07818929670666663 and at most 7.142857142857143"
