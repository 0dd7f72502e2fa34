"""Ask for prototype sets, and read them."""

import json
from typing import Any

from schemas.contract import Page
from schemas.datasets import Column
from schemas.identifiers import content_identifier
from schemas.models import Model
from schemas.prototype_sets import PrototypeSet, PrototypeSetRequest
from storage.artefacts import Artefact, NewArtefact
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features

from ..parts import Parts

NOUN = "prototype_sets"
METHOD_REVISION = 1  # raise it when an algorithm's answers change
_DEFAULT_PROTOTYPES = 10
_DEFAULT_ALPHA = PrototypeSetRequest.model_fields["alpha"].default
_LARGE_DATASET_ROWS = 100_000


def ask_for_prototype_set(parts: Parts, request: PrototypeSetRequest) -> PrototypeSet:
    """Return the prototype set if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    model = parts.models.get(request.model).view
    dataset = parts.datasets.get(request.dataset)
    _refuse_what_cannot_be(request, model, dataset)
    match_features(model, dataset.view)
    _check_evaluation(parts, request, model)
    asked = _spelled_out(request, model)
    deadline = _deadline(parts, dataset)
    artefact, is_new_job = parts.artefacts.ask_for(
        _new_artefact(asked),
        lambda connection: parts.jobs.add(connection, NOUN, _identifier(asked), _document(asked), deadline),
    )
    if is_new_job:
        parts.queue.ring(artefact.job, deadline)
    return _view(parts, artefact, reused=not is_new_job)


def list_prototype_sets(parts: Parts, limit: int, cursor: str | None) -> Page[PrototypeSet]:
    """Return one page of prototype sets, newest first, without what was found."""
    page = parts.artefacts.list(NOUN, limit, cursor)
    return Page[PrototypeSet](data=[_summary(artefact) for artefact in page.data], next_cursor=page.next_cursor)


def get_prototype_set(parts: Parts, prototype_set_id: str) -> PrototypeSet:
    """Return a prototype set, with what was found if it is ready."""
    return _view(parts, parts.artefacts.get(NOUN, prototype_set_id))


def get_content(parts: Parts, prototype_set_id: str) -> bytes:
    """Return the whole result as JSON."""
    artefact = parts.artefacts.get(NOUN, prototype_set_id)
    return parts.objects.get(ready_result(artefact))


def delete_prototype_set(parts: Parts, prototype_set_id: str) -> None:
    """Forget a prototype set that no explainer uses."""
    with parts.objects.discarding():
        for sha256 in parts.artefacts.delete(NOUN, prototype_set_id):
            parts.objects.delete(sha256)


def ready_result(artefact: Artefact) -> str:
    """Return the object that holds the artefact's result; refuse one that is not ready."""
    if artefact.result is None:
        detail = f"{artefact.id!r} is {artefact.status}; see job {artefact.job!r}"
        raise StorageError("artefact_not_ready", detail)
    return artefact.result


def _spelled_out(request: PrototypeSetRequest, model: Model) -> PrototypeSetRequest:
    """Return the request that all requests with the same answer have in common, so that they share an id."""
    on_itself = request.evaluation_dataset == request.dataset
    changes: dict[str, Any] = {
        "kind": model.ensemble if request.kind == "auto" else request.kind,
        "evaluation_dataset": None if on_itself else request.evaluation_dataset,
    }
    if request.method != "a_pete":
        changes |= {"n_prototypes": request.n_prototypes or _DEFAULT_PROTOTYPES, "alpha": _DEFAULT_ALPHA}
    return request.model_copy(update=changes)


def _document(request: PrototypeSetRequest) -> dict[str, Any]:
    return request.model_dump(mode="json")


def _identifier(request: PrototypeSetRequest) -> str:
    return content_identifier(NOUN, METHOD_REVISION, _document(request))


def _new_artefact(request: PrototypeSetRequest) -> NewArtefact:
    return NewArtefact(
        id=_identifier(request),
        noun=NOUN,
        model=request.model,
        dataset=request.dataset,
        evaluation_dataset=request.evaluation_dataset,
        request=_document(request),
    )


def _deadline(parts: Parts, dataset: StoredDataset) -> float:
    large = dataset.view.n_rows > _LARGE_DATASET_ROWS
    return parts.settings.large_job_deadline_seconds if large else parts.settings.job_deadline_seconds


def _refuse_what_cannot_be(request: PrototypeSetRequest, model: Model, dataset: StoredDataset) -> None:
    _check_number(request, dataset.view.n_rows)
    if request.kind == "auto" and model.ensemble in {None, "other"}:
        detail = (
            f"whether model {model.id!r} averages or adds its trees is not known, so `kind` cannot be `auto`: "
            "say `kind`, or register the model with `ensemble` in its metadata"
        )
        raise StorageError("ensemble_unknown", detail, "/kind")
    if request.method == "sg" and model.task == "regression":
        detail = "sg raises the accuracy of a classifier; for a regression model take sm_a, sm_u, sm_wa or a_pete"
        raise StorageError("method_not_applicable", detail, "/method")
    if request.labels == "target" and model.task == "classification":
        _check_target(dataset)


def _check_number(request: PrototypeSetRequest, n_rows: int) -> None:
    if request.method == "a_pete" and request.n_prototypes is not None:
        detail = "a_pete finds the number of prototypes itself; leave out n_prototypes, and steer it by alpha"
        raise StorageError("validation_failed", detail, "/n_prototypes")
    n_prototypes = request.n_prototypes or (1 if request.method == "a_pete" else _DEFAULT_PROTOTYPES)
    if n_prototypes > n_rows:
        detail = f"n_prototypes is {n_prototypes}, but the dataset has {n_rows} rows; ask for at most {n_rows}"
        raise StorageError("validation_failed", detail, "/n_prototypes")


def _check_target(dataset: StoredDataset) -> None:
    target = dataset.view.target
    if target is None:
        detail = f"labels is `target`, but dataset {dataset.view.id!r} has none; name it in the dataset's metadata"
        raise StorageError("schema_mismatch", detail)
    column = next(column for column in dataset.view.columns if column.name == target)
    if _has_one_value(column):
        detail = f"all rows of dataset {dataset.view.id!r} have the same {target!r}; send rows of at least two classes"
        raise StorageError("schema_mismatch", detail)


def _has_one_value(column: Column) -> bool:
    if column.type == "category":
        return column.n_categories == 1
    return column.min is not None and column.min == column.max  # of booleans the range is not known


def _check_evaluation(parts: Parts, request: PrototypeSetRequest, model: Model) -> None:
    if request.evaluation_dataset is not None:
        match_features(model, parts.datasets.get(request.evaluation_dataset).view)


def _summary(artefact: Artefact, *, reused: bool = False) -> PrototypeSet:
    return PrototypeSet(
        id=artefact.id,
        status=artefact.status,
        job=artefact.job,
        reused=reused,
        created_at=artefact.created_at,
        request=PrototypeSetRequest(**artefact.request),
        problem=artefact.problem,
    )


def _view(parts: Parts, artefact: Artefact, *, reused: bool = False) -> PrototypeSet:
    summary = _summary(artefact, reused=reused)
    if artefact.result is None:
        return summary
    found = json.loads(parts.objects.get(artefact.result))
    return PrototypeSet(**summary.model_dump(exclude=set(found)), **found)
