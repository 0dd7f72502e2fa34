from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support import relational_cases as cases
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_schemas import BANK
from tests.support.sampling import drawn
from tree_explainers.errors import RowRefused
from tree_explainers.relational.feature_json import feature_of
from tree_explainers.relational.nested_rows import NestedRows
from tree_explainers.relational.queries import Feature
from tree_explainers.relational.query_trie import QueryTrie

CUSTOMER = {"id": 7, "age": 40, "is_vip": True, "as_of": "2024-06-01", "branch_id": None, "adviser_id": None}
ACCOUNT = {"id": "a1", "kind": "credit", "balance": 3.5, "customer_id": "7", "holder_id": None, "opened_at": None}
TRANSACTION = {"amount": 10, "kind": "cash", "account_id": "a1", "booked_at": "2024-05-31T23:59:59+00:00"}
NESTED: dict[str, Any] = {"customer": [CUSTOMER], "account": [ACCOUNT], "transaction": [TRANSACTION]}

ACCOUNTS = {"id": "a", "from": "example", "by": "account.customer_id"}
TRANSACTIONS = {"id": "b", "from": "a", "by": "transaction.account_id"}


def _feature(kind: str, measure: Any = None, conditions: Any = ()) -> Feature:
    document = {"kind": kind, "variables": [ACCOUNTS, TRANSACTIONS], "conditions": conditions, "measure": measure}
    return feature_of(document, BANK)


CASH = _feature("count", None, [{"variable": "b", "column": "kind", "operator": "=", "value": "cash"}])
LARGEST = _feature("max", {"variable": "b", "column": "amount"})
KINDS = _feature("n_distinct", {"variable": "b", "column": "kind"})
AGE = feature_of({"kind": "value", "measure": {"variable": "example", "column": "age"}}, BANK)


def _vector(instance: Mapping[str, Any], *features: Feature) -> list[float]:
    trie = QueryTrie(features or (CASH, LARGEST, KINDS, AGE), BANK)
    values: list[float] = trie.vector(NestedRows(BANK, trie.used).rows_of(instance)).tolist()
    return values


def test_one_example_is_evaluated_from_its_rows() -> None:
    assert _vector(NESTED) == [1.0, 10.0, 1.0, 40.0]


def test_rows_from_the_cutoff_on_and_without_a_time_are_not_seen() -> None:
    later = [
        {**TRANSACTION, "booked_at": "2024-06-01", "amount": 99},
        {**TRANSACTION, "booked_at": "2024-06-01T02:00:00+02:00", "amount": 98},
        {**TRANSACTION, "booked_at": datetime(2024, 6, 2, tzinfo=UTC), "amount": 97},
        {**TRANSACTION, "booked_at": None, "amount": 96},
    ]
    assert _vector({**NESTED, "transaction": [*later, TRANSACTION]}) == [1.0, 10.0, 1.0, 40.0]


def test_numbers_of_any_length_are_times() -> None:
    customer = {**CUSTOMER, "as_of": 10**400}
    later = {**TRANSACTION, "booked_at": 10**401}
    assert _vector({**NESTED, "customer": [customer], "transaction": [later]}, CASH) == [0.0]
    assert _vector({**NESTED, "customer": [customer], "transaction": [{**TRANSACTION, "booked_at": 1}]}, CASH) == [1.0]


def test_a_new_category_equals_no_level_but_is_a_value() -> None:
    new = [{**TRANSACTION, "kind": kind} for kind in ("cheque", "card", "card", None)]
    counts = _vector({**NESTED, "transaction": [TRANSACTION, *new]}, CASH, KINDS)
    assert counts == [1.0, 3.0]


def test_empty_tables_and_missing_values_are_missing() -> None:
    assert _vector({"customer": [{**CUSTOMER, "age": None}]}, CASH, KINDS) == [0.0, 0.0]
    assert np.isnan(_vector({"customer": [{**CUSTOMER, "age": None}]}, LARGEST, AGE)).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"card": []}, "there is no table 'card'; the tables are customer, branch"),
        ({"acount": []}, "did you mean 'account'?"),
        ({"account": [{**ACCOUNT, "balanse": 1}]}, "did you mean 'balance'?"),
        ({"customer": []}, "table customer has 0 rows; one row, the example, is expected"),
        ({"customer": [CUSTOMER, {**CUSTOMER, "id": 8}]}, "table customer has 2 rows"),
        ({"account": [ACCOUNT, ACCOUNT]}, "two rows of table account have the key id a1"),
        (
            {"transaction": [{**TRANSACTION, "account_id": "a2"}]},
            "row 0 of table transaction refers by account_id a2 to a row of account that was not sent",
        ),
        (
            {"account": [{**ACCOUNT, "customer_id": 8}]},
            "refers by customer_id 8 to a row of customer that was not sent",
        ),
        ({"account": [{**ACCOUNT, "colour": "red"}]}, "table account has no column 'colour'"),
        ({"transaction": [{"kind": "cash", "account_id": "a1", "booked_at": None}]}, "lacks amount; null is missing"),
        ({"transaction": [{**TRANSACTION, "amount": "much"}]}, "amount of table transaction is 'much'"),
        ({"transaction": [{**TRANSACTION, "amount": True}]}, "amount of table transaction is True"),
        ({"transaction": [{**TRANSACTION, "kind": False}]}, "kind of table transaction is False"),
        ({"transaction": [{**TRANSACTION, "kind": ["cash"]}]}, "kind of table transaction is ['cash']; it is to be a"),
        ({"transaction": [{**TRANSACTION, "kind": {"a": 1}}]}, "kind of table transaction is {'a': 1}"),
        (
            {"transaction": [{**TRANSACTION, "kind": 1}, {**TRANSACTION, "kind": True}]},
            "kind of table transaction is T",
        ),
        ({"transaction": [{**TRANSACTION, "booked_at": "yesterday"}]}, "booked_at of table transaction is 'yesterday'"),
        (
            {"transaction": [{**TRANSACTION, "booked_at": 1_717_113_600}]},
            "booked_at of table transaction is 1717113600 and as_of of the example '2024-06-01'; send both as numbers",
        ),
        ({"customer": [{**CUSTOMER, "as_of": 1_717_113_600}]}, "and as_of of the example 1717113600; send both"),
        ({"transaction": [["cash"]]}, "row 0 of table transaction is to be an object"),
        ({"transaction": "cash"}, "table transaction is to be a list of rows"),
        ({"customer": [{name: CUSTOMER[name] for name in ("id", "age")}]}, "row 0 of table customer lacks as_of"),
    ],
)
def test_nested_rows_that_do_not_fit_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(RowRefused) as refused:
        _vector({**NESTED, **changes})

    assert refused.value.code == "schema_mismatch"
    assert words in refused.value.detail


def test_references_that_no_feature_follows_need_no_rows() -> None:
    assert _vector({**NESTED, "customer": [{**CUSTOMER, "branch_id": 3}]}) == [1.0, 10.0, 1.0, 40.0]
    branch = {"id": 4, "region": "north", "n_desks": 1}
    with pytest.raises(RowRefused, match="refers by branch_id 3"):
        _vector({**NESTED, "customer": [{**CUSTOMER, "branch_id": 3}], "branch": [branch]})


def test_a_number_and_its_text_are_one_category_also_where_no_row_had_it() -> None:
    kinds = ["7", 7, 7.0, "cash", None, "8"]
    rows = [{**TRANSACTION, "kind": kind} for kind in kinds]

    assert _vector({**NESTED, "transaction": rows}, KINDS) == [3.0]


def test_rows_that_combine_in_too_many_ways_are_refused() -> None:
    variables = [{"id": name, "from": "example", "by": "account.customer_id"} for name in "abcd"]
    fours, threes = (feature_of({"kind": "count", "variables": variables[:n]}, BANK) for n in (4, 3))
    accounts = [{**ACCOUNT, "id": str(number)} for number in range(70)]
    nested = {**NESTED, "account": accounts, "transaction": []}

    assert _vector(nested, threes) == [70.0**3]
    with pytest.raises(RowRefused, match="more than 20,000,000 combinations") as refused:
        _vector(nested, fours)
    assert refused.value.code == "too_many_rows"


@st.composite
def _one_example(draw: st.DrawFn) -> tuple[RawTables, list[Feature]]:
    schema = draw(cases.schemas())
    raw = draw(cases.raw_tables(schema, min_examples=1))
    first = {name: values[:1] for name, values in raw.columns[schema.examples].items()}
    raw = RawTables(schema, {**raw.columns, schema.examples: first})
    return raw, draw(st.lists(cases.features(schema), min_size=1, max_size=5))


@drawn(40, 100, case=_one_example())
def test_an_example_alone_has_the_values_that_it_has_in_a_dataset(case: tuple[RawTables, list[Feature]]) -> None:
    raw, features = case
    trie = QueryTrie(features, raw.schema)
    rows = {name: [dict(row) for row in raw.rows(name)] for name in raw.schema.tables}
    _forget_dangling(raw, rows)

    vector = trie.vector(NestedRows(raw.schema, trie.used).rows_of(rows))

    columns = trie.evaluate(relational_rows(raw), n_threads=1)
    expected = [np.nan if column.dtype == np.int32 and column[0] < 0 else float(column[0]) for column in columns]
    np.testing.assert_array_equal(vector, np.array(expected, np.float32))


def _forget_dangling(raw: RawTables, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Make references to rows that there are not missing, as a dataset has them."""
    for key in raw.schema.relationships.values():
        there = {tuple(row[name] for name in key.parent_columns) for row in rows[key.parent]}
        for row in rows[key.child]:
            if tuple(row[name] for name in key.columns) not in there:
                row.update(dict.fromkeys(key.columns))
