"""Kinds: which library a model is of and whether it averages or adds its trees, told by the names of its classes.

Nothing is imported for that: only libraries that are there can have made the model.
"""

from typing import Any, Literal

from ..errors import CannotConvert

Ensemble = Literal["random_forest", "boosting", "other"]
Library = Literal["sklearn", "xgboost", "lightgbm", "catboost"]

_LIBRARIES: tuple[Library, ...] = ("xgboost", "lightgbm", "catboost", "sklearn")
_ENSEMBLES: dict[str, Ensemble] = {
    "XGBRFClassifier": "random_forest",
    "XGBRFRegressor": "random_forest",
    "XGBModel": "boosting",
    "CatBoost": "boosting",
    "BaseForest": "random_forest",
    "BaseDecisionTree": "random_forest",
    "BaseGradientBoosting": "boosting",
    "BaseHistGradientBoosting": "boosting",
}
_REFUSED = {
    "Booster": (
        "a bare Booster does not say what it predicts; load it into the library's XGBClassifier, XGBRegressor, "
        "LGBMClassifier or LGBMRegressor, or write it as ONNX and register the file"
    ),
    "IsolationForest": "it scores outliers, and is neither a classifier nor a regressor",
    "RandomTreesEmbedding": "it makes features, and is neither a classifier nor a regressor",
    "TransformedTargetRegressor": "ONNX has no way back from the transformed target; register its regressor_ instead",
    "StackingClassifier": "its trees are not the ones that decide",
    "StackingRegressor": "its trees are not the ones that decide",
}


def unwrapped(model: Any) -> Any:  # noqa: ANN401  # an estimator
    """Return the fitted estimator inside a search over parameters; refuse by name what has no counterpart."""
    estimator = getattr(model, "best_estimator_", model)
    for name in _class_names(final_step(estimator)):
        if name in _REFUSED:
            detail = f"{type(estimator).__name__} cannot be registered: {_REFUSED[name]}"
            raise CannotConvert("cannot_convert", detail)
    return estimator


def library_of(estimator: Any) -> Library | None:  # noqa: ANN401  # an estimator
    """Return the library that an estimator is of; a class derived from one counts as that."""
    for kind in type(estimator).__mro__:
        for library in _LIBRARIES:
            if kind.__module__.partition(".")[0] == library:
                return library
    return None


def final_step(estimator: Any) -> Any:  # noqa: ANN401  # an estimator
    """Return what predicts: the last step of a pipeline, else the estimator itself."""
    steps = getattr(estimator, "steps", None)
    return final_step(steps[-1][1]) if steps else estimator


def decides_in_double(final: Any) -> bool:  # noqa: ANN401  # an estimator
    """Whether a model compares rows with its thresholds in double precision; all others take them in single."""
    return any(name in ("LGBMModel", "BaseHistGradientBoosting") for name in _class_names(final))


def ensemble_of(estimator: Any) -> Ensemble:  # noqa: ANN401  # an estimator
    """Return whether the trees are averaged (``random_forest``), added (``boosting``) or neither for certain."""
    final = final_step(estimator)
    names = _class_names(final)
    if "LGBMModel" in names:
        return "random_forest" if final.get_params().get("boosting_type") == "rf" else "boosting"
    if "BaseBagging" in names:
        members = getattr(final, "estimators_", [])
        is_forest = bool(members) and all("BaseDecisionTree" in _class_names(member) for member in members)
        return "random_forest" if is_forest else "other"
    return next((_ENSEMBLES[name] for name in names if name in _ENSEMBLES), "other")


def _class_names(estimator: object) -> list[str]:
    return [kind.__name__ for kind in type(estimator).__mro__]
