"""Several tables read together: keys inferred or declared, times, warnings, examples, and schemas of every shape."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.tables_upload import Json, ReadUpload, key, metadata_of, read

_CUSTOMERS = "id,age\n1,30\n2,40\n3,50\n"


def _relationships(upload: ReadUpload) -> dict[str, Json]:
    return {each["name"]: each for each in upload.summary["relationships"]}


def _column(upload: ReadUpload, table: str, name: str) -> Json:
    columns = next(each["columns"] for each in upload.summary["tables"] if each["name"] == table)
    found: Json = next(column for column in columns if column["name"] == name)
    return found


def test_keys_are_inferred_where_names_and_values_agree(tmp_path: Path) -> None:
    files = {
        "customer": _CUSTOMERS,
        "account": "id,customer_id,kind\n10,1,a\n11,3,b\n",
        "payment": "account_id,customer_id,id\n10,9,1\n11,1,1\n",  # one customer is unknown, and the id repeats
        "drug": "drug,y\nx,1\n",
        "atom": "drug,charge\nx,1\nx,2\n,3\n",
    }
    tables = [{"name": name} for name in files]

    inferred = read(tmp_path / "inferred", files, metadata_of({"table": "customer"}, *tables, infer_keys=True))
    declared_only = read(tmp_path / "declared", files, metadata_of({"table": "customer"}, *tables))

    assert list(_relationships(inferred)) == ["account.customer_id", "payment.account_id", "atom.drug"]
    assert all(each["inferred"] for each in inferred.summary["relationships"])
    assert [each["primary_key"] for each in inferred.summary["tables"]] == [["id"], ["id"], [], ["drug"], []]
    assert inferred.parents("atom.drug") == [0, 0, -1]
    assert _column(inferred, "payment", "customer_id") | {"type": "number", "role": "feature", "max": 9} == _column(
        inferred, "payment", "customer_id"
    )
    assert inferred.summary["unused"] == ["drug", "atom"]
    assert declared_only.summary["relationships"] == []
    assert declared_only.summary["unused"] == ["account", "payment", "drug", "atom"]


def test_what_a_table_tells_is_not_taken_for_its_key(tmp_path: Path) -> None:
    """Columns may be called as their table, and have another value in each row, and yet be no key."""
    files = {
        "price": "id,price,code\n1,1.5,\n2,2.5,\n2,3.5,\n",
        "amount": "code,amount\n7,20\n8,30\n",
        "visit": "code,visit\n7,2024-01-01\n8,2024-01-02\n",
        "code": "code\n7\n8\n",
    }
    tables = [{"name": name} | ({"time": "visit"} if name == "visit" else {}) for name in files]

    upload = read(tmp_path, files, metadata_of({"table": "price", "target": "price"}, *tables, infer_keys=True))

    assert [each["primary_key"] for each in upload.summary["tables"]] == [[], [], [], ["code"]]
    roles = [
        _column(upload, *place)["role"] for place in (("price", "price"), ("amount", "amount"), ("visit", "visit"))
    ]
    assert roles == ["target", "feature", "time"]
    assert _column(upload, "price", "price")["type"] == _column(upload, "amount", "amount")["type"] == "number"


def test_a_column_that_no_key_takes_is_what_it_would_be_otherwise(tmp_path: Path) -> None:
    """Codes with zeros in front are texts only where they are keys."""
    files = {"p": "id\n007\n7\n", "c": "p_id,v\n007,01\n7,02\n007,\n", "d": "p_id\n007\n8\n"}
    tables = [{"name": name} for name in files]

    upload = read(tmp_path, files, metadata_of({"table": "p"}, *tables, infer_keys=True))

    assert upload.parents("c.p_id") == [0, 1, 0]
    assert (_column(upload, "d", "p_id")["type"], _column(upload, "d", "p_id")["min"]) == ("number", 7)
    assert _column(upload, "c", "v")["type"] == "number"


def test_cycles_self_references_and_two_keys_to_one_table_are_told_apart_by_name(tmp_path: Path) -> None:
    files = {
        "person": "id,boss,home,birth\n1,,10,11\n2,1,10,\n3,1,11,10\n4,4,11,11\n",
        "town": "id,mayor\n10,2\n11,7\n12,\n",
    }
    keys = [key(["boss"], "person"), key(["home"], "town"), key(["birth"], "town")]
    tables = (
        {"name": "person", "primary_key": ["id"], "foreign_keys": keys},
        {"name": "town", "primary_key": ["id"], "foreign_keys": [key(["mayor"], "person")]},
    )

    upload = read(tmp_path, files, metadata_of({"table": "person"}, *tables))

    assert upload.parents("person.boss") == [-1, 0, 0, 3]
    assert upload.parents("person.home") == [0, 0, 1, 1]
    assert upload.parents("person.birth") == [1, -1, 0, 1]
    assert upload.parents("town.mayor") == [1, -1, -1]
    mayor = _relationships(upload)["town.mayor"]
    assert (mayor["n_dangling"], mayor["n_without"], mayor["mean_rows"], mayor["max_rows"]) == (1, 3, 0.25, 1)
    boss = _relationships(upload)["person.boss"]
    assert (boss["from"], boss["to"], boss["n_without"], boss["max_rows"]) == ("person", "person", 2, 2)
    assert upload.summary["unused"] == []


def test_composite_keys_match_whole(tmp_path: Path) -> None:
    files = {"p": "a,b\n1,x\n1,y\n2,x\n", "c": "q,r\nx,1\nx,2\ny,2\n,1\nx,\ny,1\n"}
    tables = (
        {"name": "p", "primary_key": ["b", "a"]},
        {"name": "c", "foreign_keys": [key(["q", "r"], "p")]},
    )

    upload = read(tmp_path, files, metadata_of({"table": "p"}, *tables))

    assert upload.parents("c.q,r") == [0, 2, -1, -1, -1, 1]
    assert _relationships(upload)["c.q,r"]["n_dangling"] == 1


def test_empty_tables_and_orphans_are_accepted(tmp_path: Path) -> None:
    files = {"p": _CUSTOMERS, "c": "p_id,v\n", "d": "p_id,v\n1,2\n8,3\n,4\n", "nobody": "id,p\n"}
    tables = (
        {"name": "p", "primary_key": ["id"]},
        {"name": "c", "foreign_keys": [key(["p_id"], "p")]},
        {"name": "d", "foreign_keys": [key(["p_id"], "p")]},
        {"name": "nobody", "primary_key": ["id"], "foreign_keys": [key(["p"], "p")]},
    )

    upload = read(tmp_path, files, metadata_of({"table": "p"}, *tables))

    empty, orphans = _relationships(upload)["c.p_id"], _relationships(upload)["d.p_id"]
    assert (empty["n_dangling"], empty["n_without"], empty["mean_rows"], empty["max_rows"]) == (0, 3, 0, 0)
    assert (orphans["n_dangling"], orphans["n_without"]) == (1, 2)
    assert upload.parents("d.p_id") == [0, -1, -1]
    assert [table["n_rows"] for table in upload.summary["tables"]] == [3, 0, 3, 0]


def test_no_example_at_all_is_accepted(tmp_path: Path) -> None:
    upload = read(tmp_path, {"p": "id,y\n"}, metadata_of({"table": "p", "target": "y"}, {"name": "p"}))

    assert upload.summary["examples"] | {"n": 0, "n_labelled": 0, "classes": []} == upload.summary["examples"]


def test_large_fan_out_is_counted(tmp_path: Path) -> None:
    n_children = 200_000
    files = {"p": "id\n1\n2\n", "c": "p\n" + "2\n" * n_children}
    tables = ({"name": "p", "primary_key": ["id"]}, {"name": "c", "foreign_keys": [key(["p"], "p")]})

    relationship = read(tmp_path, files, metadata_of({"table": "p"}, *tables)).summary["relationships"][0]

    assert (relationship["max_rows"], relationship["mean_rows"], relationship["n_without"]) == (200_000, 100_000, 1)


def _parquet(**columns: object) -> bytes:
    target = io.BytesIO()
    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), target)
    return target.getvalue()


@pytest.mark.parametrize(
    "child",
    [
        "p_id,n\n1.0,1\n,2\n2.0,3\n",  # as pandas writes integers beside a gap
        b'[{"p_id": 1}, {"p_id": null}, {"p_id": 2.0}]',
        _parquet(p_id=pa.array([1, None, 2], pa.int16())),
        _parquet(p_id=pa.array([1, None, 2], pa.float64())),
    ],
    ids=["csv", "json", "integers", "floats"],
)
def test_numbers_of_any_form_refer_to_numbers(tmp_path: Path, child: str | bytes) -> None:
    tables = ({"name": "p", "primary_key": ["id"]}, {"name": "c", "foreign_keys": [key(["p_id"], "p")]})

    upload = read(tmp_path, {"p": _parquet(id=[1, 2]), "c": child}, metadata_of({"table": "p"}, *tables))

    assert upload.parents("c.p_id") == [0, -1, 1]


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        ("1970-01-02,", [86_400.0, np.nan]),
        ("1970-01-01T00:00:01,1970-01-01 00:00:01.5", [1.0, 1.5]),
        ("1970-01-01T00:00:01.1234569Z,1970-01-01T01:00+01:00", [1.123456, 0.0]),
        ("1969-12-31T23:59:59-0100,9999-12-31", [3_599.0, 253_402_214_400.0]),
        ("-2.5,7", [-2.5, 7.0]),
        (",", [np.nan, np.nan]),
    ],
)
def test_times_are_numbers_or_seconds_since_1970(tmp_path: Path, cells: str, seconds: list[float]) -> None:
    files = {"p": "id\n1\n", "c": "t,p\n" + "".join(f"{cell},1\n" for cell in cells.split(","))}
    table = {"name": "c", "foreign_keys": [key(["p"], "p")], "time": "t"}

    upload = read(tmp_path, files, metadata_of({"table": "p"}, {"name": "p", "primary_key": ["id"]}, table))

    np.testing.assert_array_equal(upload.arrays["times/c"], seconds)
    assert _column(upload, "c", "t")["role"] == "time"


def test_dates_without_a_time_are_warned_of_and_nothing_else_is(tmp_path: Path) -> None:
    """The leak that matters in practice: rows made after the moment of the prediction."""
    files = {
        "p": "id,born\n1,1990-01-01\n",
        "dated": "p,day,moment,word,n\n1,2020-01-01,,soon,1\n1,2020-02-30,2020-01-01T10:00Z,2020-01-01,2\n",
        "timed": "p,day,other\n1,2020-01-01,2020-01-02\n",
        "apart": "day\n2020-01-01\n",
        "local": "p,a,b,c,d\n1,31.01.2020,1/31/2020 08:00,2020/1/31,1.2.3\n",
    }
    of_p = [key(["p"], "p")]
    tables = (
        {"name": "p", "primary_key": ["id"]},
        {"name": "dated", "foreign_keys": of_p},
        {"name": "local", "foreign_keys": of_p},
        {"name": "timed", "foreign_keys": of_p, "time": "day"},
        {"name": "apart"},
    )

    without = read(tmp_path / "without", files, metadata_of({"table": "p"}, *tables)).summary["warnings"]
    cut_off = read(tmp_path / "cut_off", files, metadata_of({"table": "p", "cutoff": "born"}, *tables))

    of_dates = [("dates_without_time", "dated", ["day", "moment"]), ("dates_without_time", "local", ["a", "b", "c"])]
    of_times = [("time_without_cutoff", "timed", ["day"])]
    apart: list[tuple[str, str, list[str]]] = [("table_not_joined", "apart", [])]
    assert [(each["code"], each["table"], each["columns"]) for each in without] == of_dates + of_times + apart
    assert [(each["code"], each["table"], each["columns"]) for each in cut_off.summary["warnings"]] == of_dates + apart


def test_columns_that_identify_rows_are_warned_of_and_measurements_are_not(tmp_path: Path) -> None:
    """Row numbers, codes and numbers that are called ids, each in a table that is joined."""
    n_rows, rng = 40, np.random.default_rng(0)
    shuffled, measured = rng.permutation(n_rows), rng.normal(size=n_rows).round(6)
    rows = [
        f"{row % 10},{1000 + shuffled[row]},{900_000 * row + 1},C-{row},{measured[row]},{37 * row * row},{row % 7}"
        for row in range(n_rows)
    ]
    header = "p,line,order_no,code,measured,amount,day"
    files = {
        "p": "id,order_no\n" + "".join(f"{row},{row}\n" for row in range(10)),  # too few to tell
        "c": "\n".join([header, *rows, ""]),
    }
    tables: list[dict[str, Any]] = [
        {"name": "p", "primary_key": ["id"]},
        {"name": "c", "foreign_keys": [key(["p"], "p")]},
    ]

    warnings = read(tmp_path / "ids", files, metadata_of({"table": "p"}, *tables)).summary["warnings"]

    found = [(each["code"], each["table"], each["columns"]) for each in warnings]
    assert found == [("column_of_ids", "c", ["line", "order_no", "code"])]
    assert "trees do not test line, order_no, code of table c" in warnings[0]["detail"]


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (["b", "a", "", "b"], ["a", "b"]),
        (["10", "9", "", "-1.5"], ["-1.5", "9", "10"]),
        (["true", "false", "", "true"], ["false", "true"]),
        ([str(value) for value in range(1001)], None),
    ],
    ids=["texts", "numbers", "booleans", "regression"],
)
def test_classes_are_the_labels_in_order(tmp_path: Path, values: list[str], classes: list[str] | None) -> None:
    text = "y,a\n" + "".join(f"{value},1\n" for value in values)

    examples = read(tmp_path, {"p": text}, metadata_of({"table": "p", "target": "y"}, {"name": "p"})).summary[
        "examples"
    ]

    assert examples["classes"] == classes
    assert examples["n_labelled"] == len([value for value in values if value])


def test_codes_are_categories_where_that_is_said(tmp_path: Path) -> None:
    table = {"name": "p", "categories": ["bond"]}

    upload = read(tmp_path, {"p": "bond,charge\n7,7\n10,10\n1,1\n"}, metadata_of({"table": "p"}, table))

    assert _column(upload, "p", "bond")["categories"] == ("1", "10", "7")
    assert _column(upload, "p", "charge")["type"] == "number"


def test_what_is_listed_of_all_columns_together_is_bounded(tmp_path: Path) -> None:
    """Each table alone may list its categories; of many tables, the last ones are counted only."""
    words = "".join(f"{index:0250d}x,\n" for index in range(900))
    files = {f"t{index:02}": "id,word,\n".replace(",\n", "\n") + _numbered(words) for index in range(25)}
    tables = [{"name": name, "primary_key": ["id"]} for name in files]

    upload = read(tmp_path, files, metadata_of({"table": "t00"}, *tables))

    listed = [_column(upload, name, "word")["categories"] is not None for name in files]
    assert listed == sorted(listed, reverse=True)
    assert 0 < sum(listed) < len(files)
    assert {_column(upload, name, "word")["n_categories"] for name in files} == {900}


def _numbered(words: str) -> str:
    return "".join(f"{index},{line.rstrip(',')}\n" for index, line in enumerate(words.splitlines()))
