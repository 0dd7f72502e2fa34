"""Failures of converters, which raise whatever they meet, in words: which part of a model, and what to do."""

from collections.abc import Iterator
from typing import Any

from ..errors import CannotConvert
from .unwrapping import all_models, all_pipelines, final_step

_NO_COUNTERPART = "has no counterpart in ONNX here"
_IN_PLACE = (
    "register the pipeline's last step with the rows that come to it, "
    "client.register_model(pipeline[-1], X=pipeline[:-1].transform(X)), or put another step in its place"
)
_INSIDE = "put another step in its place, or fit the {whole} on rows that the step has transformed"


def conversion_failure(estimator: Any, error: Exception) -> CannotConvert:  # an estimator
    """Return what to raise in place of an error in the conversion of a fitted estimator."""
    part = getattr(error, "step", None)
    why = _NO_COUNTERPART if part is None else str(error)
    if part is None:
        part = next((each for each in all_models(estimator) if not _is_known(each)), None)
    part = _failed_part(error) if part is None else part
    whole = type(estimator).__name__
    step = None if part is None else _step_of(estimator, part)
    if step is not None:
        todo = _IN_PLACE if step in dict(getattr(estimator, "steps", ())) else _INSIDE.format(whole=whole)
        detail = f"{whole} cannot be converted: {type(part).__name__}, in its step {step!r}, {why}; {todo}"
        return CannotConvert("cannot_convert", detail)
    model = final_step(estimator) if part is None else part
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    inner = kind if type(model).__name__ == whole else f"{kind}, a part of this {whole},"
    detail = (
        f"{inner} cannot be converted to ONNX with the parameters that it has; register a model of trees that is of "
        "scikit-learn, XGBoost, LightGBM or CatBoost itself, or write this one as ONNX and register the file"
    )
    return CannotConvert("cannot_convert", detail)


def _step_of(estimator: Any, part: Any) -> str | None:  # estimators
    """Return the name of the step that a part, or a copy of it, is in; ``None`` where it is in none."""
    alike = [(name, each) for name, each in _steps(estimator) if type(each) is type(part)]
    same = [name for name, each in alike if repr(each) == repr(part)]
    return next(iter([*same, *(name for name, _ in alike)]), None)


def _is_known(model: Any) -> bool:  # an estimator
    """Whether a class of models is written here, or by skl2onnx."""
    from skl2onnx._supported_operators import sklearn_operator_name_map  # an extra

    from .combinations import is_written  # imports an extra

    return type(model) in sklearn_operator_name_map or is_written(model)


def _failed_part(error: Exception) -> Any:  # an estimator or None
    """Return the part of a model that its converter failed at, as the innermost frame of skl2onnx knows it."""
    part, traceback = None, error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        name = "model" if frame.f_globals.get("__name__") == "skl2onnx._parse" else "operator"
        known = frame.f_locals.get(name)
        candidate = known if name == "model" else getattr(known, "raw_operator", None)
        part = part if candidate is None else candidate
        traceback = traceback.tb_next
    return getattr(part, "model", part)  # what is written here is wrapped


def _steps(estimator: Any) -> Iterator[tuple[str, Any]]:  # steps
    """Yield what comes before the models of all pipelines, and the name of the step that it is in."""
    for pipeline in all_pipelines(estimator):
        for name, step in pipeline.steps[:-1]:
            yield from ((name, each) for each in _parts(step))


def _parts(step: Any) -> Iterator[Any]:  # steps
    yield step
    branches = [
        *getattr(step, "transformers_", ()),
        *getattr(step, "transformer_list", ()),
        *getattr(step, "steps", ()),
    ]
    for _, inner, *_ in branches:
        yield from _parts(inner)
