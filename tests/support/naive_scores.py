"""Slow, obvious twins: balanced fidelity, and what always the same prediction scores."""

from collections.abc import Sequence
from typing import TypeVar

Label = TypeVar("Label", int, str)


def share_alike(given: Sequence[Label], others: Sequence[Label]) -> float:
    return sum(one == other for one, other in zip(given, others, strict=True)) / len(others)


def balanced_share_alike(given: Sequence[Label], others: Sequence[Label]) -> float:
    """The share of equal labels, taken for each label that the others have, and then the mean."""
    shares = []
    for label in sorted(set(others)):
        rows = [row for row, other in enumerate(others) if other == label]
        shares.append(sum(given[row] == label for row in rows) / len(rows))
    return sum(shares) / len(shares)


def most_frequent(labels: Sequence[Label]) -> Label:
    """The label that most rows have; of several, the one that sorts first."""
    counts = {label: sum(other == label for other in labels) for label in set(labels)}
    return min(label for label in counts if counts[label] == max(counts.values()))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def mean_squared_error(given: float, values: Sequence[float]) -> float:
    return sum((given - value) ** 2 for value in values) / len(values)
