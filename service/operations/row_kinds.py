"""Kinds of proximity that look at rows of leaves or nodes above: what they need of a model and rows, and their cost."""

from typing import get_args

from schemas.artefacts import RowKind
from schemas.models import Model
from schemas.proximities import ProximitiesRequest
from storage.errors import StorageError
from tree_explainers.leaf_space.cost import (
    MOST_GRADED_STEPS,
    graded_steps,
)
from tree_explainers.leaf_space.counted_table import BagKind


def is_row_kind(kind: str | None) -> bool:
    """Return whether rows are compared by what they count in leaves, or by nodes above these."""
    return kind in get_args(RowKind)


def check_row_kind(request: ProximitiesRequest, model: Model, n_rows: int) -> None:
    """Refuse a kind that looks at which trees learned from which rows, where that is not known.

    Raises
    ------
    StorageError
        ``method_not_applicable``, naming the field to change.
    """
    if request.proximity_kind not in get_args(BagKind):
        return
    needs = f"proximity_kind `{request.proximity_kind}` looks at which trees learned from which rows"
    if model.n_bagged_rows is None:
        raise StorageError("method_not_applicable", f"{needs}, {_unknown_bags(model)}", "/proximity_kind")
    if model.n_bagged_rows != n_rows:
        detail = (
            f"{needs}, and the dataset has {n_rows:,} rows, while the forest was trained on {model.n_bagged_rows:,}: "
            "send the rows of training in their order, or take proximity_kind `kernel`"
        )
        raise StorageError("method_not_applicable", detail, "/dataset")
    if request.min_leaf_rows != 1:
        detail = (
            f"min_leaf_rows is {request.min_leaf_rows}, but proximity_kind `{request.proximity_kind}` counts rows in "
            "the trees' own leaves: leave it out"
        )
        raise StorageError("method_not_applicable", detail, "/min_leaf_rows")


def _unknown_bags(model: Model) -> str:
    if model.ensemble == "boosting":
        return "and boosting has no trees that drew rows of their own: take `kernel`, `boosting_sd` or `boosting`"
    return (
        "and this is not known of the model: register the forest with its `bags`, as the Python client does for "
        "forests of scikit-learn that draw rows for each tree (bootstrap=True), or take `kernel` or `random_forest`"
    )


def refusal_of_row_kind(request: ProximitiesRequest, model: Model, n_rows: int) -> StorageError | None:
    """Return the refusal of a request whose rows would take too long to compare."""
    if request.proximity_kind != "graded" or graded_steps(n_rows, model.n_trees, model.n_leaves) <= MOST_GRADED_STEPS:
        return None
    detail = (
        f"proximity_kind `graded` compares each of {n_rows:,} rows with all others in {model.n_trees:,} trees, which "
        "would take too long; send fewer rows, or take proximity_kind `kernel`"
    )
    return StorageError("resource_estimate_exceeds_limit", detail, "/dataset")
