"""Cases of cut-offs, and of classifiers that predict by a rule of their own."""

from typing import Any

import numpy as np
from sklearn import (
    ensemble,
    model_selection,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .cases import Case, Group
from .estimators import boosting, forest
from .wrapping import INNER, THREE, around, calibrated, fixed, frozen_then, search, tuned


class OtherPrediction(ensemble.RandomForestClassifier):  # type: ignore[misc]  # it ships no types
    """A forest whose labels are by a rule of its own."""

    def predict(self, rows: Any) -> Any:  # noqa: D102
        return self.classes_[(self.predict_proba(rows)[:, 1] >= 0.2).astype(int)]


class OtherScores(ensemble.RandomForestClassifier):  # type: ignore[misc]  # it ships no types
    """A forest whose scores are sharpened."""

    def predict_proba(self, rows: Any) -> Any:  # noqa: D102
        squares = super().predict_proba(rows) ** 2
        return squares / squares.sum(axis=1, keepdims=True)


CUTS = Group(
    "Cut-offs",
    "Classifiers whose label is not the class of the highest score.",
    (
        *(
            Case(f"FixedThresholdClassifier of {name}", around(fixed, make), "binary")
            for name, (make, _) in INNER.items()
        ),
        *(
            Case(f"TunedThresholdClassifierCV of {name}", around(tuned, make), "binary")
            for name, (make, _) in INNER.items()
        ),
        Case(
            "FixedThresholdClassifier, pos_label=0",
            lambda: model_selection.FixedThresholdClassifier(
                forest(), threshold=0.3, pos_label=0, response_method="predict_proba"
            ),
            "binary",
        ),
        Case(
            "FixedThresholdClassifier, decision_function",
            lambda: model_selection.FixedThresholdClassifier(
                boosting(), threshold=-0.4, response_method="decision_function"
            ),
            "binary",
        ),
        Case(
            "FixedThresholdClassifier, threshold=auto",
            lambda: model_selection.FixedThresholdClassifier(forest()),
            "binary",
        ),
        Case("FixedThresholdClassifier, prefit", forest, "binary", frozen_then(fixed)),
        Case(
            "TunedThresholdClassifierCV, refit=False",
            lambda: tuned(forest(), refit=True, store_cv_results=True),
            "binary",
        ),
        Case(
            "FixedThresholdClassifier, labels of texts",
            lambda: fixed(forest()),
            "binary",
            lambda e, x, y: e.set_params(pos_label="yes").fit(x, np.array(["no", "yes"])[y]),
        ),
        Case(
            "TunedThresholdClassifierCV in a pipeline",
            lambda: make_pipeline(StandardScaler(), tuned(forest())),
            "binary",
        ),
        Case(
            "TunedThresholdClassifierCV of a pipeline",
            lambda: tuned(make_pipeline(StandardScaler(), forest())),
            "binary",
        ),
        Case(
            "TunedThresholdClassifierCV in a search",
            lambda: search(tuned(forest()), estimator__max_depth=[2, 3]),
            "binary",
        ),
        Case("TunedThresholdClassifierCV of a search", lambda: tuned(search(forest(), max_depth=[2, 3])), "binary"),
        Case("FixedThresholdClassifier of a calibrated forest", lambda: fixed(calibrated(forest())), "binary"),
        Case("a subclass with its own predict", lambda: OtherPrediction(**THREE), "binary"),
        Case("a subclass with its own predict_proba", lambda: OtherScores(**THREE), "binary"),
    ),
)

GROUPS = (CUTS,)
