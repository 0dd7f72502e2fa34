"""Choose prototypes among the rows of a dataset, as a model sees them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import PrototypeSetRequest
from storage.errors import StorageError
from storage.models import ModelStore
from tree_explainers.leaf_space.leaves import ProximityKind, tree_weights
from tree_explainers.prototype_sets.selection import PrototypeSelection, sample_candidates, select_prototypes

from ...runtime.context import JobContext
from ...runtime.progress import part_of
from ..inputs import OpenModel, SeenDataset, classes_of_rows, open_model, see_dataset
from .stages import CHOOSING, READING

_MAX_COMPARISONS = 5e12  # rows x rows x trees with all rows as candidates: minutes, and as much again for certificates
_N_SAMPLED = 10_000


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to choose from."""

    model: OpenModel
    seen: SeenDataset


@dataclass(frozen=True, slots=True)
class ChosenPrototypes:
    """What was chosen, and from what."""

    model: OpenModel
    seen: SeenDataset
    kind: ProximityKind
    weights: NDArray[np.int64]  # (n_trees,)
    classes: NDArray[np.int64]  # (n_rows,) as predicted or as in the target; all 0 for regression
    selection: PrototypeSelection

    @property
    def leaves(self) -> NDArray[np.int32]:
        """Leaves of the prototypes, (n_prototypes, n_trees)."""
        return self.seen.leaves_of(self.selection.rows)


def gather(context: JobContext, request: PrototypeSetRequest) -> Material:
    """Open the model and have it look at the dataset."""
    model = open_model(ModelStore(context.database), context.objects, request.model)
    return Material(model, see_dataset(context, model, request.dataset, part_of(context.report, *READING)))


def choose(context: JobContext, request: PrototypeSetRequest, material: Material) -> ChosenPrototypes:
    """Choose the rows that a request asks for."""
    model, seen = material.model, material.seen
    # A request that became a job has its kind spelled out.
    kind: ProximityKind = "boosting" if request.kind == "boosting" else "random_forest"
    weights = tree_weights(kind, seen.table, model.ensemble.leaf_values)
    classes = classes_of_rows(context.objects, model, seen, request.labels)
    _refuse_one_class(request, model, classes)
    selection = select_prototypes(
        seen.table,
        classes,
        weights,
        request.method,
        n_prototypes=request.n_prototypes or 1,
        alpha=request.alpha,
        refine=request.refine,
        candidates=_candidates(context, request, classes, seen.table.n_trees),
        report=part_of(context.report, *CHOOSING),
    )
    return ChosenPrototypes(model, seen, kind, weights, classes, selection)


def _candidates(
    context: JobContext, request: PrototypeSetRequest, classes: NDArray[np.int64], n_trees: int
) -> NDArray[np.int64] | None:
    """Return the rows that may become prototypes, ascending, or ``None`` for all."""
    n_rows, n_candidates = len(classes), request.candidates
    if n_candidates is None:
        n_candidates = n_rows if n_rows**2 * n_trees <= _MAX_COMPARISONS else _N_SAMPLED
    if n_candidates >= n_rows:
        return None
    n_classes = len(np.unique(classes))
    if n_candidates < n_classes:
        detail = f"{n_candidates} candidates are too few for the {n_classes} classes that the rows are of; ask for more"
        raise StorageError("validation_failed", detail, "/candidates")
    return sample_candidates(classes, n_candidates, context.rng)


def _refuse_one_class(request: PrototypeSetRequest, model: OpenModel, classes: NDArray[np.int64]) -> None:
    if model.view.task == "classification" and classes.min() == classes.max():
        verb = "predicted" if request.labels == "predicted" else "labelled"
        detail = (
            f"all {len(classes)} rows of dataset {request.dataset!r} are {verb} {model.view.classes[classes[0]]!r}: "
            "prototypes tell classes apart; send rows of at least two classes"
        )
        raise StorageError("schema_mismatch", detail)
