"""Label audits: rows ranked by how far the rows that are like them disagree with their label."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compute.progress import ReportProgress, ignore_progress
from .errors import InvalidInput
from .leaf_space.leaves import LeafTable
from .leaf_space.neighborhoods import each_neighborhood
from .leaf_space.votes import Votes, votes_of_all_rows

_ROUNDING = 2.0**-50  # more than by what rounded integers and their rounded quotient can differ from the exact one


@dataclass(frozen=True, slots=True)
class LabelAudit:
    """The labels of other rows beside each row's own; all arrays but ``ranking`` are by row."""

    ranking: NDArray[np.int64]  # (n_rows,) rows, the most suspect first
    agreement: NDArray[np.float64]  # (n_rows,) share of the votes for the row's own label; NaN without any votes
    disagreeing: NDArray[np.int64]  # (n_rows,) summed integer proximity of voters with another label
    suggested: NDArray[np.int64]  # (n_rows,) class that proximities support more than the row's own; -1: none
    n_neighbors: NDArray[np.int64] | None = None  # (n_rows,) nearest rows that voted; None: all other rows did
    scores: NDArray[np.float64] | None = None  # (n_rows,) the model's of each row's label; None: they do not count

    @property
    def support(self) -> NDArray[np.float64]:
        """What rows are ranked by, (n_rows,): agreement, times the score where scores count; NaN without any votes."""
        return self.agreement if self.scores is None else self.agreement * self.scores


def audit_by_all_rows(
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    report: ReportProgress = ignore_progress,
    votes: Votes | None = None,
    scores: NDArray[np.float64] | None = None,
) -> LabelAudit:
    """Rank rows by the share of the proximities of all other rows that is with rows of their label, smallest first.

    The shares are compared as fractions of integers, exactly. Equal shares: the larger sum of proximities first, then
    the lower row. With scores, rows are ranked by the product of both in double precision; where products are equal,
    by their shares. Rows that share no leaf with any other have no votes and come last.

    A class is suggested where the sum of proximities with it is larger than that with the row's own (ties go to the
    earlier class), and their mean over the rows of the class, too: that a class is rare suggests nothing by itself.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts.
    classes : (n_rows,) int64
        Class of each row, 0 or more: the labels to be audited.
    report
        Progress callback; may raise to stop.
    votes
        What ``votes_of_all_rows`` returned for the same arguments, if it was called before.
    scores : (n_rows,)
        Probability that the model gives each row's label, if it counts.

    Raises
    ------
    InvalidInput
        If there are not as many classes, or scores, as rows.

    References
    ----------
    Ours: leave-one-out classification by the forest's own kernel (Tan et al., 2020, definitions 1 and 3), in which a
    row has no vote on itself. Trees of pure leaves that were grown on all rows know no other opinion: audit these by
    coarser leaves.
    """
    _check(table, classes, scores)
    if votes is None:
        votes = votes_of_all_rows(table, weights, classes, report)
    agreement = np.full(table.n_rows, np.nan)
    np.divide(votes.own, votes.total, out=agreement, where=votes.total > 0)
    return LabelAudit(
        ranking=_ranking(votes, agreement, scores),
        agreement=agreement,
        disagreeing=votes.total - votes.own,
        suggested=_suggested(classes, np.bincount(classes), votes.best, (votes.largest, votes.own)),
        scores=scores,
    )


def audit_by_neighbors(
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    n_neighbors: int,
    report: ReportProgress = ignore_progress,
    scores: NDArray[np.float64] | None = None,
) -> LabelAudit:
    """Rank rows by the share of their nearest rows that have their label, smallest first.

    A row's nearest rows are the ``n_neighbors`` others of largest proximity (ties: lowest row), without those that
    share no leaf with it at all: they have no bearing on it. Equal shares: the larger summed proximity of the
    neighbours that disagree first, then the lower row. With scores, rows are ranked by the product of both; where
    products are equal, by their shares. Rows without neighbours come last.

    A class is suggested where the neighbours' proximities, summed by class, support it more than the row's own (ties
    between such classes go to the earlier one), also when they are divided by the number of rows of each class.

    Parameters
    ----------
    table, weights, classes, report, scores
        As for ``audit_by_all_rows``.
    n_neighbors
        In 1 to ``n_rows - 1``.

    Raises
    ------
    InvalidInput
        If there are not as many other rows, or not as many classes, or scores, as rows.

    References
    ----------
    Tan, Soloviev, Hooker, Wells (2020), "Tree Space Prototypes", section "Fixing Mislabeled Points", which uses 10
    neighbours and no scores, and leaves open how ties are broken and which label is the right one. Leaves that a tree
    has fitted to wrong labels hold other rows with the same ones: a forest grown until its leaves are pure gives less
    clear results.
    """
    _check(table, classes, scores)
    sizes = np.bincount(classes)
    blocks = [
        _evaluate(classes[block.rows], classes[block.neighbors], block.proximities, sizes)
        for block in each_neighborhood(table, weights, n_neighbors, report, n_cells_a_row=len(sizes))
    ]
    n_used, agreement, disagreeing, suggested = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    # NaN sorts last; the sort is stable, so that rows stay in order where all else is equal.
    support = agreement if scores is None else agreement * scores
    ranking = np.lexsort((-disagreeing, agreement, support)).astype(np.int64)
    return LabelAudit(ranking, agreement, disagreeing, suggested, n_used, scores)


def share_unopposed(votes: Votes) -> float:
    """Return the share of rows that share leaves only with rows of their own class, or with none.

    An audit cannot suspect these. Trees grown on all rows until leaves are pure (extremely randomised trees as a rule)
    leave no others; with coarser leaves there are some.
    """
    return float(np.mean(votes.own == votes.total))


def _suggested(
    classes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    best: NDArray[np.int64],
    votes: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Return the class with most votes, where it has more of them for each of its rows, too; else -1, (n_rows,).

    Parameters
    ----------
    classes : (n_rows,)
        The rows' own.
    sizes : (n_classes,)
        Rows of each class; of its own class a row has no vote on itself.
    best : (n_rows,)
        The class with most votes.
    votes : (n_rows,), (n_rows,)
        Of that class, and of the row's own.
    """
    of_best, of_own = votes
    is_nearer = of_best / sizes[best] > of_own / np.maximum(1, sizes[classes] - 1)
    return np.where((best != classes) & (of_best > of_own) & is_nearer, best, -1)


def _check(table: LeafTable, classes: NDArray[np.int64], scores: NDArray[np.float64] | None = None) -> None:
    if classes.shape != (table.n_rows,) or classes.min(initial=0) < 0:
        msg = f"one class of 0 or more is needed for each of {table.n_rows} rows, got shape {classes.shape}"
        raise InvalidInput(msg)
    if scores is not None and scores.shape != classes.shape:
        msg = f"one score is needed for each of {table.n_rows} rows, got shape {scores.shape}"
        raise InvalidInput(msg)


def _ranking(votes: Votes, agreement: NDArray[np.float64], scores: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Return the rows by their shares, or else by the products of these with the scores; then by their shares."""
    by_share = _by_exact_shares(votes, agreement)
    if scores is None:
        return by_share
    products = agreement * scores
    return by_share[np.argsort(products[by_share], kind="stable")]  # without any votes, NaN, which sorts last


def _by_exact_shares(votes: Votes, agreement: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows by their exact shares: by rounded ones first, then those whose rounded shares are too close."""
    ranking: NDArray[np.int64] = np.argsort(agreement, kind="stable").astype(np.int64)
    with_votes = ranking[: np.count_nonzero(votes.total)]  # without any, the share is NaN, which sorts last
    shares = agreement[with_votes]
    group = np.concatenate([[0], np.cumsum(np.diff(shares) > _ROUNDING * shares[1:])])[: len(shares)]
    is_close = np.bincount(group)[group] > 1
    rows = with_votes[is_close]
    own, total = votes.own[rows], votes.total[rows]
    if len(rows):
        with_votes[is_close] = rows[np.lexsort((rows, -total, *_digits(own, total), group[is_close]))]
    return ranking


def _digits(numerators: NDArray[np.int64], denominators: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the digits of fractions of at most 1, the last first: enough for different fractions to differ.

    Two fractions whose denominators are below 2^b differ by more than 2^-2b, so 2 b binary digits distinguish them.
    They come in pieces as long as remainders can be shifted by. Of 0/0 they are 0.
    """
    n_bits = int(denominators.max()).bit_length()
    length = 63 - n_bits
    digits, remainders = [numerators], numerators
    divisors = np.maximum(denominators, 1)
    for _ in range(0, 2 * n_bits, length):
        quotients, remainders = np.divmod(remainders << length, divisors)
        digits.append(quotients)
    return digits[:0:-1]


def _evaluate(
    classes: NDArray[np.int64], others: NDArray[np.int64], proximities: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[Any], ...]:
    """Return the four arrays of a block of rows: classes (n_rows,), their neighbours' (n_rows, n_neighbors)."""
    n_used = (proximities > 0).sum(axis=1)
    agrees = (others == classes[:, None]) & (proximities > 0)
    agreement = np.full(len(classes), np.nan)
    np.divide(agrees.sum(axis=1), n_used, out=agreement, where=n_used > 0)
    # The neighbours' proximities are summed by class. Sums of 1,000 proximities of at most 2^32 are whole numbers that
    # float64 holds.
    n_classes = len(sizes)
    cells = np.arange(len(others))[:, None] * n_classes + others
    sums = np.bincount(cells.ravel(), proximities.ravel(), minlength=len(others) * n_classes)
    support = sums.astype(np.int64).reshape(len(others), n_classes)
    of_own = support[np.arange(len(classes)), classes]
    suggested = _suggested(classes, sizes, support.argmax(axis=1), (support.max(axis=1), of_own))
    return n_used, agreement, support.sum(axis=1) - of_own, suggested
