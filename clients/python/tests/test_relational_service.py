"""Several tables through the SDK against a real service: from data frames and a database to explanations."""

import asyncio
import pickle
from typing import Any

import duckdb
import pandas as pd
import pytest
from leafspace_client import AsyncLeafspace, Conflict, Invalid, Leafspace

from tests.support.bank import bank
from tests.support.serving import Service

_TARGET = {"examples": "customer", "target": "defaulted"}


_DDL = """
CREATE TABLE customer (id INT PRIMARY KEY, region TEXT, age DOUBLE, as_of TIMESTAMP, defaulted TEXT);
CREATE TABLE account (id INT PRIMARY KEY, customer_id INT REFERENCES customer, kind TEXT, "limit" DOUBLE);
CREATE TABLE transaction (
    account_id INT REFERENCES account, kind TEXT, status TEXT, amount DOUBLE, booked_at TIMESTAMP
)
"""


def bank_tables() -> dict[str, pd.DataFrame]:
    columns = bank(120, cutoffs=True, mean_transactions=6).columns
    tables = {name: pd.DataFrame(of) for name, of in columns.items()}
    begin = pd.Timestamp("2024-01-01")
    for table, column in (("customer", "as_of"), ("transaction", "booked_at")):
        tables[table][column] = begin + pd.to_timedelta(tables[table][column], unit="D")
    return tables


def test_tables_are_registered_and_shown_with_their_keys(client: Leafspace) -> None:
    tables = bank_tables()

    dataset = client.register_relational_dataset(tables, **_TARGET, cutoff="as_of", name="bank")

    assert str(dataset).splitlines()[:3] == [
        "customer: 120 rows, key id",
        "  the examples, 120 of them labelled by defaulted (no, yes), each before its as_of",
        f"account: {len(tables['account'])} rows, key id",
    ]
    assert str(dataset).splitlines()[4].endswith(" rows, time booked_at")
    assert [each.name for each in dataset.relationships] == ["account.customer_id", "transaction.account_id"]
    assert client.register_relational_dataset(tables, **_TARGET, cutoff="as_of", name="bank").id == dataset.id


def test_dates_that_may_tell_the_target_are_warned_of(client: Leafspace) -> None:
    dataset = client.register_relational_dataset(bank_tables(), **_TARGET)

    assert "Warning: table transaction has dates (booked_at) and no time" in repr(dataset)
    assert "Warning: table transaction has dates (booked_at) and no time" in str(dataset)


def test_a_database_is_registered_as_its_tables_are(client: Leafspace) -> None:
    tables = bank_tables()
    with duckdb.connect() as connection:
        connection.execute(_DDL)
        for name, frame in tables.items():
            connection.register("frame", frame)
            connection.execute(f"INSERT INTO {name} SELECT * FROM frame")  # noqa: S608  # our own names

        dataset = client.register_relational_dataset(connection, **_TARGET, cutoff="as_of")

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
    async def registered() -> Any:  # noqa: ANN401  # an async dataset
        async with AsyncLeafspace(service.url) as client:
            dataset = await client.register_relational_dataset(bank_tables(), **_TARGET, cutoff="as_of")
            (listed,) = [each async for each in client.relational_datasets.list() if each.id == dataset.id]
            with pytest.raises(Conflict, match="is not loaded here"):
                _ = pickle.loads(pickle.dumps(listed)).examples  # noqa: S301  # our own
            return dataset

    assert asyncio.run(registered()).examples.cutoff == "as_of"
