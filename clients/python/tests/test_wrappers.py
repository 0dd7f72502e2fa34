"""Wrappers of models of trees, at any depth: labels and scores are scikit-learn's, on every row."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.unwrapping import final_step, unwrapped
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  # makes HalvingGridSearchCV known
from sklearn.feature_selection import RFE, RFECV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    StandardScaler,
)
from sklearn.semi_supervised import SelfTrainingClassifier

from tests.support.models import library
from tests.support.wrapped_models import (
    AMOUNTS,
    BINARY,
    MIXED,
    N_ROWS,
    TEXTS,
    THREE,
    Data,
    Estimator,
    Make,
    assert_same,
    boosting,
    catboost,
    fitted,
    forest,
    lightgbm,
    mixed_columns,
    regression_forest,
    scaled,
    searched,
    xgboost,
)


class Subclass(ensemble.RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that changes nothing."""


class SubclassOfPipeline(Pipeline):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that changes nothing."""


class SubclassOfStep(StandardScaler):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that changes nothing."""


class OwnSearch(GridSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """A search that predicts otherwise than what it chose."""

    def predict(self, X: Any) -> Any:  # noqa: N803  # as its parent has it
        return np.zeros(len(X), int)


class OwnPredict(ensemble.RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that predicts otherwise."""

    def predict(self, X: Any) -> Any:  # noqa: N803  # as its parent has it
        return np.zeros(len(X), int)


def _of_xgboost() -> Estimator:
    return type("Subclass", (library("xgboost").XGBClassifier,), {})(n_estimators=3, n_jobs=1)


def _tuned(estimator: Estimator, scoring: str = "balanced_accuracy") -> Estimator:
    return TunedThresholdClassifierCV(estimator, scoring=scoring, thresholds=20, cv=2, random_state=0)


def _by_decision(estimator: Estimator, threshold: float, **parameters: Any) -> Estimator:
    return FixedThresholdClassifier(estimator, threshold=threshold, response_method="decision_function", **parameters)


_CUT_OFFS: dict[str, tuple[Make, Data]] = {
    "fixed": (lambda: FixedThresholdClassifier(forest(), threshold=0.3), BINARY),
    "fixed for the first class": (lambda: FixedThresholdClassifier(forest(), threshold=0.7, pos_label="no"), TEXTS),
    "fixed at a decision": (lambda: _by_decision(boosting(), 0.3), BINARY),
    "fixed at a decision for the first class": (lambda: _by_decision(boosting(), 0.3, pos_label=0), BINARY),
    "fixed at a decision of AdaBoost": (
        lambda: _by_decision(ensemble.AdaBoostClassifier(n_estimators=3), -0.1),
        TEXTS,
    ),
    "tuned for recall": (lambda: _tuned(forest(), "recall"), BINARY),
    "tuned around a pipeline": (lambda: _tuned(scaled(forest())), BINARY),
    "tuned in a pipeline": (lambda: scaled(_tuned(forest())), BINARY),
    "tuned in a search": (lambda: searched(_tuned(forest())), BINARY),
    "tuned around a search of a pipeline": (lambda: _tuned(searched(scaled(forest()))), BINARY),
    "at every depth": (lambda: make_pipeline(MinMaxScaler(), searched(_tuned(scaled(forest())))), BINARY),
    "tuned around calibration": (lambda: _tuned(CalibratedClassifierCV(forest(), cv=2)), BINARY),
    "tuned xgboost": (lambda: _tuned(xgboost()), BINARY),
    "fixed lightgbm": (lambda: FixedThresholdClassifier(lightgbm(), threshold=0.6), TEXTS),
    "fixed catboost": (lambda: FixedThresholdClassifier(catboost(), threshold=0.4), BINARY),
    "fitted before": (
        lambda: FixedThresholdClassifier(FrozenEstimator(forest().fit(*BINARY)), threshold=0.2),
        BINARY,
    ),
    "mixed columns": (lambda: FixedThresholdClassifier(mixed_columns(forest()), threshold=0.6), MIXED),
}
_SHELLS: dict[str, tuple[Make, Data]] = {
    "subclass": (lambda: Subclass(3, random_state=0), BINARY),
    "subclass of xgboost": (_of_xgboost, BINARY),
    "subclass of a pipeline": (lambda: SubclassOfPipeline([("s", StandardScaler()), ("f", Subclass(3))]), BINARY),
    "frozen": (lambda: FrozenEstimator(forest().fit(*BINARY)), BINARY),
    "frozen in a pipeline": (lambda: scaled(FrozenEstimator(forest().fit(*BINARY))), BINARY),
    "frozen steps and subclasses of steps": (
        lambda: make_pipeline(
            ColumnTransformer([("own", make_pipeline(SubclassOfStep()), [0, 1])], remainder="passthrough"),
            FrozenEstimator(StandardScaler().fit(BINARY[0])),
            forest(),
        ),
        BINARY,
    ),
    "halving search": (
        lambda: HalvingGridSearchCV(forest(), {"max_depth": [1, 3]}, cv=2, random_state=0, factor=2),
        BINARY,
    ),
    "searches in pipelines in searches": (
        lambda: RandomizedSearchCV(scaled(searched(forest())), {}, n_iter=1, cv=2),
        BINARY,
    ),
    "selected by elimination": (lambda: RFE(forest(), n_features_to_select=3), TEXTS),
    "selected by elimination with a search": (lambda: RFECV(xgboost(), cv=2), BINARY),
    "selected behind a step": (lambda: scaled(RFE(regression_forest(), n_features_to_select=2)), AMOUNTS),
    "one output": (lambda: MultiOutputRegressor(regression_forest()), (AMOUNTS[0], AMOUNTS[1][:, None])),
    "one output of classes": (lambda: MultiOutputClassifier(forest()), (TEXTS[0], TEXTS[1][:, None])),
}
_CASES = {
    f"{group}: {name}": case
    for group, cases in (
        ("cut-off", _CUT_OFFS),
        ("shell", _SHELLS),
    )
    for name, case in cases.items()
}


@pytest.mark.parametrize(("make", "data"), _CASES.values(), ids=_CASES.keys())
@pytest.mark.sampled("tenths")
def test_wrapped_models_predict_as_scikit_learn_does(make: Make, data: Data) -> None:
    assert_same(fitted(make, data), data[0])


def test_cut_offs_behind_samplers_in_a_search_are_kept() -> None:
    sampler = library("imblearn.under_sampling").RandomUnderSampler(random_state=0)
    steps = library("imblearn.pipeline").make_pipeline(
        StandardScaler(), sampler, FixedThresholdClassifier(forest(), threshold=0.3)
    )

    assert_same(fitted(lambda: searched(steps), BINARY), BINARY[0])


class OwnModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of the caller's own, which predicts by a forest in it."""

    def fit(self, X: Any, y: Any) -> "OwnModel":  # noqa: N803  # as scikit-learn has it
        self.classes_ = np.unique(y)
        self.forest_ = forest().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803  # as scikit-learn has it
        return self.forest_.predict(X)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803  # as scikit-learn has it
        return self.forest_.predict_proba(X)


class OwnStep(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A step of the caller's own."""

    def fit(self, X: Any, y: Any = None) -> "OwnStep":  # noqa: N803  # as scikit-learn has it
        self.is_fitted_ = True
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803  # as scikit-learn has it
        return X


def test_a_cut_off_of_a_calibrated_linear_model_that_is_an_oracle_is_kept() -> None:
    calibrated = CalibratedClassifierCV(LogisticRegression(), cv=2)

    assert_same(fitted(lambda: scaled(_tuned(calibrated)), BINARY), BINARY[0], oracle_only=True)


_REFUSED: dict[str, tuple[Make, Data, str]] = {
    "own predict": (lambda: OwnPredict(3), BINARY, "OwnPredict has its own predict"),
    "own predict of a search": (lambda: OwnSearch(forest(), {}, cv=2), BINARY, "OwnSearch has its own predict"),
    "own predict of a member": (
        lambda: ensemble.VotingClassifier([("a", OwnPredict(3))]),
        BINARY,
        "OwnPredict has its own predict",
    ),
    "pairs of classes": (lambda: OneVsOneClassifier(forest()), THREE, "votes of pairs"),
    "codes": (lambda: OutputCodeClassifier(forest()), THREE, "distances to codes"),
    "stack in a search in a pipeline": (
        lambda: scaled(searched(ensemble.StackingClassifier([("a", forest())], cv=2))),
        BINARY,
        "StackingClassifier cannot be registered: its trees are not the ones that decide.*oracle_only",
    ),
    "stack in one against the rest": (
        lambda: OneVsRestClassifier(ensemble.StackingClassifier([("a", forest())], cv=2)),
        THREE,
        "in it StackingClassifier.*oracle_only",
    ),
    "begins with a model": (lambda: boosting(init=forest()), BINARY, "fit it with init=None"),
    "own inverse": (
        lambda: TransformedTargetRegressor(regression_forest(), func=np.cbrt, inverse_func=lambda values: values**3),
        AMOUNTS,
        "inverse of the transformed target.*register the model's regressor_",
    ),
    "search without a model": (
        lambda: GridSearchCV(forest(), {}, cv=2, refit=False),
        BINARY,
        "fit it with refit=True",
    ),
    "own model": (OwnModel, BINARY, "test_wrappers.OwnModel cannot be converted.*write this one as ONNX"),
    "own model in a vote": (
        lambda: ensemble.VotingClassifier([("a", scaled(OwnModel()))], voting="soft"),
        BINARY,
        "OwnModel, a part of this VotingClassifier, cannot be converted",
    ),
    "own step": (lambda: make_pipeline(OwnStep(), forest()), BINARY, "OwnStep, in its step 'ownstep', has no counter"),
    "own step in a member": (
        lambda: CalibratedClassifierCV(searched(make_pipeline(OwnStep(), forest())), cv=2),
        BINARY,
        "OwnStep, in its step 'ownstep', has no counterpart.*fit the CalibratedClassifierCV on rows",
    ),
    "neighbours in a vote": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", KNeighborsClassifier())]),
        BINARY,
        "in it KNeighborsClassifier cannot be registered: it compares rows",
    ),
    "no model at the end": (
        lambda: Pipeline([("scaled", StandardScaler()), ("end", "passthrough")]),
        BINARY,
        "the last step of the pipeline predicts nothing",
    ),
    "several outputs": (
        lambda: MultiOutputClassifier(forest()),
        (BINARY[0], np.column_stack([BINARY[1], BINARY[1]])),
        "fit one model for each",
    ),
}


@pytest.mark.parametrize(("make", "data", "reason"), _REFUSED.values(), ids=_REFUSED.keys())
def test_what_is_not_converted_is_refused_with_what_to_do(make: Make, data: Data, reason: str) -> None:
    with pytest.raises(CannotConvert, match=reason):
        convert_model(fitted(make, data), data[0])


@pytest.mark.parametrize(
    "make",
    [lambda: FixedThresholdClassifier(forest()), lambda: searched(forest()), lambda: FrozenEstimator(forest())],
    ids=["cut-off", "search", "frozen"],
)
def test_wrappers_of_what_was_never_fitted_are_refused_as_such(make: Make) -> None:
    with pytest.raises(CannotConvert, match="is not fitted yet"):
        convert_model(make(), BINARY[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda frame, target: FixedThresholdClassifier(forest().fit(frame, target), threshold=0.3),
        lambda frame, target: SelfTrainingClassifier(forest()).fit(frame, np.where(frame["a"] > 1, -1, target)),
        lambda frame, target: scaled(FixedThresholdClassifier(forest())).fit(frame, target),
    ],
    ids=["fitted before", "self-training", "pipeline"],
)
def test_names_of_columns_are_known_without_rows(make: Any) -> None:
    frame = pd.DataFrame(BINARY[0], columns=list("abcdef"))

    assert convert_model(make(frame, BINARY[1])).declared.feature_names == list("abcdef")


def test_self_training_predicts_as_scikit_learn_does() -> None:
    target = np.where(np.arange(N_ROWS) % 3 == 0, -1, BINARY[1])

    assert_same(SelfTrainingClassifier(forest()).fit(BINARY[0], target), BINARY[0])


def test_what_was_unwrapped_once_stays_as_it_is() -> None:
    estimator = fitted(_CUT_OFFS["at every depth"][0], BINARY)

    plain = unwrapped(estimator)

    assert [type(step).__name__ for _, step in plain.steps] == [
        "MinMaxScaler",
        "StandardScaler",
        "TunedThresholdClassifierCV",
    ]
    assert unwrapped(plain) is plain
    assert final_step(plain) is plain.steps[-1][1]
