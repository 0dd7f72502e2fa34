"""Several tables as notebooks and databases have them become files that mean the same, with their keys."""

import datetime as dt
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
from leafspace_client import Invalid
from leafspace_client.databases import catalogue_sources, opened
from leafspace_client.relational_tables import Declared, Upload, sources_of, upload_of

from tests.support.databases import new_postgresql_database

_BANK = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, born DATE, score NUMERIC(8, 2), defaulted BOOLEAN, as_of TIMESTAMP);
CREATE TABLE "Account" (
    no INTEGER, branch VARCHAR(10), customer_id INTEGER REFERENCES customer (id), kind VARCHAR(10),
    PRIMARY KEY (branch, no)
);
CREATE TABLE booking (
    branch VARCHAR(10), account_no INTEGER, amount DOUBLE PRECISION, booked_at TIMESTAMP,
    FOREIGN KEY (account_no, branch) REFERENCES "Account" (no, branch)
);
CREATE TABLE weather (day DATE PRIMARY KEY, degrees DOUBLE PRECISION);
INSERT INTO customer VALUES (2, '1980-01-02', 1.50, NULL, '2024-01-01 00:00:00'), (1, NULL, NULL, TRUE, NULL);
INSERT INTO "Account" VALUES (2, 'b', 1, 'credit'), (1, 'b', 1, NULL), (1, 'a', NULL, 'credit');
INSERT INTO booking VALUES ('b', 1, 0.25, '2024-02-03 04:05:06'), ('b', NULL, NULL, NULL)
"""
# DuckDB takes the columns of a foreign key in the order of the primary key alone.
_IN_ORDER = (
    'FOREIGN KEY (account_no, branch) REFERENCES "Account" (no, branch)',
    'FOREIGN KEY (branch, account_no) REFERENCES "Account" (branch, no)',
)
_MOMENT = dt.datetime(2024, 2, 3, 4, 5, 6)  # noqa: DTZ001  # as the columns have no zone
_ROWS = {
    "customer": {
        "id": [1, 2],
        "born": [None, dt.date(1980, 1, 2)],
        "score": [None, 1.5],
        "defaulted": [True, None],
        "as_of": [None, dt.datetime(2024, 1, 1)],  # noqa: DTZ001  # see above
    },
    "Account": {
        "no": [1, 1, 2],
        "branch": ["a", "b", "b"],
        "customer_id": [None, 1, 1],
        "kind": ["credit", None, "credit"],
    },
    "booking": {
        "branch": ["b", "b"],
        "account_no": [1, None],
        "amount": [0.25, None],
        "booked_at": [_MOMENT, None],
    },
}
_TABLES = [
    {
        "name": "Account",
        "primary_key": ["branch", "no"],
        "foreign_keys": [{"columns": ["customer_id"], "references": "customer"}],
    },
    {
        "name": "booking",
        "foreign_keys": [{"columns": ["branch", "account_no"], "references": "Account"}],
        "time": "booked_at",
    },
    {"name": "customer", "primary_key": ["id"]},
]
_DECLARED = Declared("customer", target="defaulted", cutoff="as_of")


def read(upload: Upload) -> dict[str, dict[str, list[Any]]]:
    with upload.closing:
        return {name: pq.read_table(io.BytesIO(file.content.read())).to_pydict() for name, file in upload.files.items()}


def uploaded(tables: Mapping[str, Any], declared: Declared) -> Upload:
    return upload_of(sources_of(tables), declared)


def of_database(database: Any, declared: Declared = _DECLARED, only: list[str] | None = None) -> Upload:
    with opened(database) as catalogue:
        return upload_of(catalogue_sources(catalogue, only, declared), declared)


@pytest.fixture(params=["duckdb", "sqlite", "postgresql"])
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "duckdb":
        with duckdb.connect() as connection:
            connection.execute(_BANK.replace(*_IN_ORDER))
            yield connection
        return
    url = f"sqlite:///{tmp_path}/bank.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("empty_postgresql_url")
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in _BANK.split(";"):
            connection.exec_driver_sql(statement)
    yield engine
    engine.dispose()


@pytest.fixture
def empty_postgresql_url(postgresql_url: str) -> Iterator[str]:
    with new_postgresql_database(postgresql_url) as url:
        yield url


def test_tables_keys_and_times_are_read_from_the_catalogue(bank: Any) -> None:  # of any library
    upload = of_database(bank)

    assert upload.metadata["tables"] == _TABLES
    assert upload.metadata["examples"] == {"table": "customer", "target": "defaulted", "cutoff": "as_of"}
    found = read(upload)
    assert {name.removesuffix(".parquet"): columns for name, columns in found.items()} == _ROWS


def test_what_is_declared_comes_before_the_catalogue(bank: Any) -> None:  # of any library
    declared = Declared(
        "weather",
        keys={"weather": "degrees"},
        references={"customer.born": "weather"},
        times={"booking": None, "customer": "as_of"},
        cutoff="day",
    )

    tables = {each["name"]: each for each in of_database(bank, declared).metadata["tables"]}

    assert tables["customer"] == {
        "name": "customer",
        "primary_key": ["id"],
        "foreign_keys": [{"columns": ["born"], "references": "weather"}],
        "time": "as_of",
    }
    assert "time" not in tables["booking"]
    assert tables["weather"] == {"name": "weather", "primary_key": ["degrees"]}


def test_only_the_tables_that_are_named_are_sent(bank: Any) -> None:  # of any library
    upload = of_database(bank, only=["customer", "weather"])

    assert [each["name"] for each in upload.metadata["tables"]] == ["customer", "weather"]
    with pytest.raises(Invalid, match="has no table 'customer'"):
        of_database(bank, only=["weather"])


def test_a_transaction_of_the_callers_goes_on(bank: Any) -> None:  # of any library
    insert = "INSERT INTO customer (id) VALUES (3)"
    if isinstance(bank, sa.Engine):
        with bank.connect() as connection:
            connection.exec_driver_sql(insert)
            seen = read(of_database(connection))
            assert connection.in_transaction()
            connection.commit()
    else:
        bank.begin()
        bank.execute(insert)
        seen = read(of_database(bank))
        bank.commit()

    assert seen["customer.parquet"]["id"] == [1, 2, 3]
    assert read(of_database(bank))["customer.parquet"]["id"] == [1, 2, 3]


def test_rows_of_a_database_are_written_batch_by_batch() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE customer AS SELECT range AS id, range % 7 AS a, 'x' AS b FROM range(700000)")
        upload = of_database(connection, Declared("customer"))
    with upload.closing:
        file = pq.ParquetFile(upload.files["customer.parquet"].content)

        groups = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        assert sum(groups) == 700_000
        assert max(groups) * 3 <= 1_000_000


def test_columns_that_cannot_be_asked_about_are_left_out() -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE customer (id UUID, photo BLOB, tags INT[], hour TIME, size HUGEINT, e ENUM('a'))"
        )
        connection.execute("INSERT INTO customer VALUES (uuid(), 'x', [1], '10:00:00', 7, 'a')")
        with pytest.warns(UserWarning, match="is left out") as warned:
            found = read(of_database(connection, Declared("customer")))

    assert [str(each.message).split(" is left out")[0] for each in warned] == [
        "column 'photo' of table 'customer'",
        "column 'tags' of table 'customer'",
    ]
    (columns,) = found.values()
    assert {name: cells for name, cells in columns.items() if name != "id"} == {
        "hour": ["10:00:00.000000"],
        "size": [7.0],
        "e": ["a"],
    }


def test_a_foreign_key_to_other_columns_is_left_out_with_what_to_do() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE branch (id INTEGER PRIMARY KEY, code TEXT UNIQUE)")
        connection.execute("CREATE TABLE customer (id INTEGER PRIMARY KEY, code TEXT REFERENCES branch (code))")
        with pytest.warns(UserWarning, match=r"pass keys=\{'branch': 'code'\}"):
            of_database(connection, Declared("customer"))

        tables = of_database(connection, Declared("customer", keys={"branch": "code"})).metadata["tables"]

    assert tables[1]["foreign_keys"] == [{"columns": ["code"], "references": "branch"}]


def test_a_value_of_another_type_than_its_column_is_refused(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path}/odd.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE customer (id INTEGER PRIMARY KEY, age INTEGER)")
        connection.exec_driver_sql("INSERT INTO customer VALUES (1, 'old')")

    with pytest.raises(Invalid, match="column 'age' of table 'customer' has a value that is no int64"):
        of_database(engine, Declared("customer"))


def frames() -> dict[str, Any]:
    accounts = pd.DataFrame({"customer_id": [1, np.nan], "kind": pd.Categorical(["credit", None]), "no": [7, 8]})
    bookings = pl.DataFrame({"account_id": [7], "amount": [1.5], "booked_at": [_MOMENT], "kind": ["cash"]})
    return {
        "customer": pd.DataFrame({"born": [pd.Timestamp("1980-01-02"), pd.NaT]}, index=pd.Index([1, 2], name="id")),
        "account": accounts.set_index("no"),
        "booking": bookings.with_columns(pl.col("kind").cast(pl.Categorical)),
        "branch": pa.table({"code": pa.array(["x"]), "size": pa.array([1], pa.int8())}),
        "rate": [{"day": 1, "rate": 0.5}, {"day": 2}],
    }


def test_frames_of_every_library_keep_their_meaning() -> None:
    found = read(uploaded(frames(), Declared("customer")))

    assert found == {
        "customer.parquet": {"id": [1, 2], "born": [dt.datetime(1980, 1, 2), None]},  # noqa: DTZ001  # see above
        "account.parquet": {"no": [7, 8], "customer_id": [1, None], "kind": ["credit", None]},
        "booking.parquet": {"account_id": [7], "amount": [1.5], "booked_at": [_MOMENT], "kind": ["cash"]},
        "branch.parquet": {"code": ["x"], "size": [1]},
        "rate.parquet": {"day": [1, 2], "rate": [0.5, None]},
    }
    assert type(found["account.parquet"]["customer_id"][0]) is int


def test_the_only_moments_of_a_table_are_its_time_where_there_is_a_cutoff() -> None:
    def times(declared: Declared) -> dict[str, str]:
        tables = uploaded(frames(), declared).metadata["tables"]
        return {table["name"]: table["time"] for table in tables if "time" in table}

    assert times(Declared("customer")) == {}
    assert times(Declared("customer", cutoff="born")) == {"booking": "booked_at"}
    assert times(Declared("customer", cutoff="born", times={"booking": None})) == {}
    assert times(Declared("rate", times={"customer": "born"})) == {"customer": "born"}


def test_keys_are_declared_in_a_few_words() -> None:
    declared = Declared(
        "customer",
        keys={"customer": "id", "account": ["no", "kind"]},
        references={"account.customer_id": "customer", "booking.account_id, kind": "account"},
        categories={"branch": "size"},
        infer_keys=False,
    )

    metadata = uploaded(frames(), declared).metadata

    assert metadata["infer_keys"] is False
    assert metadata["tables"][:4] == [
        {"name": "customer", "primary_key": ["id"]},
        {
            "name": "account",
            "primary_key": ["no", "kind"],
            "foreign_keys": [{"columns": ["customer_id"], "references": "customer"}],
        },
        {"name": "booking", "foreign_keys": [{"columns": ["account_id", "kind"], "references": "account"}]},
        {"name": "branch", "categories": ["size"]},
    ]


def test_files_are_sent_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "2024-05.csv"
    path.write_bytes(b"id\n1\n")

    upload = uploaded({"customer": path}, Declared("customer"))

    with upload.closing:
        assert {name: file.content.read() for name, file in upload.files.items()} == {"customer.csv": b"id\n1\n"}


def test_names_of_tables_are_encoded_where_forms_and_folders_would_change_them() -> None:
    upload = uploaded({'dbo/"order"': [{"id": 1}], "share\\%": [{"id": 1}]}, Declared('dbo/"order"'))

    with upload.closing:
        assert list(upload.files) == ["dbo%2F%22order%22.parquet", "share%5C%25.parquet"]


@pytest.mark.parametrize(
    ("tables", "declared", "message"),
    [
        ({"a": [{"x": 1}]}, Declared("b"), "examples names the table 'b', but the tables are 'a'"),
        ({"a": [{"x": 1}]}, Declared("a", keys={"b": "x"}), "keys names the table 'b'"),
        ({"a": [{"x": 1}]}, Declared("a", references={"a.x": "b"}), "references names the table 'b'"),
        ({"a": [{"x": 1}]}, Declared("a", references={"b.x": "a"}), "name a foreign key as table.column"),
        ({"a": 7}, Declared("a"), "table 'a' is of type int"),
        ({"a": "/no/such.csv"}, Declared("a"), "cannot read"),
        ({"a": pl.DataFrame({"x": [[1]]})}, Declared("a"), r"column 'x' of table 'a' is of type large_list"),
        (7, Declared("a"), "tables are a int"),
    ],
)
def test_what_cannot_be_tables_is_refused_before_anything_is_sent(
    tables: Any,  # anything
    declared: Declared,
    message: str,
) -> None:
    with pytest.raises(Invalid, match=message):
        uploaded(tables, declared)
