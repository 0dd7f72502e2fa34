"""Relational datasets as jobs read them: the same arrays as a dictionary makes of the values that were sent."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import event
from hypothesis import strategies as st

from schemas.relational_datasets import RelationalDataset
from storage.errors import DatasetRefused
from storage.relational_datasets import RelationalDatasetStore
from tests.support.naive_relational import plain_rows
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_cases import raw_tables
from tests.support.sampling import drawn
from tests.support.table_files import Form, file_of, metadata_of_schema
from tests.support.tables_upload import read
from tests.support.workshop import Workshop
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.relational.schema import Schema
from tree_explainers.relational.tables import RelationalRows
from workers.jobs.relational_inputs import RelationalFiles, read_relational_rows, read_row_ids

_FORMS: tuple[Form, ...] = ("csv", "json", "parquet")


@drawn(30, 80, raw=raw_tables(), forms=st.lists(st.sampled_from(_FORMS), min_size=4, max_size=4))
def test_files_become_the_arrays_of_their_values(raw: RawTables, forms: list[Form]) -> None:
    files = {name: file_of(raw, name, form) for name, form in zip(raw.schema.tables, forms, strict=False)}
    with TemporaryDirectory() as folder:
        refusal = _expected_refusal(raw)
        event(str(refusal))
        if refusal is not None:
            with pytest.raises(DatasetRefused) as refused:
                read(Path(folder), files, metadata_of_schema(raw.schema))
            assert refused.value.code == refusal
            return
        upload = read(Path(folder), files, metadata_of_schema(raw.schema))
        stored = RelationalFiles(_view(upload.summary), upload.contents, Path(folder) / "arrays")
        _assert_same(read_relational_rows(stored, ignore_progress), relational_rows(raw))
        (key,) = raw.schema.tables[raw.schema.examples].primary_key
        assert list(read_row_ids(stored)) == [str(value) for value in raw.columns[raw.schema.examples][key]]


def _expected_refusal(raw: RawTables) -> str | None:
    """Return the code of the refusal of tables whose keys refer to nothing, or whose cutoff cuts off nothing."""
    schema = raw.schema
    if schema.cutoff is not None and all(table.time is None for table in schema.tables.values()):
        return "relational_time_type"
    for key in schema.relationships.values():
        named = [raw.columns[key.parent][column] for column in key.parent_columns]
        keys = set(zip(*named, strict=True))
        naming = list(zip(*(raw.columns[key.child][column] for column in key.columns), strict=True))
        whole = [value for value in naming if None not in value]
        if whole and not keys.intersection(whole):
            return "relational_reference_unknown"
    return None


def _view(summary: dict[str, object]) -> RelationalDataset:
    counts = {"size_bytes": 0, "n_tables": 1, "n_rows": 0, "n_columns": 1, "n_examples": 0, "target": None}
    tables = [{**table, "sha256": "", "size_bytes": 0} for table in summary["tables"]]  # type: ignore[attr-defined]
    known = {"id": "rds_1", "name": None, "created_at": 0.0, **counts}
    return RelationalDataset.model_validate({**summary, "tables": tables, **known})


def _assert_same(found: RelationalRows, expected: RelationalRows) -> None:
    assert list(found.schema.relationships.items()) == sorted(
        expected.schema.relationships.items(), key=lambda pair: list(expected.schema.tables).index(pair[1].child)
    )
    for name, relationship in expected.relationships.items():
        for field in ("parents", "starts", "child_rows"):
            np.testing.assert_array_equal(
                getattr(found.relationships[name], field), getattr(relationship, field), strict=True
            )
    np.testing.assert_array_equal(found.cutoffs, expected.cutoffs)
    own, theirs = plain_rows(found), plain_rows(expected)
    for name, table in expected.tables.items():
        np.testing.assert_array_equal(found.tables[name].times, table.times)
        for column in table.columns:
            assert own.columns[name][column] == theirs.columns[name][column]
    assert found.labels is not None
    assert expected.labels is not None
    label_of = {-1: None, **dict(enumerate(found.classes))}
    expected_of = {-1: None, **dict(enumerate(expected.classes))}
    assert [label_of[code] for code in found.labels] == [expected_of[code] for code in expected.labels]


def test_a_stored_dataset_is_read_as_it_was_sent(workshop: Workshop) -> None:
    """Through the child, the database and the objects: categories of many levels and the target are not tested."""
    n_rows = 1001
    rows = [f"{row},{row % 3},m{row},{'yes' if row % 2 else ''},{row / 4}" for row in range(n_rows)]
    files = {
        "some/folder/customer.csv": ("id,city,merchant,defaulted,age\n" + "\n".join(rows) + "\n").encode(),
        "account.json": json.dumps([{"customer_id": 5, "open": True}, {"customer_id": 5, "open": None}]).encode(),
        "unused.csv": b"a\n1\n",
    }
    names = ("customer", "account", "unused")
    tables = [{"name": name, "categories": ["city"] if name == "customer" else []} for name in names]
    dataset = workshop.register_tables(
        files, {"examples": {"table": "customer", "target": "defaulted"}, "tables": tables}
    )

    stored = RelationalDatasetStore(workshop.context.database).get(dataset)
    files_of = RelationalFiles.of(workshop.context.objects, stored)
    found = read_relational_rows(files_of, ignore_progress)

    customer = found.tables["customer"]
    assert set(found.tables) == {"customer", "account"}
    assert set(customer.columns) == {"city", "age"}
    assert found.schema.tables["customer"].columns["merchant"].kind == "key"
    assert found.schema.tables["customer"].columns["city"].levels == ("0", "1", "2")
    assert customer.columns["age"].dtype == np.float32
    assert customer.columns["age"][3] == 0.75
    assert found.tables["account"].columns["open"].tolist() == [1, -1]
    assert found.relationships["account.customer_id"].parents.tolist() == [5, 5]
    assert found.labels is not None
    assert (found.classes, found.labels[:2].tolist()) == (("yes",), [-1, 0])
    assert read_row_ids(files_of)[:2] == ("0", "1")
    assert Schema.from_json(json.loads(json.dumps(found.schema.to_json()))) == found.schema


def test_a_numeric_target_has_values_and_classes_where_these_are_few(tmp_path: Path) -> None:
    upload = read(tmp_path, {"p": "y,k\n2.5,1\n,1\n1,1\n"}, _one_table(target="y"))
    found = read_relational_rows(
        RelationalFiles(_view(upload.summary), upload.contents, tmp_path / "arrays"), ignore_progress
    )

    np.testing.assert_array_equal(found.values, [2.5, np.nan, 1])
    assert found.labels is not None
    assert (found.classes, found.labels.tolist()) == (("1", "2.5"), [1, -1, 0])


def test_parts_of_a_composite_key_never_make_the_id_of_another_row(tmp_path: Path) -> None:
    metadata = _one_table(primary_key=["a", "b"])
    upload = read(tmp_path, {"p": '"a","b"\n"x,y","z"\n"x","y,z"\n"x\\","y"\n'}, metadata)

    row_ids = read_row_ids(RelationalFiles(_view(upload.summary), upload.contents, tmp_path / "arrays"))

    assert row_ids == ("x\\,y,z", "x,y\\,z", "x\\\\,y")


def test_numbers_beyond_single_precision_stay_numbers(tmp_path: Path) -> None:
    upload = read(tmp_path, {"p": "v,w\n1e300,a\n-1e300,b\n"}, _one_table())
    found = read_relational_rows(
        RelationalFiles(_view(upload.summary), upload.contents, tmp_path / "arrays"), ignore_progress
    )

    assert np.isfinite(found.tables["p"].columns["v"]).all()


def _one_table(target: str | None = None, primary_key: list[str] | None = None) -> dict[str, object]:
    return {"examples": {"table": "p", "target": target}, "tables": [{"name": "p", "primary_key": primary_key}]}
