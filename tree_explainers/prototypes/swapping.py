"""Swap prototypes for other rows as long as a swap raises the objective: FasterPAM on proximities, never n x n.

Candidates are looked at one after the other, again and again. What is known of one beforehand are its closest pairs
(``candidate_pairs``); if it would not help even though its other proximities were as large as they can be, it is
passed over. The others are compared with all rows of their class, so that the swaps are those of the plain search.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, MethodNotApplicable
from ..leaves import LeafTable
from ..progress import ReportProgress, ignore_progress
from .candidate_pairs import CandidatePairs, gather_pairs
from .goal import goal_of
from .standing import Judgement, Pairs, judge, no_judgement
from .swap_sweep import SwapSweep
from .swappable import SwappablePrototypes

if TYPE_CHECKING:
    from .selection import Method

_FEW, _MANY = 64, 512  # candidates compared with all rows at once
_WINDOW = 1024  # candidates judged at once, at first


@dataclass(frozen=True, slots=True)
class Refinement:
    """Prototypes that no swap improves any more, and what it took."""

    rows: NDArray[np.int64]  # (n_prototypes,) a row that was swapped in is in the place of the one swapped out
    n_swaps: int
    n_judged: int  # times that a candidate was looked at
    n_compared: int  # times that it had to be compared with all rows of its class


def refine_by_swaps(  # noqa: PLR0913  # what is refined, by which measure, and how
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    *,
    method: "Method",
    candidates: NDArray[np.int64] | None = None,
    pairs: CandidatePairs | None = None,
    report: ReportProgress = ignore_progress,
) -> Refinement:
    """Replace prototypes by other rows, one at a time, until no single replacement raises the method's objective.

    Candidates take turns in ascending order. If a candidate would raise the objective in place of some prototype, it
    replaces the one with which it raises it most (ties: the lowest rank), at once. The search ends when all
    candidates had a turn since the last swap. The objective never falls.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row, as for ``select_prototypes``.
    rows : (n_prototypes,) int64
        The prototypes to begin with: distinct rows.
    method
        Whose objective: ``sm_a`` and ``a_pete`` g, with prototypes of any class replaced by rows of any class;
        ``sm_wa`` g divided by the size of the class, likewise; ``sm_u`` g, replacing prototypes by rows of their own
        class.
    candidates : (n_candidates,) int64
        Rows that may become prototypes, distinct and ascending; by default all.
    pairs
        Close pairs of these candidates, if they are gathered already; they decide how long it takes, not what comes
        out.
    report
        Told several times a second how far it is, by a guess; may raise to stop.

    Raises
    ------
    MethodNotApplicable
        For ``sg``, whose accuracy is not a sum over rows of the proximity to the nearest prototype.
    InvalidInput
        If there are no prototypes, or a row is there twice.

    References
    ----------
    Schubert, Rousseeuw (2021), "Fast and eager k-medoids clustering: O(k) runtime improvement of the PAM, CLARA, and
    CLARANS algorithms", Information Systems 101, algorithm 3 (FasterPAM), with the distance 1 - proximity between
    rows of one class and 1 between others.
    """
    _check(table, rows, method)
    if pairs is None:
        pairs = gather_pairs(table, classes, weights, rows, candidates=candidates, report=partial(_report_half, report))
    goal = goal_of(method, pairs.by_class.sizes)
    prototypes = SwappablePrototypes(table, weights, pairs.by_class, rows, goal, pairs.thresholds)
    search = _Search(prototypes, pairs, report)
    for position in range(pairs.by_class.n_classes):
        places = pairs.by_class.places(position)
        own = pairs.by_class.rows[places]
        search.sweeps.append(SwapSweep(table, weights, own, places.start, search.progressed))
    search.run()
    return Refinement(prototypes.rows, search.n_swaps, search.n_judged, search.n_compared)


def _report_half(report: ReportProgress, fraction: float, stage: str) -> None:
    report(fraction / 2, stage)


def _check(table: LeafTable, rows: NDArray[np.int64], method: "Method") -> None:
    if method == "sg":
        msg = "sg maximises accuracy, which swaps by coverage would lower: refine sm_a, sm_wa, sm_u or a_pete"
        raise MethodNotApplicable(msg)
    if len(rows) == 0 or len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= table.n_rows:
        msg = f"prototypes must be at least one of the rows 0 to {table.n_rows - 1}, each only once"
        raise InvalidInput(msg)


class _Search:
    """A set of prototypes on its way to a local optimum. Candidates are known by their line among all of them."""

    def __init__(self, prototypes: SwappablePrototypes, pairs: CandidatePairs, report: ReportProgress) -> None:
        self.n_swaps, self.n_judged, self.n_compared = 0, 0, 0
        self.sweeps: list[SwapSweep] = []
        self._candidates, self._classes = pairs.candidates, pairs.by_class.classes[pairs.candidates]
        self._pairs = Pairs(pairs.starts, pairs.ends, pairs.members, pairs.proximities)
        self._prototypes, self._report = prototypes, report
        self._known = no_judgement(len(self._candidates))  # exactly
        self._known_since = np.zeros(len(self._candidates), dtype=np.int64)  # version of the class's prototypes

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
            self.progressed()

    def progressed(self) -> None:
        """Tell how far it is, as if each further round of all candidates were half as likely."""
        n_rounds = self.n_judged / max(1, len(self._candidates))
        self._report(1 - 0.5 ** (n_rounds + 1), "swapping prototypes")

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
        best = self._prototypes.best_replaced(int(self._classes[line]), gain, change, rank)
        self._prototypes.replace(best, int(self._candidates[line]))
        self.n_swaps += 1

    def _is_known(self, lines: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(self._known_since[lines] == self._prototypes.versions[self._classes[lines]])

    def _at_most(self, lines: NDArray[np.int64]) -> Judgement:
        """Return what candidates bring at most, and remember it where it is exact."""
        standing, classes = self._prototypes.at_most, self._prototypes.classes
        judged = judge(self._pairs, lines, self._classes[lines], classes, standing)
        exact = self._prototypes.floors_suffice[self._classes[lines]]
        self._remember(lines[exact], _of(judged, exact))
        known = self._is_known(lines)
        return Judgement(*(np.where(known, part[lines], most) for part, most in zip(self._known, judged, strict=True)))

    def _compare(self, lines: NDArray[np.int64]) -> None:
        """Find out exactly what candidates bring."""
        self.n_compared += len(lines)
        for own in np.unique(self._classes[lines]).tolist():
            some = lines[self._classes[lines] == own]
            standing, classes = self._prototypes.now, self._prototypes.classes
            self._remember(some, self.sweeps[own].judge(self._candidates[some], own, classes, standing))

    def _remember(self, lines: NDArray[np.int64], judged: Judgement) -> None:
        for known, part in zip(self._known, judged, strict=True):
            known[lines] = part
        self._known_since[lines] = self._prototypes.versions[self._classes[lines]]

    def _may_help(self, lines: NDArray[np.int64], judged: Judgement) -> NDArray[np.bool_]:
        """Tell which candidates, bringing no more than this, may raise the objective."""
        is_prototype = np.isin(self._candidates[lines], self._prototypes.rows)
        return self._prototypes.may_gain_by(self._classes[lines], judged.gains, judged.changes) & ~is_prototype


def _of(judged: Judgement, which: NDArray[Any]) -> Judgement:
    return Judgement(*(part[which] for part in judged))
