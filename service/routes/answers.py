"""What routes share: their failures, and answers to requests that create something at most once."""

import hashlib
from typing import Annotated, Any, BinaryIO, TypeVar

import orjson
from fastapi import File, Form, Query, Response, UploadFile

from schemas.api_keys import NewApiKey
from schemas.artefacts import ArtefactView
from schemas.contract import Contract
from schemas.datasets import Dataset
from schemas.explainers import Explainer
from schemas.identifiers import canonical_json
from schemas.models import Model
from schemas.problems import PROBLEM_KINDS
from schemas.relational_datasets import RelationalDataset
from schemas.relational_features import SqlSource

from ..operations.idempotent_creation import Creation
from ..web.problems import PROBLEM_TYPE

Upload = Annotated[UploadFile, File(description="Content of the file; its name is ignored.")]
MetadataField = Annotated[
    str | None, Form(description="JSON.", json_schema_extra={"contentMediaType": "application/json"})
]
SqlSourceParameter = Annotated[
    SqlSource | None,
    Query(
        description="What exported SQL reads: `tables`, of which the model's features are queries, with a row for each "
        "example; or `features`, a table with the model's features as columns. Null: `tables` where the dataset has a "
        "feature set, else `features`. For format `sql` alone."
    ),
]
SQL_GROWTH = 8  # bytes of SQL over tables for each byte of the JSON that it is made from, at most about
View = TypeVar("View", bound=ArtefactView)
Registered = TypeVar("Registered", Model, Dataset, RelationalDataset, Explainer, NewApiKey)
_JOB_RETRY_SECONDS = "1"
_CREATED, _ACCEPTED = 201, 202


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that lists its failures."""
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    # 422 always: otherwise FastAPI would promise an answer of its own for it. 429 and 503: limits apply to all routes.
    documented = sorted({*statuses, 422, 429, 503})
    return {status: {"description": _codes(status), "content": content} for status in documented}


def repeated(model: type[Contract], description: str) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that describes the answer when nothing new was made."""
    return {200: {"model": model, "description": description}}


def fingerprint(*request: Any) -> str:  # any JSON values
    """Return a hash of a request."""
    return hashlib.sha256(canonical_json(request)).hexdigest()


def sha256_of(file: BinaryIO) -> str:
    """Return the SHA-256 of an uploaded file in hexadecimal; it is read from its start and rewound."""
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto
    file.seek(0)
    return digest


def created(path: str, creation: Creation[Registered]) -> Response:
    """Return the answer to a creation at once: 201 or 200, and where the thing is; ``path`` is that of the noun."""
    location = {"Location": f"{path}/{creation.result.id}"}
    return Response(_encoded(creation.result), creation.status, location, "application/json")


def made_by_job(view: type[ArtefactView]) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that describes the answer to a request that takes a job."""
    return repeated(
        view, "It had been made before; or this `Idempotency-Key` requested it, and its job has ended."
    ) | problems(400, 404, 408, 409, 413, 415, 422, 503, 507)


def made_at_once(view: type[ArtefactView]) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that describes the answer where no job was needed."""
    return {_CREATED: {"model": view, "description": "It needed no job, and is ready."}}


def accepted(path: str, creation: Creation[View]) -> Response:
    """Return the answer to a request for an artefact: 202 and the job to read while it is made, 200 otherwise.

    What was made at once is answered with 201. ``path`` is that of the noun.
    """
    view = creation.result
    headers, status = {"Content-Location": f"{path}/{view.id}"}, 200
    if view.status == "pending":
        headers |= {"Location": f"/v1/jobs/{view.job}", "Retry-After": _JOB_RETRY_SECONDS}
        status = _ACCEPTED
    elif creation.status == _CREATED:
        headers, status = {"Location": f"{path}/{view.id}"}, _CREATED
    body = view.model_copy(update={"reused": creation.status not in {_ACCEPTED, _CREATED}})
    return Response(_encoded(body), status, headers, "application/json")


def _encoded(message: Contract) -> bytes:
    return orjson.dumps(message.model_dump(mode="json"))


def _codes(status: int) -> str:
    codes = sorted(code for code, kind in PROBLEM_KINDS.items() if kind.status == status)
    return "Problem codes: " + ", ".join(codes)
