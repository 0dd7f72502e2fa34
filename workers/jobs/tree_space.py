"""What jobs about proximity start from: a dataset as a model sees it, what each tree counts, what rows are called."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.label_audits import LabelAuditRequest
from schemas.proximities import ProximitiesRequest
from storage.array_files import write_arrays
from storage.dataset_files import DatasetFile
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.leaf_space.leaves import ProximityKind, tree_weights

from ..runtime.context import JobContext
from ..runtime.progress import part_of
from .inputs import OpenModel, SeenDataset, open_model, see_dataset

SEEN = 0.25  # the share of such a job that is done when the rows are seen


@dataclass(frozen=True, slots=True)
class TreeSpace:
    """A dataset as a model sees it."""

    model: OpenModel
    seen: SeenDataset
    kind: ProximityKind
    weights: NDArray[np.int64]  # (n_trees,) what each tree counts

    @property
    def total_weight(self) -> int:
        """What all trees count together: the integer proximity of a row to itself."""
        return int(self.weights.sum())

    def arrays(self) -> bytes:
        """Return what is kept to compare other rows in the same way."""
        return write_arrays({"weights": self.weights})


def enter_tree_space(context: JobContext, request: ProximitiesRequest | LabelAuditRequest) -> TreeSpace:
    """Open the model, have it look at the dataset, and weigh its trees."""
    model = open_model(ModelStore(context.database), context.objects, request.model)
    seen = see_dataset(context, model, request.dataset, part_of(context.report, 0, SEEN))
    # A request that became a job has its kind spelled out.
    kind: ProximityKind = "boosting" if request.kind == "boosting" else "random_forest"
    return TreeSpace(model, seen, kind, tree_weights(kind, seen.table, model.ensemble.leaf_values))


def row_names(objects: ObjectStore, seen: SeenDataset) -> pa.Array:
    """Return what all rows are called, (n_rows,), as texts side by side in one piece of memory."""
    if seen.stored.view.row_id is None:
        return pa.array(np.arange(seen.n_rows)).cast(pa.string())
    with DatasetFile(objects.path(seen.stored.content)) as file:
        return pa.array(file.row_ids(), pa.large_string())
