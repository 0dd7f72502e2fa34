"""/v1/models: registered ONNX tree ensembles, and oracles."""

from contextlib import suppress
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page, Renaming
from schemas.models import (
    MODELS,
    FeatureUsageList,
    Model,
    ModelMetadata,
    ModelSummary,
    PredictionList,
    PredictionRequest,
    Tree,
)
from schemas.noun import JSON
from schemas.proximities import ProximityBlock, ProximityBlockRequest
from storage.errors import NotFound

from ..operations import models as operations
from ..operations import proximities
from ..operations.idempotent_creation import idempotent_creation
from ..operations.model_requirements import refuse_without_leaves
from ..web.request_class import StrictRoute, parse_metadata
from .answers import MetadataField, Upload, created, fingerprint, problems, repeated, sha256_of
from .dependencies import ContextDep, IdempotencyKey, MemoryDep, PageDep, PlainInteger
from .list_filters import filters_of
from .streamed_answers import StreamedAnswer, stream_json, whole_json

_USAGE_BYTES = 2 << 20  # of what is answered about at most 10,000 features
TreeIndex = Annotated[PlainInteger, Path(description="0-based index of the tree in the model.")]


async def _require_leaves_below(request: Request, context: ContextDep) -> None:
    """Refuse what a model's leaves answer where it has none; ``MODELS`` declares what is answered without."""
    model_id, _, below = request.url.path.removeprefix(MODELS.path).strip("/").partition("/")
    if below and below not in MODELS.read_without_leaves:
        with suppress(NotFound):  # which the route states, after it has read its parameters
            model = await run_in_threadpool(context.models.summary, model_id)
            refuse_without_leaves(model, below.partition("/")[0])


router = APIRouter(
    prefix=MODELS.path,
    tags=[MODELS.words],
    route_class=StrictRoute,
    dependencies=[Depends(_require_leaves_below)],
)
_Filters = Annotated[dict[str, str], Depends(filters_of(MODELS))]


@router.post(
    "",
    status_code=201,
    response_model=Model,
    responses=repeated(Model, "It was registered before.") | problems(400, 408, 409, 413, 415, 422, 429, 503, 507),
)
def register_model(
    context: ContextDep, file: Upload, idempotency_key: IdempotencyKey, metadata: MetadataField = None
) -> Response:
    """Register an ONNX model: it is checked, and first run, in a process of its own."""
    sha256 = None if idempotency_key is None else sha256_of(file.file)
    request_hash = fingerprint(MODELS.path, metadata, sha256)
    with idempotent_creation(
        context, idempotency_key, request_hash, lambda identifier: context.models.get(identifier).view
    ) as creation:
        if creation.resource is None:
            described = parse_metadata(ModelMetadata, metadata)
            model, is_new = operations.register_model(context, file.file, described, sha256)
            creation.complete(201 if is_new else 200, model)
    return created(MODELS.path, creation)


@router.get("", responses=problems(422, 503))
def list_models(context: ContextDep, page: PageDep, filters: _Filters) -> Page[ModelSummary]:
    """List models, newest first, without what grows with their features."""
    return context.models.list(page.limit, page.cursor, **filters)


@router.get("/{model_id}", response_model=Model, responses=problems(404, 503))
async def get_model(model_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read a model."""
    n_bytes = await run_in_threadpool(context.models.n_bytes, model_id)
    return await whole_json(context, memory, n_bytes, lambda: orjson.dumps(context.models.document(model_id)))


@router.patch("/{model_id}", response_model=Model, responses=problems(400, 404, 408, 413, 415, 422, 503, 507))
async def rename_model(model_id: str, request: Renaming, context: ContextDep, memory: MemoryDep) -> Response:
    """Rename a model: its id stays, and its entity tag changes."""
    await run_in_threadpool(context.models.rename, model_id, request.name)
    return await get_model(model_id, context, memory)


@router.delete("/{model_id}", status_code=204, responses=problems(404, 409, 503))
def delete_model(model_id: str, context: ContextDep) -> None:
    """Delete a model that nothing depends on."""
    operations.delete_model(context, model_id)


@router.get("/{model_id}/trees/{tree}", response_model=Tree, responses=problems(404, 422, 503))
async def get_tree(model_id: str, tree: TreeIndex, context: ContextDep, memory: MemoryDep) -> StreamedAnswer:
    """Read one tree of a model, for drawing; trees are numbered from 0."""
    n_bytes = await run_in_threadpool(operations.tree_bytes, context, model_id)
    return await stream_json(context, memory, lambda: operations.write_tree(context, model_id, tree), n_bytes)


@router.get("/{model_id}/features", response_model=FeatureUsageList, responses=problems(404, 409, 503))
async def list_features(model_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read how often the trees of a model test each feature."""
    n_bytes = await run_in_threadpool(operations.tree_bytes, context, model_id)
    write = lambda: operations.feature_usage(context, model_id).model_dump_json().encode()  # noqa: E731  # as others
    return Response(await memory.make_whole(context.response_memory, _USAGE_BYTES, n_bytes, write), media_type=JSON)


@router.post(
    "/{model_id}/predictions",
    response_model=PredictionList,
    responses=problems(400, 404, 408, 413, 415, 422, 503),
)
async def predict(model_id: str, request: PredictionRequest, context: ContextDep) -> Response:
    """Predict up to 1,000 rows, and say on which leaves they land."""
    return Response(await operations.predict(context, model_id, request), media_type=JSON)


@router.post(
    "/{model_id}/proximities",
    response_model=ProximityBlock,
    responses=problems(400, 404, 408, 409, 413, 415, 422, 503),
)
async def compare_rows(model_id: str, request: ProximityBlockRequest, context: ContextDep) -> Response:
    """Compare up to 1,000 rows with up to 1,000 others, as the model sees them."""
    body = await proximities.compare_rows(context, model_id, request)
    return Response(body, media_type=JSON)
