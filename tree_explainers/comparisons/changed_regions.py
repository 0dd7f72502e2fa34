"""Regions in which rows changed more than elsewhere: a short list of rules, found on one half of the rows.

Each rule is the conjunction of conditions that gathers the most change beyond the average of all rows (weighted
relative accuracy), found by a beam search; the next rule is about the rows that no earlier one holds for. The figures
of a rule are counted on the other half of the rows, which the search never saw.

References
----------
Lavrač, Kavšek, Flach, Todorovski (2004), "Subgroup discovery with CN2-SD", JMLR 5: weighted relative accuracy and the
covering loop, here with rows removed and not down-weighted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..approximation_trees.candidate_splits import Candidates, FeatureCandidates, GivenSplits, candidates_of
from ..approximation_trees.node_boxes import is_missing
from ..compute.progress import ReportProgress, ignore_progress
from ..questions.conditions import Condition, Operator
from ..rows import Rows

Bins = tuple[NDArray[np.unsignedinteger[Any]], ...]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_OPPOSITE: Mapping[Operator, Operator] = {"<=": ">", "is": "is not", "is missing": "is not missing"}
_WIDTH = 8  # conjunctions that are extended at once
_N_EXTENSIONS = 4 * _WIDTH  # of a conjunction on one feature: several may hold for the same rows
_N_CUTS = 63  # of a number, at quantiles
_N_CATEGORIES = 50  # of a feature, the most frequent
_LEAST_GAIN = 1.05  # by which a condition more has to multiply what is gathered


@dataclass(frozen=True, slots=True)
class RegionLimits:
    """Limits of the rules."""

    max_regions: int = 5
    max_conditions: int = 4  # of one rule; an interval with two ends has two
    min_rows: int = 20  # of the searched half that a rule holds for; fewer of fewer than 400 rows
    least_excess: float = 3.0  # standard errors by which the change in a region has to be above that of all rows


DEFAULT_LIMITS = RegionLimits()


class Step(NamedTuple):
    """A candidate split, and which of its sides is meant."""

    candidate: int
    holds: bool  # the rows that it sends left


@dataclass(frozen=True, slots=True)
class Region:
    """Rows that changed more than others: a conjunction of conditions, and the rows that it is the first to hold for.

    Without conditions it would be all rows; a region has one at least.
    """

    conditions: tuple[Condition, ...]
    searched: NDArray[np.int64]  # rows of the half on which it was found
    checked: NDArray[np.int64]  # rows of the other half


@dataclass(frozen=True, slots=True)
class Half:
    """Rows in the bins of the candidates, with what changed."""

    bins: Bins
    changes: Floats  # (n_rows,)


def changed_regions(
    rows: Rows,
    changes: Floats,
    missing_texts: Mapping[str, str],
    limits: RegionLimits = DEFAULT_LIMITS,
    report: ReportProgress = ignore_progress,
) -> list[Region]:
    """Return the regions, in the order in which they are found: the first gathers most change.

    Every second row is searched, and the others are left to check what was found: a region whose change is not above
    that of all rows by ``least_excess`` standard errors in both halves ends the list.

    Parameters
    ----------
    rows
        Raw rows, in an order that says nothing: their own half is decided by it.
    changes : (n_rows,)
        How much each row changed, not negative: 1 or 0 of outcomes, an absolute difference of values.
    missing_texts
        By feature: the text that represents a missing category.
    limits
        Of the rules.
    report
        Called before each rule; may raise to stop.

    Returns
    -------
    list of Region
        Empty where nothing changed, all did, or nothing says where.
    """
    indices = np.arange(len(rows))
    halves = indices[::2], indices[1::2]
    searched = rows.take(halves[0])
    least = max(2, min(limits.min_rows, len(halves[0]) // 20))
    candidates = candidates_of(searched, missing_texts, least, given=_splits(searched, missing_texts))
    both = [Half(candidates.bins_of(rows.take(half)), changes[half]) for half in halves]
    left = [np.arange(len(half.changes)) for half in both]
    regions: list[Region] = []
    while len(regions) < limits.max_regions and candidates.n_candidates:
        report(len(regions) / limits.max_regions, "looking for regions that changed")
        steps = best_conjunction(candidates, both[0], left[0], replace(limits, min_rows=least))
        inside = [_holding(candidates, steps, half.bins, some) for half, some in zip(both, left, strict=True)]
        if not steps or not all(
            _is_excessive(half.changes, some, limits.least_excess) for half, some in zip(both, inside, strict=True)
        ):
            break
        conditions = tuple(_conditions(candidates, steps, both[0].bins))
        regions.append(Region(conditions, halves[0][inside[0]], halves[1][inside[1]]))
        left = [np.setdiff1d(some, taken, assume_unique=True) for some, taken in zip(left, inside, strict=True)]
    return regions


def _splits(rows: Rows, missing_texts: Mapping[str, str]) -> dict[str, GivenSplits]:
    """Return the splits of each feature that are looked at: at quantiles of a number, and the frequent categories."""
    splits = {}
    for name, values in zip(rows.names, rows.columns, strict=True):
        missing = is_missing(values, missing_texts.get(name))
        known = values[~missing]
        if values.dtype == object:
            texts, counts = np.unique(known.astype(str), return_counts=True)
            frequent = texts[np.argsort(-counts, kind="stable")[:_N_CATEGORIES]]
            splits[name] = GivenSplits(categories=tuple(frequent.tolist()), missing=bool(missing.any()))
        else:
            splits[name] = GivenSplits(thresholds=_thresholds(known), missing=bool(missing.any()))
    return splits


def _thresholds(known: Floats) -> tuple[float, ...]:
    """Return at most so many thresholds between values, as round numbers."""
    free = candidates_of(Rows(("x",), (known,)), {}) if len(known) else Candidates(())
    if not free.features:
        return ()
    cuts = free.features[0].cuts
    n_up_to = np.searchsorted(np.sort(known), cuts, side="right")
    wanted = np.linspace(0, len(known), _N_CUTS + 2)[1:-1]
    # Of the cuts with as many values below, the last one is the midpoint, a round number.
    nearest = np.clip(np.searchsorted(n_up_to, wanted, side="right") - 1, 0, len(cuts) - 1)
    return tuple(np.unique(cuts[nearest]).tolist())


# The search.


def best_conjunction(
    candidates: Candidates, half: Half, rows: NDArray[np.int64], limits: RegionLimits
) -> tuple[Step, ...]:
    """Return the conjunction that gathers most change beyond the average of all rows; empty where none does.

    What a conjunction gathers is the sum, over the rows that it holds for, of their change less the mean of all rows of
    the half. A condition more is added only where it multiplies this by 1.05. Ties go to what is found first: fewer
    conditions, earlier features, lower thresholds.
    """
    excess = half.changes - half.changes.mean()
    beam = [_Conjunction(0.0, (), rows)]
    best = beam[0]
    for _ in range(limits.max_conditions):
        extended = [
            each
            for parent in beam
            for each in _extensions(candidates, half.bins, excess, parent, limits.min_rows)
            if each[0] > parent.gathered * _LEAST_GAIN
        ]
        beam = _distinct(candidates, half.bins, rows, sorted(extended, key=lambda each: -each[0]))
        if not beam:
            break
        if beam[0].gathered > best.gathered * _LEAST_GAIN:
            best = beam[0]
    return _without_idle(candidates, half.bins, rows, best.steps)


class _Conjunction(NamedTuple):
    gathered: float
    steps: tuple[Step, ...]
    inside: NDArray[np.int64]  # rows for which all steps hold


def _distinct(
    candidates: Candidates, bins: Bins, rows: NDArray[np.int64], ranked: Sequence[tuple[float, tuple[Step, ...]]]
) -> list[_Conjunction]:
    """Return the first few conjunctions that hold for different rows."""
    beam: dict[bytes, _Conjunction] = {}
    for gathered, steps in ranked:
        inside = _holding(candidates, steps, bins, rows)
        beam.setdefault(inside.tobytes(), _Conjunction(gathered, steps, inside))
        if len(beam) == _WIDTH:
            break
    return list(beam.values())


def _extensions(
    candidates: Candidates, bins: Bins, excess: Floats, parent: _Conjunction, min_rows: int
) -> Iterator[tuple[float, tuple[Step, ...]]]:
    """Yield the best few conditions more on each feature: what is gathered with each, and all steps."""
    inside = parent.inside
    whole, n_whole = float(excess[inside].sum()), len(inside)
    for feature, of_rows, start in zip(candidates.features, bins, candidates.starts[:-1].tolist(), strict=True):
        sums, counts = _sides(feature, of_rows[inside], excess[inside])
        gathered = np.concatenate([sums, whole - sums])
        n_rows = np.concatenate([counts, n_whole - counts])
        gathered[(n_rows < min_rows) | (n_rows == n_whole)] = -np.inf
        for at in np.argsort(-gathered, kind="stable")[:_N_EXTENSIONS].tolist():
            if gathered[at] > 0:
                step = Step(start + at % len(sums), at < len(sums))
                yield float(gathered[at]), (*parent.steps, step)


def _sides(feature: FeatureCandidates, bins: NDArray[Any], excess: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the excess, and the number of rows, that each candidate sends left, (n_candidates,) both."""
    first, last, with_missing = feature.sends
    n_bins, sides = feature.n_bins, []
    for weights in (excess, None):
        totals = np.bincount(bins, weights, minlength=n_bins)
        up_to = np.concatenate([[0], np.cumsum(totals)])
        sides.append(up_to[last + 1] - up_to[first] + with_missing * totals[n_bins - 1])
    return np.asarray(sides[0], np.float64), np.asarray(sides[1], np.int64)


def _holding(candidates: Candidates, steps: Sequence[Step], bins: Bins, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows, of some, for which all steps hold."""
    for step in steps:
        feature, _ = candidates.locate(step.candidate)
        some: Bins = tuple(each[rows] if index == feature else each[:0] for index, each in enumerate(bins))
        rows = rows[candidates.sends_left(step.candidate, some) == step.holds]
    return rows


def _without_idle(
    candidates: Candidates, bins: Bins, rows: NDArray[np.int64], steps: tuple[Step, ...]
) -> tuple[Step, ...]:
    """Leave out steps without which the same rows are inside."""
    n_inside = len(_holding(candidates, steps, bins, rows))
    for step in steps:
        others = tuple(each for each in steps if each != step)
        if others and len(_holding(candidates, others, bins, rows)) == n_inside:
            steps = others
    return steps


def _is_excessive(changes: Floats, inside: NDArray[np.int64], least: float) -> bool:
    """Return whether the mean change of some rows is so many standard errors above that of all."""
    spread = float(changes.std())
    if len(inside) < 2 or spread == 0:  # nothing, or all alike
        return False
    return float(changes[inside].mean() - changes.mean()) > least * spread / float(np.sqrt(len(inside)))


def _conditions(candidates: Candidates, steps: Sequence[Step], bins: Bins) -> Iterator[Condition]:
    """Yield the steps as conditions, those of a feature together; the feature that was chosen first comes first."""
    features = [candidates.locate(step.candidate)[0] for step in steps]
    pairs = sorted(
        zip(features, steps, strict=True), key=lambda pair: (features.index(pair[0]), pair[1].holds, pair[1].candidate)
    )
    for index, step in pairs:
        condition = candidates.condition(step.candidate)
        if step.holds:
            yield condition
            continue
        has_missing = bool((bins[index] == candidates.features[index].n_bins - 1).any())
        or_missing = has_missing and condition.operator != "is missing" and not condition.or_missing
        yield replace(condition, operator=_OPPOSITE[condition.operator], or_missing=or_missing)
