"""Markdown of the HTTP reference, from the contract (`openapi.json`): operations by tag, and their objects.

An object stands on the page of the tag that alone uses it, and otherwise with the shared ones.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from scripts.manual.contract_types import names_in, shown_name, type_of

Json: TypeAlias = dict[str, Any]  # of a JSON document, whatever its fields
_CONTRACT = Path(__file__).parents[2] / "openapi.json"
_PLACES = {"path": "In the path", "query": "In the query", "header": "Headers"}


@cache
def contract() -> Json:
    """Return the contract as it is committed."""
    document: Json = json.loads(_CONTRACT.read_text(encoding="utf-8"))
    return document


def operations_of(tag: str) -> str:
    """Return the operations of a tag and the objects that no other tag uses; ``KeyError`` for an unknown tag."""
    described = {each["name"]: each["description"] for each in contract()["tags"]}
    operations = [_operation(method, path, each) for path, method, each in _operations() if tag in each["tags"]]
    objects = [_object(name, "###") for name, tags in _tags_of_objects().items() if tags == {tag}]
    return "\n\n".join([described[tag], *operations, *_headed("Objects", objects)])


def shared_objects() -> str:
    """Return the objects that operations of several tags use."""
    return "\n\n".join(_object(name, "##") for name, tags in _tags_of_objects().items() if len(tags) > 1)


def _headed(heading: str, texts: list[str]) -> list[str]:
    return [f"## {heading}", *texts] if texts else []


def _operations() -> Iterator[tuple[str, str, Json]]:
    for path, methods in contract()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


@cache
def _tags_of_objects() -> dict[str, set[str]]:
    schemas = contract()["components"]["schemas"]
    tags: dict[str, set[str]] = {name: set() for name in schemas}
    for _, _, operation in _operations():
        names, queue = set(), list(names_in(operation))
        while queue:
            name = queue.pop()
            if name not in names:
                names.add(name)
                queue += names_in(schemas[name])
        for name in names:
            tags[name] |= set(operation["tags"])
    tags["Problem"] = set(_all_tags())  # of every operation, by way of its responses
    return tags


def _all_tags() -> list[str]:
    return [each["name"] for each in contract()["tags"]]


def _operation(method: str, path: str, operation: Json) -> str:
    name = operation["operationId"]
    scopes = [scope for each in operation.get("security", []) for scopes in each.values() for scope in scopes]
    needs = f" · a key with the scope `{'`, `'.join(scopes)}`, where keys are required" if scopes else ""
    parts = [
        f"(http-{name})=\n## {name.replace('_', ' ').capitalize()}",
        f"`{method.upper()} {path}`{needs}",
        operation["description"],
        *(_parameters(operation, place) for place in _PLACES),
        _body(operation),
        _answers(operation),
        _problems(operation),
        *_call(method, path, operation),
    ]
    return "\n\n".join(part for part in parts if part)


def _parameters(operation: Json, place: str) -> str:
    listed = [each for each in operation.get("parameters", []) if each["in"] == place]
    lines = [_field(each["name"], each["schema"], each["description"], each.get("required", False)) for each in listed]
    return "\n".join([f"**{_PLACES[place]}**", "", *lines]) if lines else ""


def _field(name: str, schema: Json, description: str, is_required: bool) -> str:
    absent = f", default `{json.dumps(schema['default'])}`" if "default" in schema else ", optional"
    return f"- `{name}` ({type_of(schema)}{', required' if is_required else absent}): {' '.join(description.split())}"


def _body(operation: Json) -> str:
    contents = operation.get("requestBody", {}).get("content", {})
    kinds = [f"{type_of(content['schema'])}, as `{media_type}`" for media_type, content in contents.items()]
    return f"**Body**: {'; or '.join(kinds)}" if kinds else ""


def _answers(operation: Json) -> str:
    successes = {status: answer for status, answer in operation["responses"].items() if status < "400"}
    return "\n".join(["**Answers**", "", *(_answer(status, answer) for status, answer in successes.items())])


def _answer(status: str, answer: Json) -> str:
    contents = answer.get("content", {}) | answer.get("x-other-forms", {})
    kinds = [f"{type_of(each['schema'])}, as `{media}`" for media, each in contents.items()]
    meaning = "" if answer["description"] == "Successful Response" else f" {answer['description'].rstrip('.')}"
    return f"- **{status}**{meaning}{': ' if kinds else ''}{'; or '.join(kinds)}"


def _problems(operation: Json) -> str:
    statuses = sorted(status for status in operation["responses"] if status >= "400")
    linked = ", ".join(f"[{status}](#problems-{status})" for status in statuses)
    return f"**Problems**: {linked}" if linked else ""


def _call(method: str, path: str, operation: Json) -> Iterator[str]:
    """Yield a call by curl, where the body is JSON and its object has an example."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    for name in names_in(content.get("schema", {})):
        for example in contract()["components"]["schemas"][name].get("examples", [])[:1]:
            body = json.dumps(example, ensure_ascii=False).replace("'", "'\\''")
            call = f'curl -X {method.upper()} "http://127.0.0.1:8000{path}" -H "Content-Type: application/json"'
            yield f"**Example**\n\n```sh\n{call} \\\n  -d '{body}'\n```"


def _object(name: str, heading: str) -> str:
    schema = contract()["components"]["schemas"][name]
    required = schema.get("required", [])
    fields = [
        _field(field, each, each.get("description", ""), field in required)
        for field, each in schema.get("properties", {}).items()
    ]
    kind = [] if "properties" in schema else [f"Is {type_of(schema)}."]
    description = schema.get("description", "")
    return "\n\n".join(
        [f"(object-{name})=\n{heading} {shown_name(name)}", description, *kind, "\n".join(fields), *_example(schema)]
    )


def _example(schema: Json) -> Iterator[str]:
    for example in schema.get("examples", [])[:1]:
        text = json.dumps(example, indent=1, ensure_ascii=False)
        yield f"<details><summary>Example</summary>\n\n```json\n{text}\n```\n\n</details>"
