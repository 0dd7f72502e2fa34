"""Request approximation trees, export them, and put them to a person as questionnaires."""

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

from explanations.instances import encoded_value
from explanations.trees import PartialPath, follow_path, splits_of
from schemas.approximation_trees import (
    APPROXIMATION_TREES,
    MAX_LEAVES,
    ApproximationMethod,
    ApproximationNode,
    ApproximationTree,
    ApproximationTreeRequest,
    ApproximationTreeResult,
    FittedOn,
    PathNode,
    TreeExportFormat,
)
from schemas.generators import DatasetGenerator
from schemas.json_numbers import number_of
from schemas.models import Model
from schemas.next_questions import NextQuestion, NextQuestionRequest, Question
from schemas.relational_features import SqlSource
from storage.artefacts import Artefact
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features, refuse_infinite_cells
from storage.models import StoredModel
from tree_explainers.approximation_trees import cost
from tree_explainers.approximation_trees.ism import IsmSettings, check_ism
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.errors import InvalidInput, MethodNotApplicable, RowRefused
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.wording import did_you_mean

from ..app_context import AppContext
from ..exports import write_tree, write_tree_over_tables
from .artefacts import MadeFrom, exported_result, matching_evaluation, request_artefact, shown_result
from .feature_sets import tables_behind
from .job_estimates import KindEstimate, Need, Request
from .request_checks import other_methods, refuse_unmapped_columns, refuse_unused

_DEFAULTS = {name: field.default for name, field in ApproximationTreeRequest.model_fields.items()}
_OF_STA = ("significance", "candidates", "compare", "significance_level_of")
_OF_ISM = ("criterion", "leaf_probabilities", "stop_when_pure")
_UNUSED: dict[ApproximationMethod, tuple[str, ...]] = {  # fields of requests that do not matter to a method
    "sta": (*_OF_ISM, "smearing_probability"),
    "ism": (*_OF_STA, "smearing_probability"),
    "born_again": (*_OF_STA, *_OF_ISM, "choose_by", "generator"),
    "cart": (*_OF_STA, *_OF_ISM, "choose_by", "smearing_probability"),
}


def request_approximation_tree(context: AppContext, request: ApproximationTreeRequest) -> ApproximationTree:
    """Return the tree if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    model = context.models.get(request.model)
    dataset = context.datasets.get(request.dataset)
    has_generator = "generator" in request.model_fields_set
    if request.method == "auto":
        request = request.model_copy(update={"method": _method_for(model, dataset)})
    request = request.model_copy(
        update={"fitted_on": _fitted_on(request, dataset), "stop_when_pure": _stop_when_pure(request, model, dataset)}
    )
    if request.fitted_on == "dataset" and not has_generator:  # the paper's fills it in
        request = request.model_copy(update={"generator": _DEFAULTS["generator"]})
    if request.method == "ism":
        _check_ism(context, request, model, dataset)
    _refuse_unused(request)
    _refuse_repeats_without_samples(request)
    _check_candidates(request, model.view)
    columns = match_features(model.view, dataset.view)
    complete = _normalised(request)
    evaluation = matching_evaluation(context, model.view, complete.evaluation_dataset)
    drawn = matching_evaluation(context, model.view, _generator_dataset(complete))
    for rows in (dataset, drawn) if complete.method == "sta" else ():
        if rows is not None:
            why = "method sta splits between finite ones: take ism, born_again or cart"
            refuse_infinite_cells(columns, rows.view, why)
    made_from = MadeFrom(model.view, dataset, evaluation, drawn)
    return request_artefact(context, APPROXIMATION_TREES, complete, made_from)


def _needs(sizes: JobSizes, request: Request) -> tuple[Need, ...]:
    method, on_dataset = request["method"], request["fitted_on"] == "dataset"
    held = cost.held_row_bytes(sizes, are_bins_counted=on_dataset and method == "ism")
    rows = Need(held, "send fewer rows", "/dataset")
    if on_dataset:
        return rows, Need(cost.dataset_tree_bytes(sizes, method))
    pseudo = cost.pseudo_row_bytes(sizes, method, request["max_pseudo_samples"])
    return rows, Need(pseudo, "request fewer pseudo rows", "/max_pseudo_samples")


def _seconds(sizes: JobSizes, request: Request) -> float:
    if request["fitted_on"] == "dataset":
        return 0.0
    n_labelled = request["max_pseudo_samples"] * max(1, request.get("n_repeats") or 1)
    return cost.tree_seconds(sizes, request["method"], n_labelled)


ESTIMATE = KindEstimate(_needs, _seconds, lambda sizes, _: sizes.sampled())


def _refuse_unused(request: ApproximationTreeRequest) -> None:
    """Refuse settings that the method does not have, or that are of pseudo-samples where there are none."""
    method = request.method
    assert method != "auto"  # is chosen before
    refuse_unused(request, f"method {method}", {name: other_methods(_UNUSED, name) for name in _UNUSED[method]})
    if request.fitted_on == "dataset":
        advice = "leave it out, or send fitted_on=generator"
        refuse_unused(request, f"method {method} on the dataset's rows", {"generator": advice})
    if request.max_depth == "validate" and method != "sta":
        detail = f"max_depth is `validate`, which method {method} does not know: send a depth, or take method sta"
        raise StorageError("validation_failed", detail, "/max_depth")


def _check_candidates(request: ApproximationTreeRequest, model: Model) -> None:
    """Refuse splits on features that the model does not have, or that their type does not have."""
    types = dict(zip(model.feature_names, model.feature_types, strict=True))
    for index, candidate in enumerate(request.candidates or ()):
        pointer = f"/candidates/{index}/feature"
        if candidate.feature not in types:
            near = did_you_mean(candidate.feature, types)
            detail = (
                f"model {model.id!r} has no feature {candidate.feature[:80]!r}; take one of its `feature_names`{near}"
            )
            raise StorageError("unknown_feature", detail, pointer)
        if (candidate.categories and types[candidate.feature] == "number") or (
            candidate.thresholds and types[candidate.feature] != "number"
        ):
            kind = types[candidate.feature]
            detail = f"feature {candidate.feature[:80]!r} is a {kind}: a number has thresholds, a category "
            raise StorageError("validation_failed", f"{detail}has categories", pointer)
    names = [candidate.feature for candidate in request.candidates or ()]
    if len(set(names)) < len(names):
        raise StorageError("validation_failed", "candidates name a feature twice; join its entries", "/candidates")


def _method_for(model: StoredModel, dataset: StoredDataset) -> ApproximationMethod:
    """Return the method where none is requested: of queries the one that makes up no rows, of which some cannot be."""
    has_splits = model.view.task == "classification" and not model.view.oracle_only
    return "ism" if dataset.view.feature_set is not None and has_splits else "sta"


def _fitted_on(request: ApproximationTreeRequest, dataset: StoredDataset) -> FittedOn:
    """Return what the tree is fitted to; unless requested, no rows of queries are made up, as some cannot be."""
    if request.fitted_on == "auto":
        is_relational = dataset.view.feature_set is not None
        return "dataset" if request.method == "ism" and is_relational else "generator"
    if request.fitted_on == "dataset" and request.method not in {"cart", "ism"}:
        detail = f"fitted_on dataset is for methods cart and ism; {request.method} draws pseudo-samples: leave it out"
        raise StorageError("validation_failed", detail, "/fitted_on")
    return request.fitted_on


def _generator_dataset(request: ApproximationTreeRequest) -> str | None:
    """Return the id of the dataset whose rows are pseudo-samples, if there is one."""
    return request.generator.dataset if isinstance(request.generator, DatasetGenerator) else None


def export_tree(context: AppContext, tree_id: str, form: TreeExportFormat, over: SqlSource | None = None) -> bytes:
    """Return the tree in a form that other programs can read or run; see ``tables_behind`` for ``over``."""
    artefact = context.artefacts.get(APPROXIMATION_TREES.name, tree_id)
    behind = tables_behind(context, artefact, form, over)
    if behind is not None:
        return write_tree_over_tables(_exported_tree(context, artefact, form), behind).encode()
    if form == "onnx":
        artefact.ready_result()
        return context.objects.get(artefact.files["onnx"])
    assert form != "html"  # drawn by the route
    tree = _exported_tree(context, artefact, form)
    return write_tree(tree, form, _adverse(context, artefact, tree)).encode()


def _adverse(context: AppContext, artefact: Artefact, tree: ApproximationTreeResult) -> set[str]:
    """Return the classes that the model's decision or the dictionary declares adverse to the person concerned.

    They are called as the tree calls its classes: by the dictionary's words, where it is exported in these.
    """
    decision = context.models.get(artefact.request["model"]).view.decision
    columns = context.datasets.get(artefact.request["dataset"]).view.columns
    declared = [column.adverse or [] for column in columns if column.role == "target"]
    adverse = {*chain.from_iterable(declared), *(decision.adverse if decision else ())}
    texts = {each.outcome: each.text for each in tree.outcome_texts or ()}
    return {texts.get(each, each) for each in adverse} if {*texts.values()} & {*tree.classes} else adverse


def _exported_tree(context: AppContext, artefact: Artefact, form: TreeExportFormat) -> ApproximationTreeResult:
    return ApproximationTreeResult(**exported_result(context, APPROXIMATION_TREES, artefact, form))


def _normalised(request: ApproximationTreeRequest) -> ApproximationTreeRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    changes: dict[str, Any] = {}
    if request.fitted_on == "dataset":
        changes["max_pseudo_samples"] = _DEFAULTS["max_pseudo_samples"]  # a limit of what is not drawn
        if request.method == "ism":
            changes["seed"] = _DEFAULTS["seed"]  # nothing is drawn
    if request.max_leaves is not None and request.max_leaves >= min(2**request.deepest, MAX_LEAVES):
        changes["max_leaves"] = None  # no more are grown anyway
    has_limit = changes.get("max_leaves", request.max_leaves) is not None
    if request.method == "ism" and not (has_limit and request.fitted_on == "generator"):
        changes["choose_by"] = "gain"  # no leaves are chosen
    if request.evaluation_dataset == request.dataset:
        changes["evaluation_dataset"] = None
    return request.model_copy(update=changes)


def _stop_when_pure(request: ApproximationTreeRequest, model: StoredModel, dataset: StoredDataset) -> bool:
    """Return whether pure nodes are leaves; what the paper says of true classes holds where there are some."""
    has_classes = model.view.task == "classification" and dataset.view.target is not None
    return request.stop_when_pure and (has_classes or "stop_when_pure" in request.model_fields_set)


def _refuse_repeats_without_samples(request: ApproximationTreeRequest) -> None:
    if request.n_repeats > 1 and request.fitted_on == "dataset":
        differ = "in nothing" if request.method == "ism" else "in how ties are decided, and in nothing else"
        detail = (
            f"without pseudo-samples, repeats of {request.method} would differ {differ}; leave n_repeats out, or send "
            "fitted_on=generator"
        )
        raise StorageError("validation_failed", detail, "/n_repeats")


def _check_ism(
    context: AppContext, request: ApproximationTreeRequest, model: StoredModel, dataset: StoredDataset
) -> None:
    has_target = dataset.view.target is not None
    settings = IsmSettings(
        stop_when_pure=request.stop_when_pure,
        criterion=request.criterion,
        leaf_probabilities=request.leaf_probabilities,
    )
    try:
        check_ism(ModelDescription.from_json(model.description), settings, has_target=has_target)
    except (MethodNotApplicable, InvalidInput) as error:
        raise StorageError(error.code, error.detail, f"/{error.field or 'method'}") from error
    reason = "method ism chooses among the trees' own splits, described by raw features, where sta finds its own"
    refuse_unmapped_columns(context, model, reason)


def next_question(context: AppContext, tree_id: str, request: NextQuestionRequest) -> NextQuestion:
    """Return the next question, or the prediction where the answers determine it.

    Raises
    ------
    StorageError
        ``artefact_not_ready``; ``unknown_feature``, ``bad_feature_type`` or ``non_finite_number`` for an answer,
        which is named; ``method_not_applicable`` where the tree has to know a feature that is hidden.
    """
    artefact = context.artefacts.get(APPROXIMATION_TREES.name, tree_id)
    content = ApproximationTreeResult.model_validate_json(context.objects.get(artefact.ready_result()))
    shown = ApproximationTreeResult(**shown_result(context, APPROXIMATION_TREES, artefact))
    model = context.models.get(artefact.request["model"]).view
    answers = _checked_answers(model, request.answers)
    path = follow_path(splits_of(content), answers, content.implications)
    tested = {content.nodes[node].column for node, _ in path.passed}
    return _next_question(tree_id, shown, path, len(tested & answers.keys()))


def _checked_answers(model: Model, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers, with numbers in place of the texts of infinite ones."""
    types = dict(zip(model.feature_names, model.feature_types, strict=True))
    for name, value in answers.items():
        if name not in types:
            advice = f"take the name that `question.column` gave{did_you_mean(name, types)}"
            detail = f"model {model.id!r} has no feature {name[:80]!r}; {advice}"
            raise StorageError("unknown_feature", detail, _pointer(name))
        try:
            encoded = encoded_value(name, types[name], value)
        except RowRefused as error:
            raise StorageError(error.code, error.detail, _pointer(name)) from error
        if model.finite_only and encoded in {math.inf, -math.inf}:
            detail = f"feature {name!r} is {value!r}, and model {model.id!r} takes finite numbers alone"
            raise StorageError("non_finite_number", detail, _pointer(name))
    return {name: number_of(value) if types[name] == "number" else value for name, value in answers.items()}


def _pointer(name: str) -> str:
    return "/answers/" + name.replace("~", "~0").replace("/", "~1")


def _next_question(tree_id: str, content: ApproximationTreeResult, path: PartialPath, n_asked: int) -> NextQuestion:
    reached = content.nodes[path.reached]
    is_leaf = reached.left is None
    return NextQuestion(
        approximation_tree=tree_id,
        question=None if is_leaf else _question(content, reached),
        prediction=reached.prediction if is_leaf else None,
        scores=reached.scores,
        n_asked=n_asked,
        n_features=content.n_features,
        path=[
            PathNode(id=node.id, feature=node.feature or "", text=node.text or "", holds=holds)
            for node, holds in ((content.nodes[index], holds) for index, holds in path.passed)
        ],
    )


def _question(content: ApproximationTreeResult, node: ApproximationNode) -> Question:
    kind = next((feature.type for feature in content.features if feature.name == node.column), None)
    if kind is None:
        detail = (
            "the next question of the tree is about a feature that the dataset's dictionary hides: grow a tree of "
            "others by naming them as candidates"
        )
        raise StorageError("method_not_applicable", detail)
    return Question(
        node=node.id,
        feature=node.feature or "",
        column=node.column or "",
        type=kind,
        text=node.text or "",
        question=node.question,
        operator=node.operator or "",
        value=node.value,
        or_missing=bool(node.or_missing),
        categories=_categories(content, node.column) if kind == "category" else [],
    )


def _categories(content: ApproximationTreeResult, column: str | None) -> list[str]:
    """Return the categories that the tree's splits on a column name."""
    values = [node.value for node in content.nodes if node.column == column and node.value is not None]
    return sorted({str(text) for value in values for text in (value if isinstance(value, list) else [value])})
