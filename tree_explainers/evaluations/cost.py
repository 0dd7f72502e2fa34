"""What it costs to evaluate a model: bytes held at once, and seconds on a slow core."""

from ..compute.job_sizes import JobSizes

_ROW_BYTES = 160  # of a row: labels, scores of a class, ranks and counts of these, and a column's texts
_SECONDS_PER_SEARCHED_CELL = 4e-6  # of a rule's search
_SECONDS_PER_ROW = 2e-6  # of sorting scores, for each class that is evaluated
_SECONDS_PER_GROUPED_ROW = 2e-6


def evaluation_bytes(sizes: JobSizes, n_sampled: int) -> int:
    """Return the bytes of leaves, scores and what is sorted of all rows, and of the sampled rows' values and bins."""
    n_rows = min(sizes.n_rows, n_sampled)
    leaves = sizes.code_bytes * sizes.n_paths
    scores = sizes.n_rows * (4 * sizes.n_outputs + _ROW_BYTES)
    return leaves + scores + 2 * n_rows * 24 * sizes.n_features


def evaluation_seconds(sizes: JobSizes, n_sampled: int, n_regions: int, n_outcomes: int, n_columns: int) -> float:
    """Return the seconds of searching rules, of sorting the scores of classes, and of groups by columns."""
    n_rows = min(sizes.n_rows, n_sampled)
    searched = _SECONDS_PER_SEARCHED_CELL * n_regions * n_rows * sizes.n_features
    sorted_rows = _SECONDS_PER_ROW * sizes.n_rows * (2 + n_outcomes)
    oracle = sizes.oracle_seconds * sizes.n_rows / 1000
    return searched + sorted_rows + oracle + _SECONDS_PER_GROUPED_ROW * sizes.n_rows * n_columns
