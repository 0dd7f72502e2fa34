"""A sweep over rows that are compared by plain distance: candidates and targets are compared block by block."""

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..leaf_space.euclidean_table import EuclideanTable
from .pair_lists import blocks
from .sweep import Sweep
from .work_items import Count

MOST_STEPS_BY_DEFAULT, MOST_STEPS = 10**12, 4 * 10**12
"""What it may take to compare candidates with rows once: with all rows as candidates by default, and at most.

A step takes about 0.1 ns on a core, and pairs are compared one to four times: the first are minutes.
"""

_N_SAMPLED = 10_000
_STEPS_PER_PAIR = 50  # beside one for each feature
_CELLS_AT_ONCE = 1 << 24  # some tenths of a second
_FEWEST_AT_ONCE = 64


def n_steps(n_rows: int, n_candidates: int, n_features: int) -> int:
    """Return how many steps it takes to compare each candidate with each row once."""
    return n_rows * n_candidates * (n_features + _STEPS_PER_PAIR)


def default_candidates(n_rows: int, n_features: int) -> int:
    """Return how many rows may become prototypes where a request does not say: all, unless that takes long."""
    takes_long = n_steps(n_rows, n_rows, n_features) > MOST_STEPS_BY_DEFAULT
    return min(n_rows, _N_SAMPLED) if takes_long else n_rows


class EuclideanSweep(Sweep):
    """Rows to be covered, and what other rows of the table would be as their prototypes; see ``Sweep``.

    Close pairs are not listed: by plain distance nearly all rows are somewhat alike, so that there are too many.
    """

    def __init__(
        self,
        table: EuclideanTable,
        targets: NDArray[np.int64],
        tick: Tick = no_tick,
        compared: Count | None = None,
    ) -> None:
        self.targets = targets
        self._table, self._tick = table, tick
        self._compared = compared or Count()

    def tick(self) -> None:
        """Note that something goes on; may raise to stop."""
        self._tick()

    def n_at_once(self, candidates: NDArray[np.int64]) -> int:  # each costs the same
        """Return 1: candidates cost no less together."""
        return 1

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are closer to each candidate than a limit, and by how much; see ``Sweep``."""
        tallies = np.zeros((2, len(limits), len(candidates)), dtype=np.int64)
        for some in blocks(len(candidates), max(_FEWEST_AT_ONCE, _CELLS_AT_ONCE // max(1, len(targets)))):
            tallies[:, :, some] = self._table.tally(candidates[some], targets, limits)
            self._compared.n += len(targets) * (some.stop - some.start)
            self._tick()
        return tallies
