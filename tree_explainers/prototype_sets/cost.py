"""What it costs to choose prototypes: how many rows compete, bytes held at once, and seconds on a slow core."""

from ..compute.job_sizes import JobSizes
from ..leaf_space.cost import LIST_BYTES, list_bytes
from .candidate_pairs import default_max_pairs
from .goal import Refine
from .leaf_choice import n_tried_candidates, n_tried_rows

_MOST_COMPARISONS = 5e12  # rows x rows x trees with all rows as candidates: minutes, and as much again for certificates
_N_SAMPLED = 10_000  # candidates that are drawn above that
_PAIR_BYTES: dict[Refine, int] = {"none": 12, "swap": 24}
_TRIED_STEPS = 9  # of leaves, in all cases of benchmarks/leaf_choice.py, which the following seconds are from
_SECONDS_PER_STEP = {False: 0.02, True: 0.05}  # by whether trees weigh differently
_SECONDS_PER_PAIR = {False: 1.3e-8, True: 2.5e-8}  # of a row with a candidate: proximities are found for many at once
_SECONDS_PER_LEAF = {False: 2e-8, True: 8e-8}  # of a row in a tree
_SECONDS_PER_COMPARISON: dict[Refine, float] = {"none": 5e-10, "swap": 4e-9}  # of a row with a candidate in a tree


def default_candidates_by_leaves(n_rows: int, n_trees: int) -> int:
    """Return how many rows may become prototypes where a request does not say: all, unless that takes long."""
    return n_rows if n_rows**2 * n_trees <= _MOST_COMPARISONS else min(n_rows, _N_SAMPLED)


def pair_bytes(sizes: JobSizes, n_candidates: int, refine: Refine) -> int:
    """Return the bytes of the close pairs of rows and candidates that certificates are found from."""
    return _PAIR_BYTES[refine] * min(sizes.n_rows * n_candidates, default_max_pairs(sizes.n_rows))


def row_bytes(sizes: JobSizes, most_filed_cells: int, *, are_listed_twice: bool) -> int:
    """Return the bytes of the rows' leaves, of the lists of each leaf's rows, and of what is known of each row.

    Parameters
    ----------
    sizes
        Sizes of the model and the rows.
    most_filed_cells
        Rows times trees beyond which reference rows are not filed.
    are_listed_twice
        Whether prototypes are chosen by coarser leaves than the trees' own, which are listed beside these.
    """
    listed = list_bytes(sizes)
    if listed > sizes.n_paths:
        listed *= 2 if are_listed_twice else 1
    else:
        # The file of reference rows, if there is one, has the lists, however few the leaves are.
        listed = max(listed, LIST_BYTES * min(sizes.n_paths, most_filed_cells))
    return listed + 2 * sizes.code_bytes * sizes.n_paths + 200 * sizes.n_rows


def selection_seconds(sizes: JobSizes, n_candidates: int, refine: Refine) -> float:
    """Return the seconds in which prototypes are chosen once."""
    return _SECONDS_PER_COMPARISON[refine] * n_candidates * sizes.n_paths


def leaf_choice_seconds(sizes: JobSizes, n_candidates: int, n_prototypes: int, *, are_weighted: bool) -> float:
    """Return the seconds in which leaves are chosen, by prototypes of some of the rows in each step.

    Parameters
    ----------
    sizes
        Sizes of the model and the rows.
    n_candidates, n_prototypes
        Of the whole choice; there are fewer candidates where steps are tried.
    are_weighted
        Whether trees weigh differently, and two weightings are tried, as for boosting.
    """
    n_rows = n_tried_rows(sizes.n_rows, sizes.n_trees)
    n_pairs = n_rows * min(n_candidates, n_tried_candidates(n_rows, sizes.n_trees, n_prototypes))
    n_leaves = n_rows * sizes.n_trees
    seconds = _SECONDS_PER_PAIR[are_weighted] * n_pairs + _SECONDS_PER_LEAF[are_weighted] * n_leaves
    return _TRIED_STEPS * (2 if are_weighted else 1) * (_SECONDS_PER_STEP[are_weighted] + seconds)
