"""The inputs of a graph, and the names of the raw features that go into them."""

from onnx import GraphProto, TensorProto, ValueInfoProto

from ..errors import ModelRefused
from .checking import quoted
from .description import InputSpec, InputType, ModelLimits

_TYPES: dict[int, InputType] = {
    TensorProto.FLOAT: "float",
    TensorProto.DOUBLE: "double",
    TensorProto.INT64: "int64",
    TensorProto.INT32: "int32",
    TensorProto.BOOL: "bool",
    TensorProto.STRING: "string",
}
_MAX_RANK = 2


def find_inputs(
    graph: GraphProto, declared_names: tuple[str, ...] | None, limits: ModelLimits
) -> tuple[InputSpec, ...]:
    """Return the graph's inputs; old graphs also list their constants there, which do not count.

    The width of a single matrix may be left open by the graph; it is then the number of declared names.

    Raises
    ------
    ModelRefused
        ``model_unsupported_input`` for element types, ranks and widths that rows cannot be fed to.
    """
    constants = {tensor.name for tensor in graph.initializer}
    values = [value for value in graph.input if value.name not in constants]
    open_width = len(declared_names) if declared_names and len(values) == 1 else None
    inputs = tuple(_input_spec(value, open_width) for value in values)
    n_features = sum(spec.width for spec in inputs)
    if not 0 < n_features <= limits.max_features:
        detail = f"The model reads {n_features:,} features; 1 to {limits.max_features:,} are accepted."
        raise ModelRefused("model_too_complex" if n_features else "model_unsupported_input", detail)
    return inputs


def name_features(inputs: tuple[InputSpec, ...], declared: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return a name for each raw column: as declared, else the names of one-column inputs, else ``x0``, ``x1``, ...

    Raises
    ------
    ModelRefused
        ``validation_failed`` where declared names are too few, too many or not distinct.
    """
    n_features = sum(spec.width for spec in inputs)
    names = _default_names(inputs) if declared is None else declared
    if len(names) != n_features:
        detail = f"{len(names)} feature_names are given; the model reads {n_features} columns."
        raise ModelRefused("validation_failed", detail)
    if len(set(names)) < len(names):
        raise ModelRefused("validation_failed", "The feature names are not distinct.")
    return names


def _default_names(inputs: tuple[InputSpec, ...]) -> tuple[str, ...]:
    if len(inputs) == 1 and inputs[0].width > 1:
        return tuple(f"x{column}" for column in range(inputs[0].width))
    return tuple(
        spec.name if spec.width == 1 else f"{spec.name}_{column}" for spec in inputs for column in range(spec.width)
    )


def _input_spec(value: ValueInfoProto, open_width: int | None) -> InputSpec:
    tensor = value.type.tensor_type
    name = quoted(value.name)
    if not value.type.HasField("tensor_type") or tensor.elem_type not in _TYPES:
        detail = f"The input {name} is not a tensor of floats, doubles, integers, booleans or strings."
        raise ModelRefused("model_unsupported_input", detail)
    rank = len(tensor.shape.dim)
    if not 1 <= rank <= _MAX_RANK:
        detail = f"The input {name} has {rank} dimensions; rows by columns are expected."
        raise ModelRefused("model_unsupported_input", detail)
    width = 1 if rank == 1 else tensor.shape.dim[1].dim_value or open_width
    if width is None or width < 1 or tensor.shape.dim[0].dim_value > 1:
        detail = (
            f"The input {name} must take any number of rows and a known number of columns; give `feature_names` where "
            "the graph leaves the number of columns open."
        )
        raise ModelRefused("model_unsupported_input", detail)
    return InputSpec(value.name, _TYPES[tensor.elem_type], width, rank)
