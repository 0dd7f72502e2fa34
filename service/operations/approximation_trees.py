"""Ask for approximation trees, and export them."""

from schemas.approximation_trees import (
    MAX_LEAVES,
    ApproximationTree,
    ApproximationTreeRequest,
    ApproximationTreeResult,
    TreeExportFormat,
)
from schemas.nouns import APPROXIMATION_TREES
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.models import StoredModel
from tree_explainers.approximation_trees.ism import IsmSettings, check_ism
from tree_explainers.errors import InvalidInput, MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription

from ..app_context import Parts
from ..exports import write_tree
from .artefacts import MadeFrom, ask_for, get_result, matching_evaluation, ready_result
from .raw_features import refuse_what_cannot_be_led_back

_DEFAULTS = {name: field.default for name, field in ApproximationTreeRequest.model_fields.items()}
_MEANS_NOTHING = {
    "sta": (),
    "ism": ("significance", "max_pseudo_samples", "seed"),
    "born_again": ("significance",),
    "cart": ("significance",),
}


def ask_for_approximation_tree(parts: Parts, request: ApproximationTreeRequest) -> ApproximationTree:
    """Return the tree if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    model = parts.models.get(request.model)
    dataset = parts.datasets.get(request.dataset)
    if request.method == "ism":
        _check_ism(parts, request, model, dataset)
    elif request.stop_when_pure:
        detail = f"stop_when_pure is for method ism, not for {request.method}; leave it out"
        raise StorageError("validation_failed", detail, "/stop_when_pure")
    match_features(model.view, dataset.view)
    asked = _spelled_out(request)
    evaluation = matching_evaluation(parts, model.view, asked.evaluation_dataset)
    return ask_for(parts, APPROXIMATION_TREES, asked, MadeFrom(model.view, dataset, evaluation))


def read_tree(parts: Parts, tree_id: str) -> ApproximationTreeResult:
    """Return the whole of a tree that is ready."""
    return ApproximationTreeResult.model_validate_json(get_result(parts, APPROXIMATION_TREES, tree_id))


def export_tree(parts: Parts, tree_id: str, form: TreeExportFormat) -> bytes:
    """Return the tree in a form that others can read or run."""
    if form != "onnx":
        return write_tree(read_tree(parts, tree_id), form).encode()
    artefact = parts.artefacts.get(APPROXIMATION_TREES.name, tree_id)
    ready_result(artefact)
    return parts.objects.get(artefact.files["onnx"])


def _spelled_out(request: ApproximationTreeRequest) -> ApproximationTreeRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    changes = {name: _DEFAULTS[name] for name in _MEANS_NOTHING[request.method]}
    if request.max_leaves is not None and request.max_leaves >= min(2**request.max_depth, MAX_LEAVES):
        changes["max_leaves"] = None  # no more are grown anyway
    if request.evaluation_dataset == request.dataset:
        changes["evaluation_dataset"] = None
    return request.model_copy(update=changes)


def _check_ism(parts: Parts, request: ApproximationTreeRequest, model: StoredModel, dataset: StoredDataset) -> None:
    if request.n_repeats > 1:
        detail = "method ism draws nothing at random: every repeat would give the same tree; leave n_repeats out"
        raise StorageError("validation_failed", detail, "/n_repeats")
    has_target = dataset.view.target is not None
    settings = IsmSettings(stop_when_pure=request.stop_when_pure)
    try:
        check_ism(ModelDescription.from_json(model.description), settings, has_target=has_target)
    except MethodNotApplicable as error:
        raise StorageError(error.code, error.detail, "/method") from error
    except InvalidInput as error:
        raise StorageError(error.code, error.detail, "/stop_when_pure") from error
    reason = "method ism chooses among the trees' own questions, told of raw features, where sta finds its own"
    refuse_what_cannot_be_led_back(parts, model, reason)
