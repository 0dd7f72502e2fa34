"""Choose prototypes among the rows of a dataset, as a model sees them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import PrototypeSetRequest
from storage.errors import StorageError
from storage.models import ModelStore
from tree_explainers.leaves import tree_weights
from tree_explainers.prototypes.selection import PrototypeSelection, select_prototypes

from ...context import JobContext
from ...inputs import OpenModel, SeenDataset, classes_of_rows, open_model, see_dataset
from ...progress import part_of
from .stages import CHOOSING, READING


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
    kind: Literal["random_forest", "boosting"]
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
    kind = _kind(request, model)
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
        report=part_of(context.report, *CHOOSING),
    )
    return ChosenPrototypes(model, seen, kind, weights, classes, selection)


def _kind(request: PrototypeSetRequest, model: OpenModel) -> Literal["random_forest", "boosting"]:
    kind = model.view.ensemble if request.kind == "auto" else request.kind
    if kind is None or kind == "other":
        detail = "the kind of ensemble is not known; say `kind`, or register the model with `ensemble`"
        raise StorageError("ensemble_unknown", detail)
    return kind


def _refuse_one_class(request: PrototypeSetRequest, model: OpenModel, classes: NDArray[np.int64]) -> None:
    if model.view.task == "classification" and classes.min() == classes.max():
        verb = "predicted" if request.labels == "predicted" else "labelled"
        detail = (
            f"all {len(classes)} rows of dataset {request.dataset!r} are {verb} {model.view.classes[classes[0]]!r}: "
            "prototypes tell classes apart; send rows of at least two classes"
        )
        raise StorageError("schema_mismatch", detail)
