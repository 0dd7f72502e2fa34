"""Models without trees, converted by the SDK, predict in the service's own reader what their library predicts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.declared import Declared
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor, StackingClassifier, StackingRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

from service.upload_sandbox.model_task import compare_predictions
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.plausible_trial import DerivedModel

_Case = tuple[Any, Any, Any]  # an estimator, rows and targets


def _scaled(model: Any) -> Any:  # estimators
    return make_pipeline(StandardScaler(), model)


def _cancer(model: Any) -> _Case:  # an estimator
    return model, *load_breast_cancer(return_X_y=True)


def _truths(model: Any) -> _Case:  # an estimator
    features, target = load_breast_cancer(return_X_y=True)
    return model, features, target == 1


def _iris(model: Any) -> _Case:  # an estimator
    features, target = load_iris(return_X_y=True)
    return model, features, np.array(["setosa", "versicolor", "virginica"])[target]


def _diabetes(model: Any) -> _Case:  # an estimator
    return model, *load_diabetes(return_X_y=True)


def _mixed(model: Any) -> _Case:  # an estimator
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.normal(50, 20, 400), "port": rng.choice(["C", "Q", "S"], 400)})
    steps = make_column_transformer((StandardScaler(), ["income"]), (OneHotEncoder(), ["port"]))
    return make_pipeline(steps, model), frame, (frame.income > 50) ^ (frame.port == "C")


_FOREST = ("forest", RandomForestClassifier(5, max_depth=4, random_state=0))
CASES: dict[str, Callable[[], _Case]] = {
    "network_of_texts": lambda: _iris(_scaled(MLPClassifier((8,), max_iter=800, random_state=0))),
    "vectors": lambda: _cancer(_scaled(SVC())),
    "vectors_of_texts": lambda: _iris(SVC()),
    "calibrated_vectors": lambda: _cancer(_scaled(CalibratedClassifierCV(SVC(), ensemble=False))),
    "linear_vectors_of_truths": lambda: _truths(_scaled(LinearSVC())),
    "ridge": lambda: _cancer(_scaled(RidgeClassifier())),
    "hinge": lambda: _iris(_scaled(SGDClassifier(random_state=0))),
    "values": lambda: _diabetes(_scaled(SVR(C=100))),
    "categories": lambda: _mixed(LogisticRegression()),
    "categories_of_vectors": lambda: _mixed(SVC()),
    "stack": lambda: _cancer(StackingClassifier([_FOREST, ("logistic", _scaled(LogisticRegression()))], cv=3)),
    "stack_of_values": lambda: _diabetes(
        StackingRegressor([("forest", RandomForestRegressor(5, max_depth=4, random_state=0)), ("ridge", Ridge())], cv=3)
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled("thirds")
def test_an_oracle_is_converted_with_rows_that_prove_it(name: str) -> None:
    estimator, rows, target = CASES[name]()
    estimator.fit(rows, target)

    converted = convert_model(estimator, rows, Declared(oracle_only=True))

    metadata = converted.metadata()
    assert metadata["oracle_only"]
    assert "ensemble" not in metadata
    derived = _derived(converted.onnx, metadata)
    found = compare_predictions(derived.session, metadata["parity"])
    assert found is not None
    assert found["label_mismatches"] == found["n_beyond_precision"] == 0
    if hasattr(estimator, "classes_"):
        assert list(derived.read.description.classes) == [str(each).lower() for each in estimator.classes_]
        assert derived.read.description.score_kind == "probability"


def test_a_classifier_without_probabilities_scores_1_for_its_label() -> None:
    estimator, rows, target = _iris(SVC())
    converted = convert_model(estimator.fit(rows, target), rows, Declared(oracle_only=True))

    assert converted.parity is not None
    assert converted.parity.labels is not None
    chosen = [estimator.classes_[np.argmax(scores)] for scores in converted.parity.predictions]
    assert chosen == converted.parity.labels
    assert {score for scores in converted.parity.predictions for score in scores} == {0.0, 1.0}


def test_what_cannot_be_an_oracle_is_refused_with_a_reason() -> None:
    estimator, rows, target = _cancer(KNeighborsClassifier(3))
    with pytest.raises(CannotConvert, match="it compares rows with all that it was fitted on"):
        convert_model(estimator.fit(rows[:50], target[:50]), rows[:50], Declared(oracle_only=True))

    stack, *data = _cancer(StackingClassifier([_FOREST], cv=2))
    with pytest.raises(CannotConvert, match="oracle_only=True"):
        convert_model(stack.fit(*data), data[0])


def _derived(onnx: bytes, metadata: dict[str, Any]) -> DerivedModel:
    names, classes = metadata.get("feature_names"), metadata.get("classes")
    declared = DeclaredModel(
        feature_names=None if names is None else tuple(names),
        classes=None if classes is None else tuple(classes),
        oracle_only=True,
    )
    return derive_model(onnx, declared, ModelLimits())
