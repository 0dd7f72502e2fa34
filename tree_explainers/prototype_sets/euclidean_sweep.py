"""A sweep over rows that are compared by plain distance: candidates and targets are compared block by block."""

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..leaf_space.euclidean_table import EuclideanTable
from .pair_lists import blocks
from .sweep import Sweep

_CELLS_AT_ONCE = 1 << 24  # some tenths of a second
_FEWEST_AT_ONCE = 64


class EuclideanSweep(Sweep):
    """Rows to be covered, and what other rows of the table would be as their prototypes; see ``Sweep``.

    Close pairs are not listed: by plain distance nearly all rows are somewhat alike, so that there are too many.
    """

    def __init__(self, table: EuclideanTable, targets: NDArray[np.int64], tick: Tick = no_tick) -> None:
        self.targets = targets
        self._table, self._tick = table, tick
        self._n_compared = [0]  # one number for all sweeps that are made from this one

    @property
    def n_compared(self) -> int:
        """Pairs compared so far."""
        return self._n_compared[0]

    def tick(self) -> None:
        """Note that something goes on; may raise to stop."""
        self._tick()

    def n_at_once(self, candidates: NDArray[np.int64]) -> int:  # noqa: ARG002  # each costs the same
        """Return 1: candidates cost no less together."""
        return 1

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are closer to each candidate than a limit, and by how much; see ``Sweep``."""
        found = np.zeros((2, len(limits), len(candidates)), dtype=np.int64)
        for some in blocks(len(candidates), max(_FEWEST_AT_ONCE, _CELLS_AT_ONCE // max(1, len(targets)))):
            found[:, :, some] = self._table.tally(candidates[some], targets, limits)
            self._n_compared[0] += len(targets) * (some.stop - some.start)
            self._tick()
        return found
