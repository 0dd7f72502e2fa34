"""Route scopes: the scope of a key that each route requires, as its noun declares it; described and enforced."""

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from starlette.routing import compile_path

from schemas.noun import Noun
from schemas.nouns import NOUNS
from schemas.problems import PROBLEM_KINDS
from schemas.scopes import SCOPES, Scope

from ..middleware.identity.access import PUBLIC_PATHS, PUBLIC_PREFIXES
from .contract_document import complete_document

ALL_SCOPES: frozenset[Scope] = frozenset(SCOPES)
_READABLE = frozenset({"/metrics", "/v1/version"})  # by every key that may read
_OF_EVERY_KEY = frozenset({"/v1/me", "/page/codes"})  # whatever its scopes
_PAGE_PARTS = "/page/parts/"
_EXPLAINED_PARTS = tuple(
    f"/page/parts/{part}/" for part in ("explainers", "features", "questions", "regions", "verified-reports")
)
_INFERENCE = ("/v2", "/v1/models/{name")  # KServe's protocols; models of ours are {model_id}
_SCHEME = "api_key"
_MAX_REMEMBERED, _MAX_REMEMBERED_CHARACTERS = 4096, 200


def scope_of(method: str, path: str) -> Scope | None:
    """Return the scope that a route of the contract requires; none for public paths, and where every key suffices.

    Raises
    ------
    LookupError
        If its noun declares none: then the service does not start.
    """
    if path in PUBLIC_PATHS or path in _OF_EVERY_KEY or path.startswith(PUBLIC_PREFIXES):
        return None
    if path.startswith(_PAGE_PARTS):
        return "read"
    if path in _READABLE:
        return "read"
    if path.startswith(_INFERENCE):
        return "explain"
    noun = max(filter(lambda noun: _is_of(path, noun), NOUNS.values()), key=lambda noun: len(noun.path), default=None)
    scope = None if noun is None else noun.scope_of(method, path.partition(f"{noun.item_path}/")[2])
    if scope is None:
        detail = f"no scope is known for {method} {path}: declare it in the noun's module of schemas"
        raise LookupError(detail)
    return scope


def _is_of(path: str, noun: Noun[Any]) -> bool:
    return path == noun.path or path.startswith(f"{noun.path}/")


def install(app: FastAPI) -> None:
    """Describe in the app's contract the scope that each route requires, and how it refuses."""
    complete_document(app, _describe_scopes)


class RouteScopes:
    """The scopes that requests require.

    Paths are matched by the expressions that route the application itself, so that both find the same route.

    Parameters
    ----------
    routes
        Method and path of each route of the application.
    """

    def __init__(self, routes: Iterable[tuple[str, str]]) -> None:
        self._routes = [(method, compile_path(path)[0], _required(method, path)) for method, path in routes]
        self._remembered: dict[tuple[str, str], frozenset[Scope]] = {}

    def required(self, method: str, path: str) -> frozenset[Scope]:
        """Return what a request requires: all scopes if no route matches. HEAD requires what GET does."""
        method = "GET" if method == "HEAD" else method
        required = self._remembered.get((method, path))
        if required is None:
            required = self._matched(method, path)
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            if len(path) <= _MAX_REMEMBERED_CHARACTERS:
                self._remembered[method, path] = required
        return required

    def _matched(self, method: str, path: str) -> frozenset[Scope]:
        for route_method, expression, required in self._routes:
            if route_method == method and expression.match(path):
                return required
        return ALL_SCOPES


def _required(method: str, path: str) -> frozenset[Scope]:
    scope = scope_of(method, path)
    # These show what is read, and explain it.
    also: frozenset[Scope] = frozenset({"explain"} if path.startswith(_EXPLAINED_PARTS) else ())
    return frozenset() if scope is None else also | {scope}


def _describe_scopes(contract: dict[str, Any]) -> None:
    contract["components"]["securitySchemes"] = {
        _SCHEME: {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "lsk_…",
            "description": "A key of this service. Not required where the service listens on loopback alone.",
        }
    }
    for path, operations in contract["paths"].items():
        for method, operation in operations.items():
            scope = scope_of(method.upper(), path)
            needs_key = scope is not None or path in _OF_EVERY_KEY
            operation["security"] = [{_SCHEME: [] if scope is None else [scope]}] if needs_key else []
            if needs_key:
                operation["responses"] |= {
                    "401": _refusal("unauthenticated"),
                    "403": _refusal("insufficient_scope", "foreign_request"),
                }


def _refusal(*codes: str) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    headers = {"WWW-Authenticate": {"description": "What is wanted.", "schema": {"type": "string"}}}
    title = PROBLEM_KINDS[codes[0]].title
    return {"description": f"{title}. Problem codes: {', '.join(codes)}", "headers": headers, "content": content}
