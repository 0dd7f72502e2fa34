"""Types of the contract's fields in words, with their ranges, as Markdown that links to objects."""

import json
import re
from collections.abc import Iterator
from typing import Any

from schemas.contract import UNSEEN_IN_LINES, UNSEEN_IN_NAMES

_ANY_TEXT = r"^[^\x00]*$"
_TEXTS = {  # patterns of many fields, in words
    f"^[^{UNSEEN_IN_NAMES}]*$": "on one line, without control or invisible characters",
    f"^[^{UNSEEN_IN_LINES}]*$": "without control or invisible characters but line breaks and tabs",
}
_RANGES = (
    *(("minimum", "at least {}"), ("ge", "at least {}"), ("exclusiveMinimum", "above {}"), ("gt", "above {}")),
    *(("maximum", "at most {}"), ("le", "at most {}"), ("exclusiveMaximum", "below {}"), ("lt", "below {}")),
    *(("minLength", "at least {} characters"), ("maxLength", "at most {} characters")),
    *(("minItems", "at least {}"), ("maxItems", "at most {}")),
)


def name_of(reference: str) -> str:
    """Return the name in a reference to a component."""
    return reference.rpartition("/")[2]


def shown_name(name: str) -> str:
    """Return a schema's name as a reader has it: ``Page_Model_`` is a page of a list of ``Model``."""
    page = re.fullmatch(r"Page_(\w+)_", name)
    return f"Page of {page[1]}" if page else name


def names_in(value: Any) -> Iterator[str]:
    """Yield the names of the schemas that a part of the contract refers to."""
    if isinstance(value, dict):
        reference = value.get("$ref", "")
        if reference.startswith("#/components/schemas/"):
            yield name_of(reference)
        for part in value.values():
            yield from names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from names_in(part)


def type_of(schema: dict[str, Any]) -> str:
    """Return the type of a schema, such as ``integer, at least 1`` or ``list of [Reason](#object-Reason)``."""
    if "$ref" in schema:
        name = name_of(schema["$ref"])
        return f"[{shown_name(name)}](#object-{name})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(type_of(choice) for choice in choices)
    if schema.get("type") == "array":
        return ", ".join([f"list of {type_of(schema.get('items', {}))}", *_ranges(schema)])
    return ", ".join([_plain(schema), *_ranges(schema)])


def _plain(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "any JSON value")
    if schema.get("format") == "date-time":
        return "time, RFC 3339"
    if schema.get("format") == "binary":
        return "file"
    return str(kind)


def _ranges(schema: dict[str, Any]) -> Iterator[str]:
    for field, words in _RANGES:
        if field in schema:
            number = schema[field]
            yield words.format(f"{int(number):,}" if float(number).is_integer() else number)
    if schema.get("pattern", _ANY_TEXT) != _ANY_TEXT:
        yield _TEXTS.get(schema["pattern"], f"matching `{schema['pattern']}`")
