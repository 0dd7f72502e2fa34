"""Who makes a tensor, and in which order a result reads the operators before it."""

from collections.abc import Mapping, Sequence

from onnx import GraphProto, NodeProto

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
