"""Kinds of proximity that look at the rows of leaves: what they need of a model and its dataset, and what they cost."""

from typing import get_args

from schemas.artefacts import RowKind
from schemas.models import Model
from schemas.proximities import ProximitiesRequest
from storage.errors import StorageError
from tree_explainers.leaf_space.counted_table import BagKind


def is_row_kind(kind: str | None) -> bool:
    """Return whether rows are compared by what they count in leaves."""
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
