"""What a choice of prototypes takes: arguments in their ranges, and methods that go with what is wanted of them."""

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, MethodNotApplicable
from ..leaf_space.euclidean_table import EuclideanTable
from ..leaf_space.leaves import LeafTable
from .candidate_columns import CandidateColumns
from .goal import Method, Refine
from .methods import METHODS
from .quotas import PerClass


def check_settings(
    method: Method, alpha: float, refine: Refine, coverage: float | None, per_class: PerClass | NDArray[np.int64]
) -> None:
    """Refuse settings outside their ranges (``InvalidInput``), or that do not go together (``MethodNotApplicable``)."""
    if method not in METHODS:
        msg = f"method must be one of {', '.join(METHODS)}, got {method!r}"
        raise InvalidInput(msg)
    if method == "a_pete" and not 0 <= alpha < 1:
        msg = f"alpha must be at least 0 and less than 1, got {alpha}"
        raise InvalidInput(msg)
    if refine not in {"none", "swap"}:
        msg = f"refine must be none or swap, got {refine!r}"
        raise InvalidInput(msg)
    if method == "sg" and refine == "swap":
        msg = "sg maximises accuracy, which swaps by coverage would lower: refine another method, or not"
        raise MethodNotApplicable(msg)
    _check_coverage(method, coverage)
    is_by_gain = isinstance(per_class, str) and per_class in {"auto", "by_gain"}
    if not is_by_gain and (method not in {"sm_a", "sm_wa"} or coverage is not None):
        msg = "numbers of prototypes of each class go with sm_a and sm_wa, and not with coverage"
        raise MethodNotApplicable(msg)


def _check_coverage(method: Method, coverage: float | None) -> None:
    if coverage is None:
        return
    if not 0 < coverage <= 1:
        msg = f"coverage must be more than 0 and at most 1, got {coverage}"
        raise InvalidInput(msg)
    if method in {"sm_u", "a_pete"}:
        msg = f"{method} finds the number of prototypes in its own way: take sm_a, sm_wa or sg with coverage"
        raise MethodNotApplicable(msg)


def check_rows(
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    method: Method,
    coverage: float | None,
    refine: Refine,
) -> None:
    """Refuse classes and weights that do not fit the rows, and settings that do not fit how rows are compared."""
    if classes.shape != (table.n_rows,) or classes.min() < 0:
        msg = f"classes must be {table.n_rows} numbers, 0 or more: one for each row"
        raise InvalidInput(msg)
    if method == "sg" and classes.min() == classes.max():
        msg = "sg separates classes, but all rows are of one class (as in regression): use sm_a"
        raise MethodNotApplicable(msg)
    is_by_distance = isinstance(table, EuclideanTable)
    if is_by_distance and coverage is not None:
        msg = "by plain distance nearly all rows have the minimum proximity to any row: give n_prototypes, not coverage"
        raise MethodNotApplicable(msg)
    if is_by_distance and refine != "none":
        msg = "swaps look into leaves, of which there are none by plain distance: leave out refine"
        raise MethodNotApplicable(msg)
    # Proximities are sums of weights in 32 bits.
    if weights.shape != (table.n_trees,) or weights.min() < 0 or int(weights.sum()) > np.iinfo(np.uint32).max:
        msg = f"weights must be {table.n_trees} numbers, not negative and less than 2^32 together"
        raise InvalidInput(msg)


def check_candidates(
    table: LeafTable,
    method: Method,
    n_prototypes: int,
    candidates: NDArray[np.int64],
    columns: CandidateColumns | None,
) -> None:
    """Refuse candidates that are no rows, are fewer than the prototypes, or are not those of the columns."""
    n_candidates = len(candidates)
    if n_candidates == 0 or candidates[0] < 0 or candidates[-1] >= table.n_rows or (np.diff(candidates) <= 0).any():
        msg = f"candidates must be distinct rows in ascending order, at least one, of 0 to {table.n_rows - 1}"
        raise InvalidInput(msg)
    if method != "a_pete" and not 1 <= n_prototypes <= n_candidates:
        noun = "rows" if n_candidates == table.n_rows else "candidates"
        msg = f"n_prototypes must be 1 to {n_candidates}, the number of {noun}, got {n_prototypes}"
        raise InvalidInput(msg)
    if columns is None:
        return
    if len(columns.proximities) != table.n_rows or not np.array_equal(columns.candidates, candidates):
        msg = f"columns must be of the {len(candidates)} candidates and all {table.n_rows} rows"
        raise InvalidInput(msg)
