"""The file of the rows that each prototype represents, which a prototype set keeps."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tree_explainers.prototype_sets.prototype_quality import Classes, nearest_of_own_class

from ..runtime.context import JobContext
from .prototype_set_evaluation import ChosenPrototypes

FILE = "rows"
_GROUP_ROWS = 16_384  # what a reader of one page has to decode
_SCHEMA = pa.schema([("row", pa.int64()), ("proximity", pa.float64())])


def write_represented(context: JobContext, chosen: ChosenPrototypes) -> dict[str, Path]:
    """Write which rows each prototype represents, the nearest first (ties: the lower row), prototype by prototype.

    These are the rows for which it is the nearest prototype of their class, or of all with ``k_medoids``; rows that
    share no leaf with any such prototype are in no prototype's list. The file's metadata says where each list begins.
    """
    selection, space = chosen.selection, chosen.space
    is_of_any_class = selection.method == "k_medoids"
    of_rows, of_prototypes = chosen.classes, selection.classes
    if is_of_any_class:
        of_rows, of_prototypes = np.zeros_like(of_rows), np.zeros_like(of_prototypes)
    classes = Classes(max(1, len(space.model.view.classes)), of_rows, of_prototypes)
    owner, proximity = nearest_of_own_class(space.dataset.table, space.weights, chosen.leaves, classes)
    order = np.lexsort((np.arange(len(owner)), -proximity, owner))
    order = order[np.searchsorted(owner[order], 0) :]  # without the rows of none, whose owner is -1
    starts = np.searchsorted(owner[order], np.arange(len(selection.rows) + 1))
    described = _SCHEMA.with_metadata({"starts": ",".join(map(str, starts.tolist()))})
    table = pa.table([order, proximity[order] / space.total_weight], schema=described)
    path = context.workspace / "represented.parquet"
    pq.write_table(table, path, compression="zstd", row_group_size=_GROUP_ROWS)
    return {FILE: path}
