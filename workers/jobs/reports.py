"""Make a report: one file with what is known of a model."""

from explanations.report_inputs import ReportInputs, ReportReader
from explanations.reports import Figures, draw_report
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.reports import ReportRequest
from storage.datasets import DatasetStore
from storage.models import ModelStore
from tree_explainers.compute.progress import part_of
from tree_explainers.onnx_models.session import ModelSession

from ..runtime.context import JobContext, Produced
from .inputs import open_model
from .report_drift import drift
from .report_figures import RowSource, compare

_READ, _COMPARED, _DRIFTED = 0.1, 0.5, 0.9
"""Shares of a job's progress."""


def make_report(context: JobContext) -> Produced:
    """Make the artefact that a ``ReportRequest`` describes."""
    request = ReportRequest(**context.request)
    context.report(0, "warming up the explainer")
    warm = _warm_up(context, request.explainer)
    shown = ReportReader(context.database, context.objects).read(request, warm)
    figures = _figures(context, shown, warm)
    context.report(_DRIFTED, "drawing")
    drawn = draw_report(shown, figures)
    path = context.workspace / "report.html"
    path.write_bytes(drawn.html)
    return Produced(drawn.result.model_dump_json().encode(), files={"document": path})


def _figures(context: JobContext, shown: ReportInputs, warm: WarmExplainer) -> Figures:
    """Return the figures for which all rows are looked at."""
    request, datasets = shown.request, DatasetStore(context.database)
    reference = RowSource(datasets.get(shown.own.dataset["id"]), context.objects)
    comparison = found_drift = None
    if request.compare_with is not None and shown.other is not None:
        models = (warm, _warm_up(context, request.compare_with))
        report = part_of(context.report, _READ, _COMPARED)
        comparison = compare(models, (shown.own, shown.other), reference, report)
    if request.newer_dataset is not None:
        newer = RowSource(datasets.get(request.newer_dataset), context.objects)
        found_drift = drift(warm, newer, reference, part_of(context.report, _COMPARED, _DRIFTED))
    return Figures(comparison, found_drift)


def _warm_up(context: JobContext, explainer_id: str) -> WarmExplainer:
    def open_session(model_id: str) -> ModelSession:
        return open_model(ModelStore(context.database), context.objects, model_id).session

    return warm_up(explainer_id, context.database, context.objects, open_session)
