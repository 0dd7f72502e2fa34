"""Columns of a DataFrame that a pipeline gets and never reads: they are no features of the model."""

from dataclasses import replace

from .estimators import ModelInputs


def without_unread_columns(converted: bytes, inputs: ModelInputs) -> tuple[bytes, ModelInputs]:
    """Return a graph without the inputs that no node reads, and the features that are left.

    The rows stay whole, because the library wants them so.
    """
    if inputs.column_types is None:
        return converted, inputs
    from onnx import load_from_string  # an extra

    model = load_from_string(converted)
    used = {name for node in model.graph.node for name in node.input}
    read = [index for index, each in enumerate(model.graph.input) if each.name in used]
    if not read or len(read) == len(model.graph.input) or len(model.graph.input) != inputs.n_features:
        return converted, inputs
    features = [model.graph.input[index] for index in read]
    del model.graph.input[:]
    model.graph.input.extend(features)
    return bytes(model.SerializeToString()), replace(
        inputs,
        names=None if inputs.names is None else [inputs.names[index] for index in read],
        n_features=len(read),
        column_types=[inputs.column_types[index] for index in read],
        read=read,
    )
