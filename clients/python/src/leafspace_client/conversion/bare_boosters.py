"""Bare boosters: what ``xgboost.train`` and ``lightgbm.train`` return, and ``catboost.CatBoost``.

Their objective says what they predict, and so which estimator of the library predicts the same. Classes are numbered
from 0, as such models number them, unless the caller names them.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from ..errors import CannotConvert

_CLASSES = ("binary", "multiclass", "multiclassova")  # objectives of LightGBM
_CATBOOST_CLASSES = ("Logloss", "CrossEntropy", "Focal", "MultiClass", "MultiClassOneVsAll")
_CATBOOST_VALUES = ("RMSE", "MAE", "MAPE", "Quantile", "LogCosh", "Lq", "Huber", "Expectile")  # without a link


def as_estimator(model: Any) -> Any:  # models of any library
    """Return the library's estimator that predicts what a bare booster predicts; any other model as it is.

    The booster stays as it is.

    Raises
    ------
    CannotConvert
        For a booster without trees, one that ranks, and one of an objective that no estimator has.
    """
    kind = type(model)
    bare = (kind.__module__.partition(".")[0], kind.__name__)
    if bare == ("xgboost", "Booster"):
        return _of_xgboost(model)
    if bare == ("lightgbm", "Booster"):
        return _of_lightgbm(model)
    return _of_catboost(model) if bare == ("catboost", "CatBoost") else model


def _of_xgboost(booster: Any) -> Any:  # an estimator
    import xgboost  # an extra

    try:
        raw = booster.save_raw("ubj")
        objective = json.loads(booster.save_config())["learner"]["objective"]["name"]
    except xgboost.core.XGBoostError as error:
        raise _unfitted("xgboost.train") from error
    _refuse_ranking(objective, is_ranking=objective.startswith("rank:"))
    is_classifier = objective.startswith(("binary:", "multi:"))
    estimator: Any = xgboost.XGBClassifier() if is_classifier else xgboost.XGBRegressor()
    estimator.load_model(raw)
    estimator.enable_categorical = True  # to take rows with categories, where the booster was trained on such
    # A booster predicts with all its trees; an estimator stops at the best round of early stopping.
    estimator.get_booster().set_attr(best_iteration=None, best_score=None)
    return estimator


def _of_lightgbm(booster: Any) -> Any:  # an estimator
    import lightgbm  # an extra
    import numpy as np  # an extra
    from sklearn.preprocessing import LabelEncoder  # an extra

    document = booster.dump_model()
    if not document["tree_info"]:
        raise _unfitted("lightgbm.train")
    objective = str(document.get("objective", "custom")).partition(" ")[0]
    _refuse_ranking(objective, is_ranking=objective in ("lambdarank", "rank_xendcg"))
    is_classifier = objective in _CLASSES
    boosting = "rf" if document["average_output"] else "gbdt"
    kind: Any = lightgbm.LGBMClassifier if is_classifier else lightgbm.LGBMRegressor
    estimator = kind(boosting_type=boosting, objective=None if objective == "custom" else objective)
    n_features = booster.num_feature()
    has_names = booster.feature_name() != [f"Column_{column}" for column in range(n_features)]
    # LightGBM has no way to load a booster into an estimator: these are what fitting leaves.
    vars(estimator).update(
        _Booster=booster,
        fitted_=True,
        _n_features=n_features,
        _n_features_in=n_features,
        _fitted_with_feature_names=has_names,
        _objective=estimator.objective or "custom",
        _best_iteration=booster.best_iteration,
    )
    if is_classifier:
        classes = np.arange(max(2, int(document["num_class"])))
        labels = LabelEncoder().fit(classes)
        vars(estimator).update(_le=labels, _classes=classes, _n_classes=len(classes))
    return estimator


def _of_catboost(model: Any) -> Any:  # an estimator
    import catboost  # an extra

    if not model.is_fitted():
        raise _unfitted("fit")
    loss = json.loads(model.get_metadata().get("params", "{}")).get("loss_function", {}).get("type")
    kinds = dict.fromkeys(_CATBOOST_CLASSES, "CatBoostClassifier") | dict.fromkeys(
        _CATBOOST_VALUES, "CatBoostRegressor"
    )
    if loss not in kinds:
        return model
    estimator = getattr(catboost, kinds[loss])()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.cbm")
        model.save_model(path)
        estimator.load_model(path)
    return estimator


def _unfitted(made_by: str) -> CannotConvert:
    return CannotConvert("cannot_convert", f"this booster has no trees: register what {made_by} returns")


def _refuse_ranking(objective: str, *, is_ranking: bool) -> None:
    if is_ranking:
        detail = (
            f"this booster cannot be registered: with the objective {objective} it ranks the rows of a query, and "
            "predicts neither classes nor values of their own"
        )
        raise CannotConvert("cannot_convert", detail)
