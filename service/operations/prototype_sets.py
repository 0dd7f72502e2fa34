"""Request prototype sets: which requests a model and its rows allow, checked before a job is added."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from explanations.reference_file import MAX_CELLS
from schemas.models import Model
from schemas.prototype_classifiers import ClassifierExportFormat, PrototypeClassifier
from schemas.prototype_sets import PROTOTYPE_SETS, PrototypeSet, PrototypeSetRequest
from storage.artefacts import MAX_RESULT_BYTES, bytes_of_prototype, most_prototypes
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.errors import NotFound, StorageError
from storage.feature_matching import match_features
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.leaf_space.cost import distance_seconds, position_bytes
from tree_explainers.prototype_sets import cost
from tree_explainers.prototype_sets.euclidean_sweep import default_candidates, n_steps

from ..app_context import AppContext
from ..exports import write_classifier
from .artefact_tables import open_table
from .artefacts import MadeFrom, matching_evaluation, request_artefact
from .job_estimates import KindEstimate, Need, Request, leaf_need
from .json_pages import MAX_PAGE_BYTES, PARQUET_ADVICE, Rows, first_row_of, page_blocks
from .plain_distances import check_distances, is_by_distance, refusal_of_distances, refuse_without_leaves
from .request_checks import check_leaf_rows, kind_of_nearest_rows, kind_or_distance

_DEFAULT_PROTOTYPES = 10
_SHARED_AMONG_OUTCOMES = ("sm_a", "sm_wa")
_FIND_NUMBERS_IN_THEIR_OWN_WAY = ("sm_u", "a_pete")
_DEFAULT_ALPHA = PrototypeSetRequest.model_fields["alpha"].default


def request_prototype_set(context: AppContext, request: PrototypeSetRequest) -> PrototypeSet:
    """Return the prototype set if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    model = context.models.get(request.model).view
    dataset = context.datasets.get(request.dataset)
    kind = kind_or_distance(request.proximity_kind, model)
    check_distances(request)
    _check_method(request, model, dataset)
    check_leaf_rows(request.min_leaf_rows, dataset.view.n_rows)
    check_leaf_rows(request.nearest_rows.min_leaf_rows, dataset.view.n_rows, "/nearest_rows/min_leaf_rows")
    match_features(model, dataset.view)
    complete = _normalised(request, kind, model, dataset.view.n_rows)
    evaluation = matching_evaluation(context, model, complete.evaluation_dataset)
    _check_evaluation_target(complete, evaluation)
    made_from = MadeFrom(model, dataset, evaluation)
    refusal = _refusal_of_result(complete, model) or refusal_of_distances(complete, model, dataset.view.n_rows)
    return request_artefact(context, PROTOTYPE_SETS, complete, made_from, refusal)


def _needs(sizes: JobSizes, request: Request) -> tuple[Need, ...]:
    if request.get("proximity_kind") == "euclidean":
        return Need(position_bytes(sizes)), Need(sizes.code_bytes * sizes.n_paths)
    rows = cost.row_bytes(sizes, MAX_CELLS, are_listed_twice=request["min_leaf_rows"] != 1)
    pairs = cost.pair_bytes(sizes, _n_candidates(sizes, request), request["refine"])
    return leaf_need(sizes, request, rows), Need(pairs, "request fewer candidates", "/n_candidates")


def _n_candidates(sizes: JobSizes, request: Request) -> int:
    if request["n_candidates"] is not None:
        return min(sizes.n_rows, int(request["n_candidates"]))
    return cost.default_candidates_by_leaves(sizes.n_rows, sizes.n_trees)


def _seconds(sizes: JobSizes, request: Request) -> float:
    if request.get("proximity_kind") == "euclidean":
        n_candidates = request["n_candidates"] or default_candidates(sizes.n_rows, sizes.n_features)
        return distance_seconds(n_steps(sizes.n_rows, n_candidates, sizes.n_features))
    n_candidates = _n_candidates(sizes, request)
    choosing = _choosing_seconds(sizes, request, n_candidates) if request["min_leaf_rows"] == "auto" else 0.0
    return choosing + cost.selection_seconds(sizes, n_candidates, request["refine"])


def _choosing_seconds(sizes: JobSizes, request: Request, n_candidates: int) -> float:
    # Of boosting, the kind stays open until the leaves are chosen, and each is tried.
    n_prototypes = request["n_prototypes"] if isinstance(request["n_prototypes"], int) else _DEFAULT_PROTOTYPES
    are_weighted = request["proximity_kind"] != "random_forest"
    return cost.leaf_choice_seconds(sizes, n_candidates, n_prototypes, are_weighted=are_weighted)


ESTIMATE = KindEstimate(_needs, _seconds)


def classifier_file(context: AppContext, prototype_set_id: str, form: ClassifierExportFormat) -> Path:
    """Return the file that a prototype set's classifier is exported from.

    Raises
    ------
    StorageError
        ``artefact_not_ready``, or ``method_not_applicable`` for a set by plain distance.
    """
    artefact = context.artefacts.get(PROTOTYPE_SETS.name, prototype_set_id)
    artefact.ready_result()
    refuse_without_leaves(artefact, "an export of its classifier")
    name = "onnx" if form == "onnx" else "classifier"
    return context.objects.path(artefact.files[name])


def export_classifier(document: bytes, form: Literal["sql", "python"]) -> bytes:
    """Return the classifier, which is kept as JSON, in a form that other programs can run."""
    return write_classifier(PrototypeClassifier.model_validate_json(document), form).encode()


def _normalised(request: PrototypeSetRequest, kind: str, model: Model, n_rows: int) -> PrototypeSetRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    on_itself = request.evaluation_dataset == request.dataset
    changes: dict[str, Any] = {
        "proximity_kind": kind,
        "evaluation_dataset": None if on_itself else request.evaluation_dataset,
        "n_candidates": None if request.n_candidates is None else min(request.n_candidates, n_rows),
    }
    if is_by_distance(request):
        changes["min_leaf_rows"] = 1  # as good as `auto`: there are no leaves
    else:
        if kind == "boosting" and request.proximity_kind == request.min_leaf_rows == "auto":
            changes["proximity_kind"] = "auto"  # the job finds the weights of trees together with the leaves
        of_rows = kind_of_nearest_rows(request.nearest_rows.proximity_kind, model)
        changes["nearest_rows"] = request.nearest_rows.model_copy(update={"proximity_kind": of_rows})
    if request.method != "a_pete" and request.coverage is None:
        changes["n_prototypes"] = request.n_prototypes or _n_of_outcomes(request) or _DEFAULT_PROTOTYPES
    return request.model_copy(update=changes)


def _n_of_outcomes(request: PrototypeSetRequest) -> int:
    return sum(count.n_prototypes for count in request.n_per_outcome or ())


def _check_method(request: PrototypeSetRequest, model: Model, dataset: StoredDataset) -> None:
    _check_number(request, dataset.view.n_rows)
    _check_coverage(request)
    _check_validation(request)
    _check_alpha(request)
    if request.method == "sg" and model.task == "regression":
        detail = (
            "sg raises the accuracy of a classifier; for a regression model take sm_a, sm_u, sm_wa, k_medoids or a_pete"
        )
        raise StorageError("method_not_applicable", detail, "/method")
    if request.method == "sg" and request.refine == "swap":
        detail = "swaps raise the objective of the other methods, which would cost sg's accuracy: leave out refine"
        raise StorageError("method_not_applicable", detail, "/refine")
    _check_evaluation_rows(request)
    _check_outcomes(request, model)
    if request.labels == "target" and model.task == "classification":
        _check_target(dataset, model)


def _check_outcomes(request: PrototypeSetRequest, model: Model) -> None:
    """Refuse numbers of prototypes of outcomes where nothing is chosen by outcome, and of outcomes that are none."""
    field = "per_outcome" if request.n_per_outcome is None else "n_per_outcome"
    if field == "per_outcome" and request.per_outcome in {"auto", "by_gain"}:
        return
    outcomes = model.outcomes if request.labels == "predicted" else model.classes
    reason = (
        f"method {request.method} shares prototypes among outcomes in its own way; take sm_a or sm_wa"
        if request.method not in _SHARED_AMONG_OUTCOMES
        else "coverage says how many there are; give n_prototypes instead"
        if request.coverage is not None
        else "a regression has no outcomes; leave it out"
        if not outcomes
        else "`validate` finds how many there are by gain; give a number"
        if request.n_prototypes == "validate"
        else None
    )
    if reason is not None:
        raise StorageError("method_not_applicable", f"{field} is not applicable: {reason}", f"/{field}")
    _check_counts(request, outcomes)


def _check_counts(request: PrototypeSetRequest, outcomes: Sequence[str]) -> None:
    counts = request.n_per_outcome
    if counts is None:
        return
    for index, count in enumerate(counts):
        if count.outcome not in outcomes or count.outcome in [before.outcome for before in counts[:index]]:
            is_known = count.outcome in outcomes
            problem = "is there twice" if is_known else f"is none of the model's outcomes {list(outcomes[:5])}"
            detail = f"n_per_outcome: {count.outcome!r} {problem}"
            raise StorageError("validation_failed", detail, f"/n_per_outcome/{index}/outcome")
    total = sum(count.n_prototypes for count in counts)
    if total == 0 or request.n_prototypes not in (None, total) or request.per_outcome != "auto":
        detail = (
            f"n_per_outcome is of {total} prototypes together, at least one of which is needed; leave n_prototypes and "
            "per_outcome out"
        )
        raise StorageError("validation_failed", detail, "/n_per_outcome")


def _check_evaluation_rows(request: PrototypeSetRequest) -> None:
    for name in ("selected_on", "metric"):
        requested = getattr(request, name)
        if request.method != "sg" and requested != PrototypeSetRequest.model_fields[name].default:
            detail = f"{name} is {requested!r}, but {request.method} takes none: leave it out, or take sg"
            raise StorageError("validation_failed", detail, f"/{name}")
    if request.selected_on == "evaluation_dataset" and request.evaluation_dataset in {None, request.dataset}:
        detail = "selected_on is 'evaluation_dataset', but the request names no other dataset there"
        raise StorageError("validation_failed", detail, "/evaluation_dataset")


def _check_evaluation_target(request: PrototypeSetRequest, evaluation: StoredDataset | None) -> None:
    """Refuse to choose prototypes by the targets of evaluation rows that have none, or not all of them."""
    if evaluation is None or request.selected_on == "dataset" or request.labels == "predicted":
        return
    of_model = {"accuracy": "fidelity", "balanced_accuracy": "balanced_fidelity"}.get(request.metric)
    target = next((column for column in evaluation.view.columns if column.name == evaluation.view.target), None)
    if of_model is None or (target is not None and not target.n_missing):
        return
    if target is None:
        lack = "has none; name it in its metadata"
    else:
        lack = f"has no {target.name!r} in {target.n_missing:,} of its rows; leave them out"
    detail = f"labels is `target`, but evaluation_dataset {evaluation.view.id!r} {lack}, or take metric {of_model}"
    raise StorageError("schema_mismatch", detail, "/evaluation_dataset")


def _refusal_of_result(request: PrototypeSetRequest, model: Model) -> StorageError | None:
    """Return the refusal of more prototypes than a result has room for, with all their values."""
    n_fitting = most_prototypes(model.feature_names)
    if not isinstance(request.n_prototypes, int) or request.n_prototypes <= n_fitting:
        return None
    n_bytes = request.n_prototypes * bytes_of_prototype(model.feature_names)
    detail = (
        f"{request.n_prototypes} prototypes with {model.n_features} values each would make a result of about "
        f"{n_bytes:,} bytes, more than the {MAX_RESULT_BYTES:,} that a result may "
        f"have; request at most {n_fitting}"
    )
    return StorageError(code="resource_estimate_exceeds_limit", detail=detail, pointer="/n_prototypes")


def _check_number(request: PrototypeSetRequest, n_rows: int) -> None:
    if request.method == "a_pete" and request.n_prototypes is not None:
        detail = "a_pete finds the number of prototypes itself; leave out n_prototypes, and steer it by alpha"
        raise StorageError("validation_failed", detail, "/n_prototypes")
    is_open = request.method == "a_pete" or request.coverage is not None or request.n_prototypes == "validate"
    n_prototypes = 1 if is_open else int(request.n_prototypes or _n_of_outcomes(request) or _DEFAULT_PROTOTYPES)
    if n_prototypes > n_rows:
        detail = f"n_prototypes is {n_prototypes}, but the dataset has {n_rows} rows; request at most {n_rows}"
        raise StorageError("validation_failed", detail, "/n_prototypes")
    if request.n_candidates is not None and n_prototypes > request.n_candidates:
        detail = (
            f"{n_prototypes} prototypes cannot be chosen from {request.n_candidates} candidates; request more of them"
        )
        pointer = "/n_candidates" if request.n_prototypes is None else "/n_prototypes"
        raise StorageError("validation_failed", detail, pointer)


def _check_coverage(request: PrototypeSetRequest) -> None:
    if request.coverage is None:
        return
    if request.n_prototypes is not None:
        detail = (
            f"n_prototypes is {request.n_prototypes!r} and coverage is {request.coverage:g}, but one of them "
            "determines the number of prototypes: leave out the other"
        )
        raise StorageError("validation_failed", detail, "/coverage")
    if request.method in _FIND_NUMBERS_IN_THEIR_OWN_WAY:
        detail = f"{request.method} finds the number of prototypes in its own way: take sm_a, sm_wa or sg with coverage"
        raise StorageError("method_not_applicable", detail, "/coverage")


def _check_validation(request: PrototypeSetRequest) -> None:
    if request.n_prototypes != "validate":
        return
    if request.method in _FIND_NUMBERS_IN_THEIR_OWN_WAY:
        detail = f"the first prototypes of {request.method} are no smaller set: take sm_a, sm_wa or sg with `validate`"
        raise StorageError("method_not_applicable", detail, "/n_prototypes")
    if request.evaluation_dataset in {None, request.dataset}:
        detail = (
            "n_prototypes is `validate`, which needs rows that prototypes are not chosen from: name them as "
            "evaluation_dataset"
        )
        raise StorageError("validation_failed", detail, "/evaluation_dataset")
    if request.selected_on == "evaluation_dataset":
        detail = (
            "n_prototypes is `validate`, which needs rows that prototypes are not chosen on, but selected_on is "
            "`evaluation_dataset`: leave out selected_on, or give n_prototypes as a number"
        )
        raise StorageError("validation_failed", detail, "/selected_on")


def _check_alpha(request: PrototypeSetRequest) -> None:
    # Its default may be spelled out: clients send whole requests, and requests are sent again as they were answered.
    if request.method != "a_pete" and request.alpha != _DEFAULT_ALPHA:
        detail = f"alpha is {request.alpha:g}, but {request.method} takes none: leave it out, or take a_pete"
        raise StorageError("validation_failed", detail, "/alpha")


def _check_target(dataset: StoredDataset, model: Model) -> None:
    target = dataset.view.target
    if target is None:
        detail = (
            f"labels is `target`, but dataset {dataset.view.id!r} has none; name it in the dataset's metadata, or take "
            "labels=predicted"
        )
        raise StorageError("schema_mismatch", detail)
    column = next(column for column in dataset.view.columns if column.name == target)
    is_constant = column.min is not None and column.min == column.max  # of booleans the range is not known
    if column.type == "category":
        is_constant = column.n_categories == 1
    if is_constant and model.n_classes > 1:  # the job refuses a model of one class, whatever the rows
        detail = f"all rows of dataset {dataset.view.id!r} have the same {target!r}; send rows of at least two classes"
        raise StorageError("schema_mismatch", detail)


def list_represented_rows(
    context: AppContext, prototype_set_id: str, rank: int, limit: int, cursor: str | None
) -> Generator[bytes]:
    """Return one page of the rows that a prototype represents, nearest first, as JSON: of ``RepresentedRow``.

    The cursor is how many of these rows come before.

    Raises
    ------
    StorageError
        ``not_found`` where there is no such prototype.
    """
    start = first_row_of(cursor)
    artefact, table = open_table(context, PROTOTYPE_SETS, prototype_set_id, "rows")
    with table:
        starts = [int(each) for each in (table.schema.metadata or {})[b"starts"].split(b",")]
        if not 1 <= rank < len(starts):
            raise NotFound("prototype", str(rank), f"{prototype_set_id!r} has ranks 1 to {len(starts) - 1}")
        first, end = starts[rank - 1], starts[rank]
        page = table.read(first + start, min(first + start + limit, end))
    rows, proximities = (page.column(name).to_pylist() for name in ("row", "proximity"))
    lines = zip(rows, _row_ids(context, artefact.request["dataset"], rows), proximities, strict=True)
    encoded = (
        orjson.dumps({"object": "represented_row", "row": row, "row_id": row_id, "rank": rank, "proximity": proximity})
        for row, row_id, proximity in lines
    )
    return page_blocks(Rows(encoded, start, end - first, PARQUET_ADVICE))


def _row_ids(context: AppContext, dataset_id: str, rows: list[int]) -> list[str]:
    """Return the ids of these rows."""
    with open_rows(context.objects, context.datasets.content(dataset_id), pages=True) as file:
        if file.row_id_column is None:
            return list(map(str, rows))
        row_ids: list[str] = file.take_table([file.row_id_column], rows, MAX_PAGE_BYTES).column(0).to_pylist()
        return row_ids
