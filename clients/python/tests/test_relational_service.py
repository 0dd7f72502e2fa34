"""Several tables through the SDK against a real service: from data frames and a database to explanations."""

import asyncio
import pickle
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from leafspace_client import (
    AsyncLeafspace,
    Conflict,
    FeatureSet,
    Invalid,
    Leafspace,
    RelationalDataset,
    RelationalForest,
)
from leafspace_client.types import Problem
from xgboost import XGBClassifier

from tests.support.bank import bank
from tests.support.patience import PATIENCE_SECONDS
from tests.support.serving import Service

_N_CUSTOMERS = 150
_DDL = """
CREATE TABLE customer (id INT PRIMARY KEY, region TEXT, age DOUBLE, as_of TIMESTAMP, defaulted TEXT);
CREATE TABLE account (id INT PRIMARY KEY, customer_id INT REFERENCES customer, kind TEXT, "limit" DOUBLE);
CREATE TABLE transaction (
    account_id INT REFERENCES account, kind TEXT, status TEXT, amount DOUBLE, booked_at TIMESTAMP
)
"""


def bank_tables() -> dict[str, pd.DataFrame]:
    columns = bank(_N_CUSTOMERS, cutoffs=True, mean_transactions=10).columns
    tables = {name: pd.DataFrame(of) for name, of in columns.items()}
    begin = pd.Timestamp("2024-01-01")
    for table, column in (("customer", "as_of"), ("transaction", "booked_at")):
        tables[table][column] = begin + pd.to_timedelta(tables[table][column], unit="D")
    return tables


def registered(
    client: Leafspace,
    tables: Any,  # data frames, or a database
    cutoff: str | None = "as_of",
    name: str | None = None,
) -> RelationalDataset:
    return client.register_relational_dataset(tables, examples="customer", target="defaulted", cutoff=cutoff, name=name)


@pytest.fixture(scope="module")
def forest(service: Service) -> Iterator[RelationalForest]:
    """Five trees that are learned from the bank."""
    with Leafspace(service.url) as client:
        dataset = client.register_relational_dataset(
            bank_tables(), examples="customer", target="defaulted", cutoff="as_of"
        )
        yield client.relational_forests.create(dataset, n_trees=5, language={"max_variables": 2}).wait(
            timeout=PATIENCE_SECONDS
        )


def nested(customer_id: int) -> dict[str, Any]:
    tables = bank_tables()
    accounts = tables["account"][tables["account"]["customer_id"] == customer_id]
    return {
        "customer": tables["customer"].iloc[customer_id].drop("defaulted"),  # a Series: one row
        "account": accounts.set_index("id"),
        "transaction": tables["transaction"][tables["transaction"]["account_id"].isin(accounts["id"])].to_dict(
            "records"
        ),
    }


def test_tables_are_registered_and_shown_with_their_keys(client: Leafspace) -> None:
    tables = bank_tables()

    dataset = client.register_relational_dataset(
        tables, examples="customer", target="defaulted", cutoff="as_of", name="bank"
    )

    assert str(dataset).splitlines()[:3] == [
        f"customer: {_N_CUSTOMERS} rows, key id (inferred)",
        f"  the examples, {_N_CUSTOMERS} of them labelled by defaulted (no, yes), each before its as_of",
        f"account: {len(tables['account'])} rows, key id (inferred)",
    ]
    assert str(dataset).splitlines()[4].endswith(" rows, time booked_at")
    assert [each.name for each in dataset.relationships] == ["account.customer_id", "transaction.account_id"]
    assert (
        client.register_relational_dataset(
            tables, examples="customer", target="defaulted", cutoff="as_of", name="bank"
        ).id
        == dataset.id
    )


def test_dates_that_may_tell_the_target_are_warned_of(client: Leafspace) -> None:
    dataset = registered(client, bank_tables(), cutoff=None)

    assert "Warning: table transaction has dates (booked_at) and no time" in repr(dataset)
    assert "Warning: table transaction has dates (booked_at) and no time" in str(dataset)


def test_a_database_is_registered_as_its_tables_are(client: Leafspace) -> None:
    tables = bank_tables()
    with duckdb.connect() as connection:
        connection.execute(_DDL)
        for name, frame in tables.items():
            connection.register("frame", frame)
            connection.execute(f"INSERT INTO {name} SELECT * FROM frame")  # noqa: S608  # our own names

        dataset = client.register_relational_dataset(
            connection, examples="customer", target="defaulted", cutoff="as_of"
        )

    assert [table.n_rows for table in dataset.tables] == [len(tables[table.name]) for table in dataset.tables]
    assert [(each.name, each.inferred) for each in dataset.relationships] == [
        ("account.customer_id", False),
        ("transaction.account_id", False),
    ]


def test_relational_datasets_are_listed_renamed_pickled_and_deleted(client: Leafspace) -> None:
    made = client.register_relational_dataset({"drug": [{"id": 1, "x": 2.5}, {"id": 2, "x": 0.5}]}, examples="drug")
    (listed,) = [each for each in client.relational_datasets.list() if each.id == made.id]

    assert listed.name is None
    assert listed.examples.n == 2  # which lists lack
    assert made.rename("drugs").name == "drugs"
    assert pickle.loads(pickle.dumps(made)).name == "drugs"  # noqa: S301  # our own
    client.relational_datasets.delete(made)
    assert made.id not in [each.id for each in client.relational_datasets.list()]


def test_the_service_says_what_is_wrong_with_tables(client: Leafspace) -> None:
    tables = {"customer": [{"id": 1}, {"id": 1}]}

    with pytest.raises(Invalid) as refused:
        client.register_relational_dataset(tables, examples="customer", keys={"customer": "id"})

    assert refused.value.code == "relational_key_not_unique"


def test_coroutines_register_tables(service: Service) -> None:
    async def made() -> Any:  # an async dataset
        async with AsyncLeafspace(service.url) as client:
            dataset = await client.register_relational_dataset(
                bank_tables(), examples="customer", target="defaulted", cutoff="as_of"
            )
            (listed,) = [each async for each in client.relational_datasets.list() if each.id == dataset.id]
            with pytest.raises(Conflict, match="is not loaded here"):
                _ = pickle.loads(pickle.dumps(listed)).examples  # noqa: S301  # our own
            return dataset

    assert asyncio.run(made()).examples.cutoff == "as_of"


def test_a_forest_publishes_what_every_method_takes(client: Leafspace, forest: RelationalForest) -> None:
    assert str(forest).startswith("5 trees, ")
    assert "\nOut of bag, " in str(forest)
    assert len(forest.trees) == 5
    assert isinstance(forest.feature_set, FeatureSet)
    assert client.models.get(forest.model).feature_names == [each.name for each in forest.feature_set.features]
    (listed,) = client.feature_sets.list(relational_dataset=forest.details.request.relational_dataset)
    assert listed.id == forest.feature_set.id


def test_a_tree_for_the_forest_is_sql_over_the_tables(client: Leafspace, forest: RelationalForest) -> None:
    tree = client.approximation_trees.create(forest.model, forest.dataset, max_depth=8, min_samples_leaf=1)
    tree.wait(timeout=PATIENCE_SECONDS)

    assert tree.result.method == "ism"
    assert tree.export("sql", over="features").startswith("CASE")
    assert sql_answers(tree.export("sql")) == printed_answers(tree.export("python"), forest.feature_set.to_frame())


def sql_answers(query: str) -> dict[str, str]:
    with duckdb.connect() as connection:
        for name, frame in bank_tables().items():
            connection.register(name, frame)
        return {str(row[0]): row[-1] for row in connection.execute(query).fetchall()}


def printed_answers(code: str, rows: pd.DataFrame) -> dict[str, str]:
    printed: dict[str, Any] = {}
    exec(code, printed)  # noqa: S102  # what the service prints
    return {
        str(row_id): printed["predict"](row) for row_id, row in zip(rows.index, rows.to_dict("records"), strict=True)
    }


def test_features_are_columns_for_any_library(client: Leafspace, forest: RelationalForest) -> None:
    features = forest.feature_set
    rows = features.to_frame()

    assert list(rows.columns) == [each.name for each in features.features]
    assert rows.index.tolist() == [str(customer) for customer in bank_tables()["customer"]["id"]]
    assert {str(rows[each.name].dtype) for each in features.features if each.type_ == "boolean"} <= {"bool"}
    assert features.dataset().id == forest.dataset
    booster = XGBClassifier(n_estimators=30).fit(rows, bank_tables()["customer"]["defaulted"] == "yes")
    model = client.register_model(booster, X=rows, classes=["no", "yes"])  # as the dataset's target has them
    rules = client.rule_sets.create(model, features.dataset(), n_restarts=2).wait(timeout=PATIENCE_SECONDS)
    assert len(sql_answers(rules.export("sql"))) == len(rows)


def test_sql_of_features_gives_their_values(forest: RelationalForest) -> None:
    rows = forest.feature_set.to_frame()
    with duckdb.connect() as connection:
        for name, frame in bank_tables().items():
            connection.register(name, frame)
        found = connection.execute(forest.feature_set.sql()).df()

    found = found.set_index(found.columns[0])
    found.index = found.index.astype(str)
    assert list(found.columns) == list(rows.columns)
    np.testing.assert_allclose(found.loc[rows.index].astype(float), rows.astype(float), rtol=1e-6)


def test_features_are_plain_data_that_can_be_sent_again(client: Leafspace, forest: RelationalForest) -> None:
    features, dataset = forest.feature_set, forest.details.request.relational_dataset
    several = features.json()[:3]

    chosen = client.feature_sets.create(dataset, several)
    again = client.feature_sets.create(dataset, features.features[:3])
    generated = client.feature_sets.create(dataset, generate={"depth": 1}).wait(timeout=PATIENCE_SECONDS)

    assert chosen.id == again.id
    assert str(chosen) == "\n".join(each["name"] for each in several)
    assert "number of accounts" in str(generated).splitlines()


def test_values_of_examples_that_are_sent_as_rows_are_those_of_the_dataset(forest: RelationalForest) -> None:
    of_dataset = forest.feature_set.to_frame()

    rows = forest.feature_set.rows([nested(7), {"customer": []}, nested(11)])

    assert [row.status for row in rows] == ["ok", "error", "ok"]
    assert isinstance(rows[1].problem, Problem)
    assert rows[1].problem.code == "schema_mismatch"
    pd.testing.assert_frame_equal(
        pd.concat([rows[:1].to_frame(), rows[2:].to_frame()]).astype(float),
        of_dataset.loc[["7", "11"]].astype(float),
        check_names=False,
    )
    with pytest.raises(Invalid, match="customer"):
        rows.to_frame()
    with pytest.raises(Invalid, match="give a list of examples"):
        forest.feature_set.rows(of_dataset)


def test_examples_without_a_key_have_indices_that_go_on_from_call_to_call(forest: RelationalForest) -> None:
    without_key: Any = {"customer": []}

    rows = forest.feature_set.rows([without_key] * 205)

    assert [row.row_id for row in rows] == [str(index) for index in range(205)]


def test_a_prediction_is_explained_from_the_rows_of_one_example(client: Leafspace, forest: RelationalForest) -> None:
    prototypes = client.prototype_sets.create(forest.model, forest.dataset, n_prototypes=3).wait(
        timeout=PATIENCE_SECONDS
    )
    explainer = client.explainers.create(forest.model, prototypes)
    by_id = explainer.explain(dataset=forest.dataset, row_ids=["7", "11"])

    explanations = explainer.explain([nested(7), nested(11)])

    assert [str(each) for each in explanations] == [str(each) for each in by_id]
    named = explainer.explain([nested(7), nested(11)], row_ids=["a", "b"])
    assert [each.row_id for each in named] == ["a", "b"]
    assert explainer.explain(nested(7))[0].label == by_id["7"].label
    with pytest.raises(Invalid, match="do not mix them with rows"):
        explainer.explain([nested(7), {"age": 3}])


def test_coroutines_do_the_same(service: Service, forest: RelationalForest) -> None:
    async def values() -> Any:  # values of features
        async with AsyncLeafspace(service.url) as client:
            found = await client.relational_forests.get(forest.id)
            return (await found.feature_set.rows([nested(7)]))[0].values

    assert asyncio.run(values()) == forest.feature_set.rows([nested(7)])[0].values
