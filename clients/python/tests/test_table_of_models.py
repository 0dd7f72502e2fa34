"""The table of models in the README: each line says what is true of the models that it names."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.voting import vote_shares
from numpy.typing import NDArray
from sklearn import calibration, datasets, ensemble, model_selection, multiclass, tree
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.support.converted import outcome_of_converted
from tests.support.models import library

Estimator: TypeAlias = Any
_README = Path(__file__).parents[1] / "README.md"
_FEATURES, _TARGET = datasets.load_breast_cancer(return_X_y=True)


def forest() -> Estimator:
    return ensemble.RandomForestClassifier(20, max_depth=4, random_state=0)


def boosting() -> Estimator:
    return ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0)


def xgboost(kind: str = "XGBClassifier", **settings: Any) -> Estimator:
    return getattr(library("xgboost"), kind)(n_estimators=15, n_jobs=1, **settings)


def lightgbm(**settings: Any) -> Estimator:
    return library("lightgbm").LGBMClassifier(n_estimators=15, n_jobs=1, verbose=-1, **settings)


def catboost() -> Estimator:
    maker = library("catboost").CatBoostClassifier
    return maker(n_estimators=10, depth=4, verbose=0, allow_writing_files=False, thread_count=1)


def balanced(kind: str, **settings: Any) -> Estimator:
    return getattr(library("imblearn.ensemble"), kind)(random_state=0, **settings)


def resampled() -> Estimator:
    sampler = library("imblearn.over_sampling").RandomOverSampler(random_state=0)
    return library("imblearn.pipeline").make_pipeline(sampler, forest())


def voters() -> list[tuple[str, Estimator]]:
    return [("forest", forest()), ("boosting", boosting()), ("xgboost", xgboost())]


_BAGGED = {"bagging_freq": 1, "bagging_fraction": 0.6}
_MODELS: dict[str, list[Callable[[], Estimator]]] = {
    "RandomForest, ExtraTrees, DecisionTree": [
        forest,
        lambda: ensemble.ExtraTreesClassifier(20, random_state=0),
        tree.DecisionTreeClassifier,
    ],
    "Bagging of trees": [lambda: ensemble.BaggingClassifier(tree.DecisionTreeClassifier(), random_state=0)],
    "GradientBoosting": [boosting],
    "HistGradientBoosting": [lambda: ensemble.HistGradientBoostingClassifier(max_iter=10)],
    "Bagging, AdaBoost, CalibratedClassifierCV, OneVsRestClassifier of any of these": [
        lambda: ensemble.BaggingClassifier(lightgbm(), n_estimators=3, random_state=0),
        lambda: ensemble.AdaBoostClassifier(n_estimators=10, random_state=0),
        lambda: calibration.CalibratedClassifierCV(forest(), cv=2),
        lambda: multiclass.OneVsRestClassifier(forest()),
    ],
    "VotingClassifier (soft, hard), VotingRegressor": [
        lambda: ensemble.VotingClassifier(voters()),
        lambda: ensemble.VotingClassifier(voters(), voting="hard", weights=[2, 1, 1]),
        lambda: ensemble.VotingClassifier(voters(), voting="soft", weights=[1, 2, 3]),
        lambda: ensemble.VotingClassifier([("scaled", make_pipeline(StandardScaler(), forest()))], voting="soft"),
        lambda: ensemble.VotingRegressor([("forest", ensemble.RandomForestRegressor(5, random_state=0))]),
    ],
    "FixedThresholdClassifier, TunedThresholdClassifierCV": [
        lambda: model_selection.FixedThresholdClassifier(forest(), threshold=0.3),
        lambda: model_selection.TunedThresholdClassifierCV(boosting(), cv=2),
    ],
    "XGBoost: gbtree, DART": [xgboost, lambda: xgboost(booster="dart", rate_drop=0.5)],
    "XGBoost: XGBRF": [lambda: xgboost("XGBRFClassifier")],
    "LightGBM: gbdt, DART": [lightgbm, lambda: lightgbm(boosting_type="dart", drop_rate=0.5)],
    "LightGBM: rf": [lambda: lightgbm(boosting_type="rf", **_BAGGED)],
    "CatBoost": [catboost],
    "imbalanced-learn: BalancedRandomForest, BalancedBagging": [
        lambda: balanced("BalancedRandomForestClassifier", n_estimators=10),
        lambda: balanced("BalancedBaggingClassifier", n_estimators=10),
    ],
    "imbalanced-learn: EasyEnsemble, RUSBoost": [
        lambda: balanced("EasyEnsembleClassifier", n_estimators=3),
        lambda: balanced("RUSBoostClassifier", n_estimators=5),
    ],
    "Pipelines of scikit-learn and imbalanced-learn": [resampled, lambda: make_pipeline(forest())],
}


def table(path: Path) -> list[list[str]]:
    """Return the lines of a README's table of models, cell by cell."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("|")]
    start = next(at for at, line in enumerate(lines) if line.startswith("| Model | Written |"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start + 2 :]]


_LINES = [line for line in table(_README) if len(line) == len(table(_README)[0])]
_CASES = [(line, maker) for line in _LINES for maker in _MODELS.get(line[0], [])]


def test_all_lines_of_the_table_have_cases() -> None:
    assert [line[0] for line in _LINES] == list(_MODELS)


@pytest.mark.parametrize(("line", "maker"), _CASES, ids=[f"{line[0]}-{at}" for at, (line, _) in enumerate(_CASES)])
@pytest.mark.sampled("tenths")
def test_what_the_table_says_of_a_model_is_true(line: list[str], maker: Callable[[], Estimator]) -> None:
    _, _, ties, _, missing, kind = line
    holes = np.random.default_rng(0).random(_FEATURES.shape) < 0.1
    features = np.where(holes, np.nan, _FEATURES) if missing == "its own" else _FEATURES
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = maker().fit(features, _TARGET)

    converted = convert_model(model, features)

    classes = converted.declared.classes
    outcome = outcome_of_converted(converted.onnx, features, None if classes is None else tuple(classes))
    scores = library_scores(model, features)
    np.testing.assert_allclose(outcome.scores, scores, rtol=1e-5, atol=1e-4)
    if outcome.labels is not None:
        is_clear = np.ptp(np.sort(scores, axis=1)[:, -2:], axis=1) > (0 if ties == "as the library" else 1e-6)
        same = outcome.labels == np.searchsorted(model.classes_, model.predict(features).ravel())
        assert same[is_clear].all()
        assert same.all() or ties != "as the library"
    if kind == "`boosting`":
        assert converted.declared.ensemble == "boosting"
    elif kind == "`random_forest`":
        assert converted.declared.ensemble in {"random_forest", "other"}


def library_scores(model: Estimator, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the library's own scores; in hard voting, which has none, the shares of the votes."""
    if getattr(model, "voting", None) == "hard":
        shares: NDArray[np.float64] = vote_shares(model, features)
        return shares
    predict = getattr(model, "predict_proba", model.predict)
    return np.asarray(predict(features), np.float64).reshape(len(features), -1)
