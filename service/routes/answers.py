"""What routes have in common: how they can fail, and how something is created at most once."""

import hashlib
from collections.abc import Callable
from typing import Annotated, Any, BinaryIO

import orjson
from fastapi import File, Form, Response, UploadFile

from schemas.artefacts import ArtefactView
from schemas.contract import Contract
from schemas.identifiers import canonical_json
from schemas.problems import PROBLEM_KINDS
from storage.idempotency import KeptAnswer, RequestKey

from ..parts import Parts
from ..problems import PROBLEM_TYPE

Upload = Annotated[UploadFile, File(description="The file's bytes; its name is ignored.")]
MetadataField = Annotated[
    str | None, Form(description="JSON.", json_schema_extra={"contentMediaType": "application/json"})
]
_BLOCK_BYTES = 1 << 20
_JOB_RETRY_SECONDS = "1"
_ACCEPTED = 202


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that says how it can fail."""
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    # 422 always: otherwise FastAPI would promise an answer of its own for it. 429 and 503: limits stand before all.
    found = sorted({*statuses, 422, 429, 503})
    return {status: {"description": _codes(status), "content": content} for status in found}


def repeated(model: type[Contract], description: str) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that says what is answered when nothing new was made."""
    return {200: {"model": model, "description": description}}


def fingerprint(*request: Any) -> str:  # noqa: ANN401  # any JSON values
    """Return a hash of what was asked."""
    return hashlib.sha256(canonical_json(request)).hexdigest()


def upload_fingerprint(path: str, metadata: str | None, file: BinaryIO) -> str:
    """Return a hash of an upload, which is read from its start and rewound."""
    digest = hashlib.sha256()
    while block := file.read(_BLOCK_BYTES):
        digest.update(block)
    file.seek(0)
    return fingerprint(path, metadata, digest.hexdigest())


def create_once(
    parts: Parts,
    key: RequestKey | None,
    fingerprint_of_request: Callable[[], str],
    make: Callable[[], tuple[int, Contract]],
) -> tuple[int, dict[str, Any]]:
    """Return status and body of the answer: the one kept for ``key``, or what ``make`` gives now."""
    if key is None:
        status, message = make()
        return status, message.model_dump(mode="json")
    request = fingerprint_of_request()
    kept = parts.idempotency.find(key, request)
    if kept is None:
        status, message = make()
        kept = parts.idempotency.keep(key, request, KeptAnswer(status, message.model_dump(mode="json")))
    return kept.status, kept.body


def created(status: int, body: dict[str, Any], location: str) -> Response:
    """Return the answer to a creation: 201 or 200, and where the thing is."""
    return Response(orjson.dumps(body), status, {"Location": location}, "application/json")


def made_by_job(view: type[ArtefactView]) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that says how a question that takes a job is answered."""
    return repeated(view, "It had been made before.") | problems(400, 404, 408, 409, 413, 415, 422, 503, 507)


def asked_once(
    parts: Parts, key: RequestKey | None, path: str, request: Contract, ask: Callable[[], ArtefactView]
) -> Response:
    """Return the answer to a question that takes a job: 202 and where to look, or 200 when it is made.

    ``path`` is that of the noun; ``ask`` is called unless an answer is kept for ``key``.
    """

    def make() -> tuple[int, ArtefactView]:
        view = ask()
        return (200 if view.status == "ready" else _ACCEPTED), view

    # The fingerprint is asked for only with a key.
    status, body = create_once(parts, key, lambda: fingerprint(path, request.model_dump(mode="json")), make)
    headers = {"Content-Location": f"{path}/{body['id']}"}
    if status == _ACCEPTED:
        headers |= {"Location": f"/v1/jobs/{body['job']}", "Retry-After": _JOB_RETRY_SECONDS}
    return Response(orjson.dumps(body), status, headers, "application/json")


def _codes(status: int) -> str:
    codes = sorted(code for code, kind in PROBLEM_KINDS.items() if kind.status == status)
    return "Problem codes: " + ", ".join(codes)
