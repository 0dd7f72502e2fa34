"""The quality of prototypes beyond their predictions: which rows they represent, how evenly, and how near they are.

``prototype_votes`` defines which rows vote for a prototype and which it covers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..leaf_space.leaves import LeafTable
from .prototype_votes import Classes, Votes, count_votes


@dataclass(frozen=True, slots=True)
class QualityOfEach:
    """Each prototype's measures, (n_prototypes,) float64 in [0, 1]; NaN where a measure has no meaning."""

    coverage: NDArray[np.float64]  # share of the rows of its class that it covers; NaN without such rows
    voting_frequency: NDArray[np.float64]  # share of all rows that vote for it
    consistent_votes: NDArray[np.float64]  # share of its votes that come from its own class; NaN without votes
    vote_entropy: NDArray[np.float64]  # of the classes that vote for it; NaN without votes
    in_class_similarity: NDArray[np.float64]  # mean proximity to the rows of its class; NaN without such rows
    out_of_class_similarity: NDArray[np.float64]  # mean proximity to all other rows; NaN without such rows
    mean_distance: NDArray[np.float64]  # mean of 1 - proximity over the rows that vote for it; NaN without votes
    distance_deviation: NDArray[np.float64]  # standard deviation of those distances


@dataclass(frozen=True, slots=True)
class QualityByClass:
    """What the prototypes of each class do for its rows, (n_classes,) each."""

    n_rows: NDArray[np.int64]
    n_prototypes: NDArray[np.int64]
    coverage: NDArray[np.float64]  # share of the class's rows that are covered; NaN without rows
    hubness_entropy: NDArray[np.float64]  # of the covered rows over the prototypes; NaN for less than two, or no rows


@dataclass(frozen=True, slots=True)
class QualityOfAll:
    """The measures of a set as a whole, in [0, 1]; NaN where a measure has no meaning."""

    coverage: float  # share of all rows that are covered
    voting_frequency: float  # share of all rows that vote
    consistent_votes: float  # share of the votes that go to a prototype of the row's own class
    hubness_entropy: float  # mean over the classes that have one
    in_class_similarity: float  # mean over the prototypes that have one
    out_of_class_similarity: float  # mean over the prototypes that have one
    mean_distance: float  # from each row to its nearest prototype; 1 for a row that votes for none
    distance_deviation: float  # standard deviation of those distances


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of prototypes: of the set, of each class's part of it, and of each prototype."""

    n_rows: int
    of_all: QualityOfAll
    by_class: QualityByClass
    of_each: QualityOfEach
    best: NDArray[np.int64]  # (n_rows,) integer proximity of each row to its nearest prototype


def measure_quality(
    table: LeafTable,
    weights: NDArray[np.int64],
    prototype_leaves: NDArray[np.int32],
    classes: Classes,
    report: ReportProgress = ignore_progress,
) -> Quality:
    """Measure how good prototypes are for some rows.

    Parameters
    ----------
    table
        The rows: those that the prototypes were chosen from, which then count as rows themselves, or any others.
    weights : (n_trees,) int64
        What each tree counts.
    prototype_leaves : (n_prototypes, n_trees) int32
        Leaves of the prototypes in the order chosen, numbered as in the table.
    classes
        Of the rows and of the prototypes. Within a single class no vote can be inconsistent: measures of
        consistency are NaN then.
    report
        Progress callback, called after each prototype; may raise to stop.

    Returns
    -------
    Quality
        ``Votes`` defines votes and coverage, ties included. Entropies are divided by the largest
        possible: a prototype's vote entropy is 0 when all its votes come from one class, and 1 when they come from
        all classes alike; a class's hubness entropy is 0 when one prototype (a hub) covers all rows that are covered,
        and 1 when all prototypes of the class cover as many. Deviations are those of a population.

    Raises
    ------
    InvalidInput
        If classes are missing or outside 0 to ``n_classes - 1``, or there is no prototype.

    References
    ----------
    Voting frequency, consistent votes, similarities and hubness entropy are those of the package protree, by the
    authors of A-PETE (Karolczak, Stefanowski). It lets a row that shares no leaf with any prototype vote for the
    first, and has 0 where there is nothing to average; here that is no vote and NaN.
    Radovanović, Nanopoulos, Ivanović (2010), "Hubs in Space": hubness as how often something is the nearest.
    Tomašev, Mladenić (2012), "Nearest neighbor voting in high dimensional data": entropy of the classes of those.
    """
    votes = count_votes(table, weights, prototype_leaves, classes, report)
    of_each, by_class = _of_each(votes), _by_class(votes)
    return Quality(votes.n_rows, _of_all(votes, of_each, by_class), by_class, of_each, votes.nearest)


def _of_each(votes: Votes) -> QualityOfEach:
    classes, shape = votes.classes, (votes.n_prototypes, votes.classes.n_classes)
    voted, distances = votes.voted[votes.is_vote], votes.distances[votes.is_vote]
    cells = voted * classes.n_classes + classes.of_rows[votes.is_vote]
    by_class = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    n_votes, n_own_rows = by_class.sum(axis=1), classes.row_counts[classes.of_prototypes]
    mean_distance = _share(np.bincount(voted, weights=distances, minlength=len(n_votes)), n_votes)
    squares = np.bincount(voted, weights=(distances - mean_distance[voted]) ** 2, minlength=len(n_votes))
    deviation = np.sqrt(_share(squares, n_votes))
    return QualityOfEach(
        coverage=_share(votes.count_covered(), n_own_rows),
        voting_frequency=n_votes / votes.n_rows,
        consistent_votes=_consistency(by_class, classes.of_prototypes),
        vote_entropy=_evenness(by_class, np.array([classes.n_classes])),
        in_class_similarity=_share(votes.inside / votes.total_weight, n_own_rows),
        out_of_class_similarity=_share(votes.outside / votes.total_weight, votes.n_rows - n_own_rows),
        mean_distance=mean_distance,
        distance_deviation=deviation,
    )


def _by_class(votes: Votes) -> QualityByClass:
    classes, n_covered = votes.classes, votes.count_covered()
    n_rows, n_prototypes = classes.row_counts, np.bincount(classes.of_prototypes, minlength=classes.n_classes)
    entropy = [
        _evenness(n_covered[None, classes.of_prototypes == class_index], n_prototypes[class_index : class_index + 1])[0]
        for class_index in range(classes.n_classes)
    ]
    n_rows_covered = np.bincount(classes.of_rows[votes.is_covered], minlength=classes.n_classes)
    return QualityByClass(n_rows, n_prototypes, _share(n_rows_covered, n_rows), np.array(entropy))


def _of_all(votes: Votes, of_each: QualityOfEach, by_class: QualityByClass) -> QualityOfAll:
    distances = votes.distances
    consistent = votes.classes.of_prototypes[votes.voted] == votes.classes.of_rows
    return QualityOfAll(
        coverage=float(votes.is_covered.mean()),
        voting_frequency=float(votes.is_vote.mean()),
        consistent_votes=_mean(consistent[votes.is_vote]) if votes.classes.n_classes > 1 else np.nan,
        hubness_entropy=_mean(by_class.hubness_entropy),
        in_class_similarity=_mean(of_each.in_class_similarity),
        out_of_class_similarity=_mean(of_each.out_of_class_similarity),
        mean_distance=float(distances.mean()),
        distance_deviation=float(distances.std()),
    )


def _consistency(by_class: NDArray[np.int64], prototype_classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of each prototype's votes that come from its own class; NaN where there is but one class."""
    n_prototypes, n_classes = by_class.shape
    if n_classes == 1:
        return np.full(n_prototypes, np.nan)
    return _share(by_class[np.arange(n_prototypes), prototype_classes], by_class.sum(axis=1))


def _evenness(counts: NDArray[np.int64], n_kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the entropy of each line of counts over the largest for this number of kinds; NaN for one kind."""
    shares = _share(counts, counts.sum(axis=1, keepdims=True))
    entropy = (shares * np.log2(1 / np.where(shares > 0, shares, 1))).sum(axis=1)
    return np.minimum(_share(entropy, np.log2(np.maximum(n_kinds, 1))), 1.0)  # rounding could go beyond


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Divide; NaN where the whole is 0."""
    quotients = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=quotients, where=whole > 0)
    return quotients


def _mean(values: NDArray[Any]) -> float:
    """Return the mean of those values that are numbers; NaN if none is."""
    numbers = values[~np.isnan(values)]
    return float(numbers.mean()) if len(numbers) else float("nan")
