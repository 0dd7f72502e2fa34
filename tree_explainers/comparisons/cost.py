"""What it costs to compare two models or two datasets: bytes held at once, and seconds on a slow core."""

from ..compute.job_sizes import MIB, JobSizes

_EFFECT_BYTES = 64 * MIB  # of paths, words and weights of a model's effects
_SECONDS_PER_SEARCHED_CELL = 4e-6  # of a rule's search
_SECONDS_PER_PAIR_AND_TREE = 1e-7  # of a row beside a reference row, in effects
_SECONDS_PER_COMPARED = 4e-9  # of a row, another and a tree
_TYPICAL_ROWS = 2_000


def comparison_bytes(sizes: JobSizes, n_sampled: int) -> int:
    """Return the bytes of both sides: leaves of all rows of one, and of sampled rows leaves, lists, values and bins."""
    n_rows = min(sizes.n_rows, n_sampled)
    leaves = sizes.code_bytes * sizes.n_paths
    sampled = 2 * n_rows * (sizes.n_trees * (sizes.code_bytes + 4) + 24 * sizes.n_features)
    outcomes = 2 * sizes.n_rows * (8 * sizes.n_outputs + 40)
    return leaves + sampled + outcomes + 2 * (_EFFECT_BYTES + 40 * sizes.n_nodes)


def comparison_seconds(sizes: JobSizes, n_sampled: int, n_regions: int, n_pairs: int) -> float:
    """Return the seconds of searching rules, of effects of so many pairs of rows, and of nearest rows."""
    n_rows = min(sizes.n_rows, n_sampled)
    searched = _SECONDS_PER_SEARCHED_CELL * n_regions * n_rows * sizes.n_features
    effects = 2 * _SECONDS_PER_PAIR_AND_TREE * n_pairs * sizes.n_trees
    return searched + effects + _SECONDS_PER_COMPARED * 2 * min(n_rows, _TYPICAL_ROWS) * n_rows * sizes.n_trees
