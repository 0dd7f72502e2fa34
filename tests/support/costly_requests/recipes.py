"""Recipes: what a request of a route is filled with, small enough to be kept in a table, and the request made of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from .fillings import FILLINGS, PLAIN

N_BYTES = 1_000_000
"""Of the body of a request, at most about."""
WHOLE = ""
"""The field that stands for the whole body, or the whole query."""
_N_QUERY_BYTES = 30_000  # the server refuses longer heads before the application sees them
_LONGEST_QUERY = 65_000  # of several fields together: the client sends no address above 64 KiB
_BOUNDARY = "leafspace-boundary"
_CONTRACT = Path(__file__).parents[3] / "openapi.json"
_KSERVE = {
    "POST /v1/models/{name}:explain": [
        "instances",
        "detail",
        "include",
        "n_prototypes",
        "n_reasons",
        "nearest_rows",
        "reference",
    ],
    "POST /v1/models/{name}:predict": ["instances"],
    "POST /v2/models/{name}/infer": ["inputs", "outputs", "parameters", "id"],
}
"""Routes that the contract leaves to KServe, and the fields of their bodies."""
_QUERIES: dict[str, Callable[[str], str]] = {
    "many": lambda name: "&".join([f"{name or 'a'}=1"] * (_N_QUERY_BYTES // (len(name or "a") + 3))),
    "long": lambda name: f"{name or 'a'}=" + "a" * _N_QUERY_BYTES,
    "escapes": lambda name: f"{name or 'a'}=" + "%C3%A9" * (_N_QUERY_BYTES // 6),
    "digits": lambda name: f"{name or 'a'}=" + "1" * 4000,
    "most": lambda name: f"{name or 'limit'}=1000",
    "commas": lambda name: f"{name or 'a'}=" + ",".join(["0"] * (_N_QUERY_BYTES // 2)),
    "plain": lambda _: "",
}
"""Queries by name; each takes the name of a parameter."""


@dataclass(frozen=True)
class Route:
    """A route, and where its requests can be filled."""

    method: str
    path: str
    fields: tuple[str, ...]  # of its body, or else parameters of its query
    content_type: str | None  # None: without a body

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Recipe:
    """What the fields of a request are filled with, by the names of fillings."""

    filled: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "; ".join(f"{name or 'all'}: {filling}" for name, filling in sorted(self.filled.items()))

    @staticmethod
    def named(name: str) -> "Recipe":
        """Return the recipe that has this name."""
        pairs = (part.split(": ", 1) for part in name.split("; "))
        return Recipe({WHOLE if field == "all" else field: filling for field, filling in pairs})


_ALL_OF_EACH = {"n_prototypes": "100", "n_reasons": "word all"}
_WORKING = (
    Recipe({"instances": "rows", "include": "leaves"}),
    Recipe({"instances": "rows and a bad one", "include": "leaves"}),
    Recipe({"instances": "rows", "others": "rows"}),
    Recipe({"instances": "rows", "detail": "word full", **_ALL_OF_EACH}),
    Recipe({"instances": "rows", "include": "every part", **_ALL_OF_EACH}),
    Recipe({"instances": "rows", "detail": "word full", "nearest_rows": "100 reference rows", **_ALL_OF_EACH}),
    Recipe({"instances": "wide rows", "detail": "word full", **_ALL_OF_EACH}),
    Recipe({"instances": "rows", "reference": "word all", **_ALL_OF_EACH}),
)


@dataclass(frozen=True)
class Things:
    """What requests need of a service: ids by the name that paths know them by, and bodies that it accepts."""

    ids: Mapping[str, str]
    bodies: Mapping[str, Any]  # by the name of the route
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Request:
    """A request, ready to be sent."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@cache
def _contract() -> Any:  # JSON
    return json.loads(_CONTRACT.read_text(encoding="utf-8"))


def routes() -> list[Route]:
    """Return the routes of the contract, and KServe's; those that delete come last."""
    found = list(_routes_of_contract())
    found += [Route("POST", name.removeprefix("POST "), tuple(of), "application/json") for name, of in _KSERVE.items()]
    return sorted(found, key=lambda route: route.method == "DELETE")


def _routes_of_contract() -> Iterator[Route]:
    for path, operations in _contract()["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {})
            for kind, of in content.items():
                yield Route(method.upper(), path, tuple(_properties(of["schema"])), kind)
                break  # a form, where it takes both
            if not content:
                queries = [of["name"] for of in operation.get("parameters", []) if of["in"] == "query"]
                yield Route(method.upper(), path, tuple(queries), None)


def _properties(schema: Any) -> list[str]:  # JSON
    if "$ref" in schema:
        return _properties(_contract()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    options = [option for kind in ("oneOf", "anyOf") for option in schema.get(kind, ())]
    return list(dict.fromkeys([*schema.get("properties", ()), *(name for of in options for name in _properties(of))]))


def recipes_of(route: Route) -> list[Recipe]:
    """Return the recipes that begin the search of a route: all with one filling, and those known to work much."""
    fillings = _QUERIES if route.content_type is None else FILLINGS
    simple = [Recipe({name: filling}) for name in (WHOLE, *route.fields) for filling in fillings]
    return [*(recipe for recipe in _WORKING if recipe.filled.keys() <= {*route.fields}), *simple]


def request_of(route: Route, recipe: Recipe, things: Things) -> Request:
    """Return the request that a recipe makes of a route."""
    path = route.path.format_map(_Ids(things.ids))
    if route.content_type is None:
        query = "&".join(_QUERIES[filling](name) for name, filling in recipe.filled.items())[:_LONGEST_QUERY]
        return Request(route.method, f"{path}?{query}" if query else path, {}, b"")
    if route.content_type == "application/json":
        return Request(route.method, path, {"Content-Type": "application/json"}, _json_body(route, recipe, things))
    headers = {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}
    return Request(route.method, path, headers, _form(route, recipe, things))


class _Ids(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "0"  # a tree, a row


def _json_body(route: Route, recipe: Recipe, things: Things) -> bytes:
    body = things.bodies.get(route.name, {})
    filled = _filled(recipe, body)
    if WHOLE in filled:
        return filled[WHOLE]
    fields = {name: orjson.Fragment(text) for name, text in filled.items()}
    return orjson.dumps({**body, **fields})


def _filled(recipe: Recipe, body: Any) -> dict[str, bytes]:  # any JSON value
    n_bytes = N_BYTES // max(1, sum(filling not in PLAIN for filling in recipe.filled.values()))
    return {
        name: FILLINGS[filling](n_bytes, body if name == WHOLE else body.get(name))
        for name, filling in recipe.filled.items()
    }


def _form(route: Route, recipe: Recipe, things: Things) -> bytes:
    parts = {name: things.files[route.path] if name == "file" else b"{}" for name in route.fields}
    filled = _filled(recipe, {})
    if WHOLE in filled:
        return filled[WHOLE]
    lines: list[bytes] = []
    for name, content in (parts | filled).items():
        file = '; filename="a.csv"' if name.startswith("file") else ""
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        lines += [head.encode(), content, b"\r\n"]
    return b"".join([*lines, f"--{_BOUNDARY}--\r\n".encode()])


def example_bodies() -> dict[str, Any]:
    """Return the example that the contract has of each body of JSON, by the name of the route."""
    bodies: dict[str, Any] = {}
    for path, operations in _contract()["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None:
                bodies[f"{method.upper()} {path}"] = _example_of(content)
    return bodies


def _example_of(content: Any) -> Any:  # JSON
    if "example" in content:
        return content["example"]
    named: Any = next(iter(content.get("examples", {}).values()), {})
    return named.get("value", {})
