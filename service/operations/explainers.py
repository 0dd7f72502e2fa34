"""Register explainers, and read them."""

import json

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.artefacts import SearchedRows
from schemas.explainers import EXPLAINERS, Explainer, ExplainerRequest
from schemas.identifiers import content_identifier
from schemas.models import Model
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.rule_sets import RULE_SETS
from storage.artefacts import Artefact
from storage.errors import StorageError
from storage.explainers import NewExplainer
from tree_explainers.wording import did_you_mean

from ..app_context import AppContext
from .deletion import with_reserve
from .model_requirements import require_leaves
from .plain_distances import refuse_without_leaves


def register_explainer(context: AppContext, request: ExplainerRequest) -> tuple[Explainer, bool]:
    """Keep an explainer; return it, and whether it is new.

    Raises
    ------
    StorageError
        ``artefact_not_ready``, ``conflict`` for prototypes, rules or a tree of another model, ``unknown_feature`` to be
        shown, ``validation_failed`` for a percentile to abstain below where prototypes have no ``typicality``, or for
        explanations to be stored where the service stores none, ``model_without_leaves`` for an oracle,
        ``method_not_applicable`` for prototypes by plain distance.
    """
    require_leaves(context, EXPLAINERS, request)
    _check_storing(context, request)
    model = context.models.get(request.model).view
    prototypes = context.artefacts.get(PROTOTYPE_SETS.name, request.prototype_set)
    _check_artefact(prototypes, "prototype set", request)
    refuse_without_leaves(prototypes, "an explainer", "/prototype_set")
    if request.rule_set is not None:
        _check_artefact(context.artefacts.get(RULE_SETS.name, request.rule_set), "rule set", request)
    if request.approximation_tree is not None:
        tree = context.artefacts.get(APPROXIMATION_TREES.name, request.approximation_tree)
        _check_artefact(tree, "approximation tree", request)
    _check_shown_features(model, request)
    _check_abstaining(context, prototypes, request)
    # Where a field that was added later has its default, an explainer keeps the id that it had before.
    added_later = {name for name in ("abstain_below", "store_explanations") if not getattr(request, name)}
    identifier = content_identifier("explainers", request.model_dump(mode="json", exclude=added_later))
    explainer, is_new = context.explainers.add(NewExplainer(identifier, request))
    return _with_nearest_rows(context, explainer), is_new


def get_explainer(context: AppContext, explainer_id: str) -> Explainer:
    """Return an explainer."""
    return _with_nearest_rows(context, context.explainers.get(explainer_id))


def delete_explainer(context: AppContext, explainer_id: str) -> None:
    """Delete an explainer; refused while a name means it."""
    with_reserve(context, lambda: context.explainers.delete(explainer_id))
    context.explainer_cache.forget(explainer_id)


def _with_nearest_rows(context: AppContext, explainer: Explainer) -> Explainer:
    """Return the explainer with its prototype set's facts about the reference rows."""
    prototype_set = context.artefacts.get(PROTOTYPE_SETS.name, explainer.prototype_set)
    searched = json.loads(context.objects.get(prototype_set.ready_result())).get("nearest_rows")
    return explainer if searched is None else explainer.model_copy(update={"nearest_rows": SearchedRows(**searched)})


def _check_artefact(artefact: Artefact, noun: str, request: ExplainerRequest) -> None:
    artefact.ready_result()
    if artefact.model != request.model:
        detail = f"{noun} {artefact.id!r} is of model {artefact.model!r}, not of {request.model!r}"
        raise StorageError("conflict", detail)


def _check_storing(context: AppContext, request: ExplainerRequest) -> None:
    if request.store_explanations and context.explanation_log is None:
        detail = (
            "this service stores no explanations; leave `store_explanations` out, or have its operator set "
            "LEAFSPACE_STORE_EXPLANATIONS=1"
        )
        raise StorageError("validation_failed", detail, "/store_explanations")


def _check_abstaining(context: AppContext, prototypes: Artefact, request: ExplainerRequest) -> None:
    if request.abstain_below is None:
        return
    scale = json.loads(context.objects.get(prototypes.ready_result()))["typicality"]
    if scale is None or not scale["percentiles"]:
        detail = (
            f"prototype set {prototypes.id!r} has no typicality, and so no percentile to abstain below; make the set "
            "again, from more rows than it has prototypes"
        )
        raise StorageError("validation_failed", detail, "/abstain_below")


def _check_shown_features(model: Model, request: ExplainerRequest) -> None:
    known = set(model.feature_names)
    if len(set(request.shown_features)) < len(request.shown_features) and request.shown_features != "all":
        detail = "shown_features names a feature more than once; name each once"
        raise StorageError("validation_failed", detail, "/shown_features")
    unknown = [name for name in request.shown_features if name not in known] if request.shown_features != "all" else []
    if unknown:
        advice = f"take names from its `feature_names`{did_you_mean(unknown[0], model.feature_names)}"
        detail = f"model {model.id!r} has no feature {unknown[0]!r} to be shown; {advice}"
        raise StorageError("unknown_feature", detail, "/shown_features")
