"""Steps before the trees: which columns come to each, and who writes it: a writer of here, or skl2onnx's converter."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from skl2onnx._parse import _parse_sklearn
from skl2onnx.common._registration import register_converter, register_shape_calculator
from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    TargetEncoder,
)

from . import category_writers, step_writers
from .double_precision import Nodes
from .step_columns import DOUBLE, FLOAT, NoCounterpart, StepColumns
from .transformers import check_function

_Variables = Sequence[Any]  # skl2onnx's, of which each holds columns side by side
_OPERATOR = "LeafspaceStep"
# What skl2onnx writes with operators that no graph of trees may hold.
_REFUSED = frozenset(
    ("CountVectorizer", "TfidfVectorizer", "TfidfTransformer", "HashingVectorizer", "KNNImputer", "KernelPCA")
)


class _Choice:
    """A step that chooses columns by their indices, with repetitions, in any order."""

    def __init__(self, indices: Any) -> None:  # an array
        self.indices = np.asarray(indices, np.int64)


class _Junction:
    """A step that joins columns in one tensor, and multiplies them with a weight."""

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight


def _junction(columns: StepColumns, step: _Junction) -> str:
    joined = columns.joined()
    return joined if step.weight == 1 else columns.nodes.add("Mul", [joined, columns.row(step.weight)])


_WRITERS: dict[type, Callable[[StepColumns, Any], str]] = {
    _Choice: lambda columns, step: columns.chosen(columns.joined(), step.indices),
    _Junction: _junction,
    SimpleImputer: step_writers.imputed,
    MissingIndicator: step_writers.missing_flags,
    KBinsDiscretizer: step_writers.bins,
    PolynomialFeatures: step_writers.powers,
    OneHotEncoder: category_writers.one_hot,
    OrdinalEncoder: category_writers.ordinal,
    TargetEncoder: category_writers.target_means,
    **dict.fromkeys(step_writers.CLUSTERS, step_writers.distances),
    **dict.fromkeys(step_writers.PROJECTIONS, step_writers.projected),
}
_KEEP_TYPES = (_Choice, _Junction, SimpleImputer, SelectorMixin)


def columns_behind(scope: Any, steps: Sequence[Any], variables: _Variables) -> _Variables:  # a scope
    """Declare steps that follow one another, and return the columns that come to a model behind them.

    Raises
    ------
    NoCounterpart
        Of a step that is not converted.
    """
    for step in steps:
        variables = _behind(scope, step, variables)
    kinds = {type(each.type) for each in variables}
    is_ready = StringTensorType in kinds or (len(variables) == 1 and Int64TensorType not in kinds)
    return variables if not steps or is_ready else [_declared(scope, _Junction(), variables)]


def parse_pipeline(scope: Any, pipeline: Pipeline, inputs: _Variables, custom_parsers: Any = None) -> _Variables:
    """Declare a pipeline whose last step is a model, in the form in which skl2onnx calls it."""
    *before, last = (step for _, step in pipeline.steps)
    columns = columns_behind(scope, before, inputs)
    outputs: _Variables = _parse_sklearn(scope, last, list(columns), custom_parsers=custom_parsers)
    return outputs


def _behind(scope: Any, step: Any, variables: _Variables) -> _Variables:  # a scope, a step
    if step is None or isinstance(step, str) or (isinstance(step, FunctionTransformer) and step.func is None):
        return variables
    if isinstance(step, FunctionTransformer):
        check_function(step)
    if isinstance(step, Pipeline):
        for _, each in step.steps:
            variables = _behind(scope, each, variables)
        return variables
    if isinstance(step, FeatureUnion | ColumnTransformer):
        return _of_branches(scope, step, variables)
    if isinstance(step, SimpleImputer) and not step.add_indicator and _are_mixed(variables):
        parts = _imputers(step, [each.type.shape[1] for each in variables])
        return [_declared(scope, part, [each]) for part, each in zip(parts, variables, strict=True) if _width_of(part)]
    if writer_of(step) is not None:
        return [_declared(scope, step, variables)] if _width_of(step) != 0 else []
    return [_of_converter(scope, step, variables)]


def _of_branches(scope: Any, step: Any, variables: _Variables) -> _Variables:  # a scope, a step
    """Declare what a union or a transformer of columns holds, and return the columns of all side by side."""
    if isinstance(step, FeatureUnion):
        branches = [(name, each, variables) for name, each in step.transformer_list]
    else:
        indices = step._transformer_to_input_indices  # noqa: SLF001  # says of all ways to name columns which they are
        branches = [
            (name, each, _chosen(scope, variables, indices[name]))
            for name, each, _ in step.transformers_
            if len(indices[name]) and not (isinstance(each, str) and each == "drop")
        ]
    made: list[Any] = []
    for name, each, chosen in branches:
        columns, weight = _behind(scope, each, chosen), (step.transformer_weights or {}).get(name, 1.0)
        made += columns if weight == 1 else [_declared(scope, _Junction(weight), columns)]
    return made


def _are_mixed(variables: _Variables) -> bool:
    """Whether some columns are texts, and others are not."""
    return len({isinstance(each.type, StringTensorType) for each in variables}) > 1


def _imputers(imputer: SimpleImputer, widths: Sequence[int]) -> list[SimpleImputer]:
    """Return an imputer as one for each of several blocks of columns."""
    parts = []
    for statistics in np.split(imputer.statistics_, np.cumsum(widths)[:-1]):
        part = copy.copy(imputer)
        vars(part).pop("feature_names_in_", None)
        part.statistics_, part.n_features_in_ = statistics, len(statistics)
        parts.append(part)
    return parts


def _chosen(scope: Any, variables: _Variables, indices: Sequence[int]) -> _Variables:  # a scope
    """Return columns by their indices: as few tensors as keep their order."""
    places = [(at, column) for at, each in enumerate(variables) for column in range(each.type.shape[1])]
    runs: list[tuple[int, list[int]]] = []
    for at, column in (places[index] for index in indices):
        if not runs or runs[-1][0] != at:
            runs.append((at, []))
        runs[-1][1].append(column)
    return [
        variables[at]
        if columns == list(range(variables[at].type.shape[1]))
        else _declared(scope, _Choice(columns), [variables[at]])
        for at, columns in runs
    ]


def writer_of(step: Any) -> Callable[[StepColumns, Any], str] | None:  # a step
    """Return what writes a step here; ``None`` for those that are left to skl2onnx."""
    return step_writers.selected if isinstance(step, SelectorMixin) else _WRITERS.get(type(step))


def _declared(scope: Any, step: Any, variables: _Variables) -> Any:  # skl2onnx's own
    """Declare a step that is written here, and return the columns that it makes."""
    operator = scope.declare_local_operator(_OPERATOR, step)
    operator.inputs = list(variables)
    width = _width_of(step)
    if width is None:
        width = len(step.indices) if isinstance(step, _Choice) else sum(each.type.shape[1] for each in variables)
    operator.outputs.append(scope.declare_local_variable("columns", _type_of(scope, step, variables)([None, width])))
    return operator.outputs[0]


def _type_of(scope: Any, step: Any, variables: _Variables) -> Any:  # skl2onnx's types
    """Return the type of what a step makes: texts stay texts where it keeps them, and numbers as exact as rows are."""
    kinds = {type(each.type) for each in variables}
    if isinstance(step, _KEEP_TYPES) and kinds == {StringTensorType}:
        return StringTensorType
    if isinstance(step, _Choice):
        return kinds.pop()
    if kinds & {DoubleTensorType, Int64TensorType}:
        return DoubleTensorType
    roots = {type(each.type) for each in scope.variables.values() if each.is_root}
    return FloatTensorType if FloatTensorType in roots and DoubleTensorType not in roots else DoubleTensorType


def _of_converter(scope: Any, step: Any, variables: _Variables) -> Any:  # skl2onnx's own
    """Declare a step that skl2onnx writes, which reads one tensor."""
    if type(step).__name__ in _REFUSED:
        raise NoCounterpart(step)
    columns = [variables[0] if len(variables) == 1 else _declared(scope, _Junction(), variables)]
    made = _parse_sklearn(scope, step, columns, custom_parsers=None)[0]
    made.type.shape = [None, _width_of(step) or columns[0].type.shape[1]]
    return made


def _width_of(step: Any) -> int | None:  # a step
    """Return how many columns a step makes; ``None`` where it does not say so."""
    if isinstance(step, SelectorMixin):
        return int(step.get_support().sum())
    if not hasattr(step, "get_feature_names_out"):
        return None
    try:
        return len(step.get_feature_names_out())
    except (AttributeError, ValueError):
        return None


def _shapes(_: Any) -> None:  # skl2onnx's own
    """Leave the type as it was declared."""


def _write(scope: Any, operator: Any, container: Any) -> None:  # skl2onnx's own
    step, output = operator.raw_operator, operator.outputs[0]
    nodes = Nodes(scope, container)
    write = writer_of(step)
    if write is None:  # pragma: no cover  # only such are declared
        raise NoCounterpart(step)
    tensor = write(StepColumns(nodes, operator.inputs, step), step)
    if isinstance(output.type, StringTensorType | Int64TensorType):
        nodes.add("Identity", [tensor], output.full_name)
    else:
        kind = DOUBLE if isinstance(output.type, DoubleTensorType) else FLOAT
        nodes.add("Cast", [tensor], output.full_name, to=kind)


register_converter(_OPERATOR, _write, overwrite=True)
register_shape_calculator(_OPERATOR, _shapes, overwrite=True)
