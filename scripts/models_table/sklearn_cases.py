"""Cases of scikit-learn's and imbalanced-learn's estimators, by themselves."""

from typing import Any

import numpy as np
from imblearn import ensemble as balanced  # type: ignore[import-untyped]
from sklearn import dummy, ensemble, linear_model, naive_bayes, neighbors, neural_network, svm, tree
from sklearn.cluster import KMeans
from sklearn.gaussian_process import GaussianProcessClassifier

from .cases import Case, Estimator, Group, Rows
from .data import with_infinite_cells
from .estimators import (
    FEW,
    boosting,
    boosting_regressor,
    forest,
    forest_regressor,
    histogram,
    histogram_regressor,
    weighted,
)


def _warm(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    estimator.fit(rows, target)
    return estimator.set_params(n_estimators=8).fit(rows, target)


def _labelled(labels: Any) -> Any:
    def fit(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
        return estimator.fit(rows, np.asarray(labels)[target])

    return fit


FORESTS = Group(
    "scikit-learn: trees and forests",
    "By themselves, with the settings that change how they predict.",
    (
        Case("RandomForestClassifier, two classes", forest, "binary"),
        Case("RandomForestClassifier, three classes", forest, "multiclass"),
        Case("RandomForestClassifier, missing values", forest, "holes"),
        Case("RandomForestClassifier, class_weight=balanced", lambda: forest(class_weight="balanced"), "imbalanced"),
        Case("RandomForestClassifier, criterion=entropy", lambda: forest(criterion="entropy"), "binary"),
        Case("RandomForestClassifier, criterion=log_loss", lambda: forest(criterion="log_loss"), "multiclass"),
        Case("RandomForestClassifier, bootstrap=False", lambda: forest(bootstrap=False), "binary"),
        Case("RandomForestClassifier, max_samples=0.5", lambda: forest(max_samples=0.5), "binary"),
        Case("RandomForestClassifier, max_leaf_nodes=4", lambda: forest(max_leaf_nodes=4), "multiclass"),
        Case("RandomForestClassifier, ccp_alpha=0.02", lambda: forest(ccp_alpha=0.02), "binary"),
        Case("RandomForestClassifier, monotonic_cst", lambda: forest(monotonic_cst=[1, 0, 0, -1]), "binary"),
        Case("RandomForestClassifier, oob_score", lambda: forest(oob_score=True, n_estimators=30), "binary"),
        Case("RandomForestClassifier, one tree", lambda: forest(n_estimators=1), "binary"),
        Case("RandomForestClassifier, warm_start", lambda: forest(warm_start=True), "binary", _warm),
        Case("RandomForestClassifier, sample_weight", forest, "binary", weighted),
        Case("RandomForestClassifier, fully grown", lambda: forest(max_depth=None), "binary"),
        Case("RandomForestClassifier, no split", lambda: forest(min_samples_leaf=60), "binary"),
        Case("RandomForestClassifier, one class", forest, "one_class"),
        Case("RandomForestClassifier, one feature", forest, "one_feature"),
        Case("RandomForestClassifier, ties", lambda: forest(bootstrap=False), "ties", ties=True),
        Case("RandomForestClassifier, 300 classes", lambda: forest(max_depth=None, n_estimators=2), "many_classes"),
        Case("RandomForestClassifier, 600 features", forest, "wide"),
        Case("RandomForestClassifier, array", forest, "array"),
        Case("RandomForestClassifier, two targets", forest, "two_targets", lambda e, x, y: e.fit(x, y > 0)),
        Case("RandomForestRegressor", forest_regressor, "values"),
        Case(
            "RandomForestRegressor, criterion=absolute_error",
            lambda: forest_regressor(criterion="absolute_error"),
            "values",
        ),
        Case(
            "RandomForestRegressor, criterion=friedman_mse",
            lambda: forest_regressor(criterion="friedman_mse"),
            "values",
        ),
        Case("RandomForestRegressor, criterion=poisson", lambda: forest_regressor(criterion="poisson"), "counts"),
        Case("RandomForestRegressor, two targets", forest_regressor, "two_targets"),
        Case("RandomForestRegressor, constant target", forest_regressor, "constant"),
        Case("RandomForestRegressor, missing values", forest_regressor, "holes"),
        Case("ExtraTreesClassifier", lambda: ensemble.ExtraTreesClassifier(**FEW), "binary"),
        Case("ExtraTreesClassifier, three classes", lambda: ensemble.ExtraTreesClassifier(**FEW), "multiclass"),
        Case("ExtraTreesClassifier, missing values", lambda: ensemble.ExtraTreesClassifier(**FEW), "holes"),
        Case("ExtraTreesRegressor", lambda: ensemble.ExtraTreesRegressor(**FEW), "values"),
        Case("DecisionTreeClassifier", lambda: tree.DecisionTreeClassifier(max_depth=3), "binary"),
        Case("DecisionTreeClassifier, three classes", lambda: tree.DecisionTreeClassifier(max_depth=3), "multiclass"),
        Case(
            "DecisionTreeClassifier, splitter=random",
            lambda: tree.DecisionTreeClassifier(splitter="random", random_state=0),
            "binary",
        ),
        Case("DecisionTreeClassifier, one class", tree.DecisionTreeClassifier, "one_class"),
        Case("DecisionTreeRegressor", lambda: tree.DecisionTreeRegressor(max_depth=3), "values"),
        Case("DecisionTreeRegressor, constant target", tree.DecisionTreeRegressor, "constant"),
        Case("DecisionTreeRegressor, missing values", lambda: tree.DecisionTreeRegressor(max_depth=4), "holes"),
        Case("ExtraTreeClassifier", lambda: tree.ExtraTreeClassifier(random_state=0), "binary"),
        Case("ExtraTreeRegressor", lambda: tree.ExtraTreeRegressor(random_state=0), "values"),
        Case("IsolationForest", lambda: ensemble.IsolationForest(n_estimators=5, random_state=0), "binary"),
        Case(
            "RandomTreesEmbedding",
            lambda: ensemble.RandomTreesEmbedding(n_estimators=3),
            "binary",
            predict=lambda *_: None,
        ),
    ),
)

_LABELS: dict[str, Any] = {
    "of bool": [False, True],
    "of uint8": np.array([3, 200], np.uint8),
    "of negative whole numbers": [-1, 1],
    "of whole floats": [1.0, 2.0],
    "of texts": ["benign", "malignant"],
    "of texts of digits": ["0", "00"],
    "of texts that are numbers": ["1", "1.0", "01"],
    "in Unicode": ["größer", "小さい", "💧"],
    "with markup": ["<b>", "&amp;"],
    "with blanks": [" a", "a ", "a"],
    "of an empty text": ["", "x"],
    "of 300 letters": ["a" * 300, "b"],
    "of dtype object": np.array(["x", "y"], object),
    "of large whole numbers": [2**60, 2**60 + 1],
    "of truth values as texts": ["True", "False"],
    "with quotes and line ends": ['"q"', "a\nb"],
}

LABELS = Group(
    "Labels",
    "A random forest whose classes are called so.",
    tuple(
        Case(f"labels {name}", forest, "multiclass" if len(labels) > 2 else "binary", _labelled(labels))
        for name, labels in _LABELS.items()
    ),
)

BOOSTING = Group(
    "scikit-learn: boosting",
    "Gradient boosting with its losses, histogram-based gradient boosting, AdaBoost.",
    (
        Case("GradientBoostingClassifier", boosting, "binary"),
        Case("GradientBoostingClassifier, three classes", boosting, "multiclass"),
        Case("GradientBoostingClassifier, loss=exponential", lambda: boosting(loss="exponential"), "binary"),
        Case("GradientBoostingClassifier, init=zero", lambda: boosting(init="zero"), "binary"),
        Case("GradientBoostingClassifier, init=zero, three classes", lambda: boosting(init="zero"), "multiclass"),
        Case("GradientBoostingClassifier, init=a forest", lambda: boosting(init=forest()), "binary"),
        Case("GradientBoostingClassifier, subsample=0.6", lambda: boosting(subsample=0.6), "binary"),
        Case(
            "GradientBoostingClassifier, early stopping",
            lambda: boosting(n_iter_no_change=1, n_estimators=20),
            "binary",
        ),
        Case("GradientBoostingClassifier, warm_start", lambda: boosting(warm_start=True), "binary", _warm),
        Case("GradientBoostingClassifier, ties", boosting, "ties", ties=True),
        Case(
            "GradientBoostingClassifier, ties, loss=exponential",
            lambda: boosting(loss="exponential"),
            "ties",
            ties=True,
        ),
        Case("GradientBoostingClassifier, no split", lambda: boosting(min_samples_leaf=60), "binary"),
        Case("GradientBoostingClassifier, sample_weight", boosting, "binary", weighted),
        Case("GradientBoostingRegressor", boosting_regressor, "values"),
        Case(
            "GradientBoostingRegressor, loss=absolute_error",
            lambda: boosting_regressor(loss="absolute_error"),
            "values",
        ),
        Case("GradientBoostingRegressor, loss=huber", lambda: boosting_regressor(loss="huber"), "values"),
        Case(
            "GradientBoostingRegressor, loss=quantile",
            lambda: boosting_regressor(loss="quantile", alpha=0.8),
            "values",
        ),
        Case("GradientBoostingRegressor, init=zero", lambda: boosting_regressor(init="zero"), "values"),
        Case(
            "GradientBoostingRegressor, init=linear",
            lambda: boosting_regressor(init=linear_model.LinearRegression()),
            "values",
        ),
        Case("GradientBoostingRegressor, constant target", boosting_regressor, "constant"),
        Case("HistGradientBoostingClassifier", histogram, "binary"),
        Case("HistGradientBoostingClassifier, three classes", histogram, "multiclass"),
        Case("HistGradientBoostingClassifier, missing values", histogram, "holes"),
        Case(
            "HistGradientBoostingClassifier, categories",
            lambda: histogram(categorical_features="from_dtype"),
            "categories",
        ),
        Case("HistGradientBoostingClassifier, categories that are numbers", histogram, "number_categories"),
        Case(
            "HistGradientBoostingClassifier, categorical_features by index",
            lambda: histogram(categorical_features=[0]),
            "changes",
            lambda e, x, y: e.fit(x + 2, y),
            rows=lambda x: x + 2,
        ),
        Case("HistGradientBoostingClassifier, class_weight", lambda: histogram(class_weight="balanced"), "imbalanced"),
        Case("HistGradientBoostingClassifier, early stopping", lambda: histogram(early_stopping=True), "binary"),
        Case("HistGradientBoostingClassifier, monotonic_cst", lambda: histogram(monotonic_cst={"age": 1}), "binary"),
        Case(
            "HistGradientBoostingClassifier, interaction_cst",
            lambda: histogram(interaction_cst="no_interactions"),
            "binary",
        ),
        Case("HistGradientBoostingClassifier, infinite cells", histogram, "infinite"),
        Case(
            "HistGradientBoostingRegressor, infinite and missing cells",
            histogram_regressor,
            "infinite_values",
        ),
        Case(
            "RandomForestClassifier, infinite cells in the rows",
            forest,
            "binary",
            rows=with_infinite_cells,
            predict=lambda _, __: None,
        ),
        Case(
            "HistGradientBoostingClassifier, no split",
            lambda: ensemble.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=60),
            "binary",
        ),
        Case("HistGradientBoostingClassifier, ties", histogram, "ties", ties=True),
        Case("HistGradientBoostingRegressor", histogram_regressor, "values"),
        Case(
            "HistGradientBoostingRegressor, loss=absolute_error",
            lambda: histogram_regressor(loss="absolute_error"),
            "values",
        ),
        Case("HistGradientBoostingRegressor, loss=poisson", lambda: histogram_regressor(loss="poisson"), "counts"),
        Case("HistGradientBoostingRegressor, loss=gamma", lambda: histogram_regressor(loss="gamma"), "counts"),
        Case(
            "HistGradientBoostingRegressor, loss=quantile",
            lambda: histogram_regressor(loss="quantile", quantile=0.8),
            "values",
        ),
        Case("HistGradientBoostingRegressor, constant target", histogram_regressor, "constant"),
        Case("AdaBoostClassifier", lambda: ensemble.AdaBoostClassifier(**FEW), "binary"),
        Case("AdaBoostClassifier, three classes", lambda: ensemble.AdaBoostClassifier(**FEW), "multiclass"),
        Case(
            "AdaBoostClassifier, deep trees",
            lambda: ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=3), **FEW),
            "binary",
        ),
        Case(
            "AdaBoostClassifier, perfect first tree",
            lambda: ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(), **FEW),
            "binary",
        ),
        Case("AdaBoostRegressor", lambda: ensemble.AdaBoostRegressor(**FEW), "values"),
        Case(
            "AdaBoostRegressor, loss=exponential",
            lambda: ensemble.AdaBoostRegressor(loss="exponential", **FEW),
            "values",
        ),
    ),
)

IMBALANCED = Group(
    "imbalanced-learn",
    "Ensembles that sample classes evenly.",
    (
        Case("BalancedRandomForestClassifier", lambda: balanced.BalancedRandomForestClassifier(**FEW), "imbalanced"),
        Case(
            "BalancedRandomForestClassifier, three classes",
            lambda: balanced.BalancedRandomForestClassifier(**FEW),
            "multiclass",
        ),
        Case("BalancedBaggingClassifier", lambda: balanced.BalancedBaggingClassifier(**FEW), "imbalanced"),
        Case(
            "BalancedBaggingClassifier of HistGradientBoosting",
            lambda: balanced.BalancedBaggingClassifier(histogram(), n_estimators=2, random_state=0),
            "imbalanced",
        ),
        Case(
            "EasyEnsembleClassifier",
            lambda: balanced.EasyEnsembleClassifier(
                2, estimator=ensemble.AdaBoostClassifier(n_estimators=3), random_state=0
            ),
            "imbalanced",
        ),
        Case("RUSBoostClassifier", lambda: balanced.RUSBoostClassifier(**FEW), "imbalanced"),
    ),
)

OTHERS = Group(
    "Models without trees",
    "Such models are registered with `oracle_only=True`, which leaves predictions and methods that need no trees.",
    (
        Case("LogisticRegression", linear_model.LogisticRegression, "binary"),
        Case("LinearRegression", linear_model.LinearRegression, "values"),
        Case(
            "LogisticRegression, oracle_only",
            linear_model.LogisticRegression,
            "binary",
            options=(("oracle_only", True),),
        ),
        Case(
            "LogisticRegression, three classes, oracle_only",
            linear_model.LogisticRegression,
            "multiclass",
            options=(("oracle_only", True),),
        ),
        Case(
            "LinearRegression, oracle_only", linear_model.LinearRegression, "values", options=(("oracle_only", True),)
        ),
        Case("SVC, oracle_only", svm.SVC, "binary", options=(("oracle_only", True),)),
        Case("LinearSVC, oracle_only", svm.LinearSVC, "binary", options=(("oracle_only", True),)),
        Case(
            "MLPClassifier, oracle_only",
            lambda: neural_network.MLPClassifier((4,), max_iter=20, random_state=0),
            "binary",
            options=(("oracle_only", True),),
        ),
        Case(
            "KNeighborsClassifier, oracle_only",
            neighbors.KNeighborsClassifier,
            "binary",
            options=(("oracle_only", True),),
        ),
        Case("GaussianNB, oracle_only", naive_bayes.GaussianNB, "binary", options=(("oracle_only", True),)),
        Case(
            "SGDClassifier, oracle_only",
            lambda: linear_model.SGDClassifier(random_state=0),
            "binary",
            options=(("oracle_only", True),),
        ),
        Case("RidgeClassifier, oracle_only", linear_model.RidgeClassifier, "binary", options=(("oracle_only", True),)),
        Case("SVR, oracle_only", svm.SVR, "values", options=(("oracle_only", True),)),
        Case("GaussianProcessClassifier", GaussianProcessClassifier, "binary"),
        Case("DummyClassifier", dummy.DummyClassifier, "binary"),
        Case("KMeans", lambda: KMeans(2, n_init=1), "binary"),
        Case("RandomForestClassifier, not fitted", forest, "binary", lambda e, x, y: e, predict=lambda *_: None),
        Case(
            "a class rather than an instance",
            lambda: ensemble.RandomForestClassifier,
            "binary",
            lambda e, x, y: e,
            predict=lambda *_: None,
        ),
        Case("a text that is no path", lambda: "no model", "binary", lambda e, x, y: e, predict=lambda *_: None),
        Case("bytes that are no ONNX", lambda: b"no model", "binary", lambda e, x, y: e, predict=lambda *_: None),
        Case("a dictionary", dict, "binary", lambda e, x, y: e, predict=lambda *_: None),
        Case("None", lambda: None, "binary", lambda e, x, y: e, predict=lambda *_: None),
    ),
)
GROUPS = (FORESTS, LABELS, BOOSTING, IMBALANCED, OTHERS)
