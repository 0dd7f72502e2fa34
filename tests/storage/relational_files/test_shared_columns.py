"""Keys of columns that tables share: found by equal names and values, and not guessed where several would do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.tables_upload import Json, ReadUpload, key, metadata_of, read

_GENES = "gene,place\n" + "".join(f"g{number},{'nm'[number % 2]}\n" for number in range(30))


def _read(folder: Path, files: Mapping[str, str], *declared: Json, examples: str = "a") -> ReadUpload:
    names = {table["name"] for table in declared}
    tables = [*declared, *({"name": name} for name in files if name not in names)]
    return read(folder, files, metadata_of({"table": examples}, *tables, infer_keys=True))


def _links(upload: ReadUpload) -> dict[str, str]:
    assert all(each["inferred"] for each in upload.summary["relationships"])
    return {each["name"]: each["to"] for each in upload.summary["relationships"]}


def _keys(upload: ReadUpload) -> dict[str, list[str]]:
    return {each["name"]: each["primary_key"] for each in upload.summary["tables"] if each["is_key_inferred"]}


def _warned(upload: ReadUpload) -> dict[tuple[str, str], Json]:
    return {(each["code"], each["table"]): each for each in upload.summary["warnings"]}


def test_nine_tables_that_share_a_column_lead_to_the_table_where_it_is_unique(tmp_path: Path) -> None:
    names = ("class", "complex", "motif", "phenotype", "function", "essential", "chromosome", "partner")
    files = {name: "gene,value\n" + "".join(f"g{row % 20},{row % 3}\n" for row in range(60)) for name in names}

    upload = _read(tmp_path, {**files, "localization": _GENES}, examples="localization")

    assert _links(upload) == {f"{name}.gene": "localization" for name in names}
    assert _keys(upload) == {"localization": ["gene"]}
    assert (upload.summary["unused"], upload.summary["warnings"]) == ([], [])
    assert upload.parents("motif.gene")[:21] == [*range(20), 0]


@pytest.mark.parametrize(
    ("files", "links", "keys"),
    [
        pytest.param(
            {"a": "gene,y\ng1,1\ng2,2\n", "b": "Gene,v\ng2,1\ng2,2\n"}, {"b.Gene": "a"}, {"a": ["gene"]}, id="case"
        ),
        pytest.param(
            {"a": "gene,y\ng1,1\ng2,2\n", "b": "Gene,gene,v\ng1,x,1\ng1,x,2\n"}, {}, {}, id="two names but for case"
        ),
        pytest.param(
            {"a": "gene,Gene\ng1,x\ng2,y\n", "b": "gene,v\ng2,1\ng2,2\n"}, {"b.gene": "a"}, {"a": ["gene"]}, id="exact"
        ),
        pytest.param(
            {"a": "id,gene\n1,g1\n2,g2\n", "b": "gene\ng1\ng1\n"}, {"b.gene": "a"}, {"a": ["gene"]}, id="instead of id"
        ),
        pytest.param(
            {"a": "id,gene\n1,g1\n2,g2\n", "b": "a_id,gene\n1,g1\n1,g1\n"},
            {"b.a_id": "a"},
            {"a": ["id"]},
            id="keys called as usual come first",
        ),
        pytest.param(
            {"a": "gene,y\ng1,1\ng2,2\n", "b": "gene,v\ng1,1\ng2,2\n"},
            {"b.gene": "a"},
            {"a": ["gene"]},
            id="one to one",
        ),
        pytest.param(
            {"a": "gene\ng1\ng2\n", "b": "gene,v\ng1,1\ng2,2\ng3,3\n", "c": "gene\ng3\ng1\ng1\n"},
            {"a.gene": "b", "c.gene": "b"},
            {"b": ["gene"]},
            id="a register has more genes than the examples",
        ),
        pytest.param(
            {"a": "y\n1\n2\n", "b": "gene,v\ng1,1\ng2,2\n", "c": "gene\ng1\ng1\n"},
            {"c.gene": "b"},
            {"b": ["gene"]},
            id="beside the examples",
        ),
        pytest.param(
            {"a": "atom\nx\nx\n", "b": "atom\nx\ny\n", "c": "atom\nx\ny\nz\n"},
            {"a.atom": "c", "b.atom": "c"},
            {"c": ["atom"]},
            id="unique by accident",
        ),
        pytest.param(
            {"a": "gene\ng1\ng2\n", "b": "gene\ng1\ng1\ng9\n"}, {"b.gene": "a"}, {"a": ["gene"]}, id="few dangle"
        ),
        pytest.param({"a": "gene\ng1\ng2\n", "b": "gene\ng1\ng8\ng8\ng9\n"}, {}, {}, id="most dangle"),
        pytest.param({"a": "gene\n1\n2\n", "b": "gene\n1\n1\n1\n3\n"}, {}, {}, id="numbers may not dangle"),
        pytest.param({"a": "gene\n1\n2\n", "b": "gene\nx\nx\n"}, {}, {}, id="mixed types"),
        pytest.param({"a": "gene,y\ng1,1\n,2\n", "b": "gene\ng1\ng1\n"}, {}, {}, id="null key of the parent"),
        pytest.param(
            {"a": "gene\ng1\ng2\n", "b": "gene,v\n,1\ng2,2\n,3\n"}, {"b.gene": "a"}, {"a": ["gene"]}, id="nulls"
        ),
        pytest.param({"a": "gene\ng1\ng2\n", "b": "gene,v\n,1\n,2\n"}, {}, {}, id="nothing but nulls"),
        pytest.param({"a": "gene\ng1\ng2\n", "b": "gene,v\n"}, {"b.gene": "a"}, {"a": ["gene"]}, id="empty table"),
        pytest.param({"a": "gene\ng1\ng1\n", "b": "gene\ng1\ng1\n"}, {}, {}, id="unique nowhere"),
        pytest.param({"a": "dose\n0.5\n1.5\n", "b": "dose\n0.5\n0.5\n"}, {}, {}, id="measurements"),
        pytest.param(
            {"a": "gene,day\ng1,2020-01-01\ng2,2020-01-02\n", "b": "gene,day\ng1,2020-01-01\ng1,2020-01-01\n"},
            {"b.gene": "a"},
            {"a": ["gene"]},
            id="dates",
        ),
        pytest.param({"a": "is_x\ntrue\nfalse\n", "b": "is_x\ntrue\ntrue\n"}, {}, {}, id="booleans"),
        pytest.param({"a": "id\n1\n2\n", "b": "id,v\n1,1\n2,2\n1,3\n"}, {}, {"a": ["id"]}, id="ids of rows"),
        pytest.param(
            {"a": "x,y\nx1,y1\nx2,y1\n", "b": "x,y\nx1,y1\nx1,y2\n"},
            {"a.y": "b", "b.x": "a"},
            {"a": ["x"], "b": ["y"]},
            id="cycle",
        ),
    ],
)  # fmt: skip
def test_names_and_values_decide(
    tmp_path: Path, files: Mapping[str, str], links: Mapping[str, str], keys: Mapping[str, Any]
) -> None:
    upload = _read(tmp_path, files)

    assert (_links(upload), _keys(upload)) == (links, keys)
    assert not [code for code, _ in _warned(upload) if code == "key_in_doubt"]


def test_two_columns_that_would_do_are_reported_and_not_guessed(tmp_path: Path) -> None:
    files = {"a": "gene,name\ng1,n1\ng2,n2\n", "b": "gene,name\ng1,n1\ng1,n1\n"}

    doubtful = _read(tmp_path / "doubtful", files)
    declared = _read(tmp_path / "declared", files, {"name": "a", "primary_key": ["name"]})

    warned = _warned(doubtful)["key_in_doubt", "a"]
    assert (warned["columns"], _links(doubtful), _keys(doubtful)) == (["gene", "name"], {}, {})
    assert "declare one of them as the primary key" in warned["detail"]
    assert "both have gene, name" in _warned(doubtful)["table_not_joined", "b"]["detail"]
    assert (_links(declared), _warned(declared)) == ({"b.name": "a"}, {})


def test_a_column_that_more_tables_share_is_taken(tmp_path: Path) -> None:
    shares = "gene,name\ng1,n1\ng1,n1\n"

    upload = _read(tmp_path, {"a": "gene,name\ng1,n1\ng2,n2\n", "b": shares, "c": "gene\ng2\ng2\n"})

    assert _links(upload) == {"b.gene": "a", "c.gene": "a"}


def test_two_tables_that_would_do_are_reported_and_not_guessed(tmp_path: Path) -> None:
    client = "client,v\nc1,1\nc2,2\n"
    files = {"a": "loan,client\nl1,c1\nl2,c1\n", "one": client, "two": client}

    doubtful = _read(tmp_path / "doubtful", files)
    declared = read(
        tmp_path / "declared",
        files,
        metadata_of(
            {"table": "a"},
            {"name": "a", "foreign_keys": [key(["client"], "one")]},
            {"name": "one", "primary_key": ["client"]},
            {"name": "two"},
            infer_keys=True,
        ),
    )

    assert _links(doubtful) == {}
    assert "may refer to one or two" in _warned(doubtful)["key_in_doubt", "a"]["detail"]
    assert "('key_in_doubt', 'one')" in str(list(_warned(doubtful)))
    assert {each["name"]: each["to"] for each in declared.summary["relationships"]} == {
        "a.client": "one",
        "two.client": "one",
    }


def test_nothing_is_inferred_of_targets_times_features_or_where_that_is_forbidden(tmp_path: Path) -> None:
    files = {"a": "gene,y\ng1,1\ng2,2\n", "b": "gene,y\ng1,1\ng1,1\n"}
    cases: dict[str, Json] = {
        "target": metadata_of({"table": "a", "target": "gene"}, {"name": "a"}, {"name": "b"}, infer_keys=True),
        "feature": metadata_of({"table": "a"}, {"name": "a", "features": ["gene"]}, {"name": "b"}, infer_keys=True),
        "forbidden": metadata_of({"table": "a"}, {"name": "a"}, {"name": "b"}),
    }
    for name, metadata in cases.items():
        assert "gene" not in str(_links(read(tmp_path / name, files, metadata))), name


def test_the_only_ids_of_the_examples_are_their_key(tmp_path: Path) -> None:
    rows = [f"r{row},s{row},{row % 3}" for row in range(25)]

    one = _read(tmp_path / "one", {"a": "\n".join(["sample,n", *(row.rpartition(",s")[0] + ",1" for row in rows), ""])})
    two = _read(tmp_path / "two", {"a": "\n".join(["sample,tube,n", *rows, ""])})

    assert _keys(one) == {"a": ["sample"]}
    assert _keys(two) == {}
    assert _warned(two)["column_of_ids", "a"]["columns"] == ["sample", "tube"]


def test_ids_are_no_features_unless_they_are_declared_and_shared_words_are_some(tmp_path: Path) -> None:
    n_products = 24
    words = [f"{first}{second}" for first in "abcd" for second in "uvwxyz"]
    products = [f"{row},{words[row]},x{row}" for row in range(n_products)]
    sales = [f"{row % n_products},{words[row % n_products]}{row // n_products * 'q'}" for row in range(2 * n_products)]
    files = {"a": "\n".join(["product_id,note", *sales, ""]), "product": "\n".join(["id,word,code", *products, ""])}

    upload = _read(tmp_path / "left", files)
    declared = _read(tmp_path / "declared", files, {"name": "product", "features": ["code"]})

    roles = {
        (table["name"], column["name"]): column["role"]
        for table in upload.summary["tables"]
        for column in table["columns"]
    }
    assert roles == {
        ("a", "product_id"): "key",
        ("a", "note"): "key",  # the only ids of the examples
        ("product", "id"): "key",
        ("product", "word"): "feature",  # two sales of each
        ("product", "code"): "id",
    }
    assert "trees do not test code of table product" in _warned(upload)["column_of_ids", "product"]["detail"]
    assert ("column_of_ids", "product") not in _warned(declared)
