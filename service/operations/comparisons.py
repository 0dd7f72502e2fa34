"""Request comparisons of two models, or of two datasets."""

from schemas.comparisons import COMPARISONS, MAX_SAMPLED_ROWS, Comparison, ComparisonRequest
from schemas.models import Model
from storage.errors import StorageError
from storage.feature_matching import match_features
from tree_explainers.comparisons.cost import comparison_bytes, comparison_seconds
from tree_explainers.compute.job_sizes import JobSizes

from ..app_context import AppContext
from .artefacts import MadeFrom, matching_evaluation, request_artefact
from .job_estimates import KindEstimate, Need, Request
from .request_checks import refuse_unused

_PAIRS = 2_000 * 50  # of rows and reference rows, at most, whose effects are calculated


def _needs(sizes: JobSizes, _request: Request) -> tuple[Need, ...]:
    return (Need(comparison_bytes(sizes, MAX_SAMPLED_ROWS)),)


def _seconds(sizes: JobSizes, request: Request) -> float:
    return comparison_seconds(sizes, MAX_SAMPLED_ROWS, request["max_regions"], _PAIRS)


ESTIMATE = KindEstimate(_needs, _seconds)


def request_comparison(context: AppContext, request: ComparisonRequest) -> Comparison:
    """Return the comparison if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    _check_other(request)
    model, dataset = context.models.get(request.model).view, context.datasets.get(request.dataset)
    match_features(model, dataset.view)
    other = None
    if request.other_model is not None:
        other = context.models.get(request.other_model).view
        _check_comparable(model, other)
        match_features(other, dataset.view)
    other_dataset = matching_evaluation(context, model, request.other_dataset)
    made_from = MadeFrom(model, dataset, other_dataset, other_model=other)
    return request_artefact(context, COMPARISONS, request, made_from)


def _check_other(request: ComparisonRequest) -> None:
    """Refuse a request that names no other, both, or the same."""
    if (request.other_model is None) == (request.other_dataset is None):
        detail = (
            "name either other_model, to compare two models on the dataset's rows, or other_dataset, to compare two "
            f"datasets by the model; {'neither' if request.other_model is None else 'both'} was named"
        )
        raise StorageError("validation_failed", detail, "/other_model")
    if request.other_model == request.model:
        detail = "other_model is the model itself; name another one"
        raise StorageError("validation_failed", detail, "/other_model")
    if request.other_dataset == request.dataset:
        detail = "other_dataset is the dataset itself; name another one"
        raise StorageError("validation_failed", detail, "/other_dataset")
    if request.other_dataset is not None:
        refuse_unused(request, "a comparison of datasets", {"max_regions": "leave it out, or compare two models"})


def _check_comparable(model: Model, other: Model) -> None:
    """Refuse models that predict different things."""
    if model.task != other.task:
        detail = f"model {other.id!r} is for {other.task}, and {model.id!r} for {model.task}; compare models of a task"
        raise StorageError("method_not_applicable", detail, "/other_model")
    if model.classes and not set(model.classes) & set(other.classes):
        shown = [", ".join(map(repr, each.classes[:5])) for each in (model, other)]
        detail = f"the models have no class in common: {shown[0]} of {model.id!r}, {shown[1]} of {other.id!r}"
        raise StorageError("method_not_applicable", detail, "/other_model")
