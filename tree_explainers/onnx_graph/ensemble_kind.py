"""Whether trees are averaged or added, where the graph shows it beyond doubt."""

from onnx import ModelProto

from .description import Ensemble
from .outputs import Outputs


def infer_ensemble(model: ModelProto, outputs: Outputs) -> Ensemble | None:
    """Return the kind of ensemble; ``None`` where it is not certain."""
    return None
