"""Rules hold alike for single rows, as callers send them, and for columns, as datasets hold them."""

import itertools
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from explanations.rules import WarmRules
from schemas.rule_sets import RuleFeature
from tests.support.printed_rules import condition, holds, rule_set

FEATURES = [
    RuleFeature(name="age", type="number", missing_text=None),
    RuleFeature(name="sex", type="category", missing_text="nan"),
    RuleFeature(name="grown", type="number", missing_text=None),
]
REQUESTED = [
    condition("age", "<=", 0.3),
    condition("age", ">", 0.3, or_missing=True),
    condition("age", "is missing"),
    condition("age", "is not missing"),
    condition("sex", "is", "m"),
    condition("sex", "is not", "m", or_missing=True),
    condition("sex", "is one of", ["m", "7"], or_missing=True),
    condition("sex", "is none of", ["m", "7"]),
    condition("sex", "is missing"),
    condition("sex", "is not missing"),
    condition("grown", "is", "yes", of="stage"),
    condition("grown", "is", "yes"),  # a one-hot column that is called like the feature it belongs to
    condition("grown", "is not", "yes", of="stage", or_missing=True),
]
AGES = [None, 0.3, 0.30000001, float(np.float32(0.3)), 0.31, 5.0]
SEXES = [None, "m", "f", "nan", "7"]
GROWN = [None, 0.0, 1.0]
ROWS = [dict(zip(("age", "sex", "grown"), row, strict=True)) for row in itertools.product(AGES, SEXES, GROWN)]


def _warm() -> WarmRules:
    content = rule_set(FEATURES, [([each], str(at)) for at, each in enumerate(REQUESTED)], "none")
    return WarmRules.of(content, ["grown", "other", "sex", "age"])


def _expected() -> list[list[int]]:
    content = rule_set(FEATURES, [], "none")
    return [[at for at, each in enumerate(REQUESTED) if holds(each, row, content)] for row in ROWS]


def _texts(values: list[Any]) -> NDArray[np.object_]:
    return np.array([*values, None], dtype=object)[:-1]


def test_rules_hold_for_a_row_where_their_words_say_so() -> None:
    warm = _warm()

    assert [warm.firing([row["grown"], "x", row["sex"], row["age"]]) for row in ROWS] == _expected()


def test_whole_numbers_and_booleans_are_read_as_the_model_reads_them() -> None:
    warm = _warm()

    assert warm.firing([True, None, 7, 5]) == warm.firing([1.0, None, "7", 5.0])


def test_what_is_rendered_is_in_the_order_of_the_ranks() -> None:
    rendered = orjson.loads(_warm().text([0, 4]))

    assert rendered == [
        {"rank": 1, "text": "age <= 0.3", "prediction": "0"},
        {"rank": 5, "text": "sex is m", "prediction": "4"},
    ]


def test_rules_that_decide_together_name_their_weights() -> None:
    content = rule_set(FEATURES, [([REQUESTED[0]], "m")], "none")
    weighted = content.model_copy(update={"rules": [content.rules[0].model_copy(update={"weight": 0.25})]})

    (entry,) = orjson.loads(WarmRules.of(weighted, ["grown", "other", "sex", "age"]).text([0]))

    assert entry == {"rank": 1, "text": "age <= 0.3", "prediction": "m", "weight": 0.25}
