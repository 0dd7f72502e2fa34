"""What it costs to lay out a map of rows: bytes held at once, and seconds on a slow core."""

from ..compute.job_sizes import MIB, JobSizes
from .embedding import N_LANDMARKS

_LAYOUT_BYTES = 200 * MIB  # of openTSNE and what it holds at once, whatever the number of rows
_SECONDS_PER_TREE = 4e-11  # in which two rows of the map are compared
_SECONDS_PER_ROW = 5e-3  # of laying out


def map_bytes(sizes: JobSizes, n_shown: int, n_neighbors: int) -> int:
    """Return the bytes of the shown rows' leaves, neighbours and proximities to the landmarks, and of the layout."""
    row_bytes = (8 + 2 * sizes.code_bytes) * sizes.n_trees + 60 * n_neighbors + 8 * N_LANDMARKS
    return _LAYOUT_BYTES + min(sizes.n_rows, n_shown) * row_bytes


def map_seconds(sizes: JobSizes, n_shown: int) -> float:
    """Return the seconds in which the shown rows are compared with each other and laid out."""
    n_rows = min(sizes.n_rows, n_shown)
    return _SECONDS_PER_TREE * n_rows**2 * sizes.n_trees + _SECONDS_PER_ROW * n_rows
