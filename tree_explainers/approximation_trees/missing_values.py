"""Which values of a raw column are missing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_missing(values: NDArray[Any], text: str | None) -> NDArray[np.bool_]:
    """Return which values are missing, (n_rows,): NaN among numbers; ``None`` or ``text`` among categories."""
    if values.dtype != object:
        return np.asarray(np.isnan(values), np.bool_)
    return np.fromiter((value is None or value == text for value in values), np.bool_, len(values))
