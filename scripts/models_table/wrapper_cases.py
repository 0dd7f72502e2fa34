"""Cases of wrappers: calibration, bagging, voting, searches, stacks, subclasses, several classifiers in one."""

from typing import Any

import numpy as np
from sklearn import (
    calibration,
    ensemble,
    feature_selection,
    linear_model,
    model_selection,
    multiclass,
    multioutput,
    semi_supervised,
    tree,
)
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from .cases import Case, Estimator, Group, Rows
from .estimators import boosting, forest, forest_regressor, histogram_regressor, lgb, lgb_regressor, xgb
from .wrapping import INNER, THREE, around, calibrated, frozen_fit, frozen_then, search


class PlainSubclass(ensemble.RandomForestClassifier):  # type: ignore[misc]  # it ships no types
    """A forest under another name."""


class SubclassOfBoosting(ensemble.GradientBoostingRegressor):  # type: ignore[misc]  # it ships no types
    """A booster under another name."""


def _xgb_subclass() -> Estimator:
    import xgboost  # heavy

    return type("SubclassOfXgboost", (xgboost.XGBClassifier,), {})(n_estimators=3, max_depth=2, n_jobs=1)


def _lgb_subclass() -> Estimator:
    import lightgbm  # heavy

    return type("SubclassOfLightgbm", (lightgbm.LGBMClassifier,), {})(
        n_estimators=3, min_child_samples=5, verbose=-1, n_jobs=1
    )


def _partly_labelled(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    return estimator.fit(rows, np.where(np.arange(len(rows)) % 3, target, -1))


def _members() -> list[tuple[str, Estimator]]:
    return [("forest", forest()), ("boosting", boosting())]


def _stack(**settings: Any) -> Estimator:
    return ensemble.StackingClassifier(_members(), linear_model.LogisticRegression(), cv=2, **settings)


_TREE = tree.DecisionTreeClassifier(max_depth=3)


WRAPPERS = Group(
    "Wrappers",
    "Models that hold others.",
    (
        *(
            Case(f"CalibratedClassifierCV (sigmoid) of {name}", around(calibrated, make), "binary")
            for name, (make, _) in INNER.items()
        ),
        *(
            Case(
                f"CalibratedClassifierCV (isotonic) of {name}",
                around(calibrated, make, method="isotonic"),
                "binary",
            )
            for name, (make, _) in INNER.items()
        ),
        Case("CalibratedClassifierCV, three classes", lambda: calibrated(forest()), "multiclass"),
        Case(
            "CalibratedClassifierCV (isotonic), three classes",
            lambda: calibrated(forest(), method="isotonic"),
            "multiclass",
        ),
        Case("CalibratedClassifierCV, ensemble=False", lambda: calibrated(forest(), ensemble=False), "binary"),
        Case(
            "CalibratedClassifierCV, method=temperature", lambda: calibrated(forest(), method="temperature"), "binary"
        ),
        Case(
            "CalibratedClassifierCV, method=temperature, three classes",
            lambda: calibrated(forest(), method="temperature"),
            "multiclass",
        ),
        Case("CalibratedClassifierCV, prefit", forest, "binary", frozen_then(calibration.CalibratedClassifierCV)),
        *(
            Case(f"BaggingClassifier of {name}", around(ensemble.BaggingClassifier, make, **THREE), "binary")
            for name, (make, _) in INNER.items()
        ),
        *(
            Case(f"BaggingRegressor of {name}", around(ensemble.BaggingRegressor, make, **THREE), "values")
            for name, (_, make) in INNER.items()
            if make is not None
        ),
        Case("BaggingClassifier of trees", lambda: ensemble.BaggingClassifier(_TREE, **THREE), "binary"),
        Case(
            "BaggingClassifier of trees, three classes",
            lambda: ensemble.BaggingClassifier(_TREE, **THREE),
            "multiclass",
        ),
        Case(
            "BaggingClassifier of trees, max_features=0.5",
            lambda: ensemble.BaggingClassifier(_TREE, max_features=0.5, **THREE),
            "binary",
        ),
        Case(
            "BaggingClassifier of trees, bootstrap_features",
            lambda: ensemble.BaggingClassifier(_TREE, bootstrap_features=True, **THREE),
            "binary",
        ),
        Case("BaggingRegressor of trees", lambda: ensemble.BaggingRegressor(**THREE), "values"),
        Case(
            "BaggingRegressor of trees, max_features=0.5",
            lambda: ensemble.BaggingRegressor(max_features=0.5, **THREE),
            "values",
        ),
        Case(
            "BaggingClassifier of logistic regressions",
            lambda: ensemble.BaggingClassifier(linear_model.LogisticRegression(), **THREE),
            "binary",
        ),
        *(
            Case(
                f"AdaBoostClassifier of {name}",
                around(ensemble.AdaBoostClassifier, make, **THREE),
                "binary",
            )
            for name, (make, _) in INNER.items()
            if name not in {"CatBoost", "XGBoost"}
        ),
        Case(
            "AdaBoostClassifier of XGBoost",
            lambda: ensemble.AdaBoostClassifier(xgb(max_depth=2)(), n_estimators=2, random_state=0),
            "imbalanced",
        ),
        *(
            Case(f"AdaBoostRegressor of {name}", around(ensemble.AdaBoostRegressor, make, **THREE), "values")
            for name, (_, make) in INNER.items()
            if make is not None
        ),
        *(
            Case(f"OneVsRestClassifier of {name}", around(multiclass.OneVsRestClassifier, make), "multiclass")
            for name, (make, _) in INNER.items()
        ),
        Case("OneVsRestClassifier, two classes", lambda: multiclass.OneVsRestClassifier(forest()), "binary"),
        Case("OneVsOneClassifier of a forest", lambda: multiclass.OneVsOneClassifier(forest()), "multiclass"),
        Case(
            "OutputCodeClassifier of a forest",
            lambda: multiclass.OutputCodeClassifier(forest(), random_state=0),
            "multiclass",
        ),
        Case("VotingClassifier, soft", lambda: ensemble.VotingClassifier(_members(), voting="soft"), "binary"),
        Case(
            "VotingClassifier, soft, weights",
            lambda: ensemble.VotingClassifier(_members(), voting="soft", weights=[1, 3]),
            "multiclass",
        ),
        Case("VotingClassifier, hard", lambda: ensemble.VotingClassifier(_members()), "binary"),
        Case(
            "VotingClassifier, hard, weights",
            lambda: ensemble.VotingClassifier(_members(), weights=[1, 3]),
            "multiclass",
        ),
        Case(
            "VotingClassifier, soft, XGBoost and LightGBM",
            lambda: ensemble.VotingClassifier([("x", xgb()()), ("l", lgb()())], voting="soft"),
            "binary",
        ),
        Case(
            "VotingClassifier, a member dropped",
            lambda: ensemble.VotingClassifier([*_members(), ("d", "drop")], voting="soft"),
            "binary",
        ),
        Case(
            "VotingClassifier, texts as labels",
            lambda: ensemble.VotingClassifier(_members(), voting="soft"),
            "binary",
            lambda e, x, y: e.fit(x, np.array(["no", "yes"])[y]),
        ),
        Case(
            "VotingClassifier of a forest and a logistic regression, weights 1 to 50",
            lambda: ensemble.VotingClassifier(
                [("f", forest()), ("l", linear_model.LogisticRegression())], voting="soft", weights=[1, 50]
            ),
            "binary",
        ),
        Case(
            "VotingClassifier of a forest and a logistic regression",
            lambda: ensemble.VotingClassifier(
                [("f", forest()), ("l", linear_model.LogisticRegression())], voting="soft"
            ),
            "binary",
        ),
        Case(
            "VotingRegressor",
            lambda: ensemble.VotingRegressor([("f", forest_regressor()), ("h", histogram_regressor())]),
            "values",
        ),
        Case(
            "VotingRegressor, weights",
            lambda: ensemble.VotingRegressor([("f", forest_regressor()), ("l", lgb_regressor()())], weights=[1, 2]),
            "values",
        ),
        Case(
            "VotingRegressor of a forest and a linear regression",
            lambda: ensemble.VotingRegressor([("f", forest_regressor()), ("l", linear_model.LinearRegression())]),
            "values",
        ),
        Case("StackingClassifier", _stack, "binary"),
        Case("StackingClassifier, passthrough", lambda: _stack(passthrough=True), "binary"),
        Case(
            "StackingClassifier, a forest at the end",
            lambda: ensemble.StackingClassifier(_members(), forest(), cv=2),
            "binary",
        ),
        Case("StackingClassifier, oracle_only", _stack, "binary", options=(("oracle_only", True),)),
        Case("StackingRegressor", lambda: ensemble.StackingRegressor([("f", forest_regressor())], cv=2), "values"),
        Case(
            "StackingClassifier in a search in a pipeline",
            lambda: make_pipeline(StandardScaler(), search(_stack(), forest__max_depth=[2, 3])),
            "binary",
        ),
        Case("OneVsRestClassifier of a stack", lambda: multiclass.OneVsRestClassifier(_stack()), "multiclass"),
        Case(
            "RandomTreesEmbedding, then LogisticRegression",
            lambda: make_pipeline(
                ensemble.RandomTreesEmbedding(n_estimators=3, random_state=0), linear_model.LogisticRegression()
            ),
            "binary",
        ),
        Case("GridSearchCV of a forest", lambda: search(forest(), max_depth=[2, 3]), "binary"),
        Case("GridSearchCV of XGBoost", lambda: search(xgb()(), max_depth=[2, 3]), "binary"),
        Case(
            "RandomizedSearchCV of a forest",
            lambda: model_selection.RandomizedSearchCV(forest(), {"max_depth": [2, 3]}, n_iter=1, cv=2, random_state=0),
            "binary",
        ),
        Case(
            "GridSearchCV of a pipeline",
            lambda: search(make_pipeline(StandardScaler(), forest()), randomforestclassifier__max_depth=[2, 3]),
            "binary",
        ),
        Case(
            "GridSearchCV in a pipeline",
            lambda: make_pipeline(StandardScaler(), search(forest(), max_depth=[2, 3])),
            "binary",
        ),
        Case("GridSearchCV in GridSearchCV", lambda: search(search(forest(), max_depth=[2, 3]), cv=[2]), "binary"),
        Case(
            "GridSearchCV, refit=False",
            lambda: model_selection.GridSearchCV(forest(), {"max_depth": [2]}, cv=2, refit=False),
            "binary",
            predict=lambda *_: None,
        ),
        Case(
            "a pipeline in a pipeline",
            lambda: make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), forest())),
            "binary",
        ),
        Case("FrozenEstimator of a forest", forest, "binary", frozen_fit),
        Case("FrozenEstimator of XGBoost", xgb(), "binary", frozen_fit),
        Case("FrozenEstimator of a pipeline", lambda: make_pipeline(StandardScaler(), forest()), "binary", frozen_fit),
        Case("a subclass of RandomForestClassifier", lambda: PlainSubclass(**THREE), "binary"),
        Case("a subclass of GradientBoostingRegressor", lambda: SubclassOfBoosting(**THREE), "values"),
        Case("a subclass of XGBClassifier", _xgb_subclass, "binary"),
        Case("a subclass of LGBMClassifier", _lgb_subclass, "binary"),
        Case("a subclass in a pipeline", lambda: make_pipeline(StandardScaler(), PlainSubclass(**THREE)), "binary"),
        Case("a subclass in a bagging", lambda: ensemble.BaggingClassifier(PlainSubclass(**THREE), **THREE), "binary"),
        Case("RFE of a forest", lambda: feature_selection.RFE(forest(), n_features_to_select=2), "binary"),
        Case("RFECV of a forest", lambda: feature_selection.RFECV(forest(), cv=2), "binary"),
        Case(
            "SelfTrainingClassifier of a forest",
            lambda: semi_supervised.SelfTrainingClassifier(forest()),
            "binary",
            _partly_labelled,
        ),
        Case(
            "TransformedTargetRegressor of a forest",
            lambda: TransformedTargetRegressor(forest_regressor(), func=np.log, inverse_func=np.exp),
            "counts",
        ),
        Case(
            "MultiOutputClassifier of forests",
            lambda: multioutput.MultiOutputClassifier(forest()),
            "two_targets",
            lambda e, x, y: e.fit(x, y > 0),
            predict=lambda *_: None,
        ),
        Case(
            "MultiOutputRegressor of forests",
            lambda: multioutput.MultiOutputRegressor(forest_regressor()),
            "two_targets",
        ),
        Case(
            "ClassifierChain of forests",
            lambda: multioutput.ClassifierChain(forest()),
            "two_targets",
            lambda e, x, y: e.fit(x, (y > 0).astype(int)),
            predict=lambda *_: None,
        ),
    ),
)

GROUPS = (WRAPPERS,)
