"""What it costs to draw curves and to search the changes of one row: seconds on a slow core."""

from .smallest_changes import SearchLimits

_SECONDS_OF_CURVES, _SECONDS_PER_CURVE = 1e-3, 4e-5
_SECONDS_PER_TREE = 2e-5  # walked with each of its features left open in turn
_SECONDS_PER_CHANGED_ROWS = 5e-3  # that the model predicts before changes are returned
_SECONDS_OF_PAIRS = 0.03  # to put all changes of two features in order, and to predict some
_SECONDS_PER_PAIR = 2e-4  # to add up the grid of two features, and to list its cells that may give the outcome
_SECONDS_PER_TREE_OF_PAIR = 3.5e-6  # walked with both features left open
_SECONDS_TOWARDS_REAL_ROWS = 0.05  # to try their values one by one


def curve_seconds(n_features: int, n_trees: int) -> float:
    """Return the seconds in which the curves of all features of a row are drawn."""
    return _SECONDS_OF_CURVES + _SECONDS_PER_CURVE * n_features + _SECONDS_PER_TREE * n_trees


def change_seconds(limits: SearchLimits, n_features: int, n_trees: int) -> float:
    """Return the seconds in which the changes of a row are searched; where a change of one feature is not enough."""
    seconds = curve_seconds(n_features, n_trees) + _SECONDS_PER_CHANGED_ROWS
    if limits.max_features == 1:
        return seconds
    n_pairs = min(limits.max_pairs, n_features * (n_features - 1) // 2)
    seconds += _SECONDS_OF_PAIRS + n_pairs * (_SECONDS_PER_PAIR + _SECONDS_PER_TREE_OF_PAIR * n_trees)
    return seconds + _SECONDS_TOWARDS_REAL_ROWS * (limits.max_features > limits.n_searched)
