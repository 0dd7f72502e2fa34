"""Targets: regressors that were fitted to a transformed target, whose predictions are transformed back."""

from typing import Any

import numpy as np
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from ..errors import CannotConvert
from .answers import Answer, Columns, Writer
from .double_precision import Nodes

# The operators that follow one another; each with its second argument, if it takes one.
_FUNCTIONS: dict[Any, tuple[tuple[str, float | None], ...]] = {
    None: (),
    np.exp: (("Exp", None),),
    np.expm1: (("Exp", None), ("Sub", 1.0)),
    np.exp2: (("Mul", float(np.log(2))), ("Exp", None)),
    np.log: (("Log", None),),
    np.log1p: (("Add", 1.0), ("Log", None)),
    np.sqrt: (("Sqrt", None),),
    np.square: (("Pow", 2.0),),
    np.negative: (("Neg", None),),
    np.reciprocal: (("Reciprocal", None),),
    np.absolute: (("Abs", None),),
}


def transformed_target(writer: Writer, model: Any, columns: Columns) -> Answer:  # noqa: ANN401  # an estimator
    """Add a regressor, and the inverse of what its target was transformed by."""
    value = writer.answer(model.regressor_, columns).scores
    for op_type, argument in _steps(model.transformer_):
        value = _added(writer.nodes, op_type, value, argument)
    return Answer(value, str)


def _added(nodes: Nodes, op_type: str, value: str, argument: float | None) -> str:
    return nodes.add(op_type, [value] if argument is None else [value, nodes.constant(np.array([argument]))])


def _steps(transformer: Any) -> tuple[tuple[str, float | None], ...]:  # noqa: ANN401  # a transformer
    """Return the operators that invert a transformer of one column."""
    kind = type(transformer)
    if kind is FunctionTransformer and not transformer.inv_kw_args:
        inverse = transformer.inverse_func
        if inverse is None or inverse in _FUNCTIONS:
            return _FUNCTIONS[inverse]
    if kind is MinMaxScaler:
        return (("Sub", float(transformer.min_[0])), ("Div", float(transformer.scale_[0])))
    if kind is MaxAbsScaler:
        return (("Mul", float(transformer.scale_[0])),)
    if kind in (StandardScaler, RobustScaler):
        scale, shift = transformer.scale_, transformer.mean_ if kind is StandardScaler else transformer.center_
        scaled = () if scale is None else (("Mul", float(scale[0])),)
        return (*scaled, *(() if shift is None else (("Add", float(shift[0])),)))
    known = ", ".join(f"np.{function.__name__}" for function in _FUNCTIONS if function is not None)
    name = getattr(getattr(transformer, "inverse_func", None), "__name__", None) or kind.__name__
    detail = (
        f"the inverse of the transformed target, {name}, has no counterpart in ONNX here; those of {known} and of "
        "scalers have one; or register the model's regressor_, which predicts the transformed target"
    )
    raise CannotConvert("cannot_convert", detail)
