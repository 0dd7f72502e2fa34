"""Relational datasets over HTTP: register several tables, list, read, delete; and each refusal with its pointer."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from schemas.relational_datasets import RelationalDataset
from tests.support.api import Api, Json

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


def _send(
    api: Api, files: Mapping[str, str | bytes], metadata: Mapping[str, Any] | str, **headers: str
) -> httpx.Response:
    parts = [("file", (name, data)) for name, data in files.items()]
    form = {"metadata": metadata if isinstance(metadata, str) else json.dumps(metadata)}
    return api.http.post(_PATH, files=parts, data=form, headers=headers)


def test_a_bank_is_registered_read_listed_renamed_and_deleted(api: Api) -> None:
    answer = _send(api, _BANK, _METADATA)

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
