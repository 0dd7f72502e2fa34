"""The slow, obvious twin of the label audit: every row looks at all others, one at a time."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .naive import Matrix


@dataclass(frozen=True)
class AuditedRow:
    """The votes of a row's nearest rows on its label."""

    row: int
    n_neighbors: int  # of all rows: those that share a leaf with it
    agreement: Fraction | None
    disagreeing: int
    suggested: int  # -1: none


def nearest(proximity: Matrix, row: int, n_neighbors: int) -> list[int]:
    """Return the other rows of largest proximity, the lower of equal ones first, without those that share nothing."""
    others = [other for other in range(len(proximity)) if other != row]
    others.sort(key=lambda other: (-proximity[row, other], other))
    return [other for other in others[:n_neighbors] if proximity[row, other] > 0]


def audit_row(proximity: Matrix, classes: NDArray[np.int64], row: int, n_neighbors: int) -> AuditedRow:
    """Tan et al., "Fixing mislabeled points", for one row."""
    neighbors = nearest(proximity, row, n_neighbors)
    agreeing = [other for other in neighbors if classes[other] == classes[row]]
    disagreeing = [other for other in neighbors if classes[other] != classes[row]]
    support = {int(value): 0 for value in np.unique(classes)}
    for other in neighbors:
        support[int(classes[other])] += int(proximity[row, other])
    suggested = suggestion(support, classes, row)
    return AuditedRow(
        row,
        len(neighbors),
        Fraction(len(agreeing), len(neighbors)) if neighbors else None,
        sum(int(proximity[row, other]) for other in disagreeing),
        suggested,
    )


def suggestion(support: dict[int, int], classes: NDArray[np.int64], row: int) -> int:
    """Return the class with most support, the first of several, if it has more of it for each of its rows, too."""
    own, best = int(classes[row]), max(support.values())
    if support[own] == best:
        return -1
    other = min(value for value in support if support[value] == best)
    sizes = {value: int((np.delete(classes, row) == value).sum()) for value in support}
    means = {value: Fraction(support[value], max(1, sizes[value])) for value in (own, other)}
    return other if means[other] > means[own] else -1


def audit(
    proximity: Matrix, classes: NDArray[np.int64], n_neighbors: int, scores: NDArray[np.float64] | None = None
) -> list[AuditedRow]:
    """Return all rows, the most suspect first; with scores, by the product of agreement and score."""
    rows = [audit_row(proximity, classes, row, n_neighbors) for row in range(len(classes))]

    def suspicion(each: AuditedRow) -> tuple[bool, float, Fraction, int, int]:
        share = each.agreement or Fraction(0)
        product = 0.0 if scores is None else float(share) * float(scores[each.row])
        return each.agreement is None, product, share, -each.disagreeing, each.row

    return sorted(rows, key=suspicion)


def audit_by_all(
    proximity: Matrix, classes: NDArray[np.int64], scores: NDArray[np.float64] | None = None
) -> list[AuditedRow]:
    """Return all rows by the votes of all others, each with the weight of its proximity; the most suspect first.

    With scores, by the product of the share of the votes and the score; then by the share.
    """
    votes = {row: [int(each) for each in proximity[row]] for row in range(len(classes))}
    for row, own in votes.items():
        own[row] = 0
    rows = [_voted(votes[row], classes, row) for row in range(len(classes))]

    def suspicion(each: AuditedRow) -> tuple[bool, float, Fraction, int, int]:
        share = each.agreement or Fraction(0)
        product = 0.0 if scores is None else float(share) * float(scores[each.row])
        return each.agreement is None, product, share, -sum(votes[each.row]), each.row

    return sorted(rows, key=suspicion)


def _voted(votes: list[int], classes: NDArray[np.int64], row: int) -> AuditedRow:
    support = {int(value): 0 for value in np.unique(classes)}
    for other, vote in enumerate(votes):
        support[int(classes[other])] += vote
    total, own = sum(votes), support[int(classes[row])]
    suggested = suggestion(support, classes, row)
    return AuditedRow(
        row, sum(vote > 0 for vote in votes), Fraction(own, total) if total else None, total - own, suggested
    )


def unopposed(proximity: Matrix, classes: NDArray[np.int64]) -> float:
    """Return the share of rows that share a leaf with no row of another class."""
    is_near = proximity > 0
    return float(np.mean([not is_near[row, classes != own].any() for row, own in enumerate(classes)]))
