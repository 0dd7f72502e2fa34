"""/v1/api-keys: the keys of callers, with their scopes; and /v1/me: the caller's own."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from schemas.api_keys import API_KEYS, ApiKey, ApiKeyRequest, Me, NewApiKey
from schemas.contract import Page

from ..callers import ANY_CALLER
from ..operations import api_keys as operations
from ..web.request_class import StrictRoute
from .answers import created, fingerprint, problems, repeated
from .dependencies import ContextDep, IdempotencyKey, PageDep
from .list_filters import filters_of

router = APIRouter(prefix=API_KEYS.path, tags=[API_KEYS.words], route_class=StrictRoute)
me_router = APIRouter(prefix="/v1/me", tags=[API_KEYS.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(API_KEYS))]


@router.post(
    "",
    status_code=201,
    response_model=NewApiKey,
    responses=repeated(NewApiKey, "It was made before; its secret is not shown again.")
    | problems(400, 408, 409, 413, 415, 422, 503, 507),
)
def create_api_key(request: ApiKeyRequest, context: ContextDep, idempotency_key: IdempotencyKey) -> Response:
    """Make a key; its secret is in this answer and nowhere else."""
    request_hash = fingerprint(API_KEYS.path, request.model_dump(mode="json"))
    return created(API_KEYS.path, operations.make_api_key_once(context, request, idempotency_key, request_hash))


@router.get("", responses=problems(422, 503))
def list_api_keys(context: ContextDep, page: PageDep, filters: _Filters) -> Page[ApiKey]:
    """List keys, newest first, without their secrets."""
    return context.api_keys.list(page.limit, page.cursor, **filters)


@router.get("/{api_key_id}", responses=problems(404, 503))
def get_api_key(api_key_id: str, context: ContextDep) -> ApiKey:
    """Read a key, without its secret."""
    return context.api_keys.get(api_key_id)


@router.delete("/{api_key_id}", status_code=204, responses=problems(404, 503))
def revoke_api_key(api_key_id: str, context: ContextDep) -> None:
    """Revoke a key: within two seconds no process lets it in."""
    operations.revoke_api_key(context, api_key_id)


@me_router.get("", responses=problems(503))
def get_me(request: Request, context: ContextDep) -> Me:
    """Read who calls: the name of the key, its scopes, and what this service allows; every key may."""
    return operations.describe_caller(context, request.scope.get("caller", ANY_CALLER))
