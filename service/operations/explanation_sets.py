"""Request explanation sets: every row of a dataset explained by a job."""

from explanations.explained_rows import refuse_to_include
from schemas.explanation_sets import ExplanationSet, ExplanationSetRequest
from schemas.nouns import EXPLANATION_SETS, PROTOTYPE_SETS
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features

from ..app_context import AppContext
from .artefacts import MadeFrom, request_artefact

_SOME_PROTOTYPES = 100


def request_explanation_set(context: AppContext, request: ExplanationSetRequest) -> ExplanationSet:
    """Return the explanation set if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    explainer = context.explainers.get(request.explainer)
    model = context.models.get(explainer.model).view
    dataset = context.datasets.get(request.dataset)
    match_features(model, dataset.view)
    n_features = model.n_features if explainer.shown_features == "all" else len(explainer.shown_features)
    has = {"rules": explainer.rule_set is not None, "approximation_path": explainer.approximation_tree is not None}
    refuse_to_include(request.include, has, explainer.id)
    _check_size(context.settings.max_explanation_set_values, request, dataset, n_features)
    complete = request.model_copy(update={"include": sorted(set(request.include))})
    n_prototypes = _n_prototypes(context, explainer.prototype_set)
    return request_artefact(context, EXPLANATION_SETS, complete, MadeFrom(model, dataset, n_prototypes=n_prototypes))


def _n_prototypes(context: AppContext, prototype_set: str) -> int:
    """Return how many prototypes an explainer has; some methods find their number themselves."""
    requested: int | None = context.artefacts.get(PROTOTYPE_SETS.name, prototype_set).request["n_prototypes"]
    return _SOME_PROTOTYPES if requested is None else requested


def _check_size(limit: int, request: ExplanationSetRequest, dataset: StoredDataset, n_features: int) -> None:
    n_rows = dataset.view.n_rows
    if n_rows * request.n_prototypes * n_features > limit:
        detail = (
            f"{n_rows} rows with {request.n_prototypes} prototypes of {n_features} features each are more than the "
            f"{limit} values of one set; explain fewer rows, request fewer prototypes, or show fewer features"
        )
        raise StorageError(code="resource_estimate_exceeds_limit", detail=detail)
