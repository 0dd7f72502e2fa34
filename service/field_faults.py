"""Faults of a body's fields in words: what a field must be, what it is, and which field was meant by an unknown one."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from leafspace_drawings.words import counted
from pydantic import BaseModel
from typing_extensions import TypeAliasType

KNOWN = "known_fields"  # of a fault: the names of the fields that there are in the place of an unknown one
_SHOWN_CHARACTERS = 80
_OBJECT = "a JSON object is expected here"
_LIMITS = {  # by the type of fault; the braces hold names of its context
    "less_than_equal": "must be at most {le}",
    "less_than": "must be below {lt}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be above {gt}",
    "literal_error": "must be {expected}",
    "string_too_long": "must have at most {max_length}",
    "string_too_short": "must have at least {min_length}",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "too_long": "must have at most {max_length}; it has {actual_length}",
    "too_short": "must have at least {min_length}; it has {actual_length}",
    "multiple_of": "must be a multiple of {multiple_of}",
}
_LENGTHS = {"min_length", "max_length"}
_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a JSON object",
    "none_required": "null",
    "finite_number": "a finite number",
}


def with_known_fields(fault: Mapping[str, Any], kind: type[BaseModel]) -> dict[str, Any]:
    """Return a fault of a message of this kind with the names of the fields that an unknown one can stand for."""
    if fault["type"] != "extra_forbidden":
        return dict(fault)
    return {**fault, KNOWN: sorted(_fields_at(kind, fault["loc"][:-1]))}


def fault_text(fault: Mapping[str, Any]) -> str:
    """Return what is wrong with a field and what it must be: ``must be a text; got the number 1``.

    What names the member of a union is not known here: the contract has it.
    """
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "extra_forbidden":
        return f"there is no such field; {advice(str(fault['loc'][-1]), fault.get(KNOWN, ()))}"
    if kind in {"model_type", "model_attributes_type"}:
        return _OBJECT
    if kind == "missing":
        return "is missing"
    if kind in _TYPES:
        return f"must be {_TYPES[kind]}; got {_described(fault.get('input'))}"
    limit, received = _LIMITS.get(kind), fault.get("input")
    limits = _limits(context, of_text=isinstance(received, str))
    text = limit.format(**limits) if limit else fault["msg"].removeprefix("Value error, ")
    return f"{text}; got {_quoted(received)}" if isinstance(received, str | int | float) else text


def advice(name: str, known: Iterable[str]) -> str:
    """Return the advice for an unknown name: a similar name, if there is one."""
    listed = sorted(known)
    if kin := difflib.get_close_matches(name[:_SHOWN_CHARACTERS], listed, 1):
        return f"did you mean {kin[0]!r}?"
    return f"leave it out, or take one of {', '.join(listed)}" if listed else "leave it out, or check its spelling"


def _described(value: Any) -> str:  # any JSON value
    """Return a value with its type, which is what is wrong with it: 1 is no text, and '1' no number."""
    if isinstance(value, str):
        return f"the text {_quoted(value)}"
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, int | float):
        return f"the number {_quoted(value)}"
    return "a list" if isinstance(value, list | tuple) else "a JSON object"


def _quoted(value: str | float) -> str:
    return repr(value[:_SHOWN_CHARACTERS]) if isinstance(value, str) else str(value)[:_SHOWN_CHARACTERS].lower()


def _limits(context: Mapping[str, Any], *, of_text: bool) -> dict[str, Any]:
    """Return the limits with separated thousands, those of lengths with what is counted."""
    nouns = ("character", "characters") if of_text else ("entry", "entries")
    grouped = {name: f"{value:,}" if isinstance(value, int | float) else value for name, value in context.items()}
    return grouped | {name: counted(context[name], *nouns) for name in _LENGTHS & context.keys()}


# The fields that there are.


def _fields_at(kind: Any, steps: Sequence[int | str]) -> set[str]:  # a type
    """Return the names of the fields where some steps lead; steps that are no fields name members of unions."""
    models = list(_models(kind))
    for step in steps:
        known = [each for model in models for each in model.model_fields.items()]
        if fields := [field for name, field in known if step in {name, field.alias}]:
            models = [model for field in fields for model in _models(field.annotation)]
    return {field.alias or name for model in models for name, field in model.model_fields.items()}


def _models(kind: Any) -> Iterator[type[BaseModel]]:  # a type
    """Yield the messages that values of a type may be, or may hold in lists and unions."""
    if isinstance(kind, TypeAliasType):
        yield from _models(kind.__value__)
    elif get_origin(kind) is Annotated:
        yield from _models(get_args(kind)[0])
    elif get_origin(kind) in {Union, UnionType, list, tuple, dict}:
        for member in get_args(kind):
            yield from _models(member)
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
