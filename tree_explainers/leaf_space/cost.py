"""What it costs to compare rows by leaves or by plain distance: bytes held at once, and seconds on a slow core."""

from ..compute.job_sizes import MIB, JobSizes
from ..compute.threads import n_cores
from .neighborhoods import BLOCK_CELLS
from .votes import COUNTED_CELLS, SUMMED_CELLS

LIST_BYTES = 4
"""Bytes of a row in the list of a leaf."""

_FEW_LEAVES = 40  # of a tree: rows are compared by their leaves then, and not listed
_SECONDS_PER_TREE = 4e-11  # in which two rows are compared
_SECONDS_PER_VOTE = 1e-8  # of a tree of a row for a class
_LISTED_BYTES = 6  # of a row that counts in a tree, and how often it does
_COUNTED_BYTES = 12  # of a row's sum, and that it has one
_COMPILER_BYTES = 32 * MIB  # of loops that a job may be the first to call
_UNEVEN_LEAVES = 3  # as many rows as in the mean leaf are in the leaf of the mean row
_SECONDS_PER_LISTED, _SECONDS_PER_VISIT = 5e-8, 2e-9
_STEPS_PER_LEAF = 3
_SECONDS_PER_GRADED_STEP = 1e-9
MOST_GRADED_STEPS = 10**12
"""What it may take to compare all rows by how far they go together: a quarter of an hour on a core."""
_DISTANCE_BYTES = 128 * MIB  # of the proximities of some rows to all others, and of sorting these
_SECONDS_PER_DISTANCE_STEP = 4e-10


def list_bytes(sizes: JobSizes) -> int:
    """Return the bytes of the lists of each leaf's rows, which are made where trees have many leaves."""
    if not sizes.is_local:
        return 0
    return (LIST_BYTES if sizes.n_leaves > _FEW_LEAVES * sizes.n_trees else 1) * sizes.n_paths


def coarser_leaf_bytes(sizes: JobSizes) -> int:
    """Return the bytes that it takes to cut trees back, and of the leaves that rows reach then."""
    return 2 * sizes.code_bytes * sizes.n_paths + 40 * sizes.n_nodes + 16 * sizes.n_leaves * sizes.n_outputs


def neighbor_bytes(sizes: JobSizes, n_neighbors: int, *, by_distance: bool) -> int:
    """Return the bytes of the nearest rows of a block of rows."""
    cells = min(sizes.n_rows * max(n_neighbors, sizes.n_outputs), BLOCK_CELLS)
    return 40 * cells + (_DISTANCE_BYTES if by_distance else 0)


def neighbor_seconds(sizes: JobSizes) -> float:
    """Return the seconds in which each row is compared with all others by their leaves."""
    return _SECONDS_PER_TREE * sizes.n_rows * sizes.n_paths


def counted_bytes(sizes: JobSizes) -> int:
    """Return the bytes of the leaves and of the lists of the rows that count in them, where it matters which do."""
    codes = 0 if sizes.is_local else 2 * sizes.n_paths
    searching = n_cores() * _COUNTED_BYTES * sizes.n_rows
    lists = _LISTED_BYTES * sizes.n_paths + sizes.n_paths // 8 + 48 * sizes.n_leaves
    return lists + codes + searching + _COMPILER_BYTES


def counted_seconds(sizes: JobSizes) -> float:
    """Return the seconds in which the rows that count in each row's leaves are listed and visited."""
    n_visits = sizes.n_paths * _UNEVEN_LEAVES * sizes.n_rows * sizes.n_trees / max(sizes.n_leaves, sizes.n_trees)
    return _SECONDS_PER_LISTED * sizes.n_paths + _SECONDS_PER_VISIT * n_visits


def graded_bytes(sizes: JobSizes) -> int:
    """Return the bytes of leaves from left to right, of what is above them, and of sums of the rows of each core."""
    codes = sizes.code_bytes if sizes.is_local else 4
    searching = n_cores() * (8 * sizes.n_rows + 8 * sizes.n_leaves // sizes.n_trees)
    return codes * sizes.n_paths + 48 * sizes.n_nodes + 48 * sizes.n_leaves + searching + _COMPILER_BYTES


def graded_steps(n_rows: int, n_trees: int, n_leaves: int) -> int:
    """Return the steps of comparing each row with all others in all trees, and each of its leaves with all leaves."""
    return n_rows * (n_rows * n_trees + _STEPS_PER_LEAF * n_leaves)


def graded_seconds(sizes: JobSizes) -> float:
    """Return the seconds in which each row is compared with all others by how far they go together."""
    return _SECONDS_PER_GRADED_STEP * graded_steps(sizes.n_rows, sizes.n_trees, sizes.n_leaves)


def position_bytes(sizes: JobSizes) -> int:
    """Return the bytes of two copies of the rows' positions, and of one column of values."""
    return 8 * sizes.n_cells + 400 * sizes.n_rows


def distance_seconds(n_steps: int) -> float:
    """Return the seconds that a number of steps of comparing rows by plain distance take."""
    return _SECONDS_PER_DISTANCE_STEP * n_steps


def vote_bytes(sizes: JobSizes) -> tuple[int, int]:
    """Return the bytes of the rows' sums of votes, and of the counts of classes in leaves that these are made from."""
    sums = 8 * min(sizes.n_rows * sizes.n_outputs, max(sizes.n_rows, SUMMED_CELLS))
    return 3 * sums + 150 * sizes.n_rows, 4 * sizes.n_outputs * max(COUNTED_CELLS, sizes.n_leaves)


def vote_seconds(sizes: JobSizes) -> float:
    """Return the seconds in which the votes of all rows for each class are summed up."""
    return _SECONDS_PER_VOTE * sizes.n_paths * sizes.n_outputs
