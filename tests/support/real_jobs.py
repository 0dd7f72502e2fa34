"""Real ensembles on real data, registered in a workshop, beside the results of scikit-learn and the slow twins."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tree_explainers.leaf_space.leaves import ProximityKind
from workers.jobs.inputs import OpenModel, open_model

from . import naive
from .models import onnx_of
from .real_leaves import REGRESSION, RealLeaves, real_leaves
from .workshop import Workshop

CLASSIFICATIONS = ("breast_cancer", "titanic", "covertype_20k")
N_TRAINING_ROWS = 300  # of the 400 that ``real_leaves`` holds; the others are for evaluation


@dataclass(frozen=True)
class RealCase:
    """A registered model with two registered datasets, and the truth about them."""

    real: RealLeaves
    model: str
    dataset: str
    evaluation_dataset: str
    opened: OpenModel

    @property
    def training(self) -> slice:
        return slice(N_TRAINING_ROWS)

    @property
    def is_regression(self) -> bool:
        return not self.opened.view.classes

    @functools.cached_property
    def weights(self) -> NDArray[np.int64]:
        """What each tree counts, by the paper's formula in rationals, from the leaf values as ONNX holds them."""
        if self.real.kind == "random_forest":
            return np.ones(self.real.leaves.shape[1], dtype=np.int64)
        ensemble = self.opened.ensemble
        values = np.split(ensemble.leaf_values, ensemble.leaf_offsets[1:-1])
        leaves = self.opened.session.run(self.opened.session.encode_matrix(self.real.features[self.training])).leaves
        return np.array(naive.boosting_weights(values, leaves), dtype=np.int64)

    @functools.cached_property
    def proximity(self) -> naive.Matrix:
        """Of all rows to each other, by scikit-learn's own leaves."""
        return naive.proximity_matrix(self.real.leaves, self.weights)

    @functools.cached_property
    def training_proximity(self) -> naive.Matrix:
        return self.proximity[self.training, self.training]

    def classes(self, labels: str) -> NDArray[np.int64]:
        """Return the classes of the training rows."""
        return self.real.classes(labels)[self.training]

    @property
    def agrees(self) -> NDArray[np.bool_]:
        """Whether the label of each training row is what the model predicts."""
        return np.asarray(self.classes("target") == self.classes("predicted"))


def register_real(workshop: Workshop, dataset: str, kind: ProximityKind) -> RealCase:
    """Register one of ``CLASSIFICATIONS`` or ``REGRESSION``, fitted as forest or by boosting."""
    real = real_leaves(dataset, kind)
    names = [f"f{position}" for position in range(real.features.shape[1])]
    model = workshop.register_model(onnx_of(real.estimator, real.features), feature_names=names, ensemble=kind)
    frame = _frame(real, names)
    training = workshop.register_dataset(frame.head(N_TRAINING_ROWS), target="t", row_id="id")
    evaluation = workshop.register_dataset(frame.tail(len(frame) - N_TRAINING_ROWS), target="t", row_id="id")
    opened = open_model(workshop.context.models, workshop.context.objects, model)
    return RealCase(real, model, training, evaluation, opened)


def _frame(real: RealLeaves, names: list[str]) -> pd.DataFrame:
    columns: dict[str, Any] = {name: real.features[:, position] for position, name in enumerate(names)}
    return pd.DataFrame({"id": [f"row {row}" for row in range(len(real.features))], **columns, "t": real.target})


__all__ = ["CLASSIFICATIONS", "N_TRAINING_ROWS", "REGRESSION", "RealCase", "register_real"]
