"""What the walker needs of a model beside its trees: small graphs, and thresholds as the graph has them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from .description import Sums

_FRONT, _PREDICTIONS = "front_graph", "prediction_graph"
_TAIL, _SUMS = "tail_graph", "tail_sums"
_THRESHOLD, _OPERATOR = "read_threshold", "read_operator"


class ScoreTail(NamedTuple):
    """What makes predictions of sums of leaf values."""

    graph: bytes
    sums: Sums  # the precision in which values are added, and whether sums are rounded


@dataclass(frozen=True, slots=True)
class WalkedParts:
    """Kept as arrays beside those of the ensemble."""

    front_graph: bytes  # the tensors that trees read, where they are computed; empty where they are all inputs
    prediction_graph: bytes  # predictions alone; empty where the scores are sums of leaf values
    threshold: NDArray[np.float64] | None = None  # (n_nodes,) compared with the tensors; None: the ensemble's
    operator: NDArray[np.uint8] | None = None  # (n_nodes,)
    tail: ScoreTail | None = None  # None: predictions are sums of leaf values, or need more than these

    @classmethod
    def of(cls, front: bytes, prediction: bytes, as_read: TreeEnsemble, ensemble: TreeEnsemble) -> Self:
        """Return the parts; thresholds only where those of the ensemble were mapped back to raw units."""
        is_same = (as_read.threshold == ensemble.threshold).all() and (as_read.operator == ensemble.operator).all()
        return cls(front, prediction) if is_same else cls(front, prediction, as_read.threshold, as_read.operator)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return plain arrays; ``from_arrays`` reads them."""
        graphs = {_FRONT: self.front_graph, _PREDICTIONS: self.prediction_graph}
        if self.tail is not None:
            graphs |= {_TAIL: self.tail.graph, _SUMS: self.tail.sums.encode()}
        numbers = {_THRESHOLD: self.threshold, _OPERATOR: self.operator}
        return {
            **{name: np.frombuffer(graph, np.uint8) for name, graph in graphs.items()},
            **{name: array for name, array in numbers.items() if array is not None},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Return the parts; of a model that was kept without them, there are none."""
        front, predictions = (arrays[name].tobytes() if name in arrays else b"" for name in (_FRONT, _PREDICTIONS))
        tail = None
        if _TAIL in arrays:
            tail = ScoreTail(arrays[_TAIL].tobytes(), cast("Sums", arrays[_SUMS].tobytes().decode()))
        return cls(front, predictions, arrays.get(_THRESHOLD), arrays.get(_OPERATOR), tail)

    def as_read(self, ensemble: TreeEnsemble) -> TreeEnsemble:
        """Return the ensemble with the thresholds and operators that the graph has."""
        if self.threshold is None or self.operator is None:
            return ensemble
        return replace(ensemble, threshold=self.threshold, operator=self.operator)
