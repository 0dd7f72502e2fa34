"""Unwrapping: the estimator that predicts, without the wrappers around it that predict what it predicts.

Searches, frozen and semi-supervised estimators, samplers and subclasses that change nothing are taken off. What decides
otherwise than the estimator in it (a cut-off, the inverse of a target's transformation) goes behind the steps of the
pipeline in it. No library is imported for that: classes are recognised by their names.
"""

import copy
from collections.abc import Iterator
from typing import Any

from ..errors import CannotConvert
from .refused_names import REFUSED

_LIBRARIES = ("xgboost", "lightgbm", "catboost", "sklearn")
# Attributes that hold the fitted estimator, by the class that predicts with it alone.
_INNER = {"FrozenEstimator": "estimator", "SelfTrainingClassifier": "estimator_"}
# The same of those that change what it predicts.
_CHANGING = {
    "FixedThresholdClassifier": "estimator_",
    "TunedThresholdClassifierCV": "estimator_",
    "TransformedTargetRegressor": "regressor_",
}
_ONE_OUTPUT = ("MultiOutputClassifier", "MultiOutputRegressor")
_PREDICTIONS = ("predict", "predict_proba", "decision_function")
_BASES = ("BaseEstimator", "ClassifierMixin", "RegressorMixin", "TransformerMixin")  # which predict nothing
_OF_TREES = ("BaseForest", "BaseGradientBoosting")
# What a subclass may have of its own: none of it is called by ``predict``.
_HARMLESS = (
    "fit",
    "partial_fit",
    "score",
    "get_",
    "set_",
    "staged_",
    "feature_importances",
    "_more_tags",
    "_repr",
    "_fit",
    "_abc",
    "_sklearn",
)


def class_names(estimator: object) -> list[str]:
    """Return the names of an estimator's class and of those that it is derived from."""
    return [kind.__name__ for kind in type(estimator).__mro__]


def unwrapped(estimator: Any) -> Any:  # estimators
    """Return the estimator that predicts what a fitted one predicts: a pipeline, or one without steps.

    The result may share fitted parts with the estimator, which stays as it is.

    Raises
    ------
    CannotConvert
        Where a subclass predicts by methods of its own, or a search kept no estimator.
    """
    if isinstance(estimator, str) or estimator is None:
        return estimator
    inner = _inner(estimator)
    if inner is not None:
        return _with_columns(unwrapped(inner), estimator)
    plain = _without_resampling(_as_library_class(estimator))
    if _is_pipeline(plain):
        return _flat_pipeline(plain)
    changing = _CHANGING.get(type(plain).__name__)
    return plain if changing is None else _behind_steps(plain, changing)


def final_step(estimator: Any) -> Any:  # an estimator
    """Return what predicts: the last step of a pipeline, else the estimator itself; neither is wrapped."""
    plain = unwrapped(estimator)
    return plain.steps[-1][1] if _is_pipeline(plain) else plain


def members_of(final: Any) -> list[Any]:  # estimators
    """Return the fitted estimators that an estimator without steps combines, not unwrapped; none for trees."""
    if not hasattr(final, "__dict__") or any(name in _OF_TREES for name in class_names(final)):
        return []
    parts = vars(final)
    if "calibrated_classifiers_" in parts:
        return [each.estimator for each in parts["calibrated_classifiers_"]]
    if "estimators_" in parts:
        return [*parts["estimators_"], *([parts["final_estimator_"]] if "final_estimator_" in parts else [])]
    return [parts[name] for name in ("estimator_", "regressor_") if parts.get(name) is not None][:1]


def all_models(estimator: Any) -> Iterator[Any]:  # estimators
    """Yield an estimator's last step, and those of all that it combines, at every depth."""
    final = final_step(estimator)
    yield final
    for member in members_of(final):
        yield from all_models(member)


def all_pipelines(estimator: Any) -> Iterator[Any]:  # pipelines
    """Yield the pipelines in an estimator, at every depth."""
    plain = unwrapped(estimator)
    if _is_pipeline(plain):
        yield plain
    for member in members_of(final_step(plain)):
        yield from all_pipelines(member)


def _inner(estimator: Any) -> Any:  # estimators
    """Return the fitted estimator that alone predicts in another; ``None`` where there is none."""
    names = class_names(estimator)
    if "BaseSearchCV" in names and not hasattr(estimator, "best_estimator_") and hasattr(estimator, "cv_results_"):
        detail = (
            f"this {type(estimator).__name__} was fitted with refit=False, and so has no model; fit it with "
            "refit=True, or register an estimator that you fitted with the best parameters"
        )
        raise CannotConvert("cannot_convert", detail)
    inner = vars(estimator).get("best_estimator_") if hasattr(estimator, "__dict__") else None
    if any(name in _ONE_OUTPUT for name in names) and len(getattr(estimator, "estimators_", ())) == 1:
        inner = estimator.estimators_[0]
    attribute = next((_INNER[name] for name in names if name in _INNER), None)
    inner = inner if attribute is None else vars(estimator).get(attribute)
    base = None if inner is None else _library_class(estimator)
    if base is not None:  # searches have methods of their own, which only fit them
        _refuse_own([name for name in _own_methods(estimator, base) if name in _PREDICTIONS], estimator, base)
    return inner


def _with_columns(inner: Any, outer: Any) -> Any:  # estimators
    """Return an estimator that knows names and number of its columns where the one around it knows them."""
    names = ("feature_names_in_", "n_features_in_")
    known = {name: getattr(outer, name) for name in names if hasattr(outer, name) and not hasattr(inner, name)}
    if not known or not type(inner).__module__.startswith("sklearn") or _is_pipeline(inner):
        return inner
    changed = copy.copy(inner)
    vars(changed).update(known)
    return changed


def _is_pipeline(estimator: Any) -> bool:  # an estimator
    return bool(getattr(estimator, "steps", None)) and "Pipeline" in class_names(estimator)


def _as_library_class(estimator: Any) -> Any:  # estimators
    """Return an instance of a subclass as one of the class of a library that it is derived from.

    Raises
    ------
    CannotConvert
        Where the subclass has methods of its own that may predict otherwise.
    """
    base = _library_class(estimator)
    if base is None:
        return estimator
    _refuse_own(_own_methods(estimator, base), estimator, base)
    plain: Any = object.__new__(base)
    vars(plain).update(vars(estimator))
    return plain


def _library_class(estimator: Any) -> type | None:  # an estimator
    """Return the class of a library that a subclass is derived from; ``None`` where the class is the library's own."""
    kinds = type(estimator).__mro__
    base = next((kind for kind in kinds if kind.__module__.partition(".")[0] in (*_LIBRARIES, "imblearn")), None)
    if base is None or base is type(estimator) or base.__name__ in _BASES:
        return None
    is_refused = any(kind.__name__ in REFUSED for kind in kinds[: kinds.index(base)])
    return None if is_refused else base  # a refused name says what it predicts


def _own_methods(estimator: Any, base: type) -> list[str]:  # an estimator
    """Return what a subclass has of its own that may be called when it predicts."""
    kinds = type(estimator).__mro__
    names = {name for kind in kinds[: kinds.index(base)] for name in vars(kind) if hasattr(base, name)}
    return sorted(name for name in names if not name.startswith(("__", "_parameter_constraints", *_HARMLESS)))


def _refuse_own(methods: list[str], estimator: Any, base: type) -> None:  # an estimator
    if methods:
        detail = (
            f"{type(estimator).__name__} has its own {', '.join(methods)}, which what it inherits from "
            f"{base.__name__} does not show; register a {base.__name__}, or write the model as ONNX yourself"
        )
        raise CannotConvert("cannot_convert", detail)


def _flat_pipeline(pipeline: Any) -> Any:  # pipelines
    """Return a pipeline whose last step is unwrapped and no pipeline, in place of one in which pipelines end."""
    *steps, (name, last) = pipeline.steps
    before = [(step_name, _plain_step(step)) for step_name, step in steps if not _passes(step)]
    inner = unwrapped(last)
    if not before:
        return _with_columns(inner, pipeline)
    if _is_pipeline(inner):
        before, (name, inner) = [*before, *inner.steps[:-1]], inner.steps[-1]
    elif inner is last and [plain for _, plain in before] == [step for _, step in steps]:
        return pipeline
    return _with_steps(pipeline, [*before, (name, inner)])


def _plain_step(step: Any) -> Any:  # steps
    """Return a step before a model, and those in it, frozen ones and subclasses that change nothing taken off."""
    if step is None or isinstance(step, str) or not hasattr(step, "__dict__"):
        return step
    if "FrozenEstimator" in class_names(step):
        return _plain_step(vars(step)["estimator"])
    for name in ("steps", "transformers_", "transformer_list"):
        parts = vars(step).get(name) or []
        plain = [(part[0], _plain_step(part[1]), *part[2:]) for part in parts if not _is_void(name, part[1])]
        if [part[1] for part in plain] != [part[1] for part in parts]:
            step = copy.copy(step)
            setattr(step, name, plain)
    base = _library_class(step)
    return step if base is None or _own_methods(step, base) else _as_library_class(step)


def _passes(step: Any) -> bool:  # a step, or the text for one
    return step is None or (isinstance(step, str) and step == "passthrough")


def _is_void(parts: str, step: Any) -> bool:  # a step, or the text for one
    """Whether a part of a step does nothing there: it passes columns on in a pipeline, or drops them in a union."""
    is_dropped = isinstance(step, str) and step == "drop"
    return _passes(step) if parts == "steps" else parts == "transformer_list" and is_dropped


def _with_steps(pipeline: Any, steps: list[tuple[str, Any]]) -> Any:  # pipelines
    names = [name for name, _ in steps]
    distinct = (
        steps if len(set(names)) == len(names) else [(f"{at}-{name}", step) for at, (name, step) in enumerate(steps)]
    )
    changed = copy.copy(pipeline)
    changed.steps = distinct
    return changed


def _behind_steps(wrapper: Any, attribute: str) -> Any:  # estimators
    """Return a wrapper around what it holds, unwrapped; the steps of a pipeline in it come before the wrapper."""
    held = vars(wrapper).get(attribute, getattr(wrapper, "estimator", None))
    if held is None or isinstance(held, type):
        return wrapper
    inner = unwrapped(held)
    if inner is vars(wrapper).get(attribute) and not _is_pipeline(inner):
        return _with_columns(wrapper, inner)
    changed = copy.copy(wrapper)
    if not _is_pipeline(inner):
        setattr(changed, attribute, inner)
        return _with_columns(changed, inner)
    *before, (name, last) = inner.steps
    setattr(changed, attribute, last)
    return _with_steps(inner, [*before, (name, changed)])


def _without_resampling(estimator: Any) -> Any:  # estimators
    """Return an estimator of imbalanced-learn as the one of scikit-learn that predicts the same.

    Resampling happens in fitting alone: pipelines lose their samplers, and ensembles become those that they are
    derived from, with the same fitted members.
    """
    if _is_pipeline(estimator) and any(hasattr(step, "fit_resample") for _, step in estimator.steps):
        from sklearn.pipeline import Pipeline  # an extra

        return Pipeline([(name, step) for name, step in estimator.steps if not hasattr(step, "fit_resample")])
    if not type(estimator).__module__.startswith("imblearn"):
        return estimator
    parent: Any = next(kind for kind in type(estimator).__mro__ if kind.__module__.startswith("sklearn"))
    plain = parent.__new__(parent)
    vars(plain).update(vars(estimator))
    return plain
