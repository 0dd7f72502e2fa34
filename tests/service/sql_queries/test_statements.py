"""Statements of known tables: their text, odd keys, more subqueries than SQLite joins, and forests of real data."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

import duckdb
import numpy as np
import pytest

from service.sql_queries import NamedTests, node_test, write_features, write_predictions
from service.sql_queries.cases import Case, CaseTree
from service.sql_queries.expressions import sql_text
from storage.errors import StorageError
from tests.service.sql_queries.test_features import check
from tests.service.sql_queries.test_predictions import found_in_engines
from tests.support import bank, relational_data
from tests.support.raw_tables import RawTables, foreign_key, named, relational_rows, table
from tests.support.sampling import mostly_long
from tests.support.sql_engines import ENGINES, by_example, in_duckdb, same_value
from tree_explainers.relational.canonical import canonical
from tree_explainers.relational.feature_texts import names_of
from tree_explainers.relational.forests import ForestSettings, grow_forest
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
from tree_explainers.relational.query_trie import FeatureColumn, evaluate
from tree_explainers.relational.schema import ColumnSchema, Schema, Step
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

Columns = dict[str, list[object]]
ACCOUNT = Variable(EXAMPLE, Step("account.customer_id", "children"))
TRANSACTION = Variable(0, Step("transaction.account_id", "children"))
CREDIT = Condition(0, ColumnTerm("kind"), "=", "credit")
N_CASH = AggregateTerm("count", TRANSACTION.by, None, (Selection(ColumnTerm("kind"), "=", "cash"),))
PAYMENT = (Condition(1, ColumnTerm("kind"), "=", "payment"), Condition(1, ColumnTerm("status"), "=", "returned"))
OVERDRAWN = FeatureTest(Feature("exists", Query((ACCOUNT,), (CREDIT, Condition(0, N_CASH, ">", 2.5)))))
HIGHEST = Feature("max", Query((ACCOUNT, TRANSACTION), PAYMENT), Measure(1, ColumnTerm("amount")))
BOUNCED = FeatureTest(HIGHEST, ">", 300.05)
PLANTED = """\
SELECT
  k1 AS "id",
  CASE
    -- A missing value is NULL: some databases hold NaN to be greater than any number.
    WHEN t1 THEN 'yes'
    WHEN t2 THEN 'yes'
    ELSE 'no'
  END AS prediction
FROM (
  SELECT
    e."id" AS k1,
    -- account: kind is credit, over 2 transactions of kind cash
    e."id" IN (
      SELECT x1."customer_id"
      FROM "account" AS x1
      LEFT JOIN (
        SELECT y1."account_id" AS k1, COUNT(*) AS v
        FROM "transaction" AS y1
        WHERE y1."account_id" IS NOT NULL AND y1."kind" = 'cash'
        GROUP BY y1."account_id"
      ) AS x1g1 ON x1g1.k1 = x1."id"
      WHERE x1."kind" = 'credit' AND COALESCE(x1g1.v, 0) > 2.5 AND x1."customer_id" IS NOT NULL
    ) AS t1,
    -- largest amount of returned payments > 300.05
    e."id" IN (
      SELECT x1."customer_id"
      FROM "account" AS x1
      JOIN "transaction" AS x2 ON x2."account_id" = x1."id"
      WHERE x2."kind" = 'payment' AND x2."status" = 'returned' AND x1."customer_id" IS NOT NULL AND x2."amount" > 300.05
    ) AS t2
  FROM "customer" AS e
) AS tests
"""


def _planted(schema: Schema) -> str:
    """Return the bank's concept as SQL."""
    tests = NamedTests()
    overdrawn = tests.condition(
        node_test(schema, "account: kind is credit, over 2 transactions of kind cash", OVERDRAWN)
    )
    bounced = tests.condition(node_test(schema, "largest amount of returned payments", BOUNCED))
    steps = [Case([overdrawn], 1, 2), None, Case([bounced], 3, 4), None, None]
    return write_predictions(schema, tests, CaseTree(steps, ["", "'yes'", "", "'yes'", "'no'"]).lines())


@pytest.mark.parametrize("cutoffs", [False, True])
def test_a_planted_concept_is_printed_and_found_again(cutoffs: bool) -> None:
    raw = bank.bank(2_000, cutoffs=cutoffs, noise=0.0)
    sql = _planted(raw.schema)

    labels = list(raw.columns["customer"]["defaulted"])

    assert found_in_engines(raw, sql) == [labels, labels]
    assert cutoffs or sql == PLANTED


def _composite() -> RawTables:
    """Return customers named by two columns, whose orders name them in part, wholly, or not at all."""
    key, number, time = ColumnSchema("key"), ColumnSchema("number"), ColumnSchema("time")
    own = ["branch", "number"]
    tables = {
        "customer": table({"branch": key, "number": key, "sponsor": key, "as_of": time}, own),
        "order": table({"branch": key, "number": key, "size": number, "at": time}, time="at"),
    }
    keys = named(foreign_key("order", own, "customer", own))
    customers: Columns = {
        "branch": ["a", "a", "b"],
        "number": [1, 2, 1],
        "sponsor": [None] * 3,
        "as_of": [5.0, 3.0, None],
    }
    orders: Columns = {
        "branch": ["a", "a", "a", None, "b", "b", "c"],
        "number": [1, 1, None, 1, 1, 2, 1],
        "size": [0.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0],
        "at": [1.0, 4.0, 1.0, 1.0, 1.0, 1.0, None],
    }
    return RawTables(Schema(tables, keys, "customer", None, "as_of"), {"customer": customers, "order": orders})


@pytest.mark.parametrize("cutoff", ["as_of", None])
def test_examples_named_by_several_columns(cutoff: str | None) -> None:
    raw = _composite()
    raw = replace(raw, schema=replace(raw.schema, cutoff=cutoff))
    step = Step("order.branch,number", "children")
    query, small = Query((Variable(EXAMPLE, step),)), Condition(0, ColumnTerm("size"), "<=", 1.0)
    total = AggregateTerm("sum", step, ColumnTerm("size"))
    features = [
        Feature("exists", query),
        Feature("exists", Query(query.variables, (small,))),
        Feature("share", Query(query.variables, (small,))),
        Feature("sum", query, Measure(0, ColumnTerm("size"))),
        Feature("value", Query(), Measure(EXAMPLE, total)),
        Feature("exists", Query((), (Condition(EXAMPLE, total, ">", 2.0),))),
    ]
    check(raw, features)


def test_rows_that_are_reached_in_several_ways_count_once() -> None:
    """A customer's branch is reached by each of its accounts; its desks are counted once, before the cutoff."""
    key, time = ColumnSchema("key"), ColumnSchema("time")
    tables = {
        "customer": table({"id": key, "as_of": time}, ["id"]),
        "account": table({"customer": key, "branch": key}),
        "branch": table({"id": key}, ["id"]),
        "desk": table({"branch": key, "at": time}, time="at"),
    }
    keys = named(
        foreign_key("account", ["customer"], "customer", ["id"]),
        foreign_key("account", ["branch"], "branch", ["id"]),
        foreign_key("desk", ["branch"], "branch", ["id"]),
    )
    columns: dict[str, Columns] = {
        "customer": {"id": [1, 2], "as_of": [4.0, 2.0]},
        "account": {"customer": [1, 1, 2, 2], "branch": [7, 7, 7, None]},
        "branch": {"id": [7]},
        "desk": {"branch": [7, 7, 7], "at": [1.0, 3.0, 5.0]},
    }
    raw = RawTables(Schema(tables, keys, "customer", None, "as_of"), columns)
    ways = (Variable(EXAMPLE, Step("account.customer", "children")), Variable(0, Step("account.branch", "parent")))
    n_desks = AggregateTerm("count", Step("desk.branch", "children"))
    check(raw, [Feature("max", Query(ways), Measure(1, n_desks)), Feature("sum", Query(ways), Measure(1, n_desks))])


def test_more_subqueries_than_sqlite_joins() -> None:
    raw = bank.bank(20, mean_transactions=6)
    kinds, functions = bank.TRANSACTION_KINDS, ("max", "min", "mean", "sum", "n_distinct")
    features = [
        Feature(function, Query((ACCOUNT, TRANSACTION), conditions), Measure(1, ColumnTerm("amount")))  # type: ignore[arg-type]
        for kind, of, status, function in product(kinds, bank.ACCOUNT_KINDS, bank.STATUSES, functions)
        for conditions in _conditions(kind, of, status)
    ]
    check(raw, features)


def _conditions(kind: str, of: str, status: str) -> list[tuple[Condition, ...]]:
    by_kind, by_account = Condition(1, ColumnTerm("kind"), "=", kind), Condition(0, ColumnTerm("kind"), "=", of)
    by_status = Condition(1, ColumnTerm("status"), "=", status)
    return [(by_kind, by_account, by_status), (by_kind, by_account), (by_account, by_status), (by_kind, by_status)]


def test_keys_that_were_inferred_are_named_above_the_statement() -> None:
    raw = _composite()
    schema = replace(raw.schema, cutoff=None)
    foreign_keys = {name: replace(key, is_inferred=True) for name, key in schema.relationships.items()}
    examples = replace(schema.tables["customer"], is_key_inferred=True)
    inferred = replace(schema, tables={**schema.tables, "customer": examples}, relationships=foreign_keys)
    features = {"any": Feature("exists", Query((Variable(EXAMPLE, Step("order.branch,number", "children")),)))}

    declared_sql, sql = (write_features(each, features) for each in (schema, inferred))

    about = [
        "-- Table customer has no declared primary key; it is inferred to be branch, number.",
        "-- Foreign keys that are inferred, not declared: order.branch,number -> customer.",
    ]
    assert sql == "\n".join([*about, declared_sql])
    with in_duckdb(raw) as run:
        assert run(sql) == run(declared_sql) != []
    assert write_predictions(inferred, NamedTests(), ["1"]).startswith("\n".join(about))
    assert Schema.from_json(json.loads(json.dumps(inferred.to_json()))) == inferred


def test_examples_without_a_key_and_names_that_sql_cannot_write_are_refused() -> None:
    schema = bank.schema()
    without_key = replace(schema.tables["customer"], primary_key=())

    with pytest.raises(StorageError, match="no primary key"):
        write_features(replace(schema, tables={**schema.tables, "customer": without_key}), {"f": HIGHEST})
    with pytest.raises(StorageError, match="NUL"):
        write_features(schema, {"a\0b": HIGHEST})


def test_the_engine_that_checks_sql_reaches_nothing_else() -> None:
    with in_duckdb(bank.bank(3)) as run:
        for forbidden in ("SELECT * FROM read_text('/etc/hostname')", "SET threads = 2", "INSTALL json"):
            with pytest.raises(duckdb.Error):
                run(forbidden)


REAL: dict[str, Callable[[], RawTables]] = {
    "mutagenesis": relational_data.mutagenesis,
    "bank": lambda: bank.bank(300, seed=5, cutoffs=True, mean_transactions=8),
}


@pytest.mark.parametrize("name", mostly_long(REAL, "bank"))
def test_every_feature_and_tree_of_a_forest_is_what_its_columns_say(name: str) -> None:
    raw = REAL[name]()
    rows = relational_rows(raw)
    forest = grow_forest(rows, ForestSettings(n_trees=3, tree=TildeSettings(test_share=0.25)), n_threads=2)
    columns = dict(zip(forest.features, evaluate(forest.features, rows), strict=True))
    assert len(columns) > 10
    reached = [[(str(place),) for place in _leaves(tree, columns)] for tree in forest.trees]
    names = names_of(forest.features, raw.schema)
    features = write_features(raw.schema, dict(zip(names, forest.features, strict=True)))

    for engine in ENGINES.values():
        with engine(raw) as run:
            assert [by_example(raw, run(_as_sql(raw.schema, tree))) for tree in forest.trees] == reached
            found = zip(*by_example(raw, run(features)), strict=True)
        for values, column in zip(found, columns.values(), strict=True):
            expected = [None if np.isnan(value) else value for value in column.tolist()]
            assert all(map(same_value, values, expected))


def _as_sql(schema: Schema, tree: TildeTree) -> str:
    """Return the place of the leaf that an example reaches, as SQL."""
    tests = NamedTests()
    steps = [
        None
        if node.test is None
        else Case([tests.condition(node_test(schema, f"node {place}", node.test))], node.yes, node.no)
        for place, node in enumerate(tree.nodes)
    ]
    leaves = [sql_text(str(place)) for place in range(len(tree.nodes))]
    return write_predictions(schema, tests, CaseTree(steps, leaves).lines())


def _leaves(tree: TildeTree, columns: Mapping[Feature, FeatureColumn]) -> list[int]:
    """Return the place of the leaf that each example reaches, by the columns of the features."""
    of = {
        place: columns[canonical(node.test.feature)] for place, node in enumerate(tree.nodes) if node.test is not None
    }
    n_examples = len(next(iter(columns.values())))
    return [
        _leaf(tree, {place: column[example].item() for place, column in of.items()}) for example in range(n_examples)
    ]


def _leaf(tree: TildeTree, values: Mapping[int, float]) -> int:
    place = 0
    while (test := tree.nodes[place].test) is not None:
        if test.operator is None or test.cut is None:
            passes = bool(values[place])
        else:
            passes = values[place] > test.cut if test.operator == ">" else values[place] <= test.cut
        place = tree.nodes[place].yes if passes else tree.nodes[place].no
    return place
