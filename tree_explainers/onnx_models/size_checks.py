"""Checks that no tensor's size is out of the sender's hands, or in those of whoever sends rows."""

from collections.abc import Iterator

from onnx import GraphProto, NodeProto

from ..errors import ModelRefused

# Inputs that say how large a result is, by position.
_SIZES: dict[str, range] = {
    "Reshape": range(1, 2),
    "Slice": range(1, 5),
    "Split": range(1, 2),
    "Squeeze": range(1, 2),
    "TopK": range(1, 2),
    "Unsqueeze": range(1, 2),
}
_OF_REDUCTIONS = range(1, 2)


def check_sizes(graph: GraphProto) -> None:
    """Refuse sizes out of the blue, and sizes that depend on the values of rows.

    ConstantOfShape of anything but another tensor's shape could ask for all of the memory in a few bytes. Were sizes
    to depend on values, a model could be small for the rows that it is tried with and large for others.

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
            detail = f"The size of what {node.op_type} makes depends on the values of rows; it must not."
            raise ModelRefused("model_op_not_allowed", detail)
        if node.op_type != "Shape" and not of_values.isdisjoint(node.input):
            of_values.update(node.output)


def _size_inputs(node: NodeProto) -> Iterator[str]:
    is_reduction = node.op_type.startswith("Reduce")
    positions = _OF_REDUCTIONS if is_reduction else _SIZES.get(node.op_type, range(0))
    yield from (node.input[at] for at in positions if at < len(node.input) and node.input[at])
