"""The contract's document, openapi.json: what it says beside the routes, in the words of OpenAPI 3.1."""

from typing import Any, TypedDict

from fastapi import FastAPI

from schemas.nouns import NOUNS

_DESCRIPTION = "Tree ensembles that explain themselves: prototypes, nearest prototypes of single predictions, and why."
_TAGS = {noun.words: noun.description for noun in NOUNS.kept} | {
    "health": "Whether the process answers, whether it can serve, and which version it is.",
}
_EVENTS_PATH, _EVENT_STREAM = "/v1/jobs/{job_id}/events", "text/event-stream"
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


class Described(TypedDict):
    """The arguments of ``FastAPI`` that describe the API."""

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
    describe = app.openapi

    def describe_within_3_1() -> dict[str, Any]:
        is_new = app.openapi_schema is None
        contract = describe()
        if is_new:
            _describe_events(contract)
            _describe_ids(contract)
        return contract

    app.openapi = describe_within_3_1  # type: ignore[method-assign]  # as FastAPI's documentation has it


def _describe_ids(contract: dict[str, Any]) -> None:
    ids = {noun.id_name: f"Id of the {noun.singular.replace('_', ' ')}." for noun in NOUNS.kept}
    for operations in contract["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path" and parameter["name"] in ids:
                    parameter.setdefault("description", ids[parameter["name"]])


def _describe_events(contract: dict[str, Any]) -> None:
    content = contract["paths"][_EVENTS_PATH]["get"]["responses"]["200"]["content"]
    schema = text_of_many(_EVENT_STREAM, "JobEvent", "Server-sent events, each as `JobEvent` describes it.")
    content[_EVENT_STREAM] = {"schema": schema}
    contract["components"]["schemas"]["JobEvent"] = _EVENT_SCHEMA
