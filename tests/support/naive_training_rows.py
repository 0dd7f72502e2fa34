"""Slow, obvious twin of training rows: shares row by row and tree by tree, from their definition."""

from collections.abc import Sequence
from fractions import Fraction


def shares_of_training_rows(
    leaves: Sequence[int], of_rows: Sequence[Sequence[int]], drawn: Sequence[Sequence[int]]
) -> list[Fraction]:
    """The mean over trees of c[t][j] * [row j lies in the leaf] / sum of c[t] over the leaf, for each row j.

    ``leaves`` has the leaf of the row in each tree, ``of_rows`` the leaves of all training rows in each tree, and
    ``drawn`` how often each tree drew them.
    """
    shares = [Fraction(0)] * len(of_rows[0])
    for leaf, leaf_of, count in zip(leaves, of_rows, drawn, strict=True):
        inside = [row for row, other in enumerate(leaf_of) if other == leaf]
        total = sum(count[row] for row in inside)
        for row in inside:
            shares[row] += Fraction(count[row], total * len(leaves))
    return shares


def fewest_that_make_half(shares: Sequence[Fraction]) -> int:
    total, descending = Fraction(0), sorted(shares, reverse=True)
    for n_rows, share in enumerate(descending, 1):
        total += share
        if 2 * total >= 1:
            return n_rows
    raise AssertionError


def quantile(targets: Sequence[float], shares: Sequence[Fraction], level: Fraction) -> float:
    """The lowest target at which the shares of all rows with such a target or a lower one reach the level."""
    for target in sorted(targets):
        if sum(share for other, share in zip(targets, shares, strict=True) if share and other <= target) >= level:
            return target
    raise AssertionError
