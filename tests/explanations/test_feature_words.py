"""Columns that are queries are described in their words: what there is, what there is not, and how many."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest

from explanations.contrasts import difference_text
from explanations.feature_phrases import FeaturePhrases, implications_of, implied_answers
from explanations.sentences import Naming, summary
from explanations.typicality import UNKNOWN
from tests.support.relational_schemas import BANK
from tree_explainers.column_words import ColumnWords
from tree_explainers.printed_numbers import NumberColumn, NumberPhrases
from tree_explainers.questions.conditions import Condition, condition_text, question_text, rule_text
from tree_explainers.questions.implications import ColumnTest
from tree_explainers.questions.statements import FeatureStatements, Statements
from tree_explainers.relational.feature_json import feature_of
from tree_explainers.wording import Interval

ACCOUNT = {"id": "a", "from": "example", "by": "account.customer_id"}
CREDIT = {"variable": "a", "column": "kind", "operator": "=", "value": "credit"}
BALANCE = {"variable": "a", "column": "balance"}


def _phrases(kind: str, conditions: list[Any], measure: Any = None) -> FeaturePhrases:  # as in JSON
    variables = [] if kind == "value" else [ACCOUNT]
    document = {"kind": kind, "variables": variables, "conditions": conditions, "measure": measure}
    return FeaturePhrases(feature_of(document, BANK), BANK)


PHRASES = {
    "credit": _phrases("exists", [CREDIT]),
    "some": _phrases("exists", []),
    "number": _phrases("count", [CREDIT]),
    "largest": _phrases("max", [CREDIT], BALANCE),
    "smallest": _phrases("min", [], BALANCE),
    "total": _phrases("sum", [], BALANCE),
    "age": _phrases("value", [], {"variable": "example", "column": "age"}),
}
BY = "(by customer_id)"
ACCOUNTS = f"{BY} of kind credit"


@pytest.mark.parametrize(
    ("column", "interval", "text", "is_absence"),
    [
        ("credit", Interval(high=0.5), f"has no account {ACCOUNTS}", True),
        ("credit", Interval(low=0.5, or_missing=True), f"has an account {ACCOUNTS}", False),
        ("credit", Interval(low=0.0, high=1.0, low_inclusive=True), None, False),
        ("number", Interval(low=2.5), f"has more than 2 accounts {ACCOUNTS}", False),
        ("number", Interval(low=3.0, low_inclusive=True), f"has more than 2 accounts {ACCOUNTS}", False),
        ("number", Interval(high=3.0, high_inclusive=False), f"has at most 2 accounts {ACCOUNTS}", True),
        ("number", Interval(high=0.5, or_missing=True), f"has no account {ACCOUNTS}", True),
        (
            "number",
            Interval(1.5, 4.5),
            f"has more than 1 account {ACCOUNTS} and has at most 4 accounts {ACCOUNTS}",
            False,
        ),
        ("largest", Interval(low=300.0), f"has an account {ACCOUNTS} with balance above 300", False),
        ("largest", Interval(high=300.0, or_missing=True), f"has no account {ACCOUNTS} with balance above 300", True),
        ("largest", Interval(high=300.0), f"largest balance of its accounts {ACCOUNTS} is at most 300", False),
        ("largest", Interval(low=300.0, low_inclusive=True), None, False),
        ("largest", Interval(1.0, 3.0, or_missing=True), None, False),
        ("largest", Interval(1.0, 3.0), None, False),
        ("smallest", Interval(1.0, 3.0), None, False),
        (
            "smallest",
            Interval(low=0.0, or_missing=True),
            "has no account (by customer_id) with balance at most 0",
            True,
        ),
        ("total", Interval(1.0, 3.0), f"total balance of its accounts {BY} is above 1 and at most 3", False),
        ("age", Interval(high=30.0), None, False),
    ],
)
def test_intervals_are_said_as_what_there_is(
    column: str, interval: Interval, text: str | None, *, is_absence: bool
) -> None:
    assert PHRASES[column].sentence(interval) == text
    assert PHRASES[column].states_absence(interval) == is_absence


@pytest.mark.parametrize(
    ("proximity", "text"), [(1.0, "100%"), (0.9996, "99.9%"), (0.574, "57%"), (0.004, "0.4%"), (0.0, "0%")]
)
def test_summaries_say_100_percent_of_no_less(proximity: float, text: str) -> None:
    near = {"row_id": "7", "label": "no", "proximity": proximity, "reasons": []}

    assert summary({"label": "no"}, [near], UNKNOWN).endswith(f"at a proximity of {text}.")


def test_summaries_name_a_query_as_what_is_asked() -> None:
    near = {"row_id": "7", "label": "no", "proximity": 0.5, "reasons": [{"feature": f"has an account {ACCOUNTS}"}]}
    text = summary({"label": "no"}, [near], UNKNOWN, naming=Naming(PHRASES["credit"].mention))

    assert text.endswith(f" The trees that they share ask most often about whether it has an account {ACCOUNTS}.")
    assert PHRASES["number"].mention("number of accounts") == "number of accounts"


def test_conditions_rules_and_questions_have_these_words() -> None:
    none = Condition("credit", "credit", "<=", 0.5, or_missing=True)
    some = Condition("credit", "credit", ">", 0.5, or_missing=False)
    age = Condition("age", "age", "<=", 30.0, or_missing=True)
    missing = Condition("largest", "largest", "is missing", None, or_missing=False)

    assert condition_text(none, PHRASES) == f"has no account {ACCOUNTS}"
    assert condition_text(age, PHRASES) == "age is at most 30 (missing allowed)"
    assert condition_text(missing, PHRASES) == "largest is missing"
    assert rule_text((age, some), PHRASES) == f"age is at most 30 (missing allowed), and has an account {ACCOUNTS}"
    assert question_text(some, PHRASES) == f"Is there an account {ACCOUNTS}?"
    assert question_text(none, PHRASES) is None
    assert question_text(missing, PHRASES) is None


@pytest.mark.parametrize(
    ("column", "value", "interval", "text"),
    [
        (
            "credit",
            False,
            Interval(low=0.5),
            f"whether it has an account {ACCOUNTS}; it has no account {ACCOUNTS} here",
        ),
        ("number", 4, Interval(high=2.5), f"whether it has at most 2 accounts {ACCOUNTS}; number is 4 here"),
    ],
)
def test_differences_ask_whether_there_is_one(column: str, value: Any, interval: Interval, text: str) -> None:
    words = PHRASES[column]

    assert difference_text({"feature": column, "text": words.sentence(interval), "value": value}, words) == text


def _statements(column: str, cuts: list[float], *, missing_greater: bool = False) -> FeatureStatements:
    return FeatureStatements(column, 0, np.array(cuts), np.full(len(cuts), missing_greater))


def test_a_model_s_tests_imply_each_other_as_their_queries_do() -> None:
    statements = Statements(
        (
            _statements("credit", [0.5]),
            _statements("some", [0.5]),
            _statements("number", [0.5, 2.5], missing_greater=True),
            _statements("largest", [10.0, 300.0, inf]),
            _statements("age", [30.0]),
        ),
        np.float32,
    )

    found = implications_of(PHRASES, statements)

    pairs = {(found.tests[given], found.tests[then]) for given, then in found.pairs.tolist()}
    credit, some = ColumnTest("credit", ">", 0.5), ColumnTest("some", ">", 0.5)
    assert {
        (credit, some),
        (ColumnTest("largest", ">", 10.0), credit),
        (ColumnTest("number", ">", 0.5), credit),
    } <= pairs
    assert (credit, ColumnTest("number", ">", 0.5)) in pairs
    assert not any("age" in {given.column, then.column} or (given, then) == (some, credit) for given, then in pairs)
    assert found.never_missing == {"credit", "some", "number"}


def test_answers_imply_answers_whichever_way_the_conditions_face() -> None:
    conditions = [
        Condition("credit", "credit", ">", 0.5, or_missing=False),
        None,
        Condition("some", "some", "<=", 0.5, or_missing=False),
        Condition("number", "number", ">", 0.5, or_missing=False),
        Condition("number", "number", "<=", 2.5, or_missing=False),
        Condition("largest", "largest", "<=", 300.0, or_missing=True),
        Condition("credit", "credit", "<=", 0.5, or_missing=False),
    ]

    found = set(implied_answers(conditions, PHRASES))

    assert ((0, True), (2, False)) in found  # who has a credit account has one at all
    assert ((5, False), (0, True)) in found  # who has one with a balance above 300 has one
    assert ((4, False), (3, True)) in found  # more than 2 are more than none
    assert {((0, True), (6, False)), ((6, False), (0, True))} <= found  # the same, turned round
    assert not any(given[0] == 2 and given[1] is False for given, _ in found)


def test_calculated_ends_of_measures_are_printed_as_a_person_writes_them() -> None:
    words = replace(PHRASES["largest"], numbers=NumberPhrases.of(ColumnWords("largest"), NumberColumn(1)))

    assert words.sentence(Interval(low=300.00000000000006)) == f"has an account {ACCOUNTS} with balance above 300"
    assert words.sentence(Interval(high=299.87)) == f"largest balance of its accounts {ACCOUNTS} is at most 299.8"
