"""Other readings of "25 % of the features were used at each node", to find out why the paper's FORF trees are as large.

The product keeps each test, constants included, with a probability. ACE may have drawn again where no test that
it kept gained anything.
"""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from tree_explainers.relational import tilde
from tree_explainers.relational.candidate_families import Candidate
from tree_explainers.relational.candidate_scores import mixed
from tree_explainers.relational.candidate_tests import Node
from tree_explainers.relational.tables import RelationalRows
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

_MOST_DRAWS = 50


class _DrawnAgain(tilde._Growth):  # noqa: SLF001  # an experiment with what the engine keeps to itself
    """Growth that draws other tests where none of those that were kept gains anything."""

    def _best(self, node: Node, totals: NDArray[np.float64]) -> Candidate | None:
        for draw in range(_MOST_DRAWS):
            drawn = node if draw == 0 else replace(node, key=mixed(node.key, 1_000 + draw))
            best = super()._best(drawn, totals)
            if best is not None:
                return best
        return None


def grow_drawn_again(
    rows: RelationalRows, weights: NDArray[np.float64], settings: TildeSettings, key: tuple[int, int]
) -> TildeTree:
    """Grow a tree that draws tests again until one gains."""
    with patch.object(tilde, "_Growth", _DrawnAgain):
        return tilde.grow_tilde(rows, weights, settings, key, n_threads=1)
