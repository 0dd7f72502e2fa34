"""KServe's protocols: version 1 below /v1/models, and version 2, the Open Inference Protocol, below /v2.

They are described by KServe and in docs/kserve.md rather than in openapi.json, and their clients send no
``Content-Type``. Version 1's readiness stands where a model of ours is read: names have no underscore, and ids have
one, so that the path of a model's id never matches it.
"""

from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Header, Request, Response
from starlette.convertors import StringConvertor, register_url_convertor

from schemas.contract import Contract
from schemas.explainer_names import NAME_PATTERN
from schemas.explanations import ExplanationRequest
from schemas.open_inference import InferenceRequest
from storage.errors import StorageError

from ..operations import kserve as operations
from ..operations.tensors import TensorAnswer
from ..web.request_class import StrictRoute, read_message, refuse_type
from .dependencies import ContextDep, check_ready

Message = TypeVar("Message", bound=Contract)
_JSON, _BINARY = "application/json", "application/octet-stream"
_LENGTH = "Inference-Header-Content-Length"
_MODEL, _VERSION = "/v2/models/{name}", "/v2/models/{name}/versions/{model_version}"


class _NameConvertor(StringConvertor):
    regex = NAME_PATTERN.strip("^$")


async def _model_version(request: Request) -> str | None:
    version: str | None = request.path_params.get("model_version")
    return version


_ModelVersion = Annotated[str | None, Depends(_model_version)]
register_url_convertor("explainer_name", _NameConvertor())
router = APIRouter(include_in_schema=False, route_class=StrictRoute)


@router.post("/v1/models/{name}:explain")
async def explain_in_version_1(name: str, request: Request, context: ContextDep) -> Response:
    """Explain predictions by the explainer that a name means."""
    message = await read_message(ExplanationRequest, await _body(request, _JSON))
    return Response(await operations.explain(context, name, message), media_type=_JSON)


@router.post("/v1/models/{name}:predict")
async def predict_in_version_1(name: str, request: Request, context: ContextDep) -> Response:
    """Predict by the model of the explainer that a name means."""
    message = await read_message(ExplanationRequest, await _body(request, _JSON))
    return Response(await operations.predict(context, name, message), media_type=_JSON)


@router.get("/v1/models/{name:explainer_name}")
async def get_readiness_in_version_1(name: str, context: ContextDep) -> dict[str, Any]:
    """Read whether a name has an explainer."""
    return await operations.is_ready(context, name)


@router.get("/v2")
async def get_server_metadata() -> dict[str, Any]:
    """Read which server this is."""
    return {"name": "leafspace", "version": version("leafspace"), "extensions": ["binary_tensor_data"]}


@router.get("/v2/health/live")
async def get_server_liveness() -> dict[str, bool]:
    """Say that the process answers."""
    return {"live": True}


@router.get("/v2/health/ready", dependencies=[Depends(check_ready)])
async def get_server_readiness() -> dict[str, bool]:
    """Say whether the process can do its work, as /readyz does."""
    return {"ready": True}


@router.get(_MODEL)
@router.get(_VERSION)
async def get_model_metadata(name: str, context: ContextDep, model_version: _ModelVersion) -> dict[str, Any]:
    """Read the tensors of the explainer that a name means; its id is the version."""
    return await operations.describe(context, name, model_version)


@router.get(f"{_MODEL}/ready")
@router.get(f"{_VERSION}/ready")
async def get_model_readiness(name: str, context: ContextDep, model_version: _ModelVersion) -> dict[str, Any]:
    """Read whether a name has an explainer."""
    return await operations.is_ready(context, name, model_version)


@router.post(f"{_MODEL}/infer")
@router.post(f"{_VERSION}/infer")
async def infer(
    name: str,
    request: Request,
    context: ContextDep,
    model_version: _ModelVersion,
    n_json_bytes: Annotated[str | None, Header(alias=_LENGTH)] = None,
) -> Response:
    """Predict and explain rows that come as tensors, one for each feature."""
    body = await _body(request, _JSON, _BINARY)
    length = _json_length(n_json_bytes, len(body))
    message = await read_message(InferenceRequest, body[:length])
    return _response(await operations.infer(context, name, model_version, message, body[length:]))


async def _body(request: Request, *taken: str) -> bytes:
    """Return the body, unless it says that it is of another type; clients of these protocols mostly do not say."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type and media_type not in taken:
        await refuse_type(request, f"Content-Type is {media_type[:80]!r}; send {' or '.join(taken)}")
    return await request.body()


def _json_length(header: str | None, n_bytes: int) -> int:
    if header is None:
        return n_bytes
    if not (header.isascii() and header.isdigit() and len(header) < len(str(n_bytes)) + 1 and int(header) <= n_bytes):
        detail = f"{_LENGTH} is {header[:20]!r}; it is the number of bytes of JSON in a body of {n_bytes}"
        raise StorageError("validation_failed", detail, f"/{_LENGTH}")
    return int(header)


def _response(answer: TensorAnswer) -> Response:
    if not answer.is_binary:
        return Response(answer.body, media_type=_JSON)
    return Response(answer.body, headers={_LENGTH: str(answer.n_json_bytes)}, media_type=_BINARY)
