"""What the model says of a dataset's rows, and what is true of them, in the form that trees and rules are judged by."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from storage.object_store import ObjectStore
from tree_explainers.scoring import Targets, constant_of

from .inputs import OpenModel, SeenDataset, true_classes, true_values


def predicted_targets(model: OpenModel, seen: SeenDataset) -> Targets:
    """Return the class or value that the model gives each row."""
    if seen.labels is None:
        return Targets.of_values(seen.scores[:, 0].astype(np.float64))
    return Targets.of_classes(seen.labels, len(model.view.classes))


def true_targets(objects: ObjectStore, model: OpenModel, seen: SeenDataset) -> Targets | None:
    """Return each row's target, or ``None`` without one; refuse a target that does not fit the model."""
    if seen.labels is None:
        values = true_values(objects, seen)
        return None if values is None else Targets.of_values(values)
    classes = true_classes(objects, model, seen)
    return None if classes is None else Targets.of_classes(classes, len(model.view.classes))


def constant_predictions(
    truth: Targets | None, predicted: Targets, classes: Sequence[str]
) -> dict[Literal["prediction", "model_prediction"], str | float]:
    """Return what is always predicted by the constants that scores are held against (``score_constants``)."""
    of_truth, of_model = (constant_of(of) for of in (predicted if truth is None else truth, predicted))
    if not classes:
        return {"prediction": of_truth, "model_prediction": of_model}
    return {"prediction": classes[int(of_truth)], "model_prediction": classes[int(of_model)]}
