"""Request reports, and verify them: draw one again, and compare it with the file that is kept."""

import asyncio
import hashlib
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from explanations.mean_effects import MAX_ROWS
from explanations.reports.document import DrawnReport, draw_report
from explanations.reports.inputs import Figures, ReportReader, freeze_decisions
from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS
from schemas.datasets import Dataset
from schemas.evaluations import EVALUATIONS
from schemas.label_audits import LABEL_AUDITS
from schemas.maps import MAPS
from schemas.models import Model
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.reports import (
    NO_EVALUATION,
    REPORTS,
    FrozenDecisions,
    Report,
    ReportRequest,
    ReportResult,
    ReportVerification,
)
from schemas.rule_sets import RULE_SETS
from storage.errors import Conflict, NotFound, StorageError
from storage.feature_matching import match_features
from tree_explainers.compute.job_sizes import MIB, JobSizes
from tree_explainers.compute.progress import Tick, no_tick

from ..admission.batches import Cost
from ..app_context import AppContext
from ..callers import CURRENT_KEY
from .artefacts import MadeFrom, request_artefact
from .evaluations import newest_held_out
from .explanation_sets import EXPLAINED_BLOCK_BYTES, SECONDS_PER_EXPLAINED_ROW, dictionary_used
from .explanations import warm_explainer
from .job_estimates import KindEstimate, Need, Request
from .report_rows import spelled_out

_BYTES_PER_EFFECT = 32  # of the reference rows whose effects are averaged: values, effects, and copies of these
_DRAWN_BYTES = 64 * MIB  # of a report, with the documents that it shows
_SECONDS_TO_DRAW, _SECONDS_PER_ROW = 1.0, 0.05  # a report with its mean effects, and each row that it explains

FILE = "document"
"""Name of the file of a report."""


def request_report(context: AppContext, request: ReportRequest) -> Report:
    """Return the report if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    explainer = context.explainers.get(request.explainer)
    model = context.models.get(explainer.model).view
    reference = context.datasets.get(context.artefacts.get(PROTOTYPE_SETS.name, explainer.prototype_set).dataset or "")
    complete = request.model_copy(
        update={
            "author": request.author or _name_of_key(context),
            "date": request.date or datetime.now(UTC).date().isoformat(),
            "rule_set": request.rule_set or explainer.rule_set,
            "approximation_tree": request.approximation_tree or explainer.approximation_tree,
            "evaluation": _evaluation(context, request, model.id),
            **spelled_out(context, request, model, reference.view.id),
        }
    )
    named: tuple[tuple[Noun[Any], str, str | None], ...] = (
        (RULE_SETS, "/rule_set", complete.rule_set),
        (APPROXIMATION_TREES, "/approximation_tree", complete.approximation_tree),
        (MAPS, "/map", complete.map),
        (LABEL_AUDITS, "/label_audit", complete.label_audit),
        (COMPARISONS, "/comparison", complete.comparison),
        (EVALUATIONS, "/evaluation", complete.evaluation),
    )
    for noun, pointer, artefact_id in named:
        _check_made_of(context, noun, artefact_id, (model.id, pointer))
    newer = None if request.newer_dataset is None else context.datasets.get(request.newer_dataset)
    if newer is not None:
        match_features(model, newer.view)
    if request.compare_with is not None:
        _check_comparable(context, request.compare_with, model, reference.view)
    frozen = complete.model_copy(update={"decisions": _decisions(context, request)})
    shown = [explainer, *([] if request.compare_with is None else [context.explainers.get(request.compare_with)])]
    words = [dictionary_used(context, each.prototype_set) for each in shown]
    rows_dataset = None if complete.rows_dataset is None else context.datasets.get(complete.rows_dataset)
    made_from = MadeFrom(model, reference, newer, rows_dataset)
    return request_artefact(context, REPORTS, frozen, made_from, words=words)


def _needs(sizes: JobSizes, _request: Request) -> tuple[Need, ...]:
    effects = _BYTES_PER_EFFECT * min(sizes.n_rows, MAX_ROWS) * sizes.n_features
    return (Need(2 * sizes.model_bytes + 2 * EXPLAINED_BLOCK_BYTES + _DRAWN_BYTES + effects),)


ESTIMATE = KindEstimate(_needs, lambda sizes, _: SECONDS_PER_EXPLAINED_ROW * sizes.n_rows)


def _evaluation(context: AppContext, request: ReportRequest, model_id: str) -> str | None:
    """Return the evaluation that the report shows: the one that is named, or else the newest on held-out rows."""
    if request.evaluation == NO_EVALUATION:
        return None
    return request.evaluation or newest_held_out(context, model_id)


def _decisions(context: AppContext, request: ReportRequest) -> FrozenDecisions | None:
    """Return the decisions on an audit that the report shows: those that are named, or else those of now."""
    if request.label_audit is None:
        return None
    return request.decisions or freeze_decisions(context.database, request.label_audit)


def _check_comparable(context: AppContext, explainer_id: str, model: Model, reference: Dataset) -> None:
    """Refuse to compare with the model of an explainer that does not predict the same of the reference rows."""
    other = context.models.get(context.explainers.get(explainer_id).model).view
    if other.task != model.task:
        detail = f"model {other.id!r} is for {other.task}, and {model.id!r} for {model.task}; compare models of a task"
        raise StorageError("method_not_applicable", detail, "/compare_with")
    match_features(other, reference)


def _name_of_key(context: AppContext) -> str | None:
    """Return what the key is called with which the report is requested; None where keys are not required."""
    key_id = CURRENT_KEY.get()
    return None if key_id is None else context.api_keys.get(key_id).name


def _check_made_of(context: AppContext, noun: Noun[Any], artefact_id: str | None, wanted: tuple[str, str]) -> None:
    """Refuse an artefact that is not ready, or of another model than ``wanted`` says, at the pointer that it says.

    Of a comparison, either model may be this one.
    """
    model_id, pointer = wanted
    if artefact_id is None:
        return
    artefact = context.artefacts.get(noun.name, artefact_id)
    artefact.ready_result()
    if model_id not in {artefact.model, artefact.request.get("other_model")}:
        detail = f"{artefact_id!r} was made of model {artefact.model!r}, and the explainer is of {model_id!r}"
        raise StorageError("schema_mismatch", detail, pointer)


async def verify_report(context: AppContext, report_id: str) -> ReportVerification:
    """Draw a report again and compare the two.

    Raises
    ------
    NotFound
        If there is no such report.
    Conflict
        If something that it shows was deleted; made again from the same request, it has the same id.
    """
    request, _, _ = await asyncio.to_thread(_stored, context, report_id)
    cost = Cost(_SECONDS_TO_DRAW + _SECONDS_PER_ROW * (len(request.rows) + len(request.instances or ())), 0)
    return await context.batches.run(cost, lambda tick: verify(context, report_id, tick))


def verify(context: AppContext, report_id: str, tick: Tick = no_tick) -> ReportVerification:
    """Do the same in a thread of the caller's; ``tick`` is called before each row and each part, and may raise."""
    request, filed, digest = _stored(context, report_id)
    try:
        warm = warm_explainer(context, request.explainer)
        shown = ReportReader(context.database, context.objects).read(request, warm, tick)
    except NotFound as error:
        detail = f"report {report_id!r} cannot be drawn again: {error.detail}"
        raise Conflict("conflict", detail) from error
    drawn = draw_report(shown, Figures(filed.comparison, filed.drift), tick)
    return _verification(report_id, filed, drawn, digest_matches=digest == filed.sha256)


def report_file(context: AppContext, report_id: str) -> str:
    """Return the file of a report that is ready, as text."""
    artefact = context.artefacts.get(REPORTS.name, report_id)
    artefact.ready_result()
    return context.objects.get(artefact.files[FILE]).decode()


def _stored(context: AppContext, report_id: str) -> tuple[ReportRequest, ReportResult, str]:
    """Return a report's request, its result, and the SHA-256 of its file as it is now."""
    artefact = context.artefacts.get(REPORTS.name, report_id)
    result = ReportResult.model_validate_json(context.objects.get(artefact.ready_result()))
    file = context.objects.get(artefact.files[FILE])
    return ReportRequest.model_validate(artefact.request), result, hashlib.sha256(file).hexdigest()


def _verification(
    report_id: str, filed: ReportResult, drawn: DrawnReport, *, digest_matches: bool
) -> ReportVerification:
    now = {part.name: part.sha256 for part in drawn.result.parts}
    before = {part.name: part.sha256 for part in filed.parts}
    is_same = digest_matches and drawn.result.sha256 == filed.sha256
    is_foreign = digest_matches and filed.service != version("leafspace")
    names = {**before, **now}
    return ReportVerification(
        report=report_id,
        status="same" if is_same else "other_revision" if is_foreign else "different",
        digest_matches=digest_matches,
        different_parts=[name for name in names if before.get(name) != now.get(name)],
        sha256=filed.sha256,
        drawn_sha256=drawn.result.sha256,
        service=filed.service,
        present_service=version("leafspace"),
    )
