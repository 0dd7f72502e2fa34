import itertools
import json
from typing import Any, get_args

import pytest

from tests.support.relational_schemas import BANK
from tree_explainers.errors import InvalidInput
from tree_explainers.relational.canonical import canonical, feature_id
from tree_explainers.relational.feature_json import document_of, feature_of
from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateFunction,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    Measure,
    Query,
    Selection,
    Variable,
)
from tree_explainers.relational.schema import Step

ACCOUNTS, TRANSACTIONS = Step("account.customer_id", "children"), Step("transaction.account_id", "children")
CASH = Selection(ColumnTerm("kind"), "=", "cash")

CREDIT_WITH_CASH: dict[str, Any] = {
    "kind": "exists",
    "name": "account: kind is credit, over 2 transactions of kind cash",
    "variables": [{"id": "a", "table": "account", "from": "example", "by": "account.customer_id"}],
    "conditions": [
        {"variable": "a", "column": "kind", "operator": "=", "value": "credit"},
        {
            "variable": "a",
            "aggregate": {
                "function": "count",
                "by": "transaction.account_id",
                "where": [{"column": "kind", "operator": "=", "value": "cash"}],
            },
            "operator": ">",
            "value": 2,
        },
    ],
}


def _feature(**changes: Any) -> dict[str, Any]:  # any JSON
    return {**CREDIT_WITH_CASH, **changes}


def test_the_design_s_own_document_is_read_and_written() -> None:
    feature = feature_of(CREDIT_WITH_CASH, BANK)

    count = AggregateTerm("count", TRANSACTIONS, None, (CASH,))
    assert feature.query.variables == (Variable(EXAMPLE, ACCOUNTS),)
    assert set(feature.query.conditions) == {
        Condition(0, ColumnTerm("kind"), "=", "credit"),
        Condition(0, count, ">", 2.0),
    }
    written = document_of(feature, BANK, CREDIT_WITH_CASH["name"])
    assert written | {"conditions": []} == CREDIT_WITH_CASH | {"conditions": []}
    assert sorted(map(json.dumps, written["conditions"])) == sorted(map(json.dumps, CREDIT_WITH_CASH["conditions"]))


def test_every_form_of_a_term_comes_back_from_json() -> None:
    manager = Step("employee.manager_id", "parent")
    reports = Step("employee.manager_id", "children")
    features = [
        Feature("value", Query(), Measure(EXAMPLE, ColumnTerm("age"))),
        Feature("value", Query(), Measure(EXAMPLE, ColumnTerm("region", ("customer.branch_id",)))),
        Feature("exists", Query((), (Condition(EXAMPLE, ColumnTerm("is_vip"), "=", value=True),))),
        Feature("exists", Query((), (Condition(EXAMPLE, ColumnTerm("age"), "is_missing"),))),
        Feature(
            "mean",
            Query(
                (Variable(EXAMPLE, ACCOUNTS), Variable(0, TRANSACTIONS)),
                (Condition(1, ColumnTerm("amount"), ">", 0.1),),
            ),
            Measure(1, ColumnTerm("amount")),
        ),
        Feature("share", Query((Variable(EXAMPLE, ACCOUNTS),), (Condition(0, ColumnTerm("kind"), "=", "credit"),))),
        Feature(
            "max",
            Query(
                (Variable(EXAMPLE, Step("customer.adviser_id", "parent")), Variable(0, manager), Variable(0, reports))
            ),
            Measure(2, AggregateTerm("mode", reports, ColumnTerm("grade", ("employee.manager_id",)))),
        ),
    ]
    for feature in features[:-1]:
        document = json.loads(json.dumps(document_of(canonical(feature), BANK, "any")))
        assert feature_of(document, BANK) == canonical(feature)
    document = document_of(canonical(features[-1]), BANK, "any")
    assert [entry.get("direction") for entry in document["variables"]] == [None, "children", "parent"]
    assert document["measure"]["aggregate"]["direction"] == "children"
    with pytest.raises(InvalidInput, match="max is taken of numbers, not of a category"):
        feature_of(document, BANK)


def test_numbers_are_written_as_they_were_and_read_in_single_precision() -> None:
    condition = {"variable": "example", "column": "age", "operator": "<="}
    feature = feature_of(_feature(variables=[], conditions=[{**condition, "value": 0.1}]), BANK)

    value = feature.query.conditions[0].value
    assert isinstance(value, float)
    assert value == pytest.approx(0.1, rel=1e-7)
    assert value != 0.1
    assert document_of(feature, BANK, "")["conditions"][0]["value"] == 0.1


def test_orders_of_siblings_and_conditions_are_one_feature() -> None:
    steps = [ACCOUNTS, ACCOUNTS, Step("customer.adviser_id", "parent")]
    conditions = [
        [Condition(0, ColumnTerm("kind"), "=", "credit"), Condition(0, ColumnTerm("balance"), ">", 3.0)],
        [Condition(0, ColumnTerm("kind"), "=", "debit")],
        [],
    ]
    ids, forms = set(), set()
    for order in itertools.permutations(range(3)):
        variables = tuple(Variable(EXAMPLE, steps[index]) for index in order)
        below = Variable(order.index(0), TRANSACTIONS)
        moved = [
            Condition(position, condition.term, condition.operator, condition.value)
            for position, index in enumerate(order)
            for condition in conditions[index]
        ]
        query = Query((*variables, below), tuple(reversed(moved)))
        for feature in (
            Feature("max", query, Measure(order.index(1), ColumnTerm("balance"))),
            Feature("count", query),
        ):
            ids.add(feature_id(feature))
            forms.add(canonical(feature))
    assert len(ids) == len(forms) == 2
    assert {feature_id(form) for form in forms} == ids
    assert {canonical(form) for form in forms} == forms


def test_the_last_variable_of_a_share_stays_the_last() -> None:
    siblings = (Variable(EXAMPLE, ACCOUNTS), Variable(EXAMPLE, Step("customer.adviser_id", "parent")))
    ids = set()
    for last in (0, 1):
        query = Query(
            (siblings[1 - last], siblings[last]), (Condition(1, ColumnTerm("grade" if last else "kind"), "=", "a"),)
        )
        share = canonical(Feature("share", query))
        assert share.query.variables[-1] == siblings[last]
        ids.add(feature_id(share))
    assert len(ids) == 2


def test_an_aggregate_of_the_example_is_one_over_bindings() -> None:
    amount = ColumnTerm("balance")
    where = (Selection(ColumnTerm("kind"), "=", "credit"),)
    credit = Query((Variable(EXAMPLE, ACCOUNTS),), (Condition(0, ColumnTerm("kind"), "=", "credit"),))
    for function in get_args(AggregateFunction):
        column = None if function in {"count", "share"} else amount
        value = Feature("value", Query(), Measure(EXAMPLE, AggregateTerm(function, ACCOUNTS, column, where)))
        over_bindings = Feature(function, credit, None if column is None else Measure(0, amount))
        assert canonical(value) == canonical(over_bindings)
        assert feature_id(value) == feature_id(over_bindings)


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"kind": "all"}, "validation_failed", "kind: 'all' is not one of value, exists"),
        (
            {"variables": [{"id": "a", "from": "example", "by": "card.x"}]},
            "unknown_feature",
            "no relationship 'card.x'",
        ),
        (
            {"variables": [{"id": "a", "from": "example", "by": "acount.customer_id"}]},
            "unknown_feature",
            "leads from table customer; did you mean 'account.customer_id'?",
        ),
        (
            {"conditions": [{"variable": "a", "column": "balanse", "operator": ">", "value": 1}]},
            "unknown_feature",
            "table account has no column 'balanse'; did you mean 'balance'?",
        ),
        (
            {"variables": [{"id": "a", "from": "b", "by": "account.customer_id"}]},
            "unknown_feature",
            "there is no variable 'b' so far; there are example",
        ),
        (
            {"variables": [{"id": "a", "table": "card", "from": "example", "by": "account.customer_id"}]},
            "unknown_feature",
            "leads to account, not to 'card'",
        ),
        (
            {"conditions": [{"variable": "example", "column": "defaulted", "operator": "=", "value": "yes"}]},
            "unknown_feature",
            "defaulted is the target",
        ),
        (
            {"conditions": [{"variable": "a", "column": "id", "operator": "=", "value": "1"}]},
            "unknown_feature",
            "id of table account is a key",
        ),
        (
            {"conditions": [{"variable": "a", "column": "kind", "operator": ">", "value": 1}]},
            "validation_failed",
            "> compares numbers, not a category",
        ),
        (
            {"conditions": [{"variable": "a", "column": "balance", "operator": ">", "value": "much"}]},
            "validation_failed",
            "'much' is not a finite number",
        ),
        (
            {"conditions": [{"variable": "a", "column": "balance", "operator": ">", "value": 1e39}]},
            "validation_failed",
            "not a finite number of single precision",
        ),
        ({"kind": "max"}, "validation_failed", "measure: an object is expected"),
        ({"measure": {"variable": "a", "column": "balance"}}, "validation_failed", "exists measures nothing"),
        ({"kind": "count", "variables": [], "conditions": []}, "validation_failed", "count is taken over the rows"),
        ({"variables": [], "conditions": []}, "validation_failed", "exists needs variables or conditions"),
        (
            {"variables": [{"id": f"v{n}", "from": "example", "by": "account.customer_id"} for n in range(5)]},
            "validation_failed",
            "at most 4 variables, not 5",
        ),
    ],
)
def test_what_is_no_feature_is_refused_with_its_place(changes: dict[str, Any], code: str, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        feature_of(_feature(**changes), BANK)

    assert refused.value.code == code
    assert words in refused.value.detail
