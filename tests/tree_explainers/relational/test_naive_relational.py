"""The slow twin of queries against values worked out by hand, and what the random cases and the data hold."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import bank, relational_data
from tests.support.naive_relational import bindings, feature_column, feature_value, passing, plain_rows
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_cases import feature_tests, features, raw_tables
from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Measure,
    Query,
    Selection,
    Variable,
)
from tree_explainers.relational.schema import Step

ACCOUNTS = Variable(EXAMPLE, Step("account.customer_id", "children"))
TRANSACTIONS = Variable(0, Step("transaction.account_id", "children"))
CASH = Selection(ColumnTerm("kind"), "=", "cash")


def _small_bank() -> RawTables:
    """Return two customers: one with a credit and a current account, one with a credit account without transactions."""
    return RawTables(
        bank.schema(cutoffs=True),
        {
            "customer": {
                "id": [7, 8],
                "region": ["east", None],
                "age": [30.0, 40.0],
                "as_of": [10.0, 10.0],
                "defaulted": ["yes", "no"],
            },
            "account": {
                "id": [1, 2, 3, 4],
                "customer_id": [7, 7, 8, None],
                "kind": ["credit", "current", "credit", "credit"],
                "limit": [100.0, 200.0, None, 1.0],
            },
            "transaction": {
                "account_id": [1, 1, 1, 2, 2, 1, 99],
                "kind": ["cash", "cash", "card", "cash", None, "cash", "cash"],
                "status": ["booked"] * 7,
                "amount": [5.0, None, 3.5, 9.0, 2.0, 1000.0, 1.0],
                "booked_at": [4.0, 1.0, 2.0, 3.0, None, 10.0, 1.0],
            },
        },
    )


ROWS = plain_rows(relational_rows(_small_bank()))


def _cash(function: str, *where: Selection) -> AggregateTerm:
    amount = None if function in {"count", "share"} else ColumnTerm("amount")
    return AggregateTerm(function, Step("transaction.account_id", "children"), amount, where)  # type: ignore[arg-type]


def _of_accounts(term: ColumnTerm | AggregateTerm, kind: str, *conditions: Condition) -> Feature:
    return Feature(kind, Query((ACCOUNTS,), conditions), Measure(0, term))  # type: ignore[arg-type]


def test_a_binding_gives_each_variable_a_row_and_transactions_from_the_cutoff_on_are_not_seen() -> None:
    both = Query((ACCOUNTS, TRANSACTIONS))

    assert bindings(ROWS, both, 0) == [(0, 1), (0, 2), (0, 0), (1, 3)]  # by time; at 10 and without a time: not seen
    assert bindings(ROWS, both, 1) == []


def test_a_credit_account_with_over_one_cash_withdrawal() -> None:
    credit = Condition(0, ColumnTerm("kind"), "=", "credit")
    often = Condition(0, _cash("count", CASH), ">", 1.0)
    current = Condition(0, ColumnTerm("kind"), "=", "current")

    assert feature_column(ROWS, Feature("exists", Query((ACCOUNTS,), (credit, often)))) == [True, False]
    assert feature_column(ROWS, Feature("exists", Query((ACCOUNTS,), (current, often)))) == [False, False]
    assert passing(ROWS, FeatureTest(_of_accounts(_cash("count", CASH), "max", credit), ">", 1.5)) == [True, False]


def test_aggregates_of_nothing_are_0_or_missing() -> None:
    credit = Condition(0, ColumnTerm("kind"), "=", "credit")

    def of(function: str, *where: Selection) -> Sequence[object]:
        return feature_column(ROWS, _of_accounts(_cash(function, *where), "max", credit))

    assert of("count", CASH) == [2.0, 0.0]
    assert of("share", CASH) == [float(np.float32(2 / 3)), None]
    assert of("sum") == [8.5, 0.0]
    assert of("mean") == [4.25, None]
    assert of("min") == [3.5, None]
    assert of("n_distinct") == [2.0, 0.0]


def test_modes_are_the_first_most_frequent_level() -> None:
    mode = Feature("mode", Query((ACCOUNTS, TRANSACTIONS)), Measure(1, ColumnTerm("kind")))
    kinds = Feature("mode", Query((ACCOUNTS,)), Measure(0, ColumnTerm("kind")))

    assert feature_column(ROWS, mode) == ["cash", None]
    assert feature_column(ROWS, kinds) == ["credit", "credit"]


def test_columns_of_parents_are_those_of_the_row() -> None:
    of_parent = ColumnTerm("kind", ("transaction.account_id",))
    through = Feature(
        "count", Query((ACCOUNTS, TRANSACTIONS), (Condition(1, of_parent, "=", "credit"),))
    )  # transactions of credit accounts

    assert feature_column(ROWS, through) == [3.0, 0.0]


def test_a_share_is_among_bindings_that_satisfy_all_but_the_last_variables_conditions() -> None:
    credit = Condition(0, ColumnTerm("kind"), "=", "credit")
    cash = Condition(1, ColumnTerm("kind"), "=", "cash")

    assert feature_column(ROWS, Feature("share", Query((ACCOUNTS, TRANSACTIONS), (credit, cash)))) == [
        float(np.float32(2 / 3)),
        None,
    ]


def test_missing_values_satisfy_is_missing_alone() -> None:
    region = Measure(EXAMPLE, ColumnTerm("region"))
    missing = Condition(EXAMPLE, ColumnTerm("region"), "is_missing")

    assert feature_column(ROWS, Feature("value", Query(), region)) == ["east", None]
    assert feature_column(ROWS, Feature("exists", Query((), (missing,)))) == [False, True]


def test_sums_are_rounded_to_a_billionth_of_all_sizes() -> None:
    raw = _small_bank()
    amounts = {**raw.columns["transaction"], "amount": [0.1, 1e9, -1e9, None, None, None, None]}
    rows = plain_rows(relational_rows(RawTables(raw.schema, {**raw.columns, "transaction": amounts})))

    total = Feature("sum", Query((ACCOUNTS, TRANSACTIONS)), Measure(1, ColumnTerm("amount")))
    assert feature_value(rows, total, 0) == 0.0  # 0.1 is less than half of 10⁻⁹ of all sizes


@settings(max_examples=50)
@given(st.data())
def test_random_features_and_tests_have_a_value_for_each_example(data: st.DataObject) -> None:
    raw = data.draw(raw_tables())
    rows = plain_rows(relational_rows(raw))
    n_examples = raw.n_rows(raw.schema.examples)

    feature, test = data.draw(features(raw.schema)), data.draw(feature_tests(raw.schema))
    column = feature_column(rows, feature)
    assert len(column) == n_examples
    assert all((value is not None) for value in column) or feature.kind not in {"exists", "count", "sum", "n_distinct"}
    assert set(passing(rows, test)) <= {True, False}


def test_the_shared_data_has_the_documented_rows() -> None:
    counts = {}
    for load in (relational_data.mach, relational_data.muta, relational_data.canc, relational_data.carcinogenesis):
        rows = relational_rows(load())
        assert rows.labels is not None
        counts[load.__name__] = [table.n_rows for table in rows.tables.values()] + np.bincount(rows.labels).tolist()

    assert counts == {
        "mach": [15, 24, 5, 6, 3, 6],
        "muta": [230, 5894, 2 * 6309, 92, 138],
        "canc": [330, 9098, 2 * 9231, 148, 182],
        "carcinogenesis": [330, 9098, 2 * 9231, 148, 182],
    }
    folds = relational_data.canc_folds()
    assert len(folds) == 10
    assert sorted(compound for fold in folds for compound in fold) == sorted(
        relational_data.canc().columns["molecule"]["id"]
    )


def test_the_banks_labels_are_the_concepts_but_for_the_noise() -> None:
    rows = plain_rows(relational_rows(bank.bank(120, seed=1, noise=0.0, cutoffs=True)))
    raw = bank.bank(120, seed=1, noise=0.0, cutoffs=True)
    credit = Condition(0, ColumnTerm("kind"), "=", "credit")
    overdrawn = FeatureTest(_of_accounts(_cash("count", CASH), "max", credit), ">", 2.5)
    returned = Condition(1, ColumnTerm("status"), "=", "returned")
    bounced = FeatureTest(
        Feature("max", Query((ACCOUNTS, TRANSACTIONS), (returned,)), Measure(1, ColumnTerm("amount"))), ">", 300.0
    )

    concept = [one or other for one, other in zip(passing(rows, overdrawn), passing(rows, bounced), strict=True)]
    assert concept == [label == "yes" for label in raw.columns["customer"]["defaulted"]]
    assert any(concept)
