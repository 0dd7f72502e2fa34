"""The tail of a graph: what makes predictions of the sums of leaf values, as a graph of its own.

Functions such as the sigmoid are onnxruntime's, whose last digits nothing else has. Where nothing but the trees' sums
goes into them, the walker's sums do, and trees need not be walked again for predictions.
"""

from collections.abc import Sequence

from onnx import ModelProto, TensorProto, ValueInfoProto, helper

from .description import Sums
from .leaf_graph import serialized
from .walked_parts import ScoreTail


def score_tail(model: ModelProto, sums: str, kind: Sums, outputs: Sequence[str]) -> ScoreTail | None:
    """Return what makes ``outputs`` of a tensor; ``None`` where something else is needed, too.

    Parameters
    ----------
    model
        The checked graph.
    sums
        The tensor, the only output of the only tree operator.
    kind
        The precision of the sums.
    outputs
        The tensors that predictions are read from.
    """
    graph, wanted, nodes = model.graph, {*outputs}, []
    for node in reversed(graph.node):
        if wanted.intersection(node.output) and sums not in node.output:
            wanted.update(node.input)
            nodes.append(node)
    constants = [tensor for tensor in graph.initializer if tensor.name in wanted]
    if wanted.intersection({value.name for value in graph.input} - {tensor.name for tensor in constants}):
        return None
    tail = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
    tail.graph.name = "tail"
    element = TensorProto.DOUBLE if kind == "double" else TensorProto.FLOAT
    tail.graph.input.append(helper.make_tensor_value_info(sums, element, [None, None]))
    tail.graph.node.extend(reversed(nodes))
    tail.graph.initializer.extend(constants)
    tail.graph.output.extend(ValueInfoProto(name=name) for name in outputs)
    return ScoreTail(serialized(tail), kind)
