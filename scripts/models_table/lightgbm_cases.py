"""Cases of LightGBM: objectives, boosters, categories, its own zero, numbers of trees."""

from typing import Any

import numpy as np

from .cases import Case, Estimator, Fit, Group, Rows
from .estimators import going_on, lgb, lgb_regressor, predict_native, predict_native_classes, validated, weighted


def _lgb_custom(target: Any, predicted: Any) -> Any:
    share = 1 / (1 + np.exp(-predicted))
    return share - target, share * (1 - share)


def _native_lgb(settings: dict[str, Any]) -> Fit:
    def fit(_: Estimator, rows: Rows, target: Any) -> Estimator:
        import lightgbm  # heavy

        known = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 5, **settings}
        return lightgbm.train(known, lightgbm.Dataset(rows, target), 4)

    return fit


def _read_from_text(_: Estimator, rows: Rows, target: Any) -> Estimator:
    import lightgbm  # heavy

    booster = _native_lgb({"objective": "multiclass", "num_class": 3})(_, rows, target)
    return lightgbm.Booster(model_str=booster.model_to_string())


_LGB_REGRESSIONS = {
    "regression": "values",
    "regression_l1": "values",
    "huber": "values",
    "fair": "values",
    "quantile": "values",
    "mape": "counts",
    "poisson": "counts",
    "gamma": "counts",
    "tweedie": "counts",
    "cross_entropy": "shares",
    "cross_entropy_lambda": "shares",
}


LIGHTGBM = Group(
    "LightGBM",
    "Objectives, boosters, categories, LightGBM's own zero and numbers of trees.",
    (
        Case("LGBMClassifier", lgb(), "binary"),
        Case("LGBMClassifier, three classes", lgb(), "multiclass"),
        Case("LGBMClassifier, missing values", lgb(), "holes"),
        Case("LGBMClassifier, array", lgb(), "array"),
        Case("LGBMClassifier, multiclassova", lgb(objective="multiclassova"), "multiclass"),
        Case("LGBMClassifier, sigmoid=2.5", lgb(sigmoid=2.5), "binary"),
        Case("LGBMClassifier, multiclassova, sigmoid=2.5", lgb(objective="multiclassova", sigmoid=2.5), "multiclass"),
        Case("LGBMClassifier, cross_entropy", lgb(objective="cross_entropy"), "binary"),
        Case("LGBMClassifier, is_unbalance", lgb(is_unbalance=True), "imbalanced"),
        Case("LGBMClassifier, class_weight", lgb(class_weight="balanced"), "imbalanced"),
        Case("LGBMClassifier, boost_from_average=False", lgb(boost_from_average=False), "binary"),
        Case("LGBMClassifier, no split", lgb(min_child_samples=1000), "binary"),
        Case("LGBMClassifier, no split, three classes", lgb(min_child_samples=1000), "multiclass"),
        Case("LGBMClassifier, one class", lgb(), "one_class"),
        Case("LGBMClassifier, one feature", lgb(), "one_feature"),
        Case("LGBMClassifier, ties", lgb(), "ties", ties=True),
        Case("LGBMClassifier, init_model (goes on)", lgb(), "binary", going_on("init_model")),
        Case("LGBMClassifier, init_model, three classes", lgb(), "multiclass", going_on("init_model")),
        Case(
            "LGBMClassifier, early stopping",
            lgb(early_stopping_round=1, n_estimators=40, learning_rate=1.0),
            "binary",
            validated,
        ),
        Case("LGBMClassifier, dart", lgb(boosting_type="dart", drop_rate=0.5), "binary"),
        Case("LGBMClassifier, rf", lgb(boosting_type="rf", bagging_freq=1, bagging_fraction=0.6), "binary"),
        Case(
            "LGBMClassifier, rf, three classes",
            lgb(boosting_type="rf", bagging_freq=1, bagging_fraction=0.6),
            "multiclass",
        ),
        Case("LGBMClassifier, goss", lgb(data_sample_strategy="goss"), "binary"),
        Case("LGBMClassifier, extra_trees", lgb(extra_trees=True), "binary"),
        Case("LGBMClassifier, linear_tree", lgb(linear_tree=True), "binary"),
        Case("LGBMClassifier, monotone_constraints", lgb(monotone_constraints=[1, 0, 0, 0]), "binary"),
        Case("LGBMClassifier, path_smooth", lgb(path_smooth=2.0), "binary"),
        Case("LGBMClassifier, zero_as_missing", lgb(zero_as_missing=True), "changes"),
        Case("LGBMClassifier, use_missing=False", lgb(use_missing=False), "holes"),
        Case("LGBMClassifier, changes around 0", lgb(), "changes"),
        Case("LGBMClassifier, categories", lgb(min_data_per_group=2, cat_smooth=1), "categories"),
        Case(
            "LGBMClassifier, categories that are numbers", lgb(min_data_per_group=2, cat_smooth=1), "number_categories"
        ),
        Case(
            "LGBMClassifier, categorical_feature by index",
            lgb(min_data_per_group=2, cat_smooth=1),
            "changes",
            lambda e, x, y: e.fit(x + 2, y, categorical_feature=[0]),
            rows=lambda x: x + 2,
        ),
        Case("LGBMClassifier, infinite cells", lgb(), "infinite"),
        Case("LGBMRegressor, infinite and missing cells", lgb_regressor(), "infinite_values"),
        Case("LGBMClassifier, sample_weight", lgb(), "binary", weighted),
        Case("LGBMClassifier, custom objective", lgb(objective=_lgb_custom), "binary"),
        Case(
            "LGBMClassifier, names with blanks",
            lgb(),
            "binary",
            lambda e, x, y: e.fit(x.rename(columns={"age": "the age"}), y),
            rows=lambda x: x.rename(columns={"age": "the age"}),
        ),
        *(
            Case(f"LGBMRegressor, {objective}", lgb_regressor(objective=objective), data)
            for objective, data in _LGB_REGRESSIONS.items()
        ),
        *(
            Case(
                f"LGBMRegressor, {objective}, no split",
                lgb_regressor(objective=objective, min_child_samples=1000),
                data,
            )
            for objective, data in _LGB_REGRESSIONS.items()
        ),
        Case("LGBMRegressor, reg_sqrt", lgb_regressor(reg_sqrt=True), "values"),
        Case("LGBMRegressor, linear_tree", lgb_regressor(linear_tree=True), "values"),
        Case("LGBMRegressor, dart", lgb_regressor(boosting_type="dart", drop_rate=0.5), "values"),
        Case("LGBMRegressor, rf", lgb_regressor(boosting_type="rf", bagging_freq=1, bagging_fraction=0.6), "values"),
        Case("LGBMRegressor, init_model (goes on)", lgb_regressor(), "values", going_on("init_model")),
        Case("LGBMRegressor, constant target", lgb_regressor(), "constant"),
        Case(
            "LGBMRegressor, custom objective", lgb_regressor(objective=lambda y, p: (p - y, np.ones_like(y))), "values"
        ),
        Case("LGBMRegressor, large values", lgb_regressor(), "values", lambda e, x, y: e.fit(x, y * 1e6)),
        Case(
            "LGBMRanker",
            lgb("LGBMRanker"),
            "counts",
            lambda e, x, y: e.fit(x, np.clip(y, 0, 3).astype(int), group=[30, 30]),
        ),
        Case(
            "lightgbm.train, binary",
            dict,
            "binary",
            _native_lgb({"objective": "binary"}),
            predict=predict_native_classes,
        ),
        Case(
            "lightgbm.train, multiclass, read from its text",
            dict,
            "multiclass",
            _read_from_text,
            predict=predict_native_classes,
        ),
        Case(
            "lightgbm.train, rf",
            dict,
            "binary",
            _native_lgb({"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}),
            predict=predict_native_classes,
        ),
        Case("lightgbm.train, poisson", dict, "counts", _native_lgb({"objective": "poisson"}), predict=predict_native),
        Case(
            "lightgbm.train, regression",
            dict,
            "values",
            _native_lgb({"objective": "regression"}),
            predict=predict_native,
        ),
    ),
)

GROUPS = (LIGHTGBM,)
