"""Where onnxruntime departs from the ONNX specification, which predictions here follow: in how many rows, and why.

A service that serves the same file with onnxruntime returns other predictions for these rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from ..errors import ModelRefused
from .description import ModelDescription, ModelWarning
from .encoding import Feeds
from .leaf_graph import build_prediction_graph, serialized
from .session import Outcome, open_graph, runtime_errors

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5
_OF_LABELS = (
    "Where a TreeEnsembleClassifier of two classes has weights for both, predictions here are the class with the "
    "higher score, as the ONNX specification says; onnxruntime compares the second score with 0"
)
_OF_ORDER = (
    "The nodes of the trees are not in the order that onnxruntime expects; predictions here follow their ids, as the "
    "ONNX specification says"
)


@dataclass(frozen=True, slots=True)
class AsSent:
    """A graph as it came, of which onnxruntime makes other predictions."""

    graph: bytes
    label: str | None
    score: str
    is_out_of_order: bool

    @classmethod
    def of(cls, model: ModelProto, label: str | None, score: str, *, is_out_of_order: bool) -> "AsSent":
        """Return the graph; it is copied."""
        return cls(serialized(model), label, score, is_out_of_order)


def runtime_warnings(
    sent: AsSent, description: ModelDescription, feeds: Feeds, outcome: Outcome
) -> tuple[ModelWarning, ...]:
    """Return a warning with the number of rows for which onnxruntime predicts otherwise; none where there are none.

    Parameters
    ----------
    sent
        The graph as it came.
    description
        The model's.
    feeds, outcome
        Some rows, and the predictions for them.
    """
    reason = _OF_ORDER if sent.is_out_of_order else _OF_LABELS
    names = [name for name in (sent.label, sent.score) if name]
    try:
        outputs = open_graph(build_prediction_graph(ModelProto.FromString(sent.graph), names)).run(names, feeds)
    except runtime_errors() + (ModelRefused,):  # noqa: RUF005  # for the type checker
        return (ModelWarning("onnxruntime_differs", f"{reason}. onnxruntime by itself refuses the file."),)
    ours, columns = outcome.scores, outputs[-1].reshape(len(outcome.scores), -1)
    columns = columns if columns.shape == ours.shape else np.hstack([ours[:, :-1], columns])  # one for two classes
    differs: NDArray[np.bool_] = ~np.isclose(columns, ours, rtol=_RELATIVE, atol=_ABSOLUTE).all(axis=1)
    if sent.label is not None and outcome.labels is not None:
        differs |= _differing_labels(outputs[0], description.label_values, outcome.labels)
    if not differs.any():
        return ()
    detail = (
        f"{reason}. Where the file is served by onnxruntime, {int(differs.sum()):,} of {len(differs):,} rows about the "
        "trees' thresholds have another prediction; compare both before you trust explanations of such a service."
    )
    return (ModelWarning("onnxruntime_differs", detail),)


def _differing_labels(
    theirs: NDArray[Any], label_values: Sequence[int | str], ours: NDArray[np.int64]
) -> NDArray[np.bool_]:
    expected = np.array(label_values, object)[ours]
    differs: NDArray[np.bool_] = theirs.reshape(-1).astype(object) != expected
    return differs.astype(np.bool_)
