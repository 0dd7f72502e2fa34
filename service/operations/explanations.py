"""Explain single predictions: the hot path. No queue, no database and no disk once the explainer is warm."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import TypeVar

from explanations.effects import WarmEffects
from explanations.evidence import WarmEvidence
from explanations.included_parts import WITHOUT_OPTIONS
from explanations.nearest_rows import WarmReference
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanation_sets import NearestRowsOptions
from schemas.explanations import ExplanationRequest
from schemas.models import Instance
from storage.errors import StorageError
from storage.explainer_names import no_such_name
from tree_explainers.compute.progress import Tick, no_tick

from ..admission.batches import Cost
from ..admission.calls import current_call
from ..app_context import AppContext
from .explained_calls import CallOf, explain_rows, kind_of
from .explanation_records import record_of, store
from .explanation_size import SCORE_BYTES, ExplanationSize
from .prediction_costs import prediction_seconds
from .registered_rows import held_rows, read_rows

Result = TypeVar("Result")

_QUICK_INSTANCES = 4  # more would keep the event loop from other callers for over two milliseconds
_QUICK_SECONDS = 2.5e-3  # of searching for the nearest reference rows, and as long of all else: at most
_MOST_TRAINING_SECONDS = 3.0  # of one processor, that training rows take in a call
_MOST_EFFECT_SECONDS = 3.0  # of one processor, that effects against the means of many rows take in a call
_SECONDS_TO_OPEN, _SECONDS_TO_GROUP = 5e-3, 1.0  # a dataset's file, and a column of groups that was not read yet


async def explain(context: AppContext, explainer: str, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON, in the order of the rows.

    Parameters
    ----------
    context
        What operations use in this process.
    explainer
        Its id, or a name that it has.
    request
        The rows, and what to return of them.

    Raises
    ------
    NotFound
        If there is no such explainer, or no such dataset.
    EveryRowFailed
        If none of the rows could be explained.
    StorageError
        ``too_many_rows``, ``insufficient_scope`` where the request names registered rows, which need ``read``, too;
        ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal,
        ``schema_mismatch`` where the dataset does not fit the model, or ``unavailable`` where too many rows wait
        already, where it cannot be known what the name means, or where explanations cannot be stored that have to be.
    """
    if request.dataset is not None and "read" not in current_call().scopes:
        detail = "rows of a registered dataset need the scope `read`, too: use another key, or send the rows along"
        raise StorageError("insufficient_scope", detail, "/dataset")
    # Ids have an underscore, and names have none.
    name = explainer if "_" not in explainer else None
    warm = await find_warm(context, explainer if name is None else await explainer_named(context, name))
    cost, is_quick = await _known_cost(context, warm, request)
    record = record_of(context, warm, request, name) if warm.stores_explanations else None
    read = held_rows(context, warm, request) if is_quick and request.dataset is not None else None
    if is_quick and (request.dataset is None or read is not None):
        call = CallOf(warm, request, name, read, record)
        body = await context.joint_calls.run(kind_of(call), call)
    elif request.dataset is None:
        body = await context.batches.run(cost, partial(explain_rows, warm, request, name, None, record))
    else:
        # Its file is read beside the event loop, however few the rows are.
        body = await context.batches.run(
            cost._replace(seconds=cost.seconds + _SECONDS_TO_OPEN),
            lambda tick: explain_rows(warm, request, name, read_rows(context, warm, request), record, tick),
        )
    if record is not None:
        await store(context, record)
    return body


async def _known_cost(context: AppContext, warm: WarmExplainer, request: ExplanationRequest) -> tuple[Cost, bool]:
    """Return what a call takes, and whether that is quick; calls with as many rows and no options take the same."""
    n_rows = len(request.instances or request.row_ids or ())
    is_either = bool(request.instances) != (request.dataset is not None)  # else it is refused below
    is_plain = is_either and 0 < n_rows <= _QUICK_INSTANCES and request.model_fields_set <= WITHOUT_OPTIONS
    if is_plain and (known := warm.known.get(("cost", n_rows))) is not None:
        return known, True
    size = checked_size(context, warm, request)
    cost = await cost_of(warm, request, size)
    is_quick = _is_quick(cost, size.n_rows)
    if is_plain and is_quick and warm.features.nested is None:
        warm.known["cost", n_rows] = cost
    return cost, is_quick


async def find_warm(context: AppContext, explainer_id: str) -> WarmExplainer:
    """Return the explainer, warmed up in a thread if need be; raise ``NotFound`` where there is none."""
    warm = context.explainer_cache.find(explainer_id)
    if warm is not None and _has_newest_words(context, warm):
        return warm
    return await asyncio.to_thread(warm_explainer, context, explainer_id)


async def run_rows(context: AppContext, n_rows: int, cost: Cost, work: Callable[[Tick], Result]) -> Result:
    """Return the result of ``work``: of a few rows that are quick at once, of others when their turn has come."""
    return work(no_tick) if _is_quick(cost, n_rows) else await context.batches.run(cost, work)


def _is_quick(cost: Cost, n_rows: int) -> bool:
    return cost.seconds <= _QUICK_SECONDS and n_rows <= _QUICK_INSTANCES


async def explainer_named(context: AppContext, name: str) -> str:
    """Return the id of the explainer that a name means now; raise ``NotFound`` where there is none."""
    if context.directory.is_stale():
        await asyncio.to_thread(context.directory.renew)
    explainer_id = context.directory.find(name)
    if explainer_id is None:
        raise no_such_name(name)
    return explainer_id


def checked_size(context: AppContext, warm: WarmExplainer, request: ExplanationRequest) -> ExplanationSize:
    """Return how much is requested; refuse what is more than one answer may have."""
    size = ExplanationSize.of(warm, request)
    size.refuse_beyond(context.settings.max_explained_values)
    return size


async def cost_of(warm: WarmExplainer, request: ExplanationRequest, size: ExplanationSize) -> Cost:
    """Return how long rows take to be explained, and how long the answer is; open the reference rows' file if need be.

    Seconds are those of one processor; a few rows that take at most ``_QUICK_SECONDS`` are answered at once.
    """
    seconds = size.seconds + prediction_seconds(warm.model, size.n_rows)
    seconds += 0.0 if warm.features.nested is None else warm.features.nested.seconds(request.instances)
    if warm.reference is not None and (size.n_listed or size.n_contrasts):
        if not warm.reference.is_open:
            await asyncio.to_thread(warm.reference.open)
        if size.n_listed:
            seconds += _searching_seconds(warm.reference, request.nearest_rows or NearestRowsOptions(), size.n_rows)
    if warm.effects is not None:
        seconds += await _effects_seconds(warm.effects, request.reference, size.n_rows)
    if size.has_changes and not warm.changes.is_open:
        await asyncio.to_thread(warm.changes.open)
    if "evidence" in request.include and warm.evidence is not None:
        seconds += await _evidence_seconds(warm.evidence) * size.n_rows
    if "training_rows" in request.include and warm.training_rows is not None:
        await asyncio.to_thread(warm.training_rows.refusal)  # which reads them
        seconds += _training_seconds(warm.training_rows.seconds, size.n_rows, request)
    return Cost(seconds, size.n_bytes)


async def _effects_seconds(effects: WarmEffects, reference: str | None, n_rows: int) -> float:
    """Return how long effects against the mean of many rows take; read these if need be.

    Raises
    ------
    StorageError
        ``validation_failed`` for a reference that there is not or that has no rows; ``too_many_rows`` for more
        explained rows than one call has time for.
    """
    named = effects.reference(reference)
    if not named.is_mean:
        return 0.0
    mean = effects.means.of(named) if effects.means.is_open(named) else await asyncio.to_thread(effects.means.of, named)
    seconds = effects.means.seconds(len(mean.ranks), n_rows)
    if n_rows > 1 and seconds > _MOST_EFFECT_SECONDS:
        detail = (
            f"{n_rows} rows compared with {len(mean.ranks)} rows each take {seconds:.1f} s, and a call has "
            f"{_MOST_EFFECT_SECONDS:g} s for them; send fewer rows, or request an explanation set"
        )
        raise StorageError("too_many_rows", detail, "/reference")
    return seconds


def _training_seconds(seconds_per_row: float, n_rows: int, request: ExplanationRequest) -> float:
    """Return how long training rows take; refuse more explained rows than one call has time for."""
    seconds = seconds_per_row * n_rows
    if n_rows > 1 and seconds > _MOST_TRAINING_SECONDS:
        detail = (
            f"training_rows of {n_rows} rows take {seconds:.1f} s, and a call has {_MOST_TRAINING_SECONDS:g} s for "
            "them; send fewer rows, or request an explanation set"
        )
        raise StorageError("too_many_rows", detail, f"/include/{request.include.index('training_rows')}")
    return seconds


async def _evidence_seconds(evidence: WarmEvidence) -> float:
    """Return how long the evidence of a row takes; predict the reference rows if need be, where there is any."""
    if not evidence.is_open:
        if not await asyncio.to_thread(lambda: evidence.has_targets):
            return 0.0  # it is refused
        await asyncio.to_thread(evidence.open)
    return evidence.seconds


def cost_of_predicting(warm: WarmExplainer, instances: Sequence[Instance]) -> Cost:
    """Return how long predictions alone take, and how long their answer is."""
    nested = 0.0 if warm.features.nested is None else warm.features.nested.seconds(instances)
    seconds = prediction_seconds(warm.model, len(instances)) + nested
    return Cost(seconds, len(instances) * SCORE_BYTES * (1 + len(warm.model.classes)))


def _searching_seconds(reference: WarmReference, options: NearestRowsOptions, n_rows: int) -> float:
    seconds = reference.seconds(options, n_rows)
    if isfinite(seconds):
        return seconds
    # The column of the groups is still to be read.
    return _SECONDS_TO_GROUP + reference.seconds(options.model_copy(update={"group_by": None}), n_rows)


def warm_explainer(context: AppContext, explainer_id: str) -> WarmExplainer:
    """Return the explainer, warmed up if need be, in its dataset's words; raise ``NotFound`` where there is none."""
    warm = context.explainer_cache.get(
        explainer_id, lambda: warm_up(explainer_id, context.database, context.objects, context.sessions.get)
    )
    if _has_newest_words(context, warm):
        return warm
    # The dictionary first: if it is replaced in between, its revision is too old, and it is read again.
    dictionary, dataset = context.dictionaries.get(warm.dataset_id), context.datasets.get(warm.dataset_id)
    reworded = warm.with_words(dataset, dictionary)
    context.explainer_cache.replace(explainer_id, warm, reworded)
    return reworded


def _has_newest_words(context: AppContext, warm: WarmExplainer) -> bool:
    return warm.wording.words.revision >= context.dictionary_revisions.of(warm.dataset_id)


def sent_instances(request: ExplanationRequest) -> list[Instance]:
    """Return the rows that a request brings with it; refuse one that names rows of a dataset, or none."""
    if request.dataset is not None or not request.instances:
        raise StorageError("validation_failed", "send the rows as `instances`, one at least", "/instances")
    return request.instances
