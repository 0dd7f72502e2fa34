"""Who makes a tensor, and in which order a result reads the operators before it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto

from .constants import tensor_array

# They hand on the values of their first input, in another type or shape at most.
PASSING = frozenset({"Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})


def makers_of(graph: GraphProto) -> dict[str, NodeProto]:
    """Return the operator that makes each tensor."""
    return {name: node for node in graph.node for name in node.output}


def first_that_computes(tensor: str, makers: Mapping[str, NodeProto]) -> NodeProto | None:
    """Return the nearest operator before a tensor that does more than hand on its input."""
    maker = makers.get(tensor)
    while maker is not None and maker.op_type in PASSING:
        maker = makers.get(maker.input[0])
    return maker


def matrices_behind(graph: GraphProto, nodes: Sequence[NodeProto]) -> list[NDArray[np.float64] | None]:
    """Return for each operator the constant matrix that its output is multiplied by, and nothing else reads.

    Leaves that are given in parts, to be added up in single precision without rounding, are put together so.
    """
    readers: dict[str, list[NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    constants = {tensor.name: tensor for tensor in graph.initializer}
    found: list[NDArray[np.float64] | None] = []
    for node in nodes:
        tensor, read = node.output[0], readers.get(node.output[0], [])
        while len(read) == 1 and read[0].op_type in PASSING:
            tensor, read = read[0].output[0], readers.get(read[0].output[0], [])
        is_product = len(read) == 1 and read[0].op_type == "MatMul" and read[0].input[0] == tensor
        matrix = constants.get(read[0].input[1]) if is_product else None
        found.append(None if matrix is None else tensor_array(matrix).astype(np.float64))
    return found


def in_reading_order(nodes: Sequence[NodeProto], tensor: str, makers: Mapping[str, NodeProto]) -> list[NodeProto]:
    """Return nodes in the order in which ``tensor`` reads them, its inputs first to last; those it does not read last.

    Exporters list the members of a bagging ensemble in any order, but concatenate them in theirs.
    """
    rank: dict[str, int] = {}
    waiting = [tensor]
    while waiting:
        name = waiting.pop()
        if name not in rank:
            rank[name] = len(rank)
            waiting.extend(reversed(makers[name].input if name in makers else ()))
    return sorted(nodes, key=lambda node: min((rank.get(name, len(rank)) for name in node.output), default=len(rank)))
