"""/v1/explainers: single predictions, explained by their nearest prototypes. No queue on this path."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response

from schemas.contract import Page, Renaming
from schemas.explainers import EXPLAINERS, Explainer, ExplainerRequest, ExplainerSummary
from schemas.explanations import ExplanationList, ExplanationRequest
from schemas.noun import HTML, JSON

from ..drawings.files import explanations_html
from ..operations import explainers as operations
from ..operations import explanations
from ..operations.idempotent_creation import idempotent_creation
from ..web.request_class import StrictRoute
from .answers import created, fingerprint, problems, repeated
from .dependencies import ContextDep, IdempotencyKey, MemoryDep, PageDep
from .list_filters import filters_of
from .streamed_answers import drawn_by
from .table_answers import Accept, choose

router = APIRouter(prefix=EXPLAINERS.path, tags=[EXPLAINERS.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(EXPLAINERS))]
_WRITTEN = {JSON: JSON, HTML: HTML, "*/*": JSON, "application/*": JSON, "text/*": HTML, "": JSON}
_FORMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The explanations, in the order of the rows; HTML: a drawing of each, in one file.",
        "content": {HTML: {"schema": {"type": "string"}}},
    }
}
_IdOrName = Annotated[str, Path(description="Id of the explainer, or a name that it has.")]


@router.post(
    "/{explainer_id}/explanations",
    response_model=ExplanationList,
    responses=_FORMS | problems(400, 404, 406, 408, 413, 415, 422, 503),
)
async def explain(
    explainer_id: _IdOrName,
    request: ExplanationRequest,
    context: ContextDep,
    memory: MemoryDep,
    accept: Accept = JSON,
) -> Response:
    """Explain up to 1,000 predictions by their nearest prototypes; up to 50 of them as HTML, as `Accept` says."""
    media_type = choose(accept, _WRITTEN)
    body = await explanations.explain(context, explainer_id, request)
    if media_type == JSON:
        return Response(body, media_type=JSON)
    known = explainer_id if "_" in explainer_id else await explanations.explainer_named(context, explainer_id)
    return await drawn_by(context, memory, lambda: explanations_html(context, known, body))


@router.post(
    "",
    status_code=201,
    response_model=Explainer,
    responses=repeated(Explainer, "It was registered before.") | problems(400, 404, 408, 409, 413, 415, 422, 503, 507),
)
def register_explainer(request: ExplainerRequest, context: ContextDep, idempotency_key: IdempotencyKey) -> Response:
    """Register what to explain a model's predictions with."""
    request_hash = fingerprint(EXPLAINERS.path, request.model_dump(mode="json"))
    with idempotent_creation(
        context, idempotency_key, request_hash, partial(operations.get_explainer, context)
    ) as creation:
        if creation.resource is None:
            explainer, is_new = operations.register_explainer(context, request)
            creation.complete(201 if is_new else 200, explainer)
    return created(EXPLAINERS.path, creation)


@router.get("", responses=problems(422, 503))
def list_explainers(context: ContextDep, page: PageDep, filters: _Filters) -> Page[ExplainerSummary]:
    """List explainers, newest first, without the features that they show."""
    return context.explainers.list(page.limit, page.cursor, **filters)


@router.get("/{explainer_id}", responses=problems(404, 503))
def get_explainer(explainer_id: str, context: ContextDep) -> Explainer:
    """Read an explainer."""
    return operations.get_explainer(context, explainer_id)


@router.patch("/{explainer_id}", responses=problems(400, 404, 408, 413, 415, 422, 503, 507))
def rename_explainer(explainer_id: str, request: Renaming, context: ContextDep) -> Explainer:
    """Rename an explainer: its id stays."""
    context.explainers.rename(explainer_id, request.name)
    return operations.get_explainer(context, explainer_id)


@router.delete("/{explainer_id}", status_code=204, responses=problems(404, 409, 503))
def delete_explainer(explainer_id: str, context: ContextDep) -> None:
    """Delete an explainer; refused while a name means it."""
    operations.delete_explainer(context, explainer_id)
