"""GraphInMaking: operators and constants added one after the other, their tensors named so that no two are alike."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper


class GraphInMaking:
    """A graph that operators are added to.

    Parameters
    ----------
    taken
        Names that none of its own tensors may get: those of the inputs.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def free_name(self, wanted: str) -> str:
        """Return a name that is not taken yet, with as many ``_`` behind it as that needs, and take it."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def add(
        self,
        op_type: str,
        inputs: Sequence[str],
        wanted: str,
        domain: str = "",
        **attributes: Any,  # noqa: ANN401  # as the operator has them
    ) -> str:
        """Add an operator and return the name of its tensor: the one wanted, if it is free."""
        name = self.free_name(wanted)
        self._nodes.append(helper.make_node(op_type, inputs, [name], domain=domain, **attributes))
        return name

    def add_node(self, node: NodeProto) -> None:
        """Add an operator whose tensors are named already."""
        self._nodes.append(node)

    def constant(self, values: NDArray[Any], wanted: str) -> str:
        """Add a constant, numbers or objects that are texts, and return its name."""
        name = self.free_name(wanted)
        is_text = values.dtype == object
        self._constants.append(
            helper.make_tensor(name, TensorProto.STRING, values.shape, [text.encode() for text in values.tolist()])
            if is_text
            else numpy_helper.from_array(np.ascontiguousarray(values), name)
        )
        return name

    def model(
        self, inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto], opsets: Mapping[str, int], ir: int
    ) -> bytes:
        """Return the graph with these inputs and outputs as a whole file."""
        graph = helper.make_graph(self._nodes, "tree", inputs, outputs, self._constants)
        made: ModelProto = helper.make_model(
            graph,
            producer_name="leafspace",
            opset_imports=[helper.make_opsetid(domain, version) for domain, version in opsets.items()],
            ir_version=ir,
        )
        return bytes(made.SerializeToString())
