"""The SDK's half that is generated says what the contract says: each operation, each schema, each example."""

import copy
import importlib
import json
import os
import pickle
import re
import subprocess
import sys
from inspect import Parameter, signature
from io import BytesIO
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

import pytest
from leafspace_client import types
from leafspace_client.contract import literals
from leafspace_client.fields import UNSET, File, RecordType, codecs_of, key_of
from leafspace_client.operations import Request
from leafspace_client.records import Record

from scripts.contract_modules import modules_of
from scripts.contract_schemas import class_name

_ROOT = Path(__file__).parents[2]
_CONTRACT: dict[str, Any] = json.loads((_ROOT / "openapi.json").read_text(encoding="utf-8"))
_SCHEMAS: dict[str, dict[str, Any]] = _CONTRACT["components"]["schemas"]
_OPERATIONS = [
    (path, method, operation) for path, methods in _CONTRACT["paths"].items() for method, operation in methods.items()
]


def _function(operation: dict[str, Any]) -> Any:  # any function of the contract
    module = operation["tags"][0].replace(" ", "_")
    return getattr(importlib.import_module(f"leafspace_client.contract.{module}"), operation["operationId"])


def _value(name: str) -> str:
    return f"a/{name} é"


def test_each_operation_sends_what_the_contract_says() -> None:
    for path, method, operation in _OPERATIONS:
        parameters = operation.get("parameters", [])
        function = _function(operation)
        arguments = {name: _value(key_of(name)) for name in signature(function).parameters}
        body = types.Renaming(name="x") if arguments.pop("body", None) else None
        request: Request[Any] = function(**arguments, **({"body": body} if body else {}))

        assert request.method == method.upper()
        assert request.url == re.sub(r"\{(\w+)\}", lambda found: quote(_value(found[1]), safe=""), path)
        assert request.query == _values(parameters, "query")
        assert request.headers.keys() == _values(parameters, "header").keys()
        assert (request.body is not None) == ("requestBody" in operation), operation["operationId"]
        assert len(arguments) == len(parameters)


def _values(parameters: list[dict[str, Any]], place: str) -> dict[str, str]:
    return {each["name"]: _value(each["name"]) for each in parameters if each["in"] == place}


def test_what_is_required_has_no_default() -> None:
    for _, _, operation in _OPERATIONS:
        required = {each["name"] for each in operation.get("parameters", []) if each.get("required")}
        required |= {"body"} if "requestBody" in operation else set()
        parameters = signature(_function(operation)).parameters.values()

        assert {key_of(each.name) for each in parameters if each.default is Parameter.empty} == required


def test_each_operation_knows_the_classes_of_its_answers() -> None:
    for _, _, operation in _OPERATIONS:
        function = _function(operation)
        required = [each.name for each in signature(function).parameters.values() if each.default is Parameter.empty]
        answer = function(**dict.fromkeys(required)).answer
        declared = {status: _class_of(response) for status, response in operation["responses"].items()}
        kinds = {int(status): kind for status, kind in declared.items() if status.startswith("2") and kind}

        if len(set(kinds.values())) > 1:
            assert {status: kind.__name__ for status, kind in answer.items()} == kinds
        else:
            assert getattr(answer, "__name__", None) == next(iter(kinds.values()), None)


def _class_of(response: dict[str, Any]) -> str | None:
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return class_name(schema["$ref"].rpartition("/")[2]) if "$ref" in schema else None


def test_each_schema_is_a_class_with_its_fields_or_a_type() -> None:
    for name, schema in _SCHEMAS.items():
        kind = getattr(types, class_name(name))
        if "properties" in schema:
            fields = signature(kind).parameters.values()
            required = {key_of(each.name) for each in fields if each.default is Parameter.empty}
            assert [codec.key for codec in codecs_of(kind)] == list(schema["properties"])
            # Nobody has to write what a field always is.
            constants = {key for key, of in schema["properties"].items() if "const" in of and "default" in of}
            assert required == set(schema.get("required", [])) - constants
        else:
            assert not isinstance(kind, RecordType)
            assert len(get_args(kind)) > 1


def test_each_enumeration_has_a_name() -> None:
    named = {get_args(kind) for name, kind in vars(literals).items() if name[0].isupper()}
    enumerations = {tuple(found) for found in _enumerations(_CONTRACT)}

    assert len(enumerations) > 50
    assert enumerations <= named


def _enumerations(document: Any) -> list[list[str]]:  # any JSON
    if isinstance(document, list):
        return [found for item in document for found in _enumerations(item)]
    if not isinstance(document, dict):
        return []
    own = [document["enum"]] if document.get("type") == "string" and isinstance(document.get("enum"), list) else []
    return own + [found for value in document.values() for found in _enumerations(value)]


_EXAMPLES = [
    *[(name, example) for name, schema in _SCHEMAS.items() for example in schema.get("examples", ())],
    *[
        (content["schema"]["$ref"].rpartition("/")[2], example["value"])
        for _, _, operation in _OPERATIONS
        for part in (operation.get("requestBody", {}), *operation["responses"].values())
        for content in part.get("content", {}).values()
        if "$ref" in content.get("schema", {})
        for example in content.get("examples", {}).values()
    ],
]


_PRINT = """
import json, sys
from scripts.contract_modules import modules_of
print(json.dumps(modules_of(json.load(open("openapi.json")))))
"""


@pytest.mark.parametrize("name", sorted({name for name, _ in _EXAMPLES if "properties" in _SCHEMAS[name]}))
def test_examples_are_read_and_written_to_the_same_bytes(name: str) -> None:
    kind = getattr(types, class_name(name))

    for example in [example for owner, example in _EXAMPLES if owner == name]:
        record = kind.from_dict(example)
        assert json.dumps(record.to_dict()) == json.dumps(example)
        assert kind.from_dict(record.to_dict()) == record


def test_examples_of_most_kinds_are_there() -> None:
    assert len({name for name, _ in _EXAMPLES}) > 100


def test_a_union_is_read_by_its_tag_and_as_the_last_member_where_the_tag_is_new() -> None:
    unions = {name: schema for name, schema in _SCHEMAS.items() if "discriminator" in schema}
    assert {"Generator", "Prediction", "Explanation"} <= unions.keys()

    for name, schema in unions.items():
        tag, members = schema["discriminator"]["propertyName"], schema["discriminator"]["mapping"]
        last = class_name(schema["oneOf"][-1]["$ref"].rpartition("/")[2])
        expected = {value: class_name(reference.rpartition("/")[2]) for value, reference in members.items()}

        for value, kind in {**expected, "of a later release": last}.items():
            sent = _smallest(kind) | {tag: value}
            read = _HOLDERS[name].from_dict({"it": sent})
            assert type(read.it).__name__ == kind
            assert sent.items() <= read.to_dict()["it"].items()


def _smallest(kind: str) -> dict[str, Any]:
    """Return the fields that must be there, with values that fit those of the unions' members."""
    schema = next(schema for name, schema in _SCHEMAS.items() if class_name(name) == kind)
    values = {"array": [], "string": "x", "number": 0.5, "integer": 1}
    required = [(name, schema["properties"][name]) for name in schema.get("required", ())]
    return {name: _smallest_value(field, values) for name, field in required}


def _smallest_value(field: dict[str, Any], values: dict[str, Any]) -> Any:  # any JSON
    if "$ref" not in field:
        return values[field["type"]]
    name = field["$ref"].rpartition("/")[2]
    return {"task": "regression", "value": 0.5} if name == "Prediction" else _smallest(class_name(name))


def _holder(name: str) -> Any:  # a class of records
    return RecordType(f"Holder{name}", (Record,), {"__annotations__": {"it": getattr(types, name)}})


_HOLDERS = {name: _holder(name) for name, schema in _SCHEMAS.items() if "discriminator" in schema}


def test_what_a_later_release_adds_is_read() -> None:
    example = next(example for name, example in _EXAMPLES if name == "Model")

    model = types.Model.from_dict({**example, "ensemble": "bagging", "planet": "Mars"})

    assert model.ensemble == "bagging"


def test_what_is_missing_is_named() -> None:
    with pytest.raises(KeyError, match="value"):
        types.Cell.from_dict({"name": "age"})
    with pytest.raises(TypeError, match="Cell needs 'value'"):
        types.Cell(name="age")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Cell has no field 'vaule'"):
        types.Cell(name="age", value=40.0, vaule=40.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="a Cell is an object, not \\['age'\\]"):
        types.Cell.from_dict(["age"])  # type: ignore[arg-type]


def test_a_record_is_equal_to_its_copies_and_to_nothing_else() -> None:
    cell = types.Cell(name="age", value=40.0)
    page = types.PageJob(data=[])

    assert cell == types.Cell(name="age", value=40.0) == pickle.loads(pickle.dumps(cell)) == copy.deepcopy(cell)  # noqa: S301  # our own
    assert cell != types.Cell(name="age", value=41.0)
    assert cell != cell.to_dict()
    assert pickle.loads(pickle.dumps(page)).next_cursor is UNSET  # noqa: S301  # our own
    assert cell.__replace__(value=41.0) == types.Cell(name="age", value=41.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(cell)
    with pytest.raises(AttributeError):
        cell.vaule = 41.0  # type: ignore[attr-defined]


def test_files_are_sent_as_forms_and_other_bodies_as_json() -> None:
    onnx = File(BytesIO(b"onnx"), "model.onnx", "application/octet-stream")
    form = types.BodyRegisterModel(file=onnx, metadata="{}")
    tables = types.BodyRegisterRelationalDataset(file=[onnx, onnx], metadata="{}")
    file = ("file", ("model.onnx", onnx.payload, "application/octet-stream"))
    metadata = ("metadata", (None, b"{}", "text/plain"))

    assert Request("POST", "/", body=form).content() == {"files": [file, metadata]}
    assert Request("POST", "/", body=types.BodyRegisterModel(file=onnx)).content() == {"files": [file]}
    assert Request("POST", "/", body=tables).content() == {"files": [file, file, metadata]}
    assert Request("POST", "/", {"limit": 2, "cursor": None, "model": UNSET}).content() == {"params": {"limit": 2}}
    assert Request("POST", "/", body=types.Renaming(name=None)).content() == {"json": {"name": None}}


def test_the_code_is_what_the_contract_gives_in_whatever_order_sets_are(tmp_path: Path) -> None:
    found = [
        subprocess.run(  # our own command
            [sys.executable, "-c", _PRINT],
            cwd=_ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "7")
    ]

    assert found[0] == found[1] == json.dumps(modules_of(_CONTRACT)) + "\n"
