"""Read, verify and delete stored explanations."""

import asyncio
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from itertools import zip_longest
from typing import Any

import orjson
from pydantic import ValidationError

from explanations.explained_rows import explain_instances
from schemas.dictionaries import DictionaryUsed
from schemas.explanations import ExplanationRequest
from schemas.stored_explanations import MAX_DIFFERENCES, DeletedExplanations, StoredExplanationSummary, Verification
from storage.errors import Conflict, NotFound
from storage.explanations import ExplanationRow, summary_of
from tree_explainers.compute.progress import Tick

from ..app_context import AppContext
from .deletion import with_reserve
from .dictionaries import refuse_hidden
from .explanation_records import REVISION
from .explanations import checked_size, cost_of, find_warm
from .registered_rows import read_rows

_ABSENT = object()


def write_explanation(context: AppContext, explanation_id: str) -> bytes:
    """Return a stored explanation as JSON: a ``StoredExplanation``, whose response is the very bytes of the answer."""
    stored = context.explanations.get(explanation_id)
    used = _dictionary_of(stored)
    refuse_hidden(context, f"explanation {explanation_id!r}", used)
    summary = StoredExplanationSummary(**summary_of(stored)).model_dump(mode="json")
    texts = {"request": _shown_request(context, stored), "response": orjson.Fragment(stored.response)}
    known = {"provenance": stored.provenance, "revision": stored.revision, "dictionary": used.model_dump()}
    return orjson.dumps({**summary, **known, **texts})


def _dictionary_of(stored: ExplanationRow) -> DictionaryUsed:
    return DictionaryUsed(dataset=stored.dataset, revision=stored.dictionary_revision)


def _shown_request(context: AppContext, stored: ExplanationRow) -> Any:  # JSON
    """Return the request of a stored explanation without the values of hidden features."""
    hidden = context.dictionaries.hidden_since(stored.dataset, -1)
    request = _read(stored.request)
    if not hidden or not isinstance(request, dict) or not request.get("instances"):
        return orjson.Fragment(stored.request)
    return {**request, "instances": [_shown_instance(context, stored, row, hidden) for row in request["instances"]]}


def _shown_instance(context: AppContext, stored: ExplanationRow, row: Any, hidden: frozenset[str]) -> Any:  # JSON
    if isinstance(row, dict):
        return {name: value for name, value in row.items() if name not in hidden}
    try:
        names = context.models.get(context.explainers.get(stored.explainer).model).view.feature_names
    except NotFound:  # it does not say which value is of which feature
        return []
    return [None if name in hidden else value for name, value in zip(names, row, strict=False)]


def delete_explanation(context: AppContext, explanation_id: str) -> None:
    """Delete a stored explanation."""
    with_reserve(context, partial(context.explanations.delete, explanation_id))


def delete_explanations(context: AppContext, explainer: str, row_id: str) -> DeletedExplanations:
    """Delete all stored explanations of a row by an explainer; return how many there were."""
    n_deleted = with_reserve(context, partial(context.explanations.delete_row, explainer, row_id))
    return DeletedExplanations(n_deleted=n_deleted)


async def verify_explanation(context: AppContext, explanation_id: str) -> Verification:
    """Compute a stored explanation again from its request, and compare the two.

    Raises
    ------
    NotFound
        If there is no such explanation.
    Conflict
        If what it was computed from, explainer or dataset, was deleted; registered again, it has the same id.
    """
    stored = await asyncio.to_thread(context.explanations.get, explanation_id)
    try:
        request = ExplanationRequest.model_validate_json(stored.request)
    except ValidationError:  # somebody changed it
        return _verification(context, stored, [""])
    try:
        computed = await _computed_again(context, stored, request)
    except NotFound as error:
        detail = f"explanation {stored.id!r} cannot be computed again: {error.detail}"
        raise Conflict("conflict", detail) from error
    return _verification(context, stored, list(_differences(_read(stored.response), computed)))


async def _computed_again(context: AppContext, stored: ExplanationRow, request: ExplanationRequest) -> Any:  # JSON
    warm = await find_warm(context, stored.explainer)
    size = checked_size(context, warm, request)

    def compute(_tick: Tick) -> Any:  # JSON
        read = None if request.dataset is None else read_rows(context, warm, request)
        (computed,) = explain_instances(warm, request, read)
        return orjson.loads(orjson.dumps({"id": stored.id, **computed}))

    return await context.batches.run(await cost_of(warm, request, size), compute)


def _verification(context: AppContext, stored: ExplanationRow, differences: list[str]) -> Verification:
    computed_by, computed_now = (stored.provenance.get("service"), stored.revision), (version("leafspace"), REVISION)
    words_now = context.dictionary_revisions.of(stored.dataset)
    is_same = stored.digest_matches and not differences
    is_foreign = stored.digest_matches and computed_by != computed_now
    return Verification(
        explanation=stored.id,
        status="same" if is_same else "other_revision" if is_foreign else "different",
        digest_matches=stored.digest_matches,
        differences=differences[:MAX_DIFFERENCES],
        n_differences=len(differences),
        service=str(computed_by[0]),
        present_service=computed_now[0],
        dictionary=_dictionary_of(stored),
        present_dictionary=DictionaryUsed(dataset=stored.dataset, revision=words_now),
        revision=computed_by[1],
        present_revision=computed_now[1],
    )


def _read(response: str) -> Any:  # JSON
    try:
        return orjson.loads(response)
    except orjson.JSONDecodeError:  # somebody changed it
        return response


def _differences(stored: Any, computed: Any, pointer: str = "") -> Iterator[str]:  # JSON
    """Yield pointers to where two values differ: to a part that only one has, and to no part of it."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for name in {**stored, **computed}:
            below = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            yield from _differences(stored.get(name, _ABSENT), computed.get(name, _ABSENT), below)
    elif isinstance(stored, list) and isinstance(computed, list):
        for index, (one, other) in enumerate(zip_longest(stored, computed, fillvalue=_ABSENT)):
            yield from _differences(one, other, f"{pointer}/{index}")
    elif type(stored) is not type(computed) or stored != computed:
        yield pointer
