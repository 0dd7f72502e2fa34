"""In which order changes are shown: plausible rows first, then small changes."""

import numpy as np

from explanations.changes import most_plausible
from tree_explainers.changes.row_changes import Change, FeatureChange


def _change(*sizes: float) -> Change:
    parts = tuple(FeatureChange(f"x{at}", 0.0, 1.0, {at: 1.0}, size) for at, size in enumerate(sizes))
    return Change(parts, (1.0,), np.zeros(1), None)


def test_rows_like_no_prototype_come_last_and_of_equal_sizes_the_nearer_row_first() -> None:
    changes = [_change(0.1), _change(0.2), _change(0.2), _change(0.3), _change(0.05, 0.1), _change(0.4)]
    nearest = np.array([0, 3, 9, 7, 0, 0])
    assert most_plausible(changes, nearest) == [2, 1, 3, 4]
    assert most_plausible(changes[:2] + changes[4:], np.array([0, 3, 0, 0])) == [1, 0, 3, 2]
