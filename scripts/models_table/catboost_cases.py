"""Cases of CatBoost: losses, cut-offs, categories, forms of trees."""

import tempfile
from typing import Any

import numpy as np

from .cases import Case, Estimator, Group, Rows
from .estimators import cat, cat_regressor, going_on, predict_native, predict_raw_classes


def _cut(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    estimator.fit(rows, target).set_probability_threshold(0.25)
    return estimator


def _with_texts(rows: Rows) -> Rows:
    return rows.assign(sex=rows["sex"].astype(str), port=rows["port"].astype(object).where(rows["port"].notna(), "nan"))


def _fit_texts(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    return estimator.fit(_with_texts(rows), target)


def _read_from_file(estimator: Estimator, rows: Rows, target: Any) -> Estimator:
    with tempfile.TemporaryDirectory() as folder:
        estimator.fit(rows, target).save_model(f"{folder}/model.cbm")
        return type(estimator)().load_model(f"{folder}/model.cbm")


def _catboost_base(loss: str = "RMSE") -> Estimator:
    import catboost  # heavy

    return catboost.CatBoost(
        {"loss_function": loss, "iterations": 4, "depth": 3, "verbose": 0, "allow_writing_files": False}
    )


def _native_cat(_: Estimator, rows: Rows, target: Any) -> Estimator:
    import catboost  # heavy

    settings = {"loss_function": "RMSE", "iterations": 4, "depth": 3, "verbose": 0, "allow_writing_files": False}
    return catboost.train(pool=catboost.Pool(rows, target), params=settings)


_CAT_REGRESSIONS = {
    "RMSE": "values",
    "MAE": "values",
    "Quantile:alpha=0.8": "values",
    "Huber:delta=1": "values",
    "LogLinQuantile": "counts",
    "Poisson": "counts",
    "Tweedie:variance_power=1.5": "counts",
    "MAPE": "counts",
    "Expectile:alpha=0.8": "values",
    "Lq:q=3": "values",
    "LogCosh": "values",
    "RMSEWithUncertainty": "values",
    "MultiQuantile:alpha=0.2,0.8": "values",
}


CATBOOST = Group(
    "CatBoost",
    "Losses, cut-offs, categories and forms of trees.",
    (
        Case("CatBoostClassifier", cat(), "binary"),
        Case("CatBoostClassifier, three classes", cat(), "multiclass"),
        Case("CatBoostClassifier, missing values", cat(), "holes"),
        Case("CatBoostClassifier, array", cat(), "array"),
        Case("CatBoostClassifier, MultiClassOneVsAll", cat(loss_function="MultiClassOneVsAll"), "multiclass"),
        Case("CatBoostClassifier, CrossEntropy", cat(loss_function="CrossEntropy"), "binary"),
        Case("CatBoostClassifier, MultiClass of two classes", cat(loss_function="MultiClass"), "binary"),
        Case("CatBoostClassifier, set_probability_threshold", cat(), "binary", _cut),
        Case("CatBoostClassifier, auto_class_weights", cat(auto_class_weights="Balanced"), "imbalanced"),
        Case("CatBoostClassifier, init_model (goes on)", cat(), "binary", going_on("init_model")),
        Case(
            "CatBoostClassifier, early stopping",
            cat(early_stopping_rounds=1, n_estimators=30, learning_rate=1.0),
            "binary",
            lambda e, x, y: e.fit(x, y, eval_set=(x.iloc[::2], y[::2])),
        ),
        Case("CatBoostClassifier, grow_policy=Lossguide", cat(grow_policy="Lossguide", max_leaves=5), "binary"),
        Case("CatBoostClassifier, grow_policy=Depthwise", cat(grow_policy="Depthwise"), "binary"),
        Case("CatBoostClassifier, boost_from_average", cat(boost_from_average=True, loss_function="Logloss"), "binary"),
        Case("CatBoostClassifier, nan_mode=Max", cat(nan_mode="Max"), "holes"),
        Case("CatBoostClassifier, one feature", cat(), "one_feature"),
        Case("CatBoostClassifier, ties", cat(), "ties", ties=True),
        Case("CatBoostClassifier, no split", cat(min_data_in_leaf=60, grow_policy="Depthwise"), "binary"),
        Case(
            "CatBoostClassifier, categories one-hot",
            cat(cat_features=["sex", "port"], one_hot_max_size=10),
            "categories",
            _fit_texts,
            rows=_with_texts,
        ),
        Case(
            "CatBoostClassifier, categories by statistics",
            cat(cat_features=["sex", "port"], one_hot_max_size=1),
            "categories",
            _fit_texts,
            rows=_with_texts,
        ),
        Case(
            "CatBoostClassifier, categories by index",
            cat(cat_features=[3, 4], one_hot_max_size=10),
            "categories",
            _fit_texts,
            rows=_with_texts,
        ),
        Case(
            "CatBoostClassifier, categories that are numbers",
            cat(cat_features=["ward"], one_hot_max_size=10),
            "number_categories",
        ),
        Case("CatBoostClassifier, texts", cat(text_features=["review"]), "texts"),
        Case(
            "CatBoostClassifier, embeddings",
            cat(embedding_features=["e"]),
            "binary",
            lambda e, x, y: e.fit(x.assign(e=list(x[["age", "fare"]].to_numpy())), y),
            rows=lambda x: x.assign(e=list(x[["age", "fare"]].to_numpy())),
        ),
        Case("CatBoostClassifier, infinite cells", cat(), "infinite"),
        Case("CatBoostRegressor, infinite and missing cells", cat_regressor(), "infinite_values"),
        Case("CatBoostClassifier, labels of bool", cat(), "binary", lambda e, x, y: e.fit(x, y > 0)),
        Case(
            "CatBoostClassifier, labels of texts",
            cat(),
            "binary",
            lambda e, x, y: e.fit(x, np.array(["no", "yes"])[y]),
        ),
        Case(
            "CatBoost, the base class, Logloss",
            lambda: _catboost_base("Logloss"),
            "binary",
            predict=predict_raw_classes,
        ),
        Case("CatBoost, the base class, Poisson", lambda: _catboost_base("Poisson"), "counts", predict=predict_native),
        Case("CatBoostClassifier, read from a file", cat(), "binary", _read_from_file),
        Case("CatBoost, the base class, RMSE", _catboost_base, "values", predict=predict_native),
        *(
            Case(f"CatBoostRegressor, {loss}", cat_regressor(loss_function=loss), data)
            for loss, data in _CAT_REGRESSIONS.items()
        ),
        Case(
            "CatBoostRegressor, categories one-hot",
            cat_regressor(cat_features=["sex", "port"], one_hot_max_size=10),
            "categories",
            _fit_texts,
            rows=_with_texts,
        ),
        Case("CatBoostRegressor, grow_policy=Lossguide", cat_regressor(grow_policy="Lossguide"), "values"),
        Case("CatBoostRegressor, grow_policy=Depthwise", cat_regressor(grow_policy="Depthwise"), "values"),
        Case(
            "CatBoostRegressor, scale and bias",
            cat_regressor(),
            "values",
            lambda e, x, y: (e.fit(x, y).set_scale_and_bias(2.0, 1.0), e)[1],
        ),
        Case("CatBoostRegressor, MultiRMSE", cat_regressor(loss_function="MultiRMSE"), "two_targets"),
        Case("CatBoostRegressor, large values", cat_regressor(), "values", lambda e, x, y: e.fit(x, y * 1e6)),
        Case(
            "CatBoostRanker, YetiRank",
            cat("CatBoostRanker", loss_function="YetiRank"),
            "counts",
            lambda e, x, y: e.fit(x, np.clip(y, 0, 3), group_id=np.arange(len(x)) // 30),
        ),
        Case("catboost.train, RMSE", dict, "values", _native_cat, predict=predict_native),
    ),
)

GROUPS = (CATBOOST,)
