"""/v1/explanations: what explainers that store their explanations have answered."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Identifier, Name, Page
from schemas.stored_explanations import (
    EXPLANATIONS,
    DeletedExplanations,
    StoredExplanation,
    StoredExplanationSummary,
    Verification,
)

from ..operations import stored_explanations as operations
from ..web.request_class import StrictRoute
from .answers import problems
from .dependencies import ContextDep, MemoryDep, PageDep
from .list_filters import filters_of
from .streamed_answers import whole_json

router = APIRouter(prefix=EXPLANATIONS.path, tags=[EXPLANATIONS.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(EXPLANATIONS))]


@router.get("", responses=problems(422, 503))
def list_explanations(context: ContextDep, page: PageDep, filters: _Filters) -> Page[StoredExplanationSummary]:
    """List stored explanations, newest first, without their requests and responses."""
    return context.explanations.list(page.limit, page.cursor, **filters)


@router.get("/{stored_explanation_id}", response_model=StoredExplanation, responses=problems(404, 503))
async def get_explanation(stored_explanation_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read a stored explanation: its request, and the very bytes that were answered."""
    n_bytes = await run_in_threadpool(context.explanations.n_bytes, stored_explanation_id)
    return await whole_json(
        context, memory, n_bytes, lambda: operations.write_explanation(context, stored_explanation_id)
    )


@router.post("/{stored_explanation_id}/verify", responses=problems(404, 409, 503))
async def verify_explanation(stored_explanation_id: str, context: ContextDep) -> Verification:
    """Compute a stored explanation again from its request, and say whether and where the two differ."""
    return await operations.verify_explanation(context, stored_explanation_id)


@router.delete("/{stored_explanation_id}", status_code=204, responses=problems(404, 503))
def delete_explanation(stored_explanation_id: str, context: ContextDep) -> None:
    """Delete a stored explanation."""
    operations.delete_explanation(context, stored_explanation_id)


@router.delete("", responses=problems(422, 503))
def delete_explanations(
    context: ContextDep,
    explainer: Annotated[Identifier, Query(description="Id of the explainer that explained the row.")],
    row_id: Annotated[Name, Query(description="Id of the row.")],
) -> DeletedExplanations:
    """Delete all stored explanations of a row by an explainer."""
    return operations.delete_explanations(context, explainer, row_id)
