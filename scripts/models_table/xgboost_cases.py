"""Cases of XGBoost: objectives, boosters, starting points, categories, numbers of trees."""

from typing import Any

import numpy as np

from .cases import Case, Estimator, Fit, Group, Rows
from .data import with_infinite_cells
from .estimators import going_on, predict_native, predict_native_classes, validated, weighted, xgb, xgb_regressor


def _survival(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    return estimator.fit(rows, np.where(np.arange(len(rows)) % 4, target, -target))


def _margins(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    return estimator.fit(rows, target, base_margin=np.full(len(rows), 0.7))


def _lgb_custom(target: Any, predicted: Any) -> Any:
    share = 1 / (1 + np.exp(-predicted))
    return share - target, share * (1 - share)


def _native_xgb(settings: dict[str, Any], rounds: int = 4) -> Fit:
    def fit(_: Estimator, rows: Rows, target: Any) -> Estimator:
        import xgboost  # heavy

        return xgboost.train({"max_depth": 3, "nthread": 1, **settings}, xgboost.DMatrix(rows, target), rounds)

    return fit


def _stopped_early(_: Estimator, rows: Rows, target: Any) -> Estimator:
    import xgboost  # heavy

    data, other = xgboost.DMatrix(rows, target), xgboost.DMatrix(rows, target[::-1])
    settings = {"max_depth": 3, "nthread": 1, "learning_rate": 1.0}
    return xgboost.train(settings, data, 20, evals=[(other, "other")], early_stopping_rounds=2, verbose_eval=False)


def _of_own_objective(_: Estimator, rows: Rows, target: Any) -> Estimator:
    import xgboost  # heavy

    data = xgboost.DMatrix(rows, target)
    settings = {"max_depth": 3, "nthread": 1}
    return xgboost.train(settings, data, 4, obj=lambda raw, known: (raw - known.get_label(), np.ones_like(raw)))


def _beyond_ascii(rows: Rows) -> Rows:
    return rows.assign(port=rows["port"].cat.rename_categories(lambda port: f"{port} près de la côte"))


def _survival_times(_: Estimator, rows: Rows, target: Any) -> Estimator:
    import xgboost  # heavy

    data = xgboost.DMatrix(rows)
    data.set_float_info("label_lower_bound", target)
    data.set_float_info("label_upper_bound", target + 1)
    return xgboost.train({"objective": "survival:aft", "max_depth": 3, "nthread": 1}, data, 4)


_XGB_REGRESSIONS = {
    "reg:squarederror": "values",
    "reg:squaredlogerror": "counts",
    "reg:absoluteerror": "values",
    "reg:pseudohubererror": "values",
    "reg:logistic": "shares",
    "reg:gamma": "counts",
    "reg:tweedie": "counts",
    "count:poisson": "counts",
}


XGBOOST = Group(
    "XGBoost",
    "Objectives, boosters, starting points, categories and numbers of trees.",
    (
        Case("XGBClassifier", xgb(), "binary"),
        Case("XGBClassifier, three classes", xgb(), "multiclass"),
        Case("XGBClassifier, missing values", xgb(), "holes"),
        Case("XGBClassifier, infinite cells in the rows", xgb(), "binary", rows=with_infinite_cells),
        Case("XGBRegressor, infinite cells in the rows", xgb_regressor(), "values", rows=with_infinite_cells),
        Case("XGBClassifier, array", xgb(), "array"),
        Case("XGBClassifier, multi:softmax", xgb(objective="multi:softmax"), "multiclass"),
        Case("XGBClassifier, multi:softprob of two classes", xgb(objective="multi:softprob", num_class=2), "binary"),
        Case("XGBClassifier, binary:logitraw", xgb(objective="binary:logitraw"), "binary"),
        Case("XGBClassifier, binary:hinge", xgb(objective="binary:hinge"), "binary"),
        Case("XGBClassifier, reg:logistic", xgb(objective="reg:logistic"), "binary"),
        Case("XGBClassifier, base_score=0.3", xgb(base_score=0.3), "binary"),
        Case("XGBClassifier, base_score=0.3, no split", xgb(base_score=0.3, gamma=1e6), "binary"),
        Case("XGBClassifier, no split", xgb(gamma=1e6), "binary"),
        Case("XGBClassifier, no split, three classes", xgb(gamma=1e6), "multiclass"),
        Case("XGBClassifier, n_estimators=0", xgb(n_estimators=0), "binary"),
        Case("XGBClassifier, one class", xgb(), "one_class"),
        Case("XGBClassifier, one feature", xgb(), "one_feature"),
        Case("XGBClassifier, ties", xgb(), "ties", ties=True),
        Case("XGBClassifier, num_parallel_tree=3", xgb(num_parallel_tree=3, subsample=0.7), "binary"),
        Case(
            "XGBClassifier, num_parallel_tree=3, three classes", xgb(num_parallel_tree=3, subsample=0.7), "multiclass"
        ),
        Case("XGBClassifier, xgb_model (goes on)", xgb(), "binary", going_on("xgb_model")),
        Case("XGBClassifier, xgb_model, three classes", xgb(), "multiclass", going_on("xgb_model")),
        Case(
            "XGBClassifier, early stopping",
            xgb(early_stopping_rounds=1, n_estimators=30, learning_rate=1.0),
            "binary",
            validated,
        ),
        Case(
            "XGBClassifier, early stopping, three classes",
            xgb(early_stopping_rounds=1, n_estimators=30, learning_rate=1.0),
            "multiclass",
            validated,
        ),
        Case("XGBClassifier, dart", xgb(booster="dart", rate_drop=0.5), "binary"),
        Case("XGBClassifier, dart, three classes", xgb(booster="dart", rate_drop=0.5), "multiclass"),
        Case("XGBClassifier, gblinear", xgb(booster="gblinear"), "binary"),
        Case("XGBClassifier, grow_policy=lossguide", xgb(grow_policy="lossguide", max_leaves=5), "binary"),
        Case("XGBClassifier, tree_method=exact", xgb(tree_method="exact"), "binary"),
        Case("XGBClassifier, tree_method=approx", xgb(tree_method="approx"), "multiclass"),
        Case("XGBClassifier, monotone_constraints", xgb(monotone_constraints=(1, 0, 0, 0)), "binary"),
        Case("XGBClassifier, scale_pos_weight", xgb(scale_pos_weight=3.0), "imbalanced"),
        Case("XGBClassifier, max_delta_step", xgb(max_delta_step=0.5), "binary"),
        Case("XGBClassifier, sample_weight", xgb(), "binary", weighted),
        Case("XGBClassifier, base_margin", xgb(), "binary", _margins),
        Case("XGBClassifier, multi_output_tree", xgb(multi_strategy="multi_output_tree"), "multiclass"),
        Case(
            "XGBClassifier, missing=-999",
            xgb(missing=-999.0),
            "holes",
            lambda e, x, y: e.fit(x.fillna(-999.0), y),
            rows=lambda x: x.fillna(-999.0),
        ),
        Case("XGBClassifier, categories", xgb(enable_categorical=True), "categories"),
        Case(
            "XGBClassifier, categories by partitions", xgb(enable_categorical=True, max_cat_to_onehot=1), "categories"
        ),
        Case(
            "XGBClassifier, categories that are numbers",
            xgb(enable_categorical=True, max_cat_to_onehot=1),
            "number_categories",
        ),
        Case(
            "XGBClassifier, categories with letters beyond ASCII",
            xgb(enable_categorical=True),
            "categories",
            lambda e, x, y: e.fit(_beyond_ascii(x), y),
            rows=_beyond_ascii,
        ),
        Case(
            "XGBClassifier, feature_types=c",
            xgb(enable_categorical=True, feature_types=["c"]),
            "changes",
            lambda e, x, y: e.fit(x + 2, y),
            rows=lambda x: x + 2,
        ),
        Case("XGBClassifier, custom objective", xgb(objective=_lgb_custom), "binary"),
        Case(
            "XGBClassifier, rank:pairwise as XGBRanker",
            xgb("XGBRanker", objective="rank:pairwise"),
            "counts",
            lambda e, x, y: e.fit(x, np.clip(y, 0, 3), group=[30, 30]),
        ),
        Case(
            "XGBRanker, rank:ndcg",
            xgb("XGBRanker"),
            "counts",
            lambda e, x, y: e.fit(x, np.clip(y, 0, 3), group=[30, 30]),
        ),
        *(
            Case(f"XGBRegressor, {objective}", xgb_regressor(objective=objective), data)
            for objective, data in _XGB_REGRESSIONS.items()
        ),
        *(
            Case(f"XGBRegressor, {objective}, no split", xgb_regressor(objective=objective, gamma=1e6), data)
            for objective, data in _XGB_REGRESSIONS.items()
        ),
        Case(
            "XGBRegressor, reg:quantileerror",
            xgb_regressor(objective="reg:quantileerror", quantile_alpha=0.8),
            "values",
        ),
        Case(
            "XGBRegressor, reg:quantileerror, several",
            xgb_regressor(objective="reg:quantileerror", quantile_alpha=[0.2, 0.8]),
            "values",
        ),
        Case("XGBRegressor, survival:cox", xgb_regressor(objective="survival:cox"), "counts", _survival),
        Case("xgboost.train, survival:aft", dict, "counts", _survival_times, predict=predict_native),
        Case("XGBRegressor, base_score=100", xgb_regressor(base_score=100.0), "values"),
        Case("XGBRegressor, num_parallel_tree=3", xgb_regressor(num_parallel_tree=3, subsample=0.7), "values"),
        Case("XGBRegressor, xgb_model (goes on)", xgb_regressor(), "values", going_on("xgb_model")),
        Case("XGBRegressor, dart", xgb_regressor(booster="dart", rate_drop=0.5), "values"),
        Case("XGBRegressor, gblinear", xgb_regressor(booster="gblinear"), "values"),
        Case("XGBRegressor, constant target", xgb_regressor(), "constant"),
        Case("XGBRegressor, two targets", xgb_regressor(), "two_targets"),
        Case(
            "XGBRegressor, custom objective", xgb_regressor(objective=lambda y, p: (p - y, np.ones_like(y))), "values"
        ),
        Case("XGBRegressor, large values", xgb_regressor(), "values", lambda e, x, y: e.fit(x, y * 1e6)),
        Case("XGBRFClassifier", xgb("XGBRFClassifier"), "binary"),
        Case("XGBRFClassifier, three classes", xgb("XGBRFClassifier"), "multiclass"),
        Case("XGBRFRegressor", xgb("XGBRFRegressor"), "values"),
        Case(
            "xgboost.train, binary:logistic",
            dict,
            "binary",
            _native_xgb({"objective": "binary:logistic"}),
            predict=predict_native_classes,
        ),
        Case(
            "xgboost.train, multi:softprob",
            dict,
            "multiclass",
            _native_xgb({"objective": "multi:softprob", "num_class": 3}),
            predict=predict_native_classes,
        ),
        Case("xgboost.train, stopped early", dict, "values", _stopped_early, predict=predict_native),
        Case(
            "xgboost.train, some of its rounds",
            dict,
            "values",
            lambda e, x, y: _native_xgb({})(e, x, y)[1:3],
            predict=predict_native,
        ),
        Case("xgboost.train, an objective of one's own", dict, "values", _of_own_objective, predict=predict_native),
        Case(
            "xgboost.train, rank:ndcg", dict, "counts", _native_xgb({"objective": "rank:ndcg"}), predict=predict_native
        ),
        Case(
            "xgboost.train, reg:squarederror",
            dict,
            "values",
            _native_xgb({"objective": "reg:squarederror"}),
            predict=predict_native,
        ),
    ),
)

GROUPS = (XGBOOST,)
