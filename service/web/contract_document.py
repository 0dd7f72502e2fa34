"""The contract's document, openapi.json: what it describes beside the routes, in the terms of OpenAPI 3.1."""

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypedDict

import orjson
from fastapi import FastAPI
from pydantic import TypeAdapter

from schemas.contract import Contract, Name
from schemas.datasets import DatasetMetadata
from schemas.models import ModelMetadata
from schemas.noun import JSON
from schemas.nouns import NOUNS
from schemas.relational_datasets import RelationalDatasetMetadata

_DESCRIPTION = "Tree ensembles that explain themselves: prototypes, nearest prototypes of single predictions, and why."
_TAGS = {noun.words: noun.description for noun in NOUNS.stored} | {
    "health": "Whether the process answers, whether it can serve, and which version it is.",
}
_METADATA: dict[str, type[Contract]] = {
    "Body_register_model": ModelMetadata,
    "Body_register_dataset": DatasetMetadata,
    "Body_register_relational_dataset": RelationalDatasetMetadata,
}
_UNIONS: dict[str, tuple[Any, str]] = {
    "Instance": (dict[str, Any] | list[Any], "A raw row: values by feature name, or in the order of the features."),
    "CellValue": (float | bool | str, "A value of a column: a number, a boolean or a category."),
    "ComparedValue": (bool | float | str, "A value of a query or of its feature: a boolean, a number or a category."),
    "ConditionValue": (float | str | list[str], "What a condition compares with: a number, a category or categories."),
    "NumberOrText": (float | str, "A number or a text, such as a predicted value or label."),
    "RequestedFeatures": (Literal["all"] | list[Name], "`all`, or the names of some features."),
    "ShownFeatures": (Literal["all"] | list[str], "`all`, or the names of some features."),
}
_NULL = {"type": "null"}
OTHER_FORMS = "x-other-forms"  # of an answer: its content in media types that a caller may choose instead of JSON
_EXAMPLES = Path(__file__).parents[1] / "examples.json"  # written by scripts/write_examples.py
_EVENTS_PATHS, _EVENT_STREAM = ("/v1/jobs/events", "/v1/jobs/{job_id}/events"), "text/event-stream"
_EVENT_SCHEMA = {
    "type": "object",
    "title": "JobEvent",
    "description": "One event of the stream.",
    "properties": {
        "event": {
            "type": "string",
            "enum": ["progress", "done"],
            "description": "`progress` when something about the job has changed, `done` when the job has ended.",
        },
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/Job"},
            "description": "The job as it is now.",
        },
    },
    "required": ["event", "data"],
}


_PACKED = "openapi.json"  # beside the package in the repository, inside it when it is installed


class Described(TypedDict):
    """Arguments of ``FastAPI`` that describe the document."""

    title: str
    description: str
    license_info: dict[str, Any]
    servers: list[dict[str, Any]]
    openapi_tags: list[dict[str, Any]]


DESCRIBED: Described = {
    "title": "Leafspace",
    "description": _DESCRIPTION,
    "license_info": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
    "servers": [{"url": "/", "description": "The service that serves this document."}],
    "openapi_tags": [{"name": name, "description": description} for name, description in _TAGS.items()],
}


@cache
def packed_bytes() -> bytes:
    """Return the document as it was written when this version was made."""
    file = files("service") / _PACKED
    return (file if file.is_file() else Path(__file__).parents[2] / _PACKED).read_bytes()


@cache
def packed() -> dict[str, Any]:
    """Return the packed document."""
    document: dict[str, Any] = orjson.loads(packed_bytes())
    return document


def text_of_many(media_type: str, schema_name: str, description: str) -> dict[str, Any]:
    """Return the schema of a text that holds many values, such as JSON lines.

    OpenAPI 3.2 has ``itemSchema`` for these. In 3.1, which generators read, the decoded text is described as an array.
    """
    items = {"$ref": f"#/components/schemas/{schema_name}"}
    return {
        "type": "string",
        "contentMediaType": media_type,
        "contentSchema": {"type": "array", "items": items},
        "description": description,
    }


def install(app: FastAPI) -> None:
    """Have the document describe the stream of events within OpenAPI 3.1; FastAPI would use 3.2's ``itemSchema``."""
    complete_document(app, _describe_within_3_1)


def install_shared_problems(app: FastAPI) -> None:
    """Have the document describe each kind of failure once, in ``components``, and operations refer to it.

    To be installed last: after this, operations no longer hold the failures themselves.
    """
    complete_document(app, _refer_to_problems)


def _refer_to_problems(contract: dict[str, Any]) -> None:
    responses = contract["components"].setdefault("responses", {})
    for operations in contract["paths"].values():
        for operation in operations.values():
            for status in (status for status in operation["responses"] if status >= "400"):
                shared = responses.setdefault(f"Problem{status}", operation["responses"][status])
                if shared == operation["responses"][status]:
                    operation["responses"][status] = {"$ref": f"#/components/responses/Problem{status}"}
    contract["components"]["responses"] = dict(sorted(responses.items()))


def complete_document(app: FastAPI, complete: Callable[[dict[str, Any]], None]) -> None:
    """Have ``complete`` change the app's document once, when it is made, after those that were installed before."""
    describe = app.openapi

    def describe_completely() -> dict[str, Any]:
        is_new = app.openapi_schema is None
        document = describe()
        if is_new:
            complete(document)
        return document

    app.openapi = describe_completely  # type: ignore[method-assign]  # as FastAPI's documentation has it


def _describe_within_3_1(contract: dict[str, Any]) -> None:
    _describe_events(contract)
    _describe_ids(contract)
    _describe_metadata(contract)
    _name_unions(contract)
    _add_examples(contract)
    _describe_one_form(contract)
    _require_types_of_objects(contract)


def _describe_ids(contract: dict[str, Any]) -> None:
    ids = {noun.id_name: f"Id of the {noun.singular.replace('_', ' ')}." for noun in NOUNS.stored}
    for operations in contract["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path" and parameter["name"] in ids:
                    parameter.setdefault("description", ids[parameter["name"]])


def _describe_metadata(contract: dict[str, Any]) -> None:
    """Describe the JSON text in the form of an upload, of which FastAPI knows only that it is a text."""
    schemas = contract["components"]["schemas"]
    for form, kind in _METADATA.items():
        described = kind.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= described.pop("$defs", {}) | {kind.__name__: described}
        field = schemas[form]["properties"]["metadata"]
        default = "" if "metadata" in schemas[form].get("required", ()) else "; default: all defaults"
        field["description"] = f"JSON text, as `{kind.__name__}` describes it{default}."
        field["contentSchema"] = {"$ref": f"#/components/schemas/{kind.__name__}"}


def _name_unions(contract: dict[str, Any]) -> None:
    """Give unions names of their own, which generators of clients would otherwise invent, a new one at each use."""
    schemas = contract["components"]["schemas"]
    choices = {name: TypeAdapter(kind).json_schema()["anyOf"] for name, (kind, _) in _UNIONS.items()}
    _refer_to_unions(schemas, {json.dumps(each, sort_keys=True): name for name, each in choices.items()})
    schemas |= {
        name: {"title": name, "description": description, "anyOf": choices[name]}
        for name, (_, description) in _UNIONS.items()
    }


def _refer_to_unions(value: Any, names: dict[str, str]) -> None:  # any JSON value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refer_to_unions(item, names)
    if isinstance(value, dict) and isinstance(value.get("anyOf"), list):
        choices = [choice for choice in value["anyOf"] if choice != _NULL]
        name = names.get(json.dumps(choices, sort_keys=True))
        if name is None:
            return
        reference = {"$ref": f"#/components/schemas/{name}"}
        if _NULL in value.pop("anyOf"):
            value["anyOf"] = [reference, _NULL]
        else:
            value |= reference


def _add_examples(contract: dict[str, Any]) -> None:
    """Add real requests and answers: to schemas in JSON, to operations in other texts."""
    schemas, recorded = contract["components"]["schemas"], json.loads(_EXAMPLES.read_text(encoding="utf-8"))
    examples = recorded["schemas"]
    results = {f"{name}Result": example["result"] for name, example in examples.items() if example.get("result")}
    for name, example in (examples | results).items():
        schemas[name]["examples"] = [example]
    for name, item in examples.items():
        shown = {**item, "result": None} if "result" in item else item
        if page := schemas.get(f"Page_{name}_"):
            page["examples"] = [{"object": "list", "data": [shown], "next_cursor": None}]
    for form, kind in _METADATA.items():
        schemas[form]["properties"]["metadata"]["examples"] = [json.dumps(examples[kind.__name__])]
    for path in contract["paths"].values():
        for operation in path.values():
            for media_type, text in recorded["texts"].get(operation["operationId"], {}).items():
                operation["responses"]["200"]["content"][media_type]["example"] = text


def _describe_one_form(contract: dict[str, Any]) -> None:
    """Have the answer of an operation be JSON alone where ``Accept`` chooses among forms, and JSON is one of them.

    Generated clients would otherwise give an answer a type for all forms at once, such as a list or a text, although a
    caller who does not choose gets JSON. The other forms stand beside it, in words and as an extension.
    """
    for path in contract["paths"].values():
        for answer in (answer for operation in path.values() for answer in operation["responses"].values()):
            content = answer.get("content", {})
            if "$ref" in content.get(JSON, {}).get("schema", {}) and len(content) > 1:
                answer["content"] = {JSON: content.pop(JSON)}
                answer[OTHER_FORMS] = content
                named = ", ".join(f"`{media_type}`" for media_type in content)
                answer["description"] = f"{answer['description'].rstrip('.')}. As `Accept` says, also {named}."


def _require_types_of_objects(contract: dict[str, Any]) -> None:
    """Say that ``object``, by which clients tell answers apart, is never left out: its default is what is sent."""
    for schema in contract["components"]["schemas"].values():
        if "const" in schema.get("properties", {}).get("object", {}) and "object" not in schema.get("required", []):
            schema["required"] = ["object", *schema.get("required", [])]


def _describe_events(contract: dict[str, Any]) -> None:
    for path in _EVENTS_PATHS:
        content = contract["paths"][path]["get"]["responses"]["200"]["content"]
        schema = text_of_many(_EVENT_STREAM, "JobEvent", "Server-sent events, each as `JobEvent` describes it.")
        content[_EVENT_STREAM] = {"schema": schema}
    contract["components"]["schemas"]["JobEvent"] = _EVENT_SCHEMA
