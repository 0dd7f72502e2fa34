"""Static checks of a stranger's graph, on the parsed protobuf alone: no file access, and nothing is run.

Parsers and runtimes accept far more than is safe: memory bombs, endless loops, files named by the model, functions that
expand without end, tensors whose size a sender of rows can choose. What is not known to be harmless is refused here.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # ships no types
from google.protobuf.unknown_fields import UnknownFieldSet  # type: ignore[import-untyped]  # ships no types
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto

from ..errors import ModelRefused
from .allowed_operators import ALLOWED_OPERATORS, MAY_HOLD_NON_FINITE
from .description import ModelLimits
from .graph import tensor_array

# What the installed onnxruntime can load; onnx itself knows newer ones.
_IR_VERSIONS = range(3, 14)
_OPSET_VERSIONS = {"": range(7, 27), "ai.onnx.ml": range(1, 6)}

_FIRST_OF_TREE_ENSEMBLE = 5

# The types of attribute that are accepted, each with the field that holds its value.
_FIELDS: dict[int, str] = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
}
# Indices of the inputs that determine how large a result is.
_SIZES: dict[str, range] = {
    "Reshape": range(1, 2),
    "Slice": range(1, 5),
    "Split": range(1, 2),
    "Squeeze": range(1, 2),
    "TopK": range(1, 2),
    "Unsqueeze": range(1, 2),
}
_OF_REDUCTIONS = range(1, 2)
_WHAT_A_GRAPH_MAY_HOLD = {
    True: "a graph may hold tree ensembles and common preprocessing.",
    False: "the graph of an oracle may hold networks, linear models, support vectors, tree ensembles and common "
    "preprocessing.",
}


def parse_model(data: bytes) -> ModelProto:
    """Return the parsed protobuf.

    Raises
    ------
    ModelRefused
        ``model_empty``; ``model_not_onnx`` where the bytes are not one whole ONNX model and nothing else.
    """
    if not data:
        raise ModelRefused("model_empty", "The model file is empty; send the bytes of an ONNX file.")
    try:
        model: ModelProto = ModelProto.FromString(data)
    except DecodeError as error:
        detail = "The file is not an ONNX model, or it is damaged or cut short; export and send it again."
        raise ModelRefused("model_not_onnx", detail) from error
    if len(UnknownFieldSet(model)) or not model.HasField("graph"):
        detail = "The file holds something other than one ONNX model: bytes before or after it, or no graph."
        raise ModelRefused("model_not_onnx", detail)
    return model


def check_model(
    model: ModelProto, limits: ModelLimits, operators: Mapping[str, frozenset[str]] = ALLOWED_OPERATORS
) -> None:
    """Refuse a model that is not known to be harmless; afterwards only its trees remain to be checked.

    Parameters
    ----------
    model
        The parsed protobuf.
    limits
        How large the model may be.
    operators
        Those that it may hold, by domain.

    Raises
    ------
    ModelRefused
        ``model_not_onnx``, ``model_unsupported_version``, ``model_op_not_allowed``, ``model_too_complex``,
        ``model_external_data``, ``model_non_finite`` or ``model_invalid_graph``.
    """
    _check_substance(model)
    # protobuf gives names that are not UTF-8 as bytes
    if not all(isinstance(text, str) for text in _texts(model)):
        raise ModelRefused("model_invalid_graph", "A name in the model is not UTF-8.")
    _check_constant_texts(model.graph)
    _check_versions(model)
    _check_extras(model)
    if len(model.graph.node) > limits.max_operators:
        detail = f"The graph has {len(model.graph.node):,} operators; at most {limits.max_operators:,} are accepted."
        raise ModelRefused("model_too_complex", detail)
    for tensor in model.graph.initializer:
        _check_constant(tensor, may_hold_non_finite=False)
    for node in model.graph.node:
        _check_node(node, operators)
    _check_wiring(model.graph)
    check_sizes(model.graph)


def quoted(name: str) -> str:
    """Return a stranger's text in a form that is safe to show: short, on one line, control characters escaped."""
    return ascii(name if len(name) <= 80 else name[:77] + "...")  # long enough to recognise


def opset_version(model: ModelProto, domain: str) -> int | None:
    """Return the imported version of an operator set; ``None`` where it is not imported."""
    versions = {opset.version for opset in model.opset_import if (opset.domain or "ai.onnx") == (domain or "ai.onnx")}
    return max(versions, default=None)


def _check_substance(model: ModelProto) -> None:
    graph = model.graph
    if not (graph.node and graph.input and graph.output and model.opset_import):
        detail = "The model has no operators, inputs, outputs or operator-set versions: it is not a whole ONNX model."
        raise ModelRefused("model_not_onnx", detail)


def _texts(model: ModelProto) -> Iterator[object]:
    graph = model.graph
    yield model.producer_name
    yield from (opset.domain for opset in model.opset_import)
    yield from (value.name for value in (*graph.input, *graph.output, *graph.initializer))
    for node in graph.node:
        yield from (node.op_type, node.domain, *node.input, *node.output)
        for attribute in node.attribute:
            yield attribute.name
            yield attribute.ref_attr_name
            yield from (tensor.name for tensor in _tensors(attribute))


def _check_constant_texts(graph: GraphProto) -> None:
    """Refuse labels and categories that are not UTF-8: onnxruntime cannot answer with them."""
    attributes = [attribute for node in graph.node for attribute in node.attribute]
    tensors = chain(graph.initializer, chain.from_iterable(map(_tensors, attributes)))
    of_attributes = chain.from_iterable((attribute.s, *attribute.strings) for attribute in attributes)
    try:
        for text in chain(of_attributes, chain.from_iterable(tensor.string_data for tensor in tensors)):
            text.decode()
    except UnicodeDecodeError as error:
        detail = f"A label, category or other text of the graph is not UTF-8: {error.object[:40]!r}."
        raise ModelRefused("model_invalid_graph", detail) from error


def _check_versions(model: ModelProto) -> None:
    if model.ir_version not in _IR_VERSIONS:
        _refuse_version("IR version", model.ir_version, _IR_VERSIONS)
    for opset in model.opset_import:
        domain = "" if opset.domain == "ai.onnx" else opset.domain
        versions = _OPSET_VERSIONS.get(domain)
        if versions is not None and opset.version not in versions:
            _refuse_version(f"version of the operator set {domain or 'ai.onnx'}", opset.version, versions)
    ml_version = opset_version(model, "ai.onnx.ml") or 1
    if ml_version < _FIRST_OF_TREE_ENSEMBLE and any(node.op_type == "TreeEnsemble" for node in model.graph.node):
        detail = f"TreeEnsemble is not in version {ml_version} of ai.onnx.ml, which the model imports."
        raise ModelRefused("model_invalid_graph", detail)


def _refuse_version(what: str, version: int, accepted: range) -> None:
    code = "model_unsupported_version"
    detail = f"The model's {what} is {version}; export it for one of {accepted[0]} to {accepted[-1]}."
    raise ModelRefused(code, detail)


def _check_extras(model: ModelProto) -> None:
    for what, present in (
        ("local functions", model.functions),
        ("training information", model.training_info),
        ("sparse initializers", model.graph.sparse_initializer),
    ):
        if present:
            raise ModelRefused("model_op_not_allowed", f"The model has {what}, which are not accepted.")


def _check_node(node: NodeProto, operators: Mapping[str, frozenset[str]]) -> None:
    """Refuse operators that are not allowed, and attributes that readers could understand in different ways."""
    domain = "" if node.domain == "ai.onnx" else node.domain
    if node.op_type not in operators.get(domain, ()):
        detail = (
            f"The operator {quoted(node.op_type)} of the domain {quoted(domain or 'ai.onnx')} is not accepted; "
            f"{_WHAT_A_GRAPH_MAY_HOLD[operators is ALLOWED_OPERATORS]}"
        )
        raise ModelRefused("model_op_not_allowed", detail)
    if len({attribute.name for attribute in node.attribute}) < len(node.attribute):
        raise ModelRefused("model_invalid_graph", f"An attribute of {node.op_type} is given twice.")
    for attribute in node.attribute:
        _check_attribute(node.op_type, attribute)


def _check_attribute(op_type: str, attribute: AttributeProto) -> None:
    if attribute.ref_attr_name or attribute.type not in _FIELDS:
        detail = (
            f"The attribute {quoted(attribute.name)} of {op_type} is a subgraph, a reference or of another kind that "
            "is not accepted."
        )
        raise ModelRefused("model_op_not_allowed", detail)
    if {field.name for field, _ in attribute.ListFields()} - {_FIELDS[attribute.type], "name", "type", "doc_string"}:
        detail = f"The attribute {quoted(attribute.name)} of {op_type} holds values of another type than it says."
        raise ModelRefused("model_invalid_graph", detail)
    may_hold_non_finite = op_type in MAY_HOLD_NON_FINITE
    for tensor in _tensors(attribute):
        _check_constant(tensor, may_hold_non_finite=may_hold_non_finite)
    if not (may_hold_non_finite or np.isfinite([attribute.f, *attribute.floats]).all()):
        _refuse_non_finite(f"the attribute {quoted(attribute.name)} of {op_type}")


def _tensors(attribute: AttributeProto) -> Iterator[TensorProto]:
    if attribute.HasField("t"):
        yield attribute.t
    yield from attribute.tensors


def _check_constant(tensor: TensorProto, *, may_hold_non_finite: bool) -> None:
    values = tensor_array(tensor)
    if values.dtype.kind == "f" and not (may_hold_non_finite or np.isfinite(values).all()):
        _refuse_non_finite(f"the constant {quoted(tensor.name)}")


def _refuse_non_finite(where: str) -> None:
    raise ModelRefused("model_non_finite", f"There is a NaN or an infinity in {where}; all constants must be finite.")


def _check_wiring(graph: GraphProto) -> None:
    """Refuse graphs in which a tensor is made twice, or used before it is made (so that there is no cycle)."""
    known = {tensor.name for tensor in graph.initializer}
    inputs = [value.name for value in graph.input]
    if len(known) < len(graph.initializer) or len(set(inputs)) < len(inputs):
        raise ModelRefused("model_invalid_graph", "Two inputs or two constants of the graph have the same name.")
    known.update(inputs)
    for node in graph.node:
        _check_node_wiring(node, known)
    for value in graph.output:
        if value.name not in known:
            _refuse_wiring(value.name, "is an output of the graph but nothing makes it")


def _check_node_wiring(node: NodeProto, known: set[str]) -> None:
    if node.op_type != "Constant" and not (node.input and node.input[0]):
        raise ModelRefused("model_invalid_graph", f"An operator {node.op_type} reads nothing.")
    if not any(node.output):
        raise ModelRefused("model_invalid_graph", f"An operator {node.op_type} makes nothing.")
    for name in node.input:
        if name and name not in known:
            _refuse_wiring(name, f"is read by {node.op_type} before anything makes it; cycles are not accepted")
    for name in filter(None, node.output):
        if name in known:
            _refuse_wiring(name, "is made twice")
        known.add(name)


def _refuse_wiring(tensor: str, complaint: str) -> None:
    raise ModelRefused("model_invalid_graph", f"The tensor {quoted(tensor)} {complaint}.")


def check_sizes(graph: GraphProto) -> None:
    """Refuse arbitrary sizes, and sizes that depend on the values of rows.

    ConstantOfShape of anything but another tensor's shape could request all memory in a few bytes. If sizes depended on
    values, a model could be small for the rows that it is tested with and large for others.

    Raises
    ------
    ModelRefused
        ``model_op_not_allowed``.
    """
    shapes = {name for node in graph.node if node.op_type == "Shape" for name in node.output}
    of_values = {value.name for value in graph.input} - {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] not in shapes:
            detail = "ConstantOfShape is accepted only where its shape is that of another tensor."
            raise ModelRefused("model_op_not_allowed", detail)
        if not of_values.isdisjoint(_size_inputs(node)):
            detail = f"The size of the output of {node.op_type} depends on the values of rows; it must not."
            raise ModelRefused("model_op_not_allowed", detail)
        if node.op_type != "Shape" and not of_values.isdisjoint(node.input):
            of_values.update(node.output)


def _size_inputs(node: NodeProto) -> Iterator[str]:
    is_reduction = node.op_type.startswith("Reduce")
    indices = _OF_REDUCTIONS if is_reduction else _SIZES.get(node.op_type, range(0))
    yield from (node.input[index] for index in indices if index < len(node.input) and node.input[index])
