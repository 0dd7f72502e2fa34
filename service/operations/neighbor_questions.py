"""Requests that compare nearest rows: which of them a model and its rows allow, checked before a job is added."""

from typing import TypeVar

from schemas.label_audits import LabelAuditRequest
from schemas.models import Model
from schemas.proximities import ProximitiesRequest
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features

from ..app_context import AppContext
from .proximity_kinds import known_kind

NeighborRequest = TypeVar("NeighborRequest", ProximitiesRequest, LabelAuditRequest)


def check_neighbors(context: AppContext, request: NeighborRequest) -> tuple[NeighborRequest, Model, StoredDataset]:
    """Return the request that all requests with the same answer have in common, and what it names.

    Raises
    ------
    StorageError
        What in the request cannot be done.
    """
    model = context.models.get(request.model).view
    dataset = context.datasets.get(request.dataset)
    kind = known_kind(request.kind, model)
    _check_number(request.n_neighbors, dataset.view.n_rows)
    match_features(model, dataset.view)
    return request.model_copy(update={"kind": kind}), model, dataset


def _check_number(n_neighbors: int, n_rows: int) -> None:
    if n_rows == 1:
        detail = "the dataset has a single row, which has no neighbours; send more rows"
        raise StorageError("validation_failed", detail, "/dataset")
    if n_neighbors >= n_rows:
        detail = (
            f"n_neighbors is {n_neighbors}, but each of the {n_rows} rows has {n_rows - 1} others; request at most that"
        )
        raise StorageError("validation_failed", detail, "/n_neighbors")
