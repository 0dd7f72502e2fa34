"""Checks of requests that several nouns share: proximity, numbers of neighbours, raw features, unused fields."""

from collections.abc import Mapping
from typing import Literal, TypeVar, cast, get_args

import numpy as np
import orjson

from schemas.artefacts import KindOrDistance, ProximityKind, RowKind, TreeWeighting
from schemas.contract import Contract
from schemas.label_audits import LabelAuditRequest
from schemas.maps import MapRequest
from schemas.models import Model
from schemas.proximities import ProximitiesRequest
from storage.array_files import read_arrays
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.models import StoredModel
from tree_explainers.ensemble import Operator

from ..app_context import AppContext


def known_kind(requested: ProximityKind, model: Model) -> TreeWeighting:
    """Return the requested kind, which for ``auto`` is the model's own.

    Where the model's own is another or not known (votes, AdaBoost, calibrated models), all trees count alike, as in a
    random forest: that assumes nothing of what a tree adds to the scores.
    """
    if requested != "auto":
        return requested
    return "boosting" if model.ensemble == "boosting" else "random_forest"


def kind_of_nearest_rows(requested: ProximityKind, model: Model) -> TreeWeighting:
    """Return the same for the rows nearest to a row, which predict best where small trees weigh more."""
    return "boosting_sd" if requested == "auto" and model.ensemble == "boosting" else known_kind(requested, model)


def kind_or_distance(requested: Literal[ProximityKind, "euclidean"], model: Model) -> KindOrDistance:
    """Return the same where plain distance, which is nobody's own, may be requested as well."""
    return "euclidean" if requested == "euclidean" else known_kind(requested, model)


def kind_of_neighbors(
    requested: Literal[ProximityKind, "euclidean", RowKind], model: Model
) -> Literal[KindOrDistance, RowKind]:
    """Return the same where rows may be compared by what they count in leaves as well."""
    if requested in get_args(RowKind):
        return cast("RowKind", requested)
    return kind_or_distance(cast("ProximityKind", requested), model)


def refuse_unused(request: Contract, user: str, unused: Mapping[str, str], below: str = "") -> None:
    """Refuse values that would change nothing. Defaults may be spelled out: clients send whole requests.

    Parameters
    ----------
    request
        What is requested.
    user
        What does not use the fields, for the problem's detail, such as ``method em``.
    unused
        The fields, and what to do instead of giving them.
    below
        Pointer to ``request`` in what was sent, where it is a part of that.

    Raises
    ------
    StorageError
        ``validation_failed``, naming the first such field and its value.
    """
    for name, advice in unused.items():
        value, field = getattr(request, name), type(request).model_fields[name]
        if value != field.get_default(call_default_factory=True, validated_data=dict(request)):
            # Of nested fields those are shown that were sent.
            dump = lambda part: part.model_dump(mode="json", exclude_unset=True)  # noqa: E731  # one expression
            shown = orjson.dumps(value, default=dump).decode()
            detail = f"{name} is {shown}, which {user} does not use: {advice}"
            raise StorageError("validation_failed", detail, f"{below}/{name}")


MethodName = TypeVar("MethodName", bound=str)


def other_methods(unused: Mapping[MethodName, tuple[str, ...]], name: str) -> str:
    """Return the advice to take a method that uses a field, given the fields that methods do not use."""
    *some, last = [method for method, fields in unused.items() if name not in fields]
    return f"leave it out, or take method {', '.join(some)}{' or ' if some else ''}{last}"


NeighborRequest = TypeVar("NeighborRequest", ProximitiesRequest, LabelAuditRequest, MapRequest)


def check_neighbors(context: AppContext, request: NeighborRequest) -> tuple[NeighborRequest, Model, StoredDataset]:
    """Return the request that all requests with the same answer have in common, and what it names.

    Raises
    ------
    StorageError
        What in the request cannot be done.
    """
    model = context.models.get(request.model).view
    dataset = context.datasets.get(request.dataset)
    kind = kind_of_neighbors(request.proximity_kind, model)
    _check_number(request.n_neighbors or 1, dataset.view.n_rows)  # null: all rows vote
    check_leaf_rows(request.min_leaf_rows, dataset.view.n_rows)
    match_features(model, dataset.view)
    return request.model_copy(update={"proximity_kind": kind}), model, dataset


def _check_number(n_neighbors: int, n_rows: int) -> None:
    if n_rows == 1:
        detail = "the dataset has a single row, which has no neighbours; send more rows"
        raise StorageError("validation_failed", detail, "/dataset")
    if n_neighbors >= n_rows:
        detail = (
            f"n_neighbors is {n_neighbors}, but each of the {n_rows} rows has {n_rows - 1} others; request at most that"
        )
        raise StorageError("validation_failed", detail, "/n_neighbors")


def check_leaf_rows(min_leaf_rows: int | Literal["auto"], n_rows: int, pointer: str = "/min_leaf_rows") -> None:
    """Refuse leaves of more rows than any split could leave on both sides."""
    if min_leaf_rows != "auto" and min_leaf_rows > max(1, n_rows // 2):
        detail = (
            f"min_leaf_rows is {min_leaf_rows}, but no split of {n_rows} rows leaves as many on both sides; request at "
            f"most {max(1, n_rows // 2)}"
        )
        raise StorageError("validation_failed", detail, pointer)


def refuse_unmapped_columns(context: AppContext, model: StoredModel, reason: str) -> None:
    """Refuse a model that tests a column that cannot be mapped back to one raw feature.

    Parameters
    ----------
    context
        What operations use in this process.
    model
        The model whose trees are checked.
    reason
        Why it matters, for the problem's detail.

    Raises
    ------
    StorageError
        ``method_not_applicable``, naming the first such column.
    """
    transformed = [index for index, column in enumerate(model.view.column_map) if column.transformed]
    if not transformed:
        return
    arrays = read_arrays(context.objects.get(model.ensemble))
    tested = np.unique(arrays["column"][arrays["operator"] != Operator.LEAF])
    transformed_features = np.intersect1d(transformed, tested)
    if len(transformed_features):
        name = model.view.column_map[transformed_features[0]].name
        detail = (
            f"the trees of model {model.view.id!r} test {name!r}, which cannot be mapped back to one raw feature: "
            f"{reason}; take a model whose preprocessing keeps them apart"
        )
        raise StorageError("method_not_applicable", detail, "/model")
