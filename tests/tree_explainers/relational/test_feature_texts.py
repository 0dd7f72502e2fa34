from typing import Any, Literal

import pytest

from tests.support.relational_schemas import BANK
from tree_explainers.relational.feature_json import feature_of
from tree_explainers.relational.feature_texts import is_never_missing, name_of, names_of, question_of, text_of
from tree_explainers.relational.queries import Feature, FeatureTest

ACCOUNT = {"id": "a", "from": "example", "by": "account.customer_id"}
TRANSACTION = {"id": "b", "from": "a", "by": "transaction.account_id"}
CREDIT = {"variable": "a", "column": "kind", "operator": "=", "value": "credit"}
CASH = {"column": "kind", "operator": "=", "value": "cash"}
CASH_COUNT = {"function": "count", "by": "transaction.account_id", "where": [CASH]}


def _feature(kind: str, variables: list[Any], conditions: list[Any], measure: Any = None) -> Feature:
    return feature_of({"kind": kind, "variables": variables, "conditions": conditions, "measure": measure}, BANK)


def _on(variable: str, column: str, operator: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"variable": variable, "column": column, "operator": operator, "value": value, **more}


def _count(operator: str, value: float) -> dict[str, Any]:
    return {"variable": "a", "aggregate": CASH_COUNT, "operator": operator, "value": value}


@pytest.mark.parametrize(
    ("feature", "positive", "negative", "question"),
    [
        (
            _feature("exists", [ACCOUNT], [CREDIT, _count(">", 2)]),
            "has an account (by customer_id) of kind credit with more than 2 transactions of kind cash",
            "has no account (by customer_id) of kind credit with more than 2 transactions of kind cash",
            "Is there an account (by customer_id) of kind credit with more than 2 transactions of kind cash?",
        ),
        (
            _feature("exists", [ACCOUNT], [_count(">", 0), _on("a", "balance", "<=", 0.1)]),
            "has an account (by customer_id) with balance at most 0.1 and a transaction of kind cash",
            "has no account (by customer_id) with balance at most 0.1 and a transaction of kind cash",
            "Is there an account (by customer_id) with balance at most 0.1 and a transaction of kind cash?",
        ),
        (
            _feature("exists", [ACCOUNT, TRANSACTION], [CREDIT, _on("b", "amount", "is_missing")]),
            "has an account (by customer_id) of kind credit with a transaction with no amount",
            "has no account (by customer_id) of kind credit with a transaction with no amount",
            "Is there an account (by customer_id) of kind credit with a transaction with no amount?",
        ),
        (_feature("exists", [], [_on("example", "is_vip", "=", value=True)]), "is vip", "is not vip", "Is it vip?"),
        (
            _feature("exists", [], [_on("example", "region", "=", "north", parents=["customer.branch_id"])]),
            "has a branch of region north",
            "does not have a branch of region north",
            "Does it have a branch of region north?",
        ),
        (
            _feature(
                "exists",
                [],
                [
                    _on("example", name, op, value, parents=["customer.branch_id"])
                    for name, op, value in (("region", "=", "north"), ("n_desks", ">", 3))
                ],
            ),
            "has a branch of region north with n_desks above 3",
            "does not have a branch of region north with n_desks above 3",
            "Does it have a branch of region north with n_desks above 3?",
        ),
        (
            _feature("exists", [ACCOUNT], [_on("example", "is_vip", "=", value=True)]),
            "is vip and has an account (by customer_id)",
            "is not one that is vip and has an account (by customer_id)",
            "Is it true that it is vip and has an account (by customer_id)?",
        ),
    ],
)
def test_boolean_features_are_predicates(feature: Feature, positive: str, negative: str, question: str) -> None:
    test = FeatureTest(feature)

    assert name_of(feature, BANK) == text_of(test, BANK) == positive
    assert text_of(test, BANK, holds=False) == negative
    assert question_of(test, BANK) == question


_SHARE = "share of accounts (by customer_id) of kind credit among its accounts (by customer_id)"
_SHARE_OF_CASH = "share of transactions of kind cash among transactions over all its accounts (by customer_id)"
_SMALLEST = "smallest value, over its accounts (by customer_id), of the number of each one's transactions"
_NUMBER = {"function": "count", "by": "transaction.account_id", "where": []}
_MEAN = "mean balance of its accounts (by customer_id) with a transaction (every combination of rows counts)"
_ADVISER = {"id": "e", "from": "example", "by": "customer.adviser_id"}
_REPORTS = {"id": "r", "from": "e", "by": "employee.manager_id", "direction": "children"}


@pytest.mark.parametrize(
    ("feature", "name", "operator", "cut", "positive", "negative"),
    [
        (
            _feature("value", [], [], {"variable": "example", "column": "age"}),
            "age", "<=", 30.5, "age is at most 30.5", "age is above 30.5 or missing",
        ),
        (
            _feature("count", [ACCOUNT], [CREDIT]),
            "number of accounts (by customer_id) of kind credit", ">", 2.5,
            "has more than 2 accounts (by customer_id) of kind credit",
            "has at most 2 accounts (by customer_id) of kind credit",
        ),
        (
            _feature("count", [ACCOUNT, TRANSACTION], [CREDIT, {"variable": "b", **CASH}]),
            "number of transactions of kind cash over all its accounts (by customer_id) of kind credit", "<=", 0.5,
            "has no account (by customer_id) of kind credit with a transaction of kind cash",
            "has an account (by customer_id) of kind credit with a transaction of kind cash",
        ),
        (
            _feature("share", [ACCOUNT], [CREDIT]),
            _SHARE, ">", 0.5, f"{_SHARE} is above 0.5", f"{_SHARE} is at most 0.5 or missing",
        ),
        (
            _feature("max", [ACCOUNT, TRANSACTION], [CREDIT], {"variable": "b", "column": "amount"}),
            "largest amount of transactions over all its accounts (by customer_id) of kind credit", ">", 300,
            "has an account (by customer_id) of kind credit with a transaction with amount above 300",
            "has no account (by customer_id) of kind credit with a transaction with amount above 300",
        ),
        (
            _feature("min", [ACCOUNT], [], {"variable": "a", "column": "balance"}),
            "smallest balance of its accounts (by customer_id)", ">", 0,
            "smallest balance of its accounts (by customer_id) is above 0",
            "smallest balance of its accounts (by customer_id) is at most 0 or missing",
        ),
        (
            _feature("sum", [_ADVISER, _REPORTS], [], {"variable": "r", "column": "salary"}),
            "total salary of employees (by manager_id) of its employee", ">", 1000,
            "total salary of employees (by manager_id) of its employee is above 1,000",
            "total salary of employees (by manager_id) of its employee is at most 1,000",
        ),
        (
            _feature("n_distinct", [ACCOUNT], [], {"variable": "a", "column": "kind"}),
            "number of distinct values of kind of its accounts (by customer_id)", ">", 1.5,
            "number of distinct values of kind of its accounts (by customer_id) is above 1",
            "number of distinct values of kind of its accounts (by customer_id) is at most 1",
        ),
        (
            _feature("count", [ACCOUNT, TRANSACTION], [{"variable": "b", **CASH}]),
            "number of transactions of kind cash over all its accounts (by customer_id)", ">", 1.5,
            "has more than 1 transaction of kind cash over all its accounts (by customer_id)",
            "has at most 1 transaction of kind cash over all its accounts (by customer_id)",
        ),
        (
            _feature("share", [ACCOUNT, TRANSACTION], [{"variable": "b", **CASH}]),
            _SHARE_OF_CASH, ">", 0.5, f"{_SHARE_OF_CASH} is above 0.5", f"{_SHARE_OF_CASH} is at most 0.5 or missing",
        ),
        (
            _feature("min", [ACCOUNT], [], {"variable": "a", "aggregate": _NUMBER}),
            _SMALLEST, ">", 9, f"{_SMALLEST} is above 9", f"{_SMALLEST} is at most 9 or missing",
        ),
        (
            _feature("mean", [ACCOUNT, TRANSACTION], [], {"variable": "a", "column": "balance"}),
            _MEAN, ">", 0, f"{_MEAN} is above 0", f"{_MEAN} is at most 0 or missing",
        ),
    ],
)  # fmt: skip
def test_cuts_of_numbers_say_missing_only_where_it_can_be(
    feature: Feature, name: str, operator: Literal[">", "<="], cut: float, positive: str, negative: str
) -> None:
    test = FeatureTest(feature, operator, cut)

    assert name_of(feature, BANK) == name
    assert text_of(test, BANK) == positive
    assert text_of(test, BANK, holds=False) == negative
    assert not is_never_missing(feature) or "missing" not in negative


def test_names_are_unique_and_of_bounded_length() -> None:
    credit = _feature("exists", [ACCOUNT], [CREDIT])
    again = _feature("exists", [ACCOUNT], [_on("a", "kind", "=", "credit"), _on("a", "kind", "=", "credit")])
    long = _feature("exists", [ACCOUNT], [_on("a", "kind", "=", "x" * 500)])
    longer = _feature("exists", [ACCOUNT], [_on("a", "kind", "=", "x" * 501)])
    plain = _feature("exists", [ACCOUNT], [])

    names = names_of([credit, long, longer, plain], BANK)

    assert names[0] == name_of(credit, BANK) == name_of(again, BANK)
    assert len(set(names)) == 4
    assert max(map(len, names)) == 200
    assert names_of([_feature("exists", [ACCOUNT], [_on("a", "kind", "=", 'a<"b", {c}: [d]')])], BANK) == [
        "has an account (by customer_id) of kind 'a('b'; (c); (d)'"
    ]
