"""Conditional requests: callers that hold an answer that is still valid get 304 without a body (RFC 9110, section 13).

Models, (relational) datasets, finished artefacts and whatever is read below them have a strong entity tag: a hash of
the row that names their content (``storage.entity_versions``), of the path, the query and ``Accept``, which choose
the representation, and of the service's version, which writes it. Lists, jobs, keys, explainers and artefacts that are
being made have none, nor has what shows decisions (``Noun.changing``); names of explainers and decisions have tags of
their own, for ``If-Match`` (``routes/preconditions.py``).
"""

import hashlib
import re
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool

from schemas.datasets import DATASETS
from schemas.models import MODELS
from schemas.noun import Noun
from schemas.nouns import NOUNS
from schemas.relational_datasets import RELATIONAL_DATASETS
from storage.entity_versions import entity_version

from ..middleware.protocol.compression import GZIP_SUFFIX
from .contract_document import complete_document

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
_IMMUTABLE: tuple[Noun[Any], ...] = (MODELS, DATASETS, RELATIONAL_DATASETS, *NOUNS.made_by_jobs)
_TAG = re.compile(r'(?:W/)?"([!#-~]*)"')
# Kept by the caller alone, which revalidates it each time with its key.
_CACHE_CONTROL = "private, no-cache"
_OK, _NOT_MODIFIED = 200, 304
_HEADER = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "`ETag` of an earlier answer: while that is still what would be sent, the answer is 304 without it.",
}
_ETAG = {
    "description": "Strong entity tag of this representation, once it cannot change any more.",
    "schema": {"type": "string"},
}
_UNCHANGED = {"description": "The caller's copy, named by `If-None-Match`, is still what would be sent."}


def with_entity_tag(handle: Handler, path: str) -> Handler:
    """Return a handler that tags the answers of an immutable resource, and leaves out those that the caller has.

    Parameters
    ----------
    handle
        Answers a GET request.
    path
        The route's template; the handler of any other resource is returned as it is.
    """
    noun = _immutable_at(path)
    if noun is None:
        return handle

    async def answer(request: Request) -> Response:
        changes = any(name in noun.changing for name in request.query_params)
        tag = None if changes else await _tag_of(request, noun.name, request.path_params[noun.id_name])
        if tag is None:
            return await handle(request)
        # The caller may hold the answer plain or compressed; `*` is for methods that write, and matches nothing here.
        named = {held for header in request.headers.getlist("if-none-match") for held in _TAG.findall(header)}
        for matching in (tag, tag + GZIP_SUFFIX):
            if matching in named:
                return Response(status_code=_NOT_MODIFIED, headers=_headers(matching))
        response = await handle(request)
        if response.status_code == _OK:
            response.headers.update(_headers(tag))
        return response

    return answer


def install(app: FastAPI) -> None:
    """Describe entity tags, ``If-None-Match`` and 304 in the contract."""
    complete_document(app, _describe_tags)


def _describe_tags(contract: dict[str, Any]) -> None:
    for path, operations in contract["paths"].items():
        if "get" in operations and _immutable_at(path) is not None:
            operation = operations["get"]
            operation.setdefault("parameters", []).append(_HEADER)
            operation["responses"]["200"]["headers"] = {"ETag": _ETAG}
            operation["responses"]["304"] = _UNCHANGED


def _immutable_at(path: str) -> Noun[Any] | None:
    """Return the noun of an immutable thing at this path or above it, if there is one."""
    noun = next((noun for noun in _IMMUTABLE if f"{path}/".startswith(f"{noun.item_path}/")), None)
    below = "" if noun is None else path.removeprefix(noun.item_path).strip("/").partition("/")[0]
    return None if noun is None or below in noun.changing else noun


async def _tag_of(request: Request, noun: str, identifier: str) -> str | None:
    entity = await run_in_threadpool(entity_version, request.app.state.context.database, noun, identifier)
    if entity is None:
        return None
    chosen = request.url.path, request.url.query, request.headers.getlist("accept")
    digest = hashlib.sha256(orjson.dumps([entity, chosen, version("leafspace")]))
    return digest.hexdigest()[:32]


def _headers(tag: str) -> dict[str, str]:
    return {"ETag": f'"{tag}"', "Cache-Control": _CACHE_CONTROL, "Vary": "Accept"}
