"""Refusals: models that cannot be registered, recognised by name, with what to do instead."""

from typing import Any

from ..errors import CannotConvert
from .estimators import library_of
from .refused_names import REFUSED, SEVERAL, STACKED
from .unwrapping import all_models, class_names, final_step

_READ_NO_COLUMNS = {
    **dict.fromkeys(("CountVectorizer", "HashingVectorizer", "TfidfVectorizer"), "texts"),
    **dict.fromkeys(("DictVectorizer", "FeatureHasher"), "dictionaries"),
}


def refuse_by_name(estimator: Any, *, oracle_only: bool = False) -> None:  # an estimator
    """Refuse a model of which nothing like it can be explained; an oracle may be a stack.

    Raises
    ------
    CannotConvert
        Naming the model, why, and what to do.
    """
    final = final_step(estimator)
    for model in all_models(estimator):
        for name in class_names(model):
            if name in REFUSED and not (oracle_only and REFUSED[name] == STACKED):
                inner = "" if model is final else f", in it {type(model).__name__}"
                detail = f"{type(final).__name__}{inner} cannot be registered: {REFUSED[name]}"
                raise CannotConvert("cannot_convert", detail)


def refuse_unfitted(estimator: Any) -> None:  # an estimator
    """Refuse an estimator that was never fitted.

    Fitting leaves attributes of scikit-learn's whose names end with an underscore, and a Booster in those of others.
    """
    for model in all_models(estimator):
        _refuse_unfitted(model)


def _refuse_unfitted(final: Any) -> None:  # an estimator
    if final is None or isinstance(final, str):
        detail = "the last step of the pipeline predicts nothing; register one that ends in a classifier or a regressor"
        raise CannotConvert("cannot_convert", detail)
    library = library_of(final)
    if library == "catboost":
        is_fitted = bool(final.is_fitted())
    elif library in ("xgboost", "lightgbm"):
        is_fitted = getattr(final, "_Booster", None) is not None
    else:
        is_fitted = any(name.endswith("_") and not name.startswith("_") for name in vars(final))
    if not is_fitted:
        detail = f"this {type(final).__name__} is not fitted yet: call fit(X, y) before you register it"
        raise CannotConvert("cannot_convert", detail)


def refuse_made_features(estimator: Any) -> None:  # an estimator
    """Refuse texts and embeddings, of which CatBoost makes numbers that ONNX does not have."""
    for final in all_models(estimator):
        if library_of(final) == "catboost":
            _refuse_made_features(final)


def _refuse_made_features(final: Any) -> None:  # an estimator
    for kind in ("text", "embedding"):
        names = [final.feature_names_[index] for index in getattr(final, f"get_{kind}_feature_indices")()]
        if names:
            detail = (
                f"this {type(final).__name__} cannot be registered: it makes numbers of its own of the columns {names} "
                f"({kind}_features); fit it on numbers that a step before it makes of them, or without them"
            )
            raise CannotConvert("cannot_convert", detail)


def refuse_rows_without_columns(estimator: Any) -> None:  # an estimator
    """Refuse a pipeline whose first step makes columns of texts or dictionaries, which have none of their own.

    Raises
    ------
    CannotConvert
        Naming the step, and what to register in its place.
    """
    steps = getattr(estimator, "steps", None) or [("", None)]
    first = type(steps[0][1]).__name__
    if first in _READ_NO_COLUMNS:
        detail = (
            f"{type(estimator).__name__} begins with {first}, which reads {_READ_NO_COLUMNS[first]} in place of "
            "columns and has no counterpart in ONNX here; register the pipeline's last step with the rows that come to "
            "it, client.register_model(pipeline[-1], X=pipeline[:-1].transform(X))"
        )
        raise CannotConvert("cannot_convert", detail)


def refuse_linear_leaves(estimator: Any, *, oracle_only: bool) -> None:  # an estimator
    """Refuse LightGBM's trees whose leaves hold linear models; an oracle may have them."""
    for model in all_models(estimator):
        if library_of(model) == "lightgbm" and not oracle_only and "is_linear=1" in model.booster_.model_to_string():
            detail = (
                f"this {type(model).__name__} cannot be registered: its leaves hold linear models (linear_tree=True), "
                "and do not alone decide what is predicted; fit it with linear_tree=False, or register it with "
                "oracle_only=True to approximate it by a tree"
            )
            raise CannotConvert("cannot_convert", detail)


def refuse_several_targets(estimator: Any) -> None:  # an estimator
    """Refuse a model of scikit-learn that predicts several values for a row; boosters say so as they are read."""
    final = final_step(estimator)
    n_targets = getattr(final, "n_outputs_", 1)
    if "MLPClassifier" in class_names(final) and final.out_activation_ == "softmax":
        n_targets = 1  # a network counts its units: one for each class
    if n_targets != 1:
        raise CannotConvert("cannot_convert", f"{type(final).__name__} cannot be registered: {SEVERAL}")
