"""A set of prototypes on its way to a local optimum: FasterPAM on proximities, never n x n.

Candidates are looked at one after the other, again and again. What is known of one beforehand are its closest pairs
(``candidate_pairs``); if it would not help even though its other proximities were as large as they can be, it is
passed over. The others are compared with all rows of their class, so that the swaps are those of the plain search.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from ..leaf_space.leaves import LeafTable
from .candidate_pairs import CandidatePairs
from .standing import Judgement, Pairs, judge, no_judgement
from .swap_sweep import SwapSweep
from .swappable import SwappablePrototypes

_FEW, _MANY = 64, 512  # candidates compared with all rows at once
_WINDOW = 1024  # candidates judged at once, at first


class LocalSearch:
    """Swaps prototypes for candidates, which are known by their line among all of them.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    prototypes
        Where to begin; they are changed.
    pairs
        Close pairs of the candidates.
    report
        Told several times a second how far it is, by a guess; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        prototypes: SwappablePrototypes,
        pairs: CandidatePairs,
        report: ReportProgress,
    ) -> None:
        self.n_swaps, self.n_judged, self.n_compared = 0, 0, 0
        self.n_pairs_compared = 0
        self.start = prototypes.rows.copy()
        self._candidates, self._classes = pairs.candidates, pairs.by_class.classes[pairs.candidates]
        self._pairs = Pairs(pairs.starts, pairs.ends, pairs.members, pairs.proximities)
        self.prototypes, self._report = prototypes, report
        self._known = no_judgement(len(self._candidates))  # exactly
        self._known_since = np.zeros(len(self._candidates), dtype=np.int64)  # version of the class's prototypes
        self._sweeps = []
        for position in range(pairs.by_class.n_classes):
            places = pairs.by_class.places(position)
            rows = pairs.by_class.rows[places]
            self._sweeps.append(SwapSweep(table, weights, rows, places.start, self._progressed))

    def run(self) -> None:
        """Swap until every candidate had its turn since the last swap."""
        n_candidates = len(self._candidates)
        line, n_left, window = 0, n_candidates, _WINDOW
        while n_left > 0:
            lines = np.arange(line, min(line + window, line + n_left, n_candidates))
            helpful = self._first_helpful(lines)
            if helpful is None:
                n_left, line, window = n_left - len(lines), line + len(lines), 2 * window
            else:
                self._swap_in(helpful)
                n_left, line, window = n_candidates, helpful + 1, _WINDOW
            line %= n_candidates
            self._progressed()

    def _progressed(self) -> None:
        """Tell how far it is, as if each further round of all candidates were half as likely."""
        n_rounds = self.n_judged / max(1, len(self._candidates))
        self._report(1 - 0.5**n_rounds, "swapping prototypes")

    def _first_helpful(self, lines: NDArray[np.int64]) -> int | None:
        """Return the first of these candidates that raises the objective; what it brings is known exactly then."""
        self.n_judged += len(lines)
        promising = lines[self._may_help(lines, self._at_most(lines))]
        n_at_once = _FEW
        while len(promising):
            some, promising = promising[:n_at_once], promising[n_at_once:]
            self._compare(some[~self._is_known(some)])
            helpful = some[self._may_help(some, _of(self._known, some))]
            if len(helpful):
                return int(helpful[0])
            n_at_once = _MANY
        return None

    def _swap_in(self, line: int) -> None:
        gain, change, rank = (int(part[line]) for part in self._known)
        best = self.prototypes.best_replaced(int(self._classes[line]), gain, change, rank)
        self.prototypes.replace(best, int(self._candidates[line]))
        self.n_swaps += 1

    def _is_known(self, lines: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(self._known_since[lines] == self.prototypes.versions[self._classes[lines]])

    def _at_most(self, lines: NDArray[np.int64]) -> Judgement:
        """Return what candidates bring at most, and remember it where it is exact."""
        standing, classes = self.prototypes.at_most, self.prototypes.classes
        judged = judge(self._pairs, lines, self._classes[lines], classes, standing)
        exact = self.prototypes.floors_suffice[self._classes[lines]]
        self._remember(lines[exact], _of(judged, exact))
        known = self._is_known(lines)
        return Judgement(*(np.where(known, part[lines], most) for part, most in zip(self._known, judged, strict=True)))

    def _compare(self, lines: NDArray[np.int64]) -> None:
        """Find out exactly what candidates bring."""
        self.n_compared += len(lines)
        for own in np.unique(self._classes[lines]).tolist():
            some = lines[self._classes[lines] == own]
            standing, classes = self.prototypes.now, self.prototypes.classes
            self._remember(some, self._sweeps[own].judge(self._candidates[some], own, classes, standing))
            self.n_pairs_compared += len(some) * self._sweeps[own].n_rows

    def _remember(self, lines: NDArray[np.int64], judged: Judgement) -> None:
        for known, part in zip(self._known, judged, strict=True):
            known[lines] = part
        self._known_since[lines] = self.prototypes.versions[self._classes[lines]]

    def _may_help(self, lines: NDArray[np.int64], judged: Judgement) -> NDArray[np.bool_]:
        """Tell which candidates, bringing no more than this, may raise the objective."""
        is_prototype = np.isin(self._candidates[lines], self.prototypes.rows)
        return self.prototypes.may_gain_by(self._classes[lines], judged.gains, judged.changes) & ~is_prototype


def _of(judged: Judgement, which: NDArray[Any]) -> Judgement:
    return Judgement(*(part[which] for part in judged))
