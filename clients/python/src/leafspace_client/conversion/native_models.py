"""Which models are written from their libraries' own documents: alone, behind steps, and inside other models."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..errors import CannotConvert, Invalid
from .estimators import ModelInputs, library_of
from .native_graph import behind_steps, native_onnx
from .native_trees import NativeTrees

# Each imports an extra.
_BOOSTERS = {"lightgbm": ".lightgbm_trees", "xgboost": ".xgboost_trees", "catboost": ".catboost_trees"}


def native_trees(final: Any, inputs: ModelInputs) -> NativeTrees | None:  # an estimator
    """Return a fitted booster, or histogram gradient boosting with categories, as it predicts; ``None`` for others.

    Raises
    ------
    CannotConvert
        For what has no counterpart in ONNX, by name and with what to do.
    """
    module = _BOOSTERS.get(library_of(final) or "")
    read: Callable[[Any, ModelInputs], NativeTrees]
    if module is not None:
        read = import_module(module, __package__).native_trees
        return _checked(final, read(final, inputs))
    histogram: Any = import_module(".histogram_categories", __package__)
    read = histogram.native_trees
    return read(final, inputs) if histogram.splits_categories(final) else None


def _checked(final: Any, model: NativeTrees) -> NativeTrees:  # an estimator
    """Return a booster that predicts one value for a row, or scores of classes; refuse others."""
    if model.labels is None and model.n_outputs > 1:
        detail = (
            f"this {type(final).__name__} cannot be registered: it is a regressor, and predicts {model.n_outputs} "
            "values for a row; fit the library's classifier"
        )
        raise CannotConvert("cannot_convert", detail)
    return model


def native_model_onnx(estimator: Any, inputs: ModelInputs) -> bytes | None:  # an estimator
    """Return a fitted model as ONNX, as its library's document has it; ``None`` for other models and for pipelines."""
    final = _only_step(estimator)
    if inputs.rows is not None and len(inputs.rows) == 0:
        raise Invalid("dataset_empty", "X has no rows; pass some, or leave it out")
    model = native_trees(final, inputs)
    if model is None:
        return None
    if not model.codings and "string" in (inputs.column_types or []):
        detail = (
            f"{type(final).__name__} was not fitted on categories, and X has texts; fit it on columns of the type "
            "category, or encode them before, for example with a OneHotEncoder in a scikit-learn pipeline"
        )
        raise CannotConvert("cannot_convert", detail)
    return native_onnx(model, inputs)


def _only_step(estimator: Any) -> Any:  # an estimator
    steps = getattr(estimator, "steps", None)
    return _only_step(steps[0][1]) if steps and len(steps) == 1 else estimator


def trees_behind_steps(final: Any) -> NativeTrees | None:  # an estimator
    """Return a model as the steps of a pipeline, or another model, feed it; ``None`` for models that are not native."""
    library = library_of(final)
    if (library == "catboost" and final.get_cat_feature_indices()) or (
        library == "lightgbm" and final.booster_.pandas_categorical
    ):
        detail = (
            f"{type(final).__name__} was fitted on categories that a step before it passes on, and which these are "
            "cannot be seen there; fit it without steps on a DataFrame, or encode the categories in a step before it, "
            "for example with a OneHotEncoder"
        )
        raise CannotConvert("cannot_convert", detail)
    model = native_trees(final, ModelInputs(None, getattr(final, "n_features_in_", 0), None, None))
    return None if model is None else behind_steps(model)
