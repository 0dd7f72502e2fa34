"""Rows of relational datasets: another delivery of the same schema, and which differences are reported."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from schemas.relational_datasets import RelationalDataset
from storage.errors import StorageError
from storage.relational_datasets import check_same_schema, with_ids_of

Json = dict[str, Any]


def _column(name: str, kind: str = "number", role: str = "feature", n_missing: int = 0) -> Json:
    counts = {"n_missing": n_missing, "n_categories": None, "categories": None, "min": None, "max": None}
    return {"name": name, "type": kind, "role": role, **counts}


def _table(name: str, *columns: Json, primary_key: tuple[str, ...] = ("id",), time: str | None = None) -> Json:
    return {
        "name": name, "sha256": "", "size_bytes": 1, "n_rows": 3, "primary_key": primary_key, "time": time,
        "columns": columns,
    }  # fmt: skip


def _dataset() -> Json:
    key = {
        "name": "account.customer_id", "from": "account", "to": "customer", "columns": ["customer_id"], "n_dangling": 0,
        "n_without": 0, "mean_rows": 1.0, "max_rows": 1, "inferred": False,
    }  # fmt: skip
    target = _column("defaulted", "category", "target")
    return {
        "id": "rds_2", "name": None, "size_bytes": 3, "n_tables": 3, "n_rows": 9, "n_columns": 8, "n_examples": 3,
        "target": "defaulted", "created_at": 0.0, "relationships": [key], "unused": ["apart"], "warnings": [],
        "tables": [
            _table("customer", _column("id", "category", "key"), _column("age"), target),
            _table(
                "account", _column("customer_id", "category", "key"), _column("at", role="time"), primary_key=(),
                time="at",
            ),
            _table("apart", _column("id", "category", "key")),
        ],
        "examples": {
            "table": "customer", "target": "defaulted", "cutoff": None, "n": 3, "n_labelled": 3,
            "classes": ["no", "yes"],
        },
    }  # fmt: skip


def _without_table(document: Json) -> None:
    document["tables"][1]["name"] = "accounts"


def _without_column(document: Json) -> None:
    document["tables"][0]["columns"] = document["tables"][0]["columns"][::2]


def _of_another_type(document: Json) -> None:
    document["tables"][0]["columns"][1]["type"] = "category"


def _of_another_key(document: Json) -> None:
    document["tables"][0]["primary_key"] = []


def _without_time(document: Json) -> None:
    document["tables"][1]["time"] = None


def _without_foreign_key(document: Json) -> None:
    document["relationships"] = []


def _of_other_examples(document: Json) -> None:
    document["examples"]["table"] = "account"


def _with_a_cutoff(document: Json) -> None:
    document["examples"]["cutoff"] = "at"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_without_table, "no table 'account'"),
        (_without_column, "table 'customer' has no column 'age'"),
        (_of_another_type, "column 'age' of its table 'customer' is a feature of type category instead"),
        (_of_another_key, "primary key of its table 'customer' is []"),
        (_without_time, "time of its table 'account' is None"),
        (_without_foreign_key, "no foreign key 'account.customer_id' that refers to 'customer'"),
        (_of_other_examples, "its examples are rows of 'account'"),
        (_with_a_cutoff, "its cutoff is 'at' instead of None"),
    ],
)
def test_another_schema_is_refused_with_the_first_difference(change: Callable[[Json], None], said: str) -> None:
    document = _dataset()
    change(document)

    with pytest.raises(StorageError) as refused:
        check_same_schema(*map(RelationalDataset.model_validate, (_dataset(), document)))

    assert refused.value.code == "schema_mismatch"
    assert said in refused.value.detail


def test_a_delivery_may_have_more_lack_its_labels_and_hold_columns_without_values() -> None:
    document = _dataset()
    customer, account, _ = document["tables"]
    document["tables"] = [account, customer, _table("more", _column("x"))]
    customer["columns"] = [customer["columns"][0], _column("age", "category", n_missing=3), _column("new")]

    check_same_schema(*map(RelationalDataset.model_validate, (_dataset(), document)))


def test_ids_of_a_delivery_are_those_of_the_first_dataset() -> None:
    """Fewer rows may all have another value, or too few to tell."""
    first = _dataset()
    first["tables"][0]["columns"] = [*first["tables"][0]["columns"], _column("number", role="id")]
    delivery = copy.deepcopy(first)
    for column in delivery["tables"][0]["columns"]:
        column["role"] = {"age": "id", "number": "feature"}.get(column["name"], column["role"])
    views = [RelationalDataset.model_validate(each) for each in (first, delivery)]

    check_same_schema(*views)

    assert with_ids_of(*views).tables == views[0].tables
