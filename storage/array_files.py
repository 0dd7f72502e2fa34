"""Arrays as one object: NumPy's own archive format, never with pickled objects inside."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of an archive of these arrays; the same arrays give the same bytes."""
    target = io.BytesIO()
    np.savez(target, allow_pickle=False, **arrays)  # members carry a fixed date, not the time of writing
    return target.getvalue()


def read_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
