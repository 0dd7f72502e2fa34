"""Which models split categories themselves, and how each of them is written."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .double_precision import Nodes, joined_columns, takes_doubles
from .estimators import ModelInputs, library_of
from .native_categories import NativeTrees, add_native, behind_steps, native_onnx

# Each imports an extra.
_MODULES = {
    "lightgbm": ".lightgbm_categories",
    "xgboost": ".xgboost_categories",
    "catboost": ".catboost_categories",
    "sklearn": ".histogram_categories",
}


def native_model_onnx(estimator: Any, inputs: ModelInputs) -> bytes | None:  # noqa: ANN401  # an estimator
    """Return a fitted model that splits categories itself as ONNX; ``None`` for other models and for pipelines."""
    model = native_trees(_only_step(estimator), inputs)
    return None if model is None else native_onnx(model, inputs)


def _only_step(estimator: Any) -> Any:  # noqa: ANN401  # an estimator
    steps = getattr(estimator, "steps", None)
    return _only_step(steps[0][1]) if steps and len(steps) == 1 else estimator


def native_trees(final: Any, inputs: ModelInputs) -> NativeTrees | None:  # noqa: ANN401  # an estimator
    """Return the trees of a model that splits categories itself; ``None`` for other models."""
    read = _reader(final)
    return None if read is None else read(final, inputs)


def native_writer(final: Any) -> Any:  # noqa: ANN401  # an estimator, a converter for skl2onnx or None
    """Return what writes a model that splits categories behind the steps of a pipeline; ``None`` for other models."""
    read = _reader(final)
    if read is None:
        return None

    def write(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
        nodes = Nodes(scope, container)
        model = behind_steps(read(final, ModelInputs(None, final.n_features_in_, None, None)))
        joined = joined_columns(nodes, operator)
        rounds = model.is_single and takes_doubles(operator)
        tensor = nodes.as_rounded(joined) if rounds else nodes.as_double(joined)
        add_native(nodes, tensor, model, [output.full_name for output in operator.outputs])

    return write


def _reader(final: Any) -> Callable[[Any, ModelInputs], NativeTrees] | None:  # noqa: ANN401  # an estimator
    module: Any = import_module(_MODULES.get(library_of(final) or "", _MODULES["sklearn"]), __package__)
    read: Callable[[Any, ModelInputs], NativeTrees] = module.native_trees
    return read if module.splits_categories(final) else None
