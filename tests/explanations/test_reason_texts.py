"""Reasons whose ends were calculated: texts of few digits that are true of both rows."""

from typing import Any

import numpy as np
import pytest

from explanations.reason_texts import BriefText, Compared, ReasonTexts
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.prototype_sets.leaf_boxes import Side
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.prototype_sets.reasons import REASON
from tree_explainers.wording import Interval

TEXT = BriefText("age is above 0.0794051", Interval(0.0794051), Interval(0.07940501378649611), "age is ", "")


@pytest.mark.parametrize("values", [(0.1, 3.5), (0.1, 0.07), (None, 0.5), ("unknown",)])
def test_the_brief_text_is_taken_where_it_separates_the_rows_as_the_exact_one(values: tuple[Any, ...]) -> None:
    assert TEXT.of(*values) == TEXT.brief


def test_a_row_between_both_ends_takes_the_exact_text() -> None:
    assert TEXT.of(0.5, 0.07940505) == TEXT.exact == "age is above 0.07940501378649611"


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
