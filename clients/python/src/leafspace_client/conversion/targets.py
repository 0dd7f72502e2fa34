"""Targets: regressors that were fitted to a transformed target, whose predictions are transformed back."""

from typing import Any, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from ..errors import CannotConvert
from .answers import Answer, Columns, Writer
from .double_precision import Nodes, along_lines

# The operators that follow one another; each with its second argument, if it takes one.
_Steps: TypeAlias = tuple[tuple[str, float | None], ...]
_EPSILON = float(np.spacing(1.0))  # as scikit-learn distinguishes powers from 0 and 2
_FUNCTIONS: dict[Any, _Steps] = {
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


def transformed_target(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add a regressor, and the inverse of what its target was transformed by."""
    value = writer.answer(model.regressor_, columns).scores
    return Answer(_inverted(writer.nodes, model.transformer_, value), str)


def _inverted(nodes: Nodes, transformer: Any, value: str) -> str:  # a transformer of one column
    kind = type(transformer)
    if kind is Pipeline:
        for _, step in reversed(transformer.steps):
            value = _inverted(nodes, step, value)
        return value
    if kind is PowerTransformer:
        scaled = _inverted(nodes, transformer._scaler, value) if transformer.standardize else value  # noqa: SLF001
        invert = _box_cox if transformer.method == "box-cox" else _yeo_johnson
        return invert(nodes, float(transformer.lambdas_[0]), scaled)
    if kind is QuantileTransformer and transformer.output_distribution == "uniform":
        return along_lines(nodes, value, transformer.references_, transformer.quantiles_[:, 0])
    return _applied(nodes, value, _steps(transformer))


def _applied(nodes: Nodes, value: str, steps: _Steps) -> str:
    for op_type, argument in steps:
        value = nodes.add(op_type, [value] if argument is None else [value, nodes.constant(np.array([argument]))])
    return value


def _box_cox(nodes: Nodes, power: float, value: str) -> str:
    """Return the inverse of the transformation of Box and Cox."""
    if power == 0:
        return _applied(nodes, value, (("Exp", None),))
    return _applied(nodes, value, (("Mul", power), ("Add", 1.0), ("Pow", 1 / power)))


def _yeo_johnson(nodes: Nodes, power: float, value: str) -> str:
    """Return the inverse of the transformation of Yeo and Johnson; both of its halves are 0 at 0."""
    zero = nodes.constant(np.array([0.0]))
    above = _box_cox(nodes, power if abs(power) > _EPSILON else 0.0, nodes.add("Max", [value, zero]))
    below = nodes.add("Neg", [nodes.add("Min", [value, zero])])
    below = _box_cox(nodes, 2 - power if abs(power - 2) > _EPSILON else 0.0, below)
    return nodes.add("Sub", [above, below])


def _steps(transformer: Any) -> _Steps:  # a transformer
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
        f"the inverse of the transformed target, {name}, has no counterpart in ONNX here; those of {known}, of scalers "
        "and of PowerTransformer have one; or register the model's regressor_, which predicts the transformed target"
    )
    raise CannotConvert("cannot_convert", detail)
