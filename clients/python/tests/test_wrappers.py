"""Wrappers of models of trees, at any depth: labels and scores are scikit-learn's, on every row."""

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
from leafspace_client import CannotConvert
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.models import Declared
from leafspace_client.conversion.unwrapping import final_step, unwrapped
from leafspace_client.conversion.voting import vote_shares
from numpy.typing import NDArray
from sklearn import datasets, dummy, ensemble, tree
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
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.semi_supervised import SelfTrainingClassifier

from tests.support.converted import outcome_of_converted
from tests.support.models import library

Estimator: TypeAlias = Any
Make: TypeAlias = Callable[[], Estimator]
Data: TypeAlias = tuple[Any, Any]
_N_ROWS = 120


def _rows(n_classes: int) -> Data:
    features, target = datasets.make_classification(
        _N_ROWS, 6, n_informative=4, n_classes=n_classes, flip_y=0.3, random_state=n_classes
    )
    return np.round(features, 1), target


def _amounts() -> Data:
    features, target = datasets.make_regression(_N_ROWS, 6, noise=10, random_state=0)
    return np.round(features, 1), np.abs(target) / 100


def _mixed() -> Data:
    features, target = _rows(2)
    frame = pd.DataFrame(features, columns=list("abcdef"))
    frame["text"] = np.random.default_rng(0).choice(["u", "v", "w"], _N_ROWS)
    return frame, target


_BINARY, _THREE, _AMOUNTS, _MIXED = _rows(2), _rows(3), _amounts(), _mixed()
_TEXTS = (_BINARY[0], np.where(_BINARY[1] == 1, "yes", "no"))


def _categories() -> Data:
    """Return rows with texts and whole numbers that are categories, some of them missing, and a class of theirs."""
    features, _ = _rows(2)
    random = np.random.default_rng(1)
    frame = pd.DataFrame(features[:, :2], columns=["a", "b"])
    frame["city"] = pd.Categorical(random.choice(["u", "v", "w"], _N_ROWS))
    frame["code"] = pd.Categorical(random.choice([10, 20, 30], _N_ROWS))
    frame.loc[5::17, "city"] = np.nan
    return frame, ((frame["city"].astype(object) == "u") ^ (features[:, 0] > 0)).to_numpy(int)


_CATEGORIES = _categories()


def forest(**parameters: Any) -> Estimator:  # noqa: ANN401
    return ensemble.RandomForestClassifier(4, max_depth=3, random_state=0, **parameters)


def regression_forest() -> Estimator:
    return ensemble.RandomForestRegressor(4, max_depth=3, random_state=0)


def boosting(**parameters: Any) -> Estimator:  # noqa: ANN401
    return ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0, **parameters)


def histogram() -> Estimator:
    return ensemble.HistGradientBoostingClassifier(max_iter=3, max_depth=3, random_state=0)


def xgboost() -> Estimator:
    return library("xgboost").XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1)


def lightgbm() -> Estimator:
    return library("lightgbm").LGBMClassifier(n_estimators=3, max_depth=3, n_jobs=1, verbose=-1, min_child_samples=5)


def with_categories(name: str) -> Estimator:
    if name == "xgboost":
        return xgboost().set_params(enable_categorical=True)
    if name == "lightgbm":
        return lightgbm().set_params(min_data_per_group=1, cat_smooth=0, max_cat_to_onehot=1)
    return histogram().set_params(categorical_features="from_dtype")


def catboost() -> Estimator:
    return library("catboost").CatBoostClassifier(
        iterations=3, depth=2, verbose=0, allow_writing_files=False, thread_count=1
    )


def scaled(estimator: Estimator) -> Estimator:
    return make_pipeline(StandardScaler(), estimator)


def searched(estimator: Estimator) -> Estimator:
    return GridSearchCV(estimator, {}, cv=2)


def mixed_columns(estimator: Estimator) -> Estimator:
    steps = [("text", OneHotEncoder(), ["text"]), ("scaled", StandardScaler(), ["a", "b"])]
    return make_pipeline(ColumnTransformer(steps, remainder="passthrough"), estimator)


class Subclass(ensemble.RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that changes nothing."""


class SubclassOfPipeline(Pipeline):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that changes nothing."""


class SubclassOfStep(StandardScaler):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that changes nothing."""


class OwnSearch(GridSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """A search that predicts otherwise than what it chose."""

    def predict(self, X: Any) -> Any:  # noqa: ANN401, N803  # as its parent has it
        return np.zeros(len(X), int)


class OwnPredict(ensemble.RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """A subclass that predicts otherwise."""

    def predict(self, X: Any) -> Any:  # noqa: ANN401, N803  # as its parent has it
        return np.zeros(len(X), int)


def _of_xgboost() -> Estimator:
    return type("Subclass", (library("xgboost").XGBClassifier,), {})(n_estimators=3, n_jobs=1)


def _tuned(estimator: Estimator, scoring: str = "balanced_accuracy") -> Estimator:
    return TunedThresholdClassifierCV(estimator, scoring=scoring, cv=2, random_state=0)


def _by_decision(estimator: Estimator, threshold: float, **parameters: Any) -> Estimator:  # noqa: ANN401
    return FixedThresholdClassifier(estimator, threshold=threshold, response_method="decision_function", **parameters)


_CUT_OFFS: dict[str, tuple[Make, Data]] = {
    "fixed": (lambda: FixedThresholdClassifier(forest(), threshold=0.3), _BINARY),
    "fixed for the first class": (lambda: FixedThresholdClassifier(forest(), threshold=0.7, pos_label="no"), _TEXTS),
    "fixed at a decision": (lambda: _by_decision(boosting(), 0.3), _BINARY),
    "fixed at a decision for the first class": (lambda: _by_decision(boosting(), 0.3, pos_label=0), _BINARY),
    "fixed at a decision of AdaBoost": (
        lambda: _by_decision(ensemble.AdaBoostClassifier(n_estimators=3), -0.1),
        _TEXTS,
    ),
    "tuned for recall": (lambda: _tuned(forest(), "recall"), _BINARY),
    "tuned around a pipeline": (lambda: _tuned(scaled(forest())), _BINARY),
    "tuned in a pipeline": (lambda: scaled(_tuned(forest())), _BINARY),
    "tuned in a search": (lambda: searched(_tuned(forest())), _BINARY),
    "tuned around a search of a pipeline": (lambda: _tuned(searched(scaled(forest()))), _BINARY),
    "at every depth": (lambda: make_pipeline(MinMaxScaler(), searched(_tuned(scaled(forest())))), _BINARY),
    "tuned around calibration": (lambda: _tuned(CalibratedClassifierCV(forest(), cv=2)), _BINARY),
    "tuned xgboost": (lambda: _tuned(xgboost()), _BINARY),
    "fixed lightgbm": (lambda: FixedThresholdClassifier(lightgbm(), threshold=0.6), _TEXTS),
    "fixed catboost": (lambda: FixedThresholdClassifier(catboost(), threshold=0.4), _BINARY),
    "fitted before": (
        lambda: FixedThresholdClassifier(FrozenEstimator(forest().fit(*_BINARY)), threshold=0.2),
        _BINARY,
    ),
    "mixed columns": (lambda: FixedThresholdClassifier(mixed_columns(forest()), threshold=0.6), _MIXED),
}
_SHELLS: dict[str, tuple[Make, Data]] = {
    "subclass": (lambda: Subclass(3, random_state=0), _BINARY),
    "subclass of xgboost": (_of_xgboost, _BINARY),
    "subclass of a pipeline": (lambda: SubclassOfPipeline([("s", StandardScaler()), ("f", Subclass(3))]), _BINARY),
    "frozen": (lambda: FrozenEstimator(forest().fit(*_BINARY)), _BINARY),
    "frozen in a pipeline": (lambda: scaled(FrozenEstimator(forest().fit(*_BINARY))), _BINARY),
    "frozen steps and subclasses of steps": (
        lambda: make_pipeline(
            ColumnTransformer([("own", make_pipeline(SubclassOfStep()), [0, 1])], remainder="passthrough"),
            FrozenEstimator(StandardScaler().fit(_BINARY[0])),
            forest(),
        ),
        _BINARY,
    ),
    "halving search": (
        lambda: HalvingGridSearchCV(forest(), {"max_depth": [1, 3]}, cv=2, random_state=0, factor=2),
        _BINARY,
    ),
    "searches in pipelines in searches": (
        lambda: RandomizedSearchCV(scaled(searched(forest())), {}, n_iter=1, cv=2),
        _BINARY,
    ),
    "selected by elimination": (lambda: RFE(forest(), n_features_to_select=3), _TEXTS),
    "selected by elimination with a search": (lambda: RFECV(xgboost(), cv=2), _BINARY),
    "selected behind a step": (lambda: scaled(RFE(regression_forest(), n_features_to_select=2)), _AMOUNTS),
    "one output": (lambda: MultiOutputRegressor(regression_forest()), (_AMOUNTS[0], _AMOUNTS[1][:, None])),
    "one output of classes": (lambda: MultiOutputClassifier(forest()), (_TEXTS[0], _TEXTS[1][:, None])),
}
_COMBINATIONS: dict[str, tuple[Make, Data]] = {
    "bagged xgboost": (lambda: ensemble.BaggingClassifier(xgboost(), 3, random_state=0), _THREE),
    "bagged lightgbm": (lambda: ensemble.BaggingClassifier(lightgbm(), 3, random_state=0), _BINARY),
    "bagged catboost": (lambda: ensemble.BaggingClassifier(catboost(), 2, random_state=0), _BINARY),
    "bagged histogram": (
        lambda: ensemble.BaggingClassifier(histogram(), 3, max_features=0.6, random_state=0),
        _THREE,
    ),
    "bagged pipelines": (lambda: ensemble.BaggingClassifier(scaled(forest()), 3, random_state=0), _TEXTS),
    "bags without some classes": (
        lambda: ensemble.BaggingClassifier(forest(), 4, max_samples=6, random_state=3),
        _THREE,
    ),
    "bagged regressors": (
        lambda: ensemble.BaggingRegressor(ensemble.HistGradientBoostingRegressor(max_iter=3), 2, random_state=0),
        _AMOUNTS,
    ),
    "AdaBoost of texts": (lambda: ensemble.AdaBoostClassifier(n_estimators=5, random_state=0), _TEXTS),
    "AdaBoost of three classes": (
        lambda: ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=2), n_estimators=5, random_state=0),
        _THREE,
    ),
    "AdaBoost of boosting": (lambda: ensemble.AdaBoostClassifier(boosting(), n_estimators=3), _TEXTS),
    "AdaBoost of boosting, three classes": (lambda: ensemble.AdaBoostClassifier(boosting(), n_estimators=3), _THREE),
    "AdaBoost of lightgbm": (lambda: ensemble.AdaBoostClassifier(lightgbm(), n_estimators=3), _TEXTS),
    "AdaBoost of values": (lambda: ensemble.AdaBoostRegressor(n_estimators=5, random_state=0), _AMOUNTS),
    "one against the rest of forests": (lambda: OneVsRestClassifier(forest()), _THREE),
    "one against the rest of boosting": (lambda: OneVsRestClassifier(boosting()), _THREE),
    "one against the rest of two": (lambda: OneVsRestClassifier(histogram()), _TEXTS),
    "one against the rest of lightgbm": (lambda: OneVsRestClassifier(lightgbm()), _THREE),
    "soft vote": (
        lambda: ensemble.VotingClassifier(
            [("a", forest()), ("b", boosting()), ("c", lightgbm()), ("d", xgboost())],
            voting="soft",
            weights=[1, 2, 1, 1],
        ),
        _TEXTS,
    ),
    "hard vote": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", boosting()), ("c", lightgbm())]),
        _THREE,
    ),
    "vote of pipelines, bags and votes": (
        lambda: ensemble.VotingClassifier(
            [
                ("pipeline", searched(scaled(histogram()))),
                ("bag", ensemble.BaggingClassifier(xgboost(), 2, random_state=0)),
                ("vote", ensemble.VotingClassifier([("x", forest()), ("y", scaled(boosting()))], voting="soft")),
            ],
            voting="soft",
        ),
        _BINARY,
    ),
    "vote of one-output and many-output leaves, and of categories": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", with_categories("lightgbm"))], voting="soft"),
        (_CATEGORIES[0][["code", "b"]], _THREE[1]),
    ),
    "vote with a linear model": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", scaled(LogisticRegression()))], voting="soft"),
        _BINARY,
    ),
}
_CALIBRATED: dict[str, tuple[Make, Data]] = {
    "sigmoid": (lambda: CalibratedClassifierCV(forest(), cv=2), _THREE),
    "isotonic": (lambda: CalibratedClassifierCV(forest(), cv=2, method="isotonic"), _BINARY),
    "isotonic of decisions": (lambda: CalibratedClassifierCV(boosting(), cv=2, method="isotonic"), _THREE),
    "temperature": (lambda: CalibratedClassifierCV(forest(), cv=2, method="temperature"), _BINARY),
    "temperature of decisions": (lambda: CalibratedClassifierCV(boosting(), cv=2, method="temperature"), _THREE),
    "lightgbm": (lambda: CalibratedClassifierCV(lightgbm(), cv=2), _TEXTS),
    "xgboost": (lambda: CalibratedClassifierCV(xgboost(), cv=2, method="isotonic"), _BINARY),
    "histogram": (lambda: CalibratedClassifierCV(histogram(), cv=2, ensemble=False), _THREE),
    "frozen": (lambda: CalibratedClassifierCV(FrozenEstimator(forest().fit(*_BINARY))), _BINARY),
    "mixed columns": (lambda: CalibratedClassifierCV(mixed_columns(forest()), cv=2), _MIXED),
    "bags": (lambda: CalibratedClassifierCV(ensemble.BaggingClassifier(histogram(), 2), cv=2), _BINARY),
}
_TARGETS: dict[str, tuple[Make, Data]] = {
    "logarithms": (
        lambda: TransformedTargetRegressor(regression_forest(), func=np.log1p, inverse_func=np.expm1),
        _AMOUNTS,
    ),
    "roots behind a step": (
        lambda: TransformedTargetRegressor(scaled(regression_forest()), func=np.sqrt, inverse_func=np.square),
        _AMOUNTS,
    ),
    "scaled": (lambda: TransformedTargetRegressor(regression_forest(), transformer=StandardScaler()), _AMOUNTS),
    "between 0 and 1": (lambda: TransformedTargetRegressor(regression_forest(), transformer=MinMaxScaler()), _AMOUNTS),
    "not at all": (lambda: TransformedTargetRegressor(regression_forest()), _AMOUNTS),
    "to a normal shape": (
        lambda: TransformedTargetRegressor(regression_forest(), transformer=PowerTransformer()),
        (_AMOUNTS[0], _AMOUNTS[1] - _AMOUNTS[1].mean()),
    ),
    "to a normal shape from positive amounts": (
        lambda: TransformedTargetRegressor(regression_forest(), transformer=PowerTransformer("box-cox")),
        (_AMOUNTS[0], _AMOUNTS[1] + 0.1),
    ),
    "to quantiles": (
        lambda: TransformedTargetRegressor(regression_forest(), transformer=QuantileTransformer(n_quantiles=30)),
        _AMOUNTS,
    ),
    "by several steps": (
        lambda: TransformedTargetRegressor(
            regression_forest(),
            transformer=make_pipeline(FunctionTransformer(np.log1p, np.expm1), StandardScaler()),
        ),
        _AMOUNTS,
    ),
}
_ALONE: dict[str, tuple[Make, Data]] = {
    "boosting from zero": (lambda: boosting(init="zero"), _BINARY),
    "boosting from a constant": (lambda: boosting(init=dummy.DummyClassifier()), _BINARY),
    "exponential loss": (lambda: boosting(loss="exponential"), _BINARY),
    "quantiles": (lambda: ensemble.GradientBoostingRegressor(n_estimators=3, loss="quantile"), _AMOUNTS),
    "one class": (forest, (_BINARY[0], np.zeros(_N_ROWS, int))),
    "one leaf": (lambda: tree.DecisionTreeClassifier(min_samples_leaf=100), _TEXTS),
    "one value": (regression_forest, (_BINARY[0], np.ones(_N_ROWS))),
    "gamma": (lambda: ensemble.HistGradientBoostingRegressor(max_iter=3, loss="gamma"), (_AMOUNTS[0], _AMOUNTS[1] + 1)),
    "signs of effects": (lambda: forest(monotonic_cst=[1, 0, 0, -1, 0, 0]), _BINARY),
}
_CASES = {
    f"{group}: {name}": case
    for group, cases in (
        ("cut-off", _CUT_OFFS),
        ("shell", _SHELLS),
        ("combination", _COMBINATIONS),
        ("calibrated", _CALIBRATED),
        ("target", _TARGETS),
        ("alone", _ALONE),
    )
    for name, case in cases.items()
}


def fitted(make: Make, data: Data) -> Estimator:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make().fit(*data)


def library_scores(estimator: Estimator, rows: Any) -> NDArray[np.float64]:  # noqa: ANN401
    """Return what scikit-learn itself predicts; in hard voting, which has no scores, the shares of the votes."""
    if getattr(estimator, "voting", None) == "hard":
        shares: NDArray[np.float64] = vote_shares(estimator, rows)
        return shares
    predict = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
    return np.asarray(predict(rows), np.float64).reshape(len(rows), -1)


def assert_same(estimator: Estimator, rows: Any, *, oracle_only: bool = False) -> None:  # noqa: ANN401
    """Assert that labels and scores of the converted model are the estimator's own, on all rows."""
    converted = convert_model(estimator, rows, Declared(oracle_only=oracle_only), parity=False)
    classes = converted.declared.classes
    declared = None if classes is None else tuple(classes)
    outcome = outcome_of_converted(converted.onnx, rows, declared, oracle_only=oracle_only)
    np.testing.assert_allclose(outcome.scores, library_scores(estimator, rows), rtol=1e-6, atol=1e-6)
    if classes is not None:
        assert outcome.labels is not None
        labels = np.array(classes)[outcome.labels]
        np.testing.assert_array_equal(labels, estimator.predict(rows).ravel().astype(str))


@pytest.mark.parametrize(("make", "data"), _CASES.values(), ids=_CASES.keys())
def test_wrapped_models_predict_as_scikit_learn_does(make: Make, data: Data) -> None:
    assert_same(fitted(make, data), data[0])


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "histogram"])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda estimator: FixedThresholdClassifier(estimator, threshold=0.4),
        lambda estimator: CalibratedClassifierCV(estimator, cv=2),
        lambda estimator: ensemble.VotingClassifier([("a", estimator), ("b", lightgbm())], voting="soft"),
    ],
    ids=["cut-off", "calibrated", "vote"],
)
@pytest.mark.parametrize("columns", [["a", "city", "b", "code"], ["code", "b"]], ids=["texts", "numbers"])
def test_wrapped_models_read_raw_categories_as_their_libraries_do(name: str, wrap: Any, columns: list[str]) -> None:  # noqa: ANN401
    frame, target = _CATEGORIES

    assert_same(fitted(lambda: wrap(with_categories(name)), (frame[columns], target)), frame[columns])


def test_a_target_of_amounts_behind_raw_categories_is_transformed_back() -> None:
    regressor = library("lightgbm").LGBMRegressor(n_estimators=3, verbose=-1, min_child_samples=5)
    wrapped = TransformedTargetRegressor(regressor, func=np.log1p, inverse_func=np.expm1)

    assert_same(fitted(lambda: wrapped, (_CATEGORIES[0], _AMOUNTS[1])), _CATEGORIES[0])


@pytest.mark.parametrize(
    "name",
    ["BalancedRandomForestClassifier", "EasyEnsembleClassifier", "RUSBoostClassifier", "BalancedBaggingClassifier"],
)
def test_resampling_ensembles_predict_as_their_library_does(name: str) -> None:
    kind = getattr(library("imblearn.ensemble"), name)

    assert_same(fitted(lambda: kind(n_estimators=3, random_state=0), _TEXTS), _TEXTS[0])


def test_cut_offs_behind_samplers_in_a_search_are_kept() -> None:
    sampler = library("imblearn.under_sampling").RandomUnderSampler(random_state=0)
    steps = library("imblearn.pipeline").make_pipeline(
        StandardScaler(), sampler, FixedThresholdClassifier(forest(), threshold=0.3)
    )

    assert_same(fitted(lambda: searched(steps), _BINARY), _BINARY[0])


def test_scores_that_tie_go_to_the_class_that_each_kind_of_boosting_names() -> None:
    rows = np.tile([[0.0], [1.0]], (40, 1))
    target = np.arange(80) // 2 % 2

    for make in (boosting, histogram):
        estimator = make().fit(rows, target)
        assert (estimator.predict_proba(rows) == 0.5).all()
        assert_same(estimator, rows)
    assert boosting().fit(rows, target).predict(rows).tolist() == [1] * 80


@pytest.mark.parametrize("member", [tree.DecisionTreeClassifier(max_depth=1), boosting()], ids=["trees", "boosting"])
@pytest.mark.parametrize("data", [_TEXTS, _THREE], ids=["two classes", "three classes"])
def test_votes_of_equal_weights_that_tie_go_to_the_class_that_adaptive_boosting_names(
    member: Estimator, data: Data
) -> None:
    estimator = ensemble.AdaBoostClassifier(member, n_estimators=6, random_state=0).fit(*data)
    estimator.estimator_weights_ = np.ones(len(estimator.estimators_))
    scores = np.sort(estimator.predict_proba(data[0]), axis=1)
    assert np.isclose(scores[:, -1], scores[:, -2], rtol=0, atol=1e-12).any()

    assert_same(estimator, data[0])


@pytest.mark.parametrize("passthrough", [False, True])
def test_a_stack_that_is_an_oracle_predicts_as_scikit_learn_does(*, passthrough: bool) -> None:
    members = [("a", scaled(forest())), ("b", boosting())]
    stack = ensemble.StackingClassifier(members, cv=2, passthrough=passthrough)

    assert_same(fitted(lambda: searched(scaled(stack)), _THREE), _THREE[0], oracle_only=True)


class OwnModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of the caller's own, which predicts by a forest in it."""

    def fit(self, X: Any, y: Any) -> "OwnModel":  # noqa: ANN401, N803  # as scikit-learn has it
        self.classes_ = np.unique(y)
        self.forest_ = forest().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:  # noqa: ANN401, N803  # as scikit-learn has it
        return self.forest_.predict(X)

    def predict_proba(self, X: Any) -> Any:  # noqa: ANN401, N803  # as scikit-learn has it
        return self.forest_.predict_proba(X)


class OwnStep(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A step of the caller's own."""

    def fit(self, X: Any, y: Any = None) -> "OwnStep":  # noqa: ANN401, ARG002, N803  # as scikit-learn has it
        self.is_fitted_ = True
        return self

    def transform(self, X: Any) -> Any:  # noqa: ANN401, N803  # as scikit-learn has it
        return X


def test_a_linear_model_of_the_leaves_of_trees_is_an_oracle() -> None:
    embedding = ensemble.RandomTreesEmbedding(3, max_depth=2, random_state=0)  # whose columns are sparse
    pipeline = make_pipeline(embedding, LogisticRegression()).fit(*_BINARY)

    assert_same(pipeline, _BINARY[0], oracle_only=True)


def test_a_cut_off_of_a_calibrated_linear_model_that_is_an_oracle_is_kept() -> None:
    calibrated = CalibratedClassifierCV(LogisticRegression(), cv=2)

    assert_same(fitted(lambda: scaled(_tuned(calibrated)), _BINARY), _BINARY[0], oracle_only=True)


_REFUSED: dict[str, tuple[Make, Data, str]] = {
    "own predict": (lambda: OwnPredict(3), _BINARY, "OwnPredict has its own predict"),
    "own predict of a search": (lambda: OwnSearch(forest(), {}, cv=2), _BINARY, "OwnSearch has its own predict"),
    "own predict of a member": (
        lambda: ensemble.VotingClassifier([("a", OwnPredict(3))]),
        _BINARY,
        "OwnPredict has its own predict",
    ),
    "pairs of classes": (lambda: OneVsOneClassifier(forest()), _THREE, "votes of pairs"),
    "codes": (lambda: OutputCodeClassifier(forest()), _THREE, "distances to codes"),
    "stack in a search in a pipeline": (
        lambda: scaled(searched(ensemble.StackingClassifier([("a", forest())], cv=2))),
        _BINARY,
        "StackingClassifier cannot be registered: its trees are not the ones that decide.*oracle_only",
    ),
    "stack in one against the rest": (
        lambda: OneVsRestClassifier(ensemble.StackingClassifier([("a", forest())], cv=2)),
        _THREE,
        "in it StackingClassifier.*oracle_only",
    ),
    "begins with a model": (lambda: boosting(init=forest()), _BINARY, "fit it with init=None"),
    "own inverse": (
        lambda: TransformedTargetRegressor(regression_forest(), func=np.cbrt, inverse_func=lambda values: values**3),
        _AMOUNTS,
        "inverse of the transformed target.*register the model's regressor_",
    ),
    "search without a model": (
        lambda: GridSearchCV(forest(), {}, cv=2, refit=False),
        _BINARY,
        "fit it with refit=True",
    ),
    "own model": (OwnModel, _BINARY, "test_wrappers.OwnModel cannot be converted.*write this one as ONNX"),
    "own model in a vote": (
        lambda: ensemble.VotingClassifier([("a", scaled(OwnModel()))], voting="soft"),
        _BINARY,
        "OwnModel, a part of this VotingClassifier, cannot be converted",
    ),
    "own step": (lambda: make_pipeline(OwnStep(), forest()), _BINARY, "OwnStep, in its step 'ownstep', has no counter"),
    "own step in a member": (
        lambda: CalibratedClassifierCV(searched(make_pipeline(OwnStep(), forest())), cv=2),
        _BINARY,
        "OwnStep, in its step 'ownstep', has no counterpart.*register the pipeline's last step",
    ),
    "neighbours in a vote": (
        lambda: ensemble.VotingClassifier([("a", forest()), ("b", KNeighborsClassifier())]),
        _BINARY,
        "in it KNeighborsClassifier cannot be registered: it compares rows",
    ),
    "no model at the end": (
        lambda: Pipeline([("scaled", StandardScaler()), ("end", "passthrough")]),
        _BINARY,
        "the last step of the pipeline predicts nothing",
    ),
    "several outputs": (
        lambda: MultiOutputClassifier(forest()),
        (_BINARY[0], np.column_stack([_BINARY[1], _BINARY[1]])),
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
        convert_model(make(), _BINARY[0])


@pytest.mark.parametrize(
    "make",
    [
        lambda frame, target: FixedThresholdClassifier(forest().fit(frame, target), threshold=0.3),
        lambda frame, target: SelfTrainingClassifier(forest()).fit(frame, np.where(frame["a"] > 1, -1, target)),
        lambda frame, target: scaled(FixedThresholdClassifier(forest())).fit(frame, target),
    ],
    ids=["fitted before", "self-training", "pipeline"],
)
def test_names_of_columns_are_known_without_rows(make: Any) -> None:  # noqa: ANN401
    frame = pd.DataFrame(_BINARY[0], columns=list("abcdef"))

    assert convert_model(make(frame, _BINARY[1])).declared.feature_names == list("abcdef")


def test_self_training_predicts_as_scikit_learn_does() -> None:
    target = np.where(np.arange(_N_ROWS) % 3 == 0, -1, _BINARY[1])

    assert_same(SelfTrainingClassifier(forest()).fit(_BINARY[0], target), _BINARY[0])


def test_what_was_unwrapped_once_stays_as_it_is() -> None:
    estimator = fitted(_CUT_OFFS["at every depth"][0], _BINARY)

    plain = unwrapped(estimator)

    assert [type(step).__name__ for _, step in plain.steps] == [
        "MinMaxScaler",
        "StandardScaler",
        "TunedThresholdClassifierCV",
    ]
    assert unwrapped(plain) is plain
    assert final_step(plain) is plain.steps[-1][1]
