"""What a node says, given the mean answer of the rows that reach it."""

import numpy as np
from numpy.typing import NDArray

from .trees import NodeFacts

_DECIMALS = 9  # in which shares of classes must differ for the larger one to win


def facts_of(
    scores: NDArray[np.float64], n_samples: int, n_pseudo_samples: int = 0, *, is_classifier: bool
) -> NodeFacts:
    """Return the facts of a node: the class of the largest share, ties to the first; or a value."""
    label = int(np.argmax(scores.round(_DECIMALS))) if is_classifier else None
    return NodeFacts(scores, label, n_samples, n_pseudo_samples)
