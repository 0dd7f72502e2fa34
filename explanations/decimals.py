"""Numbers told in as few digits as their precision takes: 0.88333334, where a double would say 0.8833333253860474."""

import numpy as np
import orjson
from numpy.typing import NDArray


def decimals(values: NDArray[np.float32 | np.float64]) -> list[float]:
    """Return the shortest decimals that are the same numbers in the array's own precision; all are finite."""
    found: list[float] = orjson.loads(orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY))
    return found
