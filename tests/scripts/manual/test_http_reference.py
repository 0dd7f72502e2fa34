import json
import re

import pytest

from schemas.problems import PROBLEM_KINDS
from scripts.manual.contract_types import type_of
from scripts.manual.http_reference import contract
from scripts.manual.written_parts import with_written_parts
from tests.support.sources import ROOT

_PAGES = ROOT / "docs" / "reference" / "http"


@pytest.fixture(scope="module")
def written() -> str:
    return "\n".join(with_written_parts(page.read_text(encoding="utf-8")) for page in sorted(_PAGES.glob("*.md")))


def test_each_operation_stands_on_one_page(written: str) -> None:
    operations = [each["operationId"] for methods in contract()["paths"].values() for each in methods.values()]

    assert sorted(re.findall(r"^\(http-([a-z_]+)\)=$", written, re.MULTILINE)) == sorted(operations)


def test_each_object_stands_on_one_page_with_all_of_its_fields(written: str) -> None:
    schemas = contract()["components"]["schemas"]
    parts = re.split(r"^\(object-(\w+)\)=$", written, flags=re.MULTILINE)[1:]
    objects = dict(zip(parts[::2], parts[1::2], strict=True))

    assert sorted(parts[::2]) == sorted(schemas)
    for name, schema in schemas.items():
        assert all(f"\n- `{field}` (" in objects[name] for field in schema.get("properties", {})), name


def test_each_parameter_stands_with_its_operation(written: str) -> None:
    parts = re.split(r"^\(http-(\w+)\)=$", written, flags=re.MULTILINE)[1:]
    described = dict(zip(parts[::2], parts[1::2], strict=True))

    for methods in contract()["paths"].values():
        for operation in methods.values():
            names = [each["name"] for each in operation.get("parameters", [])]
            assert all(f"- `{name}` (" in described[operation["operationId"]] for name in names)


def test_each_problem_says_what_to_do(written: str) -> None:
    for code, kind in PROBLEM_KINDS.items():
        assert written.count(f"(problem-{code})=") == 1
        assert kind.remedy in written


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 20000.0}, "integer, at least 1, at most 20,000"),
        ({"type": "number", "exclusiveMinimum": 0.5}, "number, above 0.5"),
        ({"anyOf": [{"$ref": "#/components/schemas/Map"}, {"type": "null"}]}, "[Map](#object-Map) or null"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2}, 'list of `"a"` or `"b"`, at most 2'),
        ({"type": "string", "pattern": r"^[^\x00]*$", "maxLength": 9}, "string, at most 9 characters"),
        ({"type": "string", "format": "date-time"}, "time, RFC 3339"),
        ({"const": "map"}, '`"map"`'),
        ({}, "any JSON value"),
    ],
)
def test_types_are_written_with_their_ranges(schema: dict[str, object], words: str) -> None:
    assert type_of(schema) == words


def test_a_part_that_there_is_not_fails_the_build() -> None:
    with pytest.raises(KeyError):
        with_written_parts("*`make docs` writes here: operations of hamsters.*")


def test_operations_that_take_json_have_a_call_to_copy(written: str) -> None:
    (call,) = re.findall(r"```sh\n(curl -X POST \"[^\"]*/v1/maps\".*?)\n```", written, re.DOTALL)
    body = call.partition("-d '")[2].removesuffix("'")

    assert json.loads(body) == contract()["components"]["schemas"]["MapRequest"]["examples"][0]


def test_names_and_patterns_are_in_words_where_a_reader_would_stumble(written: str) -> None:
    names = [name for name in contract()["components"]["schemas"] if name.startswith("Page_")]

    assert len(names) > 20
    assert all(f"\n### Page of {name[5:-1]}\n" in written for name in names)
    assert "[Page_" not in written
    assert "\\x1f" not in written
    assert written.count("on one line, without control or invisible characters") > 50
