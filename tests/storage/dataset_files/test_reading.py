"""Uploads of all forms, read into normalised files."""

import json
import pickle
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from storage.dataset_files import DatasetFile, DatasetLimits, DeclaredColumns, ReadDataset, read_upload
from storage.dataset_files.layout import OddCell
from storage.errors import DatasetRefused
from tests.support.sampling import mostly_long
from tests.support.shared import shared_path

BAD_FILES = [
    "60_csv_good.csv",
    "61_csv_unterminated_quote.csv",
    "62_csv_ragged.csv",
    "63_csv_duplicate_headers.csv",
    "64_csv_nul_bytes.csv",
    "66_csv_invalid_utf8.csv",
    "68_csv_one_field_300kB.csv",
    "69_csv_formula_injection.csv",
    "70_csv_nan_inf_huge.csv",
    "71_csv_header_only.csv",
    "76_zip_bomb_50MiB.zip",
    "77_zip_slip.zip",
    "80_parquet_good.parquet",
    "82_parquet_magic_only.parquet",
    "85_parquet_256MiB_string_cell.parquet",
    "86_parquet_2k_columns.parquet",
    "87_parquet_nested_120_levels.parquet",
    "88_parquet_binary_and_struct_columns.parquet",
]


class Upload:
    """Bytes on their way in."""

    def __init__(self, folder: Path) -> None:
        self.into = folder / "normalised.parquet"
        self._path = folder / "upload"

    def read(
        self,
        content: bytes,
        declared: DeclaredColumns | None = None,
        limits: DatasetLimits | None = None,
        media_hint: str | None = None,
    ) -> ReadDataset:
        self._path.write_bytes(content)
        return read_upload(self._path, media_hint, declared or DeclaredColumns(), limits or DatasetLimits(), self.into)

    def refused(
        self, content: bytes, declared: DeclaredColumns | None = None, limits: DatasetLimits | None = None
    ) -> DatasetRefused:
        with pytest.raises(DatasetRefused) as caught:
            self.read(content, declared, limits)
        return caught.value

    def column(self, name: str) -> list[object]:
        values: list[object] = pq.read_table(self.into).column(name).to_pylist()
        return values


@pytest.fixture
def upload(tmp_path: Path) -> Upload:
    return Upload(tmp_path)


@pytest.mark.parametrize("name", BAD_FILES)
def test_each_shared_file_is_accepted_or_refused_as_expected(name: str, upload: Upload) -> None:
    content = shared_path(f"badinputs/{name}").read_bytes()
    expected = json.loads(shared_path("badinputs/expected.json").read_text())[name]["code"]
    if expected is None:
        assert upload.read(content).n_rows >= 1
    else:
        assert upload.refused(content).code == expected


@pytest.mark.parametrize(
    ("name", "line"), [("61_csv_unterminated_quote.csv", 2), ("62_csv_ragged.csv", 3), ("64_csv_nul_bytes.csv", 2)]
)
def test_a_fault_in_csv_names_its_line(name: str, line: int, upload: Upload) -> None:
    assert f"line {line} " in upload.refused(shared_path(f"badinputs/{name}").read_bytes()).detail


def test_a_number_beyond_double_precision_is_named_by_row_line_and_column(upload: Upload) -> None:
    refusal = upload.refused(b"a,b\n1,2\n\n3,-1e400\n4,5\n")
    assert refusal.code == "dataset_bad_number"
    assert "row 1 (line 4) of column 'b'" in refusal.detail
    assert "missing_values=['-1e400']" in refusal.detail


@pytest.mark.parametrize(
    "content",
    [
        b"a\n1\ninf\n-Infinity\n+INF\nNaN\n2.5\n",
        b'[{"a": 1}, {"a": "Infinity"}, {"a": "-Infinity"}, {"a": "Infinity"}, {"a": null}, {"a": 2.5}]',
        pytest.param(None, id="parquet"),
    ],
)
def test_infinities_are_numbers_which_the_summary_counts_and_leaves_out(
    content: bytes | None, upload: Upload, tmp_path: Path
) -> None:
    values = [1.0, inf, -inf, inf, None, 2.5]
    if content is None:
        pq.write_table(pa.table({"a": values}), tmp_path / "f")
        content = (tmp_path / "f").read_bytes()

    (column,) = upload.read(content).columns

    assert pq.read_table(upload.into).to_pydict() == {"a": values}
    assert (column.type, column.n_infinite, column.n_missing) == ("number", 3, 1)
    assert (column.min, column.max) == (1.0, 2.5)
    assert column.quantiles is not None
    assert set(column.quantiles) == {1.0, 2.5}


@pytest.mark.parametrize("content", [b'[{"a": "Infinity"}, {"a": "x"}]', b"a\nInfinity\nx\n"])
def test_the_text_of_an_infinity_is_a_text_beside_texts(content: bytes, upload: Upload) -> None:
    (column,) = upload.read(content).columns

    assert (column.type, column.categories) == ("category", ("Infinity", "x"))


def test_an_infinity_among_booleans_makes_numbers_of_them(upload: Upload) -> None:
    upload.read(b'[{"a": "Infinity"}, {"a": true}]')

    assert pq.read_table(upload.into).to_pydict() == {"a": [inf, 1.0]}


def test_a_target_is_finite(upload: Upload) -> None:
    refused = upload.refused(b"a,t\n1,2\n3,inf\n", DeclaredColumns(target="t"))

    assert refused.code == "dataset_bad_number"
    assert "the target column 't' holds 1 infinite number;" in refused.detail


@pytest.mark.parametrize("name", mostly_long(["adult", "titanic", "sick_thyroid"], "titanic", "sick_thyroid"))
def test_real_data_is_the_same_as_csv_parquet_and_json(name: str, tmp_path: Path) -> None:
    original = pq.read_table(shared_path(f"data/{name}.parquet"))
    declared = DeclaredColumns(target=original.column_names[-1])
    forms = {
        "csv": tmp_path / "csv",
        "parquet": tmp_path / "parquet",
        "json": tmp_path / "json",
        "lines": tmp_path / "l",
    }
    arrow_csv.write_csv(original, forms["csv"])
    pq.write_table(original, forms["parquet"], row_group_size=1_000)
    rows = original.to_pylist()
    forms["json"].write_text(json.dumps(rows, indent=1))
    forms["lines"].write_text("\n".join(json.dumps(row) for row in rows))

    read = {}
    for form, path in forms.items():
        into = path.with_suffix(".normalised")
        read[form] = (read_upload(path, None, declared, DatasetLimits(), into), pq.read_table(into))

    summary, table = read["parquet"]
    assert summary.n_rows == original.num_rows
    assert sum(column.n_missing for column in summary.columns) == sum(column.null_count for column in original.columns)
    for other_summary, other_table in read.values():
        assert other_summary == summary
        assert other_table.equals(table)
    for column in original.column_names:
        expected = original.column(column)
        kind = pa.string() if pa.types.is_large_string(expected.type) else pa.float64()
        assert table.column(column).combine_chunks().equals(expected.cast(kind).combine_chunks())


def test_the_same_upload_gives_the_same_bytes(upload: Upload) -> None:
    content = shared_path("data/titanic.parquet").read_bytes()
    upload.read(content)
    first = upload.into.read_bytes()
    upload.read(content)
    assert upload.into.read_bytes() == first


def test_a_column_is_typed_by_all_of_its_cells(upload: Upload) -> None:
    rows = [f"{i},{i},TRUE,{'x' if i == 999 else i},01" for i in range(1_000)]
    read = upload.read("\n".join(["id,n,b,mixed,zeros", *rows]).encode(), DeclaredColumns(row_id="id"))
    assert [column.type for column in read.columns] == ["category", "number", "boolean", "category", "number"]


def test_words_for_missing_are_missing_among_numbers_and_categories_elsewhere(upload: Upload) -> None:
    read = upload.read(b'n,b,country,empty\n1,true,NA,\nNA,nan,NA,\n"",,"",\nnull,FALSE,FR,""\nNaN,None, ,\n')
    assert {column.name: column.n_missing for column in read.columns} == {"n": 4, "b": 3, "country": 2, "empty": 5}
    assert upload.column("n") == [1.0, None, None, None, None]
    assert upload.column("b") == [True, None, None, False, None]
    assert upload.column("country") == ["NA", "NA", None, "FR", None]
    assert read.columns[3].type == "number"


def test_spellings_of_numbers_that_other_languages_take_make_a_category(upload: Upload) -> None:
    read = upload.read("a,b,c\n0x10,1_000,\uff11\uff12\n1,2,3\n".encode())
    assert [column.type for column in read.columns] == ["category"] * 3


_DECIMALS = [f"{row}.25" for row in range(17)]


@pytest.mark.parametrize("after", [[], ["", "NA", "3", "1e5"]])
def test_a_long_integer_among_decimals_is_a_number(after: list[str], upload: Upload) -> None:
    read = upload.read(
        "\n".join(["x,y", *(f"{cell},1" for cell in [*_DECIMALS, "12345678901234567890", *after])]).encode()
    )

    assert (read.columns[0].type, read.columns[0].category_because) == ("number", None)
    assert upload.column("x")[16:18] == [16.25, 12345678901234567890.0]


def test_a_long_integer_among_decimals_is_a_number_in_json(upload: Upload) -> None:
    rows = [{"x": row / 4} for row in range(1, 10)] + [{"x": 12345678901234567890}]

    assert upload.read(json.dumps(rows).encode()).columns[0].type == "number"
    assert upload.column("x")[-1] == 12345678901234567890.0


def test_the_first_long_integer_among_short_ones_is_reported(upload: Upload) -> None:
    values = [*range(20), 12345678901234567890, 5, 22345678901234567890]
    as_csv = "\n".join(["x,y", *(f"{value},1" for value in values)])

    for content in (as_csv, json.dumps([{"x": value, "y": 1} for value in values])):
        x, y = upload.read(content.encode()).columns
        assert (x.type, x.category_because) == ("category", OddCell(20, "12345678901234567890"))
        assert (y.type, y.category_because) == ("number", None)


@pytest.mark.parametrize("odd", ["1_000", "-", '"1,5"', "true", "12 345", "x" * 300])
@pytest.mark.parametrize("is_far", [False, True])
@pytest.mark.sampled("values")
def test_the_first_cell_that_made_numbers_a_category_is_reported(odd: str, *, is_far: bool, upload: Upload) -> None:
    # Far: beyond the first block.
    before = [f"{row}.25,{'z' * 200}" for row in range(100_000 if is_far else 17)]

    read = upload.read("\n".join(["x0,long", *before, f"{odd},1", "2.5,1", "?,1", "1.5,1"]).encode())

    text = odd.strip('"')
    shown = text if len(text) <= 60 else text[:60] + "…"
    assert (read.columns[0].type, read.columns[0].category_because) == ("category", OddCell(len(before), shown))


@pytest.mark.parametrize("cells", ["a b 1 c", "1 a b", "1 a", "true false true", "1 2 3", "NA a 1 b"])
def test_columns_of_other_kinds_have_no_odd_cell(cells: str, upload: Upload) -> None:
    read = upload.read("\n".join(["x,y", *(f"{cell},1" for cell in cells.split())]).encode())

    assert [column.category_because for column in read.columns] == [None, None]


def test_numbers_may_be_padded_signed_and_in_scientific_notation(upload: Upload) -> None:
    upload.read(b"a\n +1\n.5\n1.\n-2.5E-3 \n1e-999\n")
    assert upload.column("a") == [1.0, 0.5, 1.0, -0.0025, 0.0]


def test_a_code_that_looks_like_an_overflow_stays_a_category(upload: Upload) -> None:
    read = upload.read(b"hash\nab12cd\n1e999999\nfe00aa\n")
    assert read.columns[0].categories == ("1e999999", "ab12cd", "fe00aa")


@pytest.mark.parametrize(
    "content", [b"a,b\n9007199254740993,1\n9007199254740992,2\n", b'[{"a":9007199254740993},{"a":9007199254740992}]']
)
def test_integers_beyond_two_to_the_53_stay_apart_as_categories(content: bytes, upload: Upload) -> None:
    read = upload.read(content)
    assert read.columns[0].categories == ("9007199254740992", "9007199254740993")


def test_integers_beyond_two_to_the_53_stay_apart_in_parquet(upload: Upload, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [2**53 + 1, 2**53], "b": [1, 2]}), tmp_path / "f")
    read = upload.read((tmp_path / "f").read_bytes())
    assert read.columns[0].categories == (str(2**53), str(2**53 + 1))
    assert read.columns[1].type == "number"


@pytest.mark.parametrize(
    "content",
    [b"id,x\n007,1\n08,2\n", b'[{"id":"007","x":1},{"id":"08","x":2}]', b'{"id":"007","x":1}\n{"id":"08","x":2}\n'],
)
def test_row_ids_are_texts_as_they_were_sent(content: bytes, upload: Upload) -> None:
    upload.read(content, DeclaredColumns(row_id="id"))
    with DatasetFile(upload.into) as dataset:
        assert dataset.row_ids() == ["007", "08"]


def test_row_ids_that_are_numbers_are_spelled_alike_in_all_forms(upload: Upload, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [7, 8], "x": [1.0, 2.0]}), tmp_path / "f")
    pq.write_table(pa.table({"id": [7.0, 8.0], "x": [1.0, 2.0]}), tmp_path / "g")
    contents = [b"id,x\n7,1\n8,2\n", b'[{"id":7,"x":1},{"id":8.0,"x":2}]', (tmp_path / "f").read_bytes()]
    for content in [*contents, (tmp_path / "g").read_bytes()]:
        upload.read(content, DeclaredColumns(row_id="id"))
        assert upload.column("id") == ["7", "8"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,x\na,1\nb,2\nb,3\na,3\n", "'b' in row 1 and again in row 2"),
        (b'[{"id":7,"x":1},{"id":8,"x":2},{"id":"7","x":2}]', "'7' in row 0 and again in row 2"),
        (b"id,x\na,1\n,2\n", "1 rows have no value"),
    ],
)
def test_row_ids_must_be_there_and_differ(content: bytes, message: str, upload: Upload) -> None:
    refusal = upload.refused(content, DeclaredColumns(row_id="id"))
    assert refusal.code == "dataset_bad_columns"
    assert message in refusal.detail


@pytest.mark.parametrize(
    "declared",
    [
        DeclaredColumns(target="z"),
        DeclaredColumns(row_id="z"),
        DeclaredColumns(features=("a", "z")),
        DeclaredColumns(features=("a", "a")),
        DeclaredColumns(features=()),
        DeclaredColumns(target="a", features=("a", "b")),
        DeclaredColumns(target="a", row_id="a"),
    ],
)
@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b'[{"a":1,"b":2}]'])
def test_a_declaration_that_does_not_fit_is_refused(declared: DeclaredColumns, content: bytes, upload: Upload) -> None:
    assert upload.refused(content, declared).code == "dataset_bad_columns"


def test_an_absent_column_is_named_beside_those_that_exist(upload: Upload) -> None:
    assert "'z'; the file has 'a', 'b'" in upload.refused(b"a,b\n1,2\n", DeclaredColumns(target="z")).detail


def test_declared_features_come_in_the_models_order_and_the_rest_is_ignored(upload: Upload) -> None:
    read = upload.read(b"a,b,c,d\n1,2,3,4\n", DeclaredColumns(target="b", features=("d", "a")))
    assert [(column.name, column.role) for column in read.columns] == [
        ("d", "feature"),
        ("a", "feature"),
        ("b", "target"),
        ("c", "ignored"),
    ]
    assert read.features == ("d", "a")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"a,b\n", b"[]", b"[ ]", b"\xef\xbb\xbf"])
def test_a_dataset_without_rows_is_empty(content: bytes, upload: Upload) -> None:
    assert upload.refused(content).code == "dataset_empty"


def test_line_ends_and_byte_order_marks_of_other_systems_are_taken(upload: Upload) -> None:
    for content in (
        b"\xef\xbb\xbfa,b\r\n1,2\r\n3,4\r\n",
        b"a,b\r1,2\r3,4\r",
        b'\xef\xbb\xbf[{"a":1,"b":2},{"a":3,"b":4}]',
    ):
        assert upload.read(content).n_rows == 2
        assert upload.column("a") == [1.0, 3.0]


def test_quoted_text_may_hold_commas_quotes_and_line_ends(upload: Upload) -> None:
    upload.read(b'a,b\n"x, ""y""\nz",1\n')
    assert upload.column("a") == ['x, "y"\nz']


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("a,b\n1,2\n".encode("utf-16"), "dataset_bad_encoding"),
        (b"a,b\n1,\xc3", "dataset_bad_encoding"),
        (b"\x1f\x8b\x08\x00rest", "unsupported_media_type"),
        (b"BZh91AY", "unsupported_media_type"),
        (b"\x80\x04\x95\x10\x00", "unsupported_media_type"),
        (b"cposix\nsystem\np0\n(S'id'\np1\ntp2\nRp3\n.", "unsupported_media_type"),
        (b"\x93NUMPY\x01\x00", "unsupported_media_type"),
        (b"PAR1", "dataset_parse_error"),
        (b'a,b\n1,"2', "dataset_parse_error"),
        (b'{"a": 1,', "dataset_parse_error"),
        (b'[{"a":1} {"a":2}]', "dataset_parse_error"),
        (b"[1,2,3]", "dataset_parse_error"),
        (b'[{"a":"\\ud800"}]', "dataset_parse_error"),
        (b'[{"a":"\\u0000"}]', "dataset_parse_error"),
        (b'[{"a":1e400}]', "dataset_bad_number"),
        (b'[{"a":{"b":1}}]', "dataset_bad_columns"),
        (b'[{"a":[1]}]', "dataset_bad_columns"),
        (b'[{"":1}]', "dataset_bad_columns"),
        (b'"a\nb",c\n1,2\n', "dataset_bad_columns"),
        (b"[" * 100_000 + b"]" * 100_000, "dataset_parse_error"),
        (b'[{"a":"' + b"x" * 200_000 + b'"}]', "dataset_field_too_large"),
        (b"a" * 17_000_000, "dataset_field_too_large"),
        (b",".join(b"c%d" % i for i in range(10_001)) + b"\n", "dataset_too_large"),
    ],
)
def test_what_is_no_dataset_is_refused_with_a_code(content: bytes, code: str, upload: Upload) -> None:
    assert upload.refused(content).code == code


def test_content_that_contradicts_its_media_type_is_refused(upload: Upload) -> None:
    with pytest.raises(DatasetRefused, match="was sent as application/json"):
        upload.read(b"a,b\n1,2\n", media_hint="application/json; charset=utf-8")


@pytest.mark.parametrize(
    "limits",
    [
        DatasetLimits(max_file_bytes=10),
        DatasetLimits(max_rows=2),
        DatasetLimits(max_columns=1),
        DatasetLimits(max_cells=5),
    ],
)
@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_each_limit_holds_for_each_form(limits: DatasetLimits, form: str, upload: Upload, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3], "b": [1, 2, 3]}), tmp_path / "f")
    contents = {"csv": b"a,b\n1,2\n3,4\n5,6\n", "json": b'[{"a":1,"b":2},{"a":1},{"b":3}]'}
    content = contents.get(form) or (tmp_path / "f").read_bytes()
    assert upload.refused(content, limits=limits).code == "dataset_too_large"


def test_a_repeated_text_that_decodes_to_gigabytes_is_refused(upload: Upload, tmp_path: Path) -> None:
    repeated = pa.DictionaryArray.from_arrays(np.zeros(1_000_000, dtype=np.int32), ["x" * 100_000])
    pq.write_table(pa.table({"a": repeated}), tmp_path / "f")
    assert (tmp_path / "f").stat().st_size < 500_000
    assert upload.refused((tmp_path / "f").read_bytes()).code == "dataset_too_large"


def test_parquet_types_become_numbers_categories_and_booleans(upload: Upload, tmp_path: Path) -> None:
    table = pa.table(
        {
            "bool": [True, None],
            "uint8": pa.array([1, 2], pa.uint8()),
            "half": pa.array([np.float16(0.5), None], pa.float16()),
            "decimal": pa.array([1, None], pa.int32()).cast(pa.decimal128(12, 2)),
            "nan": [float("nan"), 1.0],
            "categorical": pa.array(["a", "b"]).dictionary_encode(),
            "date": pa.array([0, 18_000], pa.date32()),
            "moment": pa.array([0, 1_500], pa.timestamp("ms", "America/New_York")),
            "local": pa.array([0, 86_400], pa.timestamp("s")),
            "nulls": pa.nulls(2),
            "time": pa.array([0, 3_600], pa.time32("s")),
            "view": pa.array(["a", None], pa.string_view()),
        }
    )
    pq.write_table(table, tmp_path / "f")
    upload.read((tmp_path / "f").read_bytes())
    assert pq.read_table(upload.into).to_pydict() == {
        "bool": [True, None],
        "uint8": [1.0, 2.0],
        "half": [0.5, None],
        "decimal": [1.0, None],
        "nan": [None, 1.0],
        "categorical": ["a", "b"],
        "date": ["1970-01-01", "2019-04-14"],
        "moment": ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.5Z"],
        "local": ["1970-01-01T00:00:00", "1970-01-02T00:00:00"],
        "nulls": [None, None],
        "time": ["00:00:00", "01:00:00"],
        "view": ["a", None],
    }


_NO_VALUES: dict[str, pa.Array] = {
    "list": pa.array([[1, 2], []]),
    "object": pa.array([{"x": 1}, None]),
    "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"x", None]),
    "fixed": pa.array([b"xx", None], pa.binary(2)),
    "duration": pa.array([1, None], pa.duration("s")),
}


def test_columns_without_values_are_left_out_of_parquet_by_name(upload: Upload, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1.0, 2.0], **_NO_VALUES, "b": ["u", "v"]}), tmp_path / "f")
    read = upload.read((tmp_path / "f").read_bytes(), DeclaredColumns(target="b"))
    assert read.ignored == tuple(_NO_VALUES)
    assert pq.read_table(upload.into).to_pydict() == {"a": [1.0, 2.0], "b": ["u", "v"]}


@pytest.mark.parametrize("values", _NO_VALUES.values(), ids=_NO_VALUES)
@pytest.mark.parametrize("declared", [{"target": "odd"}, {"row_id": "odd"}, {"features": ("odd",)}])
def test_columns_without_values_have_no_use(
    values: pa.Array, declared: dict[str, Any], upload: Upload, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"a": [1.0, 2.0], "odd": values}), tmp_path / "f")
    refused = upload.refused((tmp_path / "f").read_bytes(), DeclaredColumns(**declared))
    assert "column 'odd' has the type" in refused.detail


def test_nested_values_of_json_leave_their_column_out(upload: Upload) -> None:
    content = b'{"a": 1, "deep": null, "flat": "x"}\n{"a": 2, "deep": {"x": 1}}\n{"a": 3, "deep": 7, "flat": "y"}'
    assert upload.read(content).ignored == ("deep",)
    assert pq.read_table(upload.into).to_pydict() == {"a": [1.0, 2.0, 3.0], "flat": ["x", None, "y"]}
    assert "row 1 (counted from 0) of column 'deep' is nested" in upload.refused(content, _target("deep")).detail


def test_an_index_without_a_name_is_no_feature_unless_it_is_declared_one(upload: Upload, tmp_path: Path) -> None:
    pd.DataFrame({"a": [1.0, 2.0]}, index=["u", "v"]).to_parquet(tmp_path / "f")
    content = (tmp_path / "f").read_bytes()
    by_role = {column.name: column.role for column in upload.read(content).columns}
    assert by_role == {"a": "feature", "__index_level_0__": "ignored"}
    declared = DeclaredColumns(row_id="__index_level_0__")
    assert [column.role for column in upload.read(content, declared).columns] == ["feature", "row_id"]
    of_all = DeclaredColumns(features=("__index_level_0__", "a"))
    assert upload.read(content, of_all).features == ("__index_level_0__", "a")


@pytest.mark.parametrize("orient", ["columns", "index", "split", "table"])
def test_json_that_holds_no_rows_is_refused_with_what_to_send(orient: Any, upload: Upload) -> None:
    content = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}).to_json(orient=orient).encode()
    assert "send an array of rows" in upload.refused(content).detail
    if orient == "columns":
        assert "send an array of rows" in upload.refused(content, _target("b")).detail


def _target(name: str) -> DeclaredColumns:
    return DeclaredColumns(target=name)


def test_texts_in_parquet_are_utf_8_without_nul(upload: Upload, tmp_path: Path) -> None:
    for text, code in ((b"\x9c", "dataset_bad_encoding"), (b"a\0b", "dataset_parse_error")):
        texts = pa.array([b"a", text]).view(pa.string())
        pq.write_table(pa.table({"a": texts}), tmp_path / "f")
        assert upload.refused((tmp_path / "f").read_bytes()).code == code


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("is_declared", [True, False])
def test_cells_are_separated_by_what_the_header_shows_or_the_sender_declares(
    separator: str, upload: Upload, *, is_declared: bool
) -> None:
    declared = DeclaredColumns(separator=separator if is_declared else None)
    upload.read(separator.join(["a", '"b;,|"']).encode() + f"\n1{separator}2\n3{separator}4\n".encode(), declared)

    assert pq.read_table(upload.into).to_pydict() == {"a": [1.0, 3.0], "b;,|": [2.0, 4.0]}
    faulty = f"a{separator}b\n1{separator}2\n3\n".encode()
    assert upload.refused(faulty, declared).detail.startswith("line 3 has 1 cell, but the header has 2")


def test_a_declared_separator_goes_before_commas_in_the_header_and_is_for_csv_alone(upload: Upload) -> None:
    upload.read(b"a,x;b\n1,5;2\n", DeclaredColumns(separator=";"))

    assert pq.read_table(upload.into).to_pydict() == {"a,x": ["1,5"], "b": [2.0]}
    refused = upload.refused(b'[{"a": 1}]', DeclaredColumns(separator=";"))
    assert refused.detail == "separator is for CSV, and the file is a JSON array; leave separator out"


def test_declared_categories_are_kept_as_they_are_written(upload: Upload) -> None:
    declared = DeclaredColumns(categories=("zip", "flag"), missing_values=("-999",))
    upload.read(b"zip,flag,n\n01234,True,1\n-999.0,False,-999.0\n-999,,3\n", declared)

    values = {"zip": ["01234", "-999.0", None], "flag": ["True", "False", None], "n": [1.0, None, 3.0]}
    assert pq.read_table(upload.into).to_pydict() == values
    misspelt = upload.refused(b"target,b\n1,2\n", DeclaredColumns(categories=("tarket",))).detail
    assert "there is no column 'tarket'; did you mean 'target'? It has 'target', 'b'" in misspelt
    assert "categories: there is no column 'x'" in upload.refused(b"a\n1\n", DeclaredColumns(categories=("x",))).detail


_WITH_MISSING = pa.table(
    {
        "id": ["?", "-999", "c"],
        "n": [1.5, -999.0, 3.0],
        "i": [-999, 2, 3],
        "t": ["a", "?", "b"],
        "b": [True, False, None],
    }
)


@pytest.mark.parametrize("form", ["csv", "parquet", "json"])
def test_declared_values_are_missing_in_all_columns_but_the_ids(form: str, upload: Upload, tmp_path: Path) -> None:
    if form == "csv":
        arrow_csv.write_csv(_WITH_MISSING, tmp_path / "f")
    elif form == "parquet":
        pq.write_table(_WITH_MISSING, tmp_path / "f")
    else:
        (tmp_path / "f").write_text(json.dumps(_WITH_MISSING.to_pylist()))
    read = upload.read((tmp_path / "f").read_bytes(), DeclaredColumns(row_id="id", missing_values=("?", "-999")))

    assert pq.read_table(upload.into).to_pydict() == {
        "id": ["?", "-999", "c"],
        "n": [1.5, None, 3.0],
        "i": [None, 2.0, 3.0],
        "t": ["a", None, "b"],
        "b": [True, False, None],
    }
    assert {column.name: column.n_missing for column in read.columns} == {"id": 0, "n": 1, "i": 1, "t": 1, "b": 1}


@pytest.mark.parametrize(
    "content", [b"a\n1\n?\n-inf\n ? \n2.5\n", b'[{"a": 1}, {"a": "?"}, {"a": "-inf"}, {"a": "?"}, {"a": 2.5}]']
)
def test_texts_that_stand_for_missing_numbers_leave_a_column_of_numbers(content: bytes, upload: Upload) -> None:
    upload.read(content, DeclaredColumns(missing_values=("?", "-inf")))

    assert pq.read_table(upload.into).to_pydict() == {"a": [1.0, None, None, None, 2.5]}


def test_a_text_among_numbers_of_json_makes_a_category_as_in_csv(upload: Upload) -> None:
    of_json = upload.read(b'[{"f1": 1}, {"f1": 2.5}, {"f1": "?"}, {"f1": null}, {"f1": 7}]').columns[0]
    assert of_json.category_because == OddCell(2, "?")
    assert pq.read_table(upload.into).to_pydict() == {"f1": ["1", "2.5", "?", None, "7"]}
    assert of_json == upload.read(b'"f1"\n1\n2.5\n?\n""\n7\n').columns[0]


def test_booleans_among_numbers_of_json_are_numbers(upload: Upload) -> None:
    upload.read(b'[{"a": 1.5}, {"a": true}, {"a": false}]')
    assert pq.read_table(upload.into).to_pydict() == {"a": [1.5, 1.0, 0.0]}


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        (b",a,b", "use index=False"),
        (b"a,b,", "leave out the separator at the lines' ends"),
        (b"a,b,,", "leave out the separator at the lines' ends"),
        (b"a,,b", "column 2 has no name; name each column"),
    ],
)
def test_a_name_that_is_lacking_is_advised_by_its_place(header: bytes, advice: str, upload: Upload) -> None:
    cells = b",".join([b"1"] * (header.count(b",") + 1))
    assert advice in upload.refused(header + b"\n" + cells + b"\n").detail


@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_infinities_may_be_declared_missing(form: str, upload: Upload, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [0.0, inf, -inf]}), tmp_path / "f")
    contents = {
        "parquet": (tmp_path / "f").read_bytes(),
        "csv": b"a\n0\ninf\n-inf\n",
        "json": b'[{"a": 0}, {"a": "Infinity"}, {"a": "-Infinity"}]',
    }

    upload.read(contents[form], DeclaredColumns(missing_values=("inf", "-inf")))

    assert pq.read_table(upload.into).to_pydict() == {"a": [0.0, None, None]}


def test_names_with_dots_do_not_mix_columns(upload: Upload, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "a.b": [3, 4], "id": ["x", "y"], "id.old": ["z", "z"]}), tmp_path / "f")
    upload.read((tmp_path / "f").read_bytes(), DeclaredColumns(row_id="id"))
    with DatasetFile(upload.into) as dataset:
        assert [column.tolist() for column in dataset.read_columns(["a"])] == [[1.0, 2.0]]
        assert dataset.row_ids([1]) == ["y"]


def test_many_categories_are_counted_but_not_listed(upload: Upload) -> None:
    read = upload.read(("a,b\n" + "".join(f"c{i},d{i % 7}\n" for i in range(5_000))).encode())
    assert (read.columns[0].n_categories, read.columns[0].categories) == (5_000, None)
    assert (read.columns[1].n_categories, len(read.columns[1].categories or ())) == (7, 7)


def test_large_json_arrays_are_cut_between_rows_only(upload: Upload) -> None:
    rows = [
        {"text": f'}}, {{ "\\ {i}', "n": i, "long": "x" * 380} for i in range(25_000)
    ]  # 11 MB, and so several pieces
    read = upload.read(json.dumps(rows).encode())
    assert read.n_rows == len(rows)
    assert upload.column("n") == [float(row["n"]) for row in rows]  # type: ignore[arg-type]
    assert upload.column("text")[-1] == rows[-1]["text"]


def test_stranger_texts_are_escaped_in_messages(upload: Upload) -> None:
    detail = upload.refused("a\u202e\u2028,b\n1,2\n".encode(), DeclaredColumns(target="\u202e<b>")).detail
    assert detail.isascii()


@pytest.mark.parametrize("content", [b"code\n7\n8\n", b"city\nParis\np2\n.5\n", b"c\na\n"])
def test_one_column_whose_name_begins_with_c_is_no_pickle(upload: Upload, content: bytes) -> None:
    assert upload.read(content).n_rows == content.count(b"\n") - 1


@pytest.mark.parametrize("thing", [{1: 2}, [1], dict, Path("a")])
def test_pickles_of_text_are_refused_by_name(upload: Upload, thing: object) -> None:
    assert "a pickle" in upload.refused(pickle.dumps(thing, 0)).detail
