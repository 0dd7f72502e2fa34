"""/v1/datasets/{id}/dictionary: the words of a domain for a dataset's features and outcomes."""

from typing import Any

from fastapi import APIRouter, Response
from fastapi.concurrency import run_in_threadpool

from schemas.datasets import DATASETS
from schemas.dictionaries import Dictionary, DictionaryRequest

from ..operations import dictionaries as operations
from ..web.request_class import StrictRoute
from .answers import problems
from .dependencies import ContextDep, MemoryDep
from .preconditions import PreconditionDep
from .streamed_answers import whole_json

router = APIRouter(prefix=DATASETS.path, tags=[DATASETS.words], route_class=StrictRoute)
_CREATED, _CHANGED = 201, 200
_CREATION: dict[int | str, dict[str, Any]] = {_CREATED: {"model": Dictionary, "description": "There was none before."}}


@router.get("/{dataset_id}/dictionary", response_model=Dictionary, responses=problems(404, 503))
async def get_dictionary(dataset_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read the words for a dataset's features and outcomes; `ETag` changes with them."""
    dictionary = None

    def write() -> bytes:
        nonlocal dictionary
        dictionary = operations.get_dictionary(context, dataset_id)
        return dictionary.model_dump_json().encode()

    n_bytes = await run_in_threadpool(context.dictionaries.n_bytes, dataset_id)
    response = await whole_json(context, memory, n_bytes, write)
    if dictionary is not None:
        response.headers["ETag"] = _tag(dictionary)
    return response


@router.put(
    "/{dataset_id}/dictionary",
    status_code=_CHANGED,
    responses=_CREATION | problems(400, 404, 408, 409, 412, 413, 415, 422, 503, 507),
)
def put_dictionary(
    dataset_id: str,
    request: DictionaryRequest,
    context: ContextDep,
    precondition: PreconditionDep,
    response: Response,
) -> Dictionary:
    """Replace the words for a dataset: its id stays, and every explanation uses them within two seconds."""
    dictionary, is_new = operations.put_dictionary(context, dataset_id, request, precondition)
    response.status_code = _CREATED if is_new else _CHANGED
    response.headers["ETag"] = _tag(dictionary)
    return dictionary


@router.delete("/{dataset_id}/dictionary", status_code=204, responses=problems(404, 412, 503))
def delete_dictionary(dataset_id: str, context: ContextDep, precondition: PreconditionDep) -> None:
    """Delete the words for a dataset: its features are called by their names."""
    operations.delete_dictionary(context, dataset_id, precondition)


def _tag(dictionary: Dictionary) -> str:
    return f'"{dictionary.revision}"'
