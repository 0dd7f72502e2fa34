"""Questions about nearest rows: what such a request may say of which model and rows, before a job is made."""

from typing import TypeVar

from schemas.label_audits import LabelAuditRequest
from schemas.models import Model
from schemas.proximities import ProximitiesRequest
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features

from ..app_context import Parts
from .proximity_kinds import known_kind

Question = TypeVar("Question", ProximitiesRequest, LabelAuditRequest)


def check_question(parts: Parts, request: Question) -> tuple[Question, Model, StoredDataset]:
    """Return the request that all requests with the same answer have in common, and what it names.

    Raises
    ------
    StorageError
        What in the request cannot be done.
    """
    model = parts.models.get(request.model).view
    dataset = parts.datasets.get(request.dataset)
    kind = known_kind(request.proximity_kind, model)
    _check_number(request.n_neighbors, dataset.view.n_rows)
    match_features(model, dataset.view)
    return request.model_copy(update={"proximity_kind": kind}), model, dataset


def _check_number(n_neighbors: int, n_rows: int) -> None:
    if n_rows == 1:
        detail = "the dataset has a single row, which has no neighbours; send more rows"
        raise StorageError("validation_failed", detail, "/dataset")
    if n_neighbors >= n_rows:
        detail = (
            f"n_neighbors is {n_neighbors}, but each of the {n_rows} rows has {n_rows - 1} others; ask for at most that"
        )
        raise StorageError("validation_failed", detail, "/n_neighbors")
