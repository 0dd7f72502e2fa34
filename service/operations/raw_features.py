"""Refuse models whose trees test columns that are no raw features, where a result is about raw features."""

import numpy as np

from storage.array_files import read_arrays
from storage.errors import StorageError
from storage.models import StoredModel
from tree_explainers.ensemble import Operator

from ..app_context import AppContext


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
    found = np.intersect1d(transformed, tested)
    if len(found):
        name = model.view.column_map[found[0]].name
        detail = (
            f"the trees of model {model.view.id!r} test {name!r}, which cannot be mapped back to one raw feature: "
            f"{reason}; take a model whose preprocessing keeps them apart"
        )
        raise StorageError("method_not_applicable", detail, "/model")
