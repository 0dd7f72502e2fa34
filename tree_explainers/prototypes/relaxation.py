"""What promised coverages, one for each row, say of the best sets of prototypes: a bound in exact integers.

Let row s be promised a coverage λ_s of 0 or more. A prototype m of its class raises that by max(0, P(s, m) - λ_s), and
several prototypes by no more than the sum. So for each set M of k prototypes, whoever chose it,

    sum over s of max over m in M of P(s, m)  <=  sum over s of λ_s  +  sum over m in M of G(m),
    G(m) = sum over the rows s of m's class of max(0, P(s, m) - λ_s),

and no M has more of the last sum than the k candidates of largest G. With the coverage by a set as λ this is the bound
of Nemhauser, Wolsey and Fisher (1978): the set's objective plus the k largest gains.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from ..threads import in_threads
from .candidate_pairs import CandidatePairs
from .goal import Goal, sum_of_largest
from .standing import Pairs

_UNITS = 2**20  # promises are told in at least so many parts of a proximity of 1
_PAIRS_WORTH_A_THREAD = 100_000


class Promises(NamedTuple):
    """Promised coverages and what they say."""

    coverages: NDArray[np.int64]  # (n_rows,) λ
    gains: NDArray[np.int64]  # (n_lines,) G
    bound: float  # of the objective, in units of the class whose rows count most; rounded, so only for comparisons


class Relaxation:
    """Choosing so many prototypes for the rows of some classes, where only pairs above a row's floor are known.

    Coverages and gains are in units finer than those of weight. Candidates are known by line among those of the
    classes, rows by place from the first of the classes on.

    Parameters
    ----------
    pairs
        The candidates' pairs; their thresholds are the floors, below which no promise may be.
    positions
        Neighbouring classes.
    n_prototypes
        How many prototypes may be chosen for these classes together.
    total_weight
        The proximity of a row to itself, in units of weight.
    goal
        Which objective the bounds are of.
    """

    def __init__(
        self, pairs: CandidatePairs, positions: NDArray[np.int64], n_prototypes: int, total_weight: int, goal: Goal
    ) -> None:
        bounds, line_classes = pairs.by_class.bounds, pairs.by_class.classes[pairs.candidates]
        lines = np.flatnonzero(np.isin(line_classes, positions))
        self.places = slice(int(bounds[positions[0]]), int(bounds[positions[-1] + 1]))
        self.n_lines, self.n_prototypes = len(lines), min(n_prototypes, len(lines))
        self.precision = max(1, _UNITS // total_weight)
        self.highest = total_weight * self.precision
        self.floors = pairs.thresholds[self.places] * self.precision
        self._pairs = Pairs(pairs.starts[lines], pairs.ends[lines], pairs.members, pairs.proximities)
        self._line_classes, self._classes = line_classes[lines], positions
        self._bounds, self._scales = bounds - self.places.start, goal.scales
        # Scales may be too large for a float64; what they are of the largest is not.
        worths = np.array([scale / max(goal.scales) for scale in goal.scales])
        self.line_worths = worths[self._line_classes]
        self.row_worths = np.repeat(worths, np.diff(bounds))[self.places]

    def promise(self, coverages: NDArray[np.int64]) -> Promises:
        """Find out what promises say, looking at all candidates."""
        gains = self.gains(coverages, np.arange(self.n_lines))
        best = self.best_of(gains * self.line_worths, self.n_prototypes)
        return Promises(coverages, gains, self.bound(coverages, gains[best], best))

    def bound(self, coverages: NDArray[np.int64], gains: NDArray[np.int64], lines: NDArray[np.int64]) -> float:
        """Return the bound, rounded, that promises and the gains of the best candidates give."""
        return float(self.row_worths @ coverages + self.line_worths[lines] @ gains)

    def best_of(self, worths: NDArray[np.float64], n_lines: int) -> NDArray[np.int64]:
        """Return where the so many largest are."""
        if n_lines >= len(worths):
            return np.arange(len(worths))
        return np.argpartition(-worths, n_lines)[:n_lines]

    def gains(self, coverages: NDArray[np.int64], lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much candidates raise what is promised, summed over rows."""
        gains = np.empty(len(lines), dtype=np.int64)
        first, precision = self.places.start, self.precision

        def add(part: slice) -> None:
            _add_gains(self._pairs, lines[part], first, precision, coverages, gains[part])

        n_pairs = int((self._pairs.ends[lines] - self._pairs.starts[lines]).sum())
        in_threads(add, len(lines), None if n_pairs > _PAIRS_WORTH_A_THREAD else 1)
        return gains

    def n_above(self, coverages: NDArray[np.int64], lines: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count, for each row, which of these candidates are closer than promised."""
        counts = np.zeros(len(coverages), dtype=np.int64)
        _count_above(self._pairs, lines, self.places.start, self.precision, coverages, counts)
        return counts

    def exact_bound(self, promises: Promises) -> int:
        """Return the bound in units of the goal, where objectives are whole, so it is rounded down."""
        scales = [self._scales[position] for position in self._classes]
        gains = [promises.gains[self._line_classes == position] for position in self._classes]
        promised = sum(
            self._scales[position] * int(promises.coverages[self._bounds[position] : self._bounds[position + 1]].sum())
            for position in self._classes
        )
        return int(promised + sum_of_largest(gains, scales, self.n_prototypes)) // self.precision


@compiled
def _add_gains(  # a loop over arrays
    pairs: Pairs,
    lines: NDArray[np.int64],
    first_place: int,
    precision: int,
    coverages: NDArray[np.int64],
    gains: NDArray[np.int64],
) -> None:
    for index in range(len(lines)):
        gain = np.int64(0)
        for pair in range(pairs.starts[lines[index]], pairs.ends[lines[index]]):
            proximity = np.int64(pairs.proximities[pair]) * precision
            gain += max(proximity - coverages[pairs.members[pair] - first_place], 0)
        gains[index] = gain


@compiled
def _count_above(  # a loop over arrays
    pairs: Pairs,
    lines: NDArray[np.int64],
    first_place: int,
    precision: int,
    coverages: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    for line in lines:
        for pair in range(pairs.starts[line], pairs.ends[line]):
            row = pairs.members[pair] - first_place
            counts[row] += int(np.int64(pairs.proximities[pair]) * precision > coverages[row])
