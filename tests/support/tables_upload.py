"""Uploads of several tables as the child reads them, without a service; and those that are refused."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.relational_datasets import RelationalDatasetMetadata
from storage.array_files import map_file
from storage.dataset_files import DatasetLimits
from storage.relational_files import RelationalDeclaration, UploadPaths, check_declaration, read_tables

Json = dict[str, Any]


@dataclass(frozen=True)
class ReadUpload:
    """What was read: the summary, the arrays, and the normalised files by table."""

    summary: Json
    arrays: Mapping[str, NDArray[Any]]
    contents: Mapping[str, Path]

    def parents(self, relationship: str) -> list[int]:
        found: list[int] = np.asarray(self.arrays[f"parents/{relationship}"]).tolist()
        return found


def metadata_of(examples: Json, *tables: Json, infer_keys: bool = False) -> Json:
    """Return metadata as a caller sends them; keys are not inferred unless that is said."""
    return {"examples": examples, "tables": list(tables), "infer_keys": infer_keys}


def read(
    folder: Path, files: Mapping[str, str | bytes], metadata: Json, limits: DatasetLimits | None = None
) -> ReadUpload:
    """Read tables, each by its name, in the folder."""
    folder.mkdir(exist_ok=True)
    document = RelationalDatasetMetadata.model_validate(metadata).model_dump(mode="json")
    declared = RelationalDeclaration.from_json(json.loads(json.dumps(document)))
    check_declaration(declared, list(files))
    uploads = [folder / f"upload_{table.index}" for table in declared.tables]
    for table, path in zip(declared.tables, uploads, strict=True):
        content = files[table.name]
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    contents = [folder / f"content_{table.index}" for table in declared.tables]
    places = UploadPaths(uploads, contents, folder / "arrays")
    summary = read_tables(declared, limits or DatasetLimits(), places)
    names = [table.name for table in declared.tables]
    return ReadUpload(summary, map_file(folder / "arrays"), dict(zip(names, contents, strict=True)))


def key(columns: Sequence[str], references: str) -> Json:
    """Return a foreign key as callers declare it."""
    return {"columns": list(columns), "references": references}


@dataclass(frozen=True)
class BadTables:
    """An upload that is refused."""

    name: str
    files: Mapping[str, str | bytes]
    metadata: Json
    code: str
    pointer: str
    says: str = ""  # part of the detail
    limits: DatasetLimits = field(default_factory=DatasetLimits)


_PARENT, _CHILD = {"name": "p", "primary_key": ["id"]}, {"name": "c", "foreign_keys": [key(["p"], "p")]}
_FILES = {"p": "id,y\n1,a\n2,b\n", "c": "p,v\n1,3\n2,4\n"}
_OF_P: Json = {"table": "p"}


def _case(  # what a case may change
    name: str,
    code: str,
    pointer: str,
    says: str,
    files: Mapping[str, str | bytes] = _FILES,
    *,
    examples: Json = _OF_P,
    tables: Sequence[Json] = (_PARENT, _CHILD),
    **limits: int,
) -> BadTables:
    return BadTables(name, files, metadata_of(examples, *tables), code, pointer, says, DatasetLimits(**limits))


_INVALID, _TYPE, _TIME = "relational_schema_invalid", "relational_key_type", "relational_time_type"
_NOT_UNIQUE, _UNKNOWN = "relational_key_not_unique", "relational_reference_unknown"
_TIMED = {**_CHILD, "time": "v"}
_LONG = "x" * 127
_JSON_C = b'[{"p": "1"}, {"p": "2"}]'
_JSON_P = b'[{"id": 1}, {"id": 2}]'

BAD_TABLES = (
    _case("table without file", _INVALID, "/metadata/tables/1", "no file", {"p": _FILES["p"]}),
    _case("file without table", _INVALID, "/file", "'x'", {**_FILES, "x": "a\n1\n"}),
    _case("two tables of one name", _INVALID, "/metadata/tables/2/name", "'c'", tables=(_PARENT, _CHILD, _CHILD)),
    _case("no examples table", _INVALID, "/metadata/examples/table", "'q'", examples={"table": "q"}),
    _case("unknown target", _INVALID, "/metadata/examples/target", "'z'", examples={"table": "p", "target": "z"}),
    _case(
        "unknown key",
        _INVALID,
        "/metadata/tables/0/primary_key/0",
        "'k'",
        tables=({**_PARENT, "primary_key": ["k"]}, _CHILD),
    ),
    _case("unknown time", _INVALID, "/metadata/tables/1/time", "'t'", tables=(_PARENT, {**_CHILD, "time": "t"})),
    _case(
        "misspelt time", _INVALID, "/metadata/tables/1/time", "mean 'v'?", tables=(_PARENT, {**_CHILD, "time": "vv"})
    ),
    _case("misspelt examples", _INVALID, "/metadata/examples/table", "mean 'p'?", examples={"table": "pp"}),
    _case(
        "unknown category",
        _INVALID,
        "/metadata/tables/1/categories/0",
        "'t'",
        tables=(_PARENT, {**_CHILD, "categories": ["t"]}),
    ),
    _case(
        "unknown column of a foreign key",
        _INVALID,
        "/metadata/tables/1/foreign_keys/0/columns/0",
        "it has 'p', 'v'",
        tables=(_PARENT, {"name": "c", "foreign_keys": [key(["w"], "p")]}),
    ),
    _case(
        "unknown table of a foreign key",
        _INVALID,
        "/metadata/tables/1/foreign_keys/0/references",
        "'w'",
        tables=(_PARENT, {"name": "c", "foreign_keys": [key(["p"], "w")]}),
    ),
    _case(
        "reference to a table without key",
        _INVALID,
        "/metadata/tables/1/foreign_keys/0/references",
        "no primary key",
        tables=({"name": "p"}, _CHILD),
    ),
    _case(
        "same columns twice",
        _INVALID,
        "/metadata/tables/1/foreign_keys/1",
        "'p'",
        tables=(_PARENT, {"name": "c", "foreign_keys": [key(["p"], "p"), key(["p"], "p")]}),
    ),
    _case(
        "a column twice in a key",
        _INVALID,
        "/metadata/tables/0/primary_key/1",
        "'id'",
        tables=({"name": "p", "primary_key": ["id", "id"]}, _CHILD),
    ),
    _case(
        "two relationships of one name",
        _INVALID,
        "/metadata/tables/2",
        "both called 'a.b.c'",
        {"p": "id\n1\n", "a.b": "c\n1\n", "a": "b.c\n1\n"},
        tables=(
            _PARENT,
            {"name": "a.b", "foreign_keys": [key(["c"], "p")]},
            {"name": "a", "foreign_keys": [key(["b.c"], "p")]},
        ),
    ),
    _case(
        "composite key of 256 characters as an id",
        _NOT_UNIQUE,
        "/metadata/tables/0/primary_key",
        "row 1 has a key of more than 255 characters",
        {"p": f"id,y\n{_LONG},{_LONG}\n{_LONG},{_LONG}y\n"},
        tables=({"name": "p", "primary_key": ["id", "y"]},),
    ),
    _case(
        "composite key whose commas are escaped",
        _NOT_UNIQUE,
        "/metadata/tables/0/primary_key",
        "row 0 has a key of more than 255 characters",
        {"p": f'id,y\n"{_LONG}","{_LONG[1:]},"\n'},
        tables=({"name": "p", "primary_key": ["id", "y"]},),
    ),
    _case("target in a key", _INVALID, "/metadata/examples/target", "'id'", examples={"table": "p", "target": "id"}),
    _case(
        "repeated key",
        _NOT_UNIQUE,
        "/metadata/tables/0/primary_key",
        "'1' is in row 0 and again in row 2",
        {**_FILES, "p": "id\n1\n2\n1\n"},
    ),
    _case("missing key", _NOT_UNIQUE, "/metadata/tables/0/primary_key", "row 1", {**_FILES, "p": "id,y\n1,a\n,b\n"}),
    _case(
        "repeated composite key",
        _NOT_UNIQUE,
        "/metadata/tables/0/primary_key",
        "'1', 'b' is in row 0",
        {"p": "id,y\n1,b\n2,b\n1,c\n1,b\n"},
        tables=({"name": "p", "primary_key": ["id", "y"]},),
    ),
    _case(
        "another number of columns",
        _TYPE,
        "/metadata/tables/1/foreign_keys/0/columns",
        "has 2 columns",
        tables=(_PARENT, {"name": "c", "foreign_keys": [key(["p", "v"], "p")]}),
    ),
    _case(
        "texts for numbers",
        _TYPE,
        "/metadata/tables/1/foreign_keys/0/columns",
        "different types",
        {"p": _JSON_P, "c": _JSON_C},
    ),
    _case(
        "texts for numbers in CSV",
        _TYPE,
        "/metadata/tables/1/foreign_keys/0/columns",
        "different types",
        {**_FILES, "c": "p\nx\n"},
    ),
    _case(
        "no value exists",
        _UNKNOWN,
        "/metadata/tables/1/foreign_keys/0",
        "the first is '7'",
        {**_FILES, "c": "p\n\n7\n8\n"},
    ),
    _case(
        "cutoff without time",
        _TIME,
        "/metadata/examples/cutoff",
        "no table has",
        examples={"table": "p", "cutoff": "y"},
    ),
    _case(
        "time of words",
        _TIME,
        "/metadata/tables/1/time",
        "'soon'",
        {**_FILES, "c": "p,v\n1,2020-01-01\n1,soon\n"},
        tables=(_PARENT, _TIMED),
    ),
    _case(
        "time that is no date",
        _TIME,
        "/metadata/tables/1/time",
        "'2021-02-29'",
        {**_FILES, "c": "p,v\n1,2020-02-29\n1,2021-02-29\n"},
        tables=(_PARENT, _TIMED),
    ),
    _case(
        "time of booleans",
        _TIME,
        "/metadata/tables/1/time",
        "booleans",
        {**_FILES, "c": "p,v\n1,true\n"},
        tables=(_PARENT, _TIMED),
    ),
    _case(
        "numbers and dates",
        _TIME,
        "/metadata/examples/cutoff",
        "cannot be compared",
        {**_FILES, "p": "id,y\n1,2020-01-01\n2,\n"},
        examples={"table": "p", "cutoff": "y"},
        tables=(_PARENT, _TIMED),
    ),
    _case("too many rows", "too_many_rows", "/metadata/tables/1", "table 'c'", max_rows=3),
    _case("too many columns", "dataset_too_large", "", "4 columns in all", max_columns=3),
    _case("broken file", "dataset_parse_error", "/metadata/tables/1", "table 'c': line 2", {**_FILES, "c": "p,v\n1\n"}),
    _case("no CSV", "unsupported_media_type", "/metadata/tables/1", "zip", {**_FILES, "c": b"PK\x03\x04"}),
    _case(
        "too many classes",
        "method_not_applicable",
        "/metadata/examples/target",
        "1,001 different labels",
        {"p": "y\n" + "".join(f"a{index}\n" for index in range(1001))},
        examples={"table": "p", "target": "y"},
        tables=({"name": "p"},),
    ),
)
