"""Relational datasets over HTTP: register several tables, list, read, delete; and each refusal with its pointer."""

import json

import pytest

from schemas.relational_datasets import RelationalDataset
from tests.support.api import Api, Json
from tests.support.tables_upload import BAD_TABLES, BadTables

_PATH = "/v1/relational-datasets"
_CUSTOMERS = (
    "id,age,defaulted,as_of\n1,30,yes,2020-03-01\n2,40,no,2020-03-01T00:00:00+01:00\n3,,no,\n4,50,,2020-03-01\n"
)
_ACCOUNTS = "id,customer_id,kind\na,1,credit\nb,1,debit\nc,,debit\nd,2,credit\n"
_TRANSACTIONS = "account_id,amount,booked_at\na,1.5,2019-12-31 23:59:59.1234567\na,2,2020-01-01\nb,3,\n"
_BANK = {"customer.csv": _CUSTOMERS, "account.csv": _ACCOUNTS, "transaction.csv": _TRANSACTIONS}
_METADATA: Json = {
    "name": "bank",
    "examples": {"table": "customer", "target": "defaulted", "cutoff": "as_of"},
    "tables": [
        {"name": "customer", "primary_key": ["id"]},
        {
            "name": "account",
            "primary_key": ["id"],
            "foreign_keys": [{"columns": ["customer_id"], "references": "customer"}],
        },
        {
            "name": "transaction",
            "foreign_keys": [{"columns": ["account_id"], "references": "account"}],
            "time": "booked_at",
        },
    ],
}


def test_a_bank_is_registered_read_listed_renamed_and_deleted(api: Api) -> None:
    answer = api.upload_tables(_PATH, _BANK, _METADATA)

    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert body["id"].startswith("rds_")
    assert answer.headers["Location"] == f"{_PATH}/{body['id']}"
    RelationalDataset.model_validate(body)
    assert [table["name"] for table in body["tables"]] == ["customer", "account", "transaction"]
    assert body["examples"] == {
        "table": "customer",
        "target": "defaulted",
        "cutoff": "as_of",
        "n": 4,
        "n_labelled": 3,
        "classes": ["no", "yes"],
    }
    assert body["relationships"][0] == {
        "name": "account.customer_id",
        "from": "account",
        "to": "customer",
        "columns": ["customer_id"],
        "n_dangling": 0,
        "n_without": 2,
        "mean_rows": 0.75,
        "max_rows": 2,
        "inferred": False,
    }
    assert (body["unused"], body["warnings"]) == ([], [])
    read = api.get(f"{_PATH}/{body['id']}")
    assert read.json() == body
    assert "ETag" in read.headers
    listed = api.get(_PATH).json()["data"]
    summary = next(each for each in listed if each["id"] == body["id"])
    assert summary == {name: body[name] for name in summary}
    assert api.patch(f"{_PATH}/{body['id']}", {"name": "another"}).json()["name"] == "another"
    assert api.delete(f"{_PATH}/{body['id']}").status_code == 204
    assert api.get(f"{_PATH}/{body['id']}").status_code == 404


def test_the_same_files_and_metadata_are_the_same_dataset(api: Api) -> None:
    first = api.upload_tables(_PATH, _BANK, _METADATA)
    again = api.upload_tables(_PATH, dict(reversed(_BANK.items())), json.dumps(_METADATA, indent=1))
    renamed = api.upload_tables(_PATH, {f"a/b\\{name}": data for name, data in _BANK.items()}, _METADATA)
    other = api.upload_tables(_PATH, {**_BANK, "account.csv": _ACCOUNTS.replace("debit", "cash")}, _METADATA)

    assert (first.status_code, again.status_code, renamed.status_code, other.status_code) == (201, 200, 200, 201)
    assert first.json() == again.json() == renamed.json()
    assert other.json()["id"] != first.json()["id"]
    # Both have the customers' file: what is deleted with one stays with the other.
    assert api.delete(f"{_PATH}/{other.json()['id']}").status_code == 204
    assert api.get(f"{_PATH}/{first.json()['id']}").json() == first.json()


def test_an_idempotency_key_belongs_to_all_files(api: Api) -> None:
    key = {"Idempotency-Key": "one-bank"}
    first = api.upload_tables(_PATH, _BANK, {**_METADATA, "name": "keyed"}, **key)
    again = api.upload_tables(_PATH, _BANK, {**_METADATA, "name": "keyed"}, **key)
    other = api.upload_tables(
        _PATH, {**_BANK, "account.csv": "id,customer_id\n"}, {**_METADATA, "name": "keyed"}, **key
    )

    assert first.json() == again.json()
    assert other.json()["code"] == "idempotency_key_reused"


def test_names_of_tables_may_hold_whatever_forms_and_folders_encode(api: Api) -> None:
    names = ['dbo/"order"', "a%22b", "share %", "back\\slash"]
    files = {"dbo%2F%22order%22.csv": "a\n1\n", "a%22b.csv": "a\n1\n", "share %25.csv": "a\n1\n"}
    files["back%5Cslash.csv"] = "a\n1\n"
    metadata = {"examples": {"table": names[0]}, "tables": [{"name": name} for name in names]}

    made = api.upload_tables(_PATH, files, metadata)

    assert made.status_code == 201, made.text
    assert [table["name"] for table in made.json()["tables"]] == names


_OF_EACH_CODE = list({case.code: case for case in BAD_TABLES if case.limits == BAD_TABLES[0].limits}.values())


@pytest.mark.parametrize("case", _OF_EACH_CODE, ids=lambda case: case.code)
@pytest.mark.sampled("thirds")
def test_refusals_say_what_is_wrong_and_where(api: Api, case: BadTables) -> None:
    files = {f"{name}.csv": content for name, content in case.files.items()}

    refused = api.upload_tables(_PATH, files, case.metadata)

    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (415 if case.code.startswith("unsupported") else 422, case.code)
    assert case.says in problem["detail"]
    assert [each["pointer"] for each in problem["errors"]] == [case.pointer]


def test_forms_have_a_file_at_least_and_64_at_most(api: Api) -> None:
    without = api.http.post(_PATH, data={"metadata": json.dumps(_METADATA)}, files={"metadata2": b""})
    many = api.upload_tables(_PATH, {f"t{index}.csv": "a\n1\n" for index in range(65)}, _METADATA)
    no_metadata = api.http.post(_PATH, files=[("file", ("customer.csv", _CUSTOMERS))])
    tables = [{"name": f"t{index}"} for index in range(64)]
    most = api.upload_tables(
        _PATH,
        {f"t{index}.csv": "a\n1\n" for index in range(64)},
        {"examples": {"table": "t0"}, "tables": tables},
    )

    assert without.json()["code"] == "unknown_field"
    assert (many.status_code, many.json()["code"]) == (422, "validation_failed")
    assert "64 at most" in many.json()["detail"]
    assert no_metadata.json()["errors"][0]["pointer"] == "/metadata"
    assert most.status_code == 201, most.text
    assert most.json()["unused"] == [f"t{index}" for index in range(1, 64)]
