"""Prototype sets and proximities by plain distance: what may be requested, and who cannot use them without leaves."""

from schemas.models import Model
from schemas.prototype_sets import NearestRowsSpace, PrototypeSetRequest
from schemas.proximities import ProximitiesRequest
from storage.artefacts import Artefact
from storage.errors import StorageError
from tree_explainers.prototype_sets.euclidean_sweep import MOST_STEPS, default_candidates, n_steps


def is_by_distance(request: PrototypeSetRequest | ProximitiesRequest) -> bool:
    """Return whether rows are to be compared by plain distance rather than by leaves."""
    return request.proximity_kind == "euclidean"


def check_distances(request: PrototypeSetRequest | ProximitiesRequest) -> None:
    """Refuse what a request says of leaves, where rows are compared by plain distance.

    Raises
    ------
    StorageError
        ``method_not_applicable``, naming the field.
    """
    if not is_by_distance(request):
        return
    if request.min_leaf_rows not in (1, "auto"):
        detail = (
            f"min_leaf_rows is {request.min_leaf_rows}, but proximity_kind `euclidean` compares rows by plain "
            "distance, without leaves: leave it out"
        )
        raise StorageError("method_not_applicable", detail, "/min_leaf_rows")
    if isinstance(request, PrototypeSetRequest):
        _check_selection(request)


def _check_selection(request: PrototypeSetRequest) -> None:
    if request.nearest_rows != NearestRowsSpace():
        detail = (
            "nearest_rows says by which leaves explanations compare rows, and sets by plain distance (proximity_kind "
            "`euclidean`) explain none: leave it out"
        )
        raise StorageError("method_not_applicable", detail, "/nearest_rows")
    if request.coverage is not None:
        detail = (
            "coverage counts rows of a minimum proximity to a prototype, which by plain distance (proximity_kind "
            "`euclidean`) nearly all rows have: give n_prototypes instead, as a number or `validate`"
        )
        raise StorageError("method_not_applicable", detail, "/coverage")
    if request.refine != "none":
        detail = (
            "swaps look into the leaves of trees, and proximity_kind `euclidean` compares rows by plain distance: "
            "leave out refine, or take another proximity_kind"
        )
        raise StorageError("method_not_applicable", detail, "/refine")


def refusal_of_distances(
    request: PrototypeSetRequest | ProximitiesRequest, model: Model, n_rows: int
) -> StorageError | None:
    """Return the refusal of a request whose rows would take too long to compare.

    Parameters
    ----------
    request
        Checked and spelled out.
    model
        The model whose features are compared.
    n_rows
        Number of rows of the dataset.
    """
    if not is_by_distance(request):
        return None
    if isinstance(request, ProximitiesRequest):
        return _refusal_of_all(model, n_rows)
    n_candidates = request.n_candidates or default_candidates(n_rows, model.n_features)
    if n_steps(n_rows, n_candidates, model.n_features) <= MOST_STEPS:
        return None
    most = MOST_STEPS // n_steps(n_rows, 1, model.n_features)
    advice = f"request at most {most:,} candidates, or send fewer rows" if most else "send fewer rows"
    detail = (
        f"comparing {n_rows:,} rows with {n_candidates:,} candidates by the distance of {model.n_features:,} features "
        f"would take too long; {advice}"
    )
    pointer = "/n_candidates" if most and request.n_candidates else "/dataset"
    return StorageError("resource_estimate_exceeds_limit", detail, pointer)


def _refusal_of_all(model: Model, n_rows: int) -> StorageError | None:
    """Return the refusal of comparing all rows with each other, if that would take too long."""
    if n_steps(n_rows, n_rows, model.n_features) <= MOST_STEPS:
        return None
    detail = (
        f"comparing {n_rows:,} rows with each other by the distance of {model.n_features:,} features would take too "
        "long; send fewer rows"
    )
    return StorageError("resource_estimate_exceeds_limit", detail, "/dataset")


def refuse_without_leaves(prototype_set: Artefact, what: str, pointer: str | None = None) -> None:
    """Refuse a prototype set by plain distance where leaves are needed; ``what`` says for what.

    Raises
    ------
    StorageError
        ``method_not_applicable``.
    """
    if prototype_set.request.get("proximity_kind") == "euclidean":
        detail = (
            f"prototype set {prototype_set.id!r} compares rows by plain distance (proximity_kind `euclidean`), and "
            f"{what} needs the leaves of trees: request the set with another proximity_kind, `auto` for example"
        )
        raise StorageError("method_not_applicable", detail, pointer)
