"""The schemas of openapi.json as the SDK's code needs them: names and types in Python, and which module each is in."""

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

_LABELLED = ("ExplanationList", "PredictionList")  # answers whose labels become the caller's own, which may be numbers
_LABELS = {"label", "predicted"}


class Contract:
    """The contract, with what follows from the whole of it: which schema belongs where, and names of enumerations."""

    def __init__(self, contract: Json) -> None:
        self.schemas: dict[str, Json] = contract["components"]["schemas"]
        shared: dict[str, Json] = contract["components"]["responses"]
        self.operations = [
            {**operation, "path": path, "method": method.upper(), "responses": _answers(operation, shared)}
            for path, methods in contract["paths"].items()
            for method, operation in methods.items()
        ]
        self.tags: list[str] = [tag["name"] for tag in contract["tags"]]
        self.modules = self._modules()
        self.requested = self._reached(operation.get("requestBody") for operation in self.operations)
        self.answered = self._reached(operation["responses"] for operation in self.operations)
        self._labelled = self._reached({"$ref": f"/{name}"} for name in _LABELLED)
        self.enumerations = self._enumerations()

    def schemas_in(self, module: str) -> Iterator[str]:
        """Yield the schemas of a module in the order of the contract."""
        return (name for name in self.schemas if self.modules.get(name) == module)

    def field_type(self, owner: str, name: str, schema: Json) -> str:
        """Return the type of a property, without what may stand for its absence."""
        if name in _LABELS and owner in self._labelled and schema.get("type") == "string":
            return "float | str"
        is_open = owner in self.answered
        return self.type_of(schema, is_open=is_open)

    def type_of(self, schema: Json, *, is_open: bool) -> str:
        """Return the type of a schema; where it is open, enumerations may have grown since the code was written."""
        if "$ref" in schema:
            return class_name(_name_in(schema))
        if members := schema.get("anyOf") or schema.get("oneOf"):
            kind = union(*(self.type_of(member, is_open=is_open) for member in members))
            tag = schema.get("discriminator", {}).get("propertyName")
            return f"Annotated[{kind}, Tag({field_name(tag)!r})]" if tag else kind
        if "const" in schema or "enum" in schema:
            return self._enumeration(schema, is_open=is_open)
        if schema.get("type") == "array":
            return f"list[{self.type_of(schema.get('items', {}), is_open=is_open)}]"
        if schema.get("type") == "object":
            values = schema.get("additionalProperties", True)
            return f"dict[str, {self.type_of(values, is_open=is_open) if isinstance(values, dict) else 'Any'}]"
        formats = (schema.get("contentMediaType", ""), schema.get("format", ""), schema.get("type", ""))
        return next((_SCALARS[name] for name in formats if name in _SCALARS), "Any")

    def _enumeration(self, schema: Json, *, is_open: bool) -> str:
        values = (schema["const"],) if "const" in schema else tuple(schema["enum"])
        if values in self.enumerations:
            return union(self.enumerations[values], "str") if is_open else self.enumerations[values]
        return f"Literal[{', '.join(map(repr, values))}]"

    def _modules(self) -> dict[str, str]:
        """Return by schema the module of the first tag that uses it: later modules import from earlier ones."""
        modules: dict[str, str] = {}
        for tag in self.tags:
            for name in self._reached(operation for operation in self.operations if operation["tags"] == [tag]):
                modules.setdefault(name, module_name(tag))
        return modules

    def _reached(self, documents: Iterable[Any]) -> set[str]:
        names: set[str] = set()
        waiting = list(documents)
        while waiting:
            fresh = set(_references(waiting.pop())) - names
            names |= fresh
            waiting += [self.schemas[name] for name in fresh]
        return names

    def _enumerations(self) -> dict[tuple[Any, ...], str]:
        """Return names of enumerations by their values.

        One that fields of one name have in several kinds of things, and none more often, has the name of the field;
        another has that of the first schema or operation before it.
        """
        uses = defaultdict(list)
        for owner, field, values in self._enumerated():
            uses[values].append((owner, field))
        names: dict[tuple[Any, ...], str] = {}
        for values, owners in sorted(uses.items(), key=lambda item: -len(item[1])):
            owner, field = owners[0]
            is_shared = len({_stem(name) for name, other in owners if other == field}) > 1
            taken = {class_name(name) for name in self.schemas} | set(names.values())
            prefixes = ([""] if is_shared else []) + [_stem(owner), owner]
            full = [class_name(prefix) + class_name(field) for prefix in prefixes]
            names[values] = next(name for name in full if name not in taken)
        return names

    def _enumerated(self) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
        for name in self.schemas:
            for field, schema in self.schemas[name].get("properties", {}).items():
                yield from ((name, field, values) for values in _enumerations(schema))
        for operation in self.operations:
            for parameter in operation.get("parameters", []):
                enumerations = _enumerations(parameter["schema"])
                yield from ((operation["operationId"], parameter["name"], values) for values in enumerations)


_SCALARS = {
    "application/octet-stream": "File",
    "boolean": "bool",
    "date-time": "datetime",
    "integer": "int",
    "null": "None",
    "number": "float",
    "string": "str",
}


def module_name(tag: str) -> str:
    """Return the module of a tag."""
    return tag.replace(" ", "_")


def class_name(name: str) -> str:
    """Return the class of a schema, such as ``PageJob`` for ``Page_Job_``."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def field_name(name: str) -> str:
    """Return a name of JSON as one of Python that hides neither a keyword nor a builtin."""
    name = re.sub(r"\W", "_", name).lower() if not name.isidentifier() or name != name.lower() else name
    return f"{name}_" if keyword.iskeyword(name) or (hasattr(builtins, name) and name != "id") else name


def union(*kinds: str) -> str:
    """Return the union of types, each once and ``None`` last."""
    members = dict.fromkeys(member for kind in kinds for member in re.split(r" \| (?![^\[]*\])", kind))
    return " | ".join(sorted(members, key=lambda member: member == "None"))


def _stem(owner: str) -> str:
    """Return what a request, a result, metadata and a summary of one thing have in common in their names."""
    return re.sub("(Request|Result|Metadata|Summary)$", "", owner)


def _name_in(reference: Json) -> str:
    name: str = reference["$ref"].rpartition("/")[2]
    return name


def _answers(operation: Json, shared: dict[str, Json]) -> Json:
    """Return the answers of an operation by status, with those in place that it shares with others."""
    answers: Json = operation["responses"]
    return {status: shared[_name_in(answer)] if "$ref" in answer else answer for status, answer in answers.items()}


def _references(document: object) -> Iterator[str]:
    if isinstance(document, list):
        for item in document:
            yield from _references(item)
    elif isinstance(document, dict):
        if isinstance(document.get("$ref"), str):
            yield _name_in(document)
        for key, value in document.items():
            if key != "examples" or isinstance(value, dict):  # a property may have that name
                yield from _references(value)


def _enumerations(schema: Json) -> Iterator[tuple[Any, ...]]:
    """Yield the enumerations of texts in a schema, but not those of single values."""
    if "enum" in schema and schema["type"] == "string":
        yield tuple(schema["enum"])
    for member in [*schema.get("anyOf", []), *schema.get("oneOf", []), schema.get("items")]:
        if member:
            yield from _enumerations(member)
