"""Libraries: the converter of each, called so that the graph predicts what the library predicts."""

from collections.abc import Callable
from typing import Any

from ..errors import CannotConvert, LeafspaceError, missing_extra
from .inputs import ModelInputs
from .kinds import Library


def onnx_of(library: Library, estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    """Return a fitted estimator as ONNX.

    Raises
    ------
    CannotConvert
        With what the converter says.
    MissingExtra
        If the converter is not installed.
    """
    try:
        return _CONVERTERS[library](estimator, inputs)
    except LeafspaceError:
        raise
    except ImportError as error:
        purpose = f"converting {type(estimator).__name__}"
        raise missing_extra(error.name or str(error), library, purpose) from error
    except Exception as error:  # converters raise whatever they meet
        detail = f"{type(estimator).__name__} cannot be converted to ONNX: {type(error).__name__}: {str(error)[:500]}"
        raise CannotConvert("cannot_convert", detail) from error


def _sklearn(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    from .scikit_learn import sklearn_onnx  # noqa: PLC0415  # imports an extra

    return sklearn_onnx(estimator, inputs)


def _xgboost(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    from .boosters import xgboost_onnx  # noqa: PLC0415  # imports an extra

    return xgboost_onnx(estimator, inputs)


def _lightgbm(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    from .boosters import lightgbm_onnx  # noqa: PLC0415  # imports an extra

    return lightgbm_onnx(estimator, inputs)


def _catboost(estimator: Any, inputs: ModelInputs) -> bytes:  # noqa: ANN401  # an estimator
    from .boosters import catboost_onnx  # noqa: PLC0415  # imports an extra

    return catboost_onnx(estimator, inputs)


_CONVERTERS: dict[Library, Callable[[Any, ModelInputs], bytes]] = {
    "sklearn": _sklearn,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
}
